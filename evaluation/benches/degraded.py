"""An index made bad on purpose: whether `knowwhy health` sees it, mends it and says so.

What is near every question is deleted without VACUUM, more and more of it, so that the search walks
over what is gone. With the memory that a search has by itself it walks on until it has enough (of
4,000 passages recall falls from .999 to .98 only); with less it stops there, and the planner is let
go over the index of so few. An open transaction keeps the repair from its work first.
"""

import argparse
import contextlib
import io
import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from evaluation.homes import ROOT, environment, throwaway_home
from knowwhy.config import DEFAULT_EMBEDDER as EMBEDDER

PASSAGES = 4_000  # 180 near each question: as many as a search looks at before it walks on
NEAR = 0.9  # share of the passages that are near a question
TOPICS = 20  # golden questions that are asked, and near which passages are
GONE = (0.5, 0.7, 0.8, 0.9, 0.95)  # shares of the passages that are deleted, until it is enough
FLOOR = 0.90  # recall@10 below which the index is bad
WELL = 0.95  # recall@10 of a good one
AT_ONCE = 1_000  # records written at once
QUERIES = 50
# As the planner does where there are too many rows to look at all of them.
SETTINGS = ("enable_seqscan = off", "enable_sort = off", "work_mem = '64kB'")


@dataclass(frozen=True, slots=True)
class Told:
    """What `knowwhy health --json` has told of one home, with its exit code as `code`."""

    fresh: dict[str, Any]
    gone: float  # the share of the passages that was deleted
    degraded: float  # the recall that was left then
    prevented: dict[str, Any]  # while a transaction keeps the repair from its work
    mended: dict[str, Any]
    after: dict[str, Any]
    invalid: list[str]  # indexes that cannot be used in the end

    def recall(self, name: str) -> float:
        """Gives the recall@10 of the passages in one of the looks."""
        return float(everything(getattr(self, name))["recall_at_10"])


def everything(look: dict[str, Any]) -> dict[str, Any]:
    """Gives the measurement of all passages."""
    found: dict[str, Any] = next(m for m in look["measurements"] if m["view"] == "passages")
    return found


def measure(passages: int = PASSAGES) -> dict[str, str]:
    """Makes an index bad in a home of its own and tells what became of it."""
    with throwaway_home() as home:
        told = looks(home, passages)
    wrong = faults(told)
    alarms = ", ".join(sorted({alarm["code"] for alarm in told.prevented["alarms"]}))
    return {
        "degraded: recall@10 of the fresh index": f"{told.recall('fresh'):.3f}",
        f"degraded: {told.gone:.0%} deleted without VACUUM": f"{told.degraded:.3f}",
        "degraded: while it cannot be repaired": f"{told.recall('prevented'):.3f}, {alarms}",
        "degraded: repaired by": str(everything(told.mended)["repaired"]),
        "degraded: afterwards": f"{told.recall('mended'):.3f}",
        **{f"degraded: {text}": "no" for text in wrong},
        "degraded: faults": str(len(wrong)),
    }


