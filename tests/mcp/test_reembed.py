"""The model of a home is changed under a server that runs, and is killed in each of its phases."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from wire import environment, over_stdio

from evaluation.benches import reembedding

TOLD = {  # after a kill in each phase
    "staging": "The invoices team owns the ledger service.",
    "building": "Backups of the parcels database run at 03:00.",
    "switching": "The web shop is written in TypeScript.",
    "dropping": "Our error budget is 0.1 % a month.",
}
QUESTION = "Why was Kafka chosen for events?"


def command(home: Path, *arguments: str, **more: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "knowwhy", *arguments],
        env={**environment(home), "KNOWWHY_EMBEDDER": "", **more},
        capture_output=True,
        text=True,
        timeout=300,
    )


def killed_at(home: Path, phase: str, *arguments: str) -> None:
    """Starts a change of the model and kills it as soon as it says that it is in a phase."""
    process = subprocess.Popen(
        [sys.executable, "-m", "knowwhy", "reembed", *arguments],
        env={**environment(home), "KNOWWHY_EMBEDDER": ""},
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )
    said = []
    for line in process.stderr or ():
        said.append(line)
        if line.startswith(f"{phase}:"):
            os.killpg(process.pid, signal.SIGKILL)
            break
    assert -signal.SIGKILL == process.wait(60), "".join(said)


def filled(home: Path, folder: Path, model: str) -> None:
    notes = [f"# Note {n}\n\nThe broker of team {n} is {b}.\n" for n, b in enumerate(BROKERS)]
    notes.append("# Events\n\nKafka was chosen for events because consumers replay them.\n")
    for number, note in enumerate(notes):
        (folder / f"{number}.md").write_text(note)
    done = command(home, "ingest", "document", str(folder), KNOWWHY_EMBEDDER=model)
    assert 0 == done.returncode, done.stderr
    for more in (
        ("remember", "The parcels team deploys on Tuesdays."),
        ("say", "I always use pnpm for the web shop."),
        ("extract",),
    ):
        done = command(home, *more)
        assert 0 == done.returncode, done.stderr


BROKERS = [f"{name} {n}" for name in ("RabbitMQ", "NATS", "Redis streams", "SQS") for n in range(5)]


def keys(home: Path, question: str) -> list[str]:
    """Asks as a command does; gives what answers, in its order, without keys made at random."""
    done = command(home, "search", "--fast", question, "--json")
    assert 0 == done.returncode, done.stderr
    told = json.loads(done.stdout)
    assert not [note for note in told["notes"] if "failed" in note]
    return [hit["text"] for hit in told["hits"]]


@pytest.mark.model
@pytest.mark.soak
def test_a_change_that_is_killed_in_each_phase_goes_on_under_a_running_server(
    home_folder, tmp_path_factory
):
    home = home_folder
    filled(home, tmp_path_factory.mktemp("notes"), "wordhash")
    refused = command(home, "search", QUESTION, KNOWWHY_EMBEDDER="bge-small")
    assert 1 == refused.returncode
    assert "made by 'wordhash' (wordhash_v1)" in refused.stderr
    assert "Run `knowwhy reembed`" in refused.stderr
    planned = json.loads(
        command(home, "reembed", "--to", "bge-small", "--dry-run", "--json").stdout
    )
    assert ("wordhash", "bge-small", 0) == (
        planned["before"],
        planned["embedder"],
        planned["staged"],
    )
    assert 23 <= planned["texts"]

    with over_stdio(home=home, folder=tmp_path_factory.mktemp("elsewhere")) as assistant:
        assert "Kafka" in assistant.ok("semantic_search", query=QUESTION).text
        for phase, told in TOLD.items():
            killed_at(home, phase, "--to", "bge-small")
            status = json.loads(command(home, "status", "--json").stdout)
            assert ("bge-small", False) == (status["reembed"]["to"], status["reembed"]["running"])
            assert "reembed-unfinished" in [alarm["code"] for alarm in status["alarms"]]
            answer = assistant.ok("semantic_search", query=QUESTION)
            assert "Kafka" in answer.text
            assert not [note for note in answer.data["notes"] if "failed" in note]
            assistant.ok("remember", text=told, said_by="user")
        doctor = command(home, "doctor", "--json")
        assert 1 == doctor.returncode
        (fault,) = [f for f in json.loads(doctor.stdout) if f["state"] == "fault"]
        assert ("model", "knowwhy reembed") == (fault["what"], fault["run"])
        done = command(home, "reembed", "--json")
        assert 0 == done.returncode, done.stderr
        found = assistant.ok("semantic_search", query="At what time do the backups run?")
        assert "03:00" in found.text
        again = json.loads(command(home, "reembed", "--to", "bge-small", "--json").stdout)
        assert not again["changed"]

    status = json.loads(command(home, "status", "--json", KNOWWHY_EMBEDDER="bge-small").stdout)
    assert ("bge-small", None) == (status["embedder"], status["reembed"])
    assert "bge_small_68807e3f" == status["vectors"]
    doctor = command(home, "doctor")
    assert 0 == doctor.returncode, doctor.stdout

    other = home_folder.with_name("fresh")
    filled(other, tmp_path_factory.mktemp("notes"), "bge-small")
    for told in TOLD.values():
        command(other, "remember", told)
    for question in (QUESTION, "which broker has team 7?", "who owns invoices?"):
        assert keys(other, question) == keys(home, question), question


@pytest.mark.model
@pytest.mark.soak
def test_no_search_mixes_or_fails_while_the_model_changes_between_two_real_ones():
    figures = reembedding.measure(passages=120)

    assert {
        "searches that failed": "0",
        "answers of neither model alone": "0",
        "old answers after a new one": "0",
        "searchers that took the new model": str(reembedding.SEARCHERS),
        "answers unlike a fresh ingest": "0",
        "passages without a vector": "0",
        "written and not there": "0",
        "left behind": "nothing",
    }.items() <= figures.items(), figures
    assert "0" != figures["questions that the models answer differently"]
