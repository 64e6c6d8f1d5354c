"""A thousand mixed acts: a row each, and whether every change to those rows is found."""

import json
import subprocess
import sys

from evaluation.homes import ROOT, environment, run, throwaway_home

ACTS = 1_000
EMBEDDER = "wordhash"  # no model has a part in it


def measure(times: int = ACTS) -> dict[str, str]:
    """Acts, counts the rows, then changes and removes the first, middle and last of them."""
    with throwaway_home() as home:
        run("init", home=home, KNOWWHY_EMBEDDER=EMBEDDER)
        done = subprocess.run(
            [sys.executable, "-m", "evaluation.tampering", str(times)],
            env=environment(home, KNOWWHY_EMBEDDER=EMBEDDER),
            cwd=ROOT,
            capture_output=True,
            text=True,
        )
    if done.returncode != 0:
        raise SystemExit(f"a process failed:\n{done.stderr}")
    told = json.loads(done.stdout.splitlines()[-1])
    middle, late = (told["took"][int(len(told["took"]) * share)] for share in (0.5, 0.95))
    return {
        "acts, rows": f"{times:,}, {told['rows']:,}",
        "acts without a row: faults": str(abs(times - told["rows"])),
        "found in the whole chain: faults": _counted(told["before"]),
        "found after an act that failed: faults": _counted(told["after a failed act"]),
        "ways to change or remove a row": str(told["tried"]),
        "not found: faults": _counted(told["missed"]),
        "found after a row was put back: faults": _counted(told["left"]),
        "one act": f"p50 {middle * 1000:.0f} ms, p95 {late * 1000:.0f} ms",
        "verifying them": f"{told['verified in']:.2f} s",
    }


def _counted(found: list[str]) -> str:
    return "; ".join([str(len(found)), *found[:5]])
