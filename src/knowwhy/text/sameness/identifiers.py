"""Which words of a text are names of code and paths, and whether two texts name two alike."""

from collections import defaultdict
from collections.abc import Iterator

from knowwhy.text.claims.terms import clean, root
from knowwhy.text.known_names import KNOWN
from knowwhy.text.patterns import regex

_WORD = regex(r"/?\w{1,64}(?:[./:@-]{1,3}\w{1,64}){0,15}")
_CAMEL = regex(r"[a-z\d][A-Z]")
_BRAND_WORDS = """
ios ipados macos tvos watchos ebay iphone ipad imac ipod
"""
_BRANDS = frozenset(_BRAND_WORDS.split())
_SHORTEST = 4  # letters of a name in camel case; "kB" and "mAh" are units


def other_identifiers(a: str, b: str) -> bool:
    """Tells whether two texts name two things in code that differ in a letter or its case only."""
    mine, theirs = set(_WORD.findall(clean(a))), set(_WORD.findall(clean(b)))
    return any(_are_two(*pair) for pair in _alike(mine - theirs, theirs - mine))


def _alike(words: set[str], others: set[str]) -> Iterator[tuple[str, str]]:
    """Gives the pairs that are read as the same when their case and their endings are not."""
    by_form: dict[str, set[str]] = defaultdict(set)
    for other in others:
        by_form[root(other.casefold())].add(other)
    return ((word, other) for word in words for other in by_form[root(word.casefold())])


def _are_two(word: str, other: str) -> bool:
    """Tells whether two spellings are two names: "getUser" and "getUsers", not "GitHub", "github".

    Of a product and of an abbreviation the case says nothing; where a sentence begins, neither
    does that of a first letter.
    """
    if _is_brand(word) or _is_brand(other):
        return False
    if "/" in word and "/" in other:
        return not _is_shouted(word, other) and word[1:] != other[1:]
    if "_" in word and "_" in other:
        return word[1:] != other[1:]
    if _is_code(word) or _is_code(other):
        return True
    return _is_camel(word) and _is_camel(other)


def _is_brand(word: str) -> bool:
    low = word.casefold()
    return low in _BRANDS or low in KNOWN


def _is_shouted(word: str, other: str) -> bool:
    """Tells whether two differ as "CI/CD" and "ci/cd" do."""
    return word[0] != "/" and (word.isupper(), other.isupper()) != (False, False)


def _is_camel(word: str) -> bool:
    return len(word) >= _SHORTEST and word[0].isalpha() and _CAMEL.search(word) is not None


def _is_code(word: str) -> bool:
    """Tells "getUser" and "db1A", which no sentence capitalises, from "GitHub"."""
    return word[0].islower() and _is_camel(word)
