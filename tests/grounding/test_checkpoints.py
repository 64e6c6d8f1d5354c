"""Memories go back to what they were, and on to what they had become."""

import os
import random
import signal
import subprocess
import sys
from dataclasses import replace

import pytest
from states import add, answers, change, made, nearest, rows, write_at_random

from knowwhy.errors import BadInput, CapacityReached, NotFound, StoreFailed
from knowwhy.grounding import checkpoints
from knowwhy.tables.kept import journal, memories, snapshots
from knowwhy.types import Asker

ANN, BEN, SHOP = Asker("ann"), Asker("ben"), Asker("ann", "shop")


@pytest.fixture(autouse=True)
def only_own_snapshots(store):
    for name in kept_names():
        snapshots.drop(name)


def kept_names():
    folders = snapshots.pxt.list_dirs("knowwhy")
    paths = snapshots.pxt.list_tables(snapshots.FOLDER) if snapshots.FOLDER in folders else []
    return {path.split("/")[-1] for path in paths}


@pytest.mark.slow
def test_after_five_hundred_writes_one_user_goes_back_and_on_and_the_other_stays():
    chance = random.Random(5)
    write_at_random(chance, ["ann", "ben"], 120, first=0)
    checkpoints.create(ANN, "monday")
    earlier, told_earlier = rows("ann"), [answers("ann", p) for p in ("shop", "mail", None)]
    write_at_random(chance, ["ann", "ben"], 500, first=1_000)
    later, told_later = rows("ann"), [answers("ann", p) for p in ("shop", "mail", None)]
    other = rows("ben", touched=True)
    assert earlier != later

    went = checkpoints.roll_back(ANN, "monday")

    now = rows("ann")
    assert earlier == {key: row for key, row in now.items() if key in earlier}
    assert {"retracted"} == {row.status for key, row in now.items() if key not in earlier}
    assert told_earlier == [answers("ann", p) for p in ("shop", "mail", None)]
    assert other == rows("ben", touched=True)
    assert went.restored > 10
    assert went.retracted > 50

    checkpoints.undo(ANN)

    assert later == rows("ann")
    assert told_later == [answers("ann", p) for p in ("shop", "mail", None)]
    assert other == rows("ben", touched=True)


def test_a_reworded_memory_is_found_by_its_earlier_words_again():
    old = made(1, "ann", content="the cache is redis")
    add(old)
    checkpoints.create(ANN, "monday")
    change(replace(old, content="mail goes out by bento"))
    assert [("m-ann-1", 1.0)] == nearest("mail goes out by bento", "ann")

    checkpoints.roll_back(ANN, "monday")

    assert [("m-ann-1", 1.0)] == nearest("the cache is redis", "ann")
    assert 0.5 > nearest("mail goes out by bento", "ann")[0][1]


def test_what_was_refused_is_refused_again_and_has_no_vector():
    refused, other = made(1, "ann", status="refused"), made(2, "ann", status="refused")
    add(refused)
    checkpoints.create(ANN, "monday")
    change(replace(refused, status="active"))
    add(other)
    view = snapshots.table("memory_vectors")
    assert 1 == view.count()

    checkpoints.roll_back(ANN, "monday")

    assert ["refused", "retracted"] == [row.status for row in rows("ann").values()][::-1]
    assert {"m-ann-2"} == {row["key"] for row in view.select(view.key).collect()}
    checkpoints.undo(ANN)
    assert {"m-ann-1"} == {row["key"] for row in view.select(view.key).collect()}


def test_each_memory_that_went_back_tells_so():
    kept = made(1, "ann")
    add(kept)
    checkpoints.create(ANN, "monday")
    change(replace(kept, status="retracted", why="wrong"), what="retracted")
    add(made(2, "ann"))

    checkpoints.roll_back(ANN, "monday")

    told = [change.what for change in memories.changes_of(ANN, kept.key)]
    assert ["added", "retracted", "restored"] == told
    last = memories.changes_of(ANN, "m-ann-2")[-1]
    assert "retracted" == last.what
    assert last.why.startswith("Rolled back to the checkpoint 'monday' of 20")
    assert {"status": "active", "why": None} == last.before
    assert last.why == rows("ann")["m-ann-2"].why


def test_in_a_project_only_what_is_in_it_goes_back():
    here, there = made(1, "ann", "shop"), made(2, "ann", "mail")
    add(here, there, made(3, None, "shop"))
    checkpoints.create(ANN, "monday")
    for memory in (here, there, made(3, None, "shop")):
        change(replace(memory, service="till"))

    went = checkpoints.roll_back(SHOP, "monday")

    assert (1, 0) == (went.restored, went.retracted)
    assert {"m-ann-1": None, "m-ann-2": "till"} == {k: m.service for k, m in rows("ann").items()}
    assert "till" == rows(None)["m-None-3"].service


