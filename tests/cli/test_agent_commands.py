"""Agents and what they did, as a person and a program see it."""

import json
from contextlib import contextmanager

import pytest
import sqlalchemy as sql

from knowwhy.tables import direct

ANN, BOB = ("--user", "ann"), ("--user", "bob")


@pytest.fixture
def told(knowwhy):
    """Runs a command for a program, and gives what it printed."""

    def call(*arguments, code=0):
        done = knowwhy(*arguments, "--json")
        assert (code, "") == (done.code, done.err)
        return json.loads(done.out)

    return call


@pytest.fixture
def planner(told):
    """Gives the id of an agent of Ann's."""
    return told("agents", "register", "Planner", "--type", "orchestrator", *ANN)["agent"]


def test_an_agent_is_registered_shown_and_listed_to_its_owner(knowwhy, told, planner):
    shown = knowwhy("agents", "show", planner, *ANN)
    listed = knowwhy("agents", "list", *ANN)
    others = knowwhy("agents", "show", planner, *BOB)

    assert "orchestrator" in shown.out
    assert f"{planner}  active  orchestrator  team  Planner" in listed.out
    assert (1, "") == (others.code, others.out)
    assert "No agent of yours has that id" in others.err
    assert [] == told("agents", "list", *BOB)
    assert "No agents" in knowwhy("agents", "list", *BOB).out


def test_what_an_agent_may_do_is_said_by_its_owner(knowwhy, told):
    options = ("--type", "pipeline", "--can", "memory_read", "--can", "kb_search")
    made = told("agents", "register", "Night", *options, "--max-scope", "user", *ANN)
    wrong = knowwhy("agents", "register", "Night", "--type", "robot", *ANN)

    assert (["memory_read", "kb_search"], "user") == (made["capabilities"], made["max_scope"])
    assert (1, True) == (wrong.code, "must be one of human" in wrong.err)


def test_an_agent_begins_and_ends_its_work_and_is_deactivated(knowwhy, told, planner):
    session = knowwhy("agents", "start", planner, *ANN).out.strip()

    assert [session] == [
        one["session"] for one in told("agents", "show", planner, *ANN)["sessions"]
    ]
    assert session in knowwhy("agents", "show", planner, *ANN).out
    assert session == told("agents", "end", planner, session, *ANN)["session"]
    assert 1 == knowwhy("agents", "end", planner, session, *ANN).code
    assert f"Deactivated {planner}" in knowwhy("agents", "deactivate", planner, *ANN).out
    assert 1 == knowwhy("agents", "start", planner, *ANN).code
    assert "deactivated" in knowwhy("agents", "list", "--all", *ANN).out


def test_the_audit_shows_what_ones_own_agents_did(knowwhy, told, planner):
    told("agents", "register", "Hidden", "--type", "human", *BOB)
    knowwhy("agents", "start", planner, *ANN)
    knowwhy("agents", "end", planner, "s-none", *ANN)

    acts = told("audit", *ANN, "--since", "10m")[-3:]
    of_planner = knowwhy("audit", "--agent", planner, *ANN)
    others = knowwhy("audit", "--agent", planner, *BOB)

    assert [
        (None, "register_agent", planner, "done", None),
        (planner, "start_session", acts[1]["target"], "done", None),
        (planner, "end_session", None, "refused", "not_found"),
    ] == [(a["agent"], a["act"], a["target"], a["outcome"], a["reason"]) for a in acts]
    assert "refused (not_found)" in of_planner.out
    assert "register_agent" not in of_planner.out
    assert "No agent of yours" in others.err
    assert [] == told("audit", *ANN, "--since", "2999-01-01")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--since", "yesterday-ish"), "--since is a date"),
        (("--limit", "0"), "--limit must be from 1"),
        (("--verify", "--agent", "a-1"), "--verify reads all acts"),
    ],
)
def test_what_is_wrong_with_asking_for_the_audit_is_said(knowwhy, options, said):
    done = knowwhy("audit", *options)

    assert (1, True) == (done.code, said in done.err)


