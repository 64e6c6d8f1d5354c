"""Rows that a backup names and whoever restores it searches for: the newest that have words."""

from itertools import islice
from typing import Any

import sqlalchemy as sql

from knowwhy.text.question.bulk import asks_for_everything
from knowwhy.text.tokens import tokens

CANARIES = 3  # of each table: the newest rows, which a half copy would lack first
WITNESSES = ("records", "memories", "turns")  # tables whose rows are looked for afterwards
ASKED = 300  # characters of a text that it is searched by
AT_ONCE = 50  # rows; mostly the first three will do


def question(text: str) -> str | None:
    """Gives the question that finds a text; None where its words find nothing, or everything."""
    asked = text[:ASKED].strip()
    return asked if tokens(asked) and not asks_for_everything(asked) else None


def newest(connection: Any, rows: Any) -> list[str]:
    """Gives the keys of the newest rows of a table that a search must find by their words."""
    texts = [rows.c[name] for name in ("title", "content") if name in rows.c]
    wanted = sql.select(rows.c.key, *texts).order_by(rows.c.touched_at.desc())
    if "retired_at" in rows.c:
        wanted = wanted.where(rows.c.retired_at.is_(None))
    if "status" in rows.c and "tier" in rows.c:
        wanted = wanted.where(rows.c.status == "active")
    for end in ("expires_at", "valid_until"):
        if end in rows.c:
            wanted = wanted.where(sql.or_(rows.c[end].is_(None), rows.c[end] > sql.func.now()))
    with connection.execute(wanted.execution_options(yield_per=AT_ONCE)) as found:
        keys = (key for key, *said in found if question("\n".join(filter(None, said))))
        return list(islice(keys, CANARIES))
