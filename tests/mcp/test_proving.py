"""The proof of the server: green where all is well, and the exact wire where one is broken."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

import pytest
from mcp_types import Tool as Listed

from knowwhy.mcp.proof.proof_calls import STEPS, Known
from knowwhy.mcp.proof.proof_client import Outcome
from knowwhy.mcp.proof.proof_hints import false_hints
from knowwhy.mcp.proof.proof_place import Place, processes_of
from knowwhy.mcp.proof.proving import Proof, _command, _counts, _leg, _seen, _tool, _tools
from knowwhy.mcp.toolbox.tools import TOOLS

PROVE = (sys.executable, "-m", "knowwhy", "doctor", "--prove")
LONGEST = 900  # seconds of a proof on a loaded machine; half a minute on an idle one
UNTIL_SERVED = 180  # seconds until its server runs
LONGEST_END = 90  # seconds after Ctrl-C

# Takes the place of `sitecustomize`, so every process of a proof runs it before anything else.
BREAK_SERVERS = """
import sys

if "serve" in sys.orig_argv:
    from knowwhy.errors import Error
    from knowwhy.mcp import answers, http, jobs, server
    from knowwhy.mcp.toolbox import registry, tools

    async def send(self):
        "Tells nobody how far a call is."

    server._Progress.send = send
    jobs.Jobs.cancel = jobs.Jobs.find
    http.Tokens._look_up = lambda self, token: None

    def weigh_parcel(caller, parcel: str) -> registry.Said:
        '''Weigh a parcel.'''
        return registry.Said("It weighs 3 kg.")

    def statistics(caller) -> registry.Said:
        '''Count what is stored.'''
        raise Error("The scales are rusty.")

    def git_diff(caller) -> registry.Said:
        '''Show what was changed.'''
        return registry.Said("Nothing has been changed.", {"note": "", "diff": ""})

    def lose_vectors():
        from pixeltable.env import Env

        from knowwhy.tables.write import table

        version = table("passages")._tbl_version.get()
        column = next(iter(version.idxs_by_name.values())).val_col.store_name()
        engine = Env.get().engine.execution_options(isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            name = version.store_tbl.sa_tbl.name
            connection.exec_driver_sql(f"UPDATE {name} SET {column} = NULL")

    take_in = tools.TOOLS["ingest_incident"].run

    def ingest_incident(caller, summary: str, severity: str, lessons: str, service: str):
        '''Keep an incident.'''
        said = take_in(caller, summary, severity, lessons, service)
        lose_vectors()
        return said

    for run in (weigh_parcel, statistics, git_diff, ingest_incident):
        tools.TOOLS[run.__name__] = registry.Tool(run, run.__name__, needs=registry.HOME)
    answers.GIVES["weigh_parcel"] = (answers.ANY,)
    del tools.TOOLS["file_history"]
"""
NO_SERVER = """
import sys

if "serve" in sys.orig_argv:
    sys.exit("The cellar is flooded.")
"""


@pytest.fixture
def temp():
    """Gives a short path, in which a database can have its socket."""
    folder = Path(tempfile.mkdtemp(prefix="knowwhy-t-"))
    yield folder
    shutil.rmtree(folder)


def environment(temp: Path, broken: str = "", home: Path | None = None) -> dict[str, str]:
    """Gives what a proof is started with, in an installation that is broken so."""
    (temp / "broken").mkdir()
    (temp / "tmp").mkdir()
    (temp / "broken" / "sitecustomize.py").write_text(broken)
    paths = [str(temp / "broken"), os.environ.get("PYTHONPATH", "")]
    places = {"TMPDIR": str(temp / "tmp"), "PIXELTABLE_HOME": str(home or temp / "home")}
    return {**os.environ, **places, "PYTHONPATH": os.pathsep.join(filter(None, paths))}


def test_a_whole_server_is_proved_with_the_embedder_of_the_home_which_stays_as_it_was(store, temp):
    from knowwhy.tables.queries import counts
    from knowwhy.tables.touched import stamps

    before = counts(), stamps(("records", "recalls"))
    given = environment(temp, home=Path(os.environ["PIXELTABLE_HOME"]))
    del given["KNOWWHY_EMBEDDER"]
    done = subprocess.run(
        [*PROVE, "--json"], env=given, capture_output=True, text=True, timeout=LONGEST, check=False
    )
    wires = json.loads(done.stdout)
    came = {wire["what"]: wire["came"] for wire in wires}

    assert [] == [wire for wire in wires if not wire["is_whole"]], done.stderr
    assert 0 == done.returncode
    assert {f"tool {name}" for name in TOOLS} <= came.keys()
    assert {f"leg {leg}, records" for leg in ("bm25", "vector", "graph")} <= came.keys()
    assert {f"leg {leg}, {of}" for leg in ("bm25", "vector") for of in ("memories", "turns")} <= (
        came.keys()
    )
    told = {"hints, default profile", "hints, all profile", "server over HTTP", "read-only tools"}
    assert told | {"progress of ingest", "processes, the home stopped"} <= came.keys()
    assert "by run_tool: " in came["tool git_diff"]
    assert "listed: " in came["tool git_diff"]
    assert "wordhash" in came["home: embedder"]
    # How much of the long job is there by the time that it is stopped is left to chance.
    assert re.search(r"\b([1-9]\d*) passages, \1 vectors", came["home: vectors"])
    assert re.search(r"\b([1-9]\d*) of \1 records", came["home: word index"])
    assert before == (counts(), stamps(("records", "recalls")))
    assert [] == list((temp / "tmp").glob("knowwhy-*"))
    assert [] == processes_of(temp / "tmp")


@pytest.mark.soak
def test_each_broken_wire_is_named_with_what_was_expected_and_what_came(temp):
    done = subprocess.run(
        PROVE,
        env=environment(temp, BREAK_SERVERS),
        capture_output=True,
        text=True,
        timeout=LONGEST,
        check=False,
    )
    *lines, last = done.stdout.splitlines()
    broken = [line.removeprefix("broken ") for line in lines if line.startswith("broken ")]

    def about(what: str) -> list[str]:
        return [line for line in broken if line.startswith(what)]

    assert 1 == done.returncode, done.stderr
    assert [] == about("server, ")
    assert [
        "tool weigh_parcel: expected real arguments for it in knowwhy.mcp.proof.proof_calls; came "
        "none, so it was never called"
    ] == about("tool weigh_parcel")
    assert [
        f"tool statistics, {how}: expected an answer with /3 adr/; came an error: The scales are "
        "rusty."
        for how in ("by run_tool", "listed")
    ] == about("tool statistics")
    assert [
        f"tool git_diff, {how}: expected an answer with /The ledger of the company/; came Nothing "
        "has been changed."
        for how in ("by run_tool", "listed")
    ] == about("tool git_diff")
    assert about("tool file_history: expected its name in tools/list of the full profile; came no")
    (vectors,) = about("leg vector, records")
    assert "0002-keep-the-ledger-in-postgresql.md among what the vector leg found; came" in vectors
    assert [
        "hints, all profile: expected of each tool what the registry says that it does; came "
        "ingest_incident readOnlyHint True, destructiveHint False"
    ] == about("hints")
    (moved,) = about("read-only")  # which calls it, listed as one that only reads
    assert "read-only ingest_incident: expected no table to move but those of recalls" in moved
    assert "passages moved" in moved
    assert ["progress of ingest: expected one notification of how far of how much it is, at "
            "least; came 0 notifications"] == about("progress")  # fmt: skip
    assert {"tool cancel_job, by run_tool", "tool cancel_job, listed"} == {
        line.partition(":")[0] for line in about("tool cancel_job")
    }
    assert 1 == len(about("server over HTTP"))
    assert 1 == len(about("home: vectors-missing"))
    (counted,) = about("home: vectors:")
    assert "expected no fault; came 12 of 12 passages have no vector." in counted
    named = {line.partition(":")[0].partition(",")[0] for line in broken}
    assert named <= {
        *("tool weigh_parcel", "tool statistics", "tool git_diff", "tool file_history"),
        *("tool run_tools", "tool run_tool", "leg vector", "home", "tool cancel_job"),
        *("tool job_status", "progress of ingest", "hints", "read-only ingest_incident"),
        "server over HTTP",
    }
    assert last.startswith(f"{len(broken)} of {len(lines)} wires are broken: ")
    assert "Traceback" not in done.stdout + done.stderr


def test_a_server_that_does_not_start_is_said_with_its_last_words(temp):
    done = subprocess.run(
        PROVE,
        env=environment(temp, NO_SERVER),
        capture_output=True,
        text=True,
        timeout=LONGEST,
        check=False,
    )

    assert 1 == done.returncode
    for profile in ("default", "all"):
        named = f"broken server, {profile} profile: "
        (line,) = [line for line in done.stdout.splitlines() if line.startswith(named)]
        assert "Its last words: " in line
        assert "The cellar is flooded." in line
    assert "leg bm25, records: expected record among what the bm25 leg found" in done.stdout
    assert [] == list((temp / "tmp").iterdir())


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_stopped_proof_leaves_no_process_and_no_folder(temp, number):
    with subprocess.Popen(
        PROVE, env=environment(temp), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as proof:
        deadline = time.monotonic() + UNTIL_SERVED
        while not (served := _servers(temp)) and time.monotonic() < deadline:
            time.sleep(0.1)
        time.sleep(2 if number == signal.SIGINT else 0)  # the home is being made, or not yet
        begun = [*(temp / "tmp").iterdir()]
        proof.send_signal(number)
        _, said = proof.communicate(timeout=LONGEST_END)

    assert served
    assert begun
    assert 130 == proof.returncode
    assert b"Traceback" not in said
    assert [] == list((temp / "tmp").iterdir())
    assert [] == processes_of(temp / "tmp")
    assert not any(process.is_running() for process in served)


def _servers(temp: Path) -> list:
    return [p for p in processes_of(temp / "tmp") if "serve" in p.cmdline()]


def test_the_proof_has_real_arguments_for_every_tool():
    assert set(TOOLS) == {step.tool for step in STEPS}


KNOWN = {"n": "1", "canary": "abc", "record": "adr-2", "asked_records": "r1"}


@pytest.mark.parametrize(
    ("ranks", "is_whole", "came"),
    [
        ({"r1": {"adr-2": {"bm25": 3, "vector": 1}}}, True, "adr-2 at rank 3"),
        ({"r1": {"adr-2": {"vector": 1}}}, False, "nothing; the search said: the leg failed"),
        ({"r1": {"x": {"bm25": 1}}}, False, "1 others; the search said: the leg failed"),
        ({"r2": {"adr-2": {"bm25": 1}}}, False, "no row of recalls for the search r1"),
    ],
)
def test_a_leg_is_whole_only_when_it_has_found_what_it_had_to(ranks, is_whole, came):
    known = Known(dict(KNOWN), {"asked_records": "the leg failed"})
    wire = _leg("bm25", "records", known, "asked_records", "record", ranks)

    assert ("leg bm25, records", is_whole, came) == (wire.what, wire.is_whole, wire.came)


def test_a_search_that_was_never_made_proves_no_leg():
    wire = _leg("bm25", "turns", Known({"n": "1"}), "asked_turns", "turn", {})

    assert (False, "no search that could have found it") == (wire.is_whole, wire.came)


def test_one_bad_call_breaks_a_tool_that_answered_before():
    good, bad = (Outcome("listed", is_good, "/x/", "", 1.0) for is_good in (True, False))

    assert [False] == [wire.is_whole for wire in _tool("get", [good, bad], is_listed=True)]
    assert [True] == [wire.is_whole for wire in _tool("get", [good, good], is_listed=True)]
    assert [False] == [wire.is_whole for wire in _tool("get", [good], is_listed=False)]


@pytest.mark.parametrize(
    ("listed", "found", "broken"),
    [
        ({"default": ["a"], "all": ["a", "b"]}, ["a", "b"], []),
        ({"default": [], "all": ["a", "b"]}, ["a", "b"], ["tools/list"]),
        ({"default": ["a"], "all": ["b"]}, ["a", "b"], ["tools/list"]),
        ({"default": ["a"], "all": ["a", "b"]}, ["a"], ["find_tools"]),
    ],
)
def test_the_lists_of_tools_agree(listed, found, broken):
    proof = Proof(None, print, listed=listed, found=found)
    for name in ("a", "b"):
        proof.calls[name].append(Outcome("listed", True, "", ""))

    assert broken == [wire.what for wire in _tools(proof) if not wire.is_whole]


def test_work_that_never_says_how_far_it_is_and_tools_that_nobody_watched_are_broken():
    proof = Proof(None, print)
    proof.calls["ingest"].append(Outcome("listed", True, "", ""))
    assert ["progress of ingest", "read-only tools"] == [
        wire.what for wire in _seen(proof) if not wire.is_whole
    ]

    proof.calls["ingest"].append(Outcome("listed", True, "", "", 1.0, told=2))
    proof.quiet.add("get")
    assert [True, True] == [wire.is_whole for wire in _seen(proof)]


@pytest.mark.parametrize("state", ["fault", "alarm"])
def test_a_home_with_an_alarm_is_no_whole_one(tmp_path, state):
    import anyio

    told = json.dumps([{"what": "x", "state": state, "text": "t"}])
    command = [sys.executable, "-c", f"print({told!r})"]
    wires = anyio.run(_counts, Proof(Place(tmp_path, command, dict(os.environ)), print))

    assert ("home: x", False) == (wires[0].what, wires[0].is_whole)


def test_a_tool_that_is_listed_with_other_hints_is_named():
    from mcp_types import ToolAnnotations

    def listed(name, **hints):
        given = ToolAnnotations(**hints) if hints else None
        return Listed(name=name, input_schema={"type": "object"}, annotations=given)

    right = [listed("get", read_only_hint=True, destructive_hint=False),
             listed("remember", read_only_hint=False, destructive_hint=False),
             listed("rollback_to", read_only_hint=False, destructive_hint=True)]  # fmt: skip
    assert [] == list(false_hints(right))
    wrong = [listed("get"), listed("remember", read_only_hint=True, destructive_hint=False)]
    assert ["get", "remember"] == [told.split()[0] for told in false_hints(wrong)]


def test_a_command_that_breaks_is_named_with_its_last_words(tmp_path):
    import anyio

    command = [sys.executable, "-c", "raise SystemExit('The roof leaks.')"]
    proof = Proof(Place(tmp_path, command, dict(os.environ)), print)
    anyio.run(partial(_command, proof, "doctor", codes=(0, 1)))
    (wire,) = proof.wires

    assert ("knowwhy doctor", False) == (wire.what, wire.is_whole)
    assert "exit code 1; its last words: The roof leaks." == wire.came


def test_what_is_not_known_yet_is_not_guessed():
    known = Known({"n": "1"})

    assert {"keys": ["round 1"]} == known.filled({"keys": ["round {n}"]})
    with pytest.raises(KeyError, match="canary"):
        known.filled({"text": "{canary}"})
