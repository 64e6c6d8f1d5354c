"""A server speaks to nobody but its client and its own machine."""

import os
import re
import shutil
import subprocess
import sys
import time

import pytest
from mcp import StdioServerParameters
from wire import SERVE, connected

SECONDS = 60.0  # watched; without the switch the maker of ONNX Runtime is looked up within ten
TOLD = re.compile(r"(?:connect|sendto|sendmsg)\(.*?sa_family=(AF_\w+)(.*)")
WITHIN = ("AF_UNIX", "AF_NETLINK")  # families that no packet leaves the machine by
LOOPBACK = re.compile(r'inet_addr\("127\.|inet_pton\(AF_INET6, "::1"|"::ffff:127\.')
NAMES = re.compile(r"port=htons\((?:53|5353|853)\)")  # a resolver may listen on the loopback


@pytest.mark.model
def test_a_server_with_its_models_loaded_reaches_no_other_machine(tmp_path, home_folder):
    strace = shutil.which("strace")
    if strace is None:
        pytest.skip("strace is not installed: nobody can say which sockets a server opens")
    # Nothing that a build server sets: the library is silent there by itself.
    environ = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "PIXELTABLE_HOME": str(home_folder),
        "KNOWWHY_EMBEDDER": "bge-small",
        "KNOWWHY_RERANKER": "ms-marco-minilm",
    }
    trace = tmp_path / "trace"
    watched = [strace, "-f", "-qq", "-e", "trace=network", "-o", str(trace)]
    server = StdioServerParameters(
        command=watched[0], args=[*watched[1:], sys.executable, *SERVE], env=environ
    )
    ends = time.monotonic() + SECONDS
    with connected(server) as assistant:
        assistant.ok("remember", text="The queue keeps messages for 7 days.", said_by="user")
        assert "7 days" in assistant.ok("recall", query="How long are messages kept?").text
        time.sleep(max(0.0, ends - time.monotonic()))

    told = [line for line in trace.read_text(errors="replace").splitlines() if TOLD.search(line)]
    assert told, "strace has seen no socket, not even the database's"
    assert [] == [line for line in told if _leaves(line)]
    written = {str(file.relative_to(tmp_path)) for file in tmp_path.rglob("*") if file.is_file()}
    assert [] == [name for name in written if re.search("onnx|microsoft|deviceid", name, re.I)]


def _leaves(line: str) -> bool:
    found = TOLD.search(line)
    assert found is not None
    family, rest = found[1], found[2]
    if family in WITHIN:
        return False
    return not LOOPBACK.search(rest) or bool(NAMES.search(rest))


def test_whoever_imports_the_package_has_switched_it_off():
    environ = {k: v for k, v in os.environ.items() if k != "ORT_DISABLE_TELEMETRY"}
    look = "import os, knowwhy; print(os.environ['ORT_DISABLE_TELEMETRY'])"
    done = subprocess.run(
        [sys.executable, "-c", look], env=environ, capture_output=True, text=True, check=True
    )
    assert "1" == done.stdout.strip()
