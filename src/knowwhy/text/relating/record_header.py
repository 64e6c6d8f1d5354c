"""The header of a record, and the names under which it knows itself."""

import re
from collections.abc import Mapping

from knowwhy.text.formats.headers import front_matter, front_matter_end, header_fields
from knowwhy.text.patterns import regex
from knowwhy.text.relating.relation_words import relation_of
from knowwhy.text.tokens import canonical_id
from knowwhy.types import Json

_FAMILY = regex(r"[A-Za-z]{2,10}")
_NUMBER = regex(r"\s*#?\d{1,10}\s*", re.A)
_END = regex(r"\d{1,10}$", re.A)


def header(text: str) -> tuple[dict[str, Json], int]:
    """Return the fields of a text's header and where the text goes on after it."""
    end = front_matter_end(text)
    if not end:
        return header_fields(text)
    return front_matter(text)[0], end


def own_ids(fields: Mapping[str, Json], head: Mapping[str, Json]) -> set[str]:
    """Return every name under which a record may cite itself."""
    names = {str(fields[k]) for k in ("label", "key", "id", "path") if fields.get(k)}
    number = _END.search(str(fields.get("label") or ""))
    named = ((key, value) for key, value in head.items() if _names_family(key, value))
    names |= {f"{key}-{value}" for key, value in named if _is_number(value, number)}
    names |= {str(head[k]) for k in ("id", "key", "label", "spec_id") if head.get(k)}
    return names | {known for known in map(canonical_id, names) if known}


def _is_number(value: Json, number: re.Match[str] | None) -> bool:
    """Tell a record's own number from that of another: `RFC: 12` in ADR-9 names no ADR-9."""
    return number is None or int(str(value).strip(" #\t\r\n")) == int(number[0])


def _names_family(key: str, value: Json) -> bool:
    is_number = bool(_NUMBER.fullmatch(str(value)))
    is_name = bool(_FAMILY.fullmatch(key)) and canonical_id(f"{key}-1") is not None
    return is_number and is_name and relation_of(key) is None  # "Obsoletes: 7001" names another


def family_of(own: set[str]) -> str | None:
    """Return the family that a bare number in a header belongs to: PEP for a record PEP-9."""
    known = sorted(filter(None, map(canonical_id, own)))
    found = re.match(r"\D.*?(?=-\d)", known[0]) if known else None
    return found[0] if found else None
