"""When each record, memory and turn was last given to somebody: folded from the recalls."""

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from datetime import UTC, datetime
from typing import Any

from knowwhy.errors import StoreFailed
from knowwhy.tables import direct
from knowwhy.tables.failures import translated
from knowwhy.tables.reading import reading
from knowwhy.tables.talk.turns import safe_name
from knowwhy.tables.write import queue, table
from knowwhy.types import Json

DIGITS = 32  # hexadecimal; 128 bits do not meet by chance
BEGINNING = ""  # a mark before every recall's


@dataclass(frozen=True, slots=True)
class Given:
    """One search: whom it was for, and what it gave."""

    mark: str  # its place among the recalls, which sorts as they were made
    user_id: str | None
    keys: tuple[str, ...]
    at: datetime


@dataclass(frozen=True, slots=True)
class Access:
    """How often a user was given something, and when last."""

    key: str
    item_key: str
    user_id: str | None
    times: int
    last_at: datetime
    folded: str  # the mark of the last recall that is counted


ACCESS = tuple(field.name for field in fields(Access))


def given(after: str, before: datetime, most: int) -> list[Given]:
    """Lists searches in the order they were made, from a mark to a moment."""
    recalls = table("recalls")
    since = _moment(after)
    with translated("reading what was asked"), reading(recalls):
        wanted = recalls.at < before
        if since is not None:
            later = (recalls.at > since) | ((recalls.at == since) & (recalls.key > _key_of(after)))
            wanted = wanted & later
        rows = recalls.where(wanted).order_by(recalls.at, recalls.key).limit(most)
        columns = {n: getattr(recalls, n) for n in ("key", "user_id", "result_keys", "at")}
        found = list(rows.select(**columns).collect())
    return [
        Given(mark(row["at"], row["key"]), row["user_id"], tuple(row["result_keys"]), row["at"])
        for row in found
    ]


def fold(searches: Sequence[Given]) -> int:
    """Counts searches into the accesses of what they gave; one that is counted stays so."""
    with translated("noting accesses"), queue("access"):
        stored = _stored({access_key(s.user_id, key) for s in searches for key in s.keys})
        now = folded(searches, stored)
        changed = [asdict(a) for key, a in now.items() if a != stored.get(key)]
        status = table("access").batch_update(changed, if_not_exists="insert") if changed else None
        if status and status.num_excs:
            raise StoreFailed("The store could not note accesses.")
    return len(changed)


def folded(searches: Iterable[Given], stored: Mapping[str, Access]) -> dict[str, Access]:
    """Gives accesses as they are with some searches counted, each search once."""
    found = dict(stored)
    for search in searches:
        for item in dict.fromkeys(search.keys):
            key = access_key(search.user_id, item)
            was = found.get(key) or Access(key, item, search.user_id, 0, search.at, BEGINNING)
            if search.mark > was.folded:
                times, last = was.times + 1, max(was.last_at, search.at)
                found[key] = replace(was, times=times, last_at=last, folded=search.mark)
    return found


def last_accesses(user_id: str | None, keys: Collection[str]) -> dict[str, datetime]:
    """Gives when a user was last given each of some things; of what nobody gave them, nothing."""
    if not keys:
        return {}
    own = {access_key(safe_name(user_id), key) for key in keys}
    rows = direct.live_rows("access")
    query = rows.select().where(rows.c.key_indexed.in_(sorted(own)))
    found = direct.select("reading accesses", query)
    return {row["item_key"]: row["last_at"] for row in found}


def mark(at: datetime, key: str) -> str:
    """Gives a recall its place: its moment in UTC to the microsecond, then its key."""
    return f"{at.astimezone(UTC):%Y-%m-%dT%H:%M:%S.%f} {key}"


def access_key(user_id: str | None, item: str) -> str:
    """Gives the key of a user's accesses to one thing."""
    told = json.dumps([user_id, item])
    return f"x-{hashlib.sha256(told.encode()).hexdigest()[:DIGITS]}"


def _stored(keys: Collection[str]) -> dict[str, Access]:
    source = table("access")
    with reading(source):
        columns: dict[str, Json] = {name: getattr(source, name) for name in ACCESS}
        named = source.where(source.key.isin(sorted(keys)))
        rows = list(named.select(**columns).collect()) if keys else []
    return {row["key"]: Access(**row) for row in rows}


def _moment(after: str) -> datetime | None:
    return datetime.fromisoformat(after.split(" ")[0]).replace(tzinfo=UTC) if after else None


def _key_of(after: str) -> Any:
    return after.partition(" ")[2]
