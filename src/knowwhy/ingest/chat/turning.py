"""Turns the messages of a chat into turns: without secrets, each with a key, a time, a context."""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from knowwhy.ingest.chat.conversation import context_of
from knowwhy.ingest.chat.messages import Message
from knowwhy.tables.talk.turns import safe_name
from knowwhy.text.secrets.redact import redact, redact_json
from knowwhy.types import Turn

KEY_DIGITS = 32  # of a hash; 128 bits do not meet by chance
FIRST_YEAR, LAST_YEAR = 1971, 2199  # another year is no time of a message; any zone can hold it
AHEAD = timedelta(days=1)  # by which a clock may be wrong; nothing was said later than that
TICK = timedelta(microseconds=1)  # keeps turns of one moment in their order; the store's finest

_PLACE = re.compile(r"\d{1,9}(?:/answer)?(?:~\d{1,9})?")  # what follows a session's name and #


@dataclass(frozen=True, slots=True)
class Whose:
    """What somebody says of a whole chat; it goes before what the chat says of itself."""

    user: str | None = None
    project: str | None = None
    session: str | None = None
    owner: str | None = None  # whose it is where the chat names nobody; None for everybody's


@dataclass(frozen=True, slots=True)
class Origin:
    """The file of a chat, which tells apart what nothing in the chat tells apart."""

    session: str  # what sessions are called that only the file names, or begin with and a slash
    digest: str  # of the whole path

    def names(self, session: str | None) -> bool:
        """Tells whether only the file names a session."""
        return session is not None and f"{session}/".startswith(f"{self.session}/")


@dataclass(frozen=True, slots=True)
class Coming:
    """A turn that is not stored yet, and whether the chat told its time and its project."""

    turn: Turn
    is_timed: bool
    is_placed: bool = True


def turns_of(
    messages: Sequence[Message],
    whose: Whose,
    *,
    written: datetime,
    now: datetime,
    origin: Origin | None = None,
) -> list[Coming]:
    """Makes the turns of a chat; `written` is the time where the chat tells none before `now`."""
    safe = _without_secrets(_owned(messages), whose)
    contexts = context_of(
        [replace(s, session=m.session) for s, m in zip(safe, messages, strict=True)]
    )
    keys = _keys(messages, safe, origin)
    told = [_believed(message, now) for message in messages]
    times = _times(messages, told, written)
    return [
        Coming(
            Turn(
                key=key,
                user_id=message.user,
                project=message.project,
                session_id=message.session,
                role=message.role,
                speaker=message.speaker,
                content=message.content,
                context=context and redact(context),
                at=at,
            ),
            is_timed=moment is not None,
        )
        for message, context, key, at, moment in zip(safe, contexts, keys, times, told, strict=True)
    ]


def _owned(messages: Sequence[Message]) -> list[Message]:
    """Gives each session to the one user that it names; where it names several they only speak."""
    named: dict[str | None, set[str]] = {}
    for message in messages:
        named.setdefault(message.session, set()).update([message.user] if message.user else [])
    owned = []
    for message in messages:
        users = named[message.session]
        if len(users) > 1:
            speaker = message.speaker or (message.user if message.role == "user" else None)
            owned.append(replace(message, user=None, speaker=speaker))
        else:
            owned.append(replace(message, user=next(iter(users), None)))
    return owned


def _without_secrets(messages: Sequence[Message], whose: Whose) -> list[Message]:
    """Redacts a chat as one text: what one message tells as a secret goes from the others."""
    said = redact_json([[message.content, message.speaker] for message in messages])
    return [
        replace(
            message,
            content=content,
            session=safe_name(whose.session or message.session),
            project=safe_name(whose.project or message.project),
            key=safe_name(message.key) or "",
            speaker=speaker,
            user=safe_name(whose.user or message.user or whose.owner),
        )
        for message, (content, speaker) in zip(messages, said, strict=True)
    ]


def _keys(messages: Sequence[Message], safe: Sequence[Message], origin: Origin | None) -> list[str]:
    """Makes a key for each message that a longer or a later export of the chat makes again."""
    firsts: dict[str | None, str] = {}
    for message, shown in zip(messages, safe, strict=True):
        file = origin.digest if origin and origin.names(message.session) else ""
        firsts.setdefault(message.session, f"{file}{shown.role} {_alone(message)}")
    counts: Counter[tuple[str | None, ...]] = Counter()
    keys = []
    for message, shown in zip(messages, safe, strict=True):
        told = (shown.user, shown.project, shown.session, *_identity(message, shown, firsts))
        counts[told] += 1
        whole = json.dumps([*told, counts[told]])
        keys.append(hashlib.sha256(whole.encode()).hexdigest()[:KEY_DIGITS])
    return keys


def _alone(message: Message) -> str:
    """Gives what a message says whatever a longer export tells of it."""
    return redact(message.content)


def _identity(message: Message, shown: Message, firsts: dict[str | None, str]) -> tuple[str, ...]:
    """Tells a message from others: by its own id, else its time, else its place in its chat."""
    place = message.key.removeprefix(f"{message.session}#")
    if place == message.key or not _PLACE.fullmatch(place):
        return ("id", shown.key)
    at = _told(message)
    if at is not None:
        return ("at", at.astimezone(UTC).isoformat(), message.role)
    return ("in", firsts[message.session], place)


def _times(
    messages: Sequence[Message], told: Sequence[datetime | None], written: datetime
) -> list[datetime]:
    """Gives each message a time of its own: what it tells, else that of the one before it."""
    last: dict[str | None, datetime] = {}
    for message, moment in zip(reversed(messages), reversed(told), strict=True):
        if moment is not None:
            last[message.session] = moment  # what comes before the first told time has that one
    counts: Counter[tuple[str | None, datetime]] = Counter()
    times = []
    for message, moment in zip(messages, told, strict=True):
        at = last[message.session] = moment or last.get(message.session, written)
        times.append(at + counts[message.session, at] * TICK)
        counts[message.session, at] += 1
    return times


def _told(message: Message) -> datetime | None:
    at = message.at
    return at if at is not None and FIRST_YEAR <= at.year <= LAST_YEAR else None


def _believed(message: Message, now: datetime) -> datetime | None:
    """Gives the time that a message tells, unless it would not have been said yet."""
    at = _told(message)
    return at if at is not None and at <= now + AHEAD else None
