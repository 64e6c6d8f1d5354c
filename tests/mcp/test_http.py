"""The server over HTTP: whose a request is, who is let in, and what it may reach."""

import json
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import httpx2
import pytest
from mcp.shared.exceptions import MCPError
from wire import SERVE, environment, over_http, serving

from knowwhy.mcp.http import KNOWN_SECONDS, read_address
from knowwhy.tables.agents import bearers

HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}
ACCEPT = {"accept": "application/json, text/event-stream"}
WRITERS = 4


@pytest.fixture(scope="module")
def served(emptied, repository):
    """Gives a server with two users and one whose token has been revoked."""
    tokens = {user: bearers.add(user)[0] for user in ("ada", "bob")}
    gone, made = bearers.add("eve")
    bearers.revoke(made.key)
    with serving("--repo", str(repository)) as url:
        yield SimpleNamespace(url=url, gone=gone, folder=repository, **tokens)


def status(url: str, token: str | None, **headers: str) -> int:
    """Tells how the server answers a first request."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    bearer = {"authorization": f"Bearer {token}"} if token is not None else {}
    return httpx2.post(url, json=HELLO, headers={**ACCEPT, **bearer, **named}).status_code


def test_only_a_valid_token_is_let_in(served):
    assert 200 == status(served.url, served.ada)
    assert 401 == status(served.url, None)
    assert 401 == status(served.url, "x")
    assert 401 == status(served.url, "kw_" + "x" * 43)
    assert 401 == status(served.url, served.ada[:-1])
    assert 401 == status(served.url, served.gone)
    assert 401 == status(served.url, "kw_" + "x" * 5_000)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_client_is_told_that_its_token_holds_no_more(served, mode):
    token, made = bearers.add("fay")
    with over_http(served.url, token, mode=mode) as fay:
        fay.ok("find_tools")
        bearers.revoke(made.key)
        time.sleep(KNOWN_SECONDS)
        with pytest.raises(MCPError, match="is unknown or was revoked"):
            fay.call("find_tools")


def test_a_page_of_another_origin_and_another_name_of_the_host_are_refused(served):
    port = httpx2.URL(served.url).port

    assert 403 == status(served.url, served.ada, origin="https://evil.example.com")
    assert 421 == status(served.url, served.ada, host=f"evil.example.com:{port}")
    assert 421 == status(served.url, None, host="rebound.example.com")
    assert 200 == status(served.url, served.ada, origin=f"http://localhost:{port}")
    assert 200 == status(served.url, served.ada, host=f"localhost:{port}")


def test_who_is_refused_is_told_what_lets_them_in(served):
    bearer = {**ACCEPT, "authorization": f"Bearer {served.ada}"}
    host = httpx2.post(served.url, json=HELLO, headers=bearer | {"host": "memory.example.com"})
    page = httpx2.post(served.url, json=HELLO, headers=bearer | {"origin": "https://example.com"})

    assert "--allow-host" in host.json()["error"]
    assert "--allow-origin" in page.json()["error"]


def test_a_server_at_every_address_is_called_by_the_names_of_its_machine(served):
    with serving("--http", "0.0.0.0:0") as url:
        port = httpx2.URL(url).port
        here = f"http://127.0.0.1:{port}/mcp"
        names = ["127.0.0.1", "localhost", socket.gethostname()]

        assert [200] * 3 == [status(here, served.ada, host=f"{name}:{port}") for name in names]
        assert 421 == status(here, served.ada, host=f"memory.example.com:{port}")
        assert 401 == status(here, None)


def test_a_home_that_cannot_be_opened_is_not_a_token_that_is_wrong(tmp_path):
    blocked = tmp_path / "home"
    blocked.write_text("a file where the home should be")
    with serving(home=blocked) as url:
        told = httpx2.post(
            url, json=HELLO, headers={**ACCEPT, "authorization": "Bearer kw_x"}, timeout=60
        )

        assert (503, 401) == (told.status_code, status(url, None))
        assert "home cannot be opened" in told.json()["error"]


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_token_says_whose_a_memory_is(served, mode):
    text = f"Ada's {mode} badge opens the cold store (ADR-12)."
    with (
        over_http(served.url, served.ada, mode=mode) as ada,
        over_http(served.url, served.bob) as bob,
    ):
        kept = ada.ok("remember", text=text, said_by="user")
        own = ada.ok("recall", query="What opens the cold store?")
        other = bob.ok("recall", query="What opens the cold store?")
        shared = bob.ok("run_tool", name="list_memories", arguments={"statuses": ["active"]})
        said = bob.fails("get", key=kept.data["key"])

    assert "ada" == kept.data["user"]
    assert "badge" in own.text
    assert "badge" not in other.text + json.dumps(other.data) + shared.text + said


def test_what_one_has_written_the_next_search_finds(served):
    def write(number: int) -> list[str]:
        user = served.ada if number % 2 else served.bob
        missing = []
        with over_http(served.url, user) as client:
            for turn in range(3):
                thing = f"gate-{number}{turn}"
                client.ok("remember", text=f"Use {thing} for lane {number}.", said_by="user")
                found = client.ok("recall", query=f"What is {thing}?", limit=10)
                missing += [] if thing in json.dumps(found.data) else [thing]
        return missing

    with ThreadPoolExecutor(WRITERS) as pool:
        assert [[]] * WRITERS == list(pool.map(write, range(WRITERS)))


def test_files_outside_of_the_repository_are_not_taken_in(served, tmp_path):
    (tmp_path / "secret.md").write_text("# The vault code\n\nIt is 4711.\n")
    (served.folder / "way-out").symlink_to(tmp_path)
    outside = (
        str(tmp_path / "secret.md"),
        "../../etc/passwd",
        "/etc/passwd",
        "way-out/secret.md",
        "way-out",
        "docs/../../..",
    )
    try:
        with over_http(served.url, served.ada) as ada:
            told = [ada.fails("ingest", path=path, kind="document") for path in outside]
            taken = ada.ok("ingest", path="docs/adr", kind="adr", wait_seconds=120)
            found = ada.ok("semantic_search", query="What is the vault code?")
    finally:
        (served.folder / "way-out").unlink()

    assert ["That path is outside of what this server may take in."] * len(outside) == told
    assert "done" in taken.text
    assert "4711" not in json.dumps(found.data)


def test_a_server_without_a_repository_takes_in_no_files(emptied):
    token, _ = bearers.add("ada")
    with serving() as url, over_http(url, token) as ada:
        said = ada.fails("ingest", path="/etc")
        commits = ada.fails("search_commits", query="x")

    assert "--repo" in said
    assert "--repo" in commits


def test_a_job_is_its_users_own(served):
    with over_http(served.url, served.ada) as ada, over_http(served.url, served.bob) as bob:
        job = ada.ok("ingest", path="docs", wait_seconds=60).data["job"]
        other = bob.fails("run_tool", name="job_status", arguments={"job": job})
        stop = bob.fails("run_tool", name="cancel_job", arguments={"job": job})

    assert "You have no job" in other
    assert "You have no job" in stop


def test_a_session_of_another_user_does_not_exist(served):
    bearer = {**ACCEPT, "authorization": f"Bearer {served.ada}"}
    opened = httpx2.post(served.url, json=HELLO, headers=bearer)
    session = {"mcp-session-id": opened.headers["mcp-session-id"]}
    listing = {"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {}}
    as_bob = {**ACCEPT, "authorization": f"Bearer {served.bob}", **session}

    assert 200 == httpx2.post(served.url, json=listing, headers=bearer | session).status_code
    assert 404 == httpx2.post(served.url, json=listing, headers=as_bob).status_code


def test_a_revoked_token_is_useless_within_moments(served):
    token, made = bearers.add("zoe", "laptop")
    before = status(served.url, token)
    bearers.revoke(made.key)
    time.sleep(KNOWN_SECONDS + 0.2)

    assert (200, 401) == (before, status(served.url, token))


def test_a_request_that_is_too_large_is_refused(served):
    huge = json.dumps(HELLO | {"params": {"x": "y" * 5_000_000}}).encode()
    headers = {**ACCEPT, "authorization": f"Bearer {served.ada}"}
    told = httpx2.post(
        served.url, content=huge, headers={**headers, "content-type": "application/json"}
    )

    assert 413 == told.status_code


@pytest.mark.parametrize(
    ("address", "read"),
    [
        ("8642", ("127.0.0.1", 8642)),
        (":8642", ("127.0.0.1", 8642)),
        ("0.0.0.0:80", ("0.0.0.0", 80)),
        ("[::1]:9", ("::1", 9)),
        ("example.com:443", ("example.com", 443)),
    ],
)
def test_an_address_is_read(address, read):
    assert read == read_address(address)


def test_an_address_in_use_is_refused_with_a_sentence(served):
    ran = subprocess.run(
        [sys.executable, *SERVE, "--http", served.url.split("/")[2]],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=60,
    )

    assert 1 == ran.returncode
    assert "cannot be served" in ran.stderr
    assert "Traceback" not in ran.stderr


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_no_conversation_over_http_goes_on_in_another(served, mode):
    with (
        over_http(served.url, served.ada, mode=mode) as one,
        over_http(served.url, served.ada, mode=mode) as other,
        over_http(served.url, served.bob, mode=mode) as bobs,
    ):
        sessions = [
            assistant.ok("run_tool", name="add_turn", arguments={"text": "Yes."}).data["session"]
            for assistant in (one, other, bobs)
        ]

    named = [session for session in sessions if session is not None]
    assert len(named) == len(set(named)), sessions
