"""The README shows what the demo prints."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
# What is compared: commands, summaries, numbered hits and where they stand.
COMMAND, SUMMARY = r"\$ knowwhy .*", r"\d+ added, .*"
HIT, SOURCE = r"\d+\. .*", r"   \[[^\]]+\.\w+[\]:].*"
TOLD = re.compile(rf"^({COMMAND}|{SUMMARY}|{HIT}|{SOURCE})$", re.MULTILINE)


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
