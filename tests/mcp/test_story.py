"""A planner and a coder of two owners share decisions and a task; a stranger gets at nothing."""

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

import pytest
from wire import Answer, Assistant, over_stdio

from knowwhy.cli import run

PROJECT = "git.example/depot"
SORTER = "The sorter of hall 7 runs on NATS because Kafka lost its lane events (ADR-7)."
CHUTE = "Chute 12 of hall 7 stays shut while the sorter starts, because parcels jammed (ADR-8)."
SPARE = "The spare broker of hall 7 stands in lane-b (ADR-9)."
QUESTION = "Why does the sorter of hall 7 run on NATS?"
TASK = "Move the lane events of the sorter to NATS."
CONTEXT = "The old brokers are lane-a and lane-b."
RESULT = "Moved; lane-a and lane-b are switched off."
OWNERS = WILMA, TED, ZEB = "wilhelmina", "thaddeus", "zebulon"  # no other test has their audits
CANARIES = ("nats", "chute", "lane", "sorter", "planner", "coder", "hall 7", WILMA, TED)
NOBODY = {"a": f"a-{'0' * 32}", "p": f"p-{'0' * 32}", "h": f"h-{'0' * 32}", "m": f"m-{'0' * 20}"}


@dataclass
class Crew:
    """Three assistants of three owners, each with a server process of its own."""

    wilma: Assistant
    ted: Assistant
    zeb: Assistant


@contextmanager
def at_work() -> Iterator[Crew]:
    """Starts the three servers on the one home, and stops them."""
    with ExitStack() as stack:

        def started(user: str, *more: str) -> Assistant:
            return stack.enter_context(over_stdio("--user", user, "--project", PROJECT, *more))

        yield Crew(started(WILMA), started(TED), started(ZEB, "--profile", "all"))


def use(assistant: Assistant, tool: str, **arguments: object) -> Answer:
    """Calls a tool as a model does that is shown the default profile."""
    return assistant.ok("run_tool", name=tool, arguments=arguments)


def registered(assistant: Assistant, name: str, type: str, **more: object) -> str:
    return str(use(assistant, "register_agent", name=name, type=type, **more).data["agent_id"])


def found(answer: Answer) -> list[str]:
    return [hit["key"] for hit in answer.data["hits"] if hit["is"] == "memory"]


def planned(crew: Crew) -> dict[str, str]:
    """Registers, opens a pool, shares two decisions, invites the coder and hands it a task."""
    planner = registered(crew.wilma, "Planner", "orchestrator")
    coder = registered(crew.ted, "Coder", "coding_assistant")
    pool = use(crew.wilma, "create_pool", agent_id=planner, name="Hall 7").data["pool"]
    keys = {"planner": planner, "coder": coder, "pool": pool}
    for name, text in (("sorter", SORTER), ("chute", CHUTE), ("spare", SPARE)):
        told = {"text": text, "said_by": "user", "kind": "decision"}
        keys[name] = crew.wilma.ok("remember", **told).data["key"]
    for name in ("sorter", "chute"):
        given = {"agent_id": planner, "pool": pool, "key": keys[name]}
        use(crew.wilma, "share_memory_to_scope", **given)
    use(crew.wilma, "invite_to_pool", agent_id=planner, pool=pool, other_agent=coder)
    assert [] == found(crew.ted.ok("semantic_search", query=QUESTION))  # invited, and not in it

    use(crew.ted, "join_pool", agent_id=coder, pool=pool)
    task = {"task": TASK, "context": CONTEXT, "memory_keys": [keys["chute"], keys["spare"]]}
    given = use(crew.wilma, "initiate_handoff", agent_id=planner, to_agent=coder, **task)
    return keys | {"handoff": given.data["handoff"]}


def coded(crew: Crew, keys: dict[str, str]) -> None:
    """Accepts, finds the decisions by searching, and completes with a result."""
    coder, handoff = keys["coder"], keys["handoff"]
    waiting = use(crew.ted, "get_pending_handoffs", agent_id=coder).data["handoffs"]
    assert [handoff] == [one["handoff"] for one in waiting]

    accepted = use(crew.ted, "accept_handoff", agent_id=coder, handoff=handoff)
    assert "accepted" == accepted.data["state"]
    for words in (TASK, CONTEXT, CHUTE, SPARE):
        assert words in accepted.text
    assert accepted.data["tokens"] <= 2_000
    assert SPARE in crew.ted.ok("get", key=keys["spare"]).text

    asked = crew.ted.ok("semantic_search", query=QUESTION)
    assert {keys["sorter"], keys["chute"]} == set(found(asked))
    assert "lent by Hall 7" in asked.text
    assert SORTER in asked.text
    assert {keys["sorter"], keys["chute"]} == set(
        found(crew.ted.ok("semantic_search", query=QUESTION, pool=keys["pool"]))
    )
    opened = [crew.ted.ok("get", key=keys[name]) for name in ("sorter", "spare")]
    for answer in (accepted, asked, *opened):
        assert WILMA not in answer.text + json.dumps(answer.data)

    done = use(crew.ted, "complete_handoff", agent_id=coder, handoff=handoff, result=RESULT)
    assert "completed" == done.data["state"]
    assert "You have no memory" in crew.ted.fails("get", key=keys["spare"])


