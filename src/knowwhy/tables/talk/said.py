"""One message kept as it is said: no model, one look at the turn before it, one small insert."""

import hashlib
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any
from uuid import uuid4

import sqlalchemy as sql

from knowwhy.errors import BadInput, StoreFailed
from knowwhy.tables import direct
from knowwhy.tables.failures import translated
from knowwhy.tables.talk.turns import safe_name
from knowwhy.tables.write import queue, stored_turns, with_kept
from knowwhy.text.characters import check_text
from knowwhy.text.secrets.redact import redact, redact_json
from knowwhy.text.speech.turn_ends import CONTEXT_CHARS, as_context
from knowwhy.types import Turn

ROLES = ("user", "assistant")
MOST_CONTENT = 50_000  # characters of a message; what is longer was pasted in
MOST_NAME = 200  # characters of a user, a project, a session or a message's own id
LONGEST_TTL = timedelta(days=36_500)  # a hundred years
FIRST_YEAR = 1971  # before it nothing was said; any zone can hold it
AHEAD = timedelta(days=1)  # by which a clock may be wrong; nothing was said later than that
KEY_DIGITS = 32  # hexadecimal; 128 bits do not meet by chance
TICK = timedelta(microseconds=1)  # keeps turns of one moment in their order; the store's finest
SKEW = timedelta(seconds=1)  # by which the clocks of two processes may differ
WAIT = "5s"  # for the table; a reply that is held up longer than that is worse than an error


@dataclass(frozen=True, slots=True)
class Saying:
    """A message as somebody says it."""

    content: str
    user: str | None = None  # whose it is; None for everybody's
    project: str | None = None
    session: str | None = None
    role: str = "user"
    speaker: str | None = None  # the name, where several people or programs have one role
    at: datetime | None = None  # now when left out
    ttl: timedelta | None = None  # how long it lives
    id: str | None = None  # its sender's own: the same message told again is kept once
    via: str | None = None  # person, command or assistant: through whom it has come


def add_turn(saying: Saying) -> Turn:
    """Keeps a message and gives it as it is stored; it can be read back at once."""
    now = datetime.now(UTC)
    _check(saying, now)
    turn = _turn(saying, now)
    with translated("keeping a message"), queue("turns", WAIT):
        if saying.id is not None and (kept := stored_turns([turn.key])):
            return kept[turn.key]
        turn = _after(_before(turn), turn, is_timed=saying.at is not None)
        row = asdict(turn) | {"touched_at": datetime.now(UTC)}
        if with_kept(["turns"], lambda kept: kept["turns"].insert([row])).num_excs:
            raise StoreFailed("The store could not keep the message.")
    return turn


def _check(saying: Saying, now: datetime) -> None:
    """Refuses what is out of bounds, each with its own sentence."""
    if saying.role not in ROLES:
        raise BadInput(f"The role is {saying.role!r}; it must be {' or '.join(ROLES)}.")
    if len(saying.content) > MOST_CONTENT:
        raise BadInput(
            f"The message has {len(saying.content):,} characters; at most {MOST_CONTENT:,} are "
            "kept. A document is taken in by `knowwhy ingest document`."
        )
    for what, text in (("message", saying.content), *_names(saying)):
        try:
            check_text(text)
        except BadInput as refused:
            raise BadInput(f"The {what} {refused}.") from None
        if what != "message" and len(text) > MOST_NAME:
            raise BadInput(f"The {what} must have at most {MOST_NAME} characters.")
    if saying.at is not None and saying.at.tzinfo is None:
        raise BadInput("The time of a message must say its zone.")
    if saying.at is not None and saying.at.year < FIRST_YEAR:
        raise BadInput(f"The time of a message must be in {FIRST_YEAR} or later.")
    if saying.at is not None and saying.at > now + AHEAD:
        raise BadInput(
            f"The time of a message is {saying.at:%Y-%m-%d %H:%M}, which is to come; give the time "
            "at which it was said, or none for now."
        )
    if saying.ttl is not None and not timedelta() < saying.ttl <= LONGEST_TTL:
        raise BadInput("The time to live must be above zero and at most a hundred years.")


def _names(saying: Saying) -> list[tuple[str, str]]:
    named = ("user", "project", "session", "speaker", "id")
    given = [(name, getattr(saying, name)) for name in named]
    return [(name, value) for name, value in given if value is not None]


def _turn(saying: Saying, now: datetime) -> Turn:
    at = saying.at or now
    whose = [safe_name(name) for name in (saying.user, saying.project, saying.session)]
    told = "\n".join(["said", *map(repr, whose), saying.id or uuid4().hex])
    speaker, content = redact_json([saying.speaker, saying.content])
    return Turn(
        key=hashlib.sha256(told.encode()).hexdigest()[:KEY_DIGITS],
        user_id=whose[0],
        project=whose[1],
        session_id=whose[2],
        role=saying.role,
        speaker=speaker,
        content=content,
        context=None,
        at=at,
        expires_at=None if saying.ttl is None else at + saying.ttl,
        via=saying.via,
    )


def _after(before: Any, turn: Turn, *, is_timed: bool) -> Turn:
    """Puts a turn behind the one before it, whose end is its context while that one lives."""
    if before is None:
        return turn
    at = turn.at if is_timed else max(turn.at, before["at"] + TICK)
    ends, until = before["expires_at"], turn.expires_at
    if ends is not None and (ends <= turn.at or until is None or until > ends):
        return replace(turn, at=at)  # what it says may not live longer in another turn
    context = as_context(before["speaker"] or before["role"], before["ending"])
    return replace(turn, at=at, context=redact(context))


def _before(turn: Turn) -> Any:
    """Gives the last turn of the same session, of which only the end is read."""
    if turn.session_id is None:
        return None
    whose = {"user": turn.user_id, "project": turn.project, "session": turn.session_id}
    until = turn.at + SKEW
    found = direct.select("reading the turn before", _last_of_session(), until=until, **whose)
    return found[0] if found else None


@cache
def _last_of_session() -> Any:
    rows = direct.live_rows("turns")
    columns = rows.c
    ending = sql.func.right(columns.content, CONTEXT_CHARS + 1).label("ending")
    same = sql.and_(
        columns.session_id_indexed == sql.bindparam("session", type_=sql.String),
        columns.user_id.is_not_distinct_from(sql.bindparam("user", type_=sql.String)),
        columns.project.is_not_distinct_from(sql.bindparam("project", type_=sql.String)),
        columns["at"] <= sql.bindparam("until"),
    )
    chosen = sql.select(columns["at"], columns.expires_at, columns.role, columns.speaker, ending)
    return chosen.where(same).order_by(columns["at"].desc()).limit(1)
