"""Turns web pages into Markdown: what a reader came for, without what surrounds it.

The tree is lxml's and the walk over it is ours: the converters that exist recurse, so that a
page nested a thousand deep stops them, and they keep menus and cookie banners.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

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
MAX_HEADING = 300  # characters of a heading that are compared with an id
MAX_INSIDE = 600  # elements that begin or end in a heading; one of mathematics has some hundred
OWN_WORDS = 400  # characters outside links; with more, paragraphs are worth reading wherever
MAX_ASKING = 1500  # characters outside links around buttons; more are a page with a form in it
FEW_WORDS = 60  # characters without a paragraph; with more, it is a text that only lacks its tags
WORDS_TO_LINKS = 10  # characters outside links for one inside; a banner has fewer
FEWEST_TO_BAD = 1000  # bytes for each that means nothing; with fewer, the encoding is another

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
# Elements that may be nothing but a menu or a banner; others are part of what surrounds them.
_CONTAINERS = frozenset(("div", "section", "ul", "ol", "form", "aside", "header", "span", "table"))
_ASKS = frozenset(("button", "input", "select", "textarea"))
_PROSE = frozenset(("p", "pre", "blockquote", "dl", "table", "figure"))
_NOTED = regex(r"\b(?:admonition|footnotes?|citations?|topic|callout|note|tip|warning|hint)\b")
_UNSEEN = regex(
    r"(?:^|;)\s{0,9}(?:display\s{0,9}:\s{0,9}none|visibility\s{0,9}:\s{0,9}hidden)", re.I
)
_NOT_REALLY = frozenset(("has", "with", "no", "without", "is", "hide", "show", "main"))
_WORD = regex(r"[a-z]+")
_CONTROL = regex(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufeff]")
_MARKED = {b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
_DECLARED = re.compile(
    rb"<meta[^>]{1,200}?charset\s*=\s*[\"']?([\w:.-]{2,30})"
    rb"|^\s{0,9}<\?xml[^>]{1,100}?encoding\s*=\s*[\"']([\w:.-]{2,30})",
    re.I,
)
_LABELS = {  # encodings with the labels that mean them by the Encoding Standard
    "utf-8-sig": "utf-8 utf8 unicode-1-1-utf-8 unicode11utf8 x-unicode20utf8 utf-16 utf-16le"
    " utf-16be ucs-2 unicode csunicode iso-10646-ucs-2",  # UTF-16 is never true where it is read
    "windows-1252": "ascii us-ascii ansi_x3.4-1968 iso-8859-1 iso8859-1 iso88591 iso_8859-1 latin1"
    " l1 iso_8859-1:1987 iso-ir-100 csisolatin1 ibm819 cp819 cp1252 x-cp1252 x-user-defined",
    "cp1254": "iso-8859-9 iso8859-9 iso88599 iso_8859-9 latin5 l5 iso_8859-9:1989 iso-ir-148"
    " csisolatin5 windows-1254 x-cp1254",
    "cp874": "iso-8859-11 iso8859-11 iso885911 tis-620 dos-874 windows-874",
    "gb18030": "gb2312 gbk chinese csgb2312 csiso58gb231280 gb_2312 gb_2312-80 iso-ir-58 x-gbk",
    "big5hkscs": "big5 big5-hkscs cn-big5 csbig5 x-x-big5",
    "cp932": "shift_jis shift-jis sjis x-sjis ms_kanji ms932 csshiftjis windows-31j",
    "cp949": "euc-kr cseuckr ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 korean iso-ir-149"
    " csksc56011987 windows-949",
    "euc_jp": "euc-jp x-euc-jp cseucpkdfmtjapanese",
    "iso2022_jp": "iso-2022-jp csiso2022jp",
    "iso-8859-8": "iso-8859-8-i logical visual csiso88598i csiso88598e iso-8859-8-e",
    "koi8-r": "koi koi8 koi8_r cskoi8r",
    "koi8-u": "koi8-ru",
    "mac-roman": "macintosh mac x-mac-roman csmacintosh",
    "mac-cyrillic": "x-mac-cyrillic x-mac-ukrainian",
    **{f"cp{n}": f"x-cp{n} windows-{n}" for n in (1250, 1251, 1253, 1255, 1256, 1257, 1258)},
}
_MEANT = {label: name for name, labels in _LABELS.items() for label in labels.split()}
_LATIN = {n: bytes([n]).decode("cp1252", "ignore") or chr(n) for n in range(0x80, 0xA0)}


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
    """Reads a page's bytes in the encoding that browsers take for what it declares, else UTF-8."""
    declared = _DECLARED.search(raw[:HEAD])
    label = (declared[1] or declared[2]).decode("ascii").lower() if declared else "utf-8"
    marked = next((name for mark, name in _MARKED.items() if raw.startswith(mark)), None)
    encoding = marked or _MEANT.get(label, label)
    if encoding == "windows-1252":  # where some bytes mean nothing, which browsers let pass
        return raw.decode("latin-1").translate(_LATIN)
    try:
        return raw.decode(encoding)
    except UnicodeDecodeError:
        text = raw.decode(encoding, "replace") if declared or marked else ""
        if text and FEWEST_TO_BAD * text.count("\ufffd") <= len(raw):
            return text
    except LookupError:
        pass
    shown = label if marked is None else marked.removesuffix("-sig")
    raise BadInput(f"is not in {shown.upper()}; convert it")


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
    chrome: set[etree._Element] = field(default_factory=set)  # what its name and its make-up tell


