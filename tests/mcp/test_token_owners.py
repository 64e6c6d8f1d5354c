"""Agents over HTTP: each is bound to the owner of a token, and no argument says otherwise."""

import pytest
from wire import over_http, serving

from knowwhy.mcp.toolbox.tools import TOOLS
from knowwhy.tables.agents import bearers

MINE = "No agent of yours has that id"


@pytest.fixture(scope="module")
def two(emptied):
    """Gives the clients of two tokens at one server."""
    ada, bob = (bearers.add(user)[0] for user in ("ada", "bob"))
    options = ("--profile", "all")
    with serving(*options) as url, over_http(url, ada) as first, over_http(url, bob) as second:
        yield first, second


def test_an_agent_of_another_tokens_owner_cannot_be_used(two):
    ada, bob = two
    hers = ada.ok("register_agent", name="Planner", type="human").data["agent_id"]
    pool = ada.ok("create_pool", agent_id=hers, name="Payments", scope="user").data["pool"]
    ours = {"agent_id": hers}
    with_it = [
        ("get_agent_info", {}),
        ("deactivate_agent", {}),
        ("start_agent_session", {}),
        ("create_pool", {"name": "Mine"}),
        ("get_pools", {}),
        ("query_shared", {"query": "Why Kafka?", "pool": pool}),
        ("archive_pool", {"pool": pool}),
        ("get_pending_handoffs", {}),
        ("search_decisions", {"query": "Why Kafka?"}),
        ("get_agent_acts", {}),
    ]

    for tool, arguments in with_it:
        assert MINE in bob.fails(tool, **ours, **arguments), tool
        assert MINE in bob.fails("run_tool", name=tool, arguments={**ours, **arguments}), tool
    assert [] == bob.ok("get_agents_for_user", inactive=True).data["agents"]
    assert [hers] == [one["agent_id"] for one in ada.ok("get_agents_for_user").data["agents"]]
    assert [pool] == [one["pool"] for one in ada.ok("get_pools", **ours).data["pools"]]


@pytest.mark.parametrize("name", ["owner", "owner_id", "user", "user_id", "asker", "caller"])
def test_the_owner_is_never_an_argument(two, name):
    ada, _ = two

    for tool in ("get_agents_for_user", "register_agent", "create_pool", "initiate_handoff"):
        assert f"has no argument '{name}'" in ada.fails(tool, **{name: "bob"})
    assert [] == [tool.name for tool in TOOLS.values() if name in tool.schema["properties"]]
