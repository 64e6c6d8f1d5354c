"""The index of a column of vectors: whether it is whole, and what makes it so again."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sql
from pixeltable.env import Env

from knowwhy.errors import StoreFailed
from knowwhy.tables.direct import LIVE
from knowwhy.tables.failures import translated

REPAIR_WAIT = "20s"  # for others' old transactions; a later run tries again
LEFTOVER_WAIT = "1s"  # dropping one shuts readers out while it waits
# Links of a vector and candidates looked at for them. The store builds with 16 and 64: of 25,900
# passages of four real corpora that finds .955 of the ten nearest, and .915 in the project that is
# least like the question (.973 and .927 when twice as many candidates are looked at by each
# search); with these .975 and .953, on the same disk. A build takes twice as long.
DENSITY = {"m": 24, "ef_construction": 128}
BUILD_MEMORY = "256MB"  # a graph of 100,000 vectors; with less the build is many times slower

_EVERY = sql.text(
    "SELECT c.relname AS name, c.reloptions AS options, t.relname AS relation FROM pg_index i"
    " JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_am a ON a.oid = c.relam"
    " JOIN pg_class t ON t.oid = i.indrelid WHERE a.amname = 'hnsw'"
)
_COLUMNS = sql.text(
    "SELECT DISTINCT t.attname FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid"
    " JOIN pg_am a ON a.oid = c.relam"
    " JOIN pg_attribute t ON t.attrelid = i.indrelid AND t.attnum = ANY(i.indkey)"
    " WHERE i.indrelid = to_regclass(:relation) AND a.amname = 'hnsw'"
)
_FOUND = sql.text(
    "SELECT c.relname AS name, i.indisvalid AS valid, c.reloptions AS options"
    " FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_am a ON a.oid = c.relam"
    " JOIN pg_attribute t ON t.attrelid = i.indrelid AND t.attnum = ANY(i.indkey)"
    " WHERE i.indrelid = to_regclass(:relation) AND t.attname = :column AND a.amname = 'hnsw'"
    " ORDER BY c.relname"
)


@dataclass(frozen=True, slots=True)
class VectorIndex:
    """The vectors of a table and their index."""

    relation: str
    column: str
    name: str | None  # None where there is no index
    valid: bool
    rows: int  # that are not of the past
    missing: int  # of these, that have no vector that can be searched
    # Built to its end as new ones are: no older version's with fewer links, no build cut off.
    dense: bool


def examine(relation: str, column: str) -> VectorIndex:
    """Looks at the index of a column as it is now."""
    counted = sql.text(
        f"SELECT count(*), count(*) FILTER (WHERE {column} IS NULL OR vector_norm({column}) = 0)"
        f" FROM {relation} WHERE v_max = :live"
    )
    with translated("looking at an index"), Env.get().engine.connect() as connection:
        asked = {"relation": relation, "column": column}
        both = list(connection.execute(_FOUND, asked))
        rows, missing = connection.execute(counted, {"live": LIVE}).one()
    found = [row for row in both if not is_leftover(row.name)]
    is_cut_off = len(both) > len(found)
    name, valid = (found[0].name, bool(found[0].valid)) if found else (None, False)
    dense = not found or (_is_dense(found[0].options) and not is_cut_off)
    return VectorIndex(relation, column, name, valid, rows, missing, dense)


def on(relation: str) -> list[VectorIndex]:
    """Looks at every index of vectors of a table."""
    with translated("looking at the indexes"), Env.get().engine.connect() as connection:
        columns = list(connection.scalars(_COLUMNS, {"relation": relation}))
    return [examine(relation, column) for column in columns]


def _is_dense(options: Sequence[str] | None) -> bool:
    """Tells whether an index is built with as many links as new ones are, or more."""
    given = dict(option.split("=", 1) for option in options or ())
    return all(int(given.get(name, 0)) >= least for name, least in DENSITY.items())


def build_empty_ones() -> None:
    """Builds the indexes in which nothing is yet as dense as they are to be, which costs nothing.

    Those in which something is are built anew when they are looked at by night: others go on.
    """
    with translated("looking at the indexes"), Env.get().engine.connect() as connection:
        sparse = [row for row in connection.execute(_EVERY) if not _is_dense(row.options)]
        empty = [
            row.name
            for row in sparse
            if connection.exec_driver_sql(f"SELECT 1 FROM {row.relation} LIMIT 1").first() is None
        ]
    for name in empty:
        _densified(name, f"REINDEX INDEX {name}")


def analyze() -> None:
    """Tells the planner how large the tables are; before it a fresh one is searched exactly."""
    _alone("ANALYZE", "analysing the tables")


def vacuumed_at(index: VectorIndex) -> datetime | None:
    """Tells when its table was last vacuumed on purpose."""
    asked = sql.text("SELECT pg_stat_get_last_vacuum_time(to_regclass(:relation))")
    with translated("looking at a table"), Env.get().engine.connect() as connection:
        found: datetime | None = connection.scalar(asked, {"relation": index.relation})
    return found


def vacuum(index: VectorIndex) -> None:
    """Clears the index of rows that are gone and mends the paths that led over them."""
    _alone(f"VACUUM (ANALYZE) {index.relation}", "vacuuming a table")


def rebuild(index: VectorIndex) -> None:
    """Builds the index anew beside the old one, which serves until then."""
    if index.name is None:
        raise StoreFailed("There is no index to build anew.")
    _drop_leftovers(index)
    build = f"REINDEX INDEX CONCURRENTLY {index.name}"
    try:
        if index.dense:
            _alone(build, "building an index anew")
        else:
            _densified(index.name, build)
    except StoreFailed:
        _drop_leftovers(index)
        raise


def _densified(name: str, build: str) -> None:
    """Builds an index as dense as it is to be; what says so does not stay without the build."""
    density = ", ".join(f"{option} = {value}" for option, value in DENSITY.items())
    _alone(f"ALTER INDEX {name} SET ({density})", "choosing the density of an index")
    try:
        _alone(build, "building an index anew")
    except StoreFailed:
        _alone(f"ALTER INDEX {name} RESET ({', '.join(DENSITY)})", "leaving an index as it was")
        raise


def _drop_leftovers(index: VectorIndex) -> None:
    """Removes what an interrupted build has left; where somebody is in the way a later run does."""
    with Env.get().engine.connect() as connection:
        asked = {"relation": index.relation, "column": index.column}
        names = [row.name for row in connection.execute(_FOUND, asked) if not row.valid]
    for name in filter(is_leftover, names):
        try:
            _alone(f"DROP INDEX {name}", "dropping what a build has left", LEFTOVER_WAIT)
        except StoreFailed:
            continue


def is_leftover(name: str) -> bool:
    """Tells by its name what Postgres builds beside an index, or keeps until it is dropped."""
    return "_ccnew" in name or "_ccold" in name


def _alone(statement: str, doing: str, wait: str | None = None) -> None:
    """Runs what cannot be part of a transaction, and waits for others only so long."""
    engine = Env.get().engine.execution_options(isolation_level="AUTOCOMMIT")
    with translated(doing), engine.connect() as connection:
        connection.exec_driver_sql(f"SET lock_timeout = '{wait or REPAIR_WAIT}'")
        connection.exec_driver_sql(f"SET maintenance_work_mem = '{BUILD_MEMORY}'")
        try:
            connection.exec_driver_sql(statement)
        finally:
            connection.exec_driver_sql("RESET lock_timeout")
            connection.exec_driver_sql("RESET maintenance_work_mem")