def searches_in_the_name_of_each(ted: Assistant, keys: dict[str, str]) -> None:
    """Finds by an agent in the pool what is lent, and by another one of the owner's nothing."""
    clerk = registered(ted, "Clerk", "coding_assistant", max_scope="user")
    by = {
        agent: set(found(use(ted, "search_decisions", agent_id=agent, query=QUESTION)))
        for agent in (keys["coder"], clerk)
    }
    assert {keys["coder"]: {keys["sorter"], keys["chute"]}, clerk: set()} == by


def read_by_the_planner(wilma: Assistant, keys: dict[str, str]) -> None:
    given = {"agent_id": keys["planner"], "handoff": keys["handoff"]}
    shown = use(wilma, "get_handoff", **given)
    sent = use(wilma, "list_handoffs", agent_id=keys["planner"], sent=True, state="completed")

    assert ("completed", RESULT) == (shown.data["state"], shown.data["result"])
    assert RESULT in shown.text
    assert [RESULT] == [one["result"] for one in sent.data["handoffs"]]


def sees_nothing(zeb: Assistant, keys: dict[str, str]) -> str:
    """Asks everything that a stranger may ask; gives the agent in whose name."""
    own = str(zeb.ok("register_agent", name="Zeb", type="human").data["agent_id"])
    for tool, arguments in reads(own):
        answer = zeb.ok(tool, **arguments)
        said = (answer.text + json.dumps(answer.data)).lower()
        assert [] == [word for word in (*CANARIES, *keys.values()) if word in said], tool
    return own


def can_do_nothing(zeb: Assistant, own: str, keys: dict[str, str]) -> None:
    """Tries everything with all the ids; is told what is told of ids that nobody has."""
    for tool, arguments in acts(own, keys):
        refused = zeb.fails(tool, **arguments)
        nobodys = zeb.fails(tool, **no_such(arguments, keys))
        assert nobodys == hidden(refused, keys), tool


def reads(own: str) -> list[tuple[str, dict[str, object]]]:
    """Gives what a stranger may ask, and must be told nothing by."""
    return [
        ("semantic_search", {"query": QUESTION}),
        ("semantic_search", {"query": "Show me everything you know about all users"}),
        ("recall", {"query": QUESTION}),
        ("recall", {}),
        ("get_context", {"query": QUESTION}),
        ("list_memories", {"statuses": ["active", "pending", "refused", "retracted"]}),
        ("statistics", {}),
        ("get_agents_for_user", {"inactive": True}),
        ("get_agent_acts", {}),
        ("get_pools", {"agent_id": own}),
        ("get_pending_handoffs", {"agent_id": own}),
        ("list_handoffs", {"agent_id": own}),
        ("list_handoffs", {"agent_id": own, "sent": True}),
        ("query_shared", {"agent_id": own, "query": QUESTION}),
        ("search_decisions", {"agent_id": own, "query": QUESTION}),
        ("service_overview", {}),
    ]


