"""Rows read by SQL of our own, where the store's queries are too slow or cannot say it.

A query of Pixeltable costs ten statements, and it has no anti-join. Its tables are Postgres tables
with columns that keep their names for life; which ones they are it tells only privately, here.
"""

from functools import cache, lru_cache
from typing import Any

import pixeltable as pxt
import sqlalchemy as sql
from pixeltable.env import Env

from knowwhy.tables.failures import translated
from knowwhy.tables.indexed import INDEXED_CHARACTERS, OWN, WHOLE
from knowwhy.tables.reading import reading
from knowwhy.tables.schema import DIRECTORY

LIVE = 9_223_372_036_854_775_807  # the v_max of a row that no later version has replaced


@cache
def live_rows(name: str) -> Any:
    """Gives the rows of a table as they are now, by our names of its columns.

    What ends in `_indexed` is what the B-tree of a column stands on: of a text without a bound the
    first 256 characters.
    """
    physical, columns = columns_of(name)
    return _live(name, physical, columns)


@cache
def live_rows_since(name: str) -> Any:
    """Gives those that were written after a version of the table, which is bound as `since`."""
    physical, columns = columns_of(name)
    return _live(name, physical, columns, is_since=True)


def live_texts(view: str) -> Any:
    """Gives the column of texts that a view embeds; another view may have its name tomorrow."""
    return _live(view, *columns_of.__wrapped__(view)).c.search_text


def _live(name: str, physical: str, columns: dict[str, str], *, is_since: bool = False) -> Any:
    names = set(columns.values()) | {"v_min", "v_max"}
    rows = sql.table(physical, *(sql.column(column) for column in names)).alias(name)
    shown: dict[str, Any] = {ours: rows.c[column] for ours, column in columns.items()}
    for ours, over in OWN.get(name, {}).items():
        stored = rows.c[columns[ours]]
        first = sql.func.left(stored, sql.literal_column(str(INDEXED_CHARACTERS), sql.Integer))
        shown[f"{ours}_indexed"] = stored if over == WHOLE else first
    chosen = [column.label(ours) for ours, column in shown.items()]
    live = sql.select(*chosen).where(rows.c.v_max == LIVE)
    if is_since:
        live = live.where(rows.c.v_min > sql.bindparam("since", type_=sql.BigInteger))
    return live.subquery(name)


def counted(name: str) -> Any:
    """Counts the rows of a table as they are now, all their versions, and their bytes on disk."""
    physical = physical_name(name)
    rows = sql.table(physical, sql.column("v_max"))
    is_now = sql.func.count().filter(rows.c.v_max == LIVE)
    taken = sql.func.pg_total_relation_size(sql.cast(physical, sql.Text))
    counts = (is_now.label("rows"), sql.func.count().label("versions"), taken.label("bytes"))
    return sql.select(*counts).select_from(rows)


def physical_name(name: str) -> str:
    """Gives what a table is called in Postgres; another view may have its name tomorrow."""
    return columns_of.__wrapped__(name)[0]


def select(doing: str, statement: Any, **values: Any) -> list[Any]:
    """Runs a statement that reads and gives its rows."""
    with translated(doing), _committing(Env.get().engine).connect() as connection:
        return list(connection.execute(statement, values).mappings())


@lru_cache(1)  # to make it takes as long as half a statement
def _committing(engine: Any) -> Any:
    """Gives an engine whose statements go one way to the server, not three."""
    return engine.execution_options(isolation_level="AUTOCOMMIT")


def count(name: str) -> int:
    """Counts the rows of a table as they are now."""
    counting = sql.select(sql.func.count().label("rows")).select_from(live_rows(name))
    return int(select(f"counting {name}", counting)[0]["rows"])


@cache
def columns_of(name: str) -> tuple[str, dict[str, str]]:
    """Gives what a table and its columns are called in Postgres; both stay while it lives."""
    source: Any = pxt.get_table(f"{DIRECTORY}/{name}")
    with reading(source):
        version: Any = source._tbl_version_path.tbl_version.get()
        columns = {column.name: column.sa_col.name for column in version.cols_by_name.values()}
        for index in version.idxs_by_name.values():
            if type(index.idx).__name__ == "BtreeIndex":
                columns[f"{index.col.name}_indexed"] = index.val_col.sa_col.name
        return str(version.store_tbl.sa_tbl.name), columns
