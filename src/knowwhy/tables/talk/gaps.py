"""What is still to be learned: turns that nobody has read, facts that nobody has judged.

Both are what one table has and another lacks, so a crash at any moment loses and doubles nothing.
"""

from collections.abc import Collection
from dataclasses import dataclass, fields
from datetime import datetime
from functools import cache
from typing import Any

import sqlalchemy as sql
from sqlalchemy.dialects.postgresql import JSONB

from knowwhy.tables import direct
from knowwhy.tables.talk.turns import safe_name
from knowwhy.types import Asker, Fact, Turn

OF_ALL = Asker()  # work for all users, in all projects
ATTEMPTS = 3  # readings of one turn that may fail; a model that cannot read it thrice never will
ENDED = ("superseded", "expired", "retracted")  # states of a memory that nothing reads it out of
REJECTED = "rejected"  # the change by which a person refuses a claim
KEY_DIGITS = 20  # hexadecimal, of the key of a fact's memory
TURN = tuple(field.name for field in fields(Turn))
READ = tuple(name for name in TURN if name not in ("key", "speaker", "via"))  # kept with its facts


@dataclass(frozen=True, slots=True)
class Unread:
    """A turn that no extractor has read, and how often one has failed to."""

    turn: Turn
    attempts: int


@dataclass(frozen=True, slots=True)
class Unjudged:
    """A fact that has no memory yet, and the turn that it was read in."""

    fact: Fact
    turn: Turn  # as it was read: without what was recalled; its speaker where others speak
    extractor_version: str


@dataclass(frozen=True, slots=True)
class Settled:
    """A memory that was read in a turn before and has had its life, or was rejected."""

    key: str
    turn_key: str
    content: str
    status: str
    quote: str | None  # of the turn: another version may say it in other words


@dataclass(frozen=True, slots=True)
class Backlog:
    """How much is still to be done, and how much was given up."""

    turns: int
    facts: int
    failed: int  # turns that no attempt could read, and those that are left alone
    without: tuple[str, ...] = ()  # of those left alone, as they were named and are there


def unread(
    version: str,
    *,
    now: datetime,
    oldest: int,
    newest: int,
    again: bool = False,
    without: Collection[str] = (),
    whose: Asker = OF_ALL,
) -> list[Unread]:
    """Gives turns to read in the order they were said: the oldest, and some of the newest.

    Only those of one user, or of one project, where it names one. A turn that any version has read
    is read; with `again` only one that this version has read.
    """
    of = _named(whose)
    told = {"version": version, "now": now, "again": again, "without": list(without) or [""], **of}
    doing = "looking for turns to read"
    rows = direct.select(doing, _unread(newest_first=False, of=tuple(of)), most=oldest, **told)
    if len(rows) == oldest and newest:
        rows += direct.select(doing, _unread(newest_first=True, of=tuple(of)), most=newest, **told)
    found = {row["key"]: row for row in rows}
    ordered = sorted(found.values(), key=lambda row: (row["at"], row["key"]))
    return [Unread(Turn(**{n: row[n] for n in TURN}), row["attempts"]) for row in ordered]


def unjudged(
    *, now: datetime, most: int, without: Collection[str] = (), whose: Asker = OF_ALL
) -> list[Unjudged]:
    """Gives facts to judge in the order they were said, but for those of some turns."""
    of = _named(whose)
    told = {"now": now, "most": most, "without": list(without) or [""], **of}
    rows = direct.select("looking for facts to judge", _unjudged(of=tuple(of)), **told)
    keys = {row["turn_key"] for row in rows}
    speakers, ways = _speakers(keys), _ways(keys)
    return [
        Unjudged(
            Fact(**row["fact"]),
            Turn(
                key=row["turn_key"],
                speaker=speakers.get(row["turn_key"]),
                via=ways.get(row["turn_key"]),
                **{name: row[name] for name in READ},
            ),
            row["extractor_version"],
        )
        for row in rows
    ]


