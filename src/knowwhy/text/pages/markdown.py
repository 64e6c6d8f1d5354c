"""The structure of written documents: headings, links, tables, lists and field lines."""

import re
from bisect import bisect
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.token import Token

from knowwhy.text.formats.headers import front_matter_end, is_no_title
from knowwhy.text.pages.forms import PLAIN
from knowwhy.text.pages.rst import rst_tables, title_at
from knowwhy.text.patterns import regex

MAX_FIELD_NAME = 40  # characters; "Decision makers and their deputies" has 34
MAX_FIELD_WORDS = 5  # words; longer beginnings before a colon are prose
PARSED = 4  # texts; a reader asks one text for its fields, its outline and its tables in turn

_BLOCKS = MarkdownIt("zero", {"html": True}).enable(
    ["heading", "lheading", "fence", "code", "list", "blockquote", "table", "hr", "html_block"]
)
_BLOCKS.disable(["inline", "text_join"], ignoreInvalid=True)  # only the blocks are read

_NEWLINE = regex(r"\r\n?|\n")
_BLANK_LINES = regex(r"\n[ \t\r]*\n")
_TICKS = regex(r"(?<![\\`])`++")
_LINK_TEXT = r"\[((?:[^\[\]\\]|\\.|\[[^\[\]]{0,100}+\]){0,300}+)\]"
_INLINE_LINK = regex(
    rf"(!?){_LINK_TEXT}\(\s{{0,9}}+(?:<([^<>\n]{{0,2000}})>|([^\s()<>]{{0,2000}}+"
    r"(?:\([^\s()]{0,200}+\)[^\s()<>]{0,2000}+){0,5}+))"
    r"(?:\s{1,9}+(?:\"[^\"]{0,500}+\"|'[^']{0,500}+'))?\s{0,9}+\)",
    re.S,
)
_REFERENCE = regex(rf"(?<!!){_LINK_TEXT}(?:\[([^\[\]]{{0,300}}+)\])?(?![(:])", re.S)
_DEFINITION = regex(r"^ {0,3}\[([^\[\]^\n][^\[\]\n]{0,300})\]:[ \t]*+\n?[ \t]*+<?([^\s<>]+)", re.M)
_RST_LINK = regex(r"(?<![`\\])`([^`<>]{0,500}+)<([^`<>\s][^`<>]{0,2000}+)>`__?")
_RST_NAMED = regex(r"(?<![`:\\\w])`([^`<>]{1,500}+)`__?(?!\w)")
_RST_DEFINITION = regex(r"^[ \t]*\.\. _`?([^:`\n]{1,300}+)`?:[ \t]+(\S+)", re.M)
_URL = regex(r"(?:https?|ftp)://[^\s<>\"'`|\\^{}\[\]]{1,2000}+", re.I)
_TAG = regex(r"</?[A-Za-z][\w-]{0,30}+(?:\s[^<>\n]{0,300}+|/)?>|<!--[^<>]{0,300}?-->")
_ROLE = regex(r":[A-Za-z][\w.-]{0,30}+(?::[\w.-]{1,30}+)?:(?=`)")
_DUNDER = r"(?<!\w)__[a-z][a-z\d]{0,40}+(?:_[a-z\d]{1,40}+){0,5}__(?!\w)"  # Python's __init__
_MARKS = r"\*{1,3}|_{1,3}|~~"
_EMPHASIS = regex(
    rf"{_DUNDER}|(?<![^\s(\[{{\"'“‘—–])(?P<opening>{_MARKS})(?=[^\s*_/])"
    rf"|(?<=[^\s*_/\\])(?P<closing>{_MARKS})(?![\w*/])"
)
_CODE = "\ue000"  # stands for a code span while the words around it are stripped
_ESCAPE = regex(r"\\([!-/:-@\[-`{-~])")
_CHECKBOX = regex(r"\[[ xX]\]\s+")
_FIELD = regex(
    r"[ \t]{0,3}(?:[-*+][ \t]{1,4})?(?:\*\*|__|\*|_|:(?=[A-Za-z]))?"
    rf"(?P<name>[A-Za-z][\w /&().'-]{{0,{MAX_FIELD_NAME - 1}}}?)"
    r"[ \t]?(?:(?:\*\*|__|\*|_)[ \t]?:|:(?:\*\*|__|\*|_)|:)(?=\s|$)[ \t]*(?P<value>.*)"
)


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with the text below it, up to the next heading of any level."""

    level: int
    heading: str
    path: tuple[str, ...]
    start: int
    end: int
    body_start: int


@dataclass(frozen=True, slots=True)
class Link:
    """A pointer that a text makes, with the words that carry it."""

    text: str
    target: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Table:
    """A table of plain cells."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class _Heading:
    level: int
    text: str
    start: int
    body_start: int