@contextmanager
def changed(number):
    """Changes a row behind the back of the store, and puts it back."""
    from pixeltable.env import Env

    name, columns = direct.columns_of("audit")
    change = sql.text(
        f"UPDATE {name} SET {columns['act']} = :act "
        f"WHERE {columns['number']} = :number AND {columns['act']} = :was"
    )
    there = ("register_agent", "look_away")
    for was, act in (there, there[::-1]):
        with Env.get().engine.begin() as connection:
            given = {"act": act, "was": was, "number": number}
            assert 1 == connection.execute(change, given).rowcount
        if was == there[0]:
            yield


def test_a_changed_row_of_the_audit_shows_and_is_the_exit_code(knowwhy, told, planner):
    whole = knowwhy("audit", "--verify")
    assert (0, True) == (whole.code, ": whole." in whole.out), whole.out
    number = told("audit", *ANN, "--limit", "1")[0]["number"]

    with changed(number):
        broken = knowwhy("audit", "--verify")
        assert (1, True) == (broken.code, f"Row {number} is not what was" in broken.out)
        assert not told("audit", "--verify", code=1)["is_whole"]

    assert {"acts": number, "is_whole": True, "faults": []} == told("audit", "--verify")


def test_an_agent_that_acts_too_often_is_told_to_wait(knowwhy, planner, monkeypatch):
    monkeypatch.setenv("KNOWWHY_ACTS_A_MINUTE", "2")
    codes = [knowwhy("agents", "start", planner, *ANN).code for _ in range(2)]
    third = knowwhy("agents", "start", planner, *ANN)

    assert ([0, 0], 1) == (codes, third.code)
    assert "2 times within a minute" in third.err


def test_who_tries_agents_that_are_not_theirs_too_often_is_told_to_wait(knowwhy, monkeypatch):
    monkeypatch.setenv("KNOWWHY_ACTS_A_MINUTE", "2")
    strangers = ("--user", "ursula")  # whom no other test refuses anything
    tried = [knowwhy("agents", "start", f"a-{n:032x}", *strangers) for n in range(5)]

    assert all("No agent of yours" in done.err for done in tried[:2])
    assert all("2 times within a minute" in done.err for done in tried[2:])
    noted = json.loads(knowwhy("audit", *strangers, "--json").out)
    assert ["not_found", "not_found", "too_many_acts"] == [act["reason"] for act in noted]


def test_a_name_that_hides_something_is_refused_and_one_of_joined_letters_is_not(knowwhy, told):
    name = "\U0001f469\u200d\U0001f4bb Ann's coder"

    assert name == told("agents", "register", name, "--type", "human", *ANN)["name"]
    refused = knowwhy("agents", "register", "Ann\u202e", "--type", "human", *ANN)
    assert (1, True) == (refused.code, "U+202E (RIGHT-TO-LEFT OVERRIDE)" in refused.err)


def test_an_agent_searches_what_its_capabilities_allow(knowwhy, told):
    knowwhy(
        "remember",
        "We chose Postgres because audits need it (ADR-3).",
        "--kind",
        "decision",
        "--said-by",
        "user",
        *ANN,
    )

    def found(*capabilities, sort="decisions"):
        may = [part for name in capabilities for part in ("--can", name)]
        made = told("agents", "register", "One", "--type", "service", *may, *ANN)["agent"]
        return knowwhy("agents", "search", made, sort, "Why Postgres?", "--json", *ANN)

    both, records_only = found("decision_read", "memory_read"), found("decision_read")
    neither = found("memory_read")

    assert ["decision"] == [hit["kind"] for hit in json.loads(both.out)["hits"]]
    assert [] == json.loads(records_only.out)["hits"]
    assert (1, True) == (neither.code, "lacks decision_read" in neither.err)
