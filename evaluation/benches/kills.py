"""Ingests killed at random moments, the first start of a home included, then run again."""

import json
import os
import random
import re
import signal
import subprocess
import sys
from pathlib import Path

from evaluation.homes import ROOT, environment, golden_as_jsonl, run, start, throwaway_home
from knowwhy.config import DEFAULT_EMBEDDER as EMBEDDER

TIMES = 20
EARLIEST, LATEST = 0.3, 9.0  # seconds; from the first breath of the process to its undisturbed end
SEED = 20261118
PROSE = re.compile(r"[A-Z][^:|*]{100,}[.]", re.DOTALL)  # a paragraph of sentences, not of fields

# Looks at every document through both legs, in a process that opens the home afresh.
CHECK = """
import json, sys
from pathlib import Path
from knowwhy import models
from knowwhy.config import Settings
from knowwhy.retrieval.words import bm25
from knowwhy.tables import connect, queries
from knowwhy.types import Filters
embedder = connect.connect(Settings.from_environ()).embedder
wanted = [json.loads(line) for line in Path(sys.argv[1]).read_text().splitlines()]
stored = [record.draft.id for record in queries.records()]
faults = []
if sorted(stored) != sorted(line["id"] for line in wanted):
    faults.append(f"{len(stored)} records where {len(wanted)} were given")
passages, missing = queries.unindexed(embedder)
if missing or not passages:
    faults.append(f"{missing} of {passages} passages have no vector")
for line in wanted:
    found = bm25.current().search(line["planted"], Filters(), 10)
    if line["planted"] not in {p.text.split()[-1] for p, _ in found}:
        faults.append(f"bm25 does not find the word planted in {line['id']}")
    vector = models.embed_query(line["first"], embedder)
    if line["id"] not in {k for (k, _), _ in queries.nearest(vector, 10, Filters(), embedder)}:
        faults.append(f"the vectors do not find the first sentence of {line['id']}")
print(json.dumps(faults))
"""


def measure(times: int = TIMES, embedder: str = EMBEDDER) -> dict[str, str]:
    """Kills and repeats; counts what is missing, doubled or cannot be found afterwards."""
    dice = random.Random(SEED)
    fast = {"KNOWWHY_EMBEDDER": embedder}
    killed, faults = 0, []
    for number in range(times):
        with throwaway_home() as home:
            docs, wanted = _documents(home.parent)
            process = start("ingest", "jsonl", docs, home=home, **fast)
            try:
                process.communicate(timeout=dice.uniform(EARLIEST, LATEST))
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.communicate()
                killed += 1
            run("ingest", "jsonl", docs, home=home, **fast)
            faults += [f"run {number}: {fault}" for fault in _faults(wanted, home, fast)]
    return {
        "runs": str(times),
        "killed before their end": str(killed),
        "faults after running again": "; ".join(faults) or "0",
    }


def _documents(folder: Path) -> tuple[Path, Path]:
    """Writes the golden corpus with a word of its own at the end of each document."""
    docs, wanted = golden_as_jsonl(folder / "docs.jsonl"), folder / "wanted.jsonl"
    lines = [json.loads(line) for line in docs.read_text().splitlines()]
    with docs.open("w") as out, wanted.open("w") as expected:
        for number, line in enumerate(lines):
            planted = f"planted{number:04}word"
            text = f"{line['text'].strip()}\n\n{planted}\n"
            prose = [part for part in text.split("\n\n") if PROSE.match(part)]
            first = prose[0] if prose else max(text.split("\n\n"), key=len)
            out.write(json.dumps({**line, "text": text}) + "\n")
            expected.write(
                json.dumps({"id": line["id"], "planted": planted, "first": first}) + "\n"
            )
    return docs, wanted


def _faults(wanted: Path, home: Path, fast: dict[str, str]) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", CHECK, str(wanted)],
        env=environment(home, **fast),
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    if done.returncode != 0:
        return [f"the check failed: {done.stderr.strip().splitlines()[-1:]}"]
    faults: list[str] = json.loads(done.stdout)
    return faults
