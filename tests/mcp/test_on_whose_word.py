"""Who has approved something: a person where one was asked, else an assistant or a command."""

import asyncio
import json
import os
import pty
import subprocess
import sys
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial

import mcp_types as types
import pytest
from mcp.shared.exceptions import MCPError
from wire import environment, over_http, over_stdio, serving

from knowwhy.errors import NotAgreed
from knowwhy.grounding import review
from knowwhy.grounding.steps import alone
from knowwhy.mcp.toolbox.registry import Asked
from knowwhy.tables.agents import bearers
from knowwhy.tables.kept import memories
from knowwhy.tables.write import put_turns
from knowwhy.types import Asker, Change, Hand, Turn

GUESSES = (
    "The billing worker drains its queue nightly.",
    "The search page renders on the server.",
    "Invoices are archived after ninety days.",
    "The label printer restarts after each jam.",
)
LEGACY, MODERN = "legacy", "2026-07-28"


class Person:
    """Somebody in front of a client, who answers each question in the same way."""

    def __init__(self, action, meanwhile=None):
        self.action, self.meanwhile, self.asked = action, meanwhile, []

    async def __call__(self, context, params):
        self.asked.append(params.message)
        if self.meanwhile:
            await asyncio.to_thread(self.meanwhile)
        if self.action == "fails":
            return types.ErrorData(code=-32603, message="No window is open.")
        return types.ElicitResult(action=self.action)


@contextmanager
def in_front(person, mode, door="stdio"):
    """Gives a client with somebody in front of it, or with nobody."""
    how = {"mode": mode, "elicitation_callback": person}
    if door == "stdio":
        with over_stdio("--user", "ann", "--profile", "all", **how) as client:
            yield client
        return
    token, _ = bearers.add("ann")
    with serving("--profile", "all") as url, over_http(url, token, **how) as client:
        yield client


def waits(client, text=GUESSES[0]):
    kept = client.ok("remember", text=text).data
    assert "pending" == kept["status"]
    return kept["key"]


def of(client, key):
    return client.ok("get", key=key).data


@pytest.mark.parametrize("door", ["stdio", "http"])
@pytest.mark.parametrize("mode", [LEGACY, MODERN])
def test_a_person_who_agrees_has_checked_it(store, mode, door):
    person = Person("accept")
    with in_front(person, mode, door) as client:
        first, second, third = (waits(client, text) for text in GUESSES[:3])
        client.ok("approve_pending_memory", keys=[first, second])
        client.ok("review_pending", action="correct", keys=[third], text="They are kept a year.")
        kept = [of(client, key) for key in (first, second)]
        told = client.ok("why", key=first).text
        (right,) = client.ok("list_memories", statuses=["active"], limit=1).data["memories"]

    assert [("ann", "person")] * 2 == [(m["verified_by"], m["verified_via"]) for m in kept]
    assert ("They are kept a year.", "person") == (right["text"], right["verified_via"])
    assert "A person has approved it." == kept[0]["why"]
    assert "verified by ann" in told
    assert all(text in person.asked[0] for text in GUESSES[:2])
    assert GUESSES[2] in person.asked[1]
    assert "They are kept a year." in person.asked[1]
    assert 2 == len(person.asked)


@pytest.mark.parametrize("mode", [LEGACY, MODERN])
@pytest.mark.parametrize("action", ["decline", "cancel", "fails"])
def test_what_a_person_does_not_agree_to_goes_on_waiting(store, mode, action):
    person = Person(action)
    with in_front(person, mode) as client:
        key = waits(client)
        said = []
        for tool, given in (
            ("approve_pending_memory", {"keys": [key]}),
            ("reject_pending_memory", {"keys": [key], "why": "Wrong."}),
            ("correct_pending_memory", {"key": key, "text": "It drains hourly."}),
            ("review_pending", {"action": "approve", "keys": [key]}),
        ):
            with suppress(MCPError):  # this client ends the call itself where it cannot ask
                said.append(client.fails(tool, **given))
                said.append(client.fails("run_tool", name=tool, arguments=given))
        listed = client.ok("get_pending_memories").data["memories"]
        assert "claims wait" in client.ok("review_pending").text

    assert [(key, "pending")] == [(m["key"], m["status"]) for m in listed]
    assert all("nothing was changed" in one for one in said)
    assert person.asked


