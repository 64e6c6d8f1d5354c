"""Memories that say the same and had no vector in the night after they came."""

import pytest

from knowwhy import models
from knowwhy.janitor import merge
from knowwhy.tables.direct import LIVE
from knowwhy.tables.kept import nights
from knowwhy.tables.vectors import roads
from knowwhy.tables.vectors.both_ways import comparing
from nights_of import LONG_AGO, kept, now_of, ran, steps, told

SAID = ("We use PostgreSQL for the orders database", "The orders database runs on PostgreSQL")


def engine():
    from pixeltable.env import Env

    return Env.get().engine.execution_options(isolation_level="AUTOCOMMIT")


class Vectors:
    """The vectors of the memories in the database, which can be taken away and given back."""

    def __init__(self):
        road = roads.roads("memory_vectors", "wordhash", LONG_AGO)[0]
        with comparing() as both:
            seen = both.compare(lambda: road.ask(models.embed_query("orders", "wordhash"), 10))
        self.relation, self.column = seen.relation, seen.column
        read = f"SELECT rowid, {self.column}::text FROM {self.relation} WHERE v_max = {LIVE}"
        with engine().connect() as connection:
            self.kept = connection.exec_driver_sql(read).fetchall()

    def take_away(self):
        for row, _ in self.kept:
            self._put(row, "NULL")

    def give_back(self):
        for row, vector in self.kept:
            self._put(row, f"'{vector}'")

    def _put(self, row, value):
        which = f"rowid = {row} AND v_max = {LIVE}"
        with engine().connect() as connection:
            connection.exec_driver_sql(
                f"UPDATE {self.relation} SET {self.column} = {value} WHERE {which}"
            )


@pytest.mark.parametrize("most", [merge.MOST_BLIND, 1], ids=["by their names", "with all others"])
def test_what_had_no_vector_is_looked_at_again_once_it_has_one(knowwhy, monkeypatch, most):
    monkeypatch.setattr(merge, "MOST_BLIND", most)
    keys = kept(*(told(n, text, 3 * n) for n, text in enumerate(SAID)), told(7, "Tea is green."))
    vectors = Vectors()
    vectors.take_away()
    without = [steps(ran(knowwhy, "--only", "merge"))["merge"]["done"] for _ in range(2)]
    vectors.give_back()

    after = [steps(ran(knowwhy, "--only", "merge"))["merge"]["done"] for _ in range(2)]

    assert ([0, 0], [1, 0]) == (without, after)
    assert ["active", "superseded", "active"] == [memory.status for memory in now_of(*keys)]
    assert [] == nights.runs(1)[0].cursors[merge.BLIND]
