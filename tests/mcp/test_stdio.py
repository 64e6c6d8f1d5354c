"""The server as a process: what it writes, when it answers, how it ends."""

import fcntl
import json
import os
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest
from wire import SERVE, environment, over_stdio

from knowwhy.mcp.answers import ALL_DATA
from knowwhy.telemetry import AGE_SECONDS

GONE_SECONDS = 2.0  # that the official client waits before it sends a signal
MOST_ENDS = 3  # that are tried until one is not held up by other work of the machine
LONGEST_END = 60.0  # seconds on a loaded machine; a second or two on an idle one
IDLE_SECONDS = 10.0  # in which a hundredth is ten ticks of the clock that counts
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
READY = {"jsonrpc": "2.0", "method": "notifications/initialized"}
LIST = {"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {}}
LISTS = [LIST | {"id": number} for number in range(2, 42)]  # more answers than a pipe holds
STANDS_STILL = 0.5  # seconds without another byte: then the pipe is full


def calling(number: int, tool: str, **arguments: Any) -> dict[str, Any]:
    named = {"name": tool, "arguments": arguments, "_meta": {ALL_DATA: True}}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": named}


class Started:
    """A server whose every byte is read."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self.process = process
        self.lines: list[dict[str, Any]] = []

    def send(self, *messages: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        for message in messages:
            self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def answer(self, number: int) -> dict[str, Any]:
        """Reads until a request has been answered; whatever is no JSON fails the test."""
        assert self.process.stdout is not None
        while not (found := [line for line in self.lines if line.get("id") == number]):
            line = self.process.stdout.readline()
            assert line, "the server has ended"
            self.lines.append(json.loads(line))
        return found[0]

    def rest(self) -> list[dict[str, Any]]:
        """Ends the input and reads what still comes."""
        out, _ = self.process.communicate(timeout=60)
        return [json.loads(line) for line in out.splitlines()]

    def fill(self) -> None:
        """Asks for more than fits in the pipe, and reads nothing of it.

        How much fits depends on the answers: each begins a page of its own if it ends in another.
        """
        assert self.process.stdout is not None
        self.send(*LISTS)
        before, now = -1, 0
        while now == 0 or now != before:
            assert self.process.poll() is None, "the server has ended"
            time.sleep(STANDS_STILL)
            before, now = now, unread(self.process.stdout.fileno())

    def family(self) -> list[psutil.Process]:
        return psutil.Process(self.process.pid).children(recursive=True)


def unread(pipe: int) -> int:
    return int.from_bytes(fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)), sys.byteorder)


@contextmanager
def started(home: Path | None = None, folder: Path | None = None, **more: str) -> Iterator[Started]:
    with subprocess.Popen(
        [sys.executable, *SERVE, "--user", "ada"],
        env={**environment(home), **more},
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            yield Started(process)
        finally:
            process.kill()


def is_protocol(line: dict[str, Any]) -> bool:
    return line.get("jsonrpc") == "2.0" and bool(line.keys() & {"result", "error", "method"})


def test_standard_output_carries_only_the_protocol_with_a_fresh_home(home_folder):
    with started(home_folder) as server:
        server.send(HELLO, READY, LIST, calling(3, "remember", text="We deploy on Tuesdays."))
        server.answer(3)
        server.send(calling(4, "semantic_search", query="when do we deploy?"))
        found = server.answer(4)
        told = [*server.lines, *server.rest()]

    assert [] == [line for line in told if not is_protocol(line)]
    assert "result" in found
    assert 0 == server.process.returncode


def test_standard_output_carries_only_the_protocol_with_a_home_in_use(store):
    noisy = {"PIXELTABLE_VERBOSITY": "2", "PYTHONWARNINGS": "always"}
    with started(folder=Path("/"), **noisy) as server:
        server.send(HELLO, READY, LIST)
        for number, tool in enumerate(("statistics", "list_records", "git_status"), 3):
            server.send(calling(number, "run_tool", name=tool))
        for number in (3, 4, 5):
            server.answer(number)
        told = [*server.lines, *server.rest()]

    assert [] == [line for line in told if not is_protocol(line)]


def test_the_list_is_answered_where_no_home_can_be_opened(tmp_path):
    blocked = tmp_path / "home"
    blocked.write_text("a file where the home should be")
    with started(blocked) as server:
        server.send(HELLO, READY, LIST)
        hello, tools = server.answer(1), server.answer(2)
        server.send(calling(3, "semantic_search", query="why?"))
        failed = server.answer(3)

    assert "knowwhy" == hello["result"]["serverInfo"]["name"]
    assert 13 == len(tools["result"]["tools"])
    assert failed["result"]["isError"]
    assert "Traceback" not in json.dumps(failed)


def test_a_first_search_says_that_it_waits(store):
    with over_stdio("--user", "ada") as assistant:
        first = assistant.ok("semantic_search", query="why?")

    assert any("opening" in (message or "") for _, _, message in first.progress)
    counts = [done for done, _, _ in first.progress]
    assert sorted(set(counts)) == counts


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_the_server_with_all_its_processes(store, number):
    with started() as server:
        server.send(HELLO, READY, calling(2, "run_tool", name="statistics"))
        server.answer(2)
        family = server.family()
        begun = time.monotonic()
        os.kill(server.process.pid, number)
        server.process.wait(LONGEST_END)

    assert time.monotonic() - begun < LONGEST_END
    assert [] == [child for child in family if child.is_running() and not is_database(child)]
    assert server.process.returncode in (0, -number)


def test_the_server_ends_when_its_client_goes(store):
    with started() as server:
        server.send(HELLO, READY, calling(2, "run_tool", name="statistics"))
        server.answer(2)
        family = server.family()
        server.process.stdin.close()
        server.process.wait(LONGEST_END)

    assert 0 == server.process.returncode
    assert [] == [child for child in family if child.is_running() and not is_database(child)]


def test_a_client_that_goes_in_the_middle_of_calls_ends_the_server_well(store):
    with started() as server:
        server.send(HELLO, READY)
        server.answer(1)
        server.fill()
        server.process.stdout.close()
        server.process.stdin.close()
        server.process.wait(LONGEST_END)

    assert 0 == server.process.returncode


def test_a_client_that_reads_nothing_does_not_hold_up_the_end(store):
    def asked_to(process):
        process.send_signal(signal.SIGTERM)

    for end in (asked_to, lambda process: process.stdin.close()):
        with started() as server:
            server.send(HELLO, READY)
            server.answer(1)
            server.fill()
            end(server.process)
            server.process.wait(LONGEST_END)

        assert 0 == server.process.returncode


def test_after_a_search_the_server_ends_before_its_client_would_kill_it(store):
    from knowwhy.tables.write import table

    took = []
    while len(took) < MOST_ENDS and min(took, default=LONGEST_END) > GONE_SECONDS:
        with started(KNOWWHY_RERANKER="ms-marco-minilm") as server:
            took.append(seconds_to_end_after_a_search(server))
        assert 0 == server.process.returncode

    assert min(took) < GONE_SECONDS
    assert len(took) == table("recalls").count()


def seconds_to_end_after_a_search(server: Started) -> float:
    server.send(HELLO, READY)
    for number, day in enumerate(("Tuesdays", "Thursdays"), 2):
        server.send(calling(number, "remember", text=f"We ship on {day}.", said_by="user"))
        server.answer(number)
    server.send(calling(4, "semantic_search", query="when do we ship?"))
    server.answer(4)
    family = server.family()
    begun = time.monotonic()
    server.process.stdin.close()
    server.process.wait(LONGEST_END)
    took = time.monotonic() - begun
    assert [] == [child for child in family if child.is_running() and not is_database(child)]
    return took


def test_calls_inside_calls_wait_until_a_fresh_home_is_open(home_folder):
    inner = {"calls": [{"name": "statistics"}, {"name": "list_memories"}]}
    with started(home_folder) as server:
        nested = calling(2, "run_tool", name="run_tools", arguments=inner)
        server.send(HELLO, READY, nested)
        results = server.answer(2)["result"]["structuredContent"]["results"]

    assert [None, None] == [result["error"] for result in results], results


def test_the_server_ends_when_its_client_goes_while_the_home_is_opened(store):
    with started() as server:
        server.send(HELLO, READY, LIST, calling(3, "semantic_search", query="why?"))
        server.answer(2)
        server.process.stdin.close()
        server.process.wait(LONGEST_END)

    assert 0 == server.process.returncode


def test_git_is_asked_without_waiting_for_a_home(tmp_path, repository):
    blocked = tmp_path / "home"
    blocked.write_text("a file where the home should be")
    with over_stdio("--repo", str(repository), home=blocked) as assistant:
        found = assistant.ok("search_commits", query="incidents")
        status = assistant.ok("run_tool", name="git_status")
        listed = assistant.ok("find_tools", query="go back to a checkpoint")
        refused = assistant.fails("run_tool", name="statistics")

    assert "Add docs/incidents" in found.text
    assert "branch main" in status.text
    assert "rollback_to" in listed.text
    assert refused


def test_what_was_asked_is_noted_though_the_client_goes_at_once(store):
    from knowwhy.tables.write import table

    with over_stdio("--user", "ada") as assistant:
        asked = assistant.ok("semantic_search", query="Why do we ship on Tuesdays?")
    (row,) = table("recalls").collect()

    assert asked.data["recall"] == row["key"]
    assert "ada" == row["user_id"]


def test_an_idle_server_does_nothing(store):
    with started() as server:
        server.send(HELLO, READY, calling(2, "semantic_search", query="why?"))
        server.answer(2)
        time.sleep(AGE_SECONDS + 1)  # then what was asked has been noted
        before = used(server.process.pid)
        time.sleep(IDLE_SECONDS)
        share = (used(server.process.pid) - before) / IDLE_SECONDS

    assert share < 0.01, f"{share:.1%} of a processor"


def used(pid: int) -> float:
    times = psutil.Process(pid).cpu_times()
    return times.user + times.system


def is_database(process: psutil.Process) -> bool:
    return "postgres" in process.name()
