"""A search leaves one row, and writing it can break nothing."""

import json
import logging
import subprocess
import sys
import threading
import time
from datetime import UTC, datetime

import pytest

from knowwhy import telemetry
from knowwhy.errors import StoreFailed
from knowwhy.tables import queries, write
from knowwhy.telemetry import Notebook
from knowwhy.types import Draft, Recall


def recall(question: str = "Why Redis?", **more: object) -> Recall:
    return Recall(question, ("a", "b"), 120, **more)


class Kept:
    """A table in memory, which can be closed for a while."""

    def __init__(self) -> None:
        self.batches: list[list[Recall]] = []
        self.open = threading.Event()
        self.open.set()
        self.arrived = threading.Event()

    def put(self, recalls):
        self.open.wait(60)
        self.batches.append(list(recalls))
        self.arrived.set()


def test_a_row_is_stored_with_all_that_it_says(store):
    ranks = {"a": {"bm25": 1, "vector": 3}, "b": {"graph": 2}}
    expected = recall(
        question_class="decision",
        weights={"bm25": 1.0},
        ranks=ranks,
        packed=[{"block": "Knowledge"}],
        top_n_selected=1,
        user_id="ann",
        project="p",
        agent_id="claude",
        session_id="s1",
    )

    telemetry.store([expected])

    assert [expected] == queries.recalls(10)
    table = write.table("recalls")
    assert [2] == list(table.select(table.result_count).collect()["result_count"])


def test_secrets_of_a_question_are_not_stored(store):
    secret = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"

    telemetry.store([recall(f"Why does {secret} fail?")])

    assert secret not in queries.recalls(1)[0].question
    assert "Why does [redacted" in queries.recalls(1)[0].question


def test_the_newest_searches_come_first(store):
    for number in range(5):
        telemetry.store([recall(f"Question {number}?")])

    assert ["Question 4?", "Question 3?"] == [r.question for r in queries.recalls(2)]


def test_searches_of_one_moment_have_an_order_of_their_own(store):
    at = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)
    telemetry.store([recall(f"Question {key}?", key=key, at=at) for key in "badc"])
    write.table("recalls").batch_update([{"key": "d", "session_id": "s"}])  # its row moves

    assert ["d", "c", "b", "a"] == [found.key for found in queries.recalls(4)]


def test_rows_are_written_together_once_there_are_enough():
    kept = Kept()
    notebook = Notebook(kept.put)
    kept.open.clear()
    for number in range(telemetry.BATCH * 3):
        notebook.add(recall(str(number)))
    kept.open.set()
    notebook.flush()

    assert telemetry.BATCH * 3 == sum(map(len, kept.batches))
    assert len(kept.batches) <= 4
    assert [str(n) for n in range(telemetry.BATCH * 3)] == [
        row.question for batch in kept.batches for row in batch
    ]


def test_a_row_that_has_waited_is_written_alone(monkeypatch):
    monkeypatch.setattr(telemetry, "AGE_SECONDS", 0.05)
    kept = Kept()
    Notebook(kept.put).add(recall())

    assert kept.arrived.wait(60)
    assert [["Why Redis?"]] == [[row.question for row in batch] for batch in kept.batches]


def test_a_search_does_not_wait_for_a_write_that_is_stuck():
    kept = Kept()
    kept.open.clear()
    notebook = Notebook(kept.put)
    began = time.monotonic()
    for number in range(telemetry.WAITING_AT_MOST + 200):
        notebook.add(recall(str(number)))

    assert time.monotonic() - began < 5
    kept.open.set()
    notebook.flush()
    questions = [row.question for batch in kept.batches for row in batch]
    assert str(telemetry.WAITING_AT_MOST + 199) == questions[-1]


def test_a_write_that_fails_is_told_once_and_breaks_nothing(caplog):
    def fail(recalls):
        raise StoreFailed("the disk is full")

    notebook = Notebook(fail)
    with caplog.at_level(logging.WARNING, "knowwhy"):
        for _ in range(3):
            notebook.add(recall())
            notebook.flush()

    assert ["what is asked is not being noted: the disk is full"] == caplog.messages


def test_what_waits_is_written_at_the_end():
    kept = Kept()
    notebook = Notebook(kept.put)
    notebook.add(recall())

    notebook.close()

    assert 1 == len(kept.batches)


def put_redis() -> None:
    draft = Draft(id="a", kind="adr", title="A", content="Redis holds sessions.", content_hash="x")
    write.put_records(write.prepare([draft], "wordhash"))


def test_a_search_at_the_command_line_is_listed_by_recalls(knowwhy):
    put_redis()
    knowwhy("search", "What holds sessions?", "--project", "p")
    found = json.loads(knowwhy("search", "Why Redis?", "--json").out)
    telemetry.flush()

    listed = json.loads(knowwhy("recalls", "--json").out)

    assert ["Why Redis?", "What holds sessions?"] == [row["question"] for row in listed]
    assert [hit["key"] for hit in found["hits"]] == listed[0]["result_keys"]
    assert 1 == listed[0]["ranks"]["a"]["bm25"]
    assert listed[0]["payload_bytes"] > 0
    assert "p" == listed[1]["project"]
    assert 1 == len(json.loads(knowwhy("recalls", "--json", "--limit", "1").out))
    assert "  1. a  (bm25 1" in knowwhy("recalls").out


def test_a_process_that_ends_with_its_answer_leaves_its_row(store):
    put_redis()
    command = "import sys; from knowwhy.cli import main; sys.argv[1:] = ['search', 'Why Redis?']"

    done = subprocess.run(
        [sys.executable, "-c", f"{command}; main()"], capture_output=True, text=True, check=True
    )

    assert "Redis holds sessions." in done.stdout
    assert "" == done.stderr
    assert ["Why Redis?"] == [row.question for row in queries.recalls(5)]


@pytest.mark.parametrize("limit", ["0", "-1", "99999999999999999999"])
def test_a_limit_that_cannot_be_is_refused(knowwhy, limit):
    assert "is not in the range" in knowwhy("recalls", "--limit", limit).err


def test_no_search_is_said_so(knowwhy):
    telemetry.flush()
    write.table("recalls").delete()

    assert "Nothing has been asked yet." in knowwhy("recalls").out
