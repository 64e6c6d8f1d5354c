"""Typed edges that a record states: in its fields, headers, sections, lines and prose."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from typing import Any

from knowwhy.text.patterns import regex
from knowwhy.text.relating.citations import citations
from knowwhy.text.relating.people import is_proper, split_people
from knowwhy.text.relating.record_header import family_of, header, own_ids
from knowwhy.text.relating.relation_words import (
    INVERSE,
    OF_CHANGES,
    PEOPLE,
    RELATIONS,
    SERVICES,
    TITLED,
    relation_of,
)
from knowwhy.text.relating.zones import Zone, headings, lines, prose, sections, stated
from knowwhy.text.tokens import canonical_id, find_ids
from knowwhy.types import Edge

__all__ = ("INVERSE", "RELATIONS", "edges", "relation_of")

INLINE = Zone(0, 0, "REFERENCES", "inline")
MAX_ITEMS = 1000  # values of one field; the longest real list met has 60
MAX_NAME_WORDS = 8  # words; a longer item without an id is prose, not a title or a service
MAX_ASIDE = 200  # characters of a remark in brackets
MAX_PEOPLE_LINES = 40  # lines of a section that lists people

_LINK = regex(r"\]\(<?([^()\s<>]{1,500})|^\[[^\[\]\n]{1,100}\]:[ \t]+<?([^\s<>]{1,500})", re.M)
_PAGE_NUMBER = regex(r"(\d{1,6})(?=-|$)", re.A)  # of a page by its address: /decisions/0208-kafka
_CHANGE = regex(  # ../pull/12, which leads to no page of a folder
    r"(?:^|/)(issues?|pulls?|pull-requests|merge_requests)/(\d{1,7})"
    r"(?:/(?:files|commits|changes|diffs))?/?$",
    re.A,
)
_WIKI = regex(r"\[\[([^\[\]\n|#]{1,200})(?:[|#][^\[\]\n]{0,200})?\]\]")
_NO_PATH = regex(r"[a-z][a-z0-9+.-]{0,20}:|[#@]|//|\{|<|.*\.(?:png|jpe?g|gif|svg|webp)$", re.I)
_ITEM = regex(r"[,;\n]")
_NUMBERS = regex(r"#?\d{1,18}(?:\s+#?\d{1,18})*\s*")
_QUOTES = " \t\r\n\"'`*_[]()<>|"
_TEAM_KEY = regex(r"(?:^|[^a-z])(?:team|sig|squad|guild|group)|Team", re.I)
_NOTHING = frozenset(("none", "n/a", "na", "-", "", "tbd", "tba", "null", "nil", "unknown", "todo"))
_ASIDE = regex(r"\([^()\n]{0,200}\)")
_NO_NAME = regex(r"(?:no|not|nothing|none|does|only|see)\b", re.IGNORECASE)
# A list's item that is a name alone, or opens with one in code or bold: "- `auth`: token keys".
_LISTED = regex(
    r"^[ \t]{0,8}[-*+][ \t]{1,4}(?:[`*_]{1,3}([^\s`*][^`*\n]{0,60}?)[`*_]{1,3}(?![\w`*])"
    r"|([A-Za-z@][\w@./-]{0,60}))(?=[ \t]*(?:$|[(:,;–—]|-[ \t]))",
    re.MULTILINE,
)
_NEXT_LINE = regex(r"\n[ \t]{1,12}(\S.*)$", re.MULTILINE)
_VERSIONED = regex(r"^([\w@./-]++)(?:\s*+[<>=~!^(\[]|\s++v?\d).*$")

Target = tuple[str, str]


def edges(content: str, fields: Mapping[str, Any]) -> list[Edge]:
    """Return the edges of a record, in the order in which it states them."""
    text = prose(content)
    head, start = header(text)
    own = own_ids(fields, head)
    family = family_of(own)
    found = list(_from_fields(fields, family))
    known = {edge.relation for edge in found}
    found += [edge for edge in _from_fields(head, family) if edge.relation not in known]
    found += _from_body(text[start:], family)
    return _settle(found, own)


def _settle(found: list[Edge], own: set[str]) -> list[Edge]:
    """Drop self references and repetitions; what is typed beats the same target inline."""
    typed = {edge.target for edge in found if edge.origin != INLINE.origin}
    kept: dict[tuple[str, str], Edge] = {}
    for edge in found:
        is_repeated = edge.origin == INLINE.origin and edge.target in typed
        if edge.target not in own and not is_repeated:
            kept.setdefault((edge.relation, edge.target), edge)
    return list(kept.values())


def _from_fields(fields: Mapping[str, Any], family: str | None) -> Iterator[Edge]:
    entries = _entries(fields.get("relations"))
    for entry in entries:
        relation = relation_of(str(entry.get("relation") or ""))
        if relation and entry.get("target"):
            for target in _named(relation, str(entry["target"]), family):
                yield Edge(relation, *target, "header:relations")
    for key, value in _pairs(fields):
        if key.lower() == "status":
            yield from _from_status(key, value)
        elif key == "relations" and entries:
            continue
        elif relation := relation_of(key):
            for target in _named(relation, value, family):
                yield Edge(relation, target[0], _type_by_key(key, target), f"header:{key}")


def _type_by_key(key: str, target: Target) -> str:
    """Return the target's type, which a key such as owning-team knows better than a bare name."""
    is_bare = target[1] == "person" and "@" not in target[0]
    return "team" if is_bare and _TEAM_KEY.search(key) else target[1]


