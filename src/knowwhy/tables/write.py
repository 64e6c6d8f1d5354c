"""The only way rows get in or change.

Every write to a table stands in one fair queue across all processes (a Postgres advisory lock):
Pixeltable's own waiting is by chance: a writer was seen to wait 9 s, in the queue 0.65 s.
"""

import hashlib
import os
import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, fields, replace
from datetime import UTC, datetime
from typing import Any, TypeVar

import pixeltable as pxt
import sqlalchemy as sql
from pixeltable.env import Env

from knowwhy import models
from knowwhy.errors import ModelChanged, StoreBusy, StoreFailed
from knowwhy.tables import direct
from knowwhy.tables.failures import translated
from knowwhy.tables.indexed import INDEXED_CHARACTERS
from knowwhy.tables.schema import DIRECTORY
from knowwhy.tables.vectors import holders
from knowwhy.text.pages.passages import cut, search_text
from knowwhy.types import Draft, Repository, Turn

QUEUE_WAIT = "600s"  # longer than any batch; a writer that waits this long has met a stuck one
OTHER_DIGITS = 6  # that make the key of a file another than that of another file
LONGEST_KEY = 200  # characters; Pixeltable tells keys apart by their first 256
APPEND_WAIT = "5s"  # what is noted beside an answer must not hold up the end of a process
ANALYZE_AFTER = 200  # changed rows; before ANALYZE Postgres searches a fresh table exactly

R = TypeVar("R")

_here = threading.local()  # the tables as each thread has got them

TURN = tuple(field.name for field in fields(Turn))
ADDED, UPDATED, MOVED, UNCHANGED = "added", "updated", "moved", "unchanged"  # what a write did


@dataclass(frozen=True, slots=True)
class Batch:
    """Records that are ready to be written: their passages' vectors have been made."""

    drafts: tuple[Draft, ...]
    texts: tuple[str, ...]
    embedder: str
    others: tuple[str, ...] = ()  # models of views beside the searched ones: a change is under way


def table(name: str) -> Any:
    """Gives one of our tables."""
    return pxt.get_table(f"{DIRECTORY}/{name}")


def with_kept(names: Collection[str], work: Callable[[dict[str, Any]], R]) -> R:
    """Writes, in one transaction or none, to tables that each thread has got once.

    Asking what a table is takes a fifth of a small write. One that has changed since is asked for
    again: nothing was written then.
    """
    kept: dict[str, Any] = _here.__dict__
    known = all(name in kept for name in names)
    try:
        kept |= {name: table(name) for name in names if name not in kept}
        return work(kept)
    except pxt.Error:
        for name in names:
            kept.pop(name, None)
        if not known:
            raise
    return with_kept(names, work)


@contextmanager
def queue(name: str, wait: str = QUEUE_WAIT) -> Iterator[None]:
    """Waits for one's turn to write to a table."""
    engine = Env.get().engine.execution_options(isolation_level="AUTOCOMMIT")
    ticket = f"hashtext('{DIRECTORY}'), hashtext('{name}')"
    with engine.connect() as connection:  # two statements go at once: each way costs a millisecond
        try:
            connection.exec_driver_sql(
                f"SET lock_timeout = '{wait}'; SELECT pg_advisory_lock({ticket})"
            )
        except sql.exc.OperationalError:
            raise StoreBusy(f"Another process has been writing to {name} for too long.") from None
        try:
            yield
        finally:
            connection.exec_driver_sql(f"SELECT pg_advisory_unlock({ticket}); RESET lock_timeout")


def prepare(drafts: Sequence[Draft], embedder: str) -> Batch:
    """Embeds the passages of records, so that the table's queue is held for SQL time only."""
    texts = tuple(
        search_text(draft.title, piece.heading, piece.text)
        for draft in drafts
        for piece in cut(draft.content, draft.kind, draft.path)
    )
    models.prime(texts, embedder, _stored_vectors([draft.id for draft in drafts], embedder))
    others = holders.others(embedder)
    for other in others:
        holders.prime(texts, other)
    return Batch(tuple(drafts), texts, embedder, others)


def _stored_vectors(keys: list[str], embedder: str) -> dict[str, Any]:
    """Gives the vectors of the passages that records have now, by text: most do not change."""
    with suppress(ModelChanged), holders.of_model(embedder), translated("reading vectors"):
        passages = table("passages")
        rows = passages.where(passages.key.isin(keys)).select(
            text=passages.search_text,
            vector=passages.search_text.embedding(idx=models.tag(embedder)),
        )
        return {row["text"]: row["vector"] for row in rows.collect() if row["vector"] is not None}
    return {}


def release(batch: Batch) -> None:
    """Forgets the vectors of a batch that has been written or given up."""
    for embedder in (batch.embedder, *batch.others):
        models.release(batch.texts, embedder)


def put_records(batch: Batch) -> list[str]:
    """Inserts what is new and replaces what has changed; tells each record's fate in order."""
    names = ", ".join(draft.id for draft in batch.drafts[:3])
    with translated(f"writing {names}"), queue("records"):
        records = table("records")
        existing = _existing(records, [draft.id for draft in batch.drafts])
        settled = [_settle(draft, existing) for draft in batch.drafts]
        existing |= _existing(records, [d.id for d in settled if d.id not in existing])
        fates = [_fate(draft, existing.get(draft.id)) for draft in settled]
        now = datetime.now(UTC)
        rows = [(fate, _row(draft, now)) for fate, draft in zip(fates, settled, strict=True)]
        _insert(records, [{**row, "created_at": now} for fate, row in rows if fate == ADDED])
        _update(records, [row for fate, row in rows if fate in (UPDATED, MOVED)])
    return fates


