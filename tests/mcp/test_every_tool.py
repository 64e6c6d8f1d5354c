"""Every tool, called over the wire at least once: over the standard streams and over HTTP."""

import pytest
from calls import CALLS, NUMBERS, filled
from wire import over_http, over_stdio, serving

from knowwhy.mcp.toolbox.tools import TOOLS
from knowwhy.tables.agents import bearers


@pytest.fixture(scope="module", params=["stdio", "http"])
def client(request, emptied, repository):
    """Gives a client; over HTTP every tool is listed, over stdio the rest is called by run_tool."""
    where = ("--repo", str(repository))
    if request.param == "stdio":
        with over_stdio("--user", "ada", *where) as assistant:
            assistant.ok("ingest", wait_seconds=120)
            yield assistant
        return
    token, _ = bearers.add("bob")
    with serving(*where, "--profile", "all") as url, over_http(url, token) as assistant:
        assistant.ok("ingest", wait_seconds=120)
        yield assistant


@pytest.fixture(scope="module")
def listed(client):
    """Gives the tools that the client is told of."""
    return client.tools()


def call(client, listed, tool, arguments):
    """Calls a tool by its name if it is listed, else as a model finds it."""
    if tool in listed:
        return client.ok(tool, **arguments)
    return client.ok("run_tool", name=tool, arguments=arguments)


def test_the_table_has_every_tool():
    assert set(TOOLS) == set(CALLS)


@pytest.mark.parametrize("name", CALLS)
def test_a_tool_answers_over_the_wire(client, listed, name):
    made = CALLS[name]
    known = {"n": str(next(NUMBERS))}
    for step in made.before:
        told = call(client, listed, step.tool, filled(step.arguments, known)).data
        known |= {step.under or step.keeps: told[step.keeps]} if step.keeps else {}

    answer = call(client, listed, name, filled(made.arguments, known))

    assert made.words in answer.text
    assert isinstance(answer.data, dict)
