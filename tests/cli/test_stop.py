"""What begins and ends: a home that is made, its database ended, a command that is told to stop."""

import json
import os
import queue
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from knowwhy.tables.homes import home

ANSWERED, ENDED = 1.0, 5.0  # seconds that are promised
SLOW = 4  # times as long on a machine that does much else
FULL = "is full: make room on it, then give the same command again"


def command(*words: object) -> list[str]:
    return [sys.executable, "-m", "knowwhy", *map(str, words)]


def run(folder: Path, *words: object, **how: object) -> "subprocess.CompletedProcess[str]":
    environ = {**os.environ, "PIXELTABLE_HOME": str(folder)}
    given = {"env": environ, "capture_output": True, "text": True, "timeout": 300, **how}
    return subprocess.run(command(*words), **given)


def test_the_first_command_says_that_it_makes_a_home_and_the_next_does_not(home_folder):
    first, second = run(home_folder, "status"), run(home_folder, "status")

    assert (0, 0) == (first.returncode, second.returncode), first.stderr
    assert f"making a home in {home_folder}" in first.stderr
    assert "" == second.stderr


def test_the_database_is_ended_unless_others_use_it(home_folder):
    absent = run(home_folder, "stop")
    assert 0 == run(home_folder, "say", "The loft is closed.", "--user", "u").returncode
    environ = {**os.environ, "PIXELTABLE_HOME": str(home_folder)}
    words = ("serve", "--http", "127.0.0.1:0")
    with subprocess.Popen(command(*words), env=environ, stderr=subprocess.PIPE) as serving:
        try:
            assert b"serves at" in serving.stderr.readline()
            refused = until(lambda: run(home_folder, "stop"), lambda ran: ran.returncode == 1)
            running = home.server(home_folder / home.PGDATA)
            ended = run(home_folder, "stop", "--now", "--json")
            left = home.server(home_folder / home.PGDATA)
        finally:
            serving.kill()
    again = run(home_folder, "stop")
    recalled = run(home_folder, "recall", "loft", "--user", "u")

    assert (1, True) == (absent.returncode, "There is no memory in" in absent.stderr)
    assert f"process {serving.pid} (" in refused.stderr
    assert "stop --now" in refused.stderr
    assert running is not None
    assert 0 == ended.returncode, ended.stderr
    assert json.loads(ended.stdout)["has_ended"]
    assert left is None
    assert (0, True) == (again.returncode, "was not running" in again.stdout)
    assert "The loft is closed." in recalled.stdout


def until(
    ask: Callable[[], "subprocess.CompletedProcess[str]"],
    is_it: Callable[["subprocess.CompletedProcess[str]"], bool],
) -> "subprocess.CompletedProcess[str]":
    """Asks until the server beside has opened its home; each time that ended the database."""
    for _ in range(20):
        if is_it(ran := ask()):
            return ran
        time.sleep(0.5)
    raise AssertionError(ran)


def test_another_postgres_is_not_ended_from_here(knowwhy, monkeypatch):
    monkeypatch.setenv("PIXELTABLE_DB_CONNECT_STR", "postgresql+psycopg://x@localhost/y")

    assert "not ended from here" in knowwhy("stop").err


@contextmanager
def told_to_stop(words: tuple[object, ...], begun: Callable[[], bool]) -> Iterator[list[str]]:
    """Runs a command until it is at work, then presses Ctrl-C; gives what it said in time."""
    with subprocess.Popen(command(*words), stderr=subprocess.PIPE, text=True) as process:
        said: queue.Queue[str] = queue.Queue()
        threading.Thread(target=lambda: [*map(said.put, process.stderr)], daemon=True).start()
        try:
            while not begun():
                assert process.poll() is None, [*said.queue]
                time.sleep(0.05)
            said.queue.clear()
            process.send_signal(signal.SIGINT)
            lines = [said.get(timeout=ANSWERED * SLOW)]
            process.wait(ENDED * SLOW)
        finally:
            process.kill()
        yield lines
        assert 130 == process.returncode


