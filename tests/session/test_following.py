"""Syncs that hooks ask for: one at a time, none forgotten, each written down."""

import sys
import threading
import time

from knowwhy.session import following
from knowwhy.session.following import follow, last_run

# Notes when it runs, and whether another one runs at the same time.
SYNC = """
import os, pathlib, sys, time
own = pathlib.Path(sys.argv[1])
(own / f"on-{os.getpid()}").touch()
time.sleep(0.4)
print("together" if len(list(own.glob("on-*"))) > 1 else "alone", flush=True)
(own / f"on-{os.getpid()}").unlink()
(own / "done").write_text(str(time.time()))
"""


def test_what_moves_often_is_synced_once_more_and_never_twice_at_a_time(tmp_path):
    counts = []

    def ask():
        counts.append(follow(tmp_path / "own", [sys.executable, "-c", SYNC, str(tmp_path)], "test"))

    threads = []
    for _ in range(12):
        threads.append(threading.Thread(target=ask))
        threads[-1].start()
        time.sleep(0.05)
    last_asked = time.time()
    for thread in threads:
        thread.join()

    log = (tmp_path / "own" / "sync.log").read_text()
    assert 12 == len(counts)
    assert 1 <= sum(counts) <= 4
    assert sum(counts) == log.count("alone\n")
    assert "together" not in log
    assert float((tmp_path / "done").read_text()) > last_asked
    assert not (tmp_path / "own" / "again").exists()


def test_what_a_sync_said_and_how_it_ended_is_kept(tmp_path):
    command = [sys.executable, "-c", "import sys; print('3 added'); sys.exit(4)"]

    assert 1 == follow(tmp_path / "own", command, "post-merge")

    last = last_run(tmp_path / "own")
    assert last is not None
    assert ("post-merge", 4) == (last.because, last.code)
    log = (tmp_path / "own" / "sync.log").read_text()
    assert "3 added\n" in log
    assert "post-merge: ended with 4 after" in log


def test_a_command_that_is_gone_is_written_down_and_no_error(tmp_path):
    follow(tmp_path / "own", [str(tmp_path / "gone")], "post-commit")

    last = last_run(tmp_path / "own")
    assert last is not None
    assert 0 != last.code


def test_a_sync_that_takes_too_long_is_ended(tmp_path, monkeypatch):
    monkeypatch.setattr(following, "LONGEST_SECONDS", 0.3)
    begun = time.monotonic()

    follow(tmp_path / "own", ["sleep", "30"], "post-commit")

    last = last_run(tmp_path / "own")
    assert last is not None
    assert following.KILLED == last.code
    assert time.monotonic() - begun < 10


def test_a_log_that_has_become_long_keeps_its_end(tmp_path):
    (tmp_path / "sync.log").write_bytes(b"an old line\n" * 100_000 + b"the last line\n")

    follow(tmp_path, [sys.executable, "-c", "print('new')"], "post-commit")

    log = (tmp_path / "sync.log").read_bytes()
    assert len(log) < following.KEPT_LOG + 1_000
    assert log.startswith(b"an old line\n")
    assert b"the last line\n" in log
    assert b"new\n" in log


def test_notes_that_cannot_be_read_are_no_notes(tmp_path):
    assert last_run(tmp_path) is None
    for text in ("", "{", "[]", '{"because": 1}'):
        (tmp_path / "last.json").write_text(text)
        assert last_run(tmp_path) is None
