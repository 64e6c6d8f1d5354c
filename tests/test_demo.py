"""The README shows what the demo prints."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
# What is compared: commands, summaries, numbered hits and where they stand.
COMMAND, SUMMARY = r"\$ knowwhy .*", r"\d+ added, .*"
HIT, SOURCE = r"\d+\. .*", r"   \[[^\]]+\.\w+[\]:].*"
TOLD = re.compile(rf"^({COMMAND}|{SUMMARY}|{HIT}|{SOURCE})$", re.MULTILINE)


def checkout(folder: Path, python: str) -> Path:
    """Copies what the demo needs into a folder, with an environment that is installed already."""
    folder.mkdir(parents=True)
    shutil.copytree(ROOT / "golden", folder / "golden")
    for name in ("Makefile", "pyproject.toml", "constraints.txt"):
        shutil.copy2(ROOT / name, folder)
    environment = Path(python).parent
    if (environment.parent / "pyvenv.cfg").exists():
        (folder / ".venv").symlink_to(environment.parent)
    else:
        (folder / ".venv" / "bin").mkdir(parents=True)
        (folder / ".venv" / "bin" / "python").symlink_to(python)
    return folder


DEMO = ("make", "-o", ".venv/.ready", "demo")  # and nothing is installed


@pytest.mark.model
@pytest.mark.slow
def test_the_demo_runs_in_a_path_with_a_space(home_folder):
    folder = checkout(home_folder.parent / "know why, it's here", sys.executable)
    done = subprocess.run(DEMO, cwd=folder, capture_output=True, text=True)

    assert 0 == done.returncode, done.stderr
    assert str(folder / ".demo-home") in done.stdout
    assert "Use Kafka as the event backbone" in done.stdout


@pytest.mark.model
@pytest.mark.slow
def test_the_readme_shows_what_the_demo_prints(home_folder):
    unset = {"KNOWWHY_EMBEDDER", "KNOWWHY_RERANKER"}
    environ = {name: value for name, value in os.environ.items() if name not in unset}
    environ |= {
        "PIXELTABLE_HOME": str(home_folder),
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
    }
    done = subprocess.run(
        ["bash", str(ROOT / "golden" / "demo.sh")],
        env=environ,
        capture_output=True,
        text=True,
        check=True,
    )
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = readme.split("## What `make demo` prints")[1]

    assert TOLD.findall(shown) == TOLD.findall(done.stdout)
    assert len(re.findall(r"^\$ knowwhy search", done.stdout, re.MULTILINE)) >= 3
