"""What a server over HTTP bears: silent connections, tokens that nobody made, long calls."""

import contextlib
import json
import re
import socket
import ssl
import subprocess
import sys
import threading
import time
from types import SimpleNamespace

import httpx2
import pytest
import sqlalchemy as sql
from mcp.shared.exceptions import MCPError
from wire import SERVE, Answer, Assistant, environment, over_http, serving

from knowwhy.mcp.connections import MOST_HEAD
from knowwhy.tables import direct
from knowwhy.tables.agents import bearers
from knowwhy.tables.write import queue, table

WAIT = 60  # seconds that an answer may take on a loaded machine
SHORTLY = 5  # seconds, in which nothing but the held table can keep an answer back
FILES = 256  # that the server of a test may have open; macOS gives so many
CROWD = 400  # connections, more than there are files
OF_ADDRESS = 12
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
HALF = b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Part: "
HALF_BODY = b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 50\r\n"
HASTY = {
    "KNOWWHY_HEADER_SECONDS": "1",
    "KNOWWHY_BODY_SECONDS": "1",
    "KNOWWHY_CALL_SECONDS": "2",
    "KNOWWHY_CALLS_AT_ONCE": "3",
    "KNOWWHY_MAX_BODY_MB": "1",
    "KNOWWHY_MAX_ADDRESS_CONNECTIONS": str(OF_ADDRESS),
}


@pytest.fixture(scope="module")
def hasty(emptied):
    """Gives a server with little patience."""
    tokens = {user: bearers.add(user)[0] for user in ("ada", "bob")}
    with serving(**HASTY) as url:
        with over_http(url, tokens["ada"]) as ada:
            settled(ada, "recall", query="anything")  # so that the home is open
        yield SimpleNamespace(url=url, port=httpx2.URL(url).port, **tokens)


def settled(one: Assistant, tool: str, /, **arguments: object) -> Answer:
    """Calls a tool until a loaded machine has done so in the short time that is given."""
    deadline = time.monotonic() + WAIT
    while (told := one.call(tool, **arguments)).is_error:
        assert time.monotonic() < deadline, told.text
    return told


def status(url: str, token: str | None, wait: int = WAIT, **more: str) -> int:
    """Tells how the server answers a first request."""
    return asked(url, token, wait, **more).status_code


def asked(url: str, token: str | None, wait: int = WAIT, **more: str) -> httpx2.Response:
    bearer = {"authorization": f"Bearer {token}"} if token is not None else {}
    return httpx2.post(url, json=HELLO, headers={**ACCEPT, **bearer, **more}, timeout=wait)


@contextlib.contextmanager
def crowd(port: int, number: int, *said: bytes):
    """Holds connections open, each of which has said one of some things."""
    with contextlib.ExitStack() as stack:
        opened = []
        for at in range(number):
            one = stack.enter_context(socket.create_connection(("127.0.0.1", port), WAIT))
            with contextlib.suppress(OSError):  # the server may have refused it by now
                one.sendall(said[at % len(said)])
            opened.append(one)
        yield opened


def rest(one: socket.socket) -> bytes:
    """Reads all that a server says until it closes."""
    told = b""
    with contextlib.suppress(ConnectionError):
        while part := one.recv(65_536):
            told += part
    return told


def test_as_many_idle_connections_as_there_may_be_files_lock_nobody_out(emptied):
    token, _ = bearers.add("ada")
    with serving(files=FILES) as url:
        port = httpx2.URL(url).port
        before = status(url, token)
        with crowd(port, CROWD, b"", HALF, HALF_BODY):
            during = [status(url, token) for _ in range(3)]
            with over_http(url, token) as ada:
                ada.ok("find_tools")

    assert 200 == before
    assert [200] * 3 == during


