"""Turns as an extractor has read them: written once, and again only while reading them fails."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from knowwhy import models
from knowwhy.errors import StoreFailed
from knowwhy.tables.failures import translated
from knowwhy.tables.reading import reading
from knowwhy.tables.talk.gaps import ATTEMPTS, OF_ALL
from knowwhy.tables.talk.turns import safe_name
from knowwhy.tables.vectors.holders import ready_for_others
from knowwhy.tables.write import queue, table
from knowwhy.text.pages.passages import search_text
from knowwhy.text.secrets.redact import redact
from knowwhy.types import Asker, Fact, Turn

READ = "x-"  # begins the key of what was read
KEY_DIGITS = 20  # hexadecimal; 80 bits do not meet by chance
LONGEST_REASON = 500  # characters of why a turn could not be read


@dataclass(frozen=True, slots=True)
class Reading:
    """What came of one attempt to read a turn."""

    turn: Turn  # as it was read: without what was recalled in it
    version: str
    attempts: int  # this one included
    facts: tuple[Fact, ...] = ()
    failed: str | None = None  # why there are no facts

    @property
    def key(self) -> str:
        """The key of its row."""
        made_of = f"{self.turn.key}\n{self.version}"
        return f"{READ}{hashlib.sha256(made_of.encode()).hexdigest()[:KEY_DIGITS]}"


def put(readings: Sequence[Reading], embedder: str) -> None:
    """Writes what was read; vectors and facts are ready before the table is taken."""
    if not readings:
        return
    texts = [search_text(None, None, one.turn.content) for one in readings]
    models.prime(texts, embedder)
    for one in readings:
        models.prime_facts(*_text(one), one.facts)
    try:
        others = ready_for_others(texts, embedder)
        with others, translated("writing what was read"), queue("extractions"):
            _write(readings)
    finally:
        models.release(texts, embedder)
        for one in readings:
            models.release_facts(*_text(one))


def forget_failures(version: str, whose: Asker = OF_ALL) -> int:
    """Lets turns that could not be read be tried again, of one user where it names one."""
    with translated("forgetting failures"), queue("extractions"):
        source = table("extractions")
        wanted = (
            (source.extractor_version == version)
            & (source.failed != None)  # noqa: E711  # SQL
            & (source.attempts >= ATTEMPTS)
        )
        if whose.user_id is not None:
            wanted = wanted & (source.user_id == safe_name(whose.user_id))
        if whose.project is not None:
            wanted = wanted & (source.project == safe_name(whose.project))
        failed = source.where(wanted)
        keys = [row["key"] for row in failed.select(key=source.key).collect()]
        now = datetime.now(UTC)
        _check(keys and source.batch_update([_tried(key, 0, now) for key in keys]))
    return len(keys)


def _tried(key: str, attempts: int, now: datetime) -> dict[str, Any]:
    return {"key": key, "attempts": attempts, "touched_at": now}


def _write(readings: Sequence[Reading]) -> None:
    """Inserts rows, and replaces those of earlier attempts that had failed."""
    source = table("extractions")
    with reading(source):
        known = source.where(source.key.isin([one.key for one in readings]))
        stored = {
            row["key"]: row["failed"] for row in known.select(source.key, source.failed).collect()
        }
    now = datetime.now(UTC)
    new = [_row(one, now) for one in readings if one.key not in stored]
    again = [one for one in readings if stored.get(one.key) is not None]
    if new:
        _check(source.insert(new))
    if again:
        _check(source.batch_update([_row(one, now) for one in again]))


def _row(one: Reading, now: datetime) -> dict[str, Any]:
    turn = one.turn
    return {
        "key": one.key,
        "turn_key": turn.key,
        "user_id": turn.user_id,
        "project": turn.project,
        "session_id": turn.session_id,
        "role": turn.role,
        "content": turn.content,
        "context": turn.context,
        "extractor_version": one.version,
        "attempts": one.attempts,
        "failed": one.failed and redact(one.failed)[:LONGEST_REASON],
        "at": turn.at,
        "expires_at": turn.expires_at,
        "touched_at": now,
    }


def _text(one: Reading) -> tuple[str, str | None, str | None, str]:
    return one.turn.content, one.turn.context, one.turn.role, one.version


def _check(status: Any) -> None:
    if status and status.num_excs:
        raise StoreFailed(f"The store could not derive {', '.join(status.cols_with_excs)}.")
