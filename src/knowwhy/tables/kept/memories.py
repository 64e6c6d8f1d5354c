"""Memories written and read back: every write leaves a change, every read knows who asks."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import fields, replace
from datetime import UTC, datetime
from functools import cache, reduce
from operator import and_, or_
from typing import Any

import sqlalchemy as sql

from knowwhy.errors import BadInput, NotFound, StoreFailed
from knowwhy.tables import direct
from knowwhy.tables.failures import translated
from knowwhy.tables.kept import memory_changes
from knowwhy.tables.kept.memory_changes import columns, stamped
from knowwhy.tables.reading import reading
from knowwhy.tables.scope import dated, seen, sees
from knowwhy.tables.scope import owned as owned_by
from knowwhy.tables.talk.turns import safe_name
from knowwhy.tables.write import ADDED, UNCHANGED, queue, table, with_kept
from knowwhy.text.secrets.redact import redact
from knowwhy.types import ALWAYS, Asker, Between, Change, Memory

ACTIVE, PENDING, REFUSED = "active", "pending", "refused"
SUPERSEDED, EXPIRED, RETRACTED = "superseded", "expired", "retracted"
STATUSES = (ACTIVE, PENDING, REFUSED, SUPERSEDED, EXPIRED, RETRACTED)
LIVING = (ACTIVE, PENDING)  # what time can end

MEMORY = tuple(field.name for field in fields(Memory))
MOST_MEMORIES = 1_000  # given at once; of the longest contents that is 4 MB
EXPIRED_AT_ONCE = 500  # rows; the queue is held for half a second
VECTORS = "memory_vectors"  # begins what the store calls the columns of that view
FORGOTTEN = "[forgotten]"  # stands for the words of what was to be kept until a day that is over
LONGEST_SHOWN = 80  # characters of a key that nobody has
KEYS_BEGIN = "m-"
_KEY = re.compile(rf"{KEYS_BEGIN}[0-9a-f]{{20}}")


def is_key(text: str) -> bool:
    """Tells whether a text looks like the key of a memory: `m-shop/readme.md` is a record's."""
    return _KEY.fullmatch(text) is not None


def put(
    memories: Sequence[Memory],
    changes: Sequence[Change],
    *,
    replacing: Sequence[Memory] = (),
    vectors: bool = True,
) -> list[str]:
    """Inserts the memories whose keys are new and leaves the others alone; tells their fates.

    What they replace is changed in the same transaction. The caller holds the queue of the
    memories, has embedded their texts, and gives a change for each memory that it may write.
    Without `vectors` they may be kept though no model can embed them; no search finds them then.
    """
    stored = held([memory.key for memory in (*memories, *replacing)])
    new: dict[str, Memory] = {}
    fates = []
    for memory in memories:
        is_known = memory.key in stored or memory.key in new
        fates.append(UNCHANGED if is_known else ADDED)
        if not is_known:
            new[memory.key] = memory
    if new:
        commit(list(new.values()), replacing, stored, changes, vectors=vectors)
    return fates


def update(memories: Sequence[Memory], changes: Sequence[Change]) -> list[Memory]:
    """Writes memories over the stored ones with their keys, all or none; gives them as they are.

    The caller holds the queue of the memories, has read what it changes inside it, and gives a
    change for each. Only columns that differ are written: a new status derives nothing anew, but
    what could not be embedded is embedded now.
    """
    stored = held([memory.key for memory in memories])
    missing = [memory.key for memory in memories if memory.key not in stored]
    if missing:
        raise unknown(missing[0])
    return commit([], memories, stored, changes) if memories else []


def commit(
    new: Sequence[Memory],
    changed: Sequence[Memory],
    stored: Mapping[str, Memory],
    changes: Sequence[Change],
    *,
    vectors: bool = True,
) -> list[Memory]:
    """Notes what is done, then does it in one transaction; gives the memories as they are now.

    For who has read inside the queue that the keys of the new ones are free, and what is `stored`
    of the changed ones; `put` and `update` read it first.
    """
    now = datetime.now(UTC)
    by_key = {change.memory_key: change for change in changes}
    done = {
        memory.key: stamped(memory, stored.get(memory.key), by_key[memory.key], now)
        for memory in (*new, *changed)
    }
    fresh, over = (
        [replace(memory, touched_at=done[memory.key].at or now) for memory in group]
        for group in (new, changed)
    )
    with translated("writing memories"):
        memory_changes.note(list(done.values()))
        status = _do(fresh, over, set(MEMORY) if fresh else _differing(over, stored))
    failed = [name for name in status.cols_with_excs if vectors or not name.startswith(VECTORS)]
    if failed:
        raise StoreFailed(f"The store could not derive {', '.join(failed)}.")
    return [*fresh, *over]


def memory(asker: Asker, key: str, *, now: datetime | None = None) -> Memory:
    """Finds one memory of an asker; of another's it says what it says of none."""
    return as_of(_one(asker, key), now or datetime.now(UTC))


