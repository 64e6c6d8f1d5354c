"""What session memory costs: questions about a repository, in a process that serves them.

They are asked in turn, with pauses, for longer than any answer is kept, so that what is asked of
git again in between is in the figures.
"""

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from evaluation.homes import ROOT, environment, run, throwaway_home
from evaluation.metrics import percentile

COMMITS = 200
FILES = 5_000
FOLDER = 50  # files of one folder
TIMES = 200  # that each question is asked
PAUSE = 0.1  # seconds between two rounds; with it the rounds last twice as long as any answer
TOUCHED = "part0/file0.py"
TASK = "Add PKCE to the login"
USER = "ada"
ASKED = 10  # ms, the p95 that is asked for
COMMITTED = 20  # times without the hooks, and as often with them
LONGEST = 120  # s that the sync behind them may take
HANDED = 2_000  # ms, in which git must be handed back
EMBEDDER = "wordhash"


def measure(times: int = TIMES) -> dict[str, str]:
    """Measures one made repository, with a file changed and a task set."""
    with throwaway_home() as home:
        home.parent.mkdir(parents=True, exist_ok=True)
        repository = made(home.parent / "repository")
        command = [sys.executable, "-m", "evaluation.benches.session_memory"]
        ran = subprocess.run(
            [*command, str(repository), str(times)],
            env=environment(home, KNOWWHY_EMBEDDER=EMBEDDER),
            cwd=ROOT,
            stdout=subprocess.PIPE,
            check=True,
        )
        handed = hooked(home)
    figures: dict[str, str] = json.loads(ran.stdout.splitlines()[-1])
    sizes = {"repository": f"{COMMITS} commits, {FILES:,} files, {times} times each"}
    return sizes | figures | handed


def hooked(home: Path) -> dict[str, str]:
    """Commits without the hooks and with them, while what they start is at work."""
    folder = home.parent / "hooked"
    subprocess.run(["git", "init", "-q", "-b", "main", folder], check=True)
    plain = sorted(_commit(folder, number) for number in range(COMMITTED))
    run("hook", "install", "--repo", folder, home=home, KNOWWHY_EMBEDDER=EMBEDDER)
    with_hooks = sorted(_commit(folder, COMMITTED + number) for number in range(COMMITTED))
    for _ in range(LONGEST):  # the sync must not outlive its home
        if '"last": null' not in run("hook", "status", "--repo", folder, "--json", home=home):
            break
        time.sleep(1)
    late = sum(each >= HANDED for each in with_hooks)
    return {
        "git commit without hooks": f"p50 {percentile(plain, 0.5):.0f} ms",
        "git commit with hooks": f"p50 {percentile(with_hooks, 0.5):.0f} ms, longest "
        f"{with_hooks[-1]:.0f} ms; asked: under {HANDED:,} ms",
        "commits that waited longer: faults": str(late),
    }


def _commit(folder: Path, number: int) -> float:
    (folder / "file.py").write_text(f"value = {number}\n")
    named = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"]
    subprocess.run(["git", "add", "-A"], cwd=folder, check=True)
    began = time.perf_counter()
    subprocess.run(
        ["git", *named, "commit", "-q", "-m", f"Change {number}"],
        cwd=folder,
        check=True,
        capture_output=True,
    )
    return (time.perf_counter() - began) * 1000


def made(folder: Path, files: int = FILES) -> Path:
    """Makes a repository; every commit adds its share of the files and changes one."""
    subprocess.run(["git", "init", "-q", "-b", "main", folder], check=True)
    stream = "".join(_commits(files)).encode()
    subprocess.run(["git", "fast-import", "--quiet"], cwd=folder, input=stream, check=True)
    subprocess.run(["git", "reset", "-q", "--hard", "main"], cwd=folder, check=True)
    (folder / TOUCHED).write_text("changed = True\n")
    return folder


def _commits(files: int) -> Iterator[str]:
    for number in range(COMMITS):
        message = f"Retry order {number} of service {number % 7} with backoff\n"
        yield "commit refs/heads/main\n"
        yield f"committer Ada <ada@example.com> {1_700_000_000 + 3_600 * number} +0000\n"
        yield f"data {len(message)}\n{message}"
        for file in range(number * files // COMMITS, (number + 1) * files // COMMITS):
            yield _file(f"part{file // FOLDER}/file{file}.py", f"value = {file}\n")
        yield _file(TOUCHED, f"value = {number}\n")


def _file(path: str, text: str) -> str:
    return f"M 100644 inline {path}\ndata {len(text)}\n{text}\n"


def _answer(folder: Path, times: int) -> dict[str, str]:
    """Asks as the tools of the server do, in a process of its own."""
    from knowwhy.config import Settings
    from knowwhy.mcp.workplace import Workplace
    from knowwhy.session.task import get_task, set_task
    from knowwhy.tables.connect import connect
    from knowwhy.types import Asker

    connect(Settings.from_environ())
    workplace = Workplace(folder)
    repository, identity, asker = workplace.repository(), workplace.identity(), Asker(USER)
    set_task(asker, identity, TASK)
    questions: dict[str, Callable[[], Any]] = {
        "branch": repository.branch,
        "status": repository.status,
        "diff": repository.diff,
        "commit search": lambda: repository.search_commits("retry backoff"),
        "file history": lambda: repository.file_history(TOUCHED),
        "task": lambda: get_task(asker, identity),
    }
    for ask in questions.values():  # the warm-up
        ask()
    taken: dict[str, list[float]] = {name: [] for name in questions}
    for _ in range(times):
        time.sleep(PAUSE)
        for name, ask in questions.items():
            began = time.perf_counter()
            if not ask():
                raise SystemExit(f"{name}: nothing was answered")
            taken[name].append((time.perf_counter() - began) * 1000)
    return {name: _told(each) for name, each in taken.items()}


def _told(taken: list[float]) -> str:
    p50, p95 = percentile(taken, 0.5), percentile(taken, 0.95)
    return f"p50 {p50:.2f} ms, p95 {p95:.2f} ms; asked: p95 under {ASKED} ms"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Asks a repository, and prints the times.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("times", type=int)
    given = parser.parse_args()
    print(json.dumps(_answer(given.folder, given.times)))
