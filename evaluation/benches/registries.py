"""What agents' calls take among ten thousand agents and a thousand pools, against bare Pixeltable.

A call of each kind is timed in turn, and so are a look-up and an insert in a table of the same
columns and rows that Pixeltable alone keeps: all of them meet the same load.
"""

import argparse
import json
import random
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from evaluation.homes import ROOT, environment, run, stop, throwaway_home
from evaluation.metrics import percentile

TIMES = 200  # that each call is made
WARM_UP = 10
EMBEDDER = "wordhash"  # no model has a part in it
ASKED = 50  # ms, the p95 that is asked for
LOOK_UP, INSERT = "bare look-up", "bare insert"
READS = ("look up", "list by owner", "list the largest owner", "list acts")  # that note nothing


def measure(times: int = TIMES, home: str | None = None) -> dict[str, str]:
    """Fills a home, and makes every call that many times."""
    if home:
        folder = Path(home).absolute()
        try:
            return _measured_apart(folder, times)
        finally:
            stop(folder)
    with throwaway_home() as folder:
        return _measured_apart(folder, times)


def _measured_apart(home: Path, times: int) -> dict[str, str]:
    run("init", home=home, KNOWWHY_EMBEDDER=EMBEDDER)
    done = subprocess.run(
        [sys.executable, "-m", "evaluation.benches.registries", str(times)],
        env=environment(home, KNOWWHY_EMBEDDER=EMBEDDER),
        cwd=ROOT,
        stdout=subprocess.PIPE,
        check=True,
    )
    told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return _shown(told["rows"], told["took"], times)


def _shown(rows: dict[str, int], took: dict[str, list[float]], times: int) -> dict[str, str]:
    sizes = ", ".join(f"{number:,} {name}" for name, number in rows.items())
    figures = {"rows": sizes, "each call": f"{times} times; asked: p95 under {ASKED} ms"}
    slow = 0
    for name, each in took.items():
        p50, p95 = percentile(each, 0.5), percentile(each, 0.95)
        figures[name] = f"p50 {p50:.1f} ms, p95 {p95:.1f} ms"
        if name in (LOOK_UP, INSERT):
            continue
        bare = LOOK_UP if name in READS else INSERT
        ratio = p50 / percentile(took[bare], 0.5)
        figures[name] += f": {ratio:.1f} {bare.removeprefix('bare ')}s"
        slow += p95 >= ASKED
    return {**figures, "calls that take longer: faults": str(slow)}


def _took(times: int, *, is_filled: bool) -> dict[str, Any]:
    """Makes all calls in the home of the settings, which is filled first unless it is."""
    from evaluation import crowded
    from knowwhy.tables import direct

    rows = {name: direct.count(name) for name in crowded.TABLES} if is_filled else crowded.fill()
    bare = _bare()
    took: dict[str, list[float]] = {}
    dice = random.Random(crowded.SEED)
    for number in range(times + WARM_UP):
        for name, call in (*_calls(dice), *_bare_calls(bare, dice, number)):
            began = time.perf_counter()
            call()
            milliseconds = (time.perf_counter() - began) * 1000
            if number >= WARM_UP:
                took.setdefault(name, []).append(milliseconds)
    return {"rows": rows, "took": took}


