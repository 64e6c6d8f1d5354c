"""What somebody works on in a repository, written and read back."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sql

from knowwhy.errors import StoreFailed
from knowwhy.tables import direct
from knowwhy.tables.failures import translated
from knowwhy.tables.scope import sees
from knowwhy.tables.talk.turns import safe_name
from knowwhy.tables.write import queue, table
from knowwhy.types import Asker, Json

WAIT = "5s"  # for the table; an assistant that is held up longer than that is better told so
DIGITS = 32  # hexadecimal; 128 bits do not meet by chance
TASK = ("user_id", "project", "repository", "task", "details", "at", "touched_at")


@dataclass(frozen=True, slots=True)
class Task:
    """What somebody works on, without secrets."""

    user_id: str | None
    project: str | None
    repository: str | None
    task: str
    at: datetime  # when it was begun
    touched_at: datetime
    details: Mapping[str, Json] = field(default_factory=dict)


def put_task(
    owner: Asker, repository: str | None, task: str | None, details: Mapping[str, Json] | None
) -> Task | None:
    """Writes what an owner works on in a repository; None takes out what was there."""
    now, own = datetime.now(UTC), _owner(owner)
    key = _key(own, repository)
    row = {"key": key, "task": task, "details": dict(details or {}), "touched_at": now}
    with translated("noting a task"), queue("tasks", WAIT):
        before = _row(key)
        if before is None:
            whose = {"user_id": own.user_id, "project": own.project, "repository": repository}
            status = table("tasks").insert([{**row, **whose, "at": now}])
        else:
            begun = before["at"] if before["task"] == task else now
            status = table("tasks").batch_update([{**row, "at": begun}])
        if status.num_excs:
            raise StoreFailed("The store could not note the task.")
    return task_of(owner, repository)


def task_of(owner: Asker, repository: str | None) -> Task | None:
    """Reads what an owner works on in a repository; another's is never found."""
    own = _owner(owner)
    row = _row(_key(own, repository))
    if row is None or row["task"] is None or not sees(own, row["user_id"], row["project"]):
        return None
    return Task(**{**row, "details": row["details"] or {}})


def _owner(owner: Asker) -> Asker:
    return Asker(safe_name(owner.user_id), safe_name(owner.project))


def _key(owner: Asker, repository: str | None) -> str:
    told = json.dumps([owner.user_id, owner.project, repository])
    return f"k-{hashlib.sha256(told.encode()).hexdigest()[:DIGITS]}"


def _row(key: str) -> dict[str, Any] | None:
    tasks = direct.live_rows("tasks")  # one statement: every session begins with this question
    wanted = sql.select(*(tasks.c[name] for name in TASK)).where(tasks.c.key == key)
    found = direct.select("reading a task", wanted)
    return dict(found[0]) if found else None
