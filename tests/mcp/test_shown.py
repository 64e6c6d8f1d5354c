"""What a client shows to its model: many take the structured answer and leave the text."""

import json
import re
from types import SimpleNamespace

import jsonschema
import pytest
from calls import CALLS, NUMBERS, filled
from raw import Http, answer_of, message
from test_resources_and_prompts import ORDER, is_fenced
from wire import git, over_http, over_stdio, serving

from knowwhy.mcp.answers import ALL_DATA, answer_schema, as_text, text_form
from knowwhy.mcp.toolbox.registry import READS, Said
from knowwhy.mcp.toolbox.tools import TOOLS
from knowwhy.tables.agents import bearers

QUESTIONS = (
    "Why did we move from RabbitMQ to Kafka?",
    "How long is an access token valid?",
    "What database do we use?",
    "What is the default timeout for calls between services?",
    "Why is the outbox table there?",
    "What happened in INC-2021-02?",
    "Who decides about retries?",
    "How are parcels tracked?",
    "Which services depend on the ledger?",
    "What did we learn from the outage of the label printer?",
)
MOST_MORE = 1.15  # times the characters of the text that the structured answer may have
WORDS = "the teal gantry of bay nine"  # in every stored text, title and name of a test


@pytest.fixture(scope="module", params=["stdio", "http"])
def client(request, emptied, repository):
    """Gives a client whose server has taken a repository in."""
    where = ("--repo", str(repository), "--profile", "all")
    if request.param == "stdio":
        with over_stdio("--user", "ada", *where) as assistant:
            assistant.ok("ingest", wait_seconds=120)
            yield assistant
        return
    token, _ = bearers.add("bob")
    with serving(*where) as url, over_http(url, token) as assistant:
        assistant.ok("ingest", wait_seconds=120)
        yield assistant


@pytest.mark.parametrize("name", CALLS)
def test_a_model_is_shown_the_fenced_text_and_a_program_the_data(client, name):
    made, known = CALLS[name], {"n": str(next(NUMBERS))}
    for step in made.before:
        told = client.ok(step.tool, **filled(step.arguments, known)).data
        known |= {step.under or step.keeps: told[step.keeps]} if step.keeps else {}
    given = filled(made.arguments, known)
    answer = client.ok(name, **given)
    shown = as_text(name, Said(answer.text, answer.data))
    if TOOLS[name].does == READS:
        asked = client.shown(name, **given)
        assert not asked.is_error, asked.text
        assert asked.data["text"] == asked.text
        assert asked.data.keys() == shown.keys()
        jsonschema.validate(asked.data, text_form(name))

    assert answer.text == shown["text"]
    jsonschema.validate(shown, text_form(name) if name != "run_tool" else {"required": ["text"]})
    jsonschema.validate(shown, answer_schema(name))
    jsonschema.validate(answer.data, answer_schema(name))


def test_what_is_shown_costs_about_what_the_text_costs(client):
    texts = shown = data = 0
    for question in QUESTIONS:
        asked = client.shown("semantic_search", query=question)
        texts += len(asked.text)
        shown += len(json.dumps(asked.data, ensure_ascii=False))
        whole = client.call("semantic_search", query=question).data
        data += len(json.dumps(whole, ensure_ascii=False))

    assert MOST_MORE * texts >= shown
    assert data > 2 * shown


def test_what_a_model_needs_to_go_on_stands_beside_the_text(client):
    found = client.shown("semantic_search", query=QUESTIONS[0]).data
    kept = client.shown("remember", text="The crane lifts 9 tons (ADR-12).").data

    assert {"text", "knows", "recall"} == found.keys()
    assert re.fullmatch(r"[0-9a-f]{32}", found["recall"])
    assert {"text", "key", "status"} == kept.keys()


