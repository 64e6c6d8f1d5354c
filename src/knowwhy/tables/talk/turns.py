"""Conversations read back, by whose they are."""

import hashlib
from datetime import datetime
from typing import Any

import sqlalchemy as sql

from knowwhy.errors import BadInput
from knowwhy.tables import direct
from knowwhy.tables.indexed import INDEXED_CHARACTERS
from knowwhy.tables.scope import dated, seen
from knowwhy.tables.write import TURN
from knowwhy.text.secrets.redact import redact
from knowwhy.types import ALWAYS, Asker, Between, Turn

MOST_TURNS = 1_000  # turns given at once; of the longest contents that is 50 MB
MOST_WORDS = 50  # words that a turn must hold; each is one more pass over the texts
LONGEST_SAFE = 190  # characters of a name without its secrets, so that none outgrows its bound
DIGEST_DIGITS = 6  # tell apart two names that differ in their secrets only


def safe_name(name: str | None) -> str | None:
    """Gives a user, project or session as it is stored: without secrets, and still its own."""
    if not name or (safe := redact(name)) == name:
        return name
    return f"{safe[:LONGEST_SAFE]}~{hashlib.sha256(name.encode()).hexdigest()[:DIGEST_DIGITS]}"


def history(
    user: str | None,
    project: str | None,
    session: str | None,
    words: str | None,
    limit: int,
    now: datetime,
    within: Between = ALWAYS,
) -> list[Turn]:
    """Gives a user's live turns, newest first; without a user those that are everybody's.

    Project and session limit them where they are given; what is everybody's in a project is given
    in that project only. Of the words every one must stand in the turn, in upper or lower case,
    whole or as a part.
    """
    wanted = (words or "").split()
    if len(wanted) > MOST_WORDS:
        raise BadInput(f"A turn is found by at most {MOST_WORDS} words; {len(wanted)} were given.")
    if not 1 <= limit <= MOST_TURNS:
        raise BadInput(f"The limit is {limit}; it must be from 1 to {MOST_TURNS:,}.")
    if "\0" in (words or ""):  # no text that Postgres keeps has it
        return []
    turns = direct.live_rows("turns").c
    names = safe_name(user), safe_name(project), safe_name(session)
    those = sql.select(*(turns[name] for name in TURN)).where(
        *_seen(turns, *names, now),
        *dated(turns.at, within),
        *(turns.content.icontains(w, autoescape=True) for w in wanted),
    )
    newest = those.order_by(turns.at.desc(), turns.key.desc()).limit(limit)
    return [Turn(**row) for row in direct.select("reading a conversation", newest)]


def count_everybodys(now: datetime) -> int:
    """Counts the live turns of no user, which any user's search finds."""
    turns = direct.live_rows("turns").c
    lives = (turns.expires_at == None) | (turns.expires_at > now)  # noqa: E711  # SQL
    wanted = turns.user_id_indexed == None, lives  # noqa: E711  # SQL
    counted = sql.select(sql.func.count().label("number")).where(*wanted)
    return int(direct.select("counting turns", counted)[0]["number"])


def _seen(
    turns: Any, user: str | None, project: str | None, session: str | None, now: datetime
) -> list[Any]:
    """Gives the conditions under which a turn may be shown: its own user only, while it lives."""
    conditions = [
        seen(turns, Asker(user, project)),
        turns.user_id == user,
        turns.user_id_indexed == _cut(user),
        (turns.expires_at == None) | (turns.expires_at > now),  # noqa: E711  # SQL
    ]
    if project is not None:
        conditions.append(turns.project == project)
    if session is not None:
        conditions.append(turns.session_id == session)
        conditions.append(turns.session_id_indexed == _cut(session))
    return conditions


def _cut(name: str | None) -> str | None:
    return name and name[:INDEXED_CHARACTERS]
