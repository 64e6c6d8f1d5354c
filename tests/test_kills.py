"""Processes that are killed, stopped or crowded, and the memory that comes out whole."""

import os
import signal
import subprocess
import sys
import time

import pytest

from evaluation.benches import extraction_kills, kills, writers

NOTES = 600  # files; more than a process can take in before it is stopped


@pytest.mark.model
@pytest.mark.slow
def test_an_ingest_that_is_killed_and_run_again_leaves_everything_findable():
    figures = kills.measure(times=2)

    assert "0" == figures["faults after running again"]


@pytest.mark.soak
def test_writers_and_readers_side_by_side_lose_nothing():
    figures = writers.measure(times=6)

    assert "0" == figures["lost, doubled or stale records"]
    assert int(figures["searches"]) > 0


@pytest.mark.slow
def test_ctrl_c_ends_with_one_line_and_the_same_command_goes_on(home_folder, tmp_path):
    for number in range(NOTES):
        words = " ".join(f"word{number * n % 997}" for n in range(300))
        (tmp_path / f"{number}.md").write_text(f"# Note {number}\n\n{words}\n")
    command = [sys.executable, "-c", "from knowwhy.cli import main; main()"]
    command += ["ingest", "document", str(tmp_path)]
    environ = {**os.environ, "PIXELTABLE_HOME": str(home_folder)}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    process = subprocess.Popen(command, env=environ, **pipes)
    while not (home_folder / "knowwhy.json").exists():
        time.sleep(0.01)

    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=120)

    assert 130 == process.returncode, err
    assert "stopped; what was written stays, the same command goes on." in err
    assert "Traceback" not in err
    again = subprocess.run(command, env=environ, capture_output=True, text=True)
    added, unchanged = (int(again.stdout.split(", ")[place].split()[0]) for place in (0, 3))
    assert NOTES == added + unchanged, again.stderr


@pytest.mark.slow
def test_an_extractor_that_is_killed_reads_every_turn_and_judges_every_fact_once():
    figures = extraction_kills.measure(times=2, turns=20)

    assert "0" == figures["faults at the end"]
    assert "40, " == figures["turns, facts"][:4]
