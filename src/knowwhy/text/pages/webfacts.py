"""What a web page says of itself: title, authors, date, site and language."""

import json
from collections.abc import Iterator
from typing import Any

from knowwhy.text.times import find_time
from knowwhy.types import Json

MAX_FACT = 500  # characters of one fact; longer ones are content
MAX_LINKED = 200_000  # characters of one JSON-LD block that are read
MAX_LINKED_BLOCKS = 20  # JSON-LD blocks of one page; real ones have up to five
MAX_VALUES = 2000  # values of a JSON-LD block that are looked at
MAX_AUTHORS = 50  # authors of one page

_TITLES = ("citation_title", "og:title", "dc.title", "dcterms.title", "twitter:title", "headline")
_AUTHORS = (
    *("citation_author", "author", "article:author", "dc.creator", "dcterms.creator"),
    *("parsely-author", "sailthru.author", "byl"),
)
_DATES = (
    *("article:published_time", "citation_publication_date", "citation_date", "datepublished"),
    *("dc.date", "dcterms.created", "dcterms.date", "date", "pubdate", "parsely-pub-date"),
    *("publish-date", "og:published_time", "article:modified_time", "last-modified"),
    *("datemodified", "dcterms.modified", "revised"),
)
_OTHERS = {
    "description": ("description", "og:description"),
    "site": ("og:site_name", "application-name"),
    "url": ("canonical", "og:url"),
    "language": ("language", "og:locale"),
}
_WANTED = frozenset(
    (*_TITLES, *_AUTHORS, *_DATES, *(n for names in _OTHERS.values() for n in names))
)
_SEPARATORS = (" | ", " – ", " — ", " - ", " · ", " :: ", " » ")

Element = Any  # lxml's, which has no types


def page_facts(root: Element, text: str) -> dict[str, Json]:
    """Reads a page's facts from its head, its JSON-LD and its first times."""
    said = _said(root)
    facts: dict[str, Json] = {
        "title": _title(root, said, text),
        "authors": _authors(said),
        "date": _date(root, said),
    }
    for name, spellings in _OTHERS.items():
        facts[name] = next((value for s in spellings for value in said.get(s, ())), None)
    facts["language"] = facts["language"] or root.get("lang")
    return {name: value for name, value in facts.items() if value}


def _said(root: Element) -> dict[str, list[str]]:
    """Gathers the named values of a page: its meta tags before its JSON-LD."""
    said: dict[str, list[str]] = {}
    for name, value in (*_meta(root), *_linked(root)):
        name, words = name.strip().lower(), " ".join(value[:MAX_FACT].split())
        if name in _WANTED and words and words not in said.setdefault(name, []):
            said[name].append(words)
    return said


def _meta(root: Element) -> Iterator[tuple[str, str]]:
    for element in root.iter("meta", "link"):
        for attribute in ("name", "property", "itemprop", "http-equiv", "rel"):
            value = element.get("content") or element.get("href") or ""
            if element.get(attribute):
                yield element.get(attribute), value


def _linked(root: Element) -> Iterator[tuple[str, str]]:
    """Yields what the page's JSON-LD says, without its nesting except for authors."""
    blocks = [s for s in root.iter("script") if "ld+json" in (s.get("type") or "").lower()]
    for block in blocks[:MAX_LINKED_BLOCKS]:
        try:
            values: list[tuple[str, Any]] = [("", json.loads((block.text or "")[:MAX_LINKED]))]
        except (ValueError, RecursionError):
            continue
        for _ in range(MAX_VALUES):
            if not values:
                break
            name, value = values.pop()
            if isinstance(value, str):
                yield name, value
            elif isinstance(value, list):
                values += [(name, inner) for inner in reversed(value)]
            elif isinstance(value, dict) and name == "author":
                values.append((name, value.get("name")))
            elif isinstance(value, dict):
                values += [p for p in value.items() if p[0] in _LINKED or _is_graph(*p)]


_LINKED = frozenset(("headline", "author", "datePublished", "dateModified"))


def _is_graph(name: str, value: Any) -> bool:
    return name in ("@graph", "mainEntity") and isinstance(value, dict | list)


def _title(root: Element, said: dict[str, list[str]], text: str) -> str | None:
    named = next((value for name in _TITLES for value in said.get(name, ())), "")
    written = " ".join("".join(_first_text(root, "title")).split())
    title = (named or written)[:MAX_FACT]
    heading = " ".join("".join(_first_text(root, "h1")).split()).strip("¶# ")
    if heading and heading in title:
        return heading
    if not named:
        title = _without_site(title, said.get("og:site_name", [""])[0])
    return title or heading[:MAX_FACT] or None


def _first_text(root: Element, tag: str) -> Iterator[str]:
    element = next(root.iter(tag), None)
    length = 0
    for piece in () if element is None else element.itertext():
        yield piece
        length += len(piece)
        if length > MAX_FACT:
            return


def _without_site(title: str, site: str) -> str:
    for separator in _SEPARATORS:
        before, found, after = title.rpartition(separator)
        if found and site and after.strip().lower() == site.lower():
            return before.strip()
    return title


def _authors(said: dict[str, list[str]]) -> list[str]:
    for name in _AUTHORS:
        found = [value for value in said.get(name, ()) if "://" not in value]
        if found:
            return found[:MAX_AUTHORS]
    return []


def _date(root: Element, said: dict[str, list[str]]) -> str | None:
    for name in _DATES:
        for value in said.get(name, ()):
            if moment := find_time(value):
                return moment.isoformat()
    element = next((t for t in root.iter("time") if t.get("datetime")), None)
    moment = find_time(element.get("datetime")[:MAX_FACT]) if element is not None else None
    return moment.isoformat() if moment else None
