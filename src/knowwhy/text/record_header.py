"""The header of a record: YAML front matter, or `Key: value` lines at the top of the text."""

import re
from collections.abc import Mapping
from typing import Any

import yaml

from knowwhy.text.tokens import canonical_id

MAX_HEADER = 1 << 14  # characters; the longest real header met is a third of it
MIN_KEYS = 2  # keys; one line with a colon is prose

_FRONT = re.compile(r"\s{0,20}---[ \t]*\n")
_FRONT_END = re.compile(r"^(?:---|\.\.\.)[ \t]*$", re.MULTILINE)
_KEY = re.compile(r"([A-Za-z][A-Za-z0-9 _-]{0,40}):(?:[ \t]+(.*)|)$")
_FAMILY = re.compile(r"[A-Za-z]{2,10}")
_NUMBER = re.compile(r"\s*#?\d{1,10}\s*")


def header(content: str) -> tuple[dict[str, Any], int]:
    """Return the fields of a text's header and where the text goes on after it."""
    opening = _FRONT.match(content)
    if not opening:
        return _key_lines(content)
    closing = _FRONT_END.search(content, opening.end(), opening.end() + MAX_HEADER)
    if not closing:
        return {}, 0
    block = content[opening.end() : closing.start()]
    return _from_yaml(block) or _key_lines(block)[0], closing.end()


def _from_yaml(block: str) -> dict[str, Any]:
    try:
        fields = yaml.safe_load(block)
    except (yaml.YAMLError, ValueError, RecursionError):
        return {}
    return {str(k): v for k, v in fields.items()} if isinstance(fields, dict) else {}


def _key_lines(content: str) -> tuple[dict[str, Any], int]:
    """Return the leading `Key: value` lines, with continuation lines, and their end."""
    start = len(content) - len(content.lstrip())
    fields: dict[str, Any] = {}
    position, key = start, ""
    for line in content[start : start + MAX_HEADER].splitlines(keepends=True):
        found = _KEY.match(line.rstrip())
        if found:
            key = found[1].strip()
            fields[key] = found[2] or ""
        elif key and line[:1] in " \t" and line.strip():
            fields[key] += "\n" + line.strip()
        else:
            break
        position += len(line)
    return (fields, position) if len(fields) >= MIN_KEYS else ({}, 0)


def own_ids(fields: Mapping[str, Any], head: Mapping[str, Any]) -> set[str]:
    """Return every name under which a record may cite itself."""
    names = {str(fields[k]) for k in ("label", "key", "id", "path") if fields.get(k)}
    names |= {f"{key}-{value}" for key, value in head.items() if _names_family(key, value)}
    names |= {str(head[k]) for k in ("id", "key", "label", "spec_id") if head.get(k)}
    return names | {known for known in map(canonical_id, names) if known}


def _names_family(key: str, value: Any) -> bool:
    is_number = bool(_NUMBER.fullmatch(str(value)))
    return is_number and bool(_FAMILY.fullmatch(key)) and canonical_id(f"{key}-1") is not None


def family_of(own: set[str]) -> str | None:
    """Return the family that a bare number in a header belongs to: PEP for a record PEP-9."""
    known = sorted(filter(None, map(canonical_id, own)))
    found = re.match(r"\D.*?(?=-\d)", known[0]) if known else None
    return found[0] if found else None
