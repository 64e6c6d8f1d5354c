"""Typed edges that a source file states: its imports, its fields, and the records it mentions."""

from collections.abc import Iterator, Mapping
from typing import Any

from knowwhy.text.importing.imported import import_edges
from knowwhy.text.importing.imports import imports
from knowwhy.text.relating.citations import citations
from knowwhy.text.relating.relations import edges
from knowwhy.text.source.languages import language_of
from knowwhy.types import Edge


def code_edges(content: str, path: str | None, fields: Mapping[str, Any]) -> list[Edge]:
    """Returns the edges of a source file, each once, its imports first and in their order."""
    stated = fields.get("language")
    language = language_of(path or "", content) or (str(stated).lower() if stated else None)
    found = import_edges(imports(content, path or "", language), path)
    return list(dict.fromkeys((*found, *edges("", fields), *_mentions(content))))


def _mentions(content: str) -> Iterator[Edge]:
    """Yields the ids that comments and strings name; whether they are records is seen later."""
    for citation in citations(content):
        if citation.kind == "record":
            yield Edge("REFERENCES", citation.target, "record", "inline")
