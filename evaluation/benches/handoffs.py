"""Eight processes race for two hundred handoffs: who gets each, and what is lost."""

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from evaluation.homes import ROOT, environment, run, throwaway_home

HANDOFFS = 200
RACERS = 8
EMBEDDER = "wordhash"  # no model has a part in it


def measure(times: int = HANDOFFS, clients: int = RACERS) -> dict[str, str]:
    """Lets processes accept the same handoffs at once, and counts winners, rows and acts."""
    with throwaway_home() as home:
        run("init", home=home, KNOWWHY_EMBEDDER=EMBEDDER)
        where = environment(home, KNOWWHY_EMBEDDER=EMBEDDER)
        prepared = json.loads(_ended(_start("prepare", times, where)))
        ended, seconds = race(prepared, clients, home.parent, where)
        files = [home.parent / name for name in ("prepared.json", "ended.json")]
        files[1].write_text(json.dumps(ended))
        wrong = json.loads(_ended(_start("outcome", [str(file) for file in files], where)))
    waits = sorted(wait for one in ended for wait in one["waits"])
    shares = sorted(len(one["won"]) for one in ended)
    return {
        "processes, handoffs": f"{clients}, {times}",
        "won by one process": f"{shares[0]} to {shares[-1]}",
        "seconds of the race": f"{seconds:.1f}",
        "acts a second": f"{(len(waits) + sum(shares)) / seconds:.0f}",
        "an acceptance or its refusal": f"p50 {_at(waits, 0.5)}, p95 {_at(waits, 0.95)}, "
        f"longest {_at(waits, 1)}",
        **{f"{name}: faults": str(number) for name, number in wrong.items()},
    }


def race(
    prepared: dict[str, Any], racers: int, folder: Path, where: dict[str, str]
) -> tuple[list[dict[str, Any]], float]:
    """Starts the racers at once and gives what each of them won, and the seconds that it took."""
    told, go = folder / "prepared.json", folder / "go"
    told.write_text(json.dumps(prepared))
    given = {"prepared": str(told), "go": str(go)}
    processes = [_start("take", {**given, "seed": seed}, where) for seed in range(racers)]
    for process in processes:
        assert process.stdout is not None
        if "ready" not in process.stdout.readline():
            raise SystemExit(f"a process failed:\n{process.communicate()[1]}")
    began = time.monotonic()
    go.touch()
    ended = [json.loads(_ended(process)) for process in processes]
    return ended, time.monotonic() - began


def _start(part: str, given: Any, where: dict[str, str]) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "evaluation.racing", part, json.dumps(given)],
        env=where,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _ended(process: subprocess.Popen[str]) -> str:
    out, err = process.communicate()
    if process.returncode != 0:
        raise SystemExit(f"a process failed:\n{err}")
    return out


def _at(times: list[float], share: float) -> str:
    return f"{times[min(len(times) - 1, int(len(times) * share))] * 1000:.0f} ms"
