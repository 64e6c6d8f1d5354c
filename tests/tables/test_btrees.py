"""Postgres's own B-trees: they are there, they are used, and homes of before get them."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
import sqlalchemy as sql

from knowwhy.tables import btrees, direct
from knowwhy.tables.indexed import KEY, OWN
from knowwhy.tables.kept import memories
from knowwhy.tables.talk.turns import history
from knowwhy.tables.write import put_turns, queue, stored_turns, table
from knowwhy.types import Asker, Change, Memory, Turn

NOON = datetime(2025, 3, 14, 12, 0, tzinfo=UTC)
MANY = range(500)  # rows, so that Postgres does not read them all
LOOKED_UP = [(name, column) for name, trees in OWN.items() for column in trees]


def plan_of(statement):
    """Gives how Postgres reads where reading every row, or sorting some, is the last resort."""
    from pixeltable.env import Env

    engine = Env.get().engine
    text = statement.compile(engine, compile_kwargs={"literal_binds": True})
    with engine.connect() as connection:
        connection.exec_driver_sql("SET LOCAL enable_seqscan = off; SET LOCAL enable_sort = off")
        return "\n".join(connection.exec_driver_sql(f"EXPLAIN {text}").scalars())


@pytest.mark.parametrize(("name", "column"), LOOKED_UP)
def test_rows_are_found_in_the_order_of_a_column_by_its_tree(store, name, column):
    rows = direct.live_rows(name)

    plan = plan_of(sql.select(rows.c.key).order_by(rows.c[f"{column}_indexed"]).limit(1))

    tree = "pk" if OWN[name][column] == KEY else f"{direct.physical_name(name)}_{column} "
    assert ("Sort" not in plan, True) == (True, tree in plan), plan


@pytest.mark.parametrize("name", OWN)
def test_no_row_pays_for_a_tree_of_pixeltable(store, name):
    assert {} == table(name).get_metadata()["indexes"]


def test_names_and_keys_that_begin_alike_are_told_apart(store):
    long = "a" * 300
    turn = Turn("t-1", long, "p", long, "user", None, "words", None, NOON, None)
    put_turns([turn, replace(turn, key="t-2", user_id=f"{long}b", session_id=f"{long}b")])

    assert [turn] == history(long, "p", long, None, 9, NOON)
    assert [] == history(long[:256], "p", None, None, 9, NOON)
    assert [] == history(long, "p", f"{long}b", None, 9, NOON)
    assert {"t-1": turn} == stored_turns(["t-1", f"t-1{long}"])


def asked_by(query, physical):
    """Gives the one statement over a table by which Pixeltable answers a query."""
    from pixeltable.env import Env

    asked = []

    def note(connection, cursor, statement, parameters, context, executemany):
        asked.append((statement, parameters))

    sql.event.listen(Env.get().engine, "before_cursor_execute", note)
    try:
        query.collect()
    finally:
        sql.event.remove(Env.get().engine, "before_cursor_execute", note)
    (one,) = [both for both in asked if f"FROM {physical}" in both[0]]
    return one


def test_what_pixeltable_asks_of_a_whole_column_is_found_by_its_tree(store):
    from pixeltable.env import Env

    somebody = [Memory(f"m-{n}", "fact", "words", f"u{n}", "p", "active", NOON, NOON) for n in MANY]
    with queue("memories"):
        memories.put(somebody, [Change(memory.key, "added") for memory in somebody])
    engine = Env.get().engine.execution_options(isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        for name in ("memories", "changes"):
            physical, source = direct.physical_name(name), table(name)
            connection.exec_driver_sql(f"ANALYZE {physical}")
            for column in ("key", "user_id"):
                wanted = source.where(getattr(source, column).isin(["m-1", "u2"]))
                statement, given = asked_by(wanted.select(source.key), physical)
                plan = connection.exec_driver_sql(f"EXPLAIN {statement}", given).scalars()
                assert f"{physical}_{column} " in "\n".join(plan)


def test_a_text_too_long_for_a_tree_costs_time_and_not_the_home(store, caplog):
    from pixeltable.env import Env

    long = "".join(f"{n:x}" for n in range(3_000))  # which does not shrink enough
    somebody = Memory("m-1", "fact", "words", "ann", "p", "active", NOON, NOON, service=long)
    tree = f"{direct.physical_name('memories')}_service"
    engine = Env.get().engine.execution_options(isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.exec_driver_sql(f"DROP INDEX {tree}")
        with queue("memories"):
            memories.put([somebody], [Change(somebody.key, "added")])
        btrees.plant()

        assert f"{direct.physical_name('memories')}.service" in caplog.text
        assert long == memories.memory(Asker("ann", "p"), "m-1").service
        assert connection.exec_driver_sql(f"SELECT to_regclass('{tree}')").scalar() is None
        table("memories").delete()
        btrees.plant()
        assert connection.exec_driver_sql(f"SELECT to_regclass('{tree}')").scalar() is not None
