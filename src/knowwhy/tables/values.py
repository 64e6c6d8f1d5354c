"""Which kinds, services and projects there are among what an asker may see."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sql

from knowwhy.tables import direct
from knowwhy.tables.kept.memories import LIVING, safe
from knowwhy.tables.scope import seen
from knowwhy.types import Asker, Filters


@dataclass(frozen=True, slots=True)
class Values:
    """What records and memories can be narrowed to, each with how many there are."""

    kinds: Counter[str] = field(default_factory=Counter)
    services: Counter[str] = field(default_factory=Counter)
    projects: Counter[str] = field(default_factory=Counter)
    turns: int = 0

    @property
    def are_none(self) -> bool:
        """Tells whether there is nothing at all."""
        return not (self.kinds or self.turns)


def values(project: str | None, asker: Asker | None) -> Values:
    """Counts the live records that are seen in a project, and what an asker has told or said."""
    found = Values(turns=0 if asker is None else _turns(asker))
    rows = _of_records(project)
    for row in rows if asker is None else [*rows, *_of_memories(asker)]:
        for column, counted in (
            ("kind", found.kinds),
            ("service", found.services),
            ("project", found.projects),
        ):
            if row[column] is not None:
                counted[row[column]] += row["rows"]
    return found


def _of_records(project: str | None) -> list[Any]:
    rows, within = direct.live_rows("records").c, Filters(project=project)
    wanted = _grouped(rows).where(rows.retired_at.is_(None))
    found = direct.select("counting records", wanted)
    return [row for row in found if within.within(row["project"])]


def _of_memories(asker: Asker) -> list[Any]:
    rows = direct.live_rows("memories").c
    wanted = _grouped(rows).where(seen(rows, safe(asker)), rows.status.in_(LIVING))
    return list(direct.select("counting memories", wanted))


def _grouped(rows: Any) -> Any:
    columns = rows.kind, rows.service, rows.project
    return sql.select(*columns, sql.func.count().label("rows")).group_by(*columns)


def _turns(asker: Asker) -> int:
    rows = direct.live_rows("turns").c
    counting = sql.select(sql.func.count().label("rows")).where(seen(rows, safe(asker)))
    return int(direct.select("counting turns", counting)[0]["rows"])
