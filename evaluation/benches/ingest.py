"""How much of the embedder's own rate the whole of ingest keeps."""

import json
import random
import resource
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from evaluation.homes import golden_as_jsonl, throwaway_home
from knowwhy.config import DEFAULT_EMBEDDER as EMBEDDER

LINE_MB = 10
PASSAGES_AT_LEAST = 1_500  # fewer would measure the start
PASSAGE_CHARS = 550  # the middle length of a passage in the golden corpus
SEED = 20261118


def measure(docs: Sequence[str] = ()) -> dict[str, str]:
    """Embeds the passages of a corpus alone, then ingests it, in one process."""
    with throwaway_home() as home:
        home.mkdir(parents=True)
        given = [Path(file) for file in docs]
        return _measure(home, given or [many_times(golden_as_jsonl(home.parent / "docs.jsonl"))])


def many_times(file: Path) -> Path:
    """Repeats a small corpus with each line's words in another order: no two texts are the same."""
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    copies = -(-PASSAGES_AT_LEAST * PASSAGE_CHARS // sum(len(line["text"]) for line in lines))
    dice = random.Random(SEED)
    with file.open("w") as out:
        for copy in range(copies):
            for line in lines:
                text = line["text"] if copy == 0 else shuffled(line["text"], dice)
                out.write(json.dumps({**line, "id": f"{copy}/{line['id']}", "text": text}) + "\n")
    return file


def shuffled(text: str, dice: random.Random) -> str:
    """Shuffles the words of each line of prose; headings and blank lines stay."""
    lines = []
    for line in text.splitlines():
        words = line.split()
        if not line.startswith(("#", "---")):
            dice.shuffle(words)
        lines.append(" ".join(words))
    return "\n".join(lines) + "\n"


def _measure(home: Path, files: list[Path]) -> dict[str, str]:
    from knowwhy import models
    from knowwhy.config import Settings
    from knowwhy.ingest import jsonl
    from knowwhy.ingest.load import Taking
    from knowwhy.tables import connect, queries
    from knowwhy.tables.homes import storage
    from knowwhy.text.pages.passages import cut, search_text

    connect.connect(Settings(home=home, embedder=EMBEDDER))
    how = Taking(EMBEDDER, LINE_MB)
    empty = storage.size()
    lines = [line for file in files for line in file.read_bytes().splitlines() if line.strip()]
    records = [jsonl._parsed(line) for line in lines]
    drafts = [jsonl._draft({"service": None, "project": None, **r}, r["id"], "") for r in records]
    texts = [
        search_text(d.title, p.heading, p.text)
        for d in drafts
        for p in cut(d.content, d.kind, d.path)
    ]
    models.embed(texts[:64], EMBEDDER)  # the model is loaded and warm before either is timed

    # Timed before and after the ingest: a shared machine is faster in one minute than in the next.
    before = timed(lambda: models.embed(texts, EMBEDDER))
    began = time.perf_counter()
    done = jsonl.ingest_jsonl(files, how)
    whole = time.perf_counter() - began
    after = timed(lambda: models.embed(texts, EMBEDDER))
    alone = (before + after) / 2

    began = time.perf_counter()
    again = jsonl.ingest_jsonl(files, how)
    second = time.perf_counter() - began

    passages = queries.counts()["passages"]
    return {
        "records": f"{done.added} ({again.unchanged} unchanged the second time)",
        "passages": str(passages),
        "embedder alone": f"{len(texts) / before:.1f} before, {len(texts) / after:.1f} after",
        "whole of ingest": f"{passages / whole:.1f} passages/s",
        "share of the embedder's rate": f"{alone / whole:.1%}",
        "second run / first run": f"{second / whole:.1%}",
        "disk": f"{(storage.size() - empty) / max(done.added, 1):,.0f} bytes a record",
        "peak memory": f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB",
    }


def timed(work: Callable[[], object]) -> float:
    """Gives the seconds that some work takes."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began