def test_what_is_everybodys_goes_back_only_when_it_is_asked_for():
    shared, own = made(1, None, "shop"), made(2, "ann", "shop")
    elsewhere = made(3, None, "mail")
    add(shared, own, elsewhere)
    checkpoints.create(Asker(None, "shop"), "monday")
    for memory in (shared, own, elsewhere):
        change(replace(memory, service="till"))

    checkpoints.roll_back(Asker(None, "shop"), "monday")

    services = {
        m.key: m.service for m in memories.held(["m-None-1", "m-ann-2", "m-None-3"]).values()
    }
    assert {"m-None-1": None, "m-ann-2": "till", "m-None-3": "till"} == services
    with pytest.raises(NotFound):
        checkpoints.roll_back(SHOP, "monday")
    with pytest.raises(BadInput, match="Say whose"):
        checkpoints.roll_back(Asker(), "monday")


def test_a_difference_tells_what_was_added_changed_and_retracted():
    kept, gone = made(1, "ann"), made(2, "ann")
    add(kept, gone, made(9, "ben"))
    checkpoints.create(ANN, "monday")
    change(replace(kept, service="till"))
    change(replace(gone, status="retracted"))
    add(made(3, "ann"), made(4, "ann", status="retracted"), made(8, "ben"))
    checkpoints.create(ANN, "tuesday")
    add(made(5, "ann"))

    found = checkpoints.diff(ANN, "monday", "tuesday")

    assert ["m-ann-3"] == [pair.key for pair in found.added]
    assert [("m-ann-1", ("service",))] == [(pair.key, pair.changed()) for pair in found.changed]
    assert ["m-ann-2", "m-ann-4"] == [pair.key for pair in found.retracted]
    assert ["m-ann-5"] == [pair.key for pair in checkpoints.diff(ANN, "tuesday").added]
    assert checkpoints.Difference((), (), ()) == checkpoints.diff(ANN, "now", "now")


def test_going_back_twice_changes_nothing_more_and_undoing_twice_redoes():
    add(made(1, "ann"))
    checkpoints.create(ANN, "monday")
    add(made(2, "ann"))
    checkpoints.roll_back(ANN, "monday")
    again = checkpoints.roll_back(ANN, "monday")
    assert (0, 0) == (again.restored, again.retracted)
    back = rows("ann")

    checkpoints.undo(ANN)
    checkpoints.undo(ANN)

    assert back == rows("ann")


def test_another_users_checkpoint_is_as_unknown_as_one_that_is_not_there():
    add(made(1, "ann"))
    made_by_ann = checkpoints.create(ANN, "monday")

    said = []
    for name in (made_by_ann.key, "monday", "nothing"):
        for act in (checkpoints.roll_back, checkpoints.delete, checkpoints.diff):
            with pytest.raises(NotFound) as refused:
                act(BEN, name)
            said.append(str(refused.value).replace(repr(name), "NAME"))
    assert 1 == len(set(said))
    assert [] == checkpoints.checkpoints(BEN)
    assert "monday" == checkpoints.create(BEN, "monday").name
    with pytest.raises(NotFound, match="nothing to undo"):
        checkpoints.undo(BEN)


@pytest.mark.parametrize("name", ["", "  ", "now", "k-" + "0" * 20, "x" * 201, "two\nlines", "\0"])
def test_a_name_that_cannot_be_told_apart_is_refused(name):
    with pytest.raises(BadInput):
        checkpoints.create(ANN, name)
    assert [] == checkpoints.checkpoints(ANN)


def test_a_name_is_used_once_in_a_project_and_kept_without_secrets():
    checkpoints.create(ANN, "monday")
    with pytest.raises(BadInput, match="already"):
        checkpoints.create(ANN, " monday ")
    checkpoints.create(SHOP, "monday")
    checkpoints.create(Asker("ann", "mail"), "tuesday")
    checkpoints.create(SHOP, "tuesday")
    with pytest.raises(BadInput, match="names 2 checkpoints"):
        checkpoints.diff(ANN, "tuesday")
    assert None is checkpoints.find(ANN, "monday").project
    assert "shop" == checkpoints.find(SHOP, "monday").project

    secret = "ghp_" + "a1B2" * 9
    stored = checkpoints.create(ANN, secret)

    assert secret not in stored.name
    assert stored == checkpoints.find(ANN, secret)


def test_a_full_shelf_refuses_and_evicts_nothing(monkeypatch):
    monkeypatch.setattr(checkpoints, "MOST_CHECKPOINTS", 2)
    checkpoints.create(ANN, "one")
    checkpoints.create(SHOP, "two")

    for act in (checkpoints.create, checkpoints.roll_back):
        with pytest.raises(CapacityReached, match="Delete some"):
            act(ANN, "one")

    assert ["two", "one"] == [c.name for c in checkpoints.checkpoints(ANN)]
    checkpoints.delete(ANN, "two")
    checkpoints.create(BEN, "one")
    checkpoints.roll_back(ANN, "one")


