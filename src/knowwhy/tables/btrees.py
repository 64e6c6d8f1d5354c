"""B-trees that Postgres keeps by itself, for tables whose single rows somebody waits for.

Pixeltable's stands on a column more, which a function computes for each row: the six of a message
took eight of the 26 ms that its insert takes.
"""

import logging
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pixeltable as pxt
import sqlalchemy as sql
from pixeltable.env import Env

from knowwhy.errors import HomeUnusable
from knowwhy.tables import direct
from knowwhy.tables.indexed import INDEXED_CHARACTERS, KEY, OWN, TEXT
from knowwhy.tables.schema import DIRECTORY, declare
from knowwhy.tables.write import queue

logger = logging.getLogger(__name__)
STARTED = datetime.now(UTC)  # before this process has opened a connection
TOO_LONG = "54000"  # Postgres: a limit of its own is exceeded
_EARLIER = sql.text(
    "SELECT count(*) AS number FROM pg_stat_activity WHERE datname = current_database()"
    " AND backend_type = 'client backend' AND backend_start < :began"
)


def take_off(embedder: str) -> None:
    """Drops Pixeltable's B-trees of these tables, but those declared: homes of before had more.

    A process of the version before would go on with columns that nobody fills any more.
    """
    old = [tree for name in OWN for tree in _undeclared(name, embedder)]
    if old and (others := _others()):
        raise HomeUnusable(
            f"This version of knowwhy keeps other indexes, and {others} connections of processes "
            "that run already are open: stop every knowwhy that uses this home, then run it again."
        )
    with queue("btrees"):
        for found, index in old:
            found.drop_index(idx_name=index, if_not_exists="ignore")


def _undeclared(name: str, embedder: str) -> Iterator[tuple[Any, str]]:
    found: Any = pxt.get_table(f"{DIRECTORY}/{name}", if_not_exists="ignore")
    there = {} if found is None else found.get_metadata()["indexes"]
    declared = declare(embedder).__registered_models__[name].__indexes__
    kept = {index.column.name for index in declared}
    for index in there.values():
        if index["index_type"] == "btree" and index["columns"][0] not in kept:
            yield found, index["name"]


def _others() -> int:
    """Counts the connections that were there before this process could open one."""
    before = {"began": STARTED}
    return int(direct.select("looking for other processes", _EARLIER, **before)[0]["number"])


def plant() -> None:
    """Makes those that are not there, over the rows as they are now."""
    engine = Env.get().engine.execution_options(isolation_level="AUTOCOMMIT")
    with queue("btrees"), engine.connect() as connection:
        for name, trees in OWN.items():
            physical, columns = direct.columns_of(name)
            for column in [column for column, over in trees.items() if over != KEY]:
                stored = columns[column]
                over = f"left({stored}, {INDEXED_CHARACTERS})" if trees[column] == TEXT else stored
                _plant(connection, physical, column, over)


def _plant(connection: sql.Connection, physical: str, column: str, over: str) -> None:
    """Makes one; over a text that is too long for it, which homes of before took, there is none."""
    make = f"CREATE INDEX IF NOT EXISTS {physical}_{column} ON {physical} ({over})"
    try:
        connection.exec_driver_sql(f"{make} WHERE v_max = {direct.LIVE}")
    except sql.exc.OperationalError as error:
        if getattr(error.orig, "sqlstate", None) != TOO_LONG:
            raise
        logger.warning("What is asked of %s.%s stays slower: %s", physical, column, error.orig)
