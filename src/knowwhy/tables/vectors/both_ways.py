"""One search as the vector leg makes it, and the very same statement searched without the index.

The leg's own function is called; what it sends to the database is seen on the way, and its plan is
asked for on the same connection, in the same transaction. The exact answer comes from that
statement too, over the same snapshot, on a connection that no search ever gets: what is planned
there cannot stay behind in the pool, and a lookalike cannot drift away from the leg.
"""

import json
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sql
from pixeltable.env import Env

from knowwhy.errors import StoreFailed
from knowwhy.tables.connect import DATABASE_PARAMETERS
from knowwhy.tables.failures import translated

_NEARNESS = re.compile(r"(?<!\w)(\w+)\.(\w+) <=> ")
_NAMED = re.compile(r"\bFROM\b")
# With these no plan can reach the vectors' index; proven by each plan all the same.
_EXACTLY = (
    *("enable_indexscan = off", "enable_indexonlyscan = off", "enable_seqscan = on"),
    *("enable_bitmapscan = on", "enable_sort = on", "jit = off"),
)
_SESSION = "SELECT pg_export_snapshot(), " + ", ".join(
    f"current_setting('{name}')" for name in DATABASE_PARAMETERS
)


@dataclass(frozen=True, slots=True)
class Compared:
    """What one search gave, and what there was to be found; cosines, best first."""

    near: tuple[float, ...]
    exact: tuple[float, ...]
    relation: str  # the vectors' table and column, as the database calls them
    column: str
    by_index: bool  # False where the leg's plan found exactly, without the vectors' index
    settings: Mapping[str, str]  # of the leg's own session


class Comparing:
    """Compares searches, one after another, over one connection of its own."""

    def __init__(self, own: Any) -> None:
        self._own = own
        self._graphs = _vector_indexes(own)

    def compare(self, ask: Callable[[], object]) -> Compared:
        """Asks as a search does, and asks the same exactly."""
        seen: list[Compared] = []
        thread = threading.get_ident()

        def note(connection: Any, cursor: Any, statement: str, parameters: Any, *_: Any) -> None:
            if threading.get_ident() == thread and _NEARNESS.search(statement):
                seen.append(self._both(connection, statement, parameters))

        engine = Env.get().engine
        sql.event.listen(engine, "after_cursor_execute", note)
        try:
            found = ask()
        finally:
            sql.event.remove(engine, "after_cursor_execute", note)
        if len(seen) != 1:
            raise StoreFailed(f"A search of one table asked for vectors {len(seen)} times.")
        return _with_found(seen[0], found)

    def _both(self, leg: Any, statement: str, parameters: Any) -> Compared:
        """Reads the plan while the leg's transaction is open, and asks exactly in its snapshot."""
        relation, column = (_NEARNESS.search(statement) or _missing(statement)).groups()
        with leg.connection.cursor() as cursor:
            cursor.execute(f"EXPLAIN (FORMAT JSON) {statement}", parameters, prepare=False)
            used = _indexes_in(cursor.fetchone()[0])
            cursor.execute(_SESSION, prepare=False)
            snapshot, *values = cursor.fetchone()
        settings = dict(zip(DATABASE_PARAMETERS, values, strict=True))
        exact = self._exact(snapshot, statement, parameters)
        by_index = bool(used & self._graphs)
        return Compared((), exact, relation, column, by_index, settings)

    def _exact(self, snapshot: str, statement: str, parameters: Any) -> tuple[float, ...]:
        with self._own.begin():
            self._own.exec_driver_sql(f"SET TRANSACTION SNAPSHOT '{snapshot}'")
            plan = self._own.exec_driver_sql(f"EXPLAIN (FORMAT JSON) {statement}", parameters)
            if used := _indexes_in(plan.scalar()) & self._graphs:
                raise StoreFailed(f"The exact search was planned by the index {sorted(used)[0]}.")
            at = _place_of_nearness(statement)
            rows = self._own.exec_driver_sql(statement, parameters)
            return _cosines(row[at] for row in rows)


@contextmanager
def comparing() -> Iterator[Comparing]:
    """Opens the connection of its own for some comparisons."""
    engine = sql.create_engine(
        Env.get().engine.url, poolclass=sql.pool.NullPool, isolation_level="REPEATABLE READ"
    )
    with translated("measuring the vector search"), engine.connect() as own:
        for setting in _EXACTLY:
            own.exec_driver_sql(f"SET {setting}")
        own.commit()
        yield Comparing(own)


def _vector_indexes(connection: Any) -> frozenset[str]:
    with connection.begin():
        names = connection.exec_driver_sql(
            "SELECT c.relname FROM pg_class c JOIN pg_am a ON a.oid = c.relam"
            " WHERE c.relkind = 'i' AND a.amname IN ('hnsw', 'ivfflat')"
        )
        return frozenset(names.scalars())


def _indexes_in(plan: Any) -> frozenset[str]:
    """Names every index that a plan uses."""
    read = json.loads(plan) if isinstance(plan, str) else plan
    found, waiting = set(), [read[0]["Plan"]]
    while waiting:
        node = waiting.pop()
        found |= {node["Index Name"]} if "Index Name" in node else set()
        waiting += node.get("Plans", ())
    return frozenset(found)


def _place_of_nearness(statement: str) -> int:
    """Tells which of the selected columns is the cosine."""
    begin = _NAMED.search(statement) or _missing(statement)
    chosen = statement[: begin.start()].split(", ")
    return next((n for n, part in enumerate(chosen) if " <=> " in part), -1)


def _missing(statement: str) -> Any:
    raise StoreFailed(f"The vector search is not of the shape that is known: {statement[:80]}")


def _with_found(seen: Compared, found: Any) -> Compared:
    near = _cosines(score for _, score in found)
    return Compared(near, seen.exact, seen.relation, seen.column, seen.by_index, seen.settings)


def _cosines(scores: Any) -> tuple[float, ...]:
    """Gives cosines, best first, without those of rows that have no vector."""
    known = (float(score) for score in scores if score is not None)
    return tuple(sorted((score for score in known if score == score), reverse=True))  # nan
