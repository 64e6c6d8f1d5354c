"""Cuts a document into pieces under their headings, for embedding and reranking."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import repeat
from zlib import crc32

from knowwhy.text.formats.headers import front_matter_end, header_fields
from knowwhy.text.pages.markdown import Section, outline
from knowwhy.text.patterns import regex
from knowwhy.text.spans import Span, first_nonblank, trimmed
from knowwhy.types import Chunk

TARGET_CHARS = 900  # characters; some 200 tokens of English
TARGET_TOKENS = 220  # tokens, estimated; of the embedder's 256, 36 are for title and headings
MAX_CHARS = 1200  # characters; only to keep a table or a code block whole
WHOLE_CHARS = 1100  # characters; a longer block is cut, because its heading must fit beside it
LEAST_SHARE = 3  # no piece of a cut section is under a third of the target: it would say too little
HEADING_CHARS = 80  # characters of one heading in a path; longer ones are sentences
COLUMNS_CHARS = 160  # characters of a table's header row, or of a list's lead, in a path
HEADER_CHARS = 20_000  # characters of a table's first row, and of the one below, that are read
LEAD_CHARS = 20_000  # characters of a list before a piece in which its lead is looked for
SAID_WORDS = 8  # words of a line from which on it is prose, and no value such as "Accepted"
SENTENCE_WORDS = 2  # the same of a line below a title that ends as a sentence does
ANCHOR_ONE_IN = 3  # headings that always start a piece, so that a change does not travel on
COLUMN = " | "  # between the columns of a table in a heading path
CUTTING = "cut_v2"  # raised when pieces are cut otherwise: every source is cut anew at its ingest

FORMS = {  # how headings are written, by suffix; in any other file there are none
    **dict.fromkeys((".md", ".markdown", ".mdown", ".mkd", ".mdx", ".qmd", ".rmd"), ".md"),
    **dict.fromkeys((".rst", ".rest"), ".rst"),
    **dict.fromkeys((".txt", ".text"), ".txt"),
}

_TOKEN = regex(r"[a-zA-Z]{1,7}|\d{1,3}|[^\sa-zA-Z\d]")  # within 13 % of WordPiece on 9 of 10
_NONBLANK = regex(r"\S")
_PARAGRAPH = regex(r"\n[ \t\r]*\n(?=\S)")
_BLANK_LINE = regex(r"\n[ \t\r]*\n")
_ITEM = regex(r"\n(?=[ \t]*(?:(?:[-*+]|\d{1,3}[.)])[ \t]|[|+]))")
_SENTENCE = regex(r"""[.!?][)\]"'”’*_`]{0,3}\s+(?=[^\sa-z])|[。！？]""")
_LINE = regex(r"\n")
_SPACE = regex(r"\s")
_BLOCK_CUTS = (_PARAGRAPH, _BLANK_LINE)
_PROSE_CUTS = (_ITEM, _SENTENCE, _LINE, _SPACE)
_LINE_CUTS = (_LINE, _SPACE)

_FIELD_NAME = regex(r"[ \t>*+_-]{0,12}[^\W\d][\w /()'’-]{0,40}?[ \t*_]{0,4}:(?!//)")
_SAID_WORD = regex(r"[^\W\d_]{2,}")
_COMMENT = regex(r"<!--.{0,2000}?-->", re.DOTALL)
_TARGET = regex(r"\]\([^()\s]{0,500}\)")  # of a link
_HEADING_LINE = regex(r"[ \t]*(?:#{1,6}[ \t]|[=~^-]{3,}[ \t\r]*\Z)")
_CELL_MARKS = regex(r"[`*_]{1,3}")
_LIST_ITEM = regex(r"[ \t]{0,40}(?:[-*+]|\d{1,3}[.)])[ \t]")
_RULE_ROW = regex(r"(?=[ \t:|-]*?--)[ \t\r:|-]*+\Z")

