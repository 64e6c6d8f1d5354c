"""Texts that a user was handed by recent searches: what may come back in a conversation."""

from collections.abc import Collection
from datetime import datetime, timedelta
from functools import cache
from typing import Any

import sqlalchemy as sql

from knowwhy.tables import direct
from knowwhy.tables.agents import lending
from knowwhy.tables.kept.memories import is_key
from knowwhy.tables.reading import reading
from knowwhy.tables.scope import seen
from knowwhy.tables.write import table
from knowwhy.types import Asker

RECENT = timedelta(days=1)  # before a turn: what was handed out is repeated the same day
SKEW = timedelta(seconds=5)  # a search may be noted a moment after its answer was used
MOST_RECALLS = 30  # searches looked at, the last ones
MOST_PASSAGES = 1_000  # texts looked at: of long records not all


def handed_out(asker: Asker, at: datetime) -> list[tuple[str, str]]:
    """Gives key and words of what an asker was handed shortly before a moment."""
    whose = {"user": asker.user_id, "project": asker.project}
    told = {**whose, "since": at - RECENT, "until": at + SKEW}
    rows = direct.select("looking at recent searches", _recalls(), **told)
    keys = {str(key) for row in rows for key in row["result_keys"] or ()}
    if not keys:
        return []
    memories = {key for key in keys if is_key(key)}  # a record may be called so too
    return [*_memories(asker, memories, at), *_passages(keys)]


@cache
def _recalls() -> Any:
    rows = direct.live_rows("recalls")
    user, project = (sql.bindparam(name, type_=sql.String) for name in ("user", "project"))
    there = sql.or_(rows.c.project_indexed.is_(None), rows.c.project_indexed == project)
    nobodys = sql.and_(rows.c.user_id_indexed.is_(None), there)  # may have been anybody's there
    theirs = sql.or_(rows.c.user_id_indexed == user, nobodys)
    within = rows.c["at"].between(sql.bindparam("since"), sql.bindparam("until"))
    newest = rows.c["at"].desc()
    return sql.select(rows.c.result_keys).where(theirs, within).order_by(newest).limit(MOST_RECALLS)


def _memories(asker: Asker, keys: Collection[str], at: datetime) -> list[tuple[str, str]]:
    if not keys:
        return []
    source, lent = table("memories"), lending.lent(asker, at)  # nobody is taught what is lent
    with reading(source):
        theirs = seen(source, asker)
        if lent:
            theirs = theirs | source.key.isin(sorted(lent))
        wanted = source.where(source.key.isin(sorted(keys)) & theirs)
        rows = list(wanted.select(key=source.key, text=source.content).collect())
    return [(row["key"], row["text"]) for row in rows]


def _passages(keys: Collection[str]) -> list[tuple[str, str]]:
    if not keys:
        return []
    source = table("passages")
    with reading(source):
        wanted = source.where(source.key.isin(sorted(keys))).limit(MOST_PASSAGES)
        rows = list(wanted.select(key=source.key, text=source.text).collect())
    return [(row["key"], row["text"]) for row in rows]
