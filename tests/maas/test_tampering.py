"""An audit that somebody has changed: each change of a row shows, and nothing else does."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ACTS = 25  # `python -m evaluation.bench audit` has 1,000


@pytest.mark.slow
def test_every_act_is_a_row_and_every_change_to_one_is_found(home_folder):
    done = subprocess.run(
        [sys.executable, "-m", "evaluation.tampering", str(ACTS), "briefly"],
        env={**os.environ, "PIXELTABLE_HOME": str(home_folder)},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
    )

    assert 0 == done.returncode, done.stderr
    told = json.loads(done.stdout.splitlines()[-1])
    assert ACTS == told["rows"]
    assert ([], []) == (told["before"], told["after a failed act"])
    assert told["tried"] > 25
    assert ([], []) == (told["missed"], told["left"])
