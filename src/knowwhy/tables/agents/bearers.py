"""Tokens with which users call over HTTP: kept as hashes, with rights and an end, revoked for good.

Who serves many keeps all that are valid in memory, by their hashes: one that nobody has made is
refused without a look at the tables.
"""

import hashlib
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

from knowwhy.errors import BadInput, NotFound, StoreFailed
from knowwhy.tables import touched
from knowwhy.tables.failures import translated
from knowwhy.tables.reading import reading
from knowwhy.tables.talk.turns import safe_name
from knowwhy.tables.write import append, queue, table
from knowwhy.text.characters import check_line, check_text
from knowwhy.types import COLLEAGUE, RIGHTS

PREFIX = "kw_"  # by which people and scanners of secrets know one
RANDOM_BYTES = 32  # 256 bits: no salt and no slow hash are needed
KEY_DIGITS = 20
MOST_NAME = 200  # characters
WAIT = "5s"
NOTED_EVERY = timedelta(hours=1)  # a use is noted at most so often: a note is a write
COLUMNS = (
    "key", "user_id", "name", "rights", "created_at", "expires_at", "used_at", "revoked_at",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Bearer:
    """A token without its secret."""

    key: str
    user_id: str
    name: str | None
    created_at: datetime
    rights: tuple[str, ...] = COLLEAGUE
    expires_at: datetime | None = None
    used_at: datetime | None = None  # to the hour
    revoked_at: datetime | None = None

    def holds(self, now: datetime) -> bool:
        """Tells whether it lets anybody in."""
        return self.revoked_at is None and (self.expires_at is None or now < self.expires_at)

    def is_to_be_noted(self, now: datetime) -> bool:
        """Tells whether its last use was noted too long ago."""
        return self.used_at is None or now - self.used_at >= NOTED_EVERY


def add(
    user: str,
    name: str | None = None,
    rights: Sequence[str] = COLLEAGUE,
    expires_at: datetime | None = None,
) -> tuple[str, Bearer]:
    """Makes a token for a user; gives it, which nobody can do again, and its row."""
    for what, text in (("user", user), ("name", name)):
        _check(what, text)
    now = datetime.now(UTC)
    unknown = [right for right in rights if right not in RIGHTS]
    if unknown or not rights:
        raise BadInput(f"A token has some of the rights {', '.join(RIGHTS)}.")
    if expires_at is not None and expires_at <= now:
        raise BadInput(f"The end of a token lies ahead; {expires_at:%Y-%m-%d %H:%M %Z} is over.")
    token = PREFIX + secrets.token_urlsafe(RANDOM_BYTES)
    made = Bearer(
        f"t-{uuid4().hex[:KEY_DIGITS]}",
        safe_name(user.strip()) or "",
        safe_name(name),
        now,
        tuple(right for right in RIGHTS if right in rights),
        expires_at,
    )
    row = {column: getattr(made, column) for column in COLUMNS}
    append("tokens", [{**row, "rights": list(made.rights), "hash": digest(token)}])
    return token, made


def bearers() -> list[Bearer]:
    """Lists all tokens, newest first, those that hold no more too."""
    source = table("tokens")
    return _rows(source, source.order_by(source.created_at, source.key, asc=False))


def revoke(key: str) -> Bearer:
    """Makes a token useless from now on."""
    with translated("revoking a token"), queue("tokens", WAIT):
        source = table("tokens")
        found = _rows(source, source.where(source.key == key))
        if not found:
            raise NotFound(f"There is no token {key[:40]!r}; `knowwhy token list` shows them.")
        if found[0].revoked_at is None:
            _update(source, {"key": key, "revoked_at": datetime.now(UTC)}, "revoke the token")
    return _rows(source, source.where(source.key == key))[0]


def note_use(key: str, now: datetime) -> None:
    """Notes that a token was used, unless another process has just done so."""
    with translated("noting the use of a token"), queue("tokens", WAIT):
        source = table("tokens")
        found = _rows(source, source.where(source.key == key))
        if found and found[0].is_to_be_noted(now):
            _update(source, {"key": key, "used_at": now}, "note the use of a token")


def version() -> touched.Stamp:
    """Tells which state the tokens are in, which whatever is done to one of them moves."""
    return touched.stamp("tokens")


def by_digest() -> dict[str, Bearer]:
    """Gives the tokens that were not revoked by the hashes of their secrets."""
    source = table("tokens")
    standing = source.where(source.revoked_at == None)  # noqa: E711  # SQL
    with reading(source):
        names = {name: getattr(source, name) for name in (*COLUMNS, "hash")}
        rows = list(standing.select(**names).collect())
    return {row.pop("hash"): _bearer(row) for row in map(dict, rows)}


def user_of(token: str) -> str | None:
    """Gives the user of a token that holds now."""
    found = by_digest().get(digest(token)) if may_be_one(token) else None
    return found.user_id if found is not None and found.holds(datetime.now(UTC)) else None


def may_be_one(token: str) -> bool:
    """Tells whether a text has the form of a token; no other is looked for."""
    return token.startswith(PREFIX) and len(token) <= MOST_NAME


def digest(token: str) -> str:
    """Gives the hash that is kept of a token."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


def _update(source: Any, row: dict[str, Any], doing: str) -> None:
    if source.batch_update([row]).num_excs:
        raise StoreFailed(f"The store could not {doing}.")


def _check(what: str, text: str | None) -> None:
    if text is None:
        return
    try:
        check_line(check_text(text))
    except BadInput as refused:
        raise BadInput(f"The {what} {refused}.") from None
    if len(text) > MOST_NAME:
        raise BadInput(f"The {what} must be one line of at most {MOST_NAME} characters.")


def _rows(source: Any, query: Any) -> list[Bearer]:
    with reading(source):
        names = {name: getattr(source, name) for name in COLUMNS}
        return [_bearer(row) for row in query.select(**names).collect()]


def _bearer(row: Any) -> Bearer:
    """Reads a row; a token that was made before there were rights keeps all that it could do."""
    kept = row["rights"]
    named = kept if isinstance(kept, list) else []  # an import may have brought anything
    rights = RIGHTS if kept is None else tuple(right for right in RIGHTS if right in named)
    return Bearer(**{**row, "rights": rights})