def test_who_agrees_to_one_call_has_not_agreed_to_those_beside_it(store):
    person = Person("accept")
    with in_front(person, LEGACY) as client:
        key, other = waits(client), waits(client, GUESSES[1])
        one, two = (
            {"name": "approve_pending_memory", "arguments": {"keys": [k]}} for k in (key, other)
        )
        many = {"name": "review_pending", "arguments": {"action": "approve", "keys": [key] * 11}}
        said = {"name": "remember", "arguments": {"text": "I like oak.", "said_by": "user"}}
        for calls in ([one, said], [one, two], [one, many], [{"name": "statistics"}, one]):
            told = client.fails("run_tools", calls=calls)
            client.fails("run_tool", name="run_tools", arguments={"calls": calls})
        listing = client.ok("run_tools", calls=[{"name": "review_pending"}, said]).data["results"]
        assert ["pending"] * 2 == [of(client, one)["status"] for one in (key, other)]
        client.ok("run_tool", **one)
        judged = of(client, key)

    assert "by itself" in told
    assert "assistant" == listing[1]["data"]["verified_via"]
    assert ("person", [1]) == (judged["verified_via"], [len(person.asked)])


def test_nobody_agrees_to_what_they_cannot_read(store):
    person = Person("accept")
    with in_front(person, LEGACY) as client:
        said = client.fails("approve_pending_memory", keys=[f"m-{n:020x}" for n in range(11)])
        none = client.fails("approve_pending_memory", keys=[f"m-{1:020x}"])
        hidden = waits(client, "The gate\u200b opens\n- Shall this be kept? Yes.")
        client.ok("approve_pending_memory", keys=[hidden])

    assert "at most 10 claims" in said
    assert "You have no memory" in none
    (asked,) = person.asked
    assert "\u200b" not in asked
    assert 2 == len(asked.splitlines())


@pytest.mark.parametrize("mode", [LEGACY, MODERN])
def test_a_person_is_asked_about_every_claim_that_is_judged_or_about_none(store, mode):
    person = Person("accept")
    with in_front(person, mode) as client:
        key, settled = waits(client), waits(client, GUESSES[1])
        client.ok("reject_pending_memory", keys=[settled], why="Wrong.")
        person.asked.clear()
        coming = f"m-{5:020x}"  # a claim that may be made while the person reads
        for tool, more in (
            ("approve_pending_memory", {}),
            ("reject_pending_memory", {"why": "Wrong."}),
            ("review_pending", {"action": "approve"}),
            ("review_pending", {"action": "reject", "why": "Wrong."}),
        ):
            unknown = client.fails(tool, keys=[key, coming], **more)
            judged = client.fails(tool, keys=[settled, key], **more)
            assert "You have no memory" in unknown
            assert "does not wait for review" in judged
        stands = of(client, key)["status"]

    assert ([], "pending") == (person.asked, stands)


@pytest.mark.parametrize("mode", [LEGACY, MODERN])
@pytest.mark.parametrize(
    ("tool", "more"),
    [
        ("approve_pending_memory", {}),
        ("reject_pending_memory", {"why": "Wrong."}),
        ("review_pending", {"action": "correct", "text": "It drains hourly."}),
    ],
)
def test_a_yes_is_for_the_claims_as_they_were_shown(store, mode, tool, more):
    keys = []

    def rewrite():
        now = datetime.now(UTC)
        claim = memories.memory(Asker("ann"), keys[0], now=now)
        later = replace(claim, content="The billing worker skips its queue nightly.")
        with alone():
            memories.update([later], [Change(claim.key, "rewritten")])
        person.meanwhile = None

    person = Person("accept", rewrite)
    with in_front(person, mode) as client:
        keys += [waits(client), waits(client, GUESSES[1])][: 1 if "text" in more else 2]
        if mode == LEGACY:
            assert "changed while the person was asked" in client.fails(tool, keys=keys, **more)
            stands = [of(client, key)["status"] for key in keys]
            assert ["pending"] * len(keys) == stands
        client.ok(tool, keys=keys, **more)

    assert 2 == len(person.asked)
    assert "skips its queue" in person.asked[1]


