"""What the store notes of its tables, by one statement: asking Pixeltable takes ten times as long.

It is asked for before every search, as every cache is as old as the tables it was made from.
"""

from collections.abc import Collection
from dataclasses import dataclass

import sqlalchemy as sql

from knowwhy.tables import direct
from knowwhy.tables.schema import DIRECTORY

_NOTES = (
    "SELECT t.id::text AS id, t.md->>'name' AS name, (t.md->>'current_version')::bigint AS version,"
    " (t.md->>'current_schema_version')::bigint AS shape FROM tables t"
)
_NAMED = "t.md->>'name' = ANY(:names)"
# A table that is being dropped has no directory; ours is below the one that is below no other.
_BY_ID = sql.text(
    f"{_NOTES} WHERE t.id = ANY(CAST(:ids AS uuid[])) AND {_NAMED} AND t.dir_id IS NOT NULL"
)
_BY_NAME = sql.text(
    f"{_NOTES} JOIN dirs d ON d.id = t.dir_id JOIN dirs top ON top.id = d.parent_id"
    f" WHERE d.md->>'name' = :directory AND top.parent_id IS NULL AND {_NAMED}"
)

_ids: dict[str, str] = {}  # which every checkpoint's tables need not be gone through for again


@dataclass(frozen=True, slots=True)
class Note:
    """One table as it is now: another id is another table, another version has other rows."""

    id: str
    name: str
    version: int
    shape: int


def noted(names: Collection[str]) -> dict[str, Note]:
    """Gives what is noted of those tables that are there."""
    doing, asked = "looking at the tables", list(names)
    known = [_ids[name] for name in asked if name in _ids]
    found = direct.select(doing, _BY_ID, ids=known, names=asked) if len(known) == len(asked) else []
    if len(found) < len(asked):  # one is new, was made anew or has another name
        found = direct.select(doing, _BY_NAME, directory=DIRECTORY, names=asked)
    _ids.update({row["name"]: row["id"] for row in found})
    return {row["name"]: Note(**row) for row in found}
