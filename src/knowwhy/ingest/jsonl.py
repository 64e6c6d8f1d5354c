"""Reads and writes records as JSON, one a line: the form that any other tool can make."""

import json
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from knowwhy.errors import BadInput
from knowwhy.ingest.adr import read_adr
from knowwhy.ingest.document import read_document
from knowwhy.ingest.files import MEGABYTE, reason
from knowwhy.ingest.folder import record_key
from knowwhy.ingest.incidents.incident import read_incident
from knowwhy.ingest.load import Summary, Taking, fingerprint, load, untold
from knowwhy.ingest.meetings.meeting import read_meeting
from knowwhy.tables import queries
from knowwhy.text.characters import check_characters, check_text
from knowwhy.text.pages.passages import CODE
from knowwhy.text.secrets.redact import redact
from knowwhy.text.source.places import place_of
from knowwhy.text.speech.turn_ends import turn_end
from knowwhy.text.times import parse_time
from knowwhy.types import Draft, Known, Record

REQUIRED = ("id", "kind", "text")
TEXTS = ("title", "context", "service", "project", "path", "label", "status", "commit", "retired")
FIELDS = (*REQUIRED, *TEXTS, "occurred_at", "authors", "metadata")
READ_AGAIN = ("label", "status", "occurred_at")  # written even if null, or import would guess them
DEPTH_LIMIT = 100  # levels of nesting; far below what the store's own JSON code can follow
# What else a text says of itself is read as its kind suggests; the words are free.
READ_AS = (
    ("incident", read_incident),
    ("post", read_incident),
    ("meeting", read_meeting),
    ("adr", read_adr),
    ("decision", read_adr),
)

TURNS = ("turn", "message", "utterance")  # in the kinds of records that are one of a conversation
SESSIONS = ("session", "session_id", "conversation", "conversation_id", "thread", "thread_id")

