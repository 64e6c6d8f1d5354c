"""How much of what is nearest the vector search finds in homes of some sizes, filtered and not.

One home grows from size to size. Its first passages are golden texts and copies of them with their
words in another order, embedded by the real model; beyond these, vectors are mixtures of theirs.
"""

import argparse
import itertools
import json
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from evaluation.benches import degraded
from evaluation.benches.degraded import WELL
from evaluation.benches.ingest import EMBEDDER, SEED
from evaluation.benches.search import endless, lines_of
from evaluation.homes import (
    KNOWWHY,
    ROOT,
    environment,
    golden_as_jsonl,
    run,
    throwaway_home,
)

SIZES = (10_000, 50_000)  # passages: the first two milestones
REAL = 10_000  # passages whose vectors the model makes: at 7 ms each a minute and more
PROJECTS = 20  # of which each has 5 %
WRITTEN = 250  # records at once
OWN, OTHER, ASIDE = 0.7, 0.3, 0.15  # of what a mixture is made: two real vectors and chance


def measure(sizes: Sequence[int] = SIZES, real: int = REAL) -> dict[str, str]:
    """Fills a home to each size and asks it for its health; makes the index of another one bad."""
    with throwaway_home() as home:
        home.mkdir(parents=True)
        run("init", home=home, KNOWWHY_EMBEDDER=EMBEDDER)
        rows: dict[str, str] = {}
        for size in sizes:
            steps = sorted({min(size, real), size})
            for upto in steps:
                _filled_apart(home, upto, real)
            rows |= {f"{size:>6,} {name}": told for name, told in _health(home).items()}
    return rows | degraded.measure()


def _health(home: Path) -> dict[str, str]:
    began = time.perf_counter()
    done = subprocess.run(
        [*KNOWWHY, "health", "--json"],
        env=environment(home),
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    if not done.stdout:
        raise SystemExit(done.stderr)
    took = time.perf_counter() - began
    look = json.loads(done.stdout)
    found = {
        f"{m['view']}, {m['filter']}": _told(m)
        for m in look["measurements"]
        if m["recall_at_10"] is not None
    }
    alarms = ", ".join(alarm["code"] for alarm in look["alarms"]) or "none"
    wrong = below(look["measurements"])
    return found | {"alarms": alarms, "took": f"{took:.0f} s", f"below {WELL}: faults": str(wrong)}


def below(measurements: Sequence[dict[str, Any]]) -> int:
    """Counts measurements in which too little of what is nearest was found."""
    found = [m["recall_at_10"] for m in measurements if m["recall_at_10"] is not None]
    return sum(recall < WELL for recall in found) or int(not found)


def _told(measured: dict[str, Any]) -> str:
    queries = measured["queries"]
    return (
        f"recall@10 {measured['recall_at_10']:.3f}, worst of {measured['filters']} "
        f"{measured['worst']:.3f}, {queries['all']} queries, {queries['by_index']} over the index"
    )


def _filled_apart(home: Path, size: int, real: int) -> None:
    command = [sys.executable, "-m", "evaluation.benches.health", str(home), str(size), str(real)]
    done = subprocess.run(command, env=environment(home), cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stderr)


def _fill(home: Path, size: int, real: int) -> None:
    """Adds records until there are so many passages."""
    import numpy as np

    from knowwhy import models
    from knowwhy.config import Settings
    from knowwhy.tables import connect, write
    from knowwhy.text.pages.passages import cut, search_text

    connect.connect(Settings(home=home))
    there, records = write.table("passages").count(), write.table("records").count()
    chance = np.random.default_rng(SEED + there)
    known = _vectors() if there >= real else None
    drafts = _drafts(home.parent / "golden.jsonl", records)
    while there < size:
        some = list(itertools.islice(drafts, WRITTEN))
        texts = [
            search_text(draft.title, piece.heading, piece.text)
            for draft in some
            for piece in cut(draft.content, draft.kind, draft.path)
        ]
        made = {}
        if known is not None:
            own, other = (known[chance.integers(len(known), size=len(texts))] for _ in range(2))
            aside = chance.standard_normal(own.shape)
            aside /= np.linalg.norm(aside, axis=1, keepdims=True)
            mixed = OWN * own + OTHER * other + ASIDE * aside
            mixed /= np.linalg.norm(mixed, axis=1, keepdims=True)
            made = dict(zip(texts, mixed.astype(np.float32), strict=True))
        models.prime(texts, EMBEDDER, made)
        batch = write.prepare(some, EMBEDDER)
        write.put_records(batch)
        write.release(batch)
        models.release(texts, EMBEDDER)
        there += len(texts)
    write.analyze(size)


def _vectors() -> Any:
    """Gives the vectors that are stored, which the model has made."""
    import numpy as np

    from knowwhy import models
    from knowwhy.tables.write import table

    passages = table("passages")
    vector = passages.search_text.embedding(idx=models.tag(EMBEDDER))
    return np.stack([row["vector"] for row in passages.select(vector=vector).collect()])


def _drafts(golden: Path, skipped: int) -> Iterator[Any]:
    """Gives golden records and shuffled copies for ever, each in one of the projects."""
    from knowwhy.types import Draft

    lines = endless(lines_of([golden_as_jsonl(golden)]))
    for number, line in enumerate(itertools.islice(lines, skipped, None), skipped):
        yield Draft(
            id=line["id"],
            kind=line["kind"],
            title=line.get("title") or line["id"],
            content=line["text"],
            project=f"project {number % PROJECTS}",
            content_hash=line["id"],
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Fills one home, in this process.")
    parser.add_argument("home", type=Path)
    parser.add_argument("size", type=int)
    parser.add_argument("real", type=int)
    given = parser.parse_args()
    _fill(given.home, given.size, given.real)