_BLOCK_LINE = regex(r"^[ \t]*(?:(`{3,}|~{3,})|\||\+[-=])", re.MULTILINE)
_RST_UNDERLINE = regex(r"^\S[^\n]*\n([=\-~^\"'`+*#:.])\1{2,}[ \t\r]*$", re.MULTILINE)
_RST_DIRECTIVE = regex(r"^\.\. [\w-]+::", re.MULTILINE)
_MARKDOWN_MARK = regex(r"^(?:#{1,6}[ \t]|```|~~~)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class _Unit:
    """Neighbouring sections that stay together; the edges of its span are not blank."""

    start: int
    end: int
    path: tuple[str, ...]
    parent: tuple[str, ...]
    bare: bool  # nothing but headings
    leads: bool = False  # its subsections follow as units of their own
    closed: bool = False  # takes nothing in
    is_head: bool = False  # headings and the fields of a record's head: says nothing by itself
    head: int = (
        0  # characters of the head that it begins with, which take no room from what it says
    )


def chunks(text: str, suffix: str = ".md") -> list[Chunk]:
    """Returns the pieces of a text in order; each non-blank character is in exactly one."""
    form = _form(text, suffix.lower())
    sections = outline(text, form) if form else [Section(0, "", (), 0, len(text), 0)]
    blocks = list(_blocks(text)) if form else []
    whole = [block for block in blocks if block[1] - block[0] <= WHOLE_CHARS]
    cuts = _PROSE_CUTS if form else _LINE_CUTS
    pieces = [
        (span, unit.path)
        for unit in _packed(_units(text, sections, _header_end(text) if form else 0))
        for span in _pieces(text, unit, whole, cuts)
    ]
    starts = [start for (start, _), _ in pieces]
    above = zip(
        _columns(text, blocks, starts), _leads(text, starts) if form else repeat(""), strict=False
    )
    return [
        Chunk(position, _heading(path, columns or lead), text[start:end], start, end)
        for position, (((start, end), path), (columns, lead)) in enumerate(
            zip(pieces, above, strict=True)
        )
    ]


def _form(text: str, suffix: str) -> str:
    """Says how headings are written; without a suffix by looking, empty when there are none."""
    if suffix:
        return FORMS.get(suffix, "")
    return ".rst" if _looks_like_rst(text) else ".md"


def _looks_like_rst(text: str) -> bool:
    body = front_matter_end(text)
    if _RST_UNDERLINE.search(text, body) is None:
        return False
    return _RST_DIRECTIVE.search(text, body) is not None or not _MARKDOWN_MARK.search(text, body)


def _header_end(text: str) -> int:
    return front_matter_end(text) or header_fields(text)[1]


def _heading(path: tuple[str, ...], columns: str = "") -> str:
    named = (_shortened(part, HEADING_CHARS) for part in path)
    return " > ".join(filter(None, (*named, _shortened(columns, COLUMNS_CHARS))))


def _shortened(heading: str, most: int) -> str:
    words = " ".join(heading[: 2 * most].split())
    return words if len(words) <= most else words[: most - 1].rstrip() + "…"


def _columns(text: str, blocks: Sequence[Span], starts: Iterable[int]) -> Iterator[str]:
    """Names the columns of the table that each piece begins inside, if its header is elsewhere."""
    headers: dict[int, tuple[str, int]] = {}
    for start in starts:
        at = bisect_right(blocks, start, key=_begin) - 1
        if at < 0 or not blocks[at][0] < start < blocks[at][1]:
            yield ""
            continue
        if at not in headers:
            headers[at] = _header(text, *blocks[at])
        columns, rule = headers[at]
        yield columns if rule < start else ""


def _header(text: str, start: int, end: int) -> tuple[str, int]:
    """Reads the columns of a table, none where it names none, and where the rule below begins."""
    rule = text.find("\n", start, end) + 1
    first = text[start : min(rule, start + HEADER_CHARS)]
    below = text[rule : min(end, rule + HEADER_CHARS)].partition("\n")[0]
    if not rule or "|" not in first or not _RULE_ROW.match(below):
        return "", rule
    cells = (_CELL_MARKS.sub("", cell).strip() for cell in first.strip().strip("|").split("|"))
    return COLUMN.join(cell for cell in cells if cell), rule


def _leads(text: str, starts: Iterable[int]) -> Iterator[str]:
    """Gives the words, up to a colon, that introduce the list that each piece begins inside.

    What lies before an earlier piece is not read again.
    """
    known = found = 0  # where the last line that was read begins, and the last that is no item
    line = ""
    for start in starts:
        if not _LIST_ITEM.match(text, start):
            yield ""
            continue
        farthest = max(0, start - LEAD_CHARS)
        lines = text[max(known, farthest) : start].splitlines(keepends=True)
        known = at = start
        for place, each in enumerate(reversed(lines)):
            at -= len(each)
            known = known if place else at
            if at <= farthest:
                break
            if each.strip() and each[0] not in " \t" and not _LIST_ITEM.match(each):
                found, line = at, each
                break
        yield _introducing(line.strip()) if found > farthest else ""


def _introducing(words: str) -> str:
    return words.rstrip(":：") if words[-1] in ":：" and words[0] != "#" else ""


def _units(text: str, sections: Sequence[Section], header_end: int) -> Iterator[_Unit]:
    """Yields each section that fits with all below it as one, and any other on its own."""
    after = _subtree_ends(sections)
    place = 0
    if header_end:
        place = _opening(text, sections, header_end)
        end = sections[place - 1].end if place else 0
        is_head = end <= TARGET_CHARS and not _says(text, header_end, end, SENTENCE_WORDS)
        for unit in _unit(text, sections[:place], closed=not is_head, is_head=is_head):
            yield replace(unit, bare=is_head)
    is_first = not place
    while place < len(sections):
        below = after[place]
        fits = sections[below - 1].end - sections[place].start <= TARGET_CHARS
        own = below if fits else place + 1
        start, end = sections[place].start, sections[own - 1].end
        least = SAID_WORDS if place else SENTENCE_WORDS
        is_first = is_first and end <= TARGET_CHARS and not _says(text, start, end, least)
        yield from _unit(text, sections[place:own], leads=own < below, is_head=is_first)
        place = own


def _opening(text: str, sections: Sequence[Section], header_end: int) -> int:
    """Counts the sections that hold the header and the introduction, which is before any other."""
    place = bisect_right(sections, header_end - 1, key=lambda section: section.start)
    only_header = _NONBLANK.search(text, header_end, sections[place - 1].end) is None
    if only_header and place < len(sections) and sections[place].level == 1:
        together = sections[place].end - sections[0].start <= TARGET_CHARS
        alone = _NONBLANK.search(text, sections[place].body_start, sections[place].end) is None
        return place + (together or alone)
    return place


def _says(text: str, start: int, end: int, least: int) -> bool:
    """Tells whether a stretch has prose: a head has only headings, fields and single words."""
    for line in _TARGET.sub("]", _COMMENT.sub("", text[start:end])).splitlines():
        words = len(_SAID_WORD.findall(line))
        if _HEADING_LINE.match(line):
            continue
        if line.rstrip().endswith((".", "!", "?", "。")):
            if words >= least or not line.isascii():
                return True
        elif words >= SAID_WORDS and not _FIELD_NAME.match(line):
            return True
    return False


def head_end(text: str) -> int:
    """Says where a text begins to say something, below its front matter, title and fields.

    The headings directly above that are not below them; 0 where nothing is said.
    """
    place = before = front_matter_end(text)
    begun: int | None = None
    for line in text[place : place + MAX_CHARS].splitlines(keepends=True):
        if _HEADING_LINE.match(line):
            is_rule = not line.lstrip().startswith("#")
            begun = begun if begun is not None else before if is_rule else place
        elif line.strip():
            if _says(line, 0, len(line), SENTENCE_WORDS):
                return place if begun is None else begun
            begun = None
        before, place = place, place + len(line)
    return 0


def _subtree_ends(sections: Sequence[Section]) -> list[int]:
    """Says for each section which is the first after it that is not below it."""
    ends = [len(sections)] * len(sections)
    above: list[int] = []
    for place, section in enumerate(sections):
        while above and not 0 < sections[above[-1]].level < section.level:
            ends[above.pop()] = place
        above.append(place)
    return ends


def _unit(
    text: str,
    sections: Sequence[Section],
    leads: bool = False,
    closed: bool = False,
    is_head: bool = False,
) -> Iterator[_Unit]:
    span = trimmed(text, sections[0].start, sections[-1].end) if sections else None
    if span:
        bodies = (_NONBLANK.search(text, part.body_start, part.end) for part in sections)
        path = sections[-1 if closed else 0].path
        yield _Unit(*span, path, path[:-1], not any(bodies), leads, closed, is_head)


def _packed(units: Iterator[_Unit]) -> Iterator[_Unit]:
    """Joins small neighbours; no unit that comes out is only headings unless all are."""
    group: _Unit | None = None
    done: _Unit | None = None
    for unit in units:
        if group and _belongs(unit, group):
            is_small = unit.end - group.start <= TARGET_CHARS
            takes_on = group.bare or (group.is_head and not (unit.is_head or is_small))
            group = replace(
                group,
                end=unit.end,
                path=unit.path if takes_on else group.path,
                bare=group.bare and (unit.bare or unit.is_head),
                is_head=group.is_head and (unit.bare or unit.is_head),
                head=unit.start - group.start if takes_on and group.is_head else group.head,
            )
            continue
        if done:
            yield done
        done, group = group, unit
    if done and group and group.bare:
        done, group = replace(done, end=group.end), None
    yield from filter(None, (done, group))


def _belongs(unit: _Unit, group: _Unit) -> bool:
    size = unit.end - group.start
    if group.bare or group.is_head:
        return not unit.bare or size <= TARGET_CHARS
    if group.closed or (unit.bare and unit.leads):
        return False
    if unit.bare:
        return size <= MAX_CHARS
    related = len(unit.path) > len(group.parent) and unit.path[: len(group.parent)] == group.parent
    return related and size <= TARGET_CHARS and not _starts_anew(unit, group)


def _starts_anew(unit: _Unit, group: _Unit) -> bool:
    """Decides by the heading alone, so that after a change the old boundaries come back."""
    anchor = crc32(repr(unit.path[-1:]).encode("ascii", "replace")) % ANCHOR_ONE_IN == 0
    return anchor and group.end - group.start >= TARGET_CHARS // LEAST_SHARE


def _blocks(text: str) -> list[Span]:
    """Finds the fenced code and the tables."""
    blocks: list[Span] = []
    fence, opened = "", 0
    for mark in _BLOCK_LINE.finditer(text):
        newline = text.find("\n", mark.end())
        end = newline + 1 if newline >= 0 else len(text)
        rest = text[mark.end() : min(end, mark.end() + MAX_CHARS)].strip()
        if fence:
            if mark[1] and mark[1].startswith(fence) and not rest:
                blocks.append((opened, end))
                fence = ""
        elif mark[1]:
            if mark[1][0] not in rest:
                fence, opened = mark[1], mark.start()
        elif blocks and blocks[-1][1] == mark.start():
            blocks[-1] = (blocks[-1][0], end)
        else:
            blocks.append((mark.start(), end))
    return blocks


def _pieces(
    text: str, unit: _Unit, whole: Sequence[Span], cuts: Sequence[re.Pattern[str]]
) -> Iterator[Span]:
    start, end = unit.start, unit.end
    while end - start > (room := _room_of(text, unit, start)):
        cut = _cut(text, start, end, room, whole, cuts)
        yield from filter(None, [trimmed(text, start, cut)])
        start = first_nonblank(text, cut, end)
    if start < end:
        yield start, end


def _room_of(text: str, unit: _Unit, start: int) -> int:
    """Says how many characters the next piece of a unit may have, the first one beside its head."""
    head = unit.head if start == unit.start else 0
    return min(MAX_CHARS, head + _room(text, start + head, unit.end))


def _room(text: str, start: int, end: int) -> int:
    """Says how many characters the next piece may have; code and digits get fewer than prose."""
    width = min(end - start, TARGET_CHARS)
    tokens = len(_TOKEN.findall(text, start, start + width))
    return TARGET_CHARS if tokens <= TARGET_TOKENS else width * TARGET_TOKENS // tokens


def _cut(
    text: str,
    start: int,
    end: int,
    room: int,
    whole: Sequence[Span],
    cuts: Sequence[re.Pattern[str]],
) -> int:
    """Chooses where a piece ends: the last of the strongest places that leave no scrap."""
    scrap = room // LEAST_SHARE
    least, most = start + scrap, max(start + scrap, min(start + room, end - scrap))
    near = list(_overlapping(whole, start, most))
    for pattern in _BLOCK_CUTS:
        if cut := _last(pattern, text, start, least, most, near):
            return cut
    if near and near[-1][1] > most:
        return _around(near[-1], start, end)
    for pattern in cuts:
        if cut := _last(pattern, text, start, least, most, near):
            return cut
    return most


def _overlapping(whole: Sequence[Span], start: int, most: int) -> Iterator[Span]:
    for place in range(max(0, bisect_right(whole, start, key=_begin) - 1), len(whole)):
        if whole[place][0] >= most:
            return
        if whole[place][1] > start:
            yield whole[place]


def _begin(span: Span) -> int:
    return span[0]


def _around(block: Span, start: int, end: int) -> int:
    """Ends a piece after a block that fits in it, or before one that does not."""
    if end - start <= MAX_CHARS:
        return end
    return block[1] if block[1] - start <= MAX_CHARS else block[0]


def _last(
    pattern: re.Pattern[str], text: str, start: int, least: int, most: int, near: Sequence[Span]
) -> int:
    """Finds the last match that ends in the window and outside whole blocks; 0 without any."""
    ends = [match.end() for match in pattern.finditer(text, start, most + 1)]
    for cut in reversed(ends):
        if least <= cut <= most and not any(block[0] < cut < block[1] for block in near):
            return cut
    return 0
