"""What a claim says without its fillers, and whether each of its clauses denies it."""

from collections.abc import Sequence
from itertools import pairwise

from knowwhy.text.claims.claim_words import DENIALS, LIGHT, OPPOSITES
from knowwhy.text.claims.terms import root
from knowwhy.text.tokens import stem

MARKS = frozenset(".;:?!,()=→")
_CLAUSES = frozenset((".", ";", "and", "but", "or", "?", "!"))
_SWAPS = {stem(low): stem(of) for low, of in OPPOSITES.items()} | OPPOSITES
_EMPTY_AFTER_DENIAL = frozenset(("ever", "any", "more", "longer"))


def content(found: Sequence[str]) -> list[str]:
    """Returns what the words say, without fillers and without what denies."""
    said = []
    for before, word in pairwise(("", *found)):
        if is_light(word) or word in DENIALS:
            continue
        if word in _EMPTY_AFTER_DENIAL and before in DENIALS:
            continue
        said.append(meaning(word))
    return said


def denied(found: Sequence[str]) -> list[bool]:
    """Returns, for each clause that says something, whether it denies."""
    clauses: list[bool] = []
    denies, says = False, False
    for word in (*found, "."):
        if word in _CLAUSES:
            clauses += [denies] if says else []
            denies, says = False, False
            continue
        if word in DENIALS or word in OPPOSITES or stem(word) in _SWAPS:
            denies = not denies
        says = says or not is_light(word)
    return clauses


def is_light(word: str) -> bool:
    """Tells whether a word says nothing alone."""
    return word in LIGHT or word in MARKS


def meaning(word: str) -> str:
    """Returns the root of a word; of one that denies another, that other's."""
    opposite = OPPOSITES.get(word) or _SWAPS.get(stem(word))
    return root(opposite) if opposite else root(word)