Session = tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a file, or why it cannot be one."""

    number: int
    size: int
    raw: bytes | None


def ingest_jsonl(paths: list[Path], how: Taking) -> Summary:
    """Takes in the records of JSONL files; a record that a file no longer names stays as it is."""
    summary = Summary()
    known = {record.key: record for record in queries.known_records()}
    first_seen: dict[str, str] = {}
    said: dict[Session, str] = {}

    def changed() -> Iterator[tuple[str, Draft]]:
        for path in paths:
            for line in _lines(path, how.max_file_mb * MEGABYTE, summary):
                where = f"{path.name}:{line.number}"
                try:
                    draft = _changed(line, known, how, said)
                    _note_first(draft if isinstance(draft, str) else draft.id, where, first_seen)
                except BadInput as error:
                    summary.refuse(where, str(error))
                else:
                    if isinstance(draft, Draft):
                        yield where, draft
                    else:
                        summary.unchanged += 1
                how.progress(line.size, [where])

    load(changed(), how.embedder, summary, untold)
    return summary


def _lines(path: Path, limit: int, summary: Summary) -> Iterator[Line]:
    try:
        if not path.is_file():
            summary.refuse(
                str(path), "is not a regular file" if path.exists() else "does not exist"
            )
            return
        with path.open("rb") as file:
            yield from _bounded_lines(file, limit)
    except OSError as error:
        summary.refuse(str(path), reason(error))


def _bounded_lines(file: IO[bytes], limit: int) -> Iterator[Line]:
    number = 0
    while raw := file.readline(limit + 1):
        number += 1
        size = len(raw)
        if size > limit and not raw.endswith(b"\n"):
            while (rest := file.readline(limit)) and not rest.endswith(b"\n"):
                size += len(rest)
            yield Line(number, size + len(rest), None)
        elif raw.strip():
            yield Line(number, size, raw)


def _note_first(key: str, where: str, first_seen: dict[str, str]) -> None:
    if key in first_seen:
        raise BadInput(f"its id was already given at {first_seen[key]}")
    first_seen[key] = where


def _changed(
    line: Line, known: dict[str, Known], how: Taking, said: dict[Session, str]
) -> Draft | str:
    """Reads a line into a draft; gives only its key when the stored record says the same."""
    if line.raw is None:
        raise BadInput(f"is longer than {how.max_file_mb} MB (KNOWWHY_MAX_FILE_MB)")
    given = _parsed(line.raw)
    given["service"] = given.get("service") or how.service
    given["project"] = given.get("project") or how.project
    if how.is_bound and given["project"] != how.project:
        raise BadInput(f"names another project; only records of {how.project!r} are taken in here")
    _add_context(given, said)
    key = record_key(given["id"], given["project"])
    content_hash = fingerprint(given)
    before = known.get(key)
    same = before is not None and before.content_hash == content_hash
    if before is not None and same and (before.retired_at is None) == (not given.get("retired")):
        return key
    return _draft(given, key, content_hash)


def _add_context(given: dict[str, Any], said: dict[Session, str]) -> None:
    """Gives a turn the end of the turn before it in its session, which it may answer."""
    words = given["kind"].lower()
    if not any(word in words for word in TURNS):
        return
    metadata = given.get("metadata") or {}
    session = (given["project"], *(str(metadata.get(name)) for name in SESSIONS))
    if not given.get("context") and session in said:
        given["context"] = said[session]
    said[session] = turn_end(given["text"])


def _parsed(raw: bytes) -> dict[str, Any]:
    try:
        given = json.loads(raw.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise BadInput("is not in UTF-8; convert the file first") from None
    except json.JSONDecodeError as error:
        raise BadInput(f"is not JSON ({error.msg.lower()} at character {error.pos})") from None
    except (ValueError, RecursionError):
        raise BadInput("is not JSON that can be kept (too deep, or a number too long)") from None
    if not isinstance(given, dict):
        raise BadInput('is not a JSON object like {"id": …, "kind": …, "text": …}')
    return _checked(given)


def _checked(given: dict[str, Any]) -> dict[str, Any]:
    unknown = sorted(set(given) - set(FIELDS))
    if unknown:
        raise BadInput(f"has the unknown field {unknown[0]!r}; put it into metadata")
    for name in REQUIRED:
        if not isinstance(given.get(name), str) or not given[name].strip():
            raise BadInput(f"has no {name!r}, which must be text")
    for name in TEXTS:
        if not isinstance(given.get(name), str | None):
            raise BadInput(f"has a {name!r} that is not text")
    metadata = given.get("metadata")
    if not isinstance(metadata, dict | None):
        raise BadInput("has a 'metadata' that is not an object")
    authors = given.get("authors") or []
    if not isinstance(authors, list) or not all(isinstance(author, str) for author in authors):
        raise BadInput("has 'authors' that are not a list of texts")
    check_text(given["text"])
    _check_values(given)
    if ".." in Path(_said(given, "path") or "").parts:
        raise BadInput(f"has a path that leads out of its source ({_said(given, 'path')})")
    return given


def _check_values(given: dict[str, Any]) -> None:
    """Refuses what a JSON column cannot hold."""
    left: list[tuple[Any, int]] = [(given, 0)]
    while left:
        value, depth = left.pop()
        if depth > DEPTH_LIMIT:
            raise BadInput(f"is nested more than {DEPTH_LIMIT} levels deep")
        if isinstance(value, str) and value:
            check_characters(value)
        elif isinstance(value, float) and not math.isfinite(value):
            raise BadInput("holds a number that is not finite")
        elif isinstance(value, dict):
            left += [(part, depth + 1) for pair in value.items() for part in pair]
        elif isinstance(value, list):
            left += [(part, depth + 1) for part in value]


def _said(given: dict[str, Any], name: str) -> str | None:
    """Reads a field from the line, else from its metadata."""
    value = given.get(name) or (given.get("metadata") or {}).get(name)
    return value if isinstance(value, str) and value.strip() else None


def _draft(given: dict[str, Any], key: str, content_hash: str) -> Draft:
    read = _read(given)

    def told(name: str, otherwise: Any) -> Any:
        return given.get(name, otherwise)

    retired = given.get("retired")
    return Draft(
        id=key,
        kind=given["kind"],
        title=_said(given, "title") or read.title,
        content=given["text"],
        label=told("label", read.label),
        service=given["service"],
        project=given["project"],
        path=_said(given, "path") or (read.path if given["kind"] == CODE else None),
        status=told("status", read.status),
        authors=tuple(told("authors", read.authors) or ()),
        context=given.get("context"),
        occurred_at=_time(told("occurred_at", read.occurred_at)),
        commit=given.get("commit"),
        metadata=given.get("metadata") or {},
        content_hash=content_hash,
        retired_at=datetime.now(UTC) if retired else None,
        retired_why=retired,
    )


def _read(given: dict[str, Any]) -> Draft:
    if given["kind"] == CODE:
        return _read_code(given)
    path = redact(_said(given, "path") or given["id"])  # before a title is made of its words
    word = given["kind"].lower()
    reader: Callable[..., Draft] = next((r for part, r in READ_AS if part in word), read_document)
    try:
        return reader(given["text"], path=path)
    except BadInput:  # its own header is broken; the text is taken as it is
        return Draft(id="", kind=given["kind"], title=given["id"], content=given["text"])


def _read_code(given: dict[str, Any]) -> Draft:
    """Takes code as it is; where it belongs in its tree is said, stands in it, or is its id."""
    path = _said(given, "path") or place_of(given["text"], given["id"])
    return Draft("", CODE, path or given["id"], given["text"], path=path)


def _time(value: Any) -> datetime | None:
    if value is None or isinstance(value, datetime):
        return value
    time = parse_time(value) if isinstance(value, str) else None
    if time is None:
        raise BadInput(f"has an occurred_at that is not a date ({str(value)[:40]!r})")
    return time


def export_jsonl(out: IO[str]) -> int:
    """Writes every record, retired ones too, in the order of their keys; returns how many."""
    count = 0
    for record in queries.records(retired=True):
        out.write(json.dumps(as_line(record), ensure_ascii=False) + "\n")
        count += 1
    return count


def as_line(record: Record) -> dict[str, Any]:
    """Gives a record in the form that is ingested, without what depends on the run."""
    draft = record.draft
    project, _, name = draft.id.partition("::") if "::" in draft.id else ("", "", draft.id)
    line: dict[str, Any] = {
        "id": name,
        "kind": draft.kind,
        "title": draft.title,
        "text": draft.content,
        "context": draft.context,
        "service": draft.service,
        "project": project or None,
        "occurred_at": draft.occurred_at and draft.occurred_at.astimezone(UTC).isoformat(),
        "label": draft.label,
        "status": draft.status,
        "authors": list(draft.authors),
        "path": draft.path,
        "commit": draft.commit,
        "metadata": dict(draft.metadata),
        "retired": draft.retired_why,
    }
    return {name: line[name] for name in line if name in READ_AGAIN or line[name] is not None}
