"""Handoffs at the command line: from giving a task to its result, and what a stranger is told."""

import json

import pytest

from handing import SETTINGS, late
from knowwhy.maas import handoffs
from knowwhy.types import Asker

WILMA, BOB = (("--user", name, "--project", "shop") for name in ("wilma", "bob"))
TASK = "Move the ledger of gate 4."


@pytest.fixture
def told(knowwhy):
    """Runs a command for a program, and gives what it printed."""

    def call(*arguments):
        done = knowwhy(*arguments, "--json")
        assert (0, "") == (done.code, done.err)
        return json.loads(done.out)

    return call


@pytest.fixture
def crew(told):
    """Gives the acting options of an agent of Wilma's and one of Bob's, in one pool."""
    planner, coder = [
        told("agents", "register", name, "--type", "human", *who)["agent"]
        for name, who in (("Planner", WILMA), ("Coder", BOB))
    ]
    pool = told("pools", "create", "Payments", "--agent", planner, *WILMA)["pool"]
    told("pools", "invite", pool, coder, "--agent", planner, *WILMA)
    told("pools", "join", pool, "--agent", coder, *BOB)
    return ("--agent", planner, *WILMA), ("--agent", coder, *BOB)


def given(told, crew, *more):
    return told("handoffs", "give", crew[1][1], TASK, *more, *crew[0])


def test_a_task_is_taken_with_what_goes_with_it_and_its_result_comes_back(knowwhy, told, crew):
    planner, coder = crew
    text = "The till of gate 4 is counted at noon because of INC-4."
    key = told("remember", text, "--said-by", "user", *WILMA)["key"]
    one = given(told, crew, "--context", "Gate 4 is in hall 7.", "--memory", key, "--ttl", "30m")
    waiting = knowwhy("handoffs", "list", *coder)

    assert f"{one['handoff']}  pending  from Planner to Coder  {TASK}\n" == waiting.out
    taken = knowwhy("handoffs", "accept", one["handoff"], *coder)
    for words in (TASK, "Gate 4 is in hall 7.", text, "quoted data"):
        assert words in taken.out
    assert "wilma" not in taken.out
    assert "No such handoffs" in knowwhy("handoffs", "list", *coder).out
    told("handoffs", "complete", one["handoff"], "--result", "It is moved.", *coder)

    (sent,) = told("handoffs", "list", "--sent", *planner)
    assert ("completed", "It is moved.") == (sent["state"], sent["result"])
    assert "result: It is moved." in knowwhy("handoffs", "show", one["handoff"], *planner).out
    assert told("handoffs", "show", one["handoff"], *coder)["packed"] is None


@pytest.mark.parametrize(
    ("before", "step", "state"), [((), "reject", "rejected"), (("accept",), "fail", "failed")]
)
def test_a_task_that_is_not_done_says_why(knowwhy, told, crew, before, step, state):
    key = given(told, crew)["handoff"]
    for first in before:
        told("handoffs", first, key, *crew[1])

    assert state == told("handoffs", step, key, "--why", "No hands.", *crew[1])["state"]
    assert "why: No hands." in knowwhy("handoffs", "show", key, *crew[0]).out
    again = knowwhy("handoffs", "accept", key, *crew[1])
    assert (1, True) == (again.code, f"is {state}; from there nothing leads on" in again.err)


def test_what_nobody_took_in_its_time_has_expired(knowwhy, told, crew):
    key = given(told, crew)["handoff"]
    late(handoffs.look_up(Asker("wilma", "shop"), SETTINGS, crew[0][1], key))

    assert [key] == [
        one["handoff"] for one in told("handoffs", "list", "--state", "expired", *crew[1])
    ]
    assert "is expired; from there nothing" in knowwhy("handoffs", "accept", key, *crew[1]).err
    report = next(r for r in told("nightly", "--only", "expire")["reports"])
    assert "finished" in report


def test_of_a_handoff_that_is_not_ones_own_nothing_is_told(knowwhy, told, crew):
    key = given(told, crew)["handoff"]
    eve = ("--user", "eve", "--project", "shop")
    own = ("--agent", told("agents", "register", "Eve", "--type", "human", *eve)["agent"], *eve)

    for command in ("show", "accept", "reject", "complete", "fail"):
        nobodys = knowwhy("handoffs", command, f"h-{'0' * 32}", *own)
        stranger = knowwhy("handoffs", command, key, *own)
        assert (1, "", nobodys.err) == (stranger.code, stranger.out, stranger.err)
    assert "No agent of that id takes" in knowwhy("handoffs", "give", crew[1][1], TASK, *own).err


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--ttl", "soon"), "--ttl is 30m, 12h or 7d"),
        (("--ttl", "31d"), "from 1 minute to 30 days"),
        (("--memory", "m-none"), "You have no memory 'm-none'"),
        (("--record", "ADR-99"), "No record is called 'ADR-99'"),
    ],
)
def test_what_is_wrong_with_a_task_is_said(knowwhy, crew, more, said):
    done = knowwhy("handoffs", "give", crew[1][1], TASK, *more, *crew[0])

    assert (1, True) == (done.code, said in done.err), done.err