@dataclass(slots=True)
class _Held:
    """What an element holds."""

    is_holder: bool
    words: int = 0  # characters that are shown
    linked: int = 0  # of those in links
    prose: int = 0  # paragraphs, tables and the like
    asks: int = 0  # buttons and fields
    heading: str | None = None  # the first one

    def add(self, inner: "_Held", tag: str) -> None:
        """Takes in what an element inside holds."""
        self.words += inner.words
        self.linked += inner.words if tag == "a" else inner.linked
        self.prose += inner.prose + (tag in _PROSE)
        self.asks += inner.asks + (tag in _ASKS)
        self.is_holder |= inner.is_holder
        self.heading = inner.heading if self.heading is None else self.heading


def _survey(root: etree._Element) -> _Survey:
    survey = _Survey()
    tables: list[etree._Element] = []
    holding: list[_Held] = []
    headings = 0  # that are open
    for event, element in etree.iterwalk(root, events=("start", "end")):
        if event == "start":
            if tables and (element.tag in ("table", "pre") or element.tag in HEADINGS):
                survey.layout.add(tables[-1])
            if element.tag == "table":
                tables.append(element)
            held = _Held(element.tag in ("main", "article", "h1", "body"))
            held.words = 0 if element.tag in _DROPPED else len((element.text or "").strip())
            holding.append(held)
            headings += element.tag in HEADINGS
            continue
        if element.tag == "table":
            tables.pop()
        held = holding.pop()
        if element.tag in HEADINGS:
            headings -= 1
            if not headings:
                held.heading = "".join(_first_words(element))
        if held.is_holder:
            survey.holders.add(element)
        elif _is_named_chrome(element, held):
            survey.chrome.add(element)
        if holding:
            holding[-1].add(held, element.tag)
            holding[-1].words += len((element.tail or "").strip())
    return survey


def _first_words(element: etree._Element) -> Iterator[str]:
    length = 0
    walk = etree.iterwalk(element, events=("start", "end"))
    for event, inner in islice(walk, MAX_INSIDE):
        if event == "end" and inner is element:
            return
        piece = (inner.text if event == "start" else inner.tail) or ""
        yield piece[: MAX_HEADING - length]
        length += len(piece)
        if length >= MAX_HEADING:
            return


def _is_named_chrome(element: etree._Element, held: _Held) -> bool:
    """Tells a menu or a banner from a section whose heading gave it such a name.

    People choose classes; tools make ids of headings. So an id counts only where what the element
    holds says the same: links, a question, or hardly anything.
    """
    own = held.words - held.linked
    called = _called_chrome(element.get("class"))
    if called:
        is_told = bool(held.heading) and WORDS_TO_LINKS * held.linked < own
        is_topic = is_told and all(map(_may_be_topic, called))
        is_long = own >= OWN_WORDS and 2 * held.linked < own
        return not (held.prose and not held.asks and (is_topic or is_long))
    name = element.get("id")
    if element.tag not in _CONTAINERS or not _called_chrome(name):
        return False
    is_headed = held.heading is not None and _words(name) <= _words(held.heading)
    if held.asks and own <= (OWN_WORDS if is_headed else MAX_ASKING) and element.tag != "section":
        return True
    if is_headed:
        return False
    is_bare = held.heading is None and not held.prose and own < FEW_WORDS
    return is_bare or held.linked >= own


def _called_chrome(names: str | None) -> list[str]:
    return [name for name in (names or "")[:MAX_NAMES].lower().split() if _names_chrome(name)]


def _may_be_topic(name: str) -> bool:
    """Tells a name that only begins like that of a banner: cookie-policy, share-nothing."""
    words = _WORD.findall(name)
    return len(words) > 1 and words[-1] not in _CHROME_FIRST | _CHROME_LAST


def _words(name: str | None) -> set[str]:
    return set(_WORD.findall((name or "")[:MAX_HEADING].lower()))


def _main(root: etree._Element) -> etree._Element:
    """Finds the one element that says it holds the content."""
    for path in (".//main", ".//*[@role='main']", ".//article"):
        found = root.findall(path)
        if len(found) == 1:
            return found[0]
    return root


def _is_chrome(element: etree._Element, survey: _Survey, strict: bool) -> bool:
    tag = element.tag
    if tag in _DROPPED or _is_unseen(element):
        return tag not in ("body", "html")
    is_holder = element in survey.holders  # what an open dialog hides from readers aloud
    if element.get("aria-hidden") == "true" and not is_holder:
        return True
    if not strict or is_holder:
        return False
    role = (element.get("role") or "").lower()
    if tag in _FRAME or role in _ROLES:
        names = (element.get("class") or "")[:MAX_NAMES].lower()
        return not (tag == "aside" and _NOTED.search(names))
    return element in survey.chrome


def _is_unseen(element: etree._Element) -> bool:
    """Tells what a reader of the page is not shown."""
    style = element.get("style")
    is_styled_away = style is not None and _UNSEEN.search(style[:MAX_NAMES]) is not None
    return is_styled_away or element.get("hidden") is not None


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
