"""Reads documents that were made for the eye: web pages and PDF files."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import PurePosixPath
from typing import Any

from knowwhy.errors import BadInput
from knowwhy.ingest import apart
from knowwhy.ingest.document import texts
from knowwhy.text.formats.naming import title_of_path
from knowwhy.text.pages.markdown import heading_title, plain
from knowwhy.text.relating.people import split_people
from knowwhy.text.times import parse_time
from knowwhy.types import Draft, Json

MAX_PDF_BYTES = 100_000_000  # bytes; a scanned book, which has no text anyway
MAX_PAGES = 3000  # pages; the longest processor manuals have some 5,000, in volumes below that
MAX_TEXT = 20_000_000  # characters of all pages; thrice what 3,000 full pages hold
MAX_BOOKMARKS = 5000  # entries of a table of contents
MAX_BOOKMARK_DEPTH = 5  # levels; below the sixth heading Markdown has none
MAX_WORD = 60  # characters of half a word
MAX_FACT = 2000  # characters of one fact that a PDF says of itself
MAX_TITLE = 200  # characters; a longer first line is prose
EDGE_LINES = 2  # lines at the top and at the foot of a page where running titles stand
FEWEST_PAGES = 3  # pages on which a line must recur to be a running title
RUNNING_SHARE = 0.4  # of the pages; left and right pages often have titles of their own
PAGE_BREAK = "\f"  # what pdftotext writes between pages; it is white space to everything here

_PASSWORD, _SECURITY = 4, 5  # PDFium's numbers for what needs a password

_HYPHEN = "\x02\ufffe"  # what PDFium gives for a hyphen at the end of a line
_BROKEN = re.compile(rf"[{_HYPHEN}]\s?|(?<=\w)-\n(?=[^\W\d_])")
_WORD_BEFORE, _WORD_AFTER = re.compile(r"(?<!\w)\w+$"), re.compile(r"\w+")
_HYPHENED = re.compile(r"\b\w++-\w++")
_BULLET = re.compile(r"[•◦▪‣●○■]\s")
_BLANK = re.compile(r"\n{3,}")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff\ufeff\ufffe\uffff]")
_PAGE_NUMBER = re.compile(
    r"(?:page\s)?[-–—|\s]*(?:\d{1,5}|[ivxl]{1,7})(?:\s?(?:of|/)\s?\d{1,5})?[-–—|\s]*", re.I
)
_DIGITS = re.compile(r"\d+")
_MARKUP = re.compile(r"#{1,6}(?:\s|$)|[=-]{3,}$")
_PDF_DATE = re.compile(
    r"(?:D:)?(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:(Z)|([+-]\d\d)'?(\d\d)?)?", re.A
)
_NO_TITLE = re.compile(
    r"(?:microsoft word\s*-\s*.*|untitled.*|document\d*|.*\.(?:docx?|pdf|tex|indd|dvi|odt|pptx?))",
    re.I,
)


def read_webpage(text: str, *, path: str) -> Draft:
    """Reads a web page as a document in Markdown."""
    content, facts = apart.parse(apart.WEBPAGE, text.encode("utf-8", "replace"))
    if not content.strip():
        raise BadInput(f"{path or 'The page'} holds no text.")
    return _draft(content, facts, path, heading_title(content))


def read_pdf(raw: bytes, *, path: str) -> Draft:
    """Reads a PDF file as a document in Markdown."""
    _check_size(raw)
    content, facts = apart.parse(apart.PDF, raw)
    return _draft(content, facts, path, _first_line(content))


def _draft(content: str, facts: dict[str, Json], path: str, otherwise: str | None) -> Draft:
    authors = [name for line in texts(facts.get("authors")) for name, _ in split_people(line)]
    return Draft(
        id="",
        kind="document",
        title=plain(facts.get("title") or otherwise or "") or title_of_path(path),
        content=content,
        authors=tuple(dict.fromkeys(name.removeprefix("@") for name in authors)),
        occurred_at=parse_time(facts.get("date") or ""),
        metadata={**facts, "format": PurePosixPath(path).suffix.lower().lstrip(".") or None},
    )


def pdf_to_text(raw: bytes) -> tuple[str, dict[str, Json]]:
    """Gives a PDF's text page by page, its bookmarks as headings, and what it says of itself."""
    _check_size(raw)
    pages, bookmarks, told = _taken_out(raw)
    if not any(page.strip() for page in pages):
        raise BadInput("The PDF has only pictures of text; run text recognition (OCR) on it first.")
    kept = _without_running_titles([_lines(page) for page in pages])
    whole = _unbroken(f"\n{PAGE_BREAK}\n".join("\n".join(lines) for lines in kept))
    named: dict[int, dict[str, int]] = {}
    for page, level, title in bookmarks:
        named.setdefault(page, {}).setdefault(_folded(title), level)
    text = f"\n\n{PAGE_BREAK}\n".join(
        _headed(part.strip("\n"), named.get(page, {}))
        for page, part in enumerate(whole.split(PAGE_BREAK))
    )
    return text.strip("\n"), _facts(told) | {"pages": len(pages)}


def _check_size(raw: bytes) -> None:
    if len(raw) > MAX_PDF_BYTES:
        raise BadInput(f"The PDF is larger than {MAX_PDF_BYTES // 1_000_000} MB; split it.")


Bookmark = tuple[int, int, str]  # its page, its level and its words


