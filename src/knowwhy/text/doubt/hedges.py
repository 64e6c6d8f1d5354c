"""Words by which a text doubts what it says."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from knowwhy.text.doubt.hedge_clauses import describes, is_attribute
from knowwhy.text.doubt.hedge_frames import BELIEVED_ONCE, GUESSES, RESERVES
from knowwhy.text.doubt.hedge_german import GERMAN_STRONG, GERMAN_WEAK
from knowwhy.text.doubt.hedge_quotes import own_words
from knowwhy.text.doubt.hedge_reasons import Beside, beside
from knowwhy.text.doubt.hedge_words import STRONG, WEAK, is_unreal_may
from knowwhy.text.patterns import regex

NEAR = 48  # characters before a word in which what undoes it may stand: five or six words


@dataclass(frozen=True, slots=True)
class Hedge:
    """A word of doubt, and where it stands."""

    text: str
    start: int
    end: int
    strong: bool  # it makes the claim a speculation, however firmly the rest is put


_APOSTROPHE = str.maketrans("’‘", "''")

# A word that is part of a name, a path or an identifier is no word of doubt.
_OPEN, _SHUT = r"(?<![\w./@#$-])", r"(?![\w/@-]|[.][\w])"
_BLANKS = r"\s{1,3}"  # between the words of a phrase: a line may end there


# How phrases are also written: "wouldnt", "kinda"; what looks behind for them has a fixed width.
_SHORTENED = (
    (re.compile(r"(?<!<!)n't"), "n'?t"),
    (re.compile(r"\b(kind|sort) of\b"), r"(?:\1 of|\1a)"),
)


def _any_of(phrases: Iterable[str]) -> re.Pattern[str]:
    written = f"(?:{'|'.join(phrases)})"
    for as_written, also in _SHORTENED:
        written = as_written.sub(also, written)
    return regex(_OPEN + written.replace(" ", _BLANKS) + _SHUT, re.I)


_STRONG = _any_of((*STRONG, *GUESSES, *GERMAN_STRONG))
_WEAK = _any_of((*WEAK, *RESERVES, *GERMAN_WEAK))
_ONCE = _any_of((BELIEVED_ONCE,))
_MAY = regex(_OPEN + r"may" + _SHUT, re.I)

_DENIED = regex(r"\b(?:no|not|not an?|isn't an?|wasn't an?|never an?|without)\s{1,3}$", re.I)
_CANNOT = regex(r"\b(?:not|cannot|can't|couldn't|won't|never)\s{1,3}$", re.I)
_DENIABLE = regex(r"(?:an? |just an? |educated |wild )*(?:guess|maybe|perhaps)\b", re.I)
_ACTED_ON = regex(
    r"\b(?:because|since|as|when|while|originally|initially|first|once|back then|at the time)\b"
    r"[^.;!?]*$",
    re.I,
)
_PURPOSE = regex(r"\bso(?: that)?\s(?:[\w'-]{1,20}\s){1,4}$", re.I)


def hedges(text: str) -> list[Hedge]:
    """Finds the words of doubt in a text, but not in what it quotes or shows as code."""
    read = own_words(text.translate(_APOSTROPHE))
    found = [
        *_found(_STRONG, read, strong=True, holds=_is_doubt),
        *_found(_WEAK, read, strong=False, holds=_is_doubt),
        *_found(_ONCE, read, strong=False, holds=_is_no_history),
        *_found(_MAY, read, strong=True, holds=_is_unreal),
    ]
    found.sort(key=lambda hedge: (hedge.start, -hedge.end))
    return _without_reasons(_apart(found, text), read)


def _found(
    words: re.Pattern[str], text: str, *, strong: bool, holds: Callable[[str, int, int], bool]
) -> list[Hedge]:
    return [
        Hedge(match[0], match.start(), match.end(), strong)
        for match in words.finditer(text)
        if holds(text, match.start(), match.end())
    ]


def _without_reasons(found: list[Hedge], text: str) -> list[Hedge]:
    """Leaves out what may happen where it is a reason; beside something certain it is weak."""
    kept: list[Hedge] = []
    doubts = [hedge.start for hedge in found]
    for hedge in found:
        what = beside(text, hedge.start, hedge.end, doubts)
        if what is Beside.THE_CLAIM:
            kept.append(hedge)
        elif what is Beside.A_CLAUSE:
            kept.append(replace(hedge, strong=False))
    return kept


def _apart(found: list[Hedge], text: str) -> list[Hedge]:
    """Keeps of words that overlap the first; it is strong if any of them is."""
    kept: list[Hedge] = []
    for hedge in found:
        if kept and hedge.start < kept[-1].end:
            last = kept.pop()
            end = max(last.end, hedge.end)
            strong = last.strong or hedge.strong
            kept.append(Hedge(text[last.start : end], last.start, end, strong))
        else:
            kept.append(Hedge(text[hedge.start : hedge.end], hedge.start, hedge.end, hedge.strong))
    return kept


def _is_doubt(text: str, start: int, end: int) -> bool:
    """Tells whether a word of doubt still doubts beside what stands before it."""
    before, word = text[max(0, start - NEAR) : start], text[start:end].lower()
    if _DENIABLE.match(word) and _DENIED.search(before):
        return False  # "this is not a guess", "no maybe about it"
    if word.startswith(("possibl", "unsure", "uncertain", "likely")) and _CANNOT.search(before):
        return word == "likely"  # "cannot possibly", "not unsure"; "not likely" still doubts
    if word.startswith("doubt") and re.search(r"\b(?:no|without(?: a)?|not)\s$", before, re.I):
        return False
    if word == "might" and describes(text, start, end):
        return False
    if word in ("unsure", "uncertain") and is_attribute(text, start, end):
        return False
    return not (word.startswith("could") and _PURPOSE.search(before))


def _is_unreal(text: str, start: int, end: int) -> bool:
    """Tells a "may" of the speaker's from that of a month, a permission or a condition."""
    return is_unreal_may(text, start, end) and not describes(text, start, end)


def _is_no_history(text: str, start: int, end: int) -> bool:
    """Tells a belief that is all one knows from one that somebody once acted on."""
    return _ACTED_ON.search(text[max(0, start - NEAR) : start]) is None
