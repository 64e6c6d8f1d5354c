"""The tools as they are told to models, and how what models give is read."""

import re
import subprocess
import sys
from typing import get_args

import pytest

from knowwhy.cli import Lazy
from knowwhy.errors import BadInput
from knowwhy.mcp.arguments import DEEPEST, read_arguments
from knowwhy.mcp.toolbox import given
from knowwhy.mcp.toolbox.finding import find_tools, needs_of
from knowwhy.mcp.toolbox.registry import ALL, CHANGES, DEFAULT, MOST_DEFAULT, READS, cost, shown
from knowwhy.mcp.toolbox.tools import TOOLS

NAMED = {
    "semantic_search", "get", "remember", "recall", "review_pending", "set_task_context",
    "get_task_context", "search_commits", "ingest", "why", "graph", "find_tools", "run_tool",
}  # fmt: skip
FOUND = {
    "run_tools", "ingest_code", "ingest_adr", "ingest_incident", "add_turn", "get_history",
    "get_context", "update_memory", "invalidate_memory", "get_memory_provenance", "create_memory",
    "get_pending_memories", "approve_pending_memory", "reject_pending_memory", "create_checkpoint",
    "rollback_to", "diff", "list_records", "list_memories", "service_overview", "statistics",
    "job_status", "cancel_job",
    "register_agent", "get_agent_info", "get_agents_for_user", "search_code_kb",
    "search_decisions", "search_incidents", "initiate_handoff", "accept_handoff",
    "reject_handoff", "complete_handoff", "get_pending_handoffs", "create_pool", "join_pool",
    "leave_pool", "share_memory_to_scope", "query_shared",
}  # fmt: skip


IN_BRACKETS = re.compile(r"\((.+?)\)")  # of a description: names of tools and nothing else


def test_the_default_profile_is_small_and_the_rest_can_be_called():
    default = {tool.name for tool in shown(TOOLS.values(), DEFAULT)}

    assert NAMED == default
    assert MOST_DEFAULT >= len(default)
    assert set() == FOUND - set(TOOLS)
    assert set(TOOLS) == {tool.name for tool in shown(TOOLS.values(), ALL)}


def test_listing_the_tools_costs_a_model_few_tokens():
    assert 4_300 > cost(shown(TOOLS.values(), DEFAULT))
    assert 24_500 > cost(shown(TOOLS.values(), ALL))


@pytest.mark.parametrize("name", TOOLS)
def test_a_tool_says_what_it_does_then_when_to_use_it_and_last_when_another_serves(name):
    what, when = TOOLS[name].description.split("\n\n")
    first, *between, last = re.split(r"(?<=\.) ", one_line(when))
    others = named_in_brackets(last)

    assert TOOLS[name].title
    assert what.endswith(".")
    assert "\n" not in what
    assert first.startswith("Use it ")
    assert last.startswith("Not for ")
    assert last.endswith(".")
    assert [] == [one for one in between if one.startswith(("Use it", "Not for"))]
    assert others
    assert name not in others


@pytest.mark.parametrize("name", TOOLS)
def test_the_tools_and_commands_that_a_description_names_exist(name):
    text = one_line(TOOLS[name].description)
    with_underscores = set(re.findall(r"\w*_\w*", text))
    commands = [command.split()[:2] for command in re.findall("`(.+?)`", text)]

    assert set() == set(named_in_brackets(text)) - set(TOOLS)
    assert set() == with_underscores - set(TOOLS) - set(TOOLS[name].schema["properties"])
    assert [] == [one for one in commands if one[0] != "knowwhy" or one[1] not in Lazy.HOMES]


@pytest.mark.parametrize("name", TOOLS)
def test_a_tool_types_every_argument(name):
    tool = TOOLS[name]

    assert not tool.schema["additionalProperties"]
    for about in tool.schema["properties"].values():
        assert {"type", "enum", "anyOf", "$ref"} & about.keys(), about
        assert "title" not in about


@pytest.mark.parametrize("name", TOOLS)
def test_every_argument_shows_what_can_be_given(name):
    tool = TOOLS[name]
    shows = {argument: example_of(about) for argument, about in tool.schema["properties"].items()}
    calls = tool.schema.get("$defs", {}).values()
    inside = [example_of(about) for call in calls for about in call["properties"].values()]

    assert shows.keys() == read_arguments(tool, shows).keys()
    assert all(inside)


@pytest.mark.parametrize("name", TOOLS)
def test_texts_and_lists_that_a_tool_takes_are_bounded(name):
    for about in TOOLS[name].schema["properties"].values():
        if about.get("type") == "string" and "enum" not in about:
            assert "maxLength" in about, about
        if about.get("type") == "array":
            assert "maxItems" in about or "enum" in about["items"], about
        if about.get("type") in ("integer", "number"):
            assert {"maximum", "minimum"} <= about.keys(), about


def test_a_tool_promises_no_longer_texts_than_the_store_takes():
    from knowwhy.grounding.claims import MOST_CONTENT, MOST_RULE

    def bound(tool, argument):
        return TOOLS[tool].schema["properties"][argument]["maxLength"]

    assert MOST_CONTENT == bound("remember", "text") == given.MOST_CLAIM
    for tool, argument in (
        ("update_memory", "value"),
        ("review_pending", "text"),
        ("correct_pending_memory", "text"),
    ):
        assert MOST_RULE == bound(tool, argument)  # it may be a memorule that is said anew
        assert f"{MOST_CONTENT:,}" in TOOLS[tool].schema["properties"][argument]["description"]


def test_tools_offer_what_an_agent_can_be(opened):
    from knowwhy.maas import agents, handoff_steps, pools

    assert agents.TYPES == get_args(given.AgentType)
    assert set(agents.CAPABILITIES) == set(get_args(given.Capability))
    assert agents.SCOPES == get_args(given.Scope)
    assert pools.PERMISSIONS == get_args(given.Permission)
    assert handoff_steps.STATES == get_args(given.HandoffState)


