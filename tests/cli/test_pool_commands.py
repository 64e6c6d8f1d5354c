"""Pools of two owners at the command line: every act, and what the others see of it."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from knowwhy import models
from knowwhy.tables.kept import memories
from knowwhy.tables.write import queue
from knowwhy.types import Change, Memory

WILMA, BOB, EVE = (("--user", name, "--project", "shop") for name in ("wilma", "bob", "eve"))
TEXT = "The ledger was put into Postgres because its audits need transactions (ADR-3)."
QUESTION = "Why was the ledger put into Postgres?"


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
    """Gives the ids of an agent of Wilma's and one of Bob's."""
    return [
        told("agents", "register", name, "--type", "human", *who)["agent"]
        for name, who in (("Planner", WILMA), ("Coder", BOB))
    ]


@pytest.fixture
def lent(told, crew):
    """Gives a pool of both agents and a memory of Wilma's that it lends."""
    planner, coder = crew
    pool = told("pools", "create", "Payments", "--agent", planner, *WILMA)["pool"]
    told("pools", "invite", pool, coder, "--agent", planner, *WILMA)
    told("pools", "join", pool, "--agent", coder, *BOB)
    key = told("remember", TEXT, "--said-by", "user", *WILMA)["key"]
    told("pools", "share", pool, key, "--agent", planner, *WILMA)
    return pool, key


def keys(answer):
    return [hit["key"] for hit in answer["hits"]]


def test_a_member_finds_what_a_pool_lends_and_a_stranger_does_not(knowwhy, told, crew, lent):
    pool, key = lent
    coder = crew[1]
    in_it = ("search", QUESTION, "--pool", pool)

    assert [key] == keys(told("search", QUESTION, *BOB))
    assert [key] == keys(told(*in_it, *BOB))
    assert [key] == keys(told("pools", "query", QUESTION, "--agent", coder, *BOB))
    assert [key] == keys(told("pools", "query", QUESTION, "--pool", pool, "--agent", coder, *BOB))
    assert [] == keys(told("search", QUESTION, *EVE))
    stranger = knowwhy(*in_it, *EVE)
    nobody = knowwhy("search", QUESTION, "--pool", f"p-{'0' * 32}", *EVE)
    assert (1, "", nobody.err) == (stranger.code, stranger.out, stranger.err)


def test_a_pool_goes_on_lending_what_the_night_finds_in_a_conversation_too(knowwhy, told, lent):
    _, key = lent
    at = datetime.now(UTC) - timedelta(hours=1)
    read = Memory(
        f"m-{7:020x}", "fact", TEXT, "wilma", "shop", "active", at, at, said_by="user",
        turn_key="t-1", fact_number=1,
    )  # fmt: skip
    models.prime([TEXT], "wordhash")
    with queue("memories"):
        memories.put([read], [Change(read.key, "added")])
    models.release([TEXT], "wordhash")
    before = memories.held([key])[key]

    (merge,) = told("nightly", "--only", "merge")["reports"]

    assert (before.kind, 1) == (read.kind, merge["done"])
    assert [key] == keys(told("search", QUESTION, *BOB))


def test_a_pool_and_its_members_are_listed_to_those_who_are_in_it(knowwhy, told, crew, lent):
    planner, coder = crew
    pool, _ = lent
    (seat,) = told("pools", "list", "--agent", coder, *BOB)
    members = knowwhy("pools", "members", pool, "--agent", coder, *BOB).out.splitlines()

    assert ("Payments", "team", "read", "member", 2, 1) == tuple(
        seat[name] for name in ("name", "scope", "permission", "state", "members", "shared")
    )
    assert (
        f"{pool}  team  member  admin" in knowwhy("pools", "list", "--agent", planner, *WILMA).out
    )
    assert [
        f"{planner}  member  admin  human  Planner",
        f"{coder}  member  read  human  Coder",
    ] == (members)
    assert "wilma" not in "".join(members)


def test_what_an_agent_may_do_in_a_pool_is_changed_and_taken(knowwhy, told, crew, lent):
    planner, coder = crew
    pool, key = lent
    own = told("remember", "The till of gate 4 is counted at noon (ADR-4).", *BOB)
    sharing = ("pools", "share", pool, own["key"], "--agent", coder, *BOB)

    assert "may read in the pool, and this needs write" in knowwhy(*sharing).err
    told("pools", "permit", pool, coder, "write", "--agent", planner, *WILMA)
    assert own["key"] == told(*sharing)["key"]
    assert 0 == knowwhy("pools", "withdraw", pool, own["key"], "--agent", planner, *WILMA).code
    told("pools", "remove", pool, coder, "--agent", planner, *WILMA)
    assert key not in keys(told("search", QUESTION, *BOB))
    assert "no pool of that id" in knowwhy("pools", "join", pool, "--agent", coder, *BOB).err


@pytest.mark.parametrize("end", ["leave", "archive"])
def test_a_pool_lends_nothing_to_who_has_left_nor_after_its_end(knowwhy, told, crew, lent, end):
    planner, coder = crew
    acting = ("--agent", coder, *BOB) if end == "leave" else ("--agent", planner, *WILMA)

    told("pools", end, lent[0], *acting)

    assert [] == keys(told("search", QUESTION, *BOB))
    assert "in no pool" in knowwhy("pools", "list", "--agent", coder, *BOB).out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("create", "X", "--scope", "galaxy"), "The scope of a pool must be one of agent-private"),
        (("create", "X", "--scope", "global"), "wider than that agent may read"),
        (("invite", "p-1", "a-1", "--permission", "own"), "The permission must be one of read"),
        (("join", "p-1"), "no pool of that id"),
        (("share", "p-1", "m-1"), "no pool of that id"),
    ],
)
def test_what_is_wrong_with_an_act_is_said(knowwhy, crew, arguments, said):
    done = knowwhy("pools", *arguments, "--agent", crew[0], *WILMA)

    assert (1, True) == (done.code, said in done.err), done.err


def test_of_who_is_only_invited_another_owner_is_shown_the_id(knowwhy, told, crew):
    planner, coder = crew
    pool = told("pools", "create", "Payments", "--agent", planner, *WILMA)["pool"]
    told("pools", "invite", pool, coder, "--agent", planner, *WILMA)

    shown = knowwhy("pools", "members", pool, "--agent", planner, *WILMA).out

    assert f"{coder}  invited  read\n" in shown
    assert "Coder" not in shown


def test_an_agent_that_could_not_act_as_admin_is_not_invited_as_one(knowwhy, told, crew):
    planner, _ = crew
    reviewer = told("agents", "register", "R", "--type", "reviewer", *BOB)["agent"]
    pool = told("pools", "create", "Payments", "--agent", planner, *WILMA)["pool"]

    invited = ("pools", "invite", pool, reviewer, "--permission", "admin", "--agent", planner)
    refused = knowwhy(*invited, *WILMA)

    assert (1, True) == (refused.code, "An admin of a pool needs memory_write" in refused.err)
