"""The functions that Pixeltable stores by address: names and signatures here never change."""

import hashlib
from collections.abc import Iterator
from dataclasses import asdict
from datetime import datetime
from typing import Any, TypedDict

import numpy as np
import pixeltable as pxt
from pixeltable import type_system as ts

from knowwhy import models
from knowwhy.tables.vectors import staged
from knowwhy.text import entities as entities_in
from knowwhy.text.claims import tiers
from knowwhy.text.doubt import hedges as hedges_in
from knowwhy.text.importing.code_edges import code_edges
from knowwhy.text.pages import passages as passages_of
from knowwhy.text.pages.passages import CODE
from knowwhy.text.relating import citations as citations_in
from knowwhy.text.relating import relations
from knowwhy.text.sameness import same_words
from knowwhy.types import Citation


@pxt.udf
def embed(text: str, model: str) -> pxt.Array[pxt.Float]:
    """Embeds a text, taking the vector that was made before the insert when there is one."""
    vector = models.primed(text, model)
    if vector is None:
        vector = staged.vector(text, model)
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


@pxt.udf
async def facts(
    content: str,
    context: str | None,
    role: str | None,
    extractor_version: str,
    failed: str | None,
) -> pxt.Json:
    """Reads the claims that a turn makes; of a turn that could not be read there are none."""
    if failed is not None:
        return []
    found = models.read_facts(content, context, role, extractor_version)
    return [asdict(fact) for fact in found]


@pxt.udf
def hedges(content: str) -> pxt.Json:
    """Reads the words by which a text doubts what it says."""
    return [asdict(hedge) for hedge in hedges_in.hedges(content)]


@pxt.udf
def tier(
    kind: str,
    content: str,
    said_by: str | None,
    source: str | None,
    extractor_version: str | None,
    resolved: pxt.Json | None,
    copy_of: str | None,
    conflicts_with: str | None,
    check_failed: str | None,
    hedges: pxt.Json,
    citations: pxt.Json,
) -> int:
    """Says whether a claim is accepted (1), reviewed (2) or refused (3)."""
    read = tuple(hedges_in.Hedge(**hedge) for hedge in hedges)
    cited = tuple(Citation(**citation) for citation in citations)
    findings = tiers.Findings(
        kind=kind,
        content=content,
        said_by=said_by,
        source=source,
        extractor_version=extractor_version,
        resolved=tuple(resolved or ()),
        copy_of=copy_of,
        conflicts_with=conflicts_with,
        check_failed=check_failed,
        hedges=read,
        citations=cited,
    )
    return tiers.judge(findings).tier


@pxt.udf
def evidence(
    content: str,
    source: str | None,
    created_at: datetime,
    valid_until: datetime | None,
    confidence: float | None,
    tier: int,
    citations: pxt.Json,
) -> pxt.Json:
    """Gives what a claim stands on: its source, when it was taken in and how sure it is."""
    return tiers.evidence(
        content, source, created_at, valid_until, confidence, tier, [c["target"] for c in citations]
    )


@pxt.udf
def words_hash(subject: str | None, content: str) -> str:
    """Gives claims that differ in case, spacing and punctuation only the same name."""
    return same_words.words_hash(subject, content)


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
