"""Matches paths with patterns as `.gitignore` writes them, in a time that no pattern can stretch.

What a line means is read as `pathspec` reads it. Its expressions are not used: where a line has
many stars, they try every way to share a path out among them.
"""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from itertools import groupby

from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

PATTERN_CHARS = 500  # characters; a longer pattern is no file's name
PATTERNS_AT_MOST = 2_000  # of one file; long real ones have some hundreds
GLOB_CHARS_AT_MOST = 20_000  # of parts with wildcards; a match costs these times a path's 4096

_ANY_DEPTH = "**"
_WILD = re.compile(r"[*?\[\\]")
_EVERYTHING = ([_ANY_DEPTH], [_ANY_DEPTH, "*"])  # as the parts of a pattern
_ABOVE, _ITSELF = 1, 2  # what a pattern may hit; who hits the path itself is heard first


@dataclass(frozen=True, slots=True)
class Glob:
    """A pattern, part by part."""

    parts: tuple[str | re.Pattern[str], ...]  # plain names as they are, and `**`
    hides: bool  # otherwise it brings back what one before it hides
    only_folders: bool
    has_everything: bool

    def hit(self, names: list[str]) -> int:
        """Tells whether it hits a path, or only a folder above it, or nothing."""
        if self.has_everything:
            return (_ABOVE if len(names) > 1 else 0) if self.only_folders else _ITSELF
        at: Collection[int] = (0,)  # how many names may have been matched so far
        for part in self.parts[:-1]:
            at = _after(part, names, at)
            if not at:
                return 0
        last = self.parts[-1]
        if last == _ANY_DEPTH:
            is_within = any(n < len(names) for n in at)
            return (_ABOVE if self.only_folders else _ITSELF) if is_within else 0
        ends = _after(last, names, at)
        return 0 if not ends else _ITSELF if len(names) in ends else _ABOVE


@dataclass(frozen=True, slots=True)
class Globs:
    """The patterns of a file, of which the last that hits decides."""

    each: tuple[Glob, ...] = ()
    left_out: str | None = None  # what is said of those that would take too long to match

    def check(self, path: str) -> bool | None:
        """Tells whether a path, or a folder with a slash at its end, is hidden; None: not said."""
        names, above = path.split("/"), None
        for glob in reversed(self.each):
            hit = glob.hit(names)
            if hit == _ITSELF:
                return glob.hides
            if hit and above is None:
                above = glob.hides
        return above

    def match(self, path: str) -> bool:
        """Tells whether a path is hidden."""
        return bool(self.check(path))


def read_globs(lines: Iterable[str]) -> Globs:
    """Reads lines of patterns, without those that would take too long to match."""
    found: list[Glob] = []
    left_out, chars = None, 0
    for line in lines:
        if len(line) > PATTERN_CHARS:
            left_out = f"has a pattern with more than {PATTERN_CHARS} characters"
            continue
        parts, hides = _parts(line)
        chars += sum(len(part) for part in parts if _WILD.search(part))
        if parts and len(found) == PATTERNS_AT_MOST:
            left_out = f"has more than {PATTERNS_AT_MOST:,} patterns"
            break
        if chars > GLOB_CHARS_AT_MOST:
            left_out = f"has wildcards with more than {GLOB_CHARS_AT_MOST:,} characters in all"
            break
        if parts:
            found.append(_glob(parts, hides=hides))
    return Globs(tuple(found), left_out)


def _parts(line: str) -> tuple[list[str], bool]:
    """Splits a line at its slashes, and tells whether it hides; no parts when it is no pattern."""
    _, hides = GitIgnoreSpecPattern.pattern_to_regex(line)
    if hides is None:
        return [], False
    text = line if line.endswith("\\ ") else line.rstrip()
    return text.removeprefix("" if hides else "!").split("/"), hides


def _glob(parts: list[str], *, hides: bool) -> Glob:
    only_folders = not parts[-1]
    if not parts[0]:
        del parts[0]
    elif len(parts) == 1 + only_folders:
        parts.insert(0, _ANY_DEPTH)
    if only_folders:
        parts[-1] = _ANY_DEPTH
    parts = [p for part, same in groupby(parts) for p in ([part] if part == _ANY_DEPTH else same)]
    return Glob(
        parts=tuple(_part(part) for part in parts),
        hides=hides,
        only_folders=only_folders,
        has_everything=parts in _EVERYTHING,
    )


def _after(part: str | re.Pattern[str], names: list[str], at: Collection[int]) -> Collection[int]:
    """Gives how many names may be matched after one more part."""
    if part == _ANY_DEPTH:
        return range(min(at), len(names) + 1)
    if isinstance(part, str):
        if part not in names:
            return ()
        return {n + 1 for n in at if n < len(names) and names[n] == part}
    return {n + 1 for n in at if n < len(names) and part.fullmatch(names[n])}


def _part(glob: str) -> str | re.Pattern[str]:
    """Reads what stands between two slashes: a star takes the least, and never gives it back."""
    if glob == _ANY_DEPTH or not _WILD.search(glob):
        return glob
    if glob == "*":
        return re.compile(".+", re.DOTALL)
    pieces, at = [""], 0
    while at < len(glob):
        char, at = glob[at], at + 1
        if char == "*":
            pieces += [""] if pieces[-1] or len(pieces) == 1 else []
        elif char == "?":
            pieces[-1] += "."
        elif char == "[":
            end = glob.index("]", at + (glob[at] in "!^") + 1)
            pieces[-1] += _set(glob[at:end])
            at = end + 1
        else:
            at += char == "\\"
            pieces[-1] += re.escape(glob[at - 1])
    first, *others = pieces
    middle = "".join(f"(?>.*?{piece})" for piece in others[:-1])
    return re.compile(first + middle + (f".*{others[-1]}" if others else ""), re.DOTALL)


def _set(inside: str) -> str:
    """Writes a set of characters; spans that run backwards have none."""
    is_not = inside[0] in "!^"
    chars, at, spans = inside[is_not:], 0, ""
    while at < len(chars):
        low = high = chars[at]
        if chars[at + 1 : at + 2] == "-" and at + 2 < len(chars):
            high, at = chars[at + 2], at + 2
        spans += f"{re.escape(low)}-{re.escape(high)}" if low <= high else ""
        at += 1
    if not spans:
        return "." if is_not else r"(?!)"
    return f"[{'^' if is_not else ''}{spans}]"