def test_tools_that_change_something_say_so():
    does = {name: tool.does for name, tool in TOOLS.items()}

    assert READS == does["semantic_search"] == does["git_diff"] == does["get_history"]
    assert CHANGES == does["rollback_to"] == does["invalidate_memory"] == does["run_tool"]


def test_neither_the_store_nor_a_model_is_loaded_to_list_the_tools():
    program = (
        "import sys\n"
        "from knowwhy.mcp import http, server, stdio\n"
        "[tool.schema for tool in server.TOOLS.values()]\n"
        "heavy = ('pixeltable', 'onnxruntime', 'networkx', 'sqlalchemy', 'numpy')\n"
        "sys.exit(', '.join(name for name in heavy if name in sys.modules))"
    )

    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)

    assert "" == ran.stderr.strip()


@pytest.mark.parametrize(
    ("wanted", "tool"),
    [
        ("undo changes", "rollback_to"),
        ("undo changes to memories", "rollback_to"),
        ("restore earlier state", "rollback_to"),
        ("how many records", "statistics"),
        ("is indexing finished", "job_status"),
        ("forget this", "invalidate_memory"),
        ("make a wrong memory right", "update_memory"),
        ("stop a running import", "cancel_job"),
        ("give this work to somebody else", "initiate_handoff"),
        ("what did we say yesterday", "get_history"),
        ("what happened during the night", "nightly_runs"),
    ],
)
def test_a_tool_is_among_the_first_six_that_are_found_for_what_it_does(wanted, tool):
    found = find_tools(None, wanted).data["tools"]

    assert tool in [one["name"] for one in found[:6]]


@pytest.mark.parametrize(
    ("name", "given", "why"),
    [
        ("semantic_search", {}, "query is missing"),
        ("semantic_search", {"query": "x", "top": 3}, "no argument 'top'; it has query, limit"),
        ("list_checkpoints", {"all": True}, "it takes none"),
        ("semantic_search", {"query": "x", "limit": "many"}, "limit should be a valid integer"),
        ("semantic_search", {"query": "x", "limit": 21}, "limit should be less than or equal to"),
        ("semantic_search", {"query": "x" * 2_001}, "at most 2000 characters"),
        ("semantic_search", {"query": ["x"]}, "query should be a valid string"),
        ("semantic_search", {"query": "x\0y"}, "NUL"),
        ("semantic_search", {"query": "x\ud800"}, "surrogate"),
        ("remember", {"text": "x" * 1_000_001}, "too large"),
        ("run_tools", {"calls": [{"name": "get"}] * 21}, "at most 20 items"),
        ("run_tools", {"calls": [{"name": "get", "why": 1}]}, "calls.0.why"),
        ("set_task_context", {"task": "x", "details": {"n": [1] * 20_001}}, "too large"),
        ("review_pending", {"action": "drop"}, "should be 'list'"),
    ],
)
def test_what_is_wrong_with_arguments_is_said_in_a_sentence(name, given, why):
    with pytest.raises(BadInput) as refused:
        read_arguments(TOOLS[name], given)

    assert why in str(refused.value)
    assert 500 > len(str(refused.value))
    assert str(refused.value).endswith(".")


def test_deep_arguments_are_refused():
    deep = 0
    for _ in range(DEEPEST * 5_000):
        deep = [deep]

    with pytest.raises(BadInput, match="nested deeper"):
        read_arguments(TOOLS["set_task_context"], {"task": "x", "details": {"a": deep}})


def test_a_message_repeats_no_secret_and_no_long_text():
    name = "key AKIAIOSFODNN7REALKEY " + "x" * 5_000

    with pytest.raises(BadInput) as refused:
        read_arguments(TOOLS["get"], {name: 1})

    assert "AKIAIOS" not in str(refused.value)
    assert 300 > len(str(refused.value))


@pytest.mark.parametrize(
    ("needs", "tool", "given"),
    [
        ("nothing", "run_tool", {"name": "git_status"}),
        ("home", "run_tool", {"name": "statistics"}),
        ("nothing", "run_tool", {"name": "run_tools", "arguments": {"calls": "none"}}),
        ("nothing", "run_tool", {"name": "run_tools", "arguments": ["none"]}),
        ("home", "run_tools", {"calls": [{"name": "statistics"}, {"name": 7}, "none"]}),
        (
            "models",
            "run_tool",
            {
                "name": "run_tools",
                "arguments": {
                    "calls": [
                        {"name": "statistics"},
                        {
                            "name": "run_tool",
                            "arguments": {"name": "semantic_search", "arguments": {"query": "why"}},
                        },
                    ]
                },
            },
        ),
    ],
)
def test_a_call_needs_the_most_that_any_call_inside_it_needs(needs, tool, given):
    assert needs == needs_of(TOOLS[tool], given)


def test_checked_calls_need_what_their_tools_need():
    given = {"calls": [{"name": "git_status"}, {"name": "semantic_search"}]}
    tool = TOOLS["run_tools"]

    assert "models" == needs_of(tool, read_arguments(tool, given))


def one_line(text):
    return " ".join(text.split())


def named_in_brackets(text):
    return [name for names in IN_BRACKETS.findall(text) for name in names.split(", ")]


def example_of(about):
    """Gives an example of an argument, or one of its choices; a bounded number needs neither."""
    if "examples" in about:
        return about["examples"][0]
    if "enum" in about:
        return about["enum"][0]
    if about["type"] == "array":
        return about["items"]["examples"][:1]
    assert about["type"] in ("boolean", "integer", "number"), f"no example: {about}"
    return about["default"]
