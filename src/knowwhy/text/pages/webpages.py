"""Turns web pages into Markdown: what a reader came for, without what surrounds it.

The tree is lxml's and the walk over it is ours: the converters that exist recurse, so that a
page nested a thousand deep stops them, and they keep menus and cookie banners.
"""

import re
from dataclasses import dataclass, field

from lxml import etree  # type: ignore[import-untyped]  # it ships no types

from knowwhy.errors import BadInput
from knowwhy.text.pages.page_blocks import HEADINGS, PageBlocks
from knowwhy.text.pages.webfacts import page_facts
from knowwhy.text.patterns import regex
from knowwhy.types import Json

MAX_PAGE = 20_000_000  # characters; the largest specifications published as one page have 12 MB
MAX_DEPTH = 2048  # levels of elements; the parser's own limit, and no page is written by hand so
ENOUGH = 200  # characters in <main> or <article>; fewer, and the rest of the page is read too
HEAD = 4096  # bytes at the start in which an encoding is declared; the standard asks for 1024
MAX_NAMES = 500  # characters of an element's classes that are looked at

_DROPPED_WORDS = """
script style noscript template svg math iframe object embed canvas audio video nav footer
button select input textarea dialog head link meta map datalist
"""
_DROPPED = frozenset(_DROPPED_WORDS.split())
_FRAME = frozenset(("header", "aside", "form"))  # left out unless they hold the page's title
_ROLES_WORDS = """
navigation banner contentinfo search complementary dialog alertdialog menu menubar
toolbar
"""
_ROLES = frozenset(_ROLES_WORDS.split())
_CHROME_FIRST_WORDS = """
cookie cookies consent gdpr onetrust advert adverts ads newsletter share sharing skip
breadcrumb breadcrumbs promo
"""
_CHROME_FIRST = frozenset(_CHROME_FIRST_WORDS.split())
_CHROME_LAST_WORDS = """
nav navbar navigation menu sidebar footer breadcrumb breadcrumbs pagination toolbar masthead
headerlink linenos lineno gutter toc banner popup
"""
_CHROME_LAST = frozenset(_CHROME_LAST_WORDS.split())
_NOT_REALLY = frozenset(("has", "with", "no", "without", "is", "hide", "show", "main"))
_WORD = regex(r"[a-z]+")
_CONTROL = regex(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufeff]")
_MARKED_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_DECLARED = re.compile(rb"<meta[^>]{1,200}?charset\s*=\s*[\"']?([\w-]{2,30})", re.I)


def html_to_markdown(html: str) -> tuple[str, dict[str, Json]]:
    """Gives a page's content as Markdown, and what the page says of itself."""
    root = _parsed(html)
    if root is None:
        return "", {}
    survey = _survey(root)
    main = _main(root)
    text = _written(main, survey, strict=True)
    if len(text) < ENOUGH and main is not root:
        text = max(text, _written(root, survey, strict=True), key=len)
    return text or _written(root, survey, strict=False), page_facts(root, text)


def decode_page(raw: bytes) -> str:
    """Reads a page's bytes in the encoding that it declares, else in UTF-8."""
    declared = _DECLARED.search(raw[:HEAD])
    encoding = declared[1].decode("ascii") if declared else "utf-8-sig"
    if raw[:2] in _MARKED_UTF16:
        encoding = "utf-16"
    try:
        return raw.decode(encoding)
    except (LookupError, UnicodeDecodeError):
        raise BadInput(f"is not in {encoding.removesuffix('-sig').upper()}; convert it") from None


def _parsed(html: str) -> etree._Element | None:
    if len(html) > MAX_PAGE:
        raise BadInput(f"The page has more than {MAX_PAGE:,} characters; split it.")
    parser = etree.HTMLParser(
        encoding="utf-8", remove_comments=True, remove_pis=True, no_network=True, huge_tree=True
    )
    try:
        root = etree.fromstring(_CONTROL.sub(" ", html).encode(), parser)
    except etree.LxmlError:
        return None
    if any("depth" in entry.message for entry in parser.error_log.filter_from_fatals()):
        raise BadInput(f"The page is nested more than {MAX_DEPTH} elements deep.")
    return root


@dataclass(slots=True)
class _Survey:
    """What must be known of a page before it is written."""

    layout: set[etree._Element] = field(default_factory=set)  # tables that only place things
    holders: set[etree._Element] = field(default_factory=set)  # what the content stands in


def _survey(root: etree._Element) -> _Survey:
    survey = _Survey()
    tables: list[etree._Element] = []
    holding: list[bool] = []
    for event, element in etree.iterwalk(root, events=("start", "end")):
        if event == "start":
            if tables and (element.tag in ("table", "pre") or element.tag in HEADINGS):
                survey.layout.add(tables[-1])
            if element.tag == "table":
                tables.append(element)
            holding.append(element.tag in ("main", "article", "h1", "body"))
            continue
        if element.tag == "table":
            tables.pop()
        if holding.pop():
            survey.holders.add(element)
            if holding:
                holding[-1] = True
    return survey


def _main(root: etree._Element) -> etree._Element:
    """Finds the one element that says it holds the content."""
    for path in (".//main", ".//*[@role='main']", ".//article"):
        found = root.findall(path)
        if len(found) == 1:
            return found[0]
    return root


def _is_chrome(element: etree._Element, survey: _Survey, strict: bool) -> bool:
    tag = element.tag
    if tag in _DROPPED or element.get("hidden") is not None:
        return tag not in ("body", "html")
    if not strict or element in survey.holders:
        return False
    role = (element.get("role") or "").lower()
    if tag in _FRAME or role in _ROLES or element.get("aria-hidden") == "true":
        return not (tag == "aside" and "admonition" in (element.get("class") or ""))
    names = f"{element.get('class') or ''} {element.get('id') or ''}"[:MAX_NAMES].lower()
    return len(names) > 1 and any(map(_names_chrome, names.split()))


def _names_chrome(name: str) -> bool:
    words = _WORD.findall(name)
    if not words or words[0] in _NOT_REALLY:
        return False
    return words[0] in _CHROME_FIRST or words[-1] in _CHROME_LAST


def _written(top: etree._Element, survey: _Survey, *, strict: bool) -> str:
    page = PageBlocks(survey.layout)
    left_out: list[bool] = []
    walk = etree.iterwalk(top, events=("start", "end"))
    for event, element in walk:
        if event == "start":
            skipped = element is not top and _is_chrome(element, survey, strict)
            if skipped:
                walk.skip_subtree()
            else:
                page.open(element)
            left_out.append(skipped)
            continue
        if not left_out.pop():
            page.close(element)
        if element is not top:
            page.write(element.tail or "")
    return page.text()
