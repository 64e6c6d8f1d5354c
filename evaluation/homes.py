"""Throw-away homes: made for one measurement, stopped and removed after it."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[1]
GOLDEN = ROOT / "golden" / "corpus"
KNOWWHY = [sys.executable, "-c", "from knowwhy.cli import main; main()"]


@contextmanager
def throwaway_home() -> Iterator[Path]:
    """Gives the folder of a home that is gone afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="knowwhy-bench-"))
    try:
        yield folder / "home"
    finally:
        stop(folder / "home")
        shutil.rmtree(folder, ignore_errors=True)


def stop(folder: Path) -> None:
    """Stops a home's server in a process of its own, which need not have opened it."""
    subprocess.run([sys.executable, "-m", "evaluation.stop", str(folder)], check=True, cwd=ROOT)


def environment(home: Path, **more: str) -> dict[str, str]:
    """Gives the environment in which a command uses a home."""
    own = ("PIXELTABLE_", "KNOWWHY_")  # of the user's own memory, which is none of ours
    kept = {name: value for name, value in os.environ.items() if not name.startswith(own)}
    return {**kept, "PIXELTABLE_HOME": str(home), **more}


def start(*arguments: object, home: Path, **more: str) -> subprocess.Popen[str]:
    """Starts a command on a home."""
    return subprocess.Popen(
        [*KNOWWHY, *map(str, arguments)],
        env=environment(home, **more),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def run(*arguments: object, home: Path, **more: str) -> str:
    """Runs a command on a home to its end and gives what it printed."""
    process = start(*arguments, home=home, **more)
    out, err = process.communicate()
    if process.returncode != 0:
        raise SystemExit(f"knowwhy {' '.join(map(str, arguments))} failed:\n{err}{out}")
    return out


def golden_as_jsonl(file: Path) -> Path:
    """Writes the decisions, incidents and documents of the golden corpus as JSON lines."""
    lines = [
        {"id": f"{folder}/{path.name}", "kind": kind, "text": path.read_text()}
        for folder, kind in (("adr", "adr"), ("incidents", "incident"), ("docs", "document"))
        for path in sorted((GOLDEN / folder).iterdir())
    ]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return file