def test_connections_of_one_address_give_way_before_who_has_shown_a_token(hasty):
    with over_http(hasty.url, hasty.ada, mode="legacy") as ada:
        ada.ok("find_tools")
        with crowd(hasty.port, 4 * OF_ADDRESS, b"", HALF):
            assert 200 == status(hasty.url, hasty.bob)
            ada.ok("find_tools")


@pytest.mark.parametrize(
    ("said", "code"),
    [(HALF, b"408"), (HALF + b"x" * MOST_HEAD, b"431")],
    ids=["half a head", "a long head"],
)
def test_a_head_that_does_not_end_is_refused_in_a_sentence(hasty, said, code):
    with crowd(hasty.port, 1, said) as (one,):
        told = rest(one)

    assert told.startswith(b"HTTP/1.1 " + code)
    assert b"The head of this request" in told


def test_a_head_that_is_long_and_whole_is_refused_as_well(hasty):
    assert 431 == status(hasty.url, hasty.ada, **{"x-long": "y" * MOST_HEAD})


def test_who_says_nothing_is_sent_away(hasty):
    with crowd(hasty.port, 1, b"") as (one,):
        assert b"" == rest(one)


def test_empty_lines_are_no_way_to_stay(hasty):
    with crowd(hasty.port, 1, b"") as (one,), contextlib.suppress(OSError):
        for _ in range(WAIT * 4):
            one.sendall(b"\r\n")
            time.sleep(0.25)
        pytest.fail("it was not sent away")


def test_a_body_that_does_not_come_is_refused_in_a_sentence(hasty):
    head = HALF_BODY + f"Authorization: Bearer {hasty.ada}\r\n\r\n".encode()
    with crowd(hasty.port, 1, head + b"{") as (one,):
        told = rest(one)

    assert told.startswith(b"HTTP/1.1 408")
    assert b"The body of this request" in told
    assert 200 == status(hasty.url, hasty.ada)


def test_a_body_is_bounded_by_the_setting(hasty):
    huge = json.dumps(HELLO | {"params": {"x": "y" * 1_100_000}}).encode()
    named = {**ACCEPT, "authorization": f"Bearer {hasty.ada}", "content-type": "application/json"}

    assert 413 == httpx2.post(hasty.url, content=huge, headers=named, timeout=WAIT).status_code


def test_a_token_has_no_more_requests_open_than_it_may(hasty):
    head = HALF_BODY.replace(b"50", b"500") + f"Authorization: Bearer {hasty.ada}\r\n\r\n".encode()
    deadline, told = time.monotonic() + WAIT, None
    while told is None or told.status_code != 429:  # what is half said is given up after a second
        assert time.monotonic() < deadline
        with crowd(hasty.port, 3, head):
            told = asked(hasty.url, hasty.ada)
            other = status(hasty.url, hasty.bob)

    assert "1" == told.headers["retry-after"]
    assert "3 requests of this token are open" in told.json()["error"]["message"]
    assert 200 == other


def test_a_token_makes_no_more_requests_a_minute_than_it_may(emptied):
    tokens = [bearers.add(user)[0] for user in ("ada", "bob")]
    with serving(KNOWWHY_CALLS_A_MINUTE="5") as url:
        codes = [status(url, tokens[0]) for _ in range(6)]
        told, other = asked(url, tokens[0]), status(url, tokens[1])

    assert [200] * 5 + [429] == codes
    assert 0 < int(told.headers["retry-after"]) <= 60
    assert "within a minute" in told.json()["error"]["message"]
    assert 200 == other


def test_a_token_that_nobody_made_costs_no_look_at_the_tokens(hasty):
    """The tokens are read again after each change, and that one was used is noted late."""
    deadline, codes = time.monotonic() + WAIT, None
    while codes is None:
        assert time.monotonic() < deadline
        assert 200 == status(hasty.url, hasty.ada)
        with nobody_reads("tokens"), contextlib.suppress(httpx2.ReadTimeout):
            tokens = [*(f"kw_{number:043}" for number in range(5)), hasty.ada]
            codes = [status(hasty.url, token, wait=SHORTLY) for token in tokens]

    assert [*[401] * 5, 200] == codes