def _calls(dice: random.Random) -> Any:
    """Gives the calls of one round, in an order in which each has what it needs."""
    from evaluation import crowded
    from evaluation.crowded import OWNERS, agent_key, memory_keys, owner_of, pool_key
    from knowwhy.config import Settings
    from knowwhy.maas import agents, handoffs, membership, pools, shared
    from knowwhy.tables.agents import audit_rows

    one = dice.randrange(crowded.LARGEST, crowded.AGENTS - OWNERS)
    owner, mine, second = owner_of(one), agent_key(one), agent_key(one + OWNERS)
    other = dice.randrange(crowded.AGENTS)
    theirs, their_owner = agent_key(other), owner_of(other)
    lender = dice.randrange(crowded.POOLS)
    busy = crowded.maker(lender)
    settings = Settings(acts_a_minute=1_000_000, max_pools=1_000_000, max_agents=1_000_000)
    made: dict[str, Any] = {}

    def keep(name: str, work: Callable[[], Any]) -> Callable[[], None]:
        return lambda: made.update({name: work()})

    return (
        ("register", lambda: agents.register(owner, settings, "New", "human")),
        ("look up", lambda: agents.look_up(owner, mine)),
        ("list by owner", lambda: agents.of(owner)),
        ("list the largest owner", lambda: agents.of(owner_of(0))),
        ("start session", keep("session", lambda: agents.start_session(owner, settings, mine))),
        ("end session", lambda: agents.end_session(owner, settings, mine, made["session"])),
        ("create pool", keep("pool", lambda: pools.create(owner, settings, mine, "New"))),
        (
            "invite",
            lambda: membership.invite(owner, settings, mine, made["pool"].key, theirs),
        ),
        ("join pool", lambda: membership.join(their_owner, settings, theirs, made["pool"].key)),
        (
            "share",
            lambda: shared.share(
                owner, settings, mine, made["pool"].key, dice.choice(memory_keys(owner))
            ),
        ),
        ("seats", lambda: pools.seats(owner_of(busy), settings, agent_key(busy))),
        (
            "members",
            lambda: membership.companions(
                owner_of(busy), settings, agent_key(busy), pool_key(lender)
            ),
        ),
        ("query pools", lambda: shared.may_query(owner_of(busy), settings, agent_key(busy))),
        (
            "query one pool",
            lambda: shared.may_query(their_owner, settings, theirs, made["pool"].key),
        ),
        ("leave pool", lambda: membership.leave(their_owner, settings, theirs, made["pool"].key)),
        (
            "initiate handoff",
            keep("task", lambda: handoffs.initiate(owner, settings, mine, second, "Move it.")),
        ),
        ("pending list", lambda: handoffs.received(owner, settings, second)),
        ("accept handoff", lambda: handoffs.accept(owner, settings, second, made["task"].key)),
        ("complete handoff", lambda: handoffs.complete(owner, settings, second, made["task"].key)),
        ("list acts", lambda: audit_rows.acts(user_id=owner.user_id, most=100)),
    )


def _bare() -> Any:
    """Makes a table of Pixeltable alone, as large as that of the agents and indexed like it."""
    import pixeltable as pxt  # noqa: TID251  # what the calls are compared with

    from evaluation import crowded

    columns = {"key": pxt.Required[pxt.String], "user_id": pxt.String, "name": pxt.String}
    times = {"created_at": pxt.Timestamp, "touched_at": pxt.Timestamp}
    bare = pxt.create_table("bare", {**columns, **times}, primary_key="key", if_exists="replace")
    for column in ("key", "user_id"):
        bare.add_btree_index(column)
    some = [crowded.agent(number) for number in range(crowded.AGENTS)]
    bare.insert([{name: row[name] for name in (*columns, *times)} for row in some])
    return bare


def _bare_calls(bare: Any, dice: random.Random, number: int) -> Any:
    from evaluation import crowded

    one = crowded.agent(dice.randrange(crowded.AGENTS))
    row = {name: one[name] for name in ("user_id", "name", "created_at", "touched_at")}
    return (
        (LOOK_UP, lambda: bare.where(bare.key == one["key"]).select(bare.name).collect()),
        (INSERT, lambda: bare.insert([{**row, "key": f"new {number}"}])),
    )


if __name__ == "__main__":
    from knowwhy.config import Settings
    from knowwhy.tables import direct
    from knowwhy.tables.connect import connect

    parser = argparse.ArgumentParser(description="Times the calls, and prints what each took.")
    parser.add_argument("times", type=int)
    given = parser.parse_args()
    connect(Settings.from_environ())
    is_filled = direct.count("pools") > 0
    print(json.dumps(_took(given.times, is_filled=is_filled)))
