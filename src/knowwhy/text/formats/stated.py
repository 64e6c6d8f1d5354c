"""What a record's front matter or head states of it, as short facts that fit on a line."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import date, datetime

from knowwhy.text.characters import one_line
from knowwhy.text.patterns import regex
from knowwhy.types import Json

MOST_VALUE = 80  # characters of a fact's value; longer ones are prose, which stands in the text
MOST_LISTED = 8  # of a list; longer ones are no fact about the record as a whole
MOST_FACTS = 24  # of a record
MOST_FIELDS = 200  # that are looked at
LINE = 160  # characters of the facts that are shown of a hit

# Told already beside a hit, or made by the store and not by the head.
_TOLD = frozenset(
    (
        *("title", "id", "label", "number", "status", "state", "format", "key", "kind", "type"),
        *("path", "name", "slug", "severity raw", "decision status", "adr status"),
        *("module", "language", "kind by", "date order", "head fault", "open date"),
        # Where a page stands in a site, as Jekyll, Docusaurus, Hugo and MkDocs have it.
        *("layout", "parent", "grand parent", "nav order", "has children", "permalink", "weight"),
        *("sidebar position", "sidebar label", "sidebar", "toc", "hide", "template", "linktitle"),
    )
)
# Who, when and how grave: what such facts are asked for by.
_ASKED_FOR = regex(
    r"\b(?:decid\w*|decision|deciders?|makers?|authors?|owners?|owned|team|approv\w*|review\w*"
    r"|consult\w*|inform\w*|respon\w*|lead|commander|sponsor|stakeholders?|champions?|editors?"
    r"|severity|priority|impact|level|duration|lasted|downtime|start\w*|end\w*|began|detect\w*"
    r"|resol\w*|recover\w*|mitigat\w*|date|time|when|created|updated|version|supersed\w*"
    r"|replac\w*|service|component|area|scope)\b"
)
# A template's braces, markup, a path, an address, and what says that there is nothing.
_NO_FACT = regex(r"(?i)[{</]|\w{1,10}://|\W*(?:n/?a|none|null|tbd|todo|unknown|see below)?\W*\Z|\(")


def stated(metadata: Mapping[str, Json]) -> tuple[tuple[str, str], ...]:
    """Gives the short fields that a record states of itself, those that are asked for first."""
    found: dict[str, str] = {}
    for name, value in _fields(metadata):
        plain = " ".join(_words(name))
        text = _value(value)
        if text and plain and plain not in _TOLD:
            found.setdefault(plain, text)
    ordered = sorted(found.items(), key=lambda fact: _ASKED_FOR.search(fact[0]) is None)
    return tuple(ordered[:MOST_FACTS])


def on_a_line(facts: Iterable[str], most: int = LINE) -> list[str]:
    """Gives the first facts that a line has room for."""
    kept: list[str] = []
    for fact in facts:
        most -= len(fact) + 3
        if most < 0 and kept:
            break
        kept.append(fact)
    return kept


def _fields(metadata: Mapping[str, Json]) -> Iterator[tuple[str, Json]]:
    """Yields what a reader understood, then the fields as they are written."""
    written = metadata.get("fields")
    whole = [*metadata.items(), *(written.items() if isinstance(written, Mapping) else ())]
    for name, value in whole[:MOST_FIELDS]:
        if isinstance(name, str) and value is not written:
            yield name, value


def _words(name: str) -> list[str]:
    return "".join(c if c.isalnum() else " " for c in name[:MOST_VALUE]).lower().split()


def _value(value: Json) -> str:
    if isinstance(value, list) and 0 < len(value) <= MOST_LISTED:
        parts = [_value(one) if not isinstance(one, list) else "" for one in value]
        return _short(", ".join(parts)) if all(parts) else ""
    if isinstance(value, str | int | float | date | datetime) and not isinstance(value, bool):
        return _short(str(value))
    return ""


def _short(text: str) -> str:
    shown = one_line(text[: 2 * MOST_VALUE]).strip(" *_`,;")
    is_fact = 0 < len(shown) <= MOST_VALUE and not _NO_FACT.match(shown)
    return shown if is_fact else ""
