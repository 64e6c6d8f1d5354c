"""The functions that Pixeltable stores by address: names and signatures here never change."""

import hashlib
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any, TypedDict

import numpy as np
import pixeltable as pxt
from pixeltable import type_system as ts

from knowwhy import models
from knowwhy.text import citations as citations_in
from knowwhy.text import entities as entities_in
from knowwhy.text import passages as passages_of
from knowwhy.text import relations
from knowwhy.text.code_edges import code_edges
from knowwhy.text.passages import CODE


@pxt.udf
def embed(text: str, model: str) -> pxt.Array[pxt.Float]:
    """Embeds a text, taking the vector that was primed before the insert when there is one."""
    vector = models.primed(text, model)
    return models.embed([text], model)[0] if vector is None else vector


@embed.conditional_return_type
def _(model: str) -> ts.ArrayType:
    return ts.ArrayType((models.dimensions(model),), dtype=np.dtype("float32"))


@pxt.udf
def search_text(title: str | None, heading: str | None, text: str) -> str:
    """Joins what the search engines read of a passage."""
    return passages_of.search_text(title, heading, text)


@pxt.udf
def scope(user_id: str | None, project: str | None) -> str:
    """Names whose a row is: global, a project's, a user's, or a user's in a project."""
    parts = [f"user:{user_id}"] if user_id else []
    parts += [f"project:{project}"] if project else []
    return "/".join(parts) or "global"


@pxt.udf
def links(
    content: str,
    kind: str,
    label: str | None,
    path: str | None,
    metadata: dict[str, Any] | None,
) -> pxt.Json:
    """Reads the typed relations that a document states."""
    # The store keeps no order of keys, and what is read first of two equal edges must not vary.
    fields = {**dict(sorted((metadata or {}).items())), "label": label}
    if kind == CODE:
        return [asdict(edge) for edge in code_edges(content, path, fields)]
    found = relations.edges(content, fields)
    return [asdict(edge) for edge in found]


@pxt.udf
def entities(content: str, kind: str) -> pxt.Json:
    """Reads the services, dependencies, teams and other things that a text names."""
    return [asdict(entity) for entity in entities_in.entities(content)]


@pxt.udf
def citations(content: str) -> pxt.Json:
    """Reads the pointers to records, commits, issues, URLs and paths in a text."""
    return [asdict(citation) for citation in citations_in.citations(content)]


class Passage(TypedDict):
    """A piece of a record; its place among the others is Pixeltable's own `pos`."""

    heading: str
    text: str
    first_line: int
    last_line: int
    text_hash: str


@pxt.iterator
def cut_passages(content: str, kind: str, path: str | None) -> Iterator[Passage]:
    """Cuts a record into the passages that are searched."""
    lines = passages_of.LineCounter(content)
    for piece in passages_of.cut(content, kind, path):
        yield {
            "heading": piece.heading,
            "text": piece.text,
            "first_line": lines.at(piece.start),
            "last_line": lines.at(max(piece.start, piece.end - 1)),
            "text_hash": hashlib.sha256(piece.text.encode()).hexdigest()[:32],
        }