@contextlib.contextmanager
def nobody_reads(name: str):
    """Holds a table, so that whoever looks into it waits."""
    with direct.Env.get().engine.connect() as connection, connection.begin():
        held = direct.physical_name(name)
        connection.execute(sql.text(f'LOCK TABLE "{held}" IN ACCESS EXCLUSIVE MODE'))
        yield


@pytest.mark.parametrize("host", ["localhost", "LocalHost"])
def test_an_unknown_token_is_refused_without_a_pass_through_the_pages(hasty, host):
    """What goes through them carries a date."""
    request = "POST /mcp HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nContent-Length: 2\r\n"
    heads = {}
    for name, token in (("unknown", "kw_" + "9" * 43), ("known", hasty.ada)):
        with socket.create_connection(("127.0.0.1", hasty.port), WAIT) as one:
            one.sendall(request.format(f"{host}:{hasty.port}", token).encode() + b"\r\n{}")
            heads[name] = one.recv(4_096).partition(b"\r\n\r\n")[0].lower()

    assert b" 401 " in heads["unknown"]
    assert b"\ndate:" not in heads["unknown"]
    assert b" 401 " not in heads["known"]
    assert b"\ndate:" in heads["known"]


def test_a_call_that_takes_too_long_frees_its_caller_and_does_not_go_on(hasty):
    calls = [
        {"name": "remember", "arguments": {"text": f"The {n} gate has a bell.", "said_by": "user"}}
        for n in ("north", "south")
    ]
    with over_http(hasty.url, hasty.ada) as ada, over_http(hasty.url, hasty.bob) as bob:
        with queue("memories"):  # as another process that has been writing for too long
            late = ada.call("run_tools", calls=calls)
            other = bob.ok("find_tools")
        deadline = time.monotonic() + WAIT
        while "north gate" not in (kept := memories()):
            assert time.monotonic() < deadline, kept
            time.sleep(0.1)
        settled(ada, "remember", text="The east gate has no bell.", said_by="user")

    assert late.is_error
    assert "took_too_long" == late.data["error"]["code"]
    assert "more than 2 s" in late.text
    assert other.text
    assert "south gate" not in memories()


def memories() -> str:
    source = table("memories")
    return "\n".join(row["content"] for row in source.select(source.content).collect())


def test_one_user_does_not_take_all_threads(hasty):
    def waits(token: str) -> None:
        try:
            with over_http(hasty.url, token) as one:
                one.call("remember", text="The west gate has a bell.", said_by="user")
        except* MCPError:  # one more than a token may have open
            pass

    token, _ = bearers.add("cyd")
    more, _ = bearers.add("cyd")
    another, _ = bearers.add("cyd")
    with over_http(hasty.url, hasty.bob) as bob, queue("memories"):
        crowded = [
            threading.Thread(target=waits, args=(of,))
            for of in (token, more, another)
            for _ in range(3)
        ]
        for one in crowded:
            one.start()
        time.sleep(0.5)
        said = bob.call("find_tools")
    for one in crowded:
        one.join(WAIT)

    assert not said.is_error, said.text


def test_whether_a_server_is_alive_is_told_to_anybody_and_nothing_else(hasty):
    page = hasty.url.replace("/mcp", "/healthz")
    told = httpx2.get(page, headers={"host": "10.1.2.3"}, timeout=WAIT)

    assert (200, {"status": "ok"}) == (told.status_code, told.json())
    assert {"date", "content-length", "content-type", "cache-control"} == set(told.headers)
    assert 200 == httpx2.head(page, timeout=WAIT).status_code
    assert 405 == httpx2.post(page, json={}, timeout=WAIT).status_code


