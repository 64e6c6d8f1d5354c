"""A memory of records that is searched, and its index as the database has it."""

from contextlib import contextmanager
from datetime import UTC, datetime

import numpy as np

from knowwhy import models, telemetry
from knowwhy.tables import write
from knowwhy.tables.vectors import roads
from knowwhy.tables.vectors.both_ways import comparing
from knowwhy.types import Draft, Recall

NOW = datetime(2024, 3, 1, tzinfo=UTC)
PASSAGES = 120
THINGS = ("kafka", "redis", "ledger", "printer", "scanner", "depot", "parcel", "invoice")


def fill(count=PASSAGES):
    chance = np.random.default_rng(1)
    drafts = [
        Draft(
            id=f"r{n}",
            kind="adr" if n % 2 else "incident",
            title=f"{THINGS[n % 8]} {n}",
            content=f"{' '.join(chance.choice(THINGS, 5))} number {n}",
            project="orders" if n % 3 else None,
            content_hash=str(n),
        )
        for n in range(count)
    ]
    batch = write.prepare(drafts, "wordhash")
    write.put_records(batch)
    write.release(batch)
    telemetry.store([Recall(f"Where is the {thing}?", (), 0) for thing in THINGS])


def physical():
    """Gives the table of the passages' vectors and their column, as the leg's search names them."""
    road = roads.roads("passages", "wordhash", NOW)[0]
    with comparing() as both:
        return both.compare(lambda: road.ask(models.embed_query("kafka", "wordhash"), 10))


def database():
    from pixeltable.env import Env

    return Env.get()


def do(*statements):
    engine = database().engine.execution_options(isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        for statement in statements:
            connection.exec_driver_sql(statement)


@contextmanager
def planner_of_a_large_table():
    """Lets the database plan as it does where there are too many rows to look at all of them."""
    name = f'"{database()._db_name}"'
    do(
        f"ALTER DATABASE {name} SET enable_seqscan = off",
        f"ALTER DATABASE {name} SET enable_sort = off",
    )
    database().engine.dispose()
    try:
        yield
    finally:
        do(
            f"ALTER DATABASE {name} RESET enable_seqscan",
            f"ALTER DATABASE {name} RESET enable_sort",
        )
        database().engine.dispose()
