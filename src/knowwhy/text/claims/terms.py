"""The words of a claim in one form: stems, canonical names and numbers with their units."""

import re
import unicodedata
from collections.abc import Iterator

from knowwhy.text.claims.claim_words import IRREGULAR, SYNONYMS
from knowwhy.text.known_names import COMMON_WORDS, KNOWN
from knowwhy.text.patterns import regex
from knowwhy.text.quantities import canonical_numbers
from knowwhy.text.tokens import stem

_PRODUCTS = {
    name: meaning[0].replace(" ", "_")
    for name, meaning in KNOWN.items()
    if meaning[1] in ("dependency", "framework")
}
_LONGEST_PRODUCT = 3  # words; of what is looked up as one name
_INVISIBLE = regex("[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f"
                        "\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]")  # fmt: skip
_ALIKE = str.maketrans(
    "АВЕКМНОРСТХУІЈЅаеорсухіјѕԁԛԝΑΒΕΖΗΙΚΜΝΟΡΤΥΧο", "ABEKMHOPCTXYIJSaeopcyxijsdqwABEZHIKMNOPTYXo"
)
_MIXED = regex(r"(?=\w{0,64}[A-Za-z])\w{0,64}[\u0370-\u03ff\u0400-\u052f]\w{0,64}")
_CONTRACTIONS = (
    (regex(r"\bcan't\b|\bcannot\b"), "can not"),
    (regex(r"\bwon't\b"), "will not"),
    (regex(r"n't\b"), " not"),
    (regex(r"\b(it|he|she|that|there|this|what)'s\b"), r"\1 is"),
    (regex(r"'(?:re|m)\b"), " are"),
    (regex(r"'(?:ve|ll|d)\b"), " have"),
    (regex(r"'s\b|(?<=s)'(?!\w)"), ""),
)
# A word that is written letter by letter: "m i g h t", "p-e-r-h-a-p-s".
_SPELLED_OUT = regex(r"(?<![\w.'-])[A-Za-z]([ .*_-]{1,2})[A-Za-z](?:\1[A-Za-z]){2,20}(?![\w'])")
# Names in capitals that are pronouns when they are not: "the US team", "IT owns the laptops".
_ABBREVIATED = regex(r"(?<![\w./:@-])(?:HE|IT|ME|US|WHO)(?![./:@$-]?\w)")
_SMALL = regex(r"[a-z]{2}")
_ARROWS = regex(r"(?:--?|=)>|[⇒⟶➔➜]")
_AND = regex(r"(?<=\w) & (?=\w)")
_COMPARED = regex(r"(>=|<=|!=|==|[<>≥≤≠])(?=\s{0,2}[\w$€£#.-])")
_COMPARISONS = {">=": "≥", "<=": "≤", "!=": "≠", "==": "="}
_TERM = regex(
    r"\#(?:t\d\d:\d\d|\d{4}-\d\d-\d\d|[\d.]{1,20}(?:e[+-]\d{1,3})?(?:month|[a-z]{1,9}|%)?)"
    r"|[^\W_][\w+#]{0,63}(?:[./:@-]\w{1,64}){0,15}[+#]{0,2}"
    r"|[.;:?!,()=→<>≥≤≠]"
)


def clean(text: str) -> str:
    """Writes a text without invisible characters, look-alike letters and curly quotes."""
    if text.isascii():
        return text
    plain = _INVISIBLE.sub("", unicodedata.normalize("NFKC", text))
    plain = _MIXED.sub(lambda found: found[0].translate(_ALIKE), plain)
    return plain.replace("’", "'").replace("‘", "'").replace("ʼ", "'")


def undisguised(text: str) -> str:
    """Writes a text clean and without gaps in its words, as its writer may have meant to be read.

    No two texts are compared by it: "a b c d" may be four things.
    """
    return _SPELLED_OUT.sub(lambda found: found[0].replace(found[1], ""), clean(text))


def words(text: str) -> list[str]:
    """Returns the words and marks of a text in order, in lower case, numbers and names in one form.

    A number begins with `#`; a product's other spellings give its canonical name.
    """
    plain = clean(text)
    common = {word.lower() for word in re.findall(r"\b[A-Z]\w*", plain)} & COMMON_WORDS
    return list(_named(_TERM.findall(_canonical(plain)), common))


def between(text: str) -> list[tuple[str, str]]:
    """Returns each word and mark with what stands before it and is neither; last what is left."""
    low, start = _canonical(clean(text)), 0
    found: list[tuple[str, str]] = []
    for term in _TERM.finditer(low):
        found.append((low[start : term.start()], term[0]))
        start = term.end()
    return [*found, (low[start:], "")]


def _canonical(plain: str) -> str:
    """Writes a text in lower case with its contractions, arrows, comparisons and numbers one way.

    A pronoun in capitals is a name, unless all of the text is in capitals: it ends in "_".
    """
    if _SMALL.search(plain):
        plain = _ABBREVIATED.sub(lambda found: f"{found[0]}_", plain)
    low = plain.lower()
    for pattern, replacement in _CONTRACTIONS:
        low = pattern.sub(replacement, low)
    low = _AND.sub(" and ", _ARROWS.sub(" → ", low))
    low = _COMPARED.sub(lambda found: f" {_COMPARISONS.get(found[1], found[1])} ", low)
    return canonical_numbers(low)


def root(word: str) -> str:
    """Returns what a word shares with its inflections, spellings and synonyms."""
    if word in _ROOTS:
        return _ROOTS[word]
    if not word.isalpha():
        return word
    plain = IRREGULAR.get(word, word)
    for other in (plain, stem(plain)):
        if other in _ROOTS:
            return _ROOTS[other]
    return stem(plain)


def is_number(word: str) -> bool:
    """Tells whether a word is a number, an amount or a date."""
    return word[0] == "#"


def is_product(word: str) -> bool:
    """Tells whether a canonical word is the name of a known product."""
    return word in _CANONICAL


def _named(found: list[str], common: set[str]) -> Iterator[str]:
    place = 0
    while place < len(found):
        length, name = _product(found, place, common)
        yield name
        place += length


def _product(found: list[str], place: int, common: set[str]) -> tuple[int, str]:
    for length in range(_LONGEST_PRODUCT, 0, -1):
        spelled = " ".join(found[place : place + length])
        if spelled in _PRODUCTS and (spelled not in COMMON_WORDS or spelled in common):
            return length, _PRODUCTS[spelled]
    return 1, found[place]


_ROOTS = {stem(word): stem(of) for word, of in SYNONYMS.items() if word.isalpha()}
_ROOTS |= {word: stem(of) for word, of in SYNONYMS.items()}
_CANONICAL = frozenset(_PRODUCTS.values())