def memories(
    asker: Asker,
    *,
    statuses: Collection[str] = (ACTIVE,),
    kinds: Collection[str] | None = None,
    service: str | None = None,
    session: str | None = None,
    owned: bool = False,
    limit: int = 100,
    now: datetime | None = None,
    within: Between = ALWAYS,
) -> list[Memory]:
    """Lists an asker's memories, newest first; `owned` gives only those of that owner's scope.

    What they are within is the time when they were learned.
    """
    if not 1 <= limit <= MOST_MEMORIES:
        raise BadInput(f"The limit is {limit}; it must be from 1 to {MOST_MEMORIES:,}.")
    source, moment = table("memories"), now or datetime.now(UTC)
    conditions = _wanted(source, safe(asker), statuses, kinds, service, session, owned, moment)
    conditions = reduce(and_, dated(source.created_at, within), conditions)
    newest = source.where(conditions).order_by(source.created_at, source.key, asc=False)
    return [shown(as_of(row, moment), moment) for row in _rows(source, newest.limit(limit))]


def count(
    asker: Asker,
    *,
    statuses: Collection[str] = (ACTIVE,),
    kinds: Collection[str] | None = None,
    service: str | None = None,
    session: str | None = None,
    owned: bool = False,
    now: datetime | None = None,
) -> int:
    """Counts what `memories` would list without a limit."""
    source, moment = table("memories"), now or datetime.now(UTC)
    with reading(source):
        wanted = _wanted(source, safe(asker), statuses, kinds, service, session, owned, moment)
        return int(source.where(wanted).count())


def changes_of(asker: Asker, key: str) -> list[Change]:
    """Gives what was done to one memory of an asker, oldest first."""
    found = _one(asker, key)
    with translated("reading the changes of a memory"):
        return memory_changes.happened(found, safe(asker))


def keys_begun(asker: Asker, typed: str) -> list[str]:
    """Names the memories of an asker, in any state, whose keys begin so."""
    rows = direct.live_rows("memories").c
    wanted = sql.select(rows.key).where(
        rows.key.startswith(typed, autoescape=True), seen(rows, safe(asker))
    )
    found = direct.select("looking for a memory", wanted.limit(MOST_MEMORIES))
    return [row["key"] for row in found]


def _one(asker: Asker, key: str) -> Memory:
    found, who = held([key]).get(key), safe(asker)
    if found is None or not sees(who, found.user_id, found.project):
        raise unknown(key)
    return found


def held(keys: Iterable[str]) -> dict[str, Memory]:
    """Gives the memories with these keys as they are stored, whosever they are: to compare with."""
    wanted = sorted(set(keys))
    if not wanted:
        return {}
    rows = direct.select("reading memories", _held(), keys=wanted)
    return {row["key"]: read_row(row) for row in rows}


@cache
def _held() -> Any:
    rows = direct.live_rows("memories")
    named = rows.c.key_indexed == sql.func.any(sql.bindparam("keys", type_=sql.ARRAY(sql.Text)))
    return sql.select(*(rows.c[name] for name in MEMORY)).where(named)


def expire(asker: Asker | None, now: datetime) -> list[str]:
    """Gives what time has ended its status: all of it, or what one user owns; names the keys."""
    ended: list[str] = []
    while page := _expire_some(asker and safe(asker), now):
        ended += page
    return ended


def _expire_some(asker: Asker | None, now: datetime) -> list[str]:
    with translated("expiring memories"), queue("memories"):
        source = table("memories")
        wanted = source.status.isin(list(LIVING)) & ending(source, now)
        if asker is not None:
            wanted = wanted & seen(source, asker) & (source.user_id == asker.user_id)
        found = _rows(source, source.where(wanted).order_by(source.key).limit(EXPIRED_AT_ONCE))
        over = [as_of(row, now) for row in found]
        changes = [Change(row.key, EXPIRED, row.why, "time") for row in over]
        return [row.key for row in (update(over, changes) if over else [])]


def standing(rows: Any, statuses: Collection[str], now: datetime) -> Any:
    """Gives the condition that a memory has one of these statuses at a moment.

    What has expired stops being active or pending at once, whatever its row still says.
    """
    unknown = sorted(set(statuses) - set(STATUSES))
    if unknown or not statuses:
        raise BadInput(f"There is no status {unknown[:1]}; there are {', '.join(STATUSES)}.")
    living = [status for status in LIVING if status in statuses]
    settled = [status for status in STATUSES if status in statuses and status not in LIVING]
    conditions = [_either(rows, living) & _lasting(rows, now)] if living else []
    conditions += [_either(rows, settled)] if settled else []
    if EXPIRED in settled:
        conditions.append(_either(rows, LIVING) & ending(rows, now))
    return reduce(or_, conditions)


def _either(rows: Any, statuses: Collection[str]) -> Any:
    """Gives the condition in words that the store and SQL of our own both understand."""
    return reduce(or_, [rows.status == status for status in statuses])


