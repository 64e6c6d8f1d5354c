"""Tokens with which users call over HTTP: kept as hashes, revoked for good."""

import hashlib
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from knowwhy.errors import BadInput, NotFound, StoreFailed
from knowwhy.tables.failures import translated
from knowwhy.tables.reading import reading
from knowwhy.tables.talk.turns import safe_name
from knowwhy.tables.write import append, queue, table
from knowwhy.text.characters import check_line, check_text

PREFIX = "kw_"  # by which people and scanners of secrets know one
RANDOM_BYTES = 32  # 256 bits: no salt and no slow hash are needed
KEY_DIGITS = 20
MOST_NAME = 200  # characters
WAIT = "5s"
COLUMNS = ("key", "user_id", "name", "created_at", "revoked_at")


@dataclass(frozen=True, slots=True)
class Bearer:
    """A token without its secret."""

    key: str
    user_id: str
    name: str | None
    created_at: datetime
    revoked_at: datetime | None = None


def add(user: str, name: str | None = None) -> tuple[str, Bearer]:
    """Makes a token for a user; gives it, which nobody can do again, and its row."""
    for what, text in (("user", user), ("name", name)):
        _check(what, text)
    token = PREFIX + secrets.token_urlsafe(RANDOM_BYTES)
    stored = safe_name(user.strip()) or ""
    made = Bearer(f"t-{uuid4().hex[:KEY_DIGITS]}", stored, safe_name(name), datetime.now(UTC))
    row = {
        "key": made.key,
        "user_id": made.user_id,
        "hash": _hash(token),
        "name": made.name,
        "created_at": made.created_at,
        "revoked_at": None,
    }
    append("tokens", [row])
    return token, made


def bearers() -> list[Bearer]:
    """Lists all tokens, newest first, revoked ones too."""
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
            row = {"key": key, "revoked_at": datetime.now(UTC)}
            if source.batch_update([row]).num_excs:
                raise StoreFailed("The store could not revoke the token.")
    return _rows(source, source.where(source.key == key))[0]


def user_of(token: str) -> str | None:
    """Gives the user of a token that is valid now."""
    if not token.startswith(PREFIX) or len(token) > MOST_NAME:
        return None
    source = table("tokens")
    wanted = (source.hash == _hash(token)) & (source.revoked_at == None)  # noqa: E711  # SQL
    found = _rows(source, source.where(wanted))
    return found[0].user_id if found else None


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


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
        return [Bearer(**row) for row in query.select(**names).collect()]
