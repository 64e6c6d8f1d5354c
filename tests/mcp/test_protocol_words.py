"""What the protocol says word for word: codes of errors, ids, pages, names of hosts, silence."""

import json
import re
import threading
from types import SimpleNamespace

import pytest
from mcp.shared.exceptions import MCPError
from raw import ANSWER_SECONDS, Http, Stdio, answer_of, call, message
from wire import git, over_stdio, serving

from knowwhy.mcp.answers import answer_schema
from knowwhy.mcp.toolbox.tools import TOOLS
from knowwhy.tables.agents import bearers

MODERN = "2026-07-28"
UNKNOWN = "project://memory/nothing"
NOT_THERE = "project://memory/item/ADR-99999"
FILES = 400  # of code, which take longer to take in than a test waits before it gives up
TRIES = 200  # looks at the jobs until one has begun
BAD_IDS = (b"null", b"{}", b"[]", b"1.5", b"true", b'{"a":1}')


@pytest.fixture(scope="module")
def doors(emptied, tmp_path_factory):
    """Gives a session at each door of a server that works where much code is to be taken in."""
    root = tmp_path_factory.mktemp("slow")
    git(root, "init", "-q", "-b", "main")
    for number in range(FILES):
        lines = (f"def f{n}() -> int:\n    return {n}\n" for n in range(30))
        (root / f"gate_{number}.py").write_text("\n".join(lines))
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "Add the gates")
    token, _ = bearers.add("bob")
    with serving("--repo", str(root)) as url:
        stdio, http = Stdio("--user", "bob", "--repo", str(root)), Http(url, token)
        yield SimpleNamespace(stdio=stdio, http=http, url=url)
        stdio.close()
        http.close()


def error_of(answer):
    return answer.raw["error"]


@pytest.fixture(params=["stdio", "http"])
def door(request, doors):
    return getattr(doors, request.param)


@pytest.mark.parametrize("method", ["ping", "tools/list", "no/such"])
@pytest.mark.parametrize("bad", BAD_IDS, ids=bytes.decode)
def test_a_request_whose_id_is_none_is_answered_as_invalid(doors, bad, method):
    line = b'{"jsonrpc":"2.0","id":%s,"method":"%s"}' % (bad, method.encode())
    doors.stdio.write(line)
    told = doors.http.post(line)

    for answer in (doors.stdio.next(), answer_of(told)):
        assert (None, -32600) == (answer.raw["id"], error_of(answer)["code"])
        assert error_of(answer)["message"].endswith(".")
    assert 400 == told.status_code


def test_an_id_inside_a_notification_is_not_its_own(doors):
    doors.stdio.write(b'{"jsonrpc":"2.0","method":"notifications/x","params":{"id":null}}')

    assert {} == doors.stdio.ask("ping").raw["result"]


def test_a_tool_that_is_not_there_is_an_error_of_the_protocol(door):
    told = error_of(call(door, "no_such_tool", {}))

    assert -32602 == told["code"]
    assert "find_tools" in told["message"]
    assert call(door, "run_tool", {"name": "no_such_tool"}).raw["result"]["isError"]


@pytest.mark.parametrize(
    "method", ["tools/list", "resources/list", "resources/templates/list", "prompts/list"]
)
@pytest.mark.parametrize("cursor", ["", "x", "eyJwYWdlIjogM30="])
def test_a_cursor_that_was_never_given_is_refused(door, method, cursor):
    assert -32602 == error_of(door.ask(method, {"cursor": cursor}))["code"]
    assert "error" not in door.ask(method, {}).raw


@pytest.mark.parametrize("uri", [UNKNOWN, NOT_THERE, "file:///etc/passwd"])
def test_a_resource_that_is_not_there_has_the_code_of_a_session_and_its_uri(door, uri):
    told = error_of(door.ask("resources/read", {"uri": uri}))

    assert (-32002, uri) == (told["code"], told["data"]["uri"])


@pytest.mark.parametrize("uri", [UNKNOWN, NOT_THERE])
def test_since_there_are_no_sessions_an_unknown_resource_is_an_invalid_parameter(emptied, uri):
    with over_stdio("--user", "bob", mode=MODERN) as bob, pytest.raises(MCPError) as refused:
        bob.ask("read_resource", uri)

    assert (-32602, uri) == (refused.value.code, refused.value.data["uri"])


@pytest.mark.parametrize("name", ["LocalHost", "LOCALHOST", "localhost"])
def test_the_name_of_a_host_is_the_same_in_capitals(doors, name):
    port = doors.url.split(":")[2].split("/")[0]
    told = doors.http.post(message(5, "ping"), host=f"{name}:{port}", origin=f"HTTP://{name}")

    assert 200 == told.status_code
    assert 421 == doors.http.post(message(6, "ping"), host="LocalHost.evil.com").status_code


def test_a_name_that_is_let_in_may_be_given_in_capitals(emptied):
    token, _ = bearers.add("eva")
    with serving("--allow-host", "Memory.Example.COM") as url:
        http = Http(url, token)
        told = http.post(message(5, "ping"), host="memory.example.com")
        http.close()

    assert 200 == told.status_code


def slow(number):
    given = {"name": "ingest", "arguments": {"path": ".", "kind": "code", "wait_seconds": 300}}
    return message(number, "tools/call", given)


def cancelled(number):
    about = {"requestId": number, "reason": "enough"}
    line = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": about}
    return json.dumps(line).encode()


def job_of(door):
    """Waits until a job has begun; gives its key."""
    for _ in range(TRIES):
        jobs = call(door, "run_tool", {"name": "job_status", "arguments": {}}).text
        if running := re.search(r"(j-\w+) is running", jobs):
            return running[1]
    raise AssertionError(jobs)


def ending(number, job):
    given = {"name": "job_status", "arguments": {"job": job, "wait_seconds": 60}}
    return message(number, "tools/call", {"name": "run_tool", "arguments": given})


def test_a_cancelled_request_gets_no_answer_over_stdio(doors):
    call(doors.stdio, "recall", {})  # the home is open then
    doors.stdio.write(slow(9_001))
    job = job_of(doors.stdio)
    doors.stdio.write(cancelled(9_001))
    doors.stdio.write(ending(9_003, job))
    seen = []
    while (last := doors.stdio.next()).raw.get("id") != 9_003:
        seen.append(last.raw.get("id"))

    assert "cancelled" in last.text
    assert 9_001 not in seen


def test_a_cancelled_request_gets_no_answer_over_http_and_its_stream_ends(doors):
    call(doors.http, "recall", {})
    told = []
    asking = threading.Thread(target=lambda: told.append(doors.http.post(slow(9_002))))
    asking.start()
    job = job_of(doors.http)
    assert 202 == doors.http.post(cancelled(9_002)).status_code
    ended = answer_of(doors.http.post(ending(9_004, job)))
    asking.join(ANSWER_SECONDS)

    assert "cancelled" in ended.text
    assert [200] == [one.status_code for one in told]
    assert "error" not in told[0].text
    assert "result" not in told[0].text


@pytest.mark.parametrize("name", TOOLS)
def test_no_schema_has_a_type_of_several_types(name):
    told = json.dumps([TOOLS[name].schema, answer_schema(name)])

    assert not re.search(r'"type": \[', told)
