"""B-trees that Postgres keeps by itself, for tables whose single rows somebody waits for.

Pixeltable's stands on a column more, which a function computes for each row: the six of a message
took ten of the 26 ms that its insert takes.
"""

from typing import Any

import pixeltable as pxt
from pixeltable.env import Env

from knowwhy.tables import direct
from knowwhy.tables.indexed import INDEXED_CHARACTERS, KEY, OWN, TEXT
from knowwhy.tables.schema import DIRECTORY, declare


def take_off(embedder: str) -> None:
    """Drops Pixeltable's B-trees of these tables, but those declared: homes of before had more."""
    declared = declare(embedder).__registered_models__
    for name in OWN:
        found: Any = pxt.get_table(f"{DIRECTORY}/{name}", if_not_exists="ignore")
        there = {} if found is None else found.get_metadata()["indexes"]
        kept = {index.column.name for index in declared[name].__indexes__}
        for index in there.values():
            if index["index_type"] == "btree" and index["columns"][0] not in kept:
                found.drop_index(idx_name=index["name"])


def plant() -> None:
    """Makes those that are not there, over the rows as they are now."""
    engine = Env.get().engine.execution_options(isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        for name, trees in OWN.items():
            physical, columns = direct.columns_of(name)
            for column in [column for column, over in trees.items() if over != KEY]:
                stored = columns[column]
                over = f"left({stored}, {INDEXED_CHARACTERS})" if trees[column] == TEXT else stored
                connection.exec_driver_sql(
                    f"CREATE INDEX IF NOT EXISTS {physical}_{column} ON {physical} ({over}) "
                    f"WHERE v_max = {direct.LIVE}"
                )
