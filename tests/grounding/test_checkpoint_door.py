"""Checkpoints at the command line."""

import json
from dataclasses import replace

import pytest
from states import add, change, made, rows

ANN = ("--user", "ann")


@pytest.fixture
def checkpoint(knowwhy):
    def call(*arguments):
        return knowwhy("checkpoint", *arguments)

    return call


def told(ran):
    assert 0 == ran.code, ran.err
    return json.loads(ran.out)


def test_a_day_with_checkpoints(checkpoint):
    add(made(1, "ann", content="mail goes by resend"), made(2, "ben"))
    assert checkpoint("create", "monday", *ANN).out.startswith("Kept as k-")
    change(replace(made(1, "ann", content="mail goes by resend"), status="superseded"))
    add(made(3, "ann", content="mail goes by bento"))

    shown = checkpoint("diff", "monday", *ANN).out
    assert "1 added, 1 changed, 0 retracted" in shown
    assert "~ m-ann-1 (fact) mail goes by resend\n    status: active → superseded" in shown
    dry = checkpoint("rollback", "monday", "--dry-run", *ANN).out
    assert f"This would be taken back:\n{shown}" == dry
    assert "active" == rows("ann")["m-ann-3"].status

    back = checkpoint("rollback", "monday", *ANN).out
    assert "Back at monday: 1 restored, 1 retracted." in back
    assert {"m-ann-1": "active", "m-ann-3": "retracted"} == statuses()
    assert 0 == checkpoint("undo", *ANN).code
    assert {"m-ann-1": "superseded", "m-ann-3": "active"} == statuses()
    assert "Deleted the checkpoint monday." in checkpoint("delete", "monday", *ANN).out
    listed = checkpoint("list", *ANN).out
    assert "before 'monday'" in listed
    assert "  monday" not in listed


def test_going_back_again_says_beforehand_and_then_how_much_was_told_meanwhile(checkpoint):
    add(made(1, "ann"))
    checkpoint("create", "monday", *ANN)
    add(made(2, "ann"))
    checkpoint("rollback", "monday", *ANN)
    add(made(3, "ann", content="the lift stands still"))

    dry = checkpoint("undo", "--dry-run", *ANN).out
    assert "This would be taken back, 1 of it told after the rollback:" in dry
    assert "+ m-ann-3 (fact) the lift stands still" in dry
    assert {"m-ann-1": "active", "m-ann-2": "retracted", "m-ann-3": "active"} == statuses()
    as_json = told(checkpoint("undo", "--dry-run", *ANN, "--json"))
    assert ["m-ann-3"] == [one["key"] for one in as_json["added"]]

    done = checkpoint("undo", *ANN).out
    assert "1 restored, 1 retracted (1 of them told after the rollback)." in done
    assert {"m-ann-1": "active", "m-ann-2": "active", "m-ann-3": "retracted"} == statuses()
    assert 0 == told(checkpoint("undo", *ANN, "--json"))["told_since"]


def statuses():
    return {key: memory.status for key, memory in rows("ann").items()}


def test_programs_read_the_same_as_json(checkpoint):
    add(made(1, "ann"))
    kept = told(checkpoint("create", "monday", *ANN, "--project", "shop", "--json"))
    change(replace(made(1, "ann"), service="till"))

    assert [kept] == told(checkpoint("list", *ANN, "--json"))
    assert {"key", "name", "at", "user", "project", "went_to"} == set(kept)
    found = told(checkpoint("diff", "monday", *ANN, "--project", "shop", "--json"))
    assert ([], []) == (found["added"], found["retracted"])
    (changed,) = found["changed"]
    assert ({"service": None}, {"service": "till"}) == (changed["before"], changed["after"])
    assert found == told(checkpoint("rollback", kept["key"], "--dry-run", *ANN, "--json"))
    went = told(checkpoint("rollback", kept["key"], *ANN, "--json"))
    assert (kept, 1, 0) == (went["to"], went["restored"], went["retracted"])
    assert kept["key"] == went["left"]["went_to"]
    assert went["left"] == told(checkpoint("undo", *ANN, "--json"))["to"]
    assert kept == told(checkpoint("delete", kept["key"], *ANN, "--json"))


def test_another_user_is_told_what_one_is_told_of_nothing(checkpoint):
    checkpoint("create", "monday", *ANN)
    for command in ("rollback", "delete", "diff"):
        theirs = checkpoint(command, "monday", "--user", "ben")
        nobodys = checkpoint(command, "mondax", "--user", "ben")
        assert (1, "") == (theirs.code, theirs.out)
        assert theirs.err == nobodys.err.replace("mondax", "monday")
    assert "No checkpoints" in checkpoint("list", "--user", "ben").out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("create", "now"), "cannot be called 'now'"),
        (("create", "x" * 201), "at most 200 characters"),
        (("rollback", "nothing"), "You have no checkpoint 'nothing'."),
        (("undo",), "You have not rolled back; there is nothing to undo."),
        (("list", "--everybody"), "Say whose memories"),
    ],
)
def test_what_cannot_be_done_is_said_on_one_line(checkpoint, arguments, says):
    ran = checkpoint(*arguments)

    assert 1 == ran.code
    assert says in ran.err
    assert 1 == len(ran.err.splitlines())


def test_what_was_told_at_the_door_goes_back_and_on(knowwhy, checkpoint):
    shop = (*ANN, "--project", "shop")
    first = told(knowwhy("remember", "I prefer tabs over spaces in Go files.", *shop, "--json"))
    knowwhy("remember", "I prefer dark themes in every editor.", "--user", "ben")
    checkpoint("create", "monday", *shop)
    earlier = listed(knowwhy, shop)
    told(knowwhy("update", first["key"], "I prefer spaces over tabs in Go files.", *shop, "--json"))
    told(knowwhy("remember", "I prefer short commit subjects.", *shop, "--json"))
    later, theirs = listed(knowwhy, shop), knowwhy("memories", "--user", "ben", "--json").out
    assert 1 == len(earlier)
    assert 2 == len(later)

    assert 0 == checkpoint("rollback", "monday", *shop).code
    assert earlier == listed(knowwhy, shop)
    assert 0 == checkpoint("undo", *shop).code

    assert later == listed(knowwhy, shop)
    assert theirs == knowwhy("memories", "--user", "ben", "--json").out


def listed(knowwhy, who):
    found = told(knowwhy("memories", *who, "--json"))
    return [{name: memory[name] for name in memory if name != "touched_at"} for memory in found]
