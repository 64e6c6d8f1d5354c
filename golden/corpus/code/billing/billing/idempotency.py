"""Idempotency keys of the write endpoints of billing (ADR-0041).

Taken over from orders, where they are since 2023 (ADR-0023). Other than there, a request without
a key is refused, because here a repeated write costs money and not only a label (INC-2025-01).
"""

import hashlib
import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import UUID

from halmkit.errors import Problem
from sqlalchemy import text
from sqlalchemy.orm import Session

KEY_LIFE = timedelta(hours=24)

Reply = dict[str, Any]


def once(
    session: Session,
    merchant_id: str,
    key: str | None,
    body: Reply,
    work: Callable[[UUID], Reply],
) -> tuple[Reply, bool]:
    """Do the work once for a key; the second value says whether this is a replay."""
    checked = require_key(key)
    digest = hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()
    known = session.execute(
        text(
            "SELECT body_hash, response FROM idempotency_key"
            " WHERE merchant_id = :merchant AND key = :key FOR UPDATE"
        ),
        {"merchant": merchant_id, "key": checked},
    ).one_or_none()
    if known is not None:
        if known.body_hash != digest:
            raise Problem(422, "idempotency_mismatch", "the key was used with another body")
        return known.response, True
    response = work(checked)
    session.execute(
        text(
            "INSERT INTO idempotency_key (merchant_id, key, body_hash, response)"
            " VALUES (:merchant, :key, :digest, :response)"
        ),
        {
            "merchant": merchant_id,
            "key": checked,
            "digest": digest,
            "response": json.dumps(response),
        },
    )
    return response, False


def require_key(key: str | None) -> UUID:
    """Take a key only if it is there and a UUID."""
    if key is None:
        raise Problem(400, "idempotency_key_missing", "Idempotency-Key is required")
    try:
        return UUID(key)
    except ValueError as error:
        raise Problem(400, "idempotency_key_malformed", "Idempotency-Key must be a UUID") from error


def forget_old(session: Session) -> int:
    """Delete keys past their life; called by the nightly job."""
    deleted = session.execute(
        text("DELETE FROM idempotency_key WHERE created_at < now() - :life"), {"life": KEY_LIFE}
    )
    return int(deleted.rowcount)