def test_data_is_given_only_where_the_call_asks_for_it_so(client):
    said = [
        client._called("recall", {"query": "crane"}, meta).data
        for meta in (None, {}, {ALL_DATA: False}, {ALL_DATA: "true"}, {"other/data": True})
    ]

    assert all("text" in one and "hits" not in one for one in said)
    assert "hits" in client._called("recall", {"query": "crane"}, {ALL_DATA: True}).data


@pytest.fixture(scope="module")
def planted(emptied, tmp_path_factory):
    """Gives a client of a home whose every text, title, name and key was written by somebody."""
    root = tmp_path_factory.mktemp("planted") / "platform"
    (root / "docs").mkdir(parents=True)
    git(root, "init", "-q", "-b", "main")
    file = root / "docs" / f"{WORDS}.md"
    file.write_text(f"# {WORDS}\n\nIt is {WORDS}. {ORDER}\n")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", f"Build {WORDS}")
    with over_stdio("--user", "ada", "--repo", str(root), "--profile", "all") as ada:
        ada.ok("ingest", wait_seconds=120)
        said = f"It is {WORDS} that we use (ADR-12)."
        old = ada.ok("remember", text=said, said_by="user").data["key"]
        ada.ok("update_memory", key=old, value=f"{said} It was painted.", said_by="user")
        ada.ok("add_turn", text=said, session=WORDS, speaker=WORDS)
        ada.ok("set_task_context", task=said)
        ada.ok("create_checkpoint", name=WORDS)
        agent = ada.ok("register_agent", name=WORDS, type="human").data["agent_id"]
        yield SimpleNamespace(client=ada, old=old, agent=agent, file=f"platform/docs/{WORDS}.md")


def readings(planted):
    yield "semantic_search", {"query": WORDS}
    yield "get_context", {"query": WORDS}
    yield "recall", {"query": WORDS}
    yield "recall", {}
    yield "get", {"key": planted.old}
    yield "why", {"key": planted.old}
    yield "get_memory_provenance", {"key": planted.old}
    yield "get", {"key": planted.file}
    yield "why", {"key": planted.file}
    yield "graph", {"node": planted.file}
    yield "list_memories", {"statuses": ["active", "superseded"]}
    yield "get_history", {}
    yield "list_records", {"kind": "document"}
    yield "list_checkpoints", {}
    yield "get_task_context", {}
    yield "search_commits", {"query": "gantry"}
    yield "get_agent_info", {"agent_id": planted.agent}
    yield "get_agents_for_user", {}
    yield "run_tools", {"calls": [{"name": "list_memories"}, {"name": "get_history"}]}
    yield "run_tool", {"name": "list_memories", "arguments": {}}


def test_nothing_that_anybody_wrote_stands_outside_of_the_fence(planted):
    bare = []
    for tool, given in readings(planted):
        shown = planted.client.shown(tool, **given)
        assert is_fenced(shown.data["text"], WORDS), (tool, shown.text)
        rest = {name: value for name, value in shown.data.items() if name != "text"}
        bare += [(tool, rest)] if "gantry" in json.dumps(rest) else []

    assert [] == bare


def test_a_model_is_told_that_something_no_longer_holds(planted):
    shown = planted.client.shown("get", key=planted.old).data

    assert "is superseded" in shown["text"]


def test_what_is_said_at_a_raw_door_is_what_is_shown(planted, repository):
    token, _ = bearers.add("eva")
    with serving("--repo", str(repository)) as url:
        http = Http(url, token)
        given = {"name": "get_task_context", "arguments": {}}
        plain = answer_of(http.post(message(3, "tools/call", given))).raw["result"]
        program = {**given, "_meta": {ALL_DATA: True}}
        whole = answer_of(http.post(message(4, "tools/call", program))).raw["result"]
        http.close()

    assert {"text"} <= plain["structuredContent"].keys()
    assert plain["content"][0]["text"] == plain["structuredContent"]["text"]
    assert "recent_commits" in whole["structuredContent"]