def _speakers(turn_keys: Collection[str]) -> dict[str, str]:
    """Gives who said turns, of those in whose session several people speak."""
    if not turn_keys:
        return {}
    keys = list(turn_keys)
    rows = direct.select("looking who speaks", _among_others(), keys=keys)
    return {row["key"]: row["speaker"] for row in rows}


def _ways(turn_keys: Collection[str]) -> dict[str, str]:
    """Gives through whom turns have come, of those of which that is known."""
    if not turn_keys:
        return {}
    rows = direct.select("looking how turns came", _came_through(), keys=list(turn_keys))
    return {row["key"]: row["via"] for row in rows}


def settled(turn_keys: Collection[str]) -> list[Settled]:
    """Gives what was read in turns before and may not come back: ended, or rejected by a person."""
    doing = "looking at what was read before"
    rows = direct.select(doing, _settled(), turns=list(turn_keys)) if turn_keys else []
    return [Settled(**row) for row in rows]


def backlog(
    version: str,
    now: datetime,
    *,
    again: bool = False,
    without: Collection[str] = (),
    whose: Asker = OF_ALL,
) -> Backlog:
    """Counts what is still to be done, of one user or one project where it names one."""
    of = _named(whose)
    names = tuple(of)
    left_alone = {"without": list(without) or [""]}
    told = {"version": version, "now": now, "again": again, "most": None, **left_alone, **of}
    doing = "counting what is to be learned"
    alone = direct.select(doing, _left_alone(of=names), **left_alone, **of) if without else []
    unread = _counted(_unread(newest_first=False, of=names))
    return Backlog(
        turns=direct.select(doing, unread, **told)[0]["n"],
        facts=direct.select(doing, _counted(_unjudged(of=names)), **told)[0]["n"],
        failed=direct.select(doing, _given_up(of=names), **of)[0]["n"] + len(alone),
        without=tuple(row["key"] for row in alone),
    )


def _named(whose: Asker) -> dict[str, str]:
    """Gives the columns that work is limited to, by the names that rows are stored under."""
    named = {"user_id": safe_name(whose.user_id), "project": safe_name(whose.project)}
    return {name: value for name, value in named.items() if value is not None}


def _is_of(rows: Any, of: Collection[str]) -> list[Any]:
    return [rows.c[name] == sql.bindparam(name) for name in of]


def last_moves() -> tuple[datetime | None, ...]:
    """Gives when turns and extractions were last written: nothing is new while both stand."""
    return tuple(direct.select("looking for new turns", _last_moves())[0].values())


def unread_turns() -> Any:
    """Gives the statement that finds the turns nobody has read, to ask more of them."""
    return _unread(newest_first=False)


@cache
def _unread(*, newest_first: bool, of: tuple[str, ...] = ()) -> Any:
    turns, read = direct.live_rows("turns"), direct.live_rows("extractions")
    tried = direct.live_rows("extractions").alias("tried")
    version = sql.bindparam("version", type_=sql.String)
    settled = sql.exists().where(
        read.c.turn_key == turns.c.key,
        sql.or_(~sql.bindparam("again", type_=sql.Boolean), read.c.extractor_version == version),
        sql.or_(read.c.failed.is_(None), read.c.attempts >= ATTEMPTS),
    )
    same = sql.and_(tried.c.turn_key == turns.c.key, tried.c.extractor_version == version)
    attempts = sql.func.coalesce(tried.c.attempts, 0).label("attempts")
    order = [turns.c["at"], turns.c.key]
    return (
        sql.select(*(turns.c[name] for name in TURN), attempts)
        .select_from(turns.outerjoin(tried, same))
        .where(~settled, _lives(turns), _not_without(turns.c.key), *_is_of(turns, of))
        .order_by(*(column.desc() for column in order) if newest_first else order)
        .limit(sql.bindparam("most", type_=sql.Integer))
    )


