"""Four processes ingest different folders while two search: what is lost, who waits how long."""

import json
import subprocess
import sys
from pathlib import Path

from evaluation.homes import environment, run, throwaway_home

SECONDS = 60
WRITERS = 4
READERS = 2
FILES = 40  # a writer's folder; a tenth of it changes each round

WRITER = (
    """
import sys, time
from pathlib import Path
from knowwhy.config import Settings
from knowwhy.ingest.folder import ingest_files
from knowwhy.ingest.load import Taking
from knowwhy.tables import write
from knowwhy.tables.connect import connect
folder = Path(sys.argv[1])
opened = connect(Settings.from_environ())
waits, queue = [], write.queue
import contextlib
@contextlib.contextmanager
def timed(name):
    began = time.monotonic()
    with queue(name):
        waits.append(time.monotonic() - began)
        yield
write.queue = timed
round, until = 0, time.monotonic() + float(sys.argv[2])
while time.monotonic() < until or round < 2:
    for n in range(%d):
        if n %% 10 == round %% 10:
            text = f"# Note {n} of {folder.name}\\n\\nEdition {round} about redis.\\n"
            (folder / f"{n:03}.md").write_text(text)
    done = ingest_files("document", [folder], Taking(opened.embedder, 10))
    assert not done.refused, done.refused
    round += 1
print(round, max(waits), sorted(waits)[len(waits) // 2])
"""
    % FILES
)

READER = """
import sys, time
from knowwhy.config import Settings
from knowwhy.retrieval.search import search
from knowwhy.tables.connect import connect
opened = connect(Settings.from_environ())
asked, worst, until = 0, 0.0, time.monotonic() + float(sys.argv[1])
while time.monotonic() < until or asked < 2:
    began = time.monotonic()
    answer = search("a note about redis", embedder=opened.embedder, reranker="none")
    worst = max(worst, time.monotonic() - began)
    asked += 1
print(asked, worst)
"""


def measure(times: int = SECONDS) -> dict[str, str]:
    """Lets writers and readers work side by side, then compares every record with its file."""
    with throwaway_home() as home:
        where = environment(home, KNOWWHY_EMBEDDER="wordhash")
        folders = [home.parent / f"folder-{number}" for number in range(WRITERS)]
        for folder in folders:
            folder.mkdir(parents=True)
            for n in range(FILES):
                (folder / f"{n:03}.md").write_text(f"# Note {n} of {folder.name}\n\nFirst.\n")
        run("init", home=home, KNOWWHY_EMBEDDER="wordhash")
        writers = [_start(WRITER, where, str(folder), str(times)) for folder in folders]
        readers = [_start(READER, where, str(times)) for _ in range(READERS)]
        wrote = [_ended(process).split() for process in writers]
        read = [_ended(process).split() for process in readers]
        lost = _differences(folders, home)
    return {
        "writers, readers, seconds": f"{WRITERS}, {READERS}, {times}",
        "ingests": str(sum(int(row[0]) for row in wrote)),
        "longest wait of a writer": f"{max(float(row[1]) for row in wrote):.2f} s",
        "middle wait of a writer": f"{max(float(row[2]) for row in wrote) * 1000:.0f} ms",
        "searches": str(sum(int(row[0]) for row in read)),
        "longest search": f"{max(float(row[1]) for row in read):.2f} s",
        "errors": "0",
        "lost, doubled or stale records": str(lost),
    }


def _start(code: str, where: dict[str, str], *arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.Popen(
        command, env=where, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def _ended(process: subprocess.Popen[str]) -> str:
    out, err = process.communicate()
    if process.returncode != 0:
        raise SystemExit(f"a process failed:\n{err}")
    return out


def _differences(folders: list[Path], home: Path) -> int:
    exported = run("export", "-", home=home, KNOWWHY_EMBEDDER="wordhash")
    stored = [json.loads(line) for line in exported.splitlines()]
    texts = {row["path"]: row["text"] for row in stored}
    files = {
        f"{f.parent.name}/{f.name}": f.read_text() for folder in folders for f in folder.iterdir()
    }
    wrong = sum(texts.get(path) != text for path, text in files.items())
    return int(wrong) + abs(len(stored) - len(files)) + abs(len(texts) - len(stored))
