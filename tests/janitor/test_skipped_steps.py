"""A night beside others who do, in the same home, what only one may do at a time."""

import json
import threading
from contextlib import ExitStack
from datetime import UTC, datetime

import pytest

from knowwhy import nightly, reembed
from knowwhy.errors import StoreBusy
from knowwhy.health import look
from knowwhy.tables.only_one import only_one
from nights_of import kept, now_of, ran, steps, told

COPIES = ("We use PostgreSQL for the orders database", "The orders database runs on PostgreSQL")
TOO_LONG = "Another process has been writing to memories for too long."


def copies():
    return kept(*(told(number, text, number) for number, text in enumerate(COPIES)))


def test_a_night_beside_a_look_that_lasts_leaves_its_own_out_and_says_why(knowwhy, monkeypatch):
    monkeypatch.setattr(look, "PATIENCE", 0.0)
    keys = copies()

    with only_one(look.PART):
        run = ran(knowwhy)
        shown = knowwhy("nightly", "--only", "health").out

    skipped = [name for name, report in steps(run).items() if report["skipped"]]
    assert ["health"] == skipped
    assert (False, False) == (steps(run)["health"]["failed"], steps(run)["health"]["finished"])
    assert [look.BUSY] == steps(run)["health"]["notes"]
    assert "stopped" == run["state"]
    assert "nightly-failed" not in [alarm["code"] for alarm in run["alarms"]]
    assert ["active", "superseded"] == [memory.status for memory in now_of(*keys)]
    assert f", skipped: the next run does it\n  {look.BUSY}\n" in shown


def test_a_night_waits_for_the_end_of_another_look(knowwhy):
    with ExitStack() as another:
        another.enter_context(only_one(look.PART))
        end = threading.Timer(0.5, another.close)
        end.start()
        run = ran(knowwhy, "--only", "health")
        end.join()

    assert (False, True) == tuple(steps(run)["health"][name] for name in ("skipped", "finished"))
    assert "finished" == run["state"]


def test_a_step_goes_on_with_the_model_that_the_home_has_changed_to(store):
    keys = copies()

    run = nightly.run("bge-small", datetime.now(UTC), nightly.Asked(only="merge"))

    assert ("finished", 1) == (run.state, run.reports[0]["done"])
    assert ["active", "superseded"] == [memory.status for memory in now_of(*keys)]


@pytest.mark.parametrize(("part", "state"), [(reembed.PART, "skipped"), ("reader", "failed")])
def test_who_waits_for_too_long_is_skipped_only_beside_a_change_of_the_model(
    knowwhy, monkeypatch, part, state
):
    def wait(*_):
        raise StoreBusy(TOO_LONG)

    copies()
    monkeypatch.setattr("knowwhy.janitor.merge.look", wait)

    with only_one(part):
        done = knowwhy("nightly", "--only", "merge", "--dry-run", "--json")

    (report,) = json.loads(done.out)["reports"]
    assert [state] == [name for name in ("skipped", "failed") if report[name]]
    assert [TOO_LONG] == report["notes"]