def sections(text: str) -> list[Section]:
    """Cut Markdown into the sections that tile it."""
    starts = _line_starts(text)
    found = []
    tokens = _tokens(text)
    for position, token in enumerate(tokens):
        content = tokens[position + 1].content if token.type == "heading_open" else ""
        if token.type == "heading_open" and token.level == 0 and token.map and "\n" not in content:
            first, last = token.map
            level = int(token.tag[1:])
            found.append(_Heading(level, plain(content), starts[first], starts[last]))
    return _tile(found, len(text))


def rst_sections(text: str) -> list[Section]:
    """Cut reStructuredText into the sections that tile it, with levels in order of appearance."""
    starts = _line_starts(text)
    lines = [text[start:end].rstrip() for start, end in pairwise(starts)]
    levels: dict[tuple[str, bool], int] = {}
    found = []
    position = bisect(starts, front_matter_end(text) - 1)
    while position < len(lines):
        title = title_at(lines, position)
        if title is None:
            position += 1
            continue
        words, style, length = title
        level = levels.setdefault(style, len(levels) + 1)
        start, body = starts[position], starts[position + length]
        found.append(_Heading(level, plain(words), start, body))
        position += length
    return _tile(found, len(text))


def outline(text: str, suffix: str = ".md") -> list[Section]:
    """Cut a text into sections in the way that its file's suffix asks for."""
    if suffix.lower() == ".rst":
        return rst_sections(text)
    if suffix.lower() in PLAIN:
        found = _rst_outside_fences(text)
        return found if any(section.level for section in found) else sections(text)
    return sections(text)


def heading_title(text: str) -> str | None:
    """Give the first heading of level one, or else the first heading, without its markup."""
    candidates = [_named(sections(text)), _named(_rst_outside_fences(text))]
    found = min((named for named in candidates if named), key=lambda s: s[0].start, default=[])
    tops = [section for section in found if section.level == 1] or found
    return tops[0].heading if tops else None


def _rst_outside_fences(text: str) -> list[Section]:
    """Read underlined titles where backticks below a line are a fence and no underline."""
    return rst_sections(_without_code(text, "`") if "```" in text else text)


def plain(inline: str) -> str:
    """Strip links, code ticks, emphasis, tags and escapes from one run of text."""
    text = _RST_LINK.sub(lambda match: match[1].strip() or match[2], _ROLE.sub("", inline))
    text = _INLINE_LINK.sub(lambda match: match[2], text)
    text = _INLINE_LINK.sub(lambda match: match[2], text)  # an image inside a link
    text = re.sub(r"(?<!!)\[([^\[\]]{1,300}+)\]\[[^\[\]]{0,300}+\]", r"\1", text)
    text = text.replace(_CODE, " ")
    spans = list(_code_spans(text))
    codes = iter([text[start + ticks : stop - ticks].strip() for start, stop, ticks in spans])
    words = _plain_words(_cut(text, [(start, stop) for start, stop, _ in spans], _CODE))
    return " ".join(re.sub(_CODE, lambda _: next(codes), words).split())


def without_comments(text: str) -> str:
    """Drop the comments of a page, which no reader sees; one that is shown as code stays."""
    pieces = []
    end = at = 0
    while (start := text.find("<!--", at)) >= 0 and (stop := text.find("-->", start)) >= 0:
        at = start + len("<!--")
        if text[start - 1 : start] != "`":
            pieces.append(text[end:start])
            end = at = stop + len("-->")
    return "".join([*pieces, text[end:]])


def links(text: str) -> list[Link]:
    """Find the links that are written in a text, outside its code."""
    prose = _without_code(text)
    found = [
        Link(plain(match[1]), _target(match[2]), match.start(), match.end())
        for match in _RST_LINK.finditer(prose)
    ]
    found += _rst_named_links(prose)
    prose = _blank(prose, [(link.start, link.end) for link in found])
    prose = _blank(prose, [(start, end) for start, end, _ in _code_spans(prose)])
    for read in (_inline_links, _reference_links, _bare_links):
        more = list(read(prose))
        prose = _blank(prose, [(link.start, link.end) for link in more])
        found += more
    return sorted(found, key=lambda link: link.start)


