"""Chats that were taken in as everybody's before: ended, once they are taken in as somebody's."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import PurePosixPath

import sqlalchemy as sql

from knowwhy.grounding.steps import alone
from knowwhy.ingest.chat.messages import Message
from knowwhy.tables import direct, write
from knowwhy.tables.kept import memories
from knowwhy.tables.kept.memories import EXPIRED, MEMORY
from knowwhy.types import Change

AT_ONCE = 500  # keys of one question
CLAIMED = "Its conversation has an owner now."


def as_before(messages: Sequence[Message]) -> list[Message]:
    """Gives messages by the project that their folder's name was taken for."""
    return [replace(m, project=m.project or _name(m.folder)) for m in messages]


def end_everybodys(keys: Sequence[str], now: datetime) -> int:
    """Ends the turns of these keys that are everybody's, and what was learned from them."""
    ended = 0
    for start in range(0, len(keys), AT_ONCE):
        stored = write.stored_turns(keys[start : start + AT_ONCE]).values()
        nobodys = [turn for turn in stored if turn.user_id is None]
        living = [turn for turn in nobodys if turn.expires_at is None or turn.expires_at > now]
        _forget([turn.key for turn in nobodys], now)
        write.put_turns([replace(turn, expires_at=now) for turn in living])
        ended += len(living)
    return ended


def _forget(turns: Sequence[str], now: datetime) -> None:
    """Ends the memories of no user that were read in turns."""
    if not turns:
        return
    rows = direct.live_rows("memories").c
    of_them = rows.turn_key.in_(turns), rows.user_id.is_(None)
    statement = sql.select(*(rows[name] for name in MEMORY)).where(*of_them)
    with alone():
        found = memories.read_directly("reading what was learned", statement)
        lasting = [one for one in found if one.expires_at is None or one.expires_at > now]
        if lasting:
            ends = [replace(one, expires_at=now) for one in lasting]
            memories.update(ends, [Change(one.key, EXPIRED, CLAIMED) for one in ends])


def _name(folder: str | None) -> str | None:
    return (PurePosixPath(folder.replace("\\", "/")).name or None) if folder else None
