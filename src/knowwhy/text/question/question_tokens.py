"""A question cut into words and the things that it names, without what says nothing."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import takewhile

from knowwhy.text.patterns import regex
from knowwhy.text.question.question_times import Time, time_at
from knowwhy.text.times import MONTHS
from knowwhy.types import Between

TIME_TOKENS = 9  # words; "the beginning of the second quarter of 2023" has eight
MAX_TOKENS = 90  # words and marks; the longest relational question met has 40

_TOKEN = regex(r"\d{4}-\d\d-\d\d|[^\W\d_][\w-]*(?=n['’]t\b)|n['’]t\b|['’]s?\b|\w[\w-]*|[?:;.!,—–]")
_MARKS = "\"'`“”‘’«»*_"

# What may stand anywhere and changes nothing, longest first.
_FILLERS = """
in their own text|in its own text|in their text|in its text|in the text|in their headers
in its headers|in their header|in its header|in the header|in their references|in its references
in their body|in the body|in its body|in the corpus|in the repository|in the repo|in the codebase
in the code base|in the code|in this project|in the project|in our system|in the system
do we have|have we had|did we have|are there|that we have|that we had|that exist|that there are
do you know|can you|could you|i want to know|i would like to know|i need|please|also|currently|now
today|ever|already|eventually|explicitly|actually|formally|officially|either|all of|each of|any of
by name|at all|so far|in turn|as well|too|exactly|then|later on|itself|themselves|do we know
i ' d like to see|i ' d like to know|i would like to see|i want to see|i want to know
at present|at the moment|these days|still
go on to|goes on to|went on to|come to|happen to|help to|is there|was there|were there|anywhere
"""
_HOPS = """
directly or through at most one intermediate=2|directly or through one intermediate=2
directly or via one intermediate=2|directly or by way of one other=2|directly or in two steps=2
within two hops=2|in at most two steps=2|in two steps=2|within two steps=2|up to two hops=2
directly or through one other=2|directly or via one other=2|in up to two steps=2
directly or through at most two intermediate=3|directly or through two intermediate=3
directly or via two intermediate=3|within three hops=3|in at most three steps=3|within three steps=3
directly or via another=2|directly or through another=2|directly or by way of another=2
directly or transitively=0|directly or indirectly=0|directly and indirectly=0
directly and transitively=0|transitively or directly=0|indirectly or directly=0|transitively=0
indirectly=0|recursively=0|at any depth=0|at any distance=0|at any level=0|through any chain=0
in any number of steps=0|all the way down=0|directly=1
"""
_BEFORE_IS = frozenset(("what", "who", "which", "that", "it", "there", "here", "where", "how"))
_AFTER_HOPS = frozenset(("module", "record", "document", "step", "hop", "file", "one", "service"))


@dataclass(frozen=True, slots=True)
class Named:
    """A thing of the graph that a question names, and where; several nodes when it is unclear."""

    start: int
    end: int
    nodes: tuple[str, ...]
    type: str  # record, person, team or service


@dataclass(frozen=True, slots=True)
class Token:
    """A word in lower case, a mark, or a thing with its place in the text."""

    low: str
    raw: str
    named: Named | None = None


def cut(text: str, named: Sequence[Named]) -> list[Token]:
    """Return the tokens of a question in order; a thing is one token."""
    found: list[Token] = []
    at = 0
    for thing in sorted(named, key=lambda n: n.start):
        if thing.start < at:
            continue
        found += _words(text[at : thing.start])
        found.append(Token("", text[thing.start : thing.end], thing))
        at = thing.end
    return found + list(_words(text[at:]))


def _words(text: str) -> Iterator[Token]:
    for match in _TOKEN.finditer(text):
        word = match[0].strip("_")
        if word:
            yield Token(word.lower().replace("’", "'"), word)


def _phrases(lines: str) -> list[tuple[str, ...]]:
    return sorted((tuple(p.split()) for p in re.split(r"[|\n]", lines) if p), key=len, reverse=True)


def _by_first(phrases: list[tuple[str, ...]]) -> dict[str, list[tuple[str, ...]]]:
    table: dict[str, list[tuple[str, ...]]] = {}
    for phrase in phrases:
        table.setdefault(phrase[0], []).append(phrase)
    return table


_FILLER_TABLE = _by_first(_phrases(_FILLERS))
_HOP_OF = {
    tuple(phrase.split()): int(hops) or None
    for phrase, hops in (p.split("=") for p in re.split(r"[|\n]", _HOPS) if p)
}
_HOP_TABLE = _by_first(sorted(_HOP_OF, key=len, reverse=True))


def _found(table: dict[str, list[tuple[str, ...]]], lows: list[str], at: int) -> tuple[str, ...]:
    phrases = table.get(lows[at], [])
    return next((p for p in phrases if tuple(lows[at : at + len(p)]) == p), ())


def plain(tokens: list[Token]) -> tuple[list[Token], int | None]:
    """Return the tokens that say something, and through how many steps they ask; 1 unless said."""
    tokens = list(_spelt_out(tokens))
    lows = [token.low for token in tokens]
    kept: list[Token] = []
    hops: int | None = 1
    at = 0
    while at < len(tokens):
        if phrase := _found(_HOP_TABLE, lows, at):
            hops = _HOP_OF[phrase]
            at += len(phrase)
            if kept and kept[-1].low == ",":
                kept.pop()
                at += lows[at : at + 1] == [","]
            at += (
                at < len(tokens)
                and lows[at].rstrip("s") in _AFTER_HOPS
                and phrase[-1] != "directly"
            )
        elif phrase := _found(_FILLER_TABLE, lows, at):
            at += len(phrase)
        else:
            kept.append(tokens[at])
            at += 1
    return kept, hops


def _spelt_out(tokens: list[Token]) -> Iterator[Token]:
    """Yield tokens with "what is" for "what's"."""
    before = ""
    for token in tokens:
        is_verb = token.low == "'s" and before in _BEFORE_IS
        yield Token("is", "is") if is_verb else token
        before = token.low


def month_of(word: str) -> int | None:
    """Return the number of a month by its name, of which May is written with a capital."""
    is_month = word[:1].isupper() and word[:3].lower() in MONTHS
    whole = {"may", "june", "july", "sept"}
    is_name = len(word) > 4 or len(word) == 3 or word.lower() in whole
    return MONTHS.index(word[:3].lower()) + 1 if is_month and is_name else None


def span_at(tokens: Sequence[Token], at: int, today: date | None) -> tuple[Between, int] | None:
    """Return the time that stands at a place, as a span, and where it ends."""
    if found := time_of_tokens(tokens, at, today):
        return found[0].span, found[1]
    return None


def time_of_tokens(tokens: Sequence[Token], at: int, today: date | None) -> tuple[Time, int] | None:
    """Return the time that stands at a place, and the place after it."""
    some = list(takewhile(lambda token: token.named is None, tokens[at : at + TIME_TOKENS]))
    found = time_at(" ".join(token.raw for token in some), today)
    if found is None:
        return None
    length = -1
    for number, token in enumerate(some, 1):
        length += 1 + len(token.raw)
        if length >= found.end:
            return (found, at + number) if length == found.end else None
    return None
