"""A day in an assistant's life, played over stdio from the first start to a decision found."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest
from wire import Answer, Assistant, environment, git, over_stdio

TASK = "Move the parcel labels to the new printer"
KAFKA = "docs/adr/0001-send-labels-through-kafka.md"
ZEBRA = "docs/adr/0002-print-labels-with-zpl.md"
FOLLOWED = 120  # seconds until a commit is followed, on a loaded machine; some seconds on an idle
GIT_WAITS = 10.0  # seconds on a loaded machine; some tenths of one on an idle one
BEFORE = {
    KAFKA: """---
status: accepted
date: 2024-03-04
---

# Send labels through Kafka

## Context and Problem Statement

Labels were lost when the print server was down.

## Decision Outcome

Chosen option: "Kafka", because a label can be read again after the print server was down.
""",
    "labels/printing.py": '"""Prints labels."""\n',
}
AFTER = """---
status: accepted
date: 2025-06-11
---

# Print labels with ZPL

## Context and Problem Statement

PDF labels take four seconds on the new printer, and the belt does not wait.

## Decision Outcome

Chosen option: "ZPL", because the printer draws it without a driver in 80 milliseconds.
Depends on ADR-0001.
"""


@pytest.fixture(scope="module")
def labels(emptied, tmp_path_factory) -> Path:
    """Gives a repository in which the hook is installed, as a user does it."""
    root = tmp_path_factory.mktemp("day") / "labels"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    for name, text in BEFORE.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "Begin with the labels")
    ran = hook("install", root)
    assert 0 == ran.returncode, ran.stderr
    return root


def hook(word: str, root: Path) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "knowwhy", "hook", word, "--repo", str(root), "--json"]
    return subprocess.run(command, env=environment(), capture_output=True, text=True, check=False)


def started(root: Path):
    return over_stdio("--user", "ada", "--repo", str(root))


def cited(answer: Answer) -> list[str]:
    """Gives the paths of the records among the hits, best first."""
    return [hit["path"] for hit in answer.data["hits"] if hit["is"] == "record"]


def test_a_day_of_an_assistant(labels):
    with started(labels) as morning:
        remembered, waiting = the_morning(morning)
    with started(labels) as afternoon:
        the_afternoon(afternoon, remembered, waiting)
        commit_a_decision(labels)
        ask_about_the_decision(afternoon)
    with started(labels) as next_day:
        assert TASK in next_day.ok("get_task_context").text
        assert f"{ZEBRA}:" in next_day.ok("semantic_search", query="Why do we print ZPL?").text


def the_morning(assistant: Assistant) -> tuple[str, str]:
    """Sets the task, takes the repository in, searches and remembers."""
    assert "No task is set here" in assistant.ok("get_task_context").text
    assistant.ok("set_task_context", task=TASK, details={"next": "measure the printer"})
    assert "done" in assistant.ok("ingest", wait_seconds=120).text

    why = assistant.ok("semantic_search", query="Why do labels go through Kafka?")
    assert KAFKA == cited(why)[0].removeprefix("labels/")
    assert f"{KAFKA}:" in why.text

    kept = assistant.ok(
        "remember",
        text="The new printer stands at gate 7 and is called Iris (ADR-1).",
        said_by="user",
    )
    guess = assistant.ok("remember", text="The belt stops after 3 labels a second (ADR-77).")
    assert ["active", "pending"] == [kept.data["status"], guess.data["status"]]
    return kept.data["key"], guess.data["key"]


def the_afternoon(assistant: Assistant, remembered: str, waiting: str) -> None:
    """Goes on in a server that was started anew: recalls, and reviews what waits."""
    begun = assistant.ok("get_task_context")
    assert TASK in begun.text
    assert {"next": "measure the printer"} == begun.data["task"]["details"]
    assert "Begin with the labels" in begun.text

    recalled = assistant.ok("recall", query="Where does the new printer stand?")
    assert remembered in [hit["key"] for hit in recalled.data["hits"]]
    assert "gate 7" in recalled.text

    belt = {"query": "How many labels a second does the belt take?"}
    assert waiting not in assistant.ok("recall", **belt).text
    pending = assistant.ok("review_pending")
    assert [waiting] == [memory["key"] for memory in pending.data["memories"]]
    assistant.ok("review_pending", action="approve", keys=[waiting])
    assert waiting in [hit["key"] for hit in assistant.ok("recall", **belt).data["hits"]]
    assert "Nothing waits" in assistant.ok("review_pending").text


def commit_a_decision(root: Path) -> None:
    """Commits a new decision; the hook hands it to sync, and git does not wait for that."""
    (root / ZEBRA).write_text(AFTER)
    git(root, "add", "-A")
    begun = time.monotonic()
    git(root, "commit", "-q", "-m", "Decide to print labels with ZPL")
    took = time.monotonic() - begun
    assert took < GIT_WAITS, f"git commit took {took:.1f} s"

    deadline = time.monotonic() + FOLLOWED
    while (last := json.loads(hook("status", root).stdout)["last"]) is None:
        assert time.monotonic() < deadline, "the commit was not followed"
        time.sleep(0.5)
    assert ["post-commit", 0] == [last["because"], last["code"]]


def ask_about_the_decision(assistant: Assistant) -> None:
    """Asks a server that has run all the time about what was committed meanwhile."""
    asked = assistant.ok("semantic_search", query="Why do we print labels with ZPL?")
    assert asked.data["knows"]
    assert ZEBRA == cited(asked)[0].removeprefix("labels/")
    assert f"{ZEBRA}:" in asked.text
    assert "80 milliseconds" in assistant.ok("get", key=cited(asked)[0]).text

    origin = assistant.ok("why", key="ADR-2")
    assert "DEPENDS_ON" in origin.text
    assert origin.data["commit"]
    (commit,) = assistant.ok("search_commits", query="ZPL").data["commits"]
    assert origin.data["commit"] == commit["id"]
    assert [ZEBRA] == commit["files"]
    assert "Decide to print labels with ZPL" in assistant.ok("get_task_context").text
