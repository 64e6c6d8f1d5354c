"""What turns a claim into another one though all its telling words are the same.

Whether it was, is or will be so, what exactly it denies, whether one will do or all must, and in
what part a thing stands. Where two claims differ in any of these, they may be one or two: nobody
who only counts words can tell.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from knowwhy.text.claims.claim_words import DENIALS, IRREGULAR
from knowwhy.text.claims.gist import is_light, meaning
from knowwhy.text.claims.terms import is_number, words
from knowwhy.text.patterns import regex

_PLACING_WORDS = """
from to before after over than instead by of in on at into onto for with per between among across
through within via around behind beside under against during until since without like as
"""
_PLACING = frozenset(_PLACING_WORDS.split())
_WHERE = frozenset(("in", "at", "on", "during"))  # what these hold may stand anywhere
_BE_WORDS = """
is are was were be been being get gets got am
"""
_BE = frozenset(_BE_WORDS.split())
_OPEN_WORDS = """
will would could might shall should must may can their they he she his her
"""
_OPEN = frozenset(_OPEN_WORDS.split())  # in both or in neither: "we would use" is no "we use"
# What was decided holds: "we chose Redis" says what "we use Redis" says.
_DECIDED_WORDS = """
decided chose chosen picked selected adopted agreed settled switched moved migrated preferred
"""
_DECIDED = frozenset(_DECIDED_WORDS.split())
_PAST = frozenset(past for past, plain in IRREGULAR.items() if past != plain)
_NAMING_WORDS = """
team squad crew new primary main general project product time value data
"""
_NAMING = frozenset(meaning(word) for word in _NAMING_WORDS.split())  # "the main one" is not "it"
_WHOLE = frozenset(("always", "only", "just", "really", "quite"))  # "not always" is not "never"
_REACH = 4  # words between a form of "be" and its participle: "is not yet really used"
_BITS = regex(r"\d\s{0,2}[KMGT]i?b\b")  # megabits; written small all over they are bytes


@dataclass(frozen=True, slots=True)
class Nuance:
    """What of a claim its words alone do not tell."""

    flags: frozenset[str]
    denied: tuple[str, ...]  # what stands behind each denial
    held: frozenset[tuple[str, str]]  # each thing with the preposition that holds it
    naming: tuple[str, ...]  # words that make another thing of the one they stand beside
    is_fronted: bool  # it begins with when, where or what for

    @property
    def placed(self) -> frozenset[tuple[str, str]]:
        """What says where and when, and may stand anywhere."""
        return frozenset(both for both in self.held if both[1] in _WHERE)

    @property
    def owners(self) -> list[str]:
        """What something is of."""
        return sorted(thing for thing, holding in self.held if holding == "of")


def nuance(text: str) -> Nuance:
    """Reads what of a claim its words alone do not tell."""
    found = words(text)
    return Nuance(
        frozenset(_flags(text, found)),
        tuple(sorted(_denied(found))),
        frozenset(_held(found)),
        tuple(sorted(said for word in found if (said := meaning(word)) in _NAMING)),
        bool(found) and found[0] in _PLACING,
    )


def agree(one: Nuance, other: Nuance) -> bool:
    """Tells whether two claims with the same words agree in all that these do not tell."""
    if one.flags != other.flags or one.naming != other.naming:
        return False
    if len(one.denied) == len(other.denied) and one.denied != other.denied:
        return False
    mine, theirs = _by_thing(one), _by_thing(other)
    return all(mine[thing] & theirs[thing] for thing in mine.keys() & theirs.keys())


def _flags(text: str, found: Sequence[str]) -> Iterator[str]:
    yield from _OPEN.intersection(found)
    if "or" in found:
        yield "either"
    if text.rstrip().endswith("?"):
        yield "asked"
    if _BITS.search(text):
        yield "bits"
    if any(_is_past(found, place) for place in range(len(found))):
        yield "past"


def is_done(found: Sequence[str], place: int) -> bool:
    """Tells whether a word says what is done to something: "kept", in "is kept"."""
    word = found[place]
    is_participle = word.endswith("ed") or word in _PAST
    return is_participle and bool(_BE.intersection(found[max(0, place - _REACH) : place]))


def place_of_is(found: Sequence[str]) -> int | None:
    """Gives where two things are said to be one: of "Bento is our provider" the 1."""
    places = [place for place, word in enumerate(found) if word in _BE]
    if len(places) != 1 or places[0] + 1 >= len(found) or found[places[0] + 1] in _PLACING:
        return None
    return places[0]


def _is_past(found: Sequence[str], place: int) -> bool:
    """Tells whether a word says that something was so: "used", but not in "is used"."""
    word = found[place]
    if word in ("was", "were", "had"):
        return True
    if word in _DECIDED or not (word.endswith("ed") or word in _PAST):
        return False
    before = found[max(0, place - _REACH) : place]
    is_first = not any(not is_light(other) for other in before)  # "Kept in S3", "the managed one"
    return not is_first and not _BE.intersection(before)


def _denied(found: Sequence[str]) -> Iterator[str]:
    """Gives the first word behind each denial that says what of a claim is denied."""
    behind = ""
    for word in reversed(found):
        if word in DENIALS:
            yield meaning(behind)
        if word in _WHOLE or not is_light(word):
            behind = word


def _held(found: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Gives each thing that a preposition holds, and that preposition."""
    holding: str | None = None
    for word in found:
        if word in _PLACING:
            holding = word
        elif holding and not is_light(word):
            if not is_number(word):
                yield meaning(word), holding
            holding = None


def _by_thing(one: Nuance) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for thing, holding in one.held:
        found.setdefault(thing, set()).add(holding)
    return found