def tables(text: str, *, markup: bool = False) -> list[Table]:
    """Read pipe, grid and list tables, with the inline markup of their cells or without."""
    found = []
    for header, rows in [*_pipe_tables(text), *rst_tables(text)]:
        cells = [header, *rows] if markup else [tuple(map(plain, row)) for row in (header, *rows)]
        found.append(Table(cells[0], tuple(cells[1:])))
    return found


def list_items(text: str) -> list[str]:
    """Read the first paragraph of every list item, nested ones too, without its markup."""
    items = []
    waiting = False
    for token in _tokens(text):
        if token.type == "list_item_open":
            waiting = True
        elif token.type == "inline" and waiting:
            items.append(plain(_CHECKBOX.sub("", token.content, count=1)))
            waiting = False
    return [item for item in items if item]


def list_tree(text: str) -> list[tuple[str, list[str]]]:
    """Read the items of the outermost lists, each with those that stand below it.

    A bullet that is set in under a numbered item belongs to it, though not as far as a parser asks.
    """
    lines = _NEWLINE.split(text)
    found: list[tuple[str, list[str]]] = []
    open_lists: list[str] = []
    number_at = None  # how far the last numbered item is set in, until a bullet stands as far out
    waiting = False
    for token in _tokens(text):
        if token.type in ("bullet_list_open", "ordered_list_open"):
            open_lists.append(token.type)
        elif token.type in ("bullet_list_close", "ordered_list_close"):
            open_lists.pop()
        elif token.type == "list_item_open":
            waiting = True
            if len(open_lists) == 1 and token.map:
                line = lines[token.map[0]]
                set_in = len(line) - len(line.lstrip())
                if open_lists[0] == "ordered_list_open":
                    number_at = set_in
                elif number_at is not None and set_in <= number_at:
                    number_at = None
        elif token.type == "inline" and waiting and open_lists:
            waiting = False
            words = plain(_CHECKBOX.sub("", token.content, count=1))
            is_below = len(open_lists) > 1 or (open_lists[0][0] == "b" and number_at is not None)
            if words and found and is_below:
                found[-1][1].append(words)
            elif words:
                found.append((words, []))
    return found


def field_lines(text: str) -> dict[str, str]:
    """Read the `Status: Accepted` lines that open a section, in any of their spellings."""
    fields: dict[str, str] = {}
    for section in sections(text):
        start = section.body_start or front_matter_end(text)
        for name, value in _opening_fields(text[start : section.end]).items():
            if not is_no_title(name, value):
                fields.setdefault(name, value)
    return fields


def _pipe_tables(text: str) -> Iterator[tuple[tuple[str, ...], list[tuple[str, ...]]]]:
    rows: list[list[str]] = []
    for token in _tokens(text):
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline" and rows:
            rows[-1].append(token.content)
        elif token.type == "table_close":
            yield tuple(rows[0]), [tuple(row) for row in rows[1:]]
            rows = []


@lru_cache(maxsize=PARSED)
def _tokens(text: str) -> tuple[Token, ...]:
    end = front_matter_end(text)
    blanked = re.sub(r"[^\r\n]", " ", text[:end]) + text[end:]
    if blanked.startswith("\ufeff"):
        blanked = blanked.replace("\ufeff", " ", 1)
    return tuple(_BLOCKS.parse(blanked))


def _line_starts(text: str) -> list[int]:
    starts = [0, *(match.end() for match in _NEWLINE.finditer(text))]
    return starts if starts[-1] == len(text) else [*starts, len(text)]


def _tile(headings: list[_Heading], length: int) -> list[Section]:
    found = []
    first = headings[0].start if headings else length
    if first or not headings:
        found.append(Section(0, "", (), 0, first, 0))
    above: list[tuple[int, str]] = []
    ends = [*(heading.start for heading in headings[1:]), length]
    for heading, end in zip(headings, ends, strict=False):
        above = [(level, name) for level, name in above if level < heading.level]
        above.append((heading.level, heading.text))
        path = tuple(name for _, name in above if name)
        found.append(
            Section(heading.level, heading.text, path, heading.start, end, heading.body_start)
        )
    return found


def _named(found: list[Section]) -> list[Section]:
    return [section for section in found if section.heading]


def _plain_words(text: str) -> str:
    text = _without_emphasis(_TAG.sub("", text))
    text = re.sub(r"<((?:https?|mailto):[^<>\s]{1,2000}+)>", r"\1", text)
    return _ESCAPE.sub(r"\1", text)


