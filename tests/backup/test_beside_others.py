"""An export taken in where others are already: acts stay one chain, nights look at what came."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from knowwhy import nightly, telemetry
from knowwhy.backup.moving import import_all
from knowwhy.tables.agents import audit_rows
from knowwhy.tables.homes import whole
from knowwhy.tables.kept import nights
from knowwhy.tables.kept.nights import FAILED, FINISHED, Run
from knowwhy.tables.write import table
from knowwhy.types import Recall
from lenders import ADA, EVE, a_memory, an_agent, kept

ONLY_MERGE = nightly.Asked(only="merge")
LONG_AGO = datetime(2025, 3, 1, tzinfo=UTC)


def emptied(store):
    for name in whole.columns(store.embedder):
        table(name).delete()


def broken_rows():
    """Where the chain is broken; that tables were emptied here is another thing."""
    return audit_rows.broken()[1]


def test_doctor_tells_where_an_audit_is_broken(knowwhy, store):
    an_agent(ADA)
    an_agent(ADA, "Tester")
    assert "ok" == shown_of(knowwhy, "audit")["state"]
    row = table("audit").order_by(table("audit").number, asc=False).limit(1)
    last = next(iter(row.select(key=table("audit").key).collect()))["key"]
    table("audit").batch_update([{"key": last, "outcome": "refused"}])

    shown = shown_of(knowwhy, "audit")
    table("audit").delete()

    assert "fault" == shown["state"]
    assert "is not what was written" in shown["text"]
    assert "knowwhy audit --verify" == shown["run"]


def shown_of(knowwhy, what):
    """What doctor says of one thing."""
    (found,) = [one for one in json.loads(knowwhy("doctor", "--json").out) if one["what"] == what]
    return found


@pytest.fixture
def acts(knowwhy, store, tmp_path):
    """An export with three acts of Ada's in it, and nothing in the home any more."""
    emptied(store)
    for name in ("Planner", "Coder", "Tester"):
        an_agent(ADA, name)
    file = tmp_path / "all.jsonl"
    assert 0 == knowwhy("export", "--all", file).code
    emptied(store)
    return file


def test_acts_are_taken_in_whole_and_the_next_one_follows_them(knowwhy, acts):
    taken = [knowwhy("import", acts) for _ in range(2)]
    an_agent(EVE)

    assert ["6 added", "0 added"] == [one.out.split(",")[0] for one in taken]
    assert ("", "") == (taken[0].err, taken[1].err)
    assert [] == broken_rows()
    assert "4 acts of agents, one chain" == shown_of(knowwhy, "audit")["text"]
    assert [1, 2, 3] == [act.number for act in audit_rows.acts(user_id="ada", most=9)]
    assert [4] == [act.number for act in audit_rows.acts(user_id="eve", most=9)]


def test_a_home_with_acts_of_its_own_keeps_its_chain_and_says_what_it_left_out(knowwhy, acts):
    an_agent(EVE)

    taken = knowwhy("import", acts)

    assert "3 added, 0 unchanged, 3 left as they are here\n" == taken.out
    assert "3 acts of agents were not taken in" in taken.err
    assert [] == broken_rows()
    assert [] == audit_rows.acts(user_id="ada", most=9)
    assert 4 == table("agents").count()


def test_an_import_that_was_stopped_in_the_middle_of_the_acts_goes_on(
    knowwhy, store, acts, monkeypatch
):
    class StoppedError(Exception):
        pass

    def stop(done):
        if table("audit").count():
            raise StoppedError

    monkeypatch.setattr("knowwhy.backup.moving.AT_ONCE", 2)
    with pytest.raises(StoppedError):
        import_all(acts, store.embedder, stop)

    again = knowwhy("import", acts)

    assert "1 added, 5 unchanged, 0 left as they are here\n" == again.out
    assert ([], 3) == (broken_rows(), table("audit").count())


@pytest.fixture
def old_copies(knowwhy, store, tmp_path):
    """An export with two old memories that say the same, and another memory in the home."""
    at = {"created_at": LONG_AGO, "touched_at": LONG_AGO}
    old = ("We use PostgreSQL for the orders database", "The orders database runs on PostgreSQL")
    kept(*(a_memory(number, text, ADA, **at) for number, text in enumerate(old)))
    file = tmp_path / "all.jsonl"
    assert 0 == knowwhy("export", "--all", file).code
    emptied(store)
    kept(a_memory(9, "Bento sends our mail", ADA))
    return file


