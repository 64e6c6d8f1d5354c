"""One transaction reads what the plain way reads, with a fraction of the statements."""

import pytest
import sqlalchemy as sql

from knowwhy.errors import StoreFailed
from knowwhy.tables import reading, touched, write
from knowwhy.types import Draft


@pytest.fixture
def filled(store):
    drafts = [
        Draft(id=f"k{n}", kind="adr", title="T", content=f"Fact {n}.", content_hash=f"{n}")
        for n in range(8)
    ]
    write.put_records(write.prepare(drafts, "wordhash"))


def counted(places):
    """Reads passages and counts the statements that this took."""
    from pixeltable.env import Env

    statements = []

    def note(connection, cursor, statement, *_):
        statements.append(statement)

    engine = Env.get().engine
    sql.event.listen(engine, "before_cursor_execute", note)
    try:
        return touched.passages_at(places), len(statements)
    finally:
        sql.event.remove(engine, "before_cursor_execute", note)


def test_passages_are_read_with_a_fraction_of_the_statements(filled, monkeypatch):
    places = [(f"k{n}", 0) for n in range(5)]
    found, statements = counted(places)
    monkeypatch.setattr(reading, "get_runtime", object)  # as a Pixeltable without it would be
    plain, plain_statements = counted(places)

    assert plain == found
    assert set(places) == found.keys()
    assert plain_statements > 2 * statements


def test_only_the_places_asked_for_are_read_and_gone_ones_are_left_out(filled):
    assert {("k1", 0)} == touched.passages_at([("k1", 0), ("k1", 7), ("gone", 0)]).keys()
    assert {} == touched.passages_at([])


def test_what_the_store_raises_is_told_as_ours(filled):
    records = write.table("records")

    with pytest.raises(StoreFailed, match="reading the tables"), reading.reading(records):
        records.where("not a condition").collect()
