"""Whether two texts differ in what is written large in them: names of persons, abbreviations.

Words are compared by their stems, and "Peters" has the stem of "Peter"; in small letters "DO" says
nothing. A text all in capitals, or with a capital at nearly each word, names nothing by them.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from knowwhy.text.claims.claim_words import LIGHT
from knowwhy.text.claims.terms import clean
from knowwhy.text.known_names import KNOWN
from knowwhy.text.patterns import regex
from knowwhy.text.tokens import stem

_WORD = regex(r"(?<![\w./:@-])[^\W\d_]\w{0,63}(?:'s)?(?![./:@-]?\w)")
_NEW_SENTENCE = regex(r"[.!?:\n]")
_LONGEST = 3  # letters of an abbreviation that is a light word when it is written small
_MOST_CAPITAL = 0.5  # of the words inside a sentence; beyond it they are a heading's
_FEWEST = 3  # words inside sentences by which a heading is known
_STRESSED_WORDS = """
and or but the are is was do did has had have on off in out up to for of our my its his her your we
you now per via own
"""
_STRESSED = frozenset(_STRESSED_WORDS.split())  # written large they are mostly only said loudly
_BEFORE_NAME_WORDS = """
a an the this that our my your his her its their of to in on at for from by with into per via
"""
_BEFORE_NAME = frozenset(_BEFORE_NAME_WORDS.split())
_NO_NAMES = frozenset(("the", "our", "my", "its", "his", "her", "your"))


@dataclass(frozen=True, slots=True)
class Word:
    """A word as it is written, without "'s", and whether a sentence begins with it."""

    written: str
    is_first: bool

    @property
    def low(self) -> str:
        """The word in small letters."""
        return self.written.casefold()

    @property
    def is_shouted(self) -> bool:
        """Whether it is written in capitals, as an abbreviation is."""
        return len(self.written) > 1 and self.written.isupper()


def other_capitals(a: str, b: str) -> bool:
    """Tells whether two texts name two by words that are written large and else alike."""
    one, other = list(_words(a)), list(_words(b))
    if _abbreviations(one) != _abbreviations(other) and not (_all_large(one) or _all_large(other)):
        return True
    return _other_names(one, other) or _other_names(other, one) or _other_first(one, other)


def _words(text: str) -> Iterator[Word]:
    plain, end = clean(text), 0
    for found in _WORD.finditer(plain):
        is_first = end == 0 or bool(_NEW_SENTENCE.search(plain, end, found.start()))
        end = found.end()
        yield Word(found[0].removesuffix("'s"), is_first)


def _abbreviations(found: Sequence[Word]) -> Counter[str]:
    """Counts the names in capitals that are light words when they are written small."""
    before = ["", *(word.low for word in found)]
    return Counter(
        word.low
        for last, word in zip(before, found, strict=False)
        if word.is_shouted and word.low in LIGHT and len(word.low) <= _LONGEST
        if word.low not in _STRESSED or (last in _BEFORE_NAME and word.low not in _NO_NAMES)
    )


def _other_names(one: Sequence[Word], other: Sequence[Word]) -> bool:
    """Tells whether a name of one is spelled otherwise in the other: "Peter" and "Peters"."""
    theirs = {word.low for word in other}
    mine = {word.low for word in one}
    names = [word for word in _names(one) if word.low not in theirs]
    if not names:
        return False
    by_stem: dict[str, set[str]] = defaultdict(set)
    for word in other:
        if word.low not in mine:
            by_stem[stem(word.low)].add(word.written)
    return any(
        not _is_plural(name.written, spelled)
        for name in names
        if name.low not in KNOWN
        for spelled in by_stem.get(stem(name.low), ())
    )


def _names(found: Sequence[Word]) -> Iterator[Word]:
    """Yields the words that are written large although no sentence begins with them."""
    inside = [word for word in found if not word.is_first and word.low not in LIGHT]
    large = [word for word in inside if word.written[0].isupper()]
    is_heading = len(inside) >= _FEWEST and len(large) > _MOST_CAPITAL * len(inside)
    if _all_large(found):
        return
    yield from (word for word in large if word.is_shouted or not is_heading)


def _is_plural(one: str, other: str) -> bool:
    """Tells whether two are an abbreviation and its plural: "API" and "APIs"."""
    short, long = sorted((one, other), key=len)
    is_short = short.isupper() or (short.islower() and long[:-1].isupper())
    return is_short and not long.isupper() and long.casefold() == f"{short.casefold()}s"


def _other_first(one: Sequence[Word], other: Sequence[Word]) -> bool:
    """Tells "Peter owns" from "Peters owns": with a plural the verb would be another, too."""
    mine, theirs = _beginnings(one), _beginnings(other)
    return any(
        {first, another} == {short, f"{short}s"}
        for then in mine.keys() & theirs.keys()
        for first in mine[then] - theirs[then]
        for another in theirs[then] - mine[then]
        for short in (min(first, another, key=len),)
    )


def _beginnings(found: Sequence[Word]) -> dict[str, set[str]]:
    """Gives the words with which sentences begin, by the verb of one that follows."""
    by_next: dict[str, set[str]] = defaultdict(set)
    for word, then in pairwise(found):
        if word.is_first and then.low.endswith("s") and not then.is_first:
            by_next[then.low].add(word.low)
    return by_next


def _all_large(found: Sequence[Word]) -> bool:
    return all(word.written.isupper() for word in found)
