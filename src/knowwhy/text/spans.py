"""Stretches of a text whose edges are not blank."""

from knowwhy.text.patterns import regex

INDENT_CHARS = 40  # characters of indentation kept at the start of a piece; deeper is an accident

Span = tuple[int, int]

_NONBLANK = regex(r"\S")


def trimmed(text: str, start: int, end: int) -> Span | None:
    """Leaves out what is blank around a span, but not the indentation of its first line."""
    first = first_nonblank(text, start, end)
    return (first, start + len(text[start:end].rstrip())) if first < end else None


def first_nonblank(text: str, start: int, end: int) -> int:
    """Returns where a span's first line that is not blank begins, or its end without one."""
    nonblank = _NONBLANK.search(text, start, end)
    if not nonblank:
        return end
    margin = text.rfind("\n", start, nonblank.start()) + 1 or start
    return margin if nonblank.start() - margin <= INDENT_CHARS else nonblank.start()
