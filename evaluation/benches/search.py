"""How long a question takes among few and many passages, and what is kept in memory for it.

One home grows from size to size, so that every passage is embedded once; each size is measured by a
process of its own, whose start is cold and whose memory is its own.
"""

import argparse
import contextlib
import functools
import itertools
import json
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import psutil

from evaluation.benches.ingest import EMBEDDER, SEED, shuffled
from evaluation.homes import ROOT, environment, golden_as_jsonl, run, stop, throwaway_home
from evaluation.metrics import percentile
from evaluation.sets import EvaluationSet, Question, read_set
from evaluation.ways import FUSED, WAYS, How, ask
from knowwhy.text.pages.passages import cut

SIZES = (1_000, 10_000, 50_000)  # passages: the seeds' milestones, and one below
ASKED = 30  # golden questions, and as many headings; of fewer, p95 would be a matter of luck
FIELDS = ("id", "kind", "text", "title")
PAIRS = 40  # passages that the cross-encoder's own pass is timed on


def measure(
    docs: Sequence[str] = (), sizes: Sequence[int] = SIZES, home: str | None = None
) -> dict[str, str]:
    """Fills a home to each size and times every way of asking there."""
    with contextlib.ExitStack() as stack:
        folder = Path(home) if home else stack.enter_context(throwaway_home())
        folder.mkdir(parents=True, exist_ok=True)
        stack.callback(stop, folder.absolute())
        work = folder.parent / f"{folder.name}-parts"
        work.mkdir(exist_ok=True)
        questions = _write_parts(work, list(map(Path, docs)), sizes)
        rows: dict[str, str] = {}
        for size in sizes:
            run("ingest", "jsonl", work / f"{size}.jsonl", home=folder, KNOWWHY_EMBEDDER=EMBEDDER)
            found = _measured_apart(folder, questions)
            rows |= {f"{size:>6,} {name}": value for name, value in found.items()}
        return rows


def _write_parts(work: Path, docs: list[Path], sizes: Sequence[int]) -> Path:
    """Writes what each size adds to the one before, and the questions to ask everywhere."""
    lines = endless(lines_of(docs or [golden_as_jsonl(work / "golden.jsonl")]))
    headings: set[str] = set()
    passages = 0
    for size in sizes:
        with (work / f"{size}.jsonl").open("w", encoding="utf-8") as out:
            while passages < size:
                line = next(lines)
                chunks = cut(line["text"], line["kind"], None)
                passages += len(chunks)
                headings |= {chunk.heading.split(" > ")[-1] for chunk in chunks}
                out.write(json.dumps(line) + "\n")
    golden = [question.text for question in read_set(ROOT / "golden").questions]
    wordy = sorted(h for h in headings if len(h.split()) > 2)  # a bare word asks nothing
    dice = random.Random(SEED)
    asked = [text for of in (golden, wordy) for text in dice.sample(of, min(ASKED, len(of)))]
    file = work / "questions.json"
    file.write_text(json.dumps(asked), "utf-8")
    return file


def lines_of(files: Sequence[Path]) -> list[dict[str, Any]]:
    lines = []
    for file in files:
        with file.open(encoding="utf-8") as rows:
            lines += [json.loads(row) for row in rows if row.strip()]
    return [{name: line[name] for name in FIELDS if line.get(name)} for line in lines]


def endless(lines: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Gives the documents, then copies with their words in another order, for ever."""
    yield from lines
    dice = random.Random(SEED)
    for copy in itertools.count(1):
        for line in lines:
            yield {**line, "id": f"{copy}/{line['id']}", "text": shuffled(line["text"], dice)}


def _measured_apart(home: Path, questions: Path) -> dict[str, str]:
    done = subprocess.run(
        [sys.executable, "-m", "evaluation.benches.search", str(home), str(questions)],
        env=environment(home),
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise SystemExit(done.stderr)
    found: dict[str, str] = json.loads(done.stdout.splitlines()[-1])
    return found


def _measure(home: Path, texts: Sequence[str]) -> dict[str, str]:
    from knowwhy import models
    from knowwhy.config import Settings
    from knowwhy.tables import connect, queries

    settings = Settings(home=home)
    embedder = connect.connect(settings).embedder
    models.embed_query(texts[0], embedder)
    models.rerank(texts[0], texts[:1], settings.reranker, embedder=embedder)
    questions = [Question(str(number), text, frozenset()) for number, text in enumerate(texts)]
    how = How(EvaluationSet(home, tuple(questions)), embedder, settings.reranker)

    before = psutil.Process().memory_info().rss
    cold = _timed(ask, questions[0], FUSED, how)
    warm = _timed(ask, questions[0], FUSED, how)
    memory = psutil.Process().memory_info().rss
    embedding = percentile([_timed(models.embed_query, t, embedder) for t in texts], 0.5)
    passages = [p.search_text for p in queries.passages()]
    some = random.Random(SEED).sample(passages, min(PAIRS, len(passages)))
    score = functools.partial(models.rerank, name=settings.reranker, embedder=embedder)
    one_pass = percentile([_timed(score, texts[0], [passage]) for passage in some], 0.5)
    rows = {
        "passages": f"{len(passages):,}",
        "one embedding": f"{embedding:.1f} ms",
        "one cross-encoder pass": f"{one_pass:.1f} ms",
        "cold start of the indexes": f"{cold - warm:.0f} ms",
        "memory": f"{memory / 1e6:.0f} MB, {(memory - before) / 1e6:.0f} MB of it for the indexes",
    }
    for way in WAYS:
        asked = [found for q in questions if (found := ask(q, way, how))]
        alone = [found.steps[way] for found in asked if way in found.steps]  # one leg and no more
        if asked:
            rows[way] = _told(alone or [a.milliseconds for a in asked], embedding, one_pass)
    return rows


def _timed(work: Callable[..., object], *given: object) -> float:
    began = time.perf_counter()
    work(*given)
    return (time.perf_counter() - began) * 1000


def _told(times: Sequence[float], embedding: float, one_pass: float) -> str:
    p50, p95 = percentile(times, 0.5), percentile(times, 0.95)
    return (
        f"p50 {p50:7.1f} ms, p95 {p95:7.1f} ms: {p50 / embedding:5.1f} and {p95 / embedding:5.1f} "
        f"embeddings, {p50 / one_pass:5.1f} and {p95 / one_pass:5.1f} passes"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Measures one home, in this process.")
    parser.add_argument("home", type=Path)
    parser.add_argument("questions", type=Path)
    given = parser.parse_args()
    print(json.dumps(_measure(given.home, json.loads(given.questions.read_text("utf-8")))))
