"""An audit of many acts, changed and shortened in every way: what its verification finds."""

import json
import random
import sys
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any

import sqlalchemy as sql

from knowwhy.config import Settings
from knowwhy.errors import Error, StoreFailed
from knowwhy.maas import agents, handoffs, membership, pools, shared
from knowwhy.maas.sorts import SORTS, allowed
from knowwhy.tables import direct
from knowwhy.tables.agents import audit_rows
from knowwhy.tables.agents.registries import acting, carry_out
from knowwhy.tables.connect import connect
from knowwhy.tables.write import table
from knowwhy.types import Asker, Filters

OWNERS = (Asker("ann", "audited"), Asker("bob", "audited"))
LIMITS = replace(Settings(), acts_a_minute=1_000_000, max_handoffs=1_000_000, max_agents=1_000_000)
NOBODY = "a-" + "0" * 32
SEED = 8
LEAST = ("outcome", "key")  # a column of the hash, and what rows are found by
OTHER = {"text": "'x' || coalesce({0}, '')", "number": "{0} + 1", "time": "{0} + interval '1 s'"}
TYPES = {"integer": "number", "bigint": "number", "timestamp with time zone": "time"}


def act_mixed(count: int) -> list[float]:
    """Does so many acts of every kind, about half of which are refused; gives what each took."""
    dice = random.Random(SEED)
    made: dict[str, list[Any]] = {"agents": [(OWNERS[0], NOBODY)], "tasks": []}
    made |= {"sessions": [""], "pools": ["p-none"]}
    took = []
    for _ in range(count):
        began = time.perf_counter()
        with suppress(Error):  # a refused act is one too
            dice.choice(ACTS)(dice, made)
        took.append(time.perf_counter() - began)
    return sorted(took)


def _register(dice: random.Random, made: dict[str, list[Any]]) -> None:
    owner = dice.choice(OWNERS)
    agent = agents.register(owner, LIMITS, f"Agent {len(made['agents'])}", "human")
    made["agents"].append((owner, agent.key))


def _begin(dice: random.Random, made: dict[str, list[Any]]) -> None:
    owner, agent = dice.choice(made["agents"])
    made["sessions"].append(agents.start_session(owner, LIMITS, agent))


def _end(dice: random.Random, made: dict[str, list[Any]]) -> None:
    agents.end_session(*_who(dice, made), dice.choice(made["sessions"]))


def _hand(dice: random.Random, made: dict[str, list[Any]]) -> None:
    other = dice.choice(made["agents"])[1]
    made["tasks"].append(handoffs.initiate(*_who(dice, made), other, "Do it."))


def _step(dice: random.Random, made: dict[str, list[Any]]) -> None:
    steps = (handoffs.accept, handoffs.reject, handoffs.complete, handoffs.fail, handoffs.look_up)
    if not made["tasks"] or dice.random() < 0.2:
        dice.choice(steps)(*_who(dice, made), "h-none")
        return
    task = dice.choice(made["tasks"])
    owner = next(owner for owner, agent in made["agents"] if agent == task.receiver.key)
    dice.choice(steps)(owner, LIMITS, task.receiver.key, task.key)


def _look(dice: random.Random, made: dict[str, list[Any]]) -> None:
    dice.choice((handoffs.received, handoffs.sent))(*_who(dice, made))


def _open(dice: random.Random, made: dict[str, list[Any]]) -> None:
    scope = dice.choice(("user", "team", "global"))  # the last is wider than an agent may read
    made["pools"].append(pools.create(*_who(dice, made), "Pool", scope).key)


def _enter(dice: random.Random, made: dict[str, list[Any]]) -> None:
    acts = (membership.join, membership.join, membership.leave, membership.companions)
    dice.choice((*acts, shared.may_query))(*_who(dice, made), dice.choice(made["pools"]))


def _ask(dice: random.Random, made: dict[str, list[Any]]) -> None:
    allowed(dice.choice(list(SORTS)), *_who(dice, made), Filters())


def _deactivate(dice: random.Random, made: dict[str, list[Any]]) -> None:
    agents.deactivate(dice.choice(OWNERS), NOBODY)


def _who(dice: random.Random, made: dict[str, list[Any]]) -> tuple[Asker, Settings, str]:
    owner, agent = dice.choice(made["agents"])
    return owner, LIMITS, agent


AT_WORK = (_register, _begin, _end, _hand, _hand, _step, _step, _step, _look, _deactivate)
ACTS = (*AT_WORK, _open, _enter, _enter, _ask)


