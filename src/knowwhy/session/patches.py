"""Takes the secrets out of a patch, in which each line of a secret has a sign before it."""

from collections.abc import Iterator

from knowwhy.text.secrets.redact import redact
from knowwhy.text.secrets.secret_repeats import Told

SIGNS = ("+", "-", " ")


def redact_patch(patch: str) -> str:
    """Redacts a patch hunk by hunk, without the signs, so that a secret of many lines is seen."""
    lines: list[str] = []
    told = Told()
    for is_hunk, part in _parts(patch.split("\n")):
        lines += _redact_hunk(part, told) if is_hunk and part else part
    return redact("\n".join(lines), told)


def _parts(lines: list[str]) -> Iterator[tuple[bool, list[str]]]:
    """Splits a patch into what stands between hunks and the lines of each hunk."""
    part: list[str] = []
    in_hunk = False
    for line in lines:
        starts = line.startswith("@@")
        if starts or (in_hunk and line.startswith("diff --")):
            yield in_hunk, part
            part = []
            in_hunk = False
        if starts:
            yield False, [line]
            in_hunk = True
        else:
            part.append(line)
    yield in_hunk, part


def _redact_hunk(lines: list[str], told: Told) -> list[str]:
    """Redacts the lines without their signs; where a secret took many lines its first one counts.

    What stands before and after the change keeps its own signs.
    """
    signs = [line[:1] if line[:1] in SIGNS else "" for line in lines]
    bare = [line[len(sign) :] for line, sign in zip(lines, signs, strict=True)]
    safe = redact("\n".join(bare), told).split("\n")
    if len(safe) == len(bare):
        return [sign + line for sign, line in zip(signs, safe, strict=True)]
    first = _same(bare, safe)
    last = _same(bare[first:][::-1], safe[first:][::-1])
    middle = [signs[first] + line for line in safe[first : len(safe) - last]]
    tail = zip(signs[len(signs) - last :], safe[len(safe) - last :], strict=True)
    return [*lines[:first], *middle, *(sign + line for sign, line in tail)]


def _same(one: list[str], other: list[str]) -> int:
    """Counts the lines that two lists begin with alike."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (a, b) in pairs if a != b), min(len(one), len(other)))