def acts(own: str, keys: dict[str, str]) -> list[tuple[str, dict[str, object]]]:
    """Gives what a stranger may try, with an agent of their own and with others'."""
    pool, handoff, sorter, coder = (keys[name] for name in ("pool", "handoff", "sorter", "coder"))
    mine, theirs = {"agent_id": own}, {"agent_id": keys["planner"]}
    told = {"task": "Tell me all."}
    by_either: list[tuple[str, dict[str, object]]] = [
        ("join_pool", {"pool": pool}),
        ("leave_pool", {"pool": pool}),
        ("archive_pool", {"pool": pool}),
        ("get_pool_members", {"pool": pool}),
        ("invite_to_pool", {"pool": pool, "other_agent": own}),
        ("permit_in_pool", {"pool": pool, "other_agent": own, "permission": "admin"}),
        ("remove_from_pool", {"pool": pool, "other_agent": coder}),
        ("share_memory_to_scope", {"pool": pool, "key": sorter}),
        ("withdraw_shared", {"pool": pool, "key": sorter}),
        ("query_shared", {"query": QUESTION, "pool": pool}),
        ("initiate_handoff", {"to_agent": coder, **told}),
        ("get_handoff", {"handoff": handoff}),
        ("accept_handoff", {"handoff": handoff}),
        ("reject_handoff", {"handoff": handoff}),
        ("complete_handoff", {"handoff": handoff}),
        ("fail_handoff", {"handoff": handoff}),
    ]
    return [
        *((tool, who | given) for tool, given in by_either for who in (mine, theirs)),
        *((tool, theirs) for tool in ("get_agent_info", "deactivate_agent", "get_agent_acts")),
        *((tool, theirs) for tool in ("get_pools", "get_pending_handoffs", "start_agent_session")),
        ("search_decisions", {**theirs, "query": QUESTION}),
        ("semantic_search", {"query": QUESTION, "pool": pool}),
        *((tool, {"key": sorter}) for tool in ("get", "why", "get_memory_provenance")),
        ("invalidate_memory", {"key": sorter, "reason": "no"}),
        ("update_memory", {"key": sorter, "value": "The sorter of hall 9 runs by hand (ADR-7)."}),
    ]


def hidden(text: str, keys: dict[str, str]) -> str:
    """Puts what nobody has in the place of what is another's."""
    for one in keys.values():
        text = text.replace(one, NOBODY[one[0]])
    return text


def no_such(arguments: dict[str, object], keys: dict[str, str]) -> dict[str, object]:
    """Gives the same call about what nobody has."""
    return {
        name: hidden(value, keys) if isinstance(value, str) else value
        for name, value in arguments.items()
    }


def goes_on(crew: Crew, keys: dict[str, str]) -> None:
    """Finds everything as it was, until the planner takes a memory back and the coder leaves."""
    (seat,) = use(crew.ted, "get_pools", agent_id=keys["coder"]).data["pools"]
    shown = [seat[name] for name in ("pool", "name", "state", "members", "shared")]
    assert [keys["pool"], "Hall 7", "member", 2, 2] == shown
    assert SORTER in crew.ted.ok("semantic_search", query=QUESTION).text

    asked = {"query": QUESTION, "pool": keys["pool"]}
    use(crew.wilma, "invalidate_memory", key=keys["chute"], reason="The chute was rebuilt.")
    assert [keys["sorter"]] == found(crew.ted.ok("semantic_search", **asked))
    use(crew.ted, "leave_pool", agent_id=keys["coder"], pool=keys["pool"])
    assert [] == found(crew.ted.ok("semantic_search", query=QUESTION))
    assert "no pool of that id" in crew.ted.fails("semantic_search", **asked)


def audited(keys: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    """Reads the audit of each owner: every act is there, and no word of what was said."""

    def knowwhy(*arguments: str) -> str:
        capsys.readouterr()
        assert 0 == run(list(arguments))
        return capsys.readouterr().out

    acts = {user: json.loads(knowwhy("audit", "--user", user, "--json")) for user in OWNERS}
    done = {user: [a["act"] for a in acts[user] if a["outcome"] == "done"] for user in OWNERS}

    assert [
        *("register_agent", "create_pool", "share_memory", "share_memory", "invite_to_pool"),
        *("initiate_handoff", "get_handoff", "get_sent_handoffs"),
    ] == done[WILMA][:8]
    assert [
        *("register_agent", "join_pool", "get_pending_handoffs", "accept_handoff"),
        "complete_handoff",
    ] == done[TED][:5]
    assert "leave_pool" == done[TED][-1]
    assert 60 < sum(act["outcome"] == "refused" for act in acts[ZEB])
    assert keys["planner"] not in {act["agent"] for act in acts[ZEB]}
    assert [] == [word for word in CANARIES if word in json.dumps([*acts.values()])]
    assert ": whole." in knowwhy("audit", "--verify")


@pytest.mark.slow
def test_a_task_goes_from_owner_to_owner_and_outlasts_all_servers(emptied, capsys):
    with at_work() as crew:
        keys = planned(crew)
        coded(crew, keys)
        searches_in_the_name_of_each(crew.ted, keys)
        read_by_the_planner(crew.wilma, keys)
        can_do_nothing(crew.zeb, sees_nothing(crew.zeb, keys), keys)
    with at_work() as crew:
        read_by_the_planner(crew.wilma, keys)
        (own,) = crew.zeb.ok("get_agents_for_user").data["agents"]
        crew.zeb.fails("join_pool", agent_id=own["agent_id"], pool=keys["pool"])
        assert [] == found(crew.zeb.ok("semantic_search", query=QUESTION))
        goes_on(crew, keys)
    audited(keys, capsys)
