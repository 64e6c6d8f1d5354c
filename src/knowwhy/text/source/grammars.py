"""Parses source code, where a parser is known and the text is safe to give to it."""

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module

from tree_sitter import Language, Node, Parser

from knowwhy.text.patterns import regex

GRAMMARS = {  # language: the wheel and its function; a wheel is loaded when it is first needed
    "python": ("tree_sitter_python", "language"),
    "javascript": ("tree_sitter_javascript", "language"),
    "typescript": ("tree_sitter_typescript", "language_typescript"),
    "tsx": ("tree_sitter_typescript", "language_tsx"),
    "go": ("tree_sitter_go", "language"),
    "rust": ("tree_sitter_rust", "language"),
    "java": ("tree_sitter_java", "language"),
}

# The parsers take cubic time on text that is not of their language and overflow the stack on
# deep nesting: 8 KB of "a=>" lines take Java's 4 s, 100,000 times "{a:" kills the process.
PARSED_CHARS = 2_000_000  # characters; a longer file is data, and is parsed at 10 MB/s
LINE_CHARS = 5_000  # characters; nobody wrote a longer line
NESTED_AT_MOST = 500  # open brackets, strings not told apart; stacks overflow at some 50,000
UNCLOSED_AT_MOST = 20  # comments or raw strings; each is followed to the end of the text
INDENT_CHARS = 400  # columns; some 100 levels
PROBE_CHARS = 2_048  # characters parsed alone; the worst text found takes 0.2 s at this size
FOREIGN = (  # broken nodes a character of a probe, and how many probes above it are borne:
    (0.12, 8),  # prose or a template in a string; 4 of 3,046 probes of real code have more
    (0.32, 2),  # noise; English has 0.2 to 0.3
)
BROKEN_SHARE = 0.06  # broken nodes a character of a text; a real one, cut like this, has 0.05
BROKEN_NODES = 2_000  # that are borne whatever the length: some 10 KB of prose in a string

_NEWLINE = re.compile(rb"\n")
_BRACKET = regex(r"[][(){}]")
_LONG_LINE = regex(rf"[^\n]{{{LINE_CHARS}}}")
_DEEP_LINE = regex(rf"^[ \t]{{{INDENT_CHARS}}}", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Tree:
    """A syntax tree with what it was made from."""

    root: Node
    data: bytes
    row_starts: Sequence[int]

    def row(self, offset: int) -> int:
        """Returns the row of a byte, from 0; the parser's own points crash the process in 0.26."""
        return bisect_right(self.row_starts, offset) - 1

    def text(self, node: Node) -> str:
        """Returns what a node spans."""
        return self.data[node.start_byte : node.end_byte].decode("utf-8", "replace")


def parse(text: str, language: str | None) -> Tree | None:
    """Returns the syntax tree of a text; None without a parser or when it is unsafe."""
    if language not in GRAMMARS or not is_written(text):
        return None
    grammar = _grammar(language)
    if len(text) > PROBE_CHARS and not _is_of(text, grammar):
        return None
    data = text.encode("utf-8", "replace")
    row_starts = [0, *(match.end() for match in _NEWLINE.finditer(data))]
    return Tree(_root(data, grammar), data, row_starts)


@cache
def _grammar(language: str) -> Language:
    module, function = GRAMMARS[language]
    pointer: Callable[[], object] = getattr(import_module(module), function)
    return Language(pointer())


def _root(data: bytes, grammar: Language) -> Node:
    return Parser(grammar).parse(data).root_node


def is_written(text: str) -> bool:
    """Tells whether a text has the shape of something that a person wrote."""
    if len(text) > PARSED_CHARS or "\0" in text:
        return False
    is_wide = _LONG_LINE.search(text) or _DEEP_LINE.search(text)
    return not is_wide and _is_closed(text) and _is_shallow(text)


def _is_closed(text: str) -> bool:
    return all(
        text.count(opener, text.rfind(closer) + 1) <= UNCLOSED_AT_MOST
        for opener, closer in (("/*", "*/"), ('#"', '"#'))
    )


def _is_shallow(text: str) -> bool:
    depth = 0
    for bracket in _BRACKET.findall(text):
        depth += 1 if bracket in "([{" else -1
        if depth > NESTED_AT_MOST:
            return False
        depth = max(depth, 0)
    return True


def _is_of(text: str, grammar: Language) -> bool:
    """Tells by parsing it in small parts whether a text is of a language at all."""
    shares: list[float] = []
    broken = start = 0
    while start < len(text):
        end = text.rfind("\n", start, start + PROBE_CHARS) + 1 or start + PROBE_CHARS
        part = text[start:end]
        found = _broken_nodes(_root(part.encode("utf-8", "replace"), grammar))
        broken += found
        shares += [found / len(part)] if found > FOREIGN[0][0] * len(part) else []
        is_foreign = any(sum(s > share for s in shares) > borne for share, borne in FOREIGN)
        if is_foreign or broken > BROKEN_NODES + BROKEN_SHARE * len(text):
            return False
        start = end
    return True


def _broken_nodes(root: Node) -> int:
    count, waiting = 0, [root]
    while waiting:
        node = waiting.pop()
        if node.has_error or node.is_missing:
            count += 1 + (node.child_count if node.is_error else 0)
            waiting += node.children
    return count