def play(count: int, *, briefly: bool = False) -> dict[str, Any]:
    """Acts in an empty home, then changes and removes the first, middle and last row in turn.

    Each is put back, after which nothing may be found; the last is taken back for good. Briefly,
    not every column of the first and last row is changed.
    """
    took = act_mixed(count)
    rows, found = audit_rows.faults()
    told: dict[str, Any] = {"took": took, "rows": rows, "before": found, "missed": [], "left": []}
    told["after a failed act"], told["tried"] = _after_a_failure(rows), 0
    rows += 1
    for place, number in (("first", 1), ("middle", (rows + 1) // 2), ("last", rows)):
        for name, tampered in _ways(number, LEAST if briefly and place != "middle" else None):
            with tampered():
                hit = audit_rows.faults()[1]
            told["tried"] += 1
            told["missed"] += [] if hit else [f"{place}: {name}"]
            if not briefly:
                told["left"] += [f"{place}: {name}: {left}" for left in audit_rows.faults()[1]]
    began = time.perf_counter()
    told["left"] += audit_rows.faults()[1]
    told["verified in"] = time.perf_counter() - began
    table("audit").revert()
    told["tried"] += 1
    told["missed"] += [] if audit_rows.faults()[1] else ["last: taken back"]
    with acting():
        last = audit_rows.noting("end", user_id=None, agent_id=None, target=None, outcome="done")
        carry_out(last)
    told["missed"] += [] if audit_rows.faults()[1] else ["last: taken back, and one more act"]
    return told


def _ways(number: int, columns: Collection[str] | None) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Gives every way to change or remove a row, each as something to enter and to leave."""
    source = table("audit")
    row = source.where(source.number == number)
    yield "act by Pixeltable", _then_reverted(lambda: row.update({"act": "x"}))
    yield "removed by Pixeltable", _then_reverted(row.delete)
    physical, all_columns = direct.columns_of("audit")
    there = f"{all_columns['number']} = {number} AND v_max = {direct.LIVE}"
    for name in all_columns if columns is None else columns:
        stored = all_columns[name]
        yield f"{name} by SQL", _then_put_back(physical, there, _changing(physical, stored))
    yield "removed by SQL", _then_put_back(physical, there, "DELETE FROM {0} WHERE {1}")
    ended = f"UPDATE {{0}} SET v_max = {direct.LIVE} - 1 WHERE {{1}}"
    yield "ended by SQL", _then_put_back(physical, there, ended)


def _changing(physical: str, column: str) -> str:
    asked = "SELECT data_type FROM information_schema.columns WHERE table_name = '{}'"
    kind = _run(f"{asked.format(physical)} AND column_name = '{column}'").scalar()
    other = OTHER[TYPES.get(str(kind), "text")].format(column)
    return f"UPDATE {{0}} SET {column} = {other} WHERE {{1}}"


def _then_reverted(work: Callable[[], Any]) -> Callable[[], Any]:
    @contextmanager
    def tampered() -> Iterator[None]:
        work()
        yield
        table("audit").revert()

    return tampered


def _then_put_back(physical: str, row: str, statement: str) -> Callable[[], Any]:
    @contextmanager
    def tampered() -> Iterator[None]:
        place = str(_run(f"SELECT rowid FROM {physical} WHERE {row}").scalar())
        _run(f"CREATE TABLE kept_row AS SELECT * FROM {physical} WHERE rowid = {place}")
        _run(statement.format(physical, row))
        yield
        _run(f"DELETE FROM {physical} WHERE rowid = {place}")
        _run(f"INSERT INTO {physical} SELECT * FROM kept_row")
        _run("DROP TABLE kept_row")

    return tampered


def _after_a_failure(rows: int) -> list[str]:
    """Lets one act fail in the store and another one follow; gives what is found broken then."""
    physical = direct.physical_name("audit")
    _run("CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS "
         "$$ BEGIN RAISE EXCEPTION 'refused'; END $$")  # fmt: skip
    _run(f"CREATE TRIGGER refusing BEFORE INSERT ON {physical} FOR EACH ROW "
         "EXECUTE FUNCTION refuse()")  # fmt: skip
    try:
        agents.register(OWNERS[0], LIMITS, "One too many", "human")
        return ["the act was done"]
    except StoreFailed:
        pass
    finally:
        _run(f"DROP TRIGGER refusing ON {physical}")
        _run("DROP FUNCTION refuse")
    agents.register(OWNERS[0], LIMITS, "One more", "human")
    now, found = audit_rows.faults()
    return found if now == rows + 1 else [f"{now} rows", *found]


def _run(statement: str) -> Any:
    engine = direct.Env.get().engine.execution_options(isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        done = connection.execute(sql.text(statement))
        return done.freeze()() if done.returns_rows else done


def main() -> None:
    """Plays with so many acts in a home, and prints what was found as JSON."""
    connect(Settings.from_environ())
    print(json.dumps(play(int(sys.argv[1]), briefly="briefly" in sys.argv)))


if __name__ == "__main__":
    main()