def test_no_spelling_of_a_path_is_a_way_around_the_token(hasty):
    server = hasty.url.removesuffix("/mcp")
    paths = ("/mcp", "/mcp/", "/mcp%0A", "/%6dcp", "//mcp", "/mcp//", "/MCP", "/mcp;x", "/x/../mcp")

    with socket.create_connection(("127.0.0.1", hasty.port), WAIT) as one:
        one.sendall(b"".join(b"GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n" % p.encode()
                             for p in paths) )  # fmt: skip
        one.shutdown(socket.SHUT_WR)
        told = rest(one)

    codes = re.findall(rb"HTTP/1.1 (\d+)", told)
    assert server
    assert codes
    assert set(codes) <= {b"401", b"404", b"400"}


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """Gives a certificate of this machine and its key, and another key."""
    folder = tmp_path_factory.mktemp("tls")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
         "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext",
         "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", folder / "key.pem",
         "-out", folder / "cert.pem"],
        check=True, capture_output=True,
    )  # fmt: skip
    for name, more in (("other.pem", []), ("locked.pem", ["-aes-256-cbc", "-pass", "pass:x"])):
        subprocess.run(
            ["openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256",
             *more, "-out", folder / name],
            check=True, capture_output=True,
        )  # fmt: skip
    return folder


def test_a_server_speaks_tls_and_silent_connections_do_not_lock_it(emptied, certificate):
    token, _ = bearers.add("ada")
    options = (
        "--tls-cert",
        str(certificate / "cert.pem"),
        "--tls-key",
        str(certificate / "key.pem"),
    )
    with serving(*options, files=FILES) as url:
        assert url.startswith("https://")
        port, trusted = httpx2.URL(url).port, ssl.create_default_context(cafile=options[1])
        with (
            crowd(port, CROWD, b"", b"\x16\x03\x01"),
            httpx2.Client(verify=trusted, timeout=WAIT) as web,
        ):
            named = {**ACCEPT, "authorization": f"Bearer {token}"}
            codes = [web.post(url, json=HELLO, headers=named).status_code for _ in range(3)]
            health = web.get(url.replace("/mcp", "/healthz")).json()

    assert [200] * 3 == codes
    assert {"status": "ok"} == health


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--tls-cert", "cert.pem"), "go together"),
        (("--tls-cert", "none.pem", "--tls-key", "key.pem"), "none.pem cannot be read"),
        (("--tls-cert", "cert.pem", "--tls-key", "other.pem"), "is not the key of"),
        (("--tls-cert", "cert.pem", "--tls-key", "cert.pem"), "PEM"),
        (("--tls-cert", "cert.pem", "--tls-key", "locked.pem"), "password"),
    ],
)
def test_files_that_are_none_for_tls_are_refused_in_a_sentence(certificate, options, said):
    given = [str(certificate / one) if one.endswith(".pem") else one for one in options]
    ran = started("--http", "127.0.0.1:0", *given)

    assert 1 == ran.returncode
    assert said in ran.stderr
    assert "Traceback" not in ran.stderr


def started(*options: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, *SERVE, *options]
    return subprocess.run(
        command, env=environment(), stdin=subprocess.DEVNULL, capture_output=True, text=True,
        timeout=WAIT,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("options", "warns"),
    [((), True), (("--behind-proxy",), False), (("--tls",), False)],
    ids=["plain", "behind a proxy", "TLS"],
)
def test_tokens_in_the_clear_are_warned_of_where_others_can_listen(
    emptied, certificate, options, warns
):
    bearers.add("ada")
    if options == ("--tls",):
        options = ("--tls-cert", str(certificate / "cert.pem"),
                   "--tls-key", str(certificate / "key.pem"))  # fmt: skip
    command = [sys.executable, *SERVE, "--http", "0.0.0.0:0", *options]
    with subprocess.Popen(command, env=environment(), stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        said = []
        while "knowwhy serves at" not in "".join(said[-1:]):
            said.append(server.stderr.readline())
            assert said[-1], said
        server.terminate()

    assert warns == ("there is no TLS" in "".join(said))