def retire_records(files: Mapping[str, str], why: str) -> int:
    """Takes records out of every search and keeps them; one that has moved meanwhile stays."""
    if not files:
        return 0
    with translated("retiring records"), queue("records"):
        records = table("records")
        still = [
            key
            for key, row in _existing(records, list(files)).items()
            if row["source"] == files[key] and row["retired_at"] is None
        ]
        now = datetime.now(UTC)
        told = {"retired_at": now, "retired_why": why, "touched_at": now}
        _update(records, [{"key": key, **told} for key in still])
    return len(still)


def put_turns(rows: Sequence[Turn]) -> list[str]:
    """Inserts turns that are new and replaces those that say something else; tells their fates."""
    with translated("writing turns"), queue("turns"):
        turns = table("turns")
        stored = stored_turns([row.key for row in rows])
        held, fates = dict(stored), []
        for row in rows:  # of two with one key the last one stays
            before = held.get(row.key)
            fates.append(ADDED if before is None else UNCHANGED if before == row else UPDATED)
            held[row.key] = row
        now = datetime.now(UTC)
        changed = [asdict(t) | {"touched_at": now} for k, t in held.items() if t != stored.get(k)]
        _insert(turns, [row for row in changed if row["key"] not in stored])
        _update(turns, [row for row in changed if row["key"] in stored])
    return fates


def stored_turns(keys: Sequence[str]) -> dict[str, Turn]:
    """Gives those of the turns that are stored, by key, whosever they are: to compare with."""
    if not keys:
        return {}
    turns = direct.live_rows("turns").c
    named = turns.key_indexed.in_([key[:INDEXED_CHARACTERS] for key in keys])
    wanted = sql.select(*(turns[name] for name in TURN)).where(named, turns.key.in_(keys))
    rows = direct.select("reading turns", wanted)
    return {row["key"]: Turn(**row) for row in rows}


def put_repository(repository: Repository) -> None:
    """Notes a repository as it was synced."""
    with translated("noting a repository"), queue("repositories"):
        repositories = table("repositories")
        row = {**asdict(repository), "again": list(repository.again)}
        known = repositories.where(repositories.key == repository.key).count()
        (_update if known else _insert)(repositories, [row])


def append(name: str, rows: Sequence[Mapping[str, Any]]) -> None:
    """Adds rows to a table that only grows."""
    with translated(f"writing to {name}"), queue(name, APPEND_WAIT):
        new = [dict(row) for row in rows]
        with_kept([name], lambda kept: _insert(kept[name], new))


def analyze(changed_rows: int) -> None:
    """Tells Postgres about a bulk load."""
    if changed_rows < ANALYZE_AFTER:
        return
    engine = Env.get().engine.execution_options(isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.exec_driver_sql("ANALYZE")


def _existing(records: Any, keys: list[str]) -> dict[str, Mapping[str, Any]]:
    if not keys:
        return {}
    names = ("key", "title", "source", "content_hash", "retired_at")
    found = records.where(records.key.isin(keys)).select(*(getattr(records, n) for n in names))
    return {row["key"]: row for row in found.collect()}


def _settle(draft: Draft, existing: Mapping[str, Mapping[str, Any]]) -> Draft:
    """Gives a draft the source that its record has, or another key when that is another file's."""
    owner = existing.get(draft.id)
    if owner is None or owner["source"] in (None, draft.source):
        return draft
    if draft.source is None:
        return replace(draft, source=owner["source"])
    is_titled = draft.kind != "code"  # whose title is its path, which another file may have had
    same_title = is_titled and owner["title"] == draft.title
    moved = same_title or owner["content_hash"] == draft.content_hash
    if moved and not os.path.lexists(owner["source"]):
        return draft
    return replace(draft, id=_other_key(draft.id, draft.source))


def _other_key(key: str, source: str) -> str:
    """Makes a key for what another file's record is called already.

    A file is known by the folder above the one that its key begins with; the digits tell two apart
    whose folders have one name too.
    """
    digits = hashlib.sha256(source.encode()).hexdigest()[:OTHER_DIGITS]
    scope, colons, name = key.rpartition("::")
    above = source.removesuffix(f"/{name}")
    folder = "" if above == source else above.rpartition("/")[2]
    named = f"{scope}{colons}{folder}/{name}~{digits}"
    fits = folder and "::" not in folder and len(named) <= LONGEST_KEY
    return named if fits else f"{key}~{digits}"


def _fate(draft: Draft, row: Mapping[str, Any] | None) -> str:
    if row is None:
        return ADDED
    if row["content_hash"] != draft.content_hash or row["retired_at"] != draft.retired_at:
        return UPDATED
    return UNCHANGED if row["source"] == draft.source else MOVED


def _row(draft: Draft, now: datetime) -> dict[str, Any]:
    return {
        "key": draft.id,
        "label": draft.label,
        "kind": draft.kind,
        "service": draft.service,
        "project": draft.project,
        "path": draft.path,
        "source": draft.source,
        "title": draft.title,
        "content": draft.content,
        "context": draft.context,
        "metadata": dict(draft.metadata),
        "status": draft.status,
        "authors": list(draft.authors),
        "occurred_at": draft.occurred_at,
        "commit": draft.commit,
        "content_hash": draft.content_hash,
        "extractor_version": models.extractor_version("rules"),
        "touched_at": now,
        "retired_at": draft.retired_at,
        "retired_why": draft.retired_why,
    }


def _insert(records: Any, rows: list[dict[str, Any]]) -> None:
    if rows:
        _check(records.insert(rows))


def _update(records: Any, rows: list[dict[str, Any]]) -> None:
    if rows:
        _check(records.batch_update(rows))


def _check(status: Any) -> None:
    if status.num_excs:
        raise StoreFailed(f"The store could not derive {', '.join(status.cols_with_excs)}.")