def looks(home: Path, passages: int = PASSAGES) -> Told:
    """Does all of it in a process of its own."""
    home.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(
        [sys.executable, "-m", "evaluation.benches.degraded", str(passages)],
        env=environment(home, KNOWWHY_EMBEDDER=EMBEDDER),
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise SystemExit(f"a process failed:\n{done.stderr}")
    return Told(**json.loads(done.stdout.splitlines()[-1]))


def faults(told: Told) -> list[str]:
    """Names what should be so and is not."""
    codes = {alarm["code"] for alarm in told.prevented["alarms"]}
    expected = {
        "a fresh index is well": told.recall("fresh") >= WELL and not told.fresh["alarms"],
        "the index was made bad": told.degraded < FLOOR,
        "it is seen": told.prevented["code"] == 1 and "recall-below-floor" in codes,
        "it is repaired": bool(everything(told.mended)["repaired"]),
        "what was repaired is measured again": told.recall("mended") >= WELL,
        "the repair is told": any("took recall@10 from 0." in n for n in told.mended["notes"]),
        "no alarm is left": not told.mended["alarms"] and told.mended["code"] == 0,
        "a second look repairs nothing": everything(told.after)["repaired"] is None,
        "every index can be used": not told.invalid,
    }
    return [text for text, is_so in expected.items() if not is_so]


def _do(passages: int) -> Told:
    import sqlalchemy as sql
    from pixeltable.env import Env  # noqa: TID251  # rows are deleted as no command does it

    from knowwhy.config import Settings
    from knowwhy.health import asking_set
    from knowwhy.tables import connect, queries

    connect.connect(Settings.from_environ())
    asking_set.GOLDEN_QUESTIONS = asking_set.GOLDEN_QUESTIONS[:TOPICS]
    centres = _fill(passages, asking_set.GOLDEN_QUESTIONS)
    name = Env.get()._db_name
    _execute(*(f'ALTER DATABASE "{name}" SET {setting}' for setting in SETTINGS))
    Env.get().engine.dispose()
    fresh = _health()
    with Env.get().engine.connect() as reader:  # who may still see what is deleted from here on
        reader.execute(sql.text("SELECT 1 FROM pg_class LIMIT 1"))
        gone, degraded = _degrade(centres)
        prevented = _health()
    return Told(fresh, gone, degraded, prevented, _health(), _health(), queries.invalid_indexes())


def _fill(passages: int, topics: Sequence[str]) -> Any:
    """Writes passages, most of them near a topic; gives the vectors of the topics."""
    import numpy as np

    from knowwhy import models, telemetry
    from knowwhy.tables import write
    from knowwhy.text.pages.passages import cut, search_text
    from knowwhy.types import Draft, Recall

    chance = np.random.default_rng(1)
    centres = models.embed(list(topics), EMBEDDER, query=True)

    def unit(vectors: Any) -> Any:
        return (vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)).astype(np.float32)

    for start in range(0, passages, AT_ONCE):
        numbers = range(start, min(start + AT_ONCE, passages))
        drafts = [
            Draft(
                f"r{n}",
                "document",
                f"Page {n}",
                f"{n}: {topics[n % len(topics)]}",
                content_hash=str(n),
            )
            for n in numbers
        ]
        aside = unit(chance.standard_normal((len(drafts), centres.shape[1])))
        vectors = {}
        for n, draft, away in zip(numbers, drafts, aside, strict=True):
            (piece,) = cut(draft.content, draft.kind, draft.path)
            near = unit(centres[n % len(topics)] + 0.15 * away)
            text = search_text(draft.title, piece.heading, piece.text)
            vectors[text] = near if chance.random() < NEAR else away
        models.prime(list(vectors), EMBEDDER, vectors)
        batch = write.prepare(drafts, EMBEDDER)
        write.put_records(batch)
        write.release(batch)
        models.release(list(vectors), EMBEDDER)
    telemetry.store([Recall(f"{topic} {n}", (), 0) for n, topic in enumerate([*topics] * 5)])
    return centres


def _degrade(centres: Any) -> tuple[float, float]:
    """Deletes what is nearest to the topics, more and more, until the search finds too little.

    Gives the share that is gone, and the recall that is left.
    """
    import numpy as np

    from knowwhy.tables.vectors.both_ways import comparing
    from knowwhy.tables.vectors.roads import roads

    with comparing() as both:
        road = roads("passages", EMBEDDER, datetime.now(UTC))[0]
        seen = both.compare(lambda: road.ask(centres[0], 10))
    _execute(f"ALTER TABLE {seen.relation} SET (autovacuum_enabled = off)")
    rows = _execute(f"SELECT rowid, {seen.column}::text FROM {seen.relation}")
    vectors = np.array([json.loads(vector) for _, vector in rows])
    order = np.argsort(-(vectors @ centres.T).max(axis=1))
    recall, done = 1.0, 0
    for share in GONE:
        upto = int(len(rows) * share)
        gone = ",".join(str(rows[n][0]) for n in order[done:upto])
        _execute(f"DELETE FROM {seen.relation} WHERE rowid IN ({gone})")
        done, recall = upto, _recall()
        if recall < FLOOR:
            break
    return share, recall


def _recall() -> float:
    """Measures the passages and repairs nothing."""
    from knowwhy.health.look import Asked, look

    found = look(EMBEDDER, datetime.now(UTC), Asked(QUERIES, dry_run=True))
    return float(found.checks[0].recall_at_10 or 0.0)


def _health() -> dict[str, Any]:
    from knowwhy.cli import run

    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        code = run(["health", "--queries", str(QUERIES), "--json"])
    return {"code": code, **json.loads(printed.getvalue())}


def _execute(*statements: str) -> list[Any]:
    """Runs statements one by one; gives the rows of the last, where it has any."""
    from pixeltable.env import Env  # noqa: TID251  # what no room of the memory does

    engine = Env.get().engine.execution_options(isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        for statement in statements:
            done = connection.exec_driver_sql(statement)
        return list(done.fetchall()) if done.returns_rows else []


if __name__ == "__main__":
    from dataclasses import asdict

    parser = argparse.ArgumentParser(description="Degrades an index of one home, in this process.")
    parser.add_argument("passages", type=int)
    print(json.dumps(asdict(_do(parser.parse_args().passages))))
