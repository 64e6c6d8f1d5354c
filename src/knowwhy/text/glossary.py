"""What a corpus itself says that its abbreviations and other names mean."""

import re
from collections.abc import Iterator

from knowwhy.text.patterns import regex

MAX_WORDS = 8  # words of a long form; the longest abbreviation looked for has as many letters
MAX_NAME = 60  # characters of a name that another one stands for

_ASIDE = regex(r"(?<=\w[ \n])\(([A-Za-z][^()\n]{1,80})\)")
_ABBREVIATION = regex(r"[A-Z][A-Za-z0-9&/-]{1,7}")
_ENTRY = regex(
    r"^[ \t]{0,4}(?:[-*+|>#]{1,6}[ \t]{0,3})?[*_`]{0,3}([A-Z][A-Za-z0-9&/-]{1,7})[*_`]{0,3}"
    r"[ \t]{0,4}[:|–—-]{1,2}[*_`]{0,3}[ \t]{1,4}([^\n|.;]{4,120})",
    re.MULTILINE,
)
_ALIAS = regex(
    r"^(?:a\.?k\.?a\.?|also known as|also called|also|formerly|formerly known as|previously"
    r"|or simply|in short|short for|short)[ ,:]{1,3}[\"'“`]?([\w][\w .+/-]{1,58}[\w+])[\"'”`]?$",
    re.IGNORECASE,
)
_WORD = regex(r"[^\W_]+")
_LAST_WORDS = regex(r"[^\n.;:!?()|]{1,120}$")
_SMALL = frozenset(("of", "and", "the", "for", "in", "on", "to", "a", "an", "with", "by", "at"))
REACH = 130  # characters before an aside in which its long form stands


def definitions(text: str) -> Iterator[tuple[str, str]]:
    """Yield each short or other name that a text explains, with what it stands for."""
    for match in _ASIDE.finditer(text):
        inside = match[1].strip()
        before = _LAST_WORDS.search(text, max(0, match.start() - REACH), match.start())
        if before is None:
            continue
        if alias := _ALIAS.match(inside):
            yield from _renamed(alias[1], before[0])
        elif _ABBREVIATION.fullmatch(inside):
            long = _ending_as(inside, before[0])
            yield from [(inside, long)] if long else []
        else:
            yield from _spelt_out(before[0], inside)
    for match in _ENTRY.finditer(text):
        yield from _spelt_out(match[1], match[2])


def _spelt_out(before: str, inside: str) -> Iterator[tuple[str, str]]:
    """Yield "FAD" with "first-attempt delivery" when the letters agree."""
    short = before.split()[-1] if before.split() else ""
    if _ABBREVIATION.fullmatch(short) and sum(letter.isupper() for letter in short) > 1:
        long = _starting_as(short, inside)
        yield from [(short, long)] if long else []


def _renamed(alias: str, before: str) -> Iterator[tuple[str, str]]:
    """Yield another name with the capitalised name before it."""
    name: list[str] = []
    for word in reversed(before.split()):
        if not word[:1].isupper() and not word[:1].isdigit():
            break
        name.insert(0, word)
    long = " ".join(name).strip("\"'`*_,")
    if 1 < len(long) <= MAX_NAME and long.lower() != alias.lower():
        yield alias, long


def _ending_as(short: str, before: str) -> str | None:
    """Return the last words of a text whose first letters are an abbreviation, or None."""
    spans = list(_WORD.finditer(before))[-MAX_WORDS - 4 :]
    starts = [s for s in range(len(spans)) if _agree(short, [w[0] for w in spans[s:]])]
    return before[spans[starts[-1]].start() :].strip() if starts else None


def _starting_as(short: str, after: str) -> str | None:
    """Return the first words of a text whose first letters are an abbreviation, or None."""
    spans = list(_WORD.finditer(after))[: MAX_WORDS + 4]
    ends = [e for e in range(2, len(spans) + 1) if _agree(short, [w[0] for w in spans[:e]])]
    return after[spans[0].start() : spans[ends[0] - 1].end()].strip() if ends else None


def _agree(short: str, words: list[str]) -> bool:
    """Tell whether an abbreviation is made of the first letters of words, small ones optional."""
    letters = [letter.lower() for letter in short if letter.isalnum()]
    if len(letters) > 2 and letters[-1] == "s" and short[-1] == "s":
        letters = letters[:-1]
    every = [word[0].lower() for word in words]
    large = [word[0].lower() for word in words if word.lower() not in _SMALL]
    is_whole = bool(words) and words[0].lower() not in _SMALL and words[-1].lower() not in _SMALL
    return len(letters) > 1 and is_whole and letters in (every, large)