def test_what_a_person_was_not_shown_is_not_judged_on_their_word(store):
    with in_front(None, LEGACY) as client:
        key = waits(client)
    claim = memories.memory(Asker("ann"), key)
    before = frozenset({(key, claim.touched_at - timedelta(seconds=1))})
    told = {"now": datetime.now(UTC), "hand": Hand(via="person", seen=before)}
    ann = Asker("ann")
    for judge in (
        partial(review.approve, ann, key, embedder="wordhash", **told),
        partial(review.correct, ann, key, "It drains hourly.", embedder="wordhash", **told),
        partial(review.reject, ann, key, "Wrong.", **told),
    ):
        with pytest.raises(NotAgreed, match="not as the person was shown it"):
            judge()

    assert claim == memories.memory(ann, key)


def test_an_answer_belongs_to_the_call_that_it_was_asked_for(store):
    from knowwhy.mcp.asking import _digest

    asked = Asked("Shall this be kept?", frozenset({("m-1", datetime(2026, 1, 1, tzinfo=UTC))}))
    later = replace(asked, seen=frozenset({("m-1", datetime(2026, 1, 2, tzinfo=UTC))}))
    calls = [
        types.CallToolRequestParams(name=name, arguments={"keys": keys})
        for name in ("approve_pending_memory", "run_tool")
        for keys in (["m-1"], ["m-1", "m-2"])
    ]

    assert 5 == len({*(_digest(call, asked) for call in calls), _digest(calls[0], later)})


@pytest.mark.parametrize("mode", [LEGACY, MODERN])
def test_a_person_reads_for_whom_a_claim_holds_and_what_it_takes_the_place_of(store, mode):
    person = Person("accept")
    place = {"scope": "project", "persona": 'a"}: forged'}
    with in_front(person, mode) as client:
        rule = client.ok(
            "create_memory",
            subject="Small commits",
            body="Keep commits small, they are read by people.",
            memorule_kind="convention",
            applies_to=place,
            certainty="inferred",
        ).data
        old = client.ok("remember", text="I prefer oak to iron.", said_by="user").data
        new = client.ok("update_memory", key=old["key"], value="I prefer ash to iron.",
                        said_by="assistant").data  # fmt: skip
        assert ["pending", "active", "pending"] == [one["status"] for one in (rule, old, new)]
        client.ok("approve_pending_memory", keys=[rule["key"], new["key"]])
        gone = of(client, old["key"])["status"]

    told = json.dumps(place, sort_keys=True)
    _, first, second, third = person.asked[0].splitlines()
    assert f"- {rule['key']} · memorule (convention) · of ann" in first
    assert f"applies to {told}: Small commits: Keep" in first
    whose = f"preference · of ann · project {json.dumps(new['project'])}"
    assert f"- {new['key']} · {whose}: I prefer ash to iron." == second
    assert f"  It takes the place of {old['key']} · {whose}: I prefer oak" in third
    assert "superseded" == gone


@pytest.mark.parametrize("mode", [LEGACY, MODERN])
def test_an_assistants_approval_is_called_that_everywhere(store, knowwhy, mode):
    with in_front(None, mode) as client:
        first, second, third = (waits(client, text) for text in GUESSES[:3])
        client.ok("approve_pending_memory", keys=[first])
        client.ok("reject_pending_memory", keys=[second], why="Wrong.")
        client.ok("correct_pending_memory", key=third, text="They are archived after a year.")
        kept = of(client, first)
        texts = [
            client.ok("why", key=first).text,
            client.ok("get", key=first).text,
            client.ok("list_memories").text,
            client.ok("recall", query="How does the billing worker drain its queue?").text,
            client.ok("get_memory_provenance", key=first).text,
            client.ok("get_review_history").text,
        ]
    (shown,) = [
        memory
        for memory in json.loads(knowwhy("memories", "--user", "ann", "--json").out)
        if memory["key"] == first
    ]
    printed = knowwhy("provenance", first, "--user", "ann").out

    assert ("active", "assistant") == (kept["status"], kept["verified_via"])
    assert {"verified_by", "verified_at"} & kept.keys() == set()
    assert "An assistant has approved it" in kept["why"]
    assert (None, None, "assistant") == tuple(
        shown[name] for name in ("verified_by", "verified_at", "verified_via")
    )
    for text in texts:
        assert "an assistant's word" in text, text
        assert "verified by" not in text
    assert "on an assistant's word" in printed
    assert "verified_via    assistant" in printed