def test_a_deleted_checkpoint_is_gone_with_its_snapshot():
    one = checkpoints.create(ANN, "one")
    assert {one.snapshot} == kept_names()

    checkpoints.delete(ANN, "one")

    assert set() == kept_names()
    assert [] == checkpoints.checkpoints(ANN)
    with pytest.raises(NotFound):
        checkpoints.roll_back(ANN, "one")
    assert "one" == checkpoints.create(ANN, "one").name


@pytest.mark.parametrize("state", ["making", "dropping", "begun"])
def test_what_was_cut_off_before_or_behind_its_snapshot_is_cleared(state):
    one = checkpoints.create(ANN, "one")
    snapshots.drop(one.snapshot)
    journal.move(one, state)

    assert 1 == checkpoints.finish_begun()

    assert [] == checkpoints.checkpoints(ANN)
    assert 0 == checkpoints.finish_begun()


def test_what_cannot_be_finished_stops_nobody_else(monkeypatch, caplog):
    add(made(1, "ann"), made(2, "ben"))
    monday = checkpoints.create(ANN, "monday")
    change(replace(made(1, "ann"), service="till"))

    def fails(*_):
        raise StoreFailed("The disk is full.")

    with monkeypatch.context() as broken:
        broken.setattr(snapshots, "put_back", fails)
        with pytest.raises(StoreFailed):
            checkpoints.roll_back(ANN, "monday")
        assert 0 == checkpoints.finish_begun()
        assert "could not be finished: The disk is full." in caplog.text
        assert "monday" == checkpoints.create(BEN, "monday").name
        with pytest.raises(StoreFailed):
            checkpoints.create(ANN, "tuesday")

    assert 1 == checkpoints.finish_begun()
    assert None is rows("ann")["m-ann-1"].service
    assert monday.key == checkpoints.checkpoints(ANN)[0].goes_to


KILLED = """
import os, signal
from knowwhy.config import Settings
from knowwhy.tables.connect import connect
connect(Settings.from_environ())
from knowwhy.grounding import checkpoints
from knowwhy.tables.kept import memories, memory_changes, snapshots
from knowwhy.types import Asker
snapshots.WRITTEN_AT_ONCE = 7
journal = checkpoints.journal
places = {"take": snapshots, "note": memory_changes, "update": memories, "move": journal}
name, after = os.environ["KILLED_IN"].split(":")
real, calls = getattr(places[name], name), []
def counted(*given, **more):
    if len(calls) == int(after):
        os.kill(os.getpid(), signal.SIGKILL)
    calls.append(name)
    return real(*given, **more)
setattr(places[name], name, counted)
checkpoints.roll_back(Asker("ann"), "monday")
"""


def kill_in(place):
    environ = {**os.environ, "KILLED_IN": place}
    ran = subprocess.run(
        [sys.executable, "-c", KILLED], env=environ, capture_output=True, text=True
    )
    assert -signal.SIGKILL == ran.returncode, ran.stderr


@pytest.mark.slow
@pytest.mark.parametrize("place", ["take:0", "update:0", "note:1", "update:2", "move:0"])
def test_a_way_back_that_is_killed_is_finished_by_the_next_start(knowwhy, place):
    chance = random.Random(7)
    write_at_random(chance, ["ann"], 15, first=0)
    checkpoints.create(ANN, "monday")
    earlier, told = rows("ann"), answers("ann")
    write_at_random(chance, ["ann"], 40, first=1_000)
    later = rows("ann")

    kill_in(place)
    assert 0 == knowwhy("checkpoint", "list", "--user", "ann").code

    now = rows("ann")
    if place == "take:0":  # it had kept nothing to go back by, and so had not begun
        assert later == now
        assert {"monday"} == {c.name for c in checkpoints.checkpoints(ANN)}
        return
    assert earlier == {key: row for key, row in now.items() if key in earlier}
    assert {"retracted"} == {row.status for key, row in now.items() if key not in earlier}
    assert told == answers("ann")
    for key, row in rows("ann", touched=True).items():
        assert row.touched_at == memories.changes_of(ANN, key)[-1].at
    checkpoints.undo(ANN)
    assert later == rows("ann")


@pytest.mark.slow
def test_what_is_written_after_a_kill_stays(store):
    add(*[made(number, "ann") for number in range(20)])
    checkpoints.create(ANN, "monday")
    change(*[replace(row, service="till") for row in rows("ann").values()])
    kill_in("update:1")
    untouched = next(row for row in rows("ann").values() if row.service == "till")
    change(replace(untouched, service="desk"))
    add(made(99, "ann"))

    checkpoints.finish_begun()

    now = rows("ann")
    assert "desk" == now[untouched.key].service
    assert "active" == now["m-ann-99"].status
    assert 20 == sum(row.service is None for row in now.values())
