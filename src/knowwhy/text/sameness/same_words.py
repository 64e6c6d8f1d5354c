"""The words of a claim as one short name, by which the same words are found again."""

import hashlib
import unicodedata

from knowwhy.text.claims.terms import clean
from knowwhy.text.patterns import regex

_WORD = regex(r"\w+")
DIGITS = 32  # hexadecimal; 128 bits do not meet by chance


def words_hash(subject: str | None, content: str) -> str:
    """Gives claims that differ in case, spacing and punctuation only the same name."""
    told = unicodedata.normalize("NFKC", clean(f"{subject or ''} {content}")).casefold()
    words = " ".join(_WORD.findall(told)) or told.strip()
    return hashlib.sha256(words.encode("utf-8", "replace")).hexdigest()[:DIGITS]
