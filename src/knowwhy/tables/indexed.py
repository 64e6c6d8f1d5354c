"""The indexes that tables are declared with."""

from typing import Any

import pixeltable as pxt

from knowwhy import models
from knowwhy.tables import udfs

INDEXED_CHARACTERS = 256  # of a text, in a B-tree: no row may be too large for one
# What a B-tree of Postgres's own stands on. That of a primary key is there in any case.
TEXT, WHOLE, KEY = "the first characters", "the column", "the first characters of the key"
# The tables with such B-trees, by the columns that are asked about; `btrees` makes them. One on a
# whole column is used by Pixeltable's queries as well; no text there may be longer than those.
OWN = {
    "turns": {
        "key": KEY,
        "user_id": TEXT,
        "session_id": TEXT,
        "at": WHOLE,
        "touched_at": WHOLE,
    },
    "memories": {
        "key": WHOLE,
        "kind": WHOLE,
        "user_id": WHOLE,
        "project": WHOLE,
        "service": WHOLE,
        "turn_key": WHOLE,
        "topic": TEXT,
        "status": WHOLE,
        "words": WHOLE,
        "expires_at": WHOLE,
        "supersedes": WHOLE,
        "touched_at": WHOLE,
    },
    "changes": {
        "key": WHOLE,
        "memory_key": WHOLE,
        "user_id": WHOLE,
        "project": WHOLE,
        "at": WHOLE,
    },
    "recalls": {"key": KEY, "user_id": TEXT, "project": TEXT, "at": WHOLE},
    "agents": {"key": KEY, "user_id": TEXT},
    "agent_sessions": {"key": KEY, "agent_id": TEXT, "user_id": TEXT},
    "pools": {"key": KEY, "agent_id": TEXT, "user_id": TEXT},
    "members": {"key": KEY, "pool": TEXT, "agent_id": TEXT, "user_id": TEXT},
    "shares": {"key": KEY, "pool": TEXT, "memory_key": TEXT},
    "handoffs": {
        "key": KEY,
        "from_agent": TEXT,
        "to_agent": TEXT,
        "from_user": TEXT,
        "to_user": TEXT,
        "state": TEXT,
        "expires_at": WHOLE,
    },
    "audit": {"key": KEY, "number": WHOLE, "agent_id": TEXT, "user_id": TEXT, "at": WHOLE},
}


def vectors_of(column: Any, embedder: str) -> pxt.EmbeddingIndex:
    """Declares the embedding index of a column, named after the model that fills it."""
    return pxt.EmbeddingIndex(
        column=column,
        string_embed=udfs.embed.using(model=embedder),
        metric="cosine",
        precision="fp32",
        name=models.tag(embedder),
    )


def indexed(*columns: Any) -> list[Any]:
    """Declares a B-tree for each column that is asked about."""
    return [pxt.BtreeIndex(column=column) for column in columns]