def statuses_of_old_copies():
    source = table("memories")
    old = source.where(source.key < "m-00000000000000000009")
    return sorted(row["status"] for row in old.select(source.status).collect())


def test_the_next_night_looks_at_older_memories_that_were_taken_in(knowwhy, old_copies):
    knowwhy("nightly", "--only", "merge")

    assert 0 == knowwhy("import", old_copies).code
    run = json.loads(knowwhy("nightly", "--only", "merge", "--json").out)

    assert [1] == [report["done"] for report in run["reports"]]
    assert ["active", "superseded"] == statuses_of_old_copies()


@pytest.mark.parametrize(
    ("nights_before", "noted_every"),
    [(0, 30.0), (1, 30.0), (1, 0.0)],
    ids=["in the first night", "in a later one", "before the night notes its way"],
)
def test_the_next_night_looks_at_what_was_taken_in_beside_one_that_was_at_work(
    knowwhy, store, old_copies, monkeypatch, nights_before, noted_every
):
    monkeypatch.setattr(nightly, "NOTED_EVERY", noted_every)
    for _ in range(nights_before):
        knowwhy("nightly", "--only", "merge")
    kept(*(a_memory(n, "Redis holds the sessions" + "." * (n - 10), ADA) for n in (10, 11)))
    taken = []

    def take_in():
        if not taken:
            taken.append(import_all(old_copies, store.embedder).total("added"))

    asked = nightly.Asked(only="merge", stop=take_in)
    beside = nightly.run(store.embedder, datetime.now(UTC), asked)
    seen_beside = statuses_of_old_copies()
    nights = [nightly.run(store.embedder, datetime.now(UTC), ONLY_MERGE) for _ in range(2)]

    assert ([True], ["active", "active"]) == ([count > 0 for count in taken], seen_beside)
    assert [1, 1, 0] == [run.reports[0]["done"] for run in (beside, *nights)]
    assert ["active", "superseded"] == statuses_of_old_copies()


@pytest.fixture
def other_nights(knowwhy, store, tmp_path):
    """An export of a home with a night that is newer than all that happens in this one."""
    emptied(store)
    kept(a_memory(1, "Bento sends our mail", ADA))
    later = datetime.now(UTC) + timedelta(hours=1)
    told = [{"name": "keeping", "alarms": [{"code": "disk-growing", "text": "Full.", "run": "x"}]}]
    nights.begin(Run("n-other", later, FAILED, cursors=OTHERS, reports=tuple(told), ended_at=later))
    file = tmp_path / "all.jsonl"
    assert 0 == knowwhy("export", "--all", file).code
    emptied(store)
    return file


OTHERS = {"access": "2999-01-01T00:00:00.000000 r", "keeping": [["2999-01-01T00:00:00+00:00", 1]]}
OURS = {"access": "2026-01-01T00:00:00.000000 r", "judge": [["m-1", "m-2", 0.9]], "keeping": []}


def test_nights_of_another_home_do_not_say_where_the_own_ones_go_on(knowwhy, store, other_nights):
    nights.begin(Run("n-ours", LONG_AGO, FINISHED, cursors=OURS, ended_at=datetime.now(UTC)))

    taken = [knowwhy("import", other_nights) for _ in range(2)]
    listed = [run["key"] for run in json.loads(knowwhy("nightly", "--runs", "--json").out)]

    assert ["0 left", "0 left"] == [one.out.split(", ")[2][:6] for one in taken]
    assert ["n-other", "n-ours"] == listed
    assert OURS == {name: nights.left()[name] for name in OURS}
    assert {"merge", "contradictions"} == {name for name in nights.left() if name not in OURS}
    assert [] == json.loads(knowwhy("status", "--json").out)["alarms"]


@pytest.mark.parametrize("nights_before", [0, 1])
def test_what_was_asked_here_is_counted_after_an_import(
    knowwhy, store, other_nights, nights_before
):
    for _ in range(nights_before):
        knowwhy("nightly", "--only", "access")
    kept(a_memory(2, "Redis holds the carts", EVE))
    hour_ago = datetime.now(UTC) - timedelta(hours=1)
    telemetry.store([Recall("Which cache?", ("m-2",), 0, user_id="eve", at=hour_ago)])

    assert 0 == knowwhy("import", other_nights).code
    run = json.loads(knowwhy("nightly", "--only", "access", "--json").out)

    assert [1] == [report["done"] for report in run["reports"]]


def test_an_empty_home_goes_on_where_the_nights_that_it_takes_in_were(knowwhy, other_nights):
    assert 0 == knowwhy("import", other_nights).code

    assert OTHERS == nights.left()
