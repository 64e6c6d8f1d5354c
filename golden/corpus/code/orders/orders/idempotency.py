"""Idempotency keys of the write endpoints (ADR-0023).

A merchant's plug-in once retried a slow booking and 214 parcels were booked twice (INC-2023-02).
A timeout says nothing about whether the work was done; the key lets the client say "this is the
same request".
"""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from halmkit.errors import Problem
from sqlalchemy import text
from sqlalchemy.orm import Session

KEY_LIFE = timedelta(hours=24)  # ADR-0023; merchants retry within minutes, plug-ins overnight
MAX_KEY_LENGTH = 64  # characters


@dataclass(frozen=True, slots=True)
class Answer:
    """What the first request got, and whether this is a replay of it."""

    status: int
    body: dict[str, Any]
    replayed: bool = False

    @property
    def headers(self) -> dict[str, str]:
        """The header which tells a client that nothing was done this time."""
        return {"Idempotent-Replay": "true"} if self.replayed else {}


def once(
    session: Session,
    merchant_id: str,
    key: str | None,
    body: dict[str, Any],
    work: Callable[[], Answer],
    *,
    required: bool,
) -> Answer:
    """Do the work at most once for a merchant's key, in the transaction of the session."""
    if key is None:
        if required:
            raise Problem(400, "idempotency_key_missing", "Idempotency-Key is required from /v2 on")
        return work()
    if len(key) > MAX_KEY_LENGTH:
        raise Problem(400, "idempotency_key_too_long", f"at most {MAX_KEY_LENGTH} characters")
    digest = body_hash(body)
    known = find(session, merchant_id, key)
    if known is not None:
        return replay(known, digest)
    answer = work()
    remember(session, merchant_id, key, digest, answer)
    return answer


def body_hash(body: dict[str, Any]) -> str:
    """Hash a body independently of the order of its fields."""
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()


def find(session: Session, merchant_id: str, key: str) -> Any:
    """Look a key up and lock it, so that a second request waits for the first."""
    return session.execute(
        text(
            "SELECT body_hash, status, response FROM idempotency_key"
            " WHERE merchant_id = :merchant AND key = :key"
            " AND created_at > now() - :life FOR UPDATE"
        ),
        {"merchant": merchant_id, "key": key, "life": KEY_LIFE},
    ).one_or_none()


def replay(known: Any, digest: str) -> Answer:
    """Give the stored answer, or refuse a key which comes with another body."""
    if known.body_hash != digest:
        raise Problem(422, "idempotency_mismatch", "the key was used with another body")
    return Answer(known.status, known.response, replayed=True)


def remember(session: Session, merchant_id: str, key: str, digest: str, answer: Answer) -> None:
    """Store the answer beside what the work wrote; both are committed or neither is."""
    session.execute(
        text(
            "INSERT INTO idempotency_key (merchant_id, key, body_hash, status, response)"
            " VALUES (:merchant, :key, :digest, :status, :response)"
        ),
        {
            "merchant": merchant_id,
            "key": key,
            "digest": digest,
            "status": answer.status,
            "response": json.dumps(answer.body),
        },
    )


def forget_old(session: Session) -> int:
    """Delete keys past their life; the nightly job calls it (about 1.1 million rows a day)."""
    deleted = session.execute(
        text("DELETE FROM idempotency_key WHERE created_at < now() - :life"), {"life": KEY_LIFE}
    )
    return int(deleted.rowcount)
