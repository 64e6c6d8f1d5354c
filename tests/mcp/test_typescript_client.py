"""The official TypeScript clients call every tool, over the standard streams and over HTTP."""

import fcntl
import hashlib
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from calls import CALLS
from wire import SERVE, environment, git, serving

from knowwhy.mcp.resources import LISTS, ROOT
from knowwhy.mcp.toolbox.tools import TOOLS
from knowwhy.tables.agents import bearers

FOLDER = Path(__file__).parent / "typescript"
OLDEST_NODE = 20
INSTALL_SECONDS = 240
RUN_SECONDS = 400
UNREACHABLE = re.compile(
    r"ENOTFOUND|EAI_AGAIN|ECONN\w+|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT"
)
FILES = 400  # of the long work: seven batches, so that it can be given up between them
FIRSTS = itertools.count(1_000, 1_000)  # numbers that no other run's texts have
RUNS = [  # the first line of the SDK and the second, whose client speaks the newer protocol
    ("sdk", "stdio", "default"),
    ("sdk", "http", "all"),
    ("client", "stdio", "all"),
    ("client", "http", "default"),
]


@pytest.fixture(scope="session")
def modules() -> Path:
    """Gives the installed clients: installed once for each lock file, outside of the tree."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if not node or not npm:
        pytest.skip("node and npm are not installed")
    version = subprocess.run([node, "--version"], capture_output=True, text=True).stdout
    if int(version.lstrip("v").split(".")[0]) < OLDEST_NODE:
        pytest.skip(f"node {version.strip()} is older than {OLDEST_NODE}")
    lock = hashlib.sha256((FOLDER / "package-lock.json").read_bytes()).hexdigest()[:16]
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    place = cache / "knowwhy-tests" / f"typescript-{lock}"
    place.mkdir(parents=True, exist_ok=True)
    with (place / "lock").open("w") as alone:
        fcntl.flock(alone, fcntl.LOCK_EX)
        if not (place / "installed").exists():
            _install(npm, place)
            (place / "installed").touch()
    return place / "node_modules"


def _install(npm: str, place: Path) -> None:
    for name in ("package.json", "package-lock.json"):
        shutil.copy(FOLDER / name, place)
    ran = subprocess.run(
        [npm, "ci", "--no-audit", "--no-fund", "--ignore-scripts", "--fetch-retries=1"],
        cwd=place,
        capture_output=True,
        text=True,
        timeout=INSTALL_SECONDS,
    )
    if ran.returncode and UNREACHABLE.search(ran.stderr):
        pytest.skip("the npm registry cannot be reached")
    assert 0 == ran.returncode, ran.stderr


@pytest.fixture(scope="module")
def workplace(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Gives a copy of the repository with code that takes a while to take in."""
    root = tmp_path_factory.mktemp("large") / "platform"
    shutil.copytree(repository, root)
    (root / "gates").mkdir()
    for number in range(FILES):
        functions = "\n\n".join(
            f'def f{n}() -> int:\n    """Counts lane {n} of gate {number}."""\n    return {n}'
            for n in range(40)
        )
        (root / "gates" / f"gate_{number}.py").write_text(functions)
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "Add the gates")
    return root


@contextmanager
def server(transport: str, *options: str) -> Iterator[dict[str, Any]]:
    """Gives how a client reaches a server: the command to start it, or the URL of one that runs."""
    if transport == "stdio":
        args = [*SERVE, "--user", "ada", *options]
        yield {"stdio": {"command": sys.executable, "args": args, "env": environment()}}
        return
    token, _ = bearers.add("ada")
    with serving(*options) as url:
        yield {"http": {"url": url, "token": token}}


@pytest.fixture(scope="module", params=RUNS, ids="-".join)
def reported(request, emptied, modules, workplace) -> dict[str, Any]:
    """Gives what a client reports that has called everything."""
    from knowwhy.tables.write import table

    table("records").delete()
    sdk, transport, profile = request.param
    folder = Path(tempfile.mkdtemp(prefix="knowwhy-typescript-"))
    shutil.copy(FOLDER / "client.mjs", folder)
    (folder / "node_modules").symlink_to(modules)
    with server(transport, "--repo", str(workplace), "--profile", profile) as reached:
        plan = {
            "sdk": sdk,
            **reached,
            "first": next(FIRSTS),
            "calls": {name: asdict(call) for name, call in CALLS.items()},
            "items": [f"{ROOT}item/ADR-12", f"{ROOT}item/ADR-99999"],
            "long": "gates",
            "said": "Replace Kafka by a managed queue.",
        }
        (folder / "plan.json").write_text(json.dumps(plan))
        ran = subprocess.run(
            ["node", "client.mjs", "plan.json"],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=RUN_SECONDS,
        )
    shutil.rmtree(folder)
    assert 0 == ran.returncode, ran.stderr
    return {**json.loads(ran.stdout), "transport": transport, "profile": profile}


def test_the_client_lists_the_tools_with_the_form_of_their_answers(reported):
    expected = [
        tool.name for tool in TOOLS.values() if tool.default or reported["profile"] == "all"
    ]

    assert "knowwhy" == reported["server"]["name"]
    assert {"tools", "resources", "prompts"} <= reported["capabilities"].keys()
    assert expected == reported["tools"]
    assert [] == reported["undescribed"]


def test_every_tool_answers_as_it_should(reported):
    answers = reported["calls"]

    assert set(CALLS) == set(answers)
    assert {} == {n: a["failed"] for n, a in answers.items() if "failed" in a}
    assert {} == {n: a["text"] for n, a in answers.items() if a["isError"]}
    assert {} == {n: a["text"] for n, a in answers.items() if CALLS[n].words not in a["text"]}
    assert {} == {n: a for n, a in answers.items() if not isinstance(a["data"], dict)}
    assert [] == reported["errors"]


def test_a_wrong_call_is_a_tool_error_that_a_strict_client_can_read(reported):
    refused = reported["refused"]

    assert "failed" not in refused, refused
    assert refused["isError"]
    assert "key should be a valid string" in refused["content"][0]["text"]
    assert "bad_input" == refused["structuredContent"]["error"]["code"]


def test_the_first_search_and_long_work_tell_how_far_they_are(reported):
    first, long = reported["first"], reported["long"]

    assert not first["isError"]
    assert not long["isError"]
    assert "done" == long["data"]["state"]
    if reported["transport"] == "stdio":
        assert any("opening" in at["message"] for at in first["progress"])
    counts = [at["progress"] for at in long["progress"] if at.get("total") == FILES]
    assert counts
    assert sorted(set(counts)) == counts


def test_a_call_that_its_client_gives_up_stops_its_job(reported):
    stopped = reported["stopped"]

    assert "enough" in stopped["gone"]["failed"]
    assert "cancelled" == stopped["job"]["data"]["state"]
    assert stopped["job"]["data"]["done"] < FILES


def test_the_client_reads_resources_and_prompts(reported):
    missing = reported["resources"].pop(f"{ROOT}item/ADR-99999")
    written = reported["prompts"]

    assert "No record" in missing["failed"]
    assert {*(ROOT + name for name in LISTS), f"{ROOT}item/ADR-12"} == set(reported["resources"])
    assert [] == [read for read in reported["resources"].values() if not read.get("text")]
    of_service = f"{ROOT}active_incidents/{{+service}}"
    assert {f"{ROOT}item/{{+key}}", of_service} == set(reported["templates"])
    assert {"plan_change", "write_adr", "write_postmortem"} == set(written)
    assert all("managed queue" in prompt["text"] for prompt in written.values()), written
