"""Whether the tables are as this very code left them: then they need not be compared with it.

Comparing every column with its declaration takes most of the time of a short command, and what it
finds changes only with the code or with what the store knows of the tables.
"""

import hashlib
import json
from functools import cache
from pathlib import Path

import sqlalchemy as sql
from pixeltable.env import Env

from knowwhy import models
from knowwhy.tables.homes import home

FILE = "knowwhy.shape"
# What the store knows of its tables, but for what each write moves; a snapshot has no shape.
_KNOWN = sql.text(
    "SELECT md5(string_agg((md - 'current_version' - 'next_row_id')::text, ',' ORDER BY id))"
    " FROM tables WHERE (md->'view_md'->>'is_snapshot') IS DISTINCT FROM 'true'"
)


def is_noted(folder: Path, embedder: str) -> bool:
    """Tells whether the tables were compared as they are now, and nothing differed."""
    try:
        noted = (folder / FILE).read_text(encoding="ascii")
    except (OSError, ValueError):
        return False
    return noted == _shape(embedder)


def note(folder: Path, embedder: str) -> None:
    """Notes that nothing differs; the home must be locked."""
    (folder / FILE).write_text(_shape(embedder), encoding="ascii")


def _shape(embedder: str) -> str:
    with Env.get().engine.connect() as connection:
        known = connection.scalar(_KNOWN)
    told = json.dumps([home.made_with(), models.tag(embedder), _code(), known])
    return hashlib.sha256(told.encode()).hexdigest()


@cache
def _code() -> str:
    """Gives a hash of the files that declare tables and functions."""
    files = sorted(Path(__file__).parent.rglob("*.py"))
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()