def _taken_out(raw: bytes) -> tuple[list[str], list[Bookmark], dict[str, str]]:
    import pypdfium2  # type: ignore[import-untyped]  # only in the child; it ships no types

    try:
        pdf = pypdfium2.PdfDocument(raw)
    except pypdfium2.PdfiumError as error:
        code = getattr(error, "err_code", None)  # of the last failure, even of another file
        if code in (_PASSWORD, _SECURITY) and b"/Encrypt" in raw:
            raise BadInput("The PDF is encrypted; save a copy without a password.") from None
        raise BadInput("The PDF is broken: its pages cannot be found.") from None
    try:
        if len(pdf) > MAX_PAGES:
            raise BadInput(f"The PDF has {len(pdf):,} pages; at most {MAX_PAGES:,} are read.")
        return _pages(pdf), list(_bookmarks(pdf)), pdf.get_metadata_dict(skip_empty=True)
    except pypdfium2.PdfiumError:
        raise BadInput("The PDF is broken: one of its pages cannot be read.") from None
    finally:
        pdf.close()


def _pages(pdf: Any) -> list[str]:
    pages = []
    left = MAX_TEXT
    for page in pdf:
        words = page.get_textpage()
        pages.append(words.get_text_bounded().replace("\r\n", "\n").replace("\r", "\n"))
        words.close()
        page.close()
        left -= len(pages[-1])
        if left < 0:
            raise BadInput(f"The PDF has more than {MAX_TEXT:,} characters of text; split it.")
    return pages


def _bookmarks(pdf: Any) -> Iterator[Bookmark]:
    for count, entry in enumerate(pdf.get_toc(max_depth=MAX_BOOKMARK_DEPTH)):
        if count >= MAX_BOOKMARKS:
            return
        target = entry.get_dest()
        page = target.get_index() if target else None
        title = " ".join(entry.get_title().split())
        if page is not None and 0 < len(title) <= MAX_TITLE:
            yield page, entry.level, title


def _lines(page: str) -> list[str]:
    lines = (" ".join(line.split()) for line in page.split("\n"))
    return [_control_free(line) for line in lines if line]


def _control_free(line: str) -> str:
    kept = _CONTROL.sub(lambda match: match[0] if match[0] in _HYPHEN else "", line)
    bullet = _BULLET.match(kept)
    if bullet:
        return f"- {kept[bullet.end() :]}"
    return f"\\{kept}" if _MARKUP.match(kept) else kept


def _without_running_titles(pages: Sequence[list[str]]) -> list[list[str]]:
    """Drops page numbers, and after the first page what stands at the edge of many pages."""
    seen = Counter(words for lines in pages for words in {_shape(lines[i]) for i in _edges(lines)})
    often = max(FEWEST_PAGES, len(pages) * RUNNING_SHARE)
    kept = []
    for number, lines in enumerate(pages):
        running = {i for i in _edges(lines) if number and seen[_shape(lines[i])] >= often}
        outer = {i for i in (0, len(lines) - 1) if lines and len(pages) > 1}
        running |= {i for i in outer if _PAGE_NUMBER.fullmatch(lines[i])}
        kept.append([line for i, line in enumerate(lines) if i not in running])
    return kept


def _edges(lines: Sequence[str]) -> set[int]:
    count = len(lines)
    return {i for i in range(count) if i < EDGE_LINES or i >= count - EDGE_LINES}


def _shape(line: str) -> str:
    return _DIGITS.sub("0", line.casefold())


def _unbroken(text: str) -> str:
    """Joins words that were broken at the end of a line, and keeps the hyphen of compounds."""
    compounds = set(_HYPHENED.findall(text.casefold()))

    def joint(match: re.Match[str]) -> str:
        first = _WORD_BEFORE.search(text[max(0, match.start() - MAX_WORD) : match.start()])
        second = _WORD_AFTER.match(text[match.end() : match.end() + MAX_WORD])
        if first is None or second is None:
            return "-"
        is_compound = f"{first[0]}-{second[0]}".casefold() in compounds
        is_word = first[0][-1].isalpha() and second[0][0].islower()
        return "" if is_word and not is_compound else "-"

    return _BROKEN.sub(joint, text)


def _headed(page: str, levels: dict[str, int]) -> str:
    """Writes the lines that a page's bookmarks name as headings."""
    lines = []
    for line in page.split("\n"):
        level = levels.pop(_folded(line), None) if levels else None
        lines.append(line if level is None else f"\n{'#' * min(level + 2, 6)} {line}\n")
    return _BLANK.sub("\n\n", "\n".join(lines)).strip("\n")


def _folded(title: str) -> str:
    return re.sub(r"^[\d.\s]+|\W+", "", title.casefold())


def _facts(told: dict[str, str]) -> dict[str, Json]:
    said = {
        name: " ".join(_CONTROL.sub("", value[:MAX_FACT]).split()) for name, value in told.items()
    }
    title = said.get("Title", "")
    when = _pdf_date(said.get("CreationDate", "")) or _pdf_date(said.get("ModDate", ""))
    facts: dict[str, Json] = {
        "title": None if _NO_TITLE.fullmatch(title) else title[:MAX_TITLE],
        "authors": [said["Author"]] if said.get("Author") else None,
        "date": when.isoformat() if when else None,
        "description": said.get("Subject"),
        "keywords": said.get("Keywords"),
    }
    return {name: value for name, value in facts.items() if value}


def _pdf_date(written: str) -> datetime | None:
    """Reads D:20240312100000+01'00'."""
    match = _PDF_DATE.match(written)
    if not match:
        return None
    year, month, day, hour, minute, second, _, ahead, past = match.groups()
    zone = f"{ahead}:{past or '00'}" if ahead else "+00:00"
    day_part = f"{year}-{month or '01'}-{day or '01'}"
    return parse_time(f"{day_part}T{hour or '00'}:{minute or '00'}:{second or '00'}{zone}")


def _first_line(content: str) -> str | None:
    line = next((line for line in content.split("\n") if line.strip()), "")
    return line if len(line.split()) > 1 and len(line) <= MAX_TITLE else None