def as_of(stored: Memory, now: datetime) -> Memory:
    """Gives a memory with the status that it has at a moment."""
    if stored.status not in LIVING:
        return stored
    ends = [(stored.expires_at, "It was kept until"), (stored.valid_until, "It was valid until")]
    over = sorted((end, said) for end, said in ends if end is not None and end <= now)
    if not over:
        return stored
    end, said = over[0]
    return replace(stored, status=EXPIRED, why=f"{said} {end.astimezone(UTC):%Y-%m-%d %H:%M} UTC.")


def shown(memory: Memory, now: datetime) -> Memory:
    """Gives a memory as it is shown: of what was to be forgotten by now, without its words."""
    if memory.expires_at is None or memory.expires_at > now:
        return memory
    bare = replace(memory, subject=None, raw_source=None, topic=None, metadata={})
    return replace(bare, content=FORGOTTEN, why=memory.why and unquoted(memory.why))


def without_words(change: Change) -> Change:
    """Gives what was done to a memory whose words are not to be shown."""
    return replace(change, before={}, after={}, why=change.why and unquoted(change.why))


def unquoted(why: str) -> str:
    """Gives a reason without the words that it quotes."""
    return re.sub("“[^”]*”", "“…”", why)


def safe(asker: Asker) -> Asker:
    """Gives an asker by the names that rows are stored under."""
    return Asker(safe_name(asker.user_id), safe_name(asker.project))


def read_directly(doing: str, statement: Any) -> list[Memory]:
    """Gives the memories that a statement over their live rows selects."""
    return [read_row(row) for row in direct.select(doing, statement)]


def read_rows(source: Any, query: Any, **more: Any) -> list[tuple[Memory, Mapping[str, Any]]]:
    """Collects memories from a query over their table or its view, with what else is asked for.

    A state that was kept before a column was added is without it.
    """
    with reading(source):
        there = source.columns()
        names = {name: getattr(source, name) for name in MEMORY if name in there}
        rows = list(query.select(**names, **more).collect())
    return [(read_row(row), row) for row in rows]


def _rows(source: Any, query: Any) -> list[Memory]:
    return [found for found, _ in read_rows(source, query)]


def read_row(row: Mapping[str, Any]) -> Memory:
    """Reads a memory from a row of its columns."""
    read = {name: row[name] for name in MEMORY if name in row}
    read["resolved"] = tuple(row["resolved"] or ())
    return Memory(
        **read | {"applies_to": row["applies_to"] or {}, "metadata": row["metadata"] or {}}
    )


def _wanted(
    source: Any,
    asker: Asker,
    statuses: Collection[str],
    kinds: Collection[str] | None,
    service: str | None,
    session: str | None,
    owned: bool,
    now: datetime,
) -> Any:
    conditions = [seen(source, asker), standing(source, statuses, now)]
    if owned:
        conditions.append(owned_by(source, asker))
    if kinds is not None:
        conditions.append(source.kind.isin(list(kinds)))
    if service is not None:
        conditions.append(source.service == safe_name(service))
    if session is not None:
        conditions.append(source.session_id == safe_name(session))
    return reduce(and_, conditions)


def _lasting(rows: Any, now: datetime) -> Any:
    kept = (rows.expires_at == None) | (rows.expires_at > now)  # noqa: E711  # SQL
    valid = (rows.valid_until == None) | (rows.valid_until > now)  # noqa: E711  # SQL
    return kept & valid


def ending(rows: Any, now: datetime) -> Any:
    """Gives the condition that time has ended what a memory was kept or valid for."""
    return (rows.expires_at <= now) | (rows.valid_until <= now)


def _do(new: Sequence[Memory], changed: Sequence[Memory], names: Collection[str]) -> Any:
    """Writes memories in one transaction, of changed ones only the columns with these names."""
    rows = [columns(memory) for memory in (*changed, *new)]
    if not changed:
        return with_kept(["memories"], lambda kept: kept["memories"].insert(rows))
    told = [{name: value for name, value in row.items() if name in names} for row in rows]
    otherwise = "insert" if new else "error"
    return with_kept(
        ["memories"], lambda kept: kept["memories"].batch_update(told, if_not_exists=otherwise)
    )


def _differing(memories: Sequence[Memory], stored: Mapping[str, Memory]) -> set[str]:
    pairs = [(columns(memory), columns(stored[memory.key])) for memory in memories]
    may_lack_vectors = any(stored[memory.key].check_failed for memory in memories)
    always = {"key", "touched_at"} | ({"content"} if may_lack_vectors else set())
    return always | {name for now, was in pairs for name in now if now[name] != was[name]}


def unknown(key: str) -> NotFound:
    """Says that an asker has no memory with a key, whether or not another one has."""
    named = redact(key)[:LONGEST_SHOWN]
    return NotFound(f"You have no memory {named!r}. `knowwhy memories` shows the keys.")