def _entries(value: Any) -> list[Mapping[str, Any]]:
    return [v for v in value if isinstance(v, Mapping)] if isinstance(value, list | tuple) else []


def _pairs(fields: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield each key with each of its values as text; a dictionary is read one level deep."""
    for key, value in fields.items():
        if not isinstance(value, Mapping):
            yield from ((str(key), text) for text in _texts(value))
            continue
        for inner, below in list(value.items())[:MAX_ITEMS]:
            is_name = below is None or isinstance(below, Mapping)
            nearer = str(inner) if relation_of(str(inner)) else str(key)
            if isinstance(below, Mapping) and nearer == str(inner):  # deciders: {Ann, Bob}
                yield from ((nearer, str(name)) for name in list(below)[:MAX_ITEMS])
                continue
            yield from ((nearer, text) for text in ([str(inner)] if is_name else _texts(below)))


def _texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, bool) or value is None:
        return []
    if isinstance(value, list | tuple | set | frozenset):
        items = sorted(value, key=str) if isinstance(value, set | frozenset) else list(value)
        return [text for item in items[:MAX_ITEMS] for text in _item_texts(item)]
    return [str(value)] if isinstance(value, int) else []


def _item_texts(item: Any) -> list[str]:
    if isinstance(item, Mapping):
        named = next(
            (item[k] for k in ("name", "id", "target", "label", "key") if item.get(k)), None
        )
        return [str(named)] if isinstance(named, str | int) else []
    return [str(item)] if isinstance(item, str | int) and not isinstance(item, bool) else []


def _from_status(key: str, value: str) -> Iterator[Edge]:
    for zone in stated(value, 0, len(value), f"header:{key}"):
        cited = _cited(value[zone.start : zone.end])
        yield from (Edge(zone.relation, *target, zone.origin) for target in cited)


def _named(relation: str, value: str, family: str | None) -> list[Target]:
    """Return the targets of a field's value: people, ids, links, or else names."""
    if relation in PEOPLE:
        return list(split_people(value))
    is_aside = relation in SERVICES and "](" not in value and not _cited(_ASIDE.sub("", value))
    cited = [] if is_aside else _cited(value)
    for item in _ITEM.split(value):
        word = item.strip(_QUOTES)
        is_change = relation in OF_CHANGES and "#" in word
        if family and not is_change and _NUMBERS.fullmatch(word):
            cited += [(f"{family}-{int(n.strip('#'))}", "record") for n in word.split()]
    has_names = relation in SERVICES or relation in TITLED
    return cited or (list(_names(relation, value)) if has_names else [])


def _names(relation: str, value: str) -> Iterator[Target]:
    for item in _ITEM.split(_ASIDE.sub("", value)):
        name = _VERSIONED.sub(r"\1", item.strip(_QUOTES))
        if _NO_NAME.match(name):
            continue
        has_letters = any(letter.isalpha() for letter in name)
        is_short = len(name.split()) <= MAX_NAME_WORDS
        if name.lower() not in _NOTHING and has_letters and is_short:
            yield (name, "service" if relation in SERVICES else "record")


def _cited(text: str) -> list[Target]:
    return list(dict.fromkeys((target, kind) for _, target, kind, _ in _occurrences(text)))


def _from_body(text: str, family: str | None) -> Iterator[Edge]:
    heads = headings(text)
    near = sorted(lines(text, heads), key=lambda zone: zone.start)
    far = list(sections(text, heads))
    for zone in near:
        if zone.origin.startswith("header:") and zone.origin.lower() != "header:status":
            named = _named(zone.relation, _value(text, zone), family)
            yield from (Edge(zone.relation, *target, zone.origin) for target in named)
    for zone in far:
        yield from _from_people_section(text, zone)
        yield from _from_service_section(text, zone)
    starts, far_starts = [z.start for z in near], [z.start for z in far]
    for start, target, kind, is_inline in _occurrences(text):
        zone = _zone_at(start, near, starts) or _zone_at(start, far, far_starts) or INLINE
        is_remark = zone.relation in SERVICES and _is_aside(text, zone, start)
        zone = INLINE if zone.relation in PEOPLE or is_remark else zone
        if zone is not INLINE or is_inline:
            yield Edge(zone.relation, target, kind, zone.origin)


def _value(text: str, zone: Zone) -> str:
    """Return what a line says, with the lines after it on which its list goes on."""
    end = zone.end
    for _ in range(MAX_PEOPLE_LINES):
        following = _NEXT_LINE.match(text, end) if text[end - 1 : end] == "," else None
        if following is None:
            break
        end = following.end()
    return text[zone.start : end]


def _is_aside(text: str, zone: Zone, at: int) -> bool:
    """Tell what a line says of a service: "Depends on: `billing` (price, see ADR-3)"."""
    opened = text.rfind("(", max(zone.start, at - MAX_ASIDE), at)
    is_open = opened > text.rfind(")", max(zone.start, at - MAX_ASIDE), at)
    return is_open and text[max(0, opened - 2) : opened].rstrip(" ")[-1:] == "`"


def _from_service_section(text: str, zone: Zone) -> Iterator[Edge]:
    """Yield the services that a section lists by their names alone."""
    if zone.relation in SERVICES:
        for match in _LISTED.finditer(text, zone.start, zone.end):
            name = match[1] or match[2]
            if not _cited(match[0]) and not _NO_NAME.match(name):
                yield Edge(zone.relation, name, "service", zone.origin)


def _zone_at(position: int, zones: list[Zone], starts: list[int]) -> Zone | None:
    at = bisect_right(starts, position) - 1
    return zones[at] if at >= 0 and position < zones[at].end else None


def _from_people_section(text: str, zone: Zone) -> Iterator[Edge]:
    if zone.relation not in PEOPLE:
        return
    for line in text[zone.start : zone.end].strip().splitlines()[:MAX_PEOPLE_LINES]:
        people = split_people(line)
        if line.strip() and not (people and all(is_proper(name) for name, _ in people)):
            return  # prose about them
        yield from (Edge(zone.relation, *person, zone.origin) for person in people)


def _occurrences(text: str) -> list[tuple[int, str, str, bool]]:
    """Return where each target is named: start, target, type, and whether prose may name it."""
    cited = [c for c in citations(text) if c.kind != "commit"]
    found = [(c.start, c.target, c.kind, c.kind in ("record", "issue")) for c in cited]
    named = {c.start: c.target for c in cited if c.kind == "record"}
    starts = sorted(named)
    for match in _LINK.finditer(text):
        path = (match[1] or match[2]).split("#")[0].removeprefix("./").rstrip(".,;")
        if path and not _NO_PATH.match(match[1] or match[2]):
            before = bisect_right(starts, match.start()) - 1
            words = text[starts[before] : match.start()] if before >= 0 else "]"
            if "]" not in words and _is_page_of(path, named[starts[before]]):
                continue
            change = _CHANGE.search(path)
            kind = "issue" if change else "path"
            named_by = f"{'!' if '_' in change[1] else '#'}{change[2]}" if change else path
            found.append((match.start(), named_by, kind, True))
    for match in _WIKI.finditer(text):
        name = match[1].strip()
        if name and not find_ids(name):  # an id in it was cited already
            found.append((match.start(), canonical_id(name) or name, "record", True))
    return sorted(found)


def _is_page_of(path: str, record: str) -> bool:
    """Tell whether a link leads to the page of the record that its words name: /adr/ADR-208."""
    stem = path.rstrip("/").rpartition("/")[2]
    if stem.casefold() == record.casefold() or canonical_id(stem) == record:
        return True
    number = _PAGE_NUMBER.match(stem) if "." not in stem else None
    return number is not None and int(number[1]) == int(record.rpartition("-")[2])
