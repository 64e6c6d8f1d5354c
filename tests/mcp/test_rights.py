"""What a token may do, whatever way a tool is called by."""

import json
import time
from types import SimpleNamespace

import httpx2
import pytest
from mcp.shared.exceptions import MCPError
from wire import over_http, serving

from knowwhy.mcp.toolbox.registry import READS
from knowwhy.mcp.toolbox.tools import TOOLS
from knowwhy.tables.agents import bearers
from knowwhy.types import RIGHTS

WAIT = 60  # seconds
CALLERS = ("run_tool", "run_tools", "find_tools")  # which do nothing of their own


@pytest.fixture(scope="module")
def served(emptied, repository):
    """Gives a server, and tokens of one user with each right and with all of a colleague."""
    tokens = {right: bearers.add("ada", rights=[right])[0] for right in RIGHTS}
    tokens["all"], made = bearers.add("ada")
    with serving("--repo", str(repository)) as url:
        yield SimpleNamespace(url=url, tokens=tokens, key=made.key, folder=repository)


def metrics(url: str, token: str) -> httpx2.Response:
    named = {"authorization": f"Bearer {token}"}
    return httpx2.get(url.replace("/mcp", "/metrics"), headers=named, timeout=WAIT)


def test_a_metrics_token_reads_the_measures_and_nothing_else(served):
    token = served.tokens["metrics"]
    asked = httpx2.post(
        served.url, json={}, headers={"authorization": f"Bearer {token}"}, timeout=WAIT
    )

    assert 200 == metrics(served.url, token).status_code
    assert 403 == asked.status_code
    assert "no other" in asked.json()["error"]["message"]


def test_a_token_without_the_right_to_the_measures_does_not_read_them(served):
    told = metrics(served.url, served.tokens["all"])

    assert 403 == told.status_code
    assert "--may metrics" in told.json()["error"]


def test_a_reader_writes_by_no_tool_and_no_way_around(served):
    with over_http(served.url, served.tokens["read"]) as reader:
        direct = reader.fails("remember", text="We use Kafka 9 (ADR-1).", said_by="user")
        through = reader.fails("run_tool", name="set_task_context", arguments={"task": "x"})
        inner = {"name": "run_tools", "arguments": {"calls": [{"name": "create_checkpoint",
                 "arguments": {"name": "x"}}]}}  # fmt: skip
        nested = reader.ok("run_tool", **inner).data["results"][0]
        several = reader.ok(
            "run_tools", calls=[{"name": "add_turn", "arguments": {"text": "Hello."}}]
        ).data["results"][0]
        found = reader.ok("recall", query="Which Kafka?")

    assert all("'write'" in said for said in (direct, through, nested["text"], several["text"]))
    assert ["not_allowed"] * 2 == [nested["error"], several["error"]]
    assert "Kafka 9" not in json.dumps(found.data)


def test_every_tool_that_changes_anything_needs_the_right_to(served):
    with over_http(served.url, served.tokens["read"]) as reader:
        let = []
        for name, tool in TOOLS.items():
            given = {k: example(about) for k, about in tool.schema["properties"].items()}
            if tool.does == READS or name in (*CALLERS, "review_pending"):
                continue
            said = reader.fails("run_tool", name=name, arguments=given)
            let += [] if "needs a token with the right" in said else [(name, said)]

    assert [] == let


def example(about):
    """Gives what a schema shows of an argument."""
    for shown in (about, *about.get("anyOf", [])):
        if "examples" in shown:
            return shown["examples"][0]
        if "enum" in shown:
            return shown["enum"][0]
    if about.get("type") == "array":
        return ["m-1", "m-2"]
    return about.get("default", {"boolean": True, "object": {}}.get(about.get("type"), 1))


def test_claims_are_judged_only_by_who_may_review(served):
    with over_http(served.url, served.tokens["write"]) as writer:
        kept = writer.ok("remember", text="The parcel locker opens after 7 seconds (ADR-97).").data
    judged = {"action": "approve", "keys": [kept["key"]]}
    by_name = {"name": "approve_pending_memory", "arguments": {"keys": [kept["key"]]}}
    with over_http(served.url, served.tokens["read"]) as reader:
        listed = reader.ok("review_pending")
        refused = reader.fails("review_pending", **judged)
    with over_http(served.url, served.tokens["write"]) as writer:
        by_writer = writer.fails("run_tool", **by_name)
        blind = writer.fails("recall", query="Which queue?")
    with over_http(served.url, served.tokens["review"]) as reviewer:
        done = reviewer.ok("run_tool", **by_name)

    assert kept["key"] in listed.text
    assert "'review'" in refused
    assert "'review'" in by_writer
    assert "'read'" in blind
    assert kept["key"] in json.dumps(done.data)


def test_who_may_not_read_gets_no_resource_and_no_prompt(served):
    with over_http(served.url, served.tokens["review"]) as reviewer:
        with pytest.raises(MCPError, match="'read'"):
            reviewer.ask("read_resource", "project://memory/recent_decisions")
        name = reviewer.ask("list_prompts").prompts[0]
        given = {argument.name: "x" for argument in name.arguments}
        with pytest.raises(MCPError, match="'read'"):
            reviewer.ask("get_prompt", name.name, given)


def test_the_last_use_of_a_token_is_told_and_noted_once(served):
    for _ in range(3):
        with over_http(served.url, served.tokens["all"]) as ada:
            ada.ok("find_tools")
    deadline = time.monotonic() + WAIT
    while (used := one(served.key).used_at) is None:
        assert time.monotonic() < deadline
        time.sleep(0.1)
    with over_http(served.url, served.tokens["all"]) as ada:
        ada.ok("find_tools")

    assert used == one(served.key).used_at


def one(key: str) -> bearers.Bearer:
    return next(bearer for bearer in bearers.bearers() if bearer.key == key)