def _without_emphasis(text: str) -> str:
    opened: dict[str, tuple[int, int]] = {}
    marks: list[tuple[int, int]] = []
    for match in _EMPHASIS.finditer(text):
        if match["opening"]:
            opened[match[0]] = match.span()
        elif match["closing"] and match[0] in opened:
            marks += [opened.pop(match[0]), match.span()]
    return _cut(text, sorted(marks), "")


def _cut(text: str, spans: list[tuple[int, int]], instead: str) -> str:
    pieces = []
    end = 0
    for start, stop in spans:
        pieces += [text[end:start], instead]
        end = stop
    return "".join([*pieces, text[end:]])


def _code_spans(text: str) -> Iterator[tuple[int, int, int]]:
    runs = [(match.start(), match.end()) for match in _TICKS.finditer(text)]
    nearest: dict[int, int] = {}
    partner: list[int | None] = [None] * len(runs)
    for index in range(len(runs) - 1, -1, -1):
        length = runs[index][1] - runs[index][0]
        partner[index] = nearest.get(length)
        nearest[length] = index
    blank_lines = [match.start() for match in _BLANK_LINES.finditer(text)] if runs else []
    index = 0
    while index < len(runs):
        start, end = runs[index]
        other = partner[index]
        if other is None or bisect(blank_lines, start) != bisect(blank_lines, runs[other][0]):
            index += 1
            continue
        yield start, runs[other][1], end - start
        index = other + 1


def _without_code(text: str, marks: str = "") -> str:
    """Blank the code blocks, or only those whose fences are of these marks."""
    starts = _line_starts(text)
    spans = [
        (starts[token.map[0]], starts[min(token.map[1], len(starts) - 1)])
        for token in _tokens(text)
        if token.map and token.type in ("fence", "code_block") and token.markup.startswith(marks)
    ]
    return _blank(text, spans)


def _blank(text: str, spans: list[tuple[int, int]]) -> str:
    pieces = []
    end = 0
    for start, stop in sorted(spans):
        if stop > end:
            begin = max(start, end)
            pieces += [text[end:begin], re.sub(r"[^\n]", " ", text[begin:stop])]
            end = stop
    return "".join([*pieces, text[end:]])


def _target(written: str) -> str:
    return "".join(written.split())


def _inline_links(prose: str) -> Iterator[Link]:
    for match in _INLINE_LINK.finditer(prose):
        target = match[3] if match[3] is not None else match[4]
        if target and not match[1]:
            yield Link(plain(match[2]), target, match.start(), match.end())


def _reference_links(prose: str) -> Iterator[Link]:
    targets = {_folded(match[1]): match[2] for match in _DEFINITION.finditer(prose)}
    for match in _REFERENCE.finditer(prose) if targets else ():
        target = targets.get(_folded(match[2] or match[1]))
        if target:
            yield Link(plain(match[1]), target, match.start(), match.end())


def _rst_named_links(prose: str) -> list[Link]:
    targets = {_folded(match[1]): match[2] for match in _RST_DEFINITION.finditer(prose)}
    return [
        Link(plain(match[1]), targets[_folded(match[1])], match.start(), match.end())
        for match in (_RST_NAMED.finditer(prose) if targets else ())
        if _folded(match[1]) in targets
    ]


def _bare_links(prose: str) -> Iterator[Link]:
    for match in _URL.finditer(prose):
        url = match[0].rstrip(".,;:!?*_")
        while url.endswith(")") and url.count(")") > url.count("("):
            url = url[:-1].rstrip(".,;:!?*_")
        yield Link(url, url, match.start(), match.start() + len(url))


def _folded(name: str) -> str:
    return " ".join(name.split()).casefold()


def _opening_fields(body: str) -> dict[str, str]:
    fields: dict[str, str] = {}
    name = ""
    for line in _NEWLINE.split(body):
        match = _FIELD.fullmatch(line)
        if match and len(match["name"].split()) <= MAX_FIELD_WORDS:
            name = match["name"].strip()
            _add(fields, name, match["value"], ", ")
        elif name and line[:1] in (" ", "\t") and line.strip():
            item = line.strip()
            bullet = item[:2] in ("- ", "* ", "+ ")
            _add(fields, name, item[2:] if bullet else item, ", " if bullet else " ")
        elif line.strip():
            break
    return fields


def _add(fields: dict[str, str], name: str, value: str, joint: str) -> None:
    value = value.strip().strip("*_").strip()
    fields[name] = f"{fields[name]}{joint}{value}" if fields.get(name) else value
