"""Backups taken while four processes write, and killed, and restores killed: what is lost."""

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

from evaluation.homes import KNOWWHY, ROOT, environment, run, start, stop, throwaway_home

TIMES = 10
WRITERS = 4
LATEST = 4.0  # seconds after which a kill comes at the latest: a whole run takes about as long
PAUSE = 0.2  # seconds between two rows of a writer: each row costs a search in every check
SEED = 20261118
FAST = {"KNOWWHY_EMBEDDER": "wordhash", "KNOWWHY_RERANKER": "none"}

# Writes a record, a turn and a memory by turns, and names each row once it is committed.
WRITER = """
import sys, time
from datetime import UTC, datetime
from knowwhy.config import Settings
from knowwhy.grounding.remember import remember
from knowwhy.tables import write
from knowwhy.tables.connect import connect
from knowwhy.types import Asker, Draft, Turn
embedder = connect(Settings.from_environ()).embedder
name, pause, number = sys.argv[1], float(sys.argv[2]), 0
while True:
    word, now = f"planted{name}x{number}", datetime.now(UTC)
    if number % 3 == 0:
        batch = write.prepare(
            [Draft(word, "document", f"Note {word}", f"The gate of {word} is closed.")], embedder)
        write.put_records(batch)
        write.release(batch)
    elif number % 3 == 1:
        write.put_turns(
            [Turn(word, name, None, "s", "user", None, f"The {word} is slow.", None, now)])
    else:
        remember(f"We use {word} for the orders of team {name} (ADR-{number}).",
                 asker=Asker(name), embedder=embedder, now=now)
    print(word, flush=True)
    number += 1
    time.sleep(pause)
"""

# Asks for every word that was committed, in the way in which its kind is asked for.
CHECK = """
import json, sys
from pathlib import Path
from knowwhy.config import Settings
from knowwhy.retrieval.search import search
from knowwhy.tables import queries
from knowwhy.tables.connect import connect
from knowwhy.types import Asker, Filters
embedder = connect(Settings.from_environ()).embedder
faults = []
for word in Path(sys.argv[1]).read_text().split():
    name, number = word.removeprefix("planted").split("x")
    source = ("records", "turns", "memories")[int(number) % 3]
    limits = Filters(asker=Asker(name) if source != "records" else None, sources=(source,))
    answer = search(f"What of {word}?", embedder=embedder, reranker="none", filters=limits)
    if not any(word in hit.passage.text or word == hit.passage.key for hit in answer.hits):
        faults.append(f"{word} of {source} is not found")
rows, missing = queries.unindexed(embedder)
faults += [f"{missing} passages have no vector"] if missing else []
faults += [f"{key} does not find itself" for key in queries.lost_vectors(embedder)]
print(json.dumps(faults))
"""


class Writer:
    """A process that writes, and what it has said to be committed."""

    def __init__(self, name: str, home: Path) -> None:
        command = [sys.executable, "-c", WRITER, name, str(PAUSE)]
        self.words: list[str] = []
        self._process = subprocess.Popen(
            command, env=environment(home, **FAST), stdout=subprocess.PIPE, text=True, cwd=ROOT
        )
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self.words.append(line.strip())

    def pause(self, signal_number: int) -> None:
        """Holds it, or lets it go on: between two backups rows would only make checking longer."""
        self._process.send_signal(signal_number)

    def is_well(self) -> bool:
        """Tells whether it still writes."""
        return self._process.poll() is None

    def stop(self) -> None:
        """Ends it."""
        self._process.kill()
        self._process.wait()


def measure(times: int = TIMES) -> dict[str, str]:
    """Backs up, kills, restores and kills; then asks for every row that was committed before."""
    dice, faults, seen = random.Random(SEED), [], {"backup": 0, "restore": 0, "rows": 0}
    seconds: dict[str, list[float]] = {"backup": [], "restore": []}
    with throwaway_home() as home:
        run("init", home=home, **FAST)
        writers = [Writer(f"w{number}", home) for number in range(WRITERS)]
        try:
            while not all(len(writer.words) >= 3 for writer in writers):
                assert all(writer.is_well() for writer in writers)
                time.sleep(0.1)
            for number in range(times):
                for writer in writers:
                    writer.pause(signal.SIGCONT)
                file, other = home.parent / f"{number}.zip", home.parent / f"home-{number}"
                seen["backup"] += _killed(dice, "backup", file, home)
                if file.exists():
                    faults += _faults_of_half(file, number)
                words = [word for writer in writers for word in list(writer.words)]
                seconds["backup"].append(_timed("backup", file, home))
                for writer in writers:
                    writer.pause(signal.SIGSTOP)
                seen["restore"] += _killed(dice, "restore", file, other)
                if not _is_whole(other):  # a kill may come when all is done
                    faults += _faults_of_unfinished(other, number)
                    seconds["restore"].append(_timed("restore", file, other))
                faults += [f"run {number}: {fault}" for fault in _lost(words, other)]
                seen["rows"] += len(words)
                stop(other)
            faults += ["a writer has failed" for writer in writers if not writer.is_well()]
        finally:
            for writer in writers:
                writer.stop()
    return {
        "runs, writers": f"{times}, {WRITERS}",
        "backups killed before their end": str(seen["backup"]),
        "restores killed before their end": str(seen["restore"]),
        "longest backup, restore": ", ".join(
            f"{max(t, default=0):.1f} s" for t in seconds.values()
        ),
        "rows committed before a backup and asked for after": str(seen["rows"]),
        "faults": "; ".join(faults) or "0",
    }


def _killed(dice: random.Random, command: str, file: Path, home: Path) -> bool:
    """Starts a command and kills it at a random moment; tells whether it was still running."""
    process = start(command, file, home=home, **FAST)
    try:
        process.communicate(timeout=dice.uniform(0.3, LATEST))
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return True
    return False


def _timed(command: str, file: Path, home: Path) -> float:
    began = time.monotonic()
    run(command, file, home=home, **FAST)
    return time.monotonic() - began


def _faults_of_half(file: Path, number: int) -> list[str]:
    """A file with the name that was asked for must be whole, whenever the kill came."""
    from knowwhy.backup.packing import Packed
    from knowwhy.errors import Error

    try:
        with Packed.opened(file) as packed:
            packed.check()
    except Error as error:
        return [f"run {number}: a half file: {error}"]
    return []


def _is_whole(home: Path) -> bool:
    return (home / "knowwhy.json").exists() and not (home / "knowwhy.restoring").exists()


def _faults_of_unfinished(home: Path, number: int) -> list[str]:
    """A home whose restore was killed must say so, or have nothing in it yet."""
    if not (home / "pgdata").exists():
        return []
    command = [*KNOWWHY, "status"]
    done = subprocess.run(command, env=environment(home, **FAST), capture_output=True, text=True)
    if (home / "knowwhy.restoring").exists() and "is not whole" not in done.stderr:
        return [f"run {number}: an unfinished home is not recognised: {done.stderr}"]
    return []


def _lost(words: list[str], home: Path) -> list[str]:
    file = home.parent / "words.txt"
    file.write_text("\n".join(words))
    command = [sys.executable, "-c", CHECK, str(file)]
    done = subprocess.run(
        command, env=environment(home, **FAST), cwd=ROOT, capture_output=True, text=True
    )
    if done.returncode != 0:
        return [f"the check failed: {done.stderr.strip().splitlines()[-1:]}"]
    faults: list[str] = json.loads(done.stdout)
    return faults
