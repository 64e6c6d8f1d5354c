"""Which secrets of a text were not kept: their sorts and lines, and never what they were."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from knowwhy.text.patterns import regex

MARK = regex(r"\[redacted: ([a-z0-9-]+)\]")
SHOWN_LINES = 3  # of secrets of one sort
SHOWN_SORTS = 5


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A secret that a text had."""

    sort: str  # password, api-key, …
    line: int  # of the text as it was


def left_out(before: str, after: str) -> Iterator[LeftOut]:
    """Compares a text with what is kept of it: but for the secrets they are the same."""
    marks = [] if before == after else list(MARK.finditer(after))
    at, read, line, counted = 0, 0, 1, 0
    for number, mark in enumerate(marks):
        at += mark.start() - read
        read = mark.end()
        line += before.count("\n", counted, at)
        counted = at
        if before.startswith(mark[0], at):  # it was redacted by whoever wrote it
            at += len(mark[0])
            continue
        yield LeftOut(mark[1], line)
        ends = marks[number + 1].start() if number + 1 < len(marks) else len(after)
        found = before.find(after[read:ends], at)
        at = max(at, found)


def in_words(secrets: Iterable[LeftOut], *, with_lines: bool = True) -> str:
    """Says which secrets were not kept; nothing where there were none."""
    lines: dict[str, list[int]] = defaultdict(list)
    for secret in secrets:
        lines[secret.sort].append(secret.line)
    count = sum(map(len, lines.values()))
    if not count:
        return ""
    sorts = [_said(sort, found, with_lines=with_lines) for sort, found in sorted(lines.items())]
    shown = ", ".join(sorts[:SHOWN_SORTS]) + (", …" if len(sorts) > SHOWN_SORTS else "")
    return f"{count} secret{'s are' if count > 1 else ' is'} not kept: {shown}"


def _said(sort: str, lines: list[int], *, with_lines: bool) -> str:
    times = f"{len(lines)} × " if len(lines) > 1 else ""
    if not with_lines:
        return f"{times}{sort}"
    named = ", ".join(map(str, dict.fromkeys(lines[:SHOWN_LINES])))
    more = ", …" if len(lines) > SHOWN_LINES else ""
    return f"{times}{sort} (line {named}{more})"