def waits_for_a_table() -> bool:
    import sqlalchemy as sql

    from knowwhy.tables import direct

    waiting = sql.text(
        "SELECT count(*) AS n FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
    )
    return direct.select("looking who waits", waiting)[0]["n"] > 0


def test_ctrl_c_is_answered_while_a_command_waits_for_the_database(store, tmp_path, knowwhy):
    from knowwhy.tables.write import queue as turn

    (tmp_path / "note.md").write_text("# Loft\n\nThe pigeon loft is closed.\n")
    words = ("ingest", "document", tmp_path / "note.md")
    with turn("records"), told_to_stop(words, waits_for_a_table) as said:
        assert ["knowwhy: stopping …\n"] == said

    assert knowwhy(*words).out.startswith("1 added")


def test_ctrl_c_ends_a_server_that_answers_a_long_call(store, tmp_path):
    words = ("serve", "--http", "127.0.0.1:0", "--repo", tmp_path)
    begun = time.monotonic()

    def is_up() -> bool:
        return time.monotonic() > begun + 10  # it has opened its home by then, or does so now

    with told_to_stop(words, is_up) as said:
        assert ["knowwhy: stopping …\n"] == said


@pytest.fixture
def small_disk() -> Iterator[Path]:
    """Gives a disk of its own that has little room."""
    if os.geteuid() != 0 or shutil.which("mount") is None:
        pytest.skip("only root can make a small disk")
    folder = Path(tempfile.mkdtemp(prefix="knowwhy-disk-"))
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=120m", "tmpfs", folder], capture_output=True
    )
    if made.returncode:
        folder.rmdir()
        pytest.skip("this machine lets nobody make a small disk")
    yield folder
    home.stop(folder / "home")
    subprocess.run(["umount", "--lazy", folder], check=True)
    folder.rmdir()


def test_a_full_disk_is_told_in_one_sentence_and_nothing_is_lost(small_disk, tmp_path):
    folder, stuffing = small_disk / "home", small_disk / "stuffing"
    said = run(folder, "say", "The loft is closed.", "--user", "u")
    assert 0 == said.returncode, said.stderr
    for number in range(40):
        words = " ".join(f"word{number * n % 9973}" for n in range(5_000))
        (tmp_path / f"{number}.md").write_text(f"# Note {number}\n\n{words}\n")
    subprocess.run(["dd", "if=/dev/zero", f"of={stuffing}", "bs=64k"], capture_output=True)

    full = run(folder, "ingest", "document", tmp_path)
    stuffing.unlink()
    recalled = run(folder, "recall", "loft", "--user", "u")
    again = run(folder, "ingest", "document", tmp_path)

    assert 1 == full.returncode
    assert 1 == len(full.stderr.splitlines()), full.stderr[:2_000]
    assert FULL in full.stderr
    assert "The loft is closed." in recalled.stdout, recalled.stderr
    assert 0 == again.returncode, again.stderr


SLOW_TO_STOP = """
import time
from knowwhy.cli import opening, progress

opening.notice_ctrl_c()
progress.TOLD_EVERY = 0.0
shown = progress.Course("adr", "files", 9)
try:
    shown(0, ["a.md"])
    while True:
        time.sleep(0.05)
except KeyboardInterrupt:
    time.sleep(0.5)
    shown.embedded(100)
    shown.clear()
    opening.stopped()
"""


def test_on_a_terminal_what_is_said_of_stopping_takes_the_place_of_the_progress():
    ours, theirs = os.openpty()
    with subprocess.Popen([sys.executable, "-c", SLOW_TO_STOP], stderr=theirs) as process:
        os.close(theirs)
        seen = ""
        try:
            while "a.md" not in seen:
                seen += os.read(ours, 1_000).decode()
            process.send_signal(signal.SIGINT)
            while "stopped" not in seen:
                seen += os.read(ours, 1_000).decode("utf-8", "replace")
        finally:
            process.kill()
            os.close(ours)

    drawn, _, after = seen.partition("knowwhy: stopping")
    assert drawn.endswith("a.md\r\x1b[K")
    assert "adr: " not in after
    assert "\x1b[K" not in after
