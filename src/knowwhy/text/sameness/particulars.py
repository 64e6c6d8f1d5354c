"""What makes two claims of two texts that have the same words.

A particle that turns a verb round, when something was, is or would be so, whether "few" are few,
what comes first of two steps, each letter of what is named in code or written large, and signs.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from knowwhy.text.claims.claim_words import DENIALS, IRREGULAR
from knowwhy.text.claims.gist import MARKS, is_light, meaning
from knowwhy.text.claims.terms import root, words
from knowwhy.text.patterns import regex
from knowwhy.text.sameness.capitals import other_capitals
from knowwhy.text.sameness.identifiers import other_identifiers
from knowwhy.text.sameness.signs import other_signs
from knowwhy.text.tokens import stem

Particular = tuple[str, str]  # what is put in one of several ways, and the way

PAST, WOULD, NOW, DONE, BARE = "past", "would", "now", "done", "bare"
# "we keep", "is kept" and "secrets kept in S3" agree, but "kept" alone may be past too.
_FIT = {frozenset((NOW, DONE)), frozenset((BARE, DONE)), frozenset((PAST, BARE))}
_REACH = 4  # words between what helps a verb and the verb: "is not yet really used"

_ROUND_WORDS = """
in out; into out; on off; onto off; up down; to from; until from
"""
_ROUND = [tuple(pair.split()) for pair in _ROUND_WORDS.split(";")]
_HELPERS = {
    "was": ("be", PAST), "were": ("be", PAST), "is": ("be", NOW), "are": ("be", NOW),
    "am": ("be", NOW), "had": ("have", PAST), "have": ("have", NOW), "has": ("have", NOW),
    "did": ("do", PAST), "do": ("do", NOW), "does": ("do", NOW),
}  # fmt: skip
_OPEN_WORDS = """
will would shall should must may might can could to be been being get gets got having
"""
_HELPING = frozenset(_HELPERS) | frozenset(_OPEN_WORDS.split())
_POLITE = frozenset(root(word) for word in ("prefer", "like", "love", "want", "suggest"))
_DETERMINER_WORDS = """
a an the this that these those its their his her our my your every each all any no
"""
_DETERMINERS = frozenset(_DETERMINER_WORDS.split())
_STOP_WORDS = """
we i they he she you which who that because when while if since so but than as by with for from
"""
_STOPS = frozenset(_STOP_WORDS.split()) | frozenset(".;:?!()→")
_AFTER_BARE_WORDS = """
by in on at to from for with into onto as of via over per until since after before
"""
_AFTER_BARE = frozenset(_AFTER_BARE_WORDS.split()) | MARKS
_PARTICIPLES_WORDS = """
written chosen taken given gone begun rewritten seen
"""
_PARTICIPLES = frozenset(_PARTICIPLES_WORDS.split())
_PASTS = frozenset(past for past, plain in IRREGULAR.items() if past != plain)
_NO_PASTS = frozenset(("embed", "imbed", "hundred", "biased"))
_ADVERBS = frozenset(("yet", "ever", "often", "soon", "no", "longer", "and", "or", "once"))
_SCARCE = frozenset(("few", "little"))
_STEPS = frozenset(("then", "afterwards"))
_CONDITIONS = frozenset(("if", "when", "once", "after", "before", "first", "unless", "whenever"))
_WOULD, _WILL = regex(r"(?<=\w)['’]d\b", re.I), regex(r"(?<=\w)['’]ll\b", re.I)


def differ(a: str, b: str) -> bool:
    """Tells whether two texts are two claims, though all their telling words may be the same."""
    if a == b:
        return False
    one, other = _spoken(a), _spoken(b)
    if _turned(one, other) or _reversed(one, other) or _reversed(other, one):
        return True
    if _put_otherwise(one, other) or other_identifiers(a, b):
        return True
    return other_signs(a, b) or other_capitals(a, b)


def _spoken(text: str) -> list[str]:
    return words(_WILL.sub(" will", _WOULD.sub(" would", text)))


def _turned(one: Sequence[str], other: Sequence[str]) -> bool:
    """Tells whether one has a particle where the other has its opposite: "sign in", "sign out"."""
    mine, theirs = Counter(one) - Counter(other), Counter(other) - Counter(one)
    return any((a in mine and b in theirs) or (b in mine and a in theirs) for a, b in _ROUND)


def _put_otherwise(one: Sequence[str], other: Sequence[str]) -> bool:
    """Tells whether one thing is put in two ways that do not fit: "used" and "use"."""
    mine, theirs = Counter(_particulars(one)), Counter(_particulars(other))
    left: dict[str, set[str]] = defaultdict(set)
    for thing, way in theirs - mine:
        left[thing].add(way)
    return any(
        frozenset((way, another)) not in _FIT
        for thing, way in mine - theirs
        for another in left.get(thing, ())
    )


def _particulars(found: Sequence[str]) -> Iterator[Particular]:
    for place, word in enumerate(found):
        if word in _HELPERS:
            yield _HELPERS[word]
        elif word == "be" and _helper(found, place) == "would":
            yield "be", WOULD
        elif word in _SCARCE:
            yield from _scarce(found, place)
        elif word.isalpha() and not is_light(word) and (way := _way(found, place)):
            yield meaning(word), way


def _scarce(found: Sequence[str], place: int) -> Iterator[Particular]:
    """Tells "few" from "a few"; "the few" is either."""
    before = found[place - 1] if place else ""
    if before == "a" or before not in _DETERMINERS:
        yield found[place], "some" if before == "a" else "hardly any"


def _way(found: Sequence[str], place: int) -> str | None:
    """Tells when a verb says that something is so, as far as its form and its helper tell."""
    word, helper = found[place], _helper(found, place)
    if _is_past_form(word):
        return _way_of_past_form(found, place, helper)
    if helper in ("was", "were", "did"):
        return PAST
    if helper == "would":
        return None if root(word) in _POLITE else WOULD
    if helper == "to":
        return PAST if _is_used_to(found, place) else None
    if word.endswith("ing") and helper is None:
        return None
    return NOW if helper is None or helper in _HELPERS else None


def _way_of_past_form(found: Sequence[str], place: int, helper: str | None) -> str | None:
    if helper in ("was", "were", "had"):
        return PAST
    if helper in ("is", "are", "am"):
        return DONE
    is_told = helper is None and found[place] not in _PARTICIPLES
    if not is_told or place == 0 or found[place - 1] in _DETERMINERS | MARKS:
        return None  # "has used", "the managed one", "Kept in S3"
    after = found[place + 1] if place + 1 < len(found) else "."
    if after == "by":
        return None
    return BARE if after in _AFTER_BARE else PAST


def _helper(found: Sequence[str], place: int) -> str | None:
    """Gives the word that helps a verb: of "would not have used" the "would"."""
    helper: str | None = None
    for word in reversed(found[max(0, place - _REACH) : place]):
        if word in _STOPS:
            break
        if word in _HELPING:
            helper = word
        elif word not in DENIALS and (helper is not None or not _may_stand_between(word)):
            break
    return helper


def _may_stand_between(word: str) -> bool:
    """Tells whether a word parts no verb from its helper: "is not yet kept and really used"."""
    return is_light(word) or word in _ADVERBS or word.endswith("ly") or _is_past_form(word)


def _is_used_to(found: Sequence[str], place: int) -> bool:
    """Tells "used to deploy" from "is used to deploy"."""
    to = next(i for i in range(place - 1, -1, -1) if found[i] == "to")
    if to < 2 or found[to - 1] != "used":
        return False
    return _helper(found, to - 1) is None


def _is_past_form(word: str) -> bool:
    return word in _PASTS or (word.endswith("ed") and word not in _NO_PASTS and stem(word) != word)


def _reversed(one: Sequence[str], other: Sequence[str]) -> bool:
    """Tells whether what one does first and then stands in the other the other way round."""
    place = next((i for i, word in enumerate(one) if word in _STEPS), None)
    if place is None or not _CONDITIONS.isdisjoint((*one, *other)):
        return False
    places = {meaning(word): i for i, word in enumerate(other) if not is_light(word)}
    first, second = _told(one[:place]), _told(one[place:])
    before = [places[word] for word in first - second if word in places]
    after = [places[word] for word in second - first if word in places]
    return bool(before and after) and max(after) < min(before)


def _told(found: Sequence[str]) -> set[str]:
    return {meaning(word) for word in found if not is_light(word)}