@cache
def _unjudged(*, of: tuple[str, ...] = ()) -> Any:
    read, memories = direct.live_rows("extractions"), direct.live_rows("memories")
    is_list = sql.func.jsonb_typeof(read.c.facts) == "array"
    listed = sql.case((is_list, read.c.facts), else_=sql.text("'[]'::jsonb"))
    each = sql.func.jsonb_array_elements(listed)
    fact = each.table_valued(sql.column("fact", JSONB), name="listed").render_derived()
    number = fact.c.fact["number"].astext
    told = read.c.turn_key + "\n" + read.c.extractor_version + "\n" + number
    digest = sql.func.encode(sql.func.sha256(sql.func.convert_to(told, "UTF8")), "hex")
    key = sql.literal("m-") + sql.func.left(digest, KEY_DIGITS)
    chosen = [read.c[name] for name in (*READ, "turn_key", "extractor_version")]
    return (
        sql.select(*chosen, fact.c.fact)
        .select_from(read.join(fact, sql.true()))
        .where(
            ~sql.exists().where(memories.c.key == key),
            _lives(read),
            _not_without(read.c.turn_key),
            *_is_of(read, of),
        )
        .order_by(read.c["at"], read.c.turn_key, number.cast(sql.Integer))
        .limit(sql.bindparam("most", type_=sql.Integer))
    )


@cache
def _among_others() -> Any:
    said, others = direct.live_rows("turns"), direct.live_rows("turns").alias("others")
    is_elses = sql.exists().where(
        others.c.session_id_indexed == said.c.session_id_indexed,
        others.c.session_id == said.c.session_id,
        others.c.user_id.is_not_distinct_from(said.c.user_id),
        others.c.project.is_not_distinct_from(said.c.project),
        others.c.role == "user",
        others.c.speaker.is_distinct_from(said.c.speaker),
    )
    named = said.c.key_indexed.in_(sql.bindparam("keys", expanding=True))
    return sql.select(said.c.key, said.c.speaker).where(
        named, said.c.role == "user", said.c.speaker.is_not(None), is_elses
    )


@cache
def _came_through() -> Any:
    turns = direct.live_rows("turns").c
    named = turns.key_indexed.in_(sql.bindparam("keys", expanding=True))
    return sql.select(turns.key, turns.via).where(named, turns.via.is_not(None))


@cache
def _settled() -> Any:
    memories, changes = direct.live_rows("memories"), direct.live_rows("changes")
    rejected = sql.exists().where(
        changes.c.memory_key == memories.c.key, changes.c.what == REJECTED
    )
    over = sql.or_(memories.c.status.in_(ENDED), sql.and_(memories.c.status == "refused", rejected))
    quote = memories.c["metadata"].op("->>")("quote").label("quote")
    chosen = [memories.c[field.name] for field in fields(Settled) if field.name != "quote"]
    of_turns = memories.c.turn_key_indexed.in_(sql.bindparam("turns", expanding=True))
    return sql.select(*chosen, quote).where(of_turns, over)


@cache
def _given_up(*, of: tuple[str, ...] = ()) -> Any:
    read = direct.live_rows("extractions")
    over = sql.and_(read.c.failed.is_not(None), read.c.attempts >= ATTEMPTS)
    return sql.select(sql.func.count().label("n")).select_from(read).where(over, *_is_of(read, of))


@cache
def _left_alone(*, of: tuple[str, ...] = ()) -> Any:
    turns = direct.live_rows("turns")
    named = turns.c.key_indexed.in_(sql.bindparam("without", expanding=True))
    return sql.select(turns.c.key).where(named, *_is_of(turns, of))


@cache
def _last_moves() -> Any:
    names = ("turns", "extractions", "memories")
    last = [
        sql.select(sql.func.max(direct.live_rows(name).c.touched_at_indexed)).scalar_subquery()
        for name in names
    ]
    return sql.select(*(one.label(name) for one, name in zip(last, names, strict=True)))


def _counted(statement: Any) -> Any:
    return sql.select(sql.func.count().label("n")).select_from(statement.subquery())


def _lives(rows: Any) -> Any:
    return sql.or_(rows.c.expires_at.is_(None), rows.c.expires_at > sql.bindparam("now"))


def _not_without(column: Any) -> Any:
    return column.not_in(sql.bindparam("without", expanding=True))
