"""Shortens a long hit to what matters for the question, in whole sentences."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import accumulate, pairwise

from knowwhy.text.estimate import estimate_tokens
from knowwhy.text.patterns import regex
from knowwhy.text.question.answer_forms import forms_of, words_asked
from knowwhy.text.sentences import Piece, heads, pieces, sentences
from knowwhy.text.tokens import tokens as words_of

GAP = "…"  # stands between blanks for what is left out
GAP_TOKENS = 1  # by the estimate
READ_CHARS = 200_000  # characters; a hit has 1,200, and what a caller gives is read in a second
KEPT = 512  # shortened hits; a question that is asked again has the same
KEPT_CHARS = 4_000  # of a text; a passage has 1,200
TOKEN_CHARS = 40  # characters of a token at most, blanks included, where a sentence is cut
NEIGHBOUR = 0.35  # of the better neighbour's score: what an answer refers to stands beside it
HEADING = 0.5  # of a heading's score goes to what it heads: weaker than words of its own
LENGTH = 0.5  # how far a long sentence is held against; 0.75 is BM25's, for documents
CUE = 0.6  # of the rarest word's weight, for a sentence with the form that an answer has
_WORD = regex(r"[\w'’./-]{1,60}")
_LINK = regex(r"(?<!!)\[([^\[\]\n]{1,200})\]\([^()\s]{20,500}\)")  # a short target is read at once
_PADDING = regex(r"[ \t]{2,}")
_RULE = regex(r"-{4,}")
WIDTH = 76  # characters of a line as it is shown: a terminal of 80 without the margin


def compress(question: str, text: str, tokens: int, *, code: bool = False) -> str:
    """Returns a text within a number of tokens, by leaving out what matters least.

    What is kept is whole and in its order: sentences, list items, rows and lines of code, each
    with the headings above it. A sentence is cut only where it alone is longer than what is asked
    for.
    """
    text = text.strip("\n").rstrip()
    if estimate_tokens(text) <= tokens:
        return text
    if tokens <= GAP_TOKENS:
        return ""
    if len(text) <= KEPT_CHARS and len(question) <= KEPT_CHARS:
        return _kept(question, text, tokens, code)
    return _shortened(question, text[:READ_CHARS], tokens, code)


def _shortened(question: str, text: str, tokens: int, code: bool) -> str:
    found = _small_enough(text, pieces(text, code=code), tokens)
    costs = [estimate_tokens(text[piece.start : piece.end]) for piece in found]
    scores = _scores(question, text, found)
    kept = _chosen(found, costs, scores, tokens)
    if not kept:
        best = min(range(len(found)), key=lambda place: (-scores[place], place))
        return _cut(text[found[best].start : found[best].end], tokens)
    return _joined(text, found, sorted(kept))


_kept = lru_cache(maxsize=KEPT)(_shortened)


def _small_enough(text: str, found: Sequence[Piece], tokens: int) -> list[Piece]:
    """Cuts the items and rows that are longer than the whole budget into their sentences."""
    spans: list[list[tuple[int, int]]] = []
    for piece in found:
        is_long = estimate_tokens(text[piece.start : piece.end]) > tokens
        whole = [(piece.start, piece.end)]
        spans.append(list(sentences(text, piece.start, piece.end)) if is_long else whole)
    moved = [0, *accumulate(len(cut) for cut in spans)]
    return [
        replace(
            piece,
            start=start,
            end=end,
            head=None if piece.head is None else moved[piece.head],
            tail=None if piece.tail is None else moved[piece.tail],
        )
        for piece, cut in zip(found, spans, strict=True)
        for start, end in cut
    ]


def _scores(question: str, text: str, found: Sequence[Piece]) -> list[float]:
    """Says how much each piece matters: its own words, its headings, its neighbours."""
    asked = set(words_asked(question))
    words = [asked.intersection(words_of(text[piece.start : piece.end])) for piece in found]
    weights = _weights(words, len(found))
    sizes = [piece.end - piece.start for piece in found]
    average = sum(sizes) / len(sizes)
    forms = forms_of(question)
    rarest = max(weights.values(), default=1.0)
    own = []
    for piece, said, size in zip(found, words, sizes, strict=True):
        shown = text[piece.start : piece.end]
        is_cued = not piece.is_heading and any(form.is_in(shown, asked) for form in forms)
        cued = CUE * rarest if is_cued else 0.0
        plain = sum(sorted(weights[word] for word in said)) + cued
        own.append(plain / (1 - LENGTH + LENGTH * max(1.0, size / average)))
    headed = [
        score + (HEADING * own[piece.head] if piece.head is not None else 0.0)
        for piece, score in zip(found, own, strict=True)
    ]
    return _with_subject(words, found, _with_neighbours(found, headed))


def _weights(words: Sequence[set[str]], count: int) -> dict[str, float]:
    """Weighs each word of the question by how rare it is in the text."""
    seen = Counter(word for said in words for word in said)
    return {word: math.log(1 + (count - n + 0.5) / (n + 0.5)) for word, n in seen.items()}


def _with_neighbours(found: Sequence[Piece], scores: Sequence[float]) -> list[float]:
    """Lifts what stands beside the best."""
    padded = [0.0, *scores, 0.0]
    return [
        score + NEIGHBOUR * max(padded[place], padded[place + 2])
        for place, score in enumerate(scores)
    ]


def _with_subject(
    words: Sequence[set[str]], found: Sequence[Piece], scores: list[float]
) -> list[float]:
    """Puts the first sentence that names the subject among the best.

    The subject is the word of the question that the text says most often.
    """
    seen = Counter(word for said in words for word in said)
    if not seen:
        return scores
    subject = min(seen, key=lambda word: (-seen[word], word))
    places = (n for n, piece in enumerate(found) if subject in words[n] and not piece.is_heading)
    if (first := next(places, None)) is not None:
        scores[first] = max(scores)
    return scores


def _chosen(
    found: Sequence[Piece],
    costs: Sequence[int],
    scores: Sequence[float],
    most: int,
    gap: int = GAP_TOKENS,
) -> set[int]:
    """Takes the best pieces that fit, each with its headings and the marks of the gaps."""
    kept: set[int] = set()
    room = most - gap
    for place in sorted(range(len(found)), key=lambda place: (-scores[place], place)):
        if found[place].is_heading or place in kept:
            continue
        wanted = {place, *heads(found, place)} - kept
        cost = sum(costs[one] + gap for one in wanted)
        if cost <= room:
            kept |= wanted
            room -= cost
    return kept


def excerpt(question: str, text: str, lines: int, *, code: bool = False) -> str:
    """Returns what answers of a text, in about so many lines as they are shown.

    Prose goes on in one line, however its source is broken; items, rows and code stay lines. What
    is left out is marked.
    """
    text = text[:READ_CHARS].strip("\n").rstrip()
    return (_kept_excerpt if len(text) <= KEPT_CHARS else _excerpt)(question, text, lines, code)


def _excerpt(question: str, text: str, lines: int, code: bool) -> str:
    found = pieces(text, code=code)
    if not found:
        return ""
    shown = [_as_shown(text, piece) for piece in found]
    widths = [_width(piece, one) for piece, one in zip(found, shown, strict=True)]
    kept = set(range(len(found)))
    if sum(widths) > lines * WIDTH:
        scores = _scores(question, text, found)
        if code:
            kept = _window(found, scores, lines)
        else:
            kept = _chosen(found, widths, scores, lines * WIDTH, gap=0)
        if not kept:
            best = min(range(len(found)), key=lambda place: (-scores[place], place))
            return _around_words(question, shown[best], lines * WIDTH)
    return _laid_out(found, shown, sorted(kept))


_kept_excerpt = lru_cache(maxsize=KEPT)(_excerpt)


def _as_shown(text: str, piece: Piece) -> str:
    """Writes a piece as it is shown: a link by its words, no row padded, and code as it is."""
    words = text[piece.start : piece.end]
    if piece.kind in ("code", "fence"):
        return words.rstrip()
    words = _LINK.sub(r"\1", words)
    if piece.kind in ("heading", "row"):
        return _PADDING.sub(" ", _RULE.sub("---", words)).strip()
    margin = words[: len(words) - len(words.lstrip())] if piece.kind == "item" else ""
    return margin + " ".join(words.split())


def _width(piece: Piece, shown: str) -> int:
    """Says how much room a piece takes: prose goes on in its line, the rest has its own lines."""
    if piece.kind == "text":
        return len(shown) + 1
    return sum(WIDTH * max(1, -(-len(line) // WIDTH)) for line in shown.splitlines())


def _window(found: Sequence[Piece], scores: Sequence[float], lines: int) -> set[int]:
    """Takes the lines of code that stand together and say most, and the head of the first."""
    size = max(1, lines - 1)
    sums = [0.0, *accumulate(scores)]
    starts = range(max(1, len(found) - size + 1))
    first = max(starts, key=lambda at: (sums[min(at + size, len(found))] - sums[at], -at))
    inside = set(range(first, min(first + size, len(found))))
    return inside | set(heads(found, first)) if first else set(range(min(lines, len(found))))


def _around_words(question: str, text: str, most: int) -> str:
    """Cuts what is one long sentence, row or line around the rarest word that was asked for."""
    asked = words_asked(question)
    spots = [match for match in _WORD.finditer(text) if asked.intersection(words_of(match[0]))]
    seen = Counter(match[0].lower() for match in spots)
    middle = min(spots, key=lambda m: (seen[m[0].lower()], m.start())).start() if spots else 0
    start = max(0, min(middle - most // 3, len(text) - most))
    end = start + most
    if start:
        start = text.find(" ", start, middle) + 1 or start
    if end < len(text):
        end = max(text.rfind(" ", middle, end), middle + 1) if " " in text[middle:end] else end
    before, after = f"{GAP} " if start else "", f" {GAP}" if end < len(text) else ""
    return f"{before}{text[start:end].strip()}{after}"


def _laid_out(found: Sequence[Piece], shown: Sequence[str], kept: Sequence[int]) -> str:
    """Puts pieces under each other, those of a paragraph behind each other, with their gaps."""
    parts = [shown[kept[0]] if kept[0] == 0 else f"{GAP} {shown[kept[0]].lstrip()}"]
    if kept[0] and found[kept[0]].kind not in ("text", "field", "heading"):
        parts = [f"{GAP}\n{shown[kept[0]]}"]
    for before, place in pairwise(kept):
        is_next = place == before + 1
        same = found[place].block == found[before].block and found[place].kind == "text"
        gap = "" if is_next else f" {GAP}"
        parts.append(f"{gap}{' ' if same else chr(10)}{shown[place]}")
    return "".join(parts) + (f" {GAP}" if kept[-1] + 1 < len(found) else "")


def _joined(text: str, found: Sequence[Piece], kept: Sequence[int]) -> str:
    """Puts what is kept in its order, with a mark for each gap."""
    parts = [f"{GAP} "] if kept[0] > 0 else []
    for at, place in enumerate(kept):
        piece = found[place]
        parts.append(text[piece.start : piece.end])
        if at + 1 == len(kept):
            break
        after = kept[at + 1]
        if after == place + 1:
            parts.append(text[piece.end : found[after].start])
        elif found[after].block == piece.block:
            parts.append(f" {GAP} ")
        else:
            parts.append(f" {GAP}\n")
    return "".join(parts) + (f" {GAP}" if kept[-1] + 1 < len(found) else "")


def _cut(sentence: str, tokens: int) -> str:
    """Cuts a sentence that is longer than everything asked for, at a word."""
    low, high = 0, min(len(sentence), tokens * TOKEN_CHARS)
    while low < high:
        middle = (low + high + 1) // 2
        if estimate_tokens(sentence[:middle]) <= tokens - GAP_TOKENS:
            low = middle
        else:
            high = middle - 1
    words = sentence[:low].rsplit(None, 1)
    begun = words[0] if len(words) > 1 else sentence[:low]
    return f"{begun.rstrip()} {GAP}"
