"""The searches that the vector leg makes of each table, with every filter that has enough rows."""

import hashlib
import json
import random
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sql
from numpy.typing import NDArray

from knowwhy.tables import queries, recallable
from knowwhy.tables.direct import live_texts, select
from knowwhy.tables.kept.memories import ACTIVE
from knowwhy.tables.reading import reading
from knowwhy.tables.scope import sees
from knowwhy.tables.touched import Place
from knowwhy.tables.write import table
from knowwhy.types import Asker, Filters, Json

VIEWS = ("passages", "memory_vectors", "extraction_vectors")  # what the vector leg searches
EVERYTHING = "everything"
ENOUGH = 200  # rows of a project, user or kind; of fewer the ten nearest say little about it
OF_SHARE = 50  # rows of a share: 1 % of 5,000
SHARES = (0.25, 0.10, 0.01)  # of the rows that a filter keeps
MARK = 16  # hexadecimal digits: 64 bits do not meet by chance
WORDS = 12  # of a stored text, to ask with: as many as a question has

Vector = NDArray[Any]
Found = list[tuple[Place, float]]


@dataclass(frozen=True, slots=True)
class Road:
    """One search of the vector leg: where, through which filter, and how it is asked."""

    view: str
    filter: str  # its sort, not whose it is: a report names no user and no project
    rows: int  # that it can find
    ask: Callable[[Vector, int], Found]
    mark: str  # stands for whose it is: known again by the next look, and no name


def roads(
    view: str, embedder: str, now: datetime, again: Collection[str] = frozenset()
) -> list[Road]:
    """Lists the searches of a table; first the one without a filter, also of an empty table.

    Those with marks that are to be looked at again are there however few rows are left of them.
    """
    found = _of_passages(embedder) if view == "passages" else _of_said(view, embedder, now)
    return [road for road in found if road.rows >= _enough(road.filter) or road.mark in again]


def _mark(name: str, whose: Json) -> str:
    told = json.dumps([name, whose])
    return hashlib.sha256(told.encode()).hexdigest()[:MARK]


def _enough(name: str) -> int:
    if name == EVERYTHING:
        return 0
    return OF_SHARE if name in map(_keeps, SHARES) else ENOUGH


def _of_passages(embedder: str) -> Iterator[Road]:
    groups = _groups("passages", ("project", "kind", "service"), "retired_at")

    def road(name: str, filters: Filters, share: float = 1.0) -> Road:
        rows = sum(n for group, n in groups.items() if _passes(group, filters))
        return Road(
            "passages",
            name,
            int(rows * share),
            lambda v, k: queries.nearest(v, k, filters, embedder, share=share),
            _mark(name, [filters.project, list(filters.kinds or ()), filters.service]),
        )

    yield road(EVERYTHING, Filters())
    projects, kinds, services = ({group[n] for group in groups} - {None} for n in range(3))
    yield from (road("project", Filters(project=name)) for name in sorted(projects))
    yield from (road("kind", Filters(kinds=(name,))) for name in sorted(kinds))
    yield from (road("service", Filters(service=name)) for name in sorted(services))
    yield from (road(_keeps(share), Filters(), share) for share in SHARES)


def _passes(group: tuple[Any, ...], filters: Filters) -> bool:
    """Tells whether the rows of a group pass, as `queries` has it."""
    project, kind, service = group
    return (
        (filters.project is None or project in (None, filters.project))
        and (filters.kinds is None or kind in filters.kinds)
        and (filters.service is None or service == filters.service)
    )


def _of_said(view: str, embedder: str, now: datetime) -> Iterator[Road]:
    is_memories = view == "memory_vectors"
    names = ("user_id", "project", *(("kind", "status") if is_memories else ()))
    groups = _groups(view, names)
    everything = sum(groups.values())

    def of_all(name: str, share: float = 1.0) -> Road:
        return Road(
            view,
            name,
            int(everything * share),
            lambda v, k: recallable.nearest_of_all(view, v, k, embedder, share=share),
            _mark(name, None),
        )

    def asked(name: str, asker: Asker, kind: str | None = None) -> Road:
        return Road(
            view,
            name,
            _seen(groups, asker, kind),
            lambda v, k: recallable.nearest_said(
                v,
                k,
                asker,
                tables=("memories" if is_memories else "turns",),
                statuses=(ACTIVE,),
                kinds=None if kind is None else (kind,),
                service=None,
                embedder=embedder,
                now=now,
            ),
            _mark(name, [asker.user_id, asker.project, kind]),
        )

    yield of_all(EVERYTHING)
    users = sorted({group[0] for group in groups} - {None})
    projects = sorted({group[1] for group in groups} - {None})
    pairs = sorted({group[:2] for group in groups if None not in group[:2]})
    yield from (asked("user", Asker(user)) for user in users)
    yield from (asked("project", Asker(None, project)) for project in projects)
    yield from (asked("user in a project", Asker(*pair)) for pair in pairs)
    if is_memories:
        widest = max(map(Asker, (None, *users)), key=lambda who: _seen(groups, who, None))
        kinds = sorted({group[2] for group in groups})
        yield from (asked("kind", widest, kind) for kind in kinds)
    yield from (of_all(_keeps(share), share) for share in SHARES)


def _seen(groups: Mapping[tuple[Any, ...], int], asker: Asker, kind: str | None) -> int:
    """Counts the rows of groups that an asker finds; what has expired unnoticed counts too."""
    return sum(
        n
        for (user, project, *rest), n in groups.items()
        if sees(asker, user, project)
        and (not rest or (rest[1] == ACTIVE and kind in (None, rest[0])))
    )


def _keeps(share: float) -> str:
    return f"keeps {share:.0%}"


def _groups(
    name: str, columns: tuple[str, ...], ended: str | None = None
) -> Counter[tuple[Any, ...]]:
    """Counts the rows of a table by the columns that its searches filter by."""
    source = table(name)
    with reading(source):
        wanted = source if ended is None else source.where(getattr(source, ended) == None)  # noqa: E711  # SQL
        named = {column: getattr(source, column) for column in columns}
        return Counter(tuple(row[c] for c in columns) for row in wanted.select(**named).collect())


def some_words(view: str, count: int, dice: random.Random) -> list[str]:
    """Gives a few words each of some stored texts, to ask for them with."""
    texts = live_texts(view).label("search_text")
    chosen = sql.select(texts).order_by(sql.func.random()).limit(count)
    found = []
    for row in select("drawing stored texts", chosen):
        words = str(row["search_text"]).split()
        start = dice.randrange(max(1, len(words) - WORDS + 1))
        found.append(" ".join(words[start : start + WORDS]))
    return [text for text in found if text]