def test_what_an_assistant_says_that_its_user_says_is_its_word(store):
    rule = {"subject": "Small commits", "body": "Keep commits small, they are read by people."}
    with in_front(Person("accept"), LEGACY) as client:
        said = client.ok("remember", text="I prefer oak to iron.", said_by="user").data
        own = client.ok("remember", text="The gates are red (ADR-9).").data
        asserted = client.ok(
            "create_memory", **rule, applies_to={"scope": "project"}, certainty="asserted"
        ).data
        anew = client.ok(
            "update_memory", key=said["key"], value="I prefer ash to iron.", said_by="user"
        ).data
        told = client.ok("recall", query="Which wood do I prefer?").text

    assert ["assistant"] * 3 == [one["verified_via"] for one in (said, asserted, anew)]
    assert "verified_via" not in own
    assert all("verified_by" not in one for one in (said, own, asserted, anew))
    assert "not verified, on an assistant's word" in told


def test_a_night_takes_no_assistants_word_for_a_persons(store):
    from datetime import UTC, datetime

    from knowwhy.janitor.contradictions import _stands_firm
    from knowwhy.retrieval.fading import _floor
    from knowwhy.tables.kept.memories import memory
    from knowwhy.types import Asker

    kept = []
    for person in (Person("accept"), None):
        with in_front(person, LEGACY) as client:
            key = waits(client, GUESSES[len(kept)])
            client.ok("approve_pending_memory", keys=[key])
            kept.append(memory(Asker("ann"), key, now=datetime.now(UTC)))

    assert [True, False] == [_stands_firm(one) for one in kept]
    assert _floor(kept[0]) > _floor(kept[1])


def typed(*arguments):
    """Runs a command as at a terminal: its input is one."""
    ours, theirs = pty.openpty()
    try:
        command = [sys.executable, "-m", "knowwhy", *arguments]
        ran = subprocess.run(
            command, stdin=theirs, env=environment(), capture_output=True, text=True, check=True
        )
    finally:
        os.close(ours)
        os.close(theirs)
    return ran.stdout


def test_a_command_is_a_persons_word_only_where_it_was_typed(store, knowwhy):
    said = ("remember", "--user", "ann", "--json", "--said-by", "assistant")
    keys = [json.loads(knowwhy(*said, text).out)["key"] for text in GUESSES]
    typed("review", "approve", keys[0], "--user", "ann")
    knowwhy("review", "approve", keys[1], "--user", "ann")
    typed("review", "correct", keys[2], "Invoices are archived after a year.", "--user", "ann")
    knowwhy("review", "correct", keys[3], "The printer restarts after a jam.", "--user", "ann")
    found = json.loads(knowwhy("memories", "--user", "ann", "--json").out)
    told = {m["text"]: (m["verified_by"], m["verified_via"]) for m in found}
    changes = knowwhy("review", "history", "--user", "ann").out
    hits = knowwhy("recall", "How does the search page render?", "--user", "ann").out

    assert {
        GUESSES[0]: ("ann", "person"),
        GUESSES[1]: (None, "command"),
        "Invoices are archived after a year.": ("ann", "person"),
        "The printer restarts after a jam.": (None, "command"),
    } == told
    assert "on the word of a command" in changes
    assert "not verified, on the word of a command" in hits


def test_what_is_learned_from_a_message_is_the_word_of_who_told_it(store, knowwhy):
    with in_front(Person("accept"), LEGACY) as client:
        client.ok("add_turn", text="We decided to use Kafka 3 because of replay.", session="s1")
        client.ok("add_turn", text="I prefer tabs over spaces.", role="user", session="s2")
    knowwhy("say", "--user", "ann", "--session", "s3", "We deploy the shop on Fridays.")
    typed("say", "--user", "ann", "--session", "s4", "We decided to keep invoices in Postgres.")
    text = "We decided to write the gateway in Go because of its size."
    put_turns([Turn("chat-1", "ann", None, "s5", "user", None, text, None, datetime.now(UTC))])
    knowwhy("extract")
    found = json.loads(knowwhy("memories", "--user", "ann", "--json").out)
    told = {m["text"]: (m["verified_by"], m["verified_via"], m["said_by"]) for m in found}
    hits = knowwhy("recall", "Which Kafka did we decide to use?", "--user", "ann").out

    assert {
        "We decided to use Kafka 3 because of replay.": (None, "assistant", "user"),
        "I prefer tabs over spaces.": (None, "assistant", "user"),
        "We deploy the shop on Fridays.": (None, "command", "user"),
        "We decided to keep invoices in Postgres.": (None, "person", "user"),
        text: (None, None, "user"),
    } == told
    assert "on an assistant's word" in hits
