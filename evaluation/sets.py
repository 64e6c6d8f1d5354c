"""The sets that retrieval is measured on: what goes in, and the questions with their answers.

A set is a folder, of one of two shapes: docs.jsonl with queries.jsonl, or corpus/ with
questions.jsonl, whose sources are read as a user would have them read.
"""

import json
import shutil
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from knowwhy.ingest.code import ingest_code, list_code
from knowwhy.ingest.folder import ingest_files, record_key
from knowwhy.ingest.jsonl import ingest_jsonl
from knowwhy.ingest.load import Summary, Taking
from knowwhy.types import Asker

FILE_MB = 10
FOLDERS = (("adr", "adr"), ("incident", "incidents"), ("document", "docs"), ("meeting", "meetings"))
SLICES = ("hop", "class", "type", "tpl", "kind")  # fields that questions are told apart by


@dataclass(frozen=True, slots=True)
class Question:
    """A question, the ids of what answers it, and how it is counted."""

    id: str
    text: str
    relevant: frozenset[str]  # empty: nothing answers it
    slices: tuple[str, ...] = ()  # "hop=2", "class=why"
    project: str | None = None  # the only one it may search
    exclude: frozenset[str] = frozenset()
    cite: str | None = None  # what must come first
    asker: Asker | None = None  # whose turns it searches, and nothing else


@dataclass(frozen=True, slots=True)
class EvaluationSet:
    """A folder of documents and questions."""

    folder: Path
    questions: tuple[Question, ...]
    ids: dict[str, str] = field(default_factory=dict)  # by key; a key that is not here is its id


def read_set(folder: Path) -> EvaluationSet:
    """Reads a set of either shape."""
    if (folder / "questions.jsonl").is_file():
        questions = tuple(map(_golden, _lines(folder / "questions.jsonl")))
        return EvaluationSet(folder, questions)
    if not (folder / "docs.jsonl").is_file():
        raise SystemExit(f"{folder} has neither docs.jsonl nor questions.jsonl.")
    documents = _lines(folder / "docs.jsonl")
    ids = {record_key(d["id"], _group(d)): d["id"] for d in documents if _group(d)}
    return EvaluationSet(folder, tuple(map(_query, _lines(folder / "queries.jsonl"))), ids)


def ingest(given: EvaluationSet, embedder: str) -> Summary:
    """Takes in the documents of a set; what a home has already is not embedded again."""
    how = Taking(embedder, FILE_MB)
    if (given.folder / "corpus").is_dir():
        return _ingest_corpus(given.folder / "corpus", how)
    if not given.ids:
        return ingest_jsonl([given.folder / "docs.jsonl"], how)
    return _ingest_groups(_lines(given.folder / "docs.jsonl"), how)


def _ingest_corpus(corpus: Path, how: Taking) -> Summary:
    """Reads each folder of a corpus by its own reader."""
    there = [(kind, corpus / name) for kind, name in FOLDERS if (corpus / name).is_dir()]
    done = [ingest_files(kind, [folder], how) for kind, folder in there]
    if (corpus / "code").is_dir():
        done += _ingest_code(corpus / "code", how)
    return _together(done)


def _ingest_code(given: Path, how: Taking) -> list[Summary]:
    """Reads code from a copy outside any work tree, whose name would stand in keys and titles."""
    with tempfile.TemporaryDirectory() as place:
        code = Path(shutil.copytree(given, Path(place) / "code"))
        return [
            ingest_code(list_code([code]), [code], how),
            ingest_files("document", [code], how),  # the pages among the code
        ]


def _ingest_groups(documents: list[dict[str, Any]], how: Taking) -> Summary:
    """Takes in documents as JSON lines, each in the project that its group is."""
    with tempfile.TemporaryDirectory() as place:
        file = Path(place) / "docs.jsonl"
        lines = (json.dumps({**document, "project": _group(document)}) for document in documents)
        file.write_text("".join(f"{line}\n" for line in lines), "utf-8")
        return ingest_jsonl([file], how)


def _together(parts: list[Summary]) -> Summary:
    whole = Summary(refused=[refusal for part in parts for refusal in part.refused])
    for count in ("added", "updated", "moved", "unchanged", "retired"):
        setattr(whole, count, sum(getattr(part, count) for part in parts))
    return whole


def _golden(row: dict[str, Any]) -> Question:
    return Question(
        row["id"], row["text"], frozenset(row["answers"]), _slices(row), cite=row.get("cite")
    )


def _query(row: dict[str, Any]) -> Question:
    return Question(
        row["id"],
        row["text"],
        frozenset(row["relevant"]),
        _slices(row),
        row.get("group"),
        frozenset(row.get("exclude", ())),
    )


def _slices(row: dict[str, Any]) -> tuple[str, ...]:
    return tuple(f"{name}={row[name]}" for name in SLICES if row.get(name) is not None)


def _group(document: dict[str, Any]) -> str | None:
    group = (document.get("metadata") or {}).get("group")
    return group if isinstance(group, str) and group else None


def _lines(file: Path) -> list[dict[str, Any]]:
    with file.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]
