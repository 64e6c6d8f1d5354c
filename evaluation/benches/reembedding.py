"""The model of a home is changed while it is searched and written to: what fails, mixes or waits.

Searchers and writers open the home before the change and never again. Each answer to a question has
to be the one that the old vectors give, or the one of the new: anything else would be mixed.
"""

import json
import random
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from evaluation.benches.ingest import SEED
from evaluation.benches.search import FIELDS, endless, lines_of
from evaluation.faults import added_up
from evaluation.homes import ROOT, environment, golden_as_jsonl, run, start, throwaway_home
from evaluation.sets import read_set
from knowwhy.text.pages.passages import cut

PASSAGES = 5_000
BEFORE, AFTER = "minilm", "bge-small"  # both come in packages
SEARCHERS, WRITERS = 2, 1
ASKED = 30  # questions; each searcher asks them in turn
NONE = (  # counts among the figures that have to be 0
    *("searches that failed", "answers of neither model alone", "old answers after a new one"),
    *("answers unlike a fresh ingest", "passages without a vector", "written and not there"),
)
AFTERWARDS = 3.0  # seconds that searches and writes go on when the change is done

ASK = """
import json, sys, time
from pathlib import Path
from knowwhy.config import Settings
from knowwhy.retrieval.search import search
from knowwhy.tables import connect, queries
from knowwhy.types import Filters
opened = connect.connect(Settings.from_environ())
questions = json.loads(Path(sys.argv[1]).read_text())
stop = Path(sys.argv[2]) if len(sys.argv) > 2 else None
rounds, worst, told, began = [], 0.0, [], time.monotonic()
while not rounds or (stop is not None and not stop.exists()):
    answers = []
    for text in questions:
        at = time.monotonic()
        found = search(text, embedder=opened.embedder, reranker="none", k=5, rerank="none",
                       filters=Filters(project="main"), legs=("vector",))
        answers.append([hit.passage.key for hit in found.hits])
        told += [note for note in found.notes if "failed" in note]
        worst = max(worst, time.monotonic() - at)
        if stop is not None and stop.exists():
            break
    rounds.append(answers)
print(json.dumps({"rounds": rounds, "worst": worst, "failed": told}))
"""

WRITE = """
import json, sys, time
from pathlib import Path
from knowwhy.config import Settings
from knowwhy.tables import connect, write
from knowwhy.types import Draft
opened = connect.connect(Settings.from_environ())
stop, name, waits, number = Path(sys.argv[1]), sys.argv[2], [], 0
while number == 0 or not stop.exists():
    text = f"# Note {number}\\n\\nThe {name} wrote edition {number} of its note."
    draft = Draft(id=f"{name}/{number}", kind="document", title="Note", content=text,
                  project="busy")
    batch = write.prepare([draft], opened.embedder)
    began = time.monotonic()
    write.put_records(batch)
    waits.append(time.monotonic() - began)
    write.release(batch)
    number += 1
    time.sleep(0.1)
print(json.dumps({"wrote": number, "worst": max(waits)}))
"""

LEFT = """
import json, sys
from knowwhy.config import Settings
from knowwhy.tables import connect, queries
from knowwhy.tables.vectors import staged, switch
from knowwhy.types import Filters
opened = connect.connect(Settings.from_environ())
rows, missing = queries.unindexed(opened.embedder)
print(json.dumps({"embedder": opened.embedder, "rows": rows, "missing": missing,
    "lost": queries.lost_vectors(opened.embedder), "staged": staged.exists(),
    "views": [*switch.standing("_next"), *switch.standing("_gone")],
    "busy": sum(p.project == "busy" for p in queries.passages(Filters(project="busy")))}))
"""


def measure(passages: int = PASSAGES, before: str = BEFORE, after: str = AFTER) -> dict[str, str]:
    """Changes the model of a full home and compares it with one that was filled with the new."""
    with throwaway_home() as home, throwaway_home() as fresh:
        docs, questions, count = _corpus(home.parent, passages)
        for folder, model in ((home, before), (fresh, after)):
            taken = ("ingest", "jsonl", docs, "--project", "main")
            run(*taken, home=folder, KNOWWHY_EMBEDDER=model)
        old = _program(ASK, home, questions)["rounds"][0]
        report, searched, wrote, commands = _changed(home, questions, after)
        new = _program(ASK, home, questions)["rounds"][0]
        expected = _program(ASK, fresh, questions)["rounds"][0]
        left = _program(LEFT, home)
    lone = [_mixed(one["rounds"], old, new) for one in searched]
    waits = ", ".join(f"{base} {seconds:.2f} s" for base, seconds in report["paused"].items())
    took = ", ".join(f"{what} {seconds:.1f} s" for what, seconds in report["seconds"].items())
    figures = {
        "passages": f"{count}, and {left['busy']} written meanwhile",
        "from, to": f"{report['before']}, {report['tag']}",
        "took": took,
        "paused": waits,
        "longest pause": f"{report['longest_pause']:.2f} s",
        "longest write": f"{max(one['worst'] for one in wrote):.2f} s",
        "searches": str(sum(len(r) for one in searched for r in one["rounds"])),
        "longest search": f"{max(one['worst'] for one in searched):.2f} s",
        "commands that searched": str(commands),
        "searches that failed": str(sum(len(one["failed"]) for one in searched)),
        "answers of neither model alone": str(sum(mixed for mixed, _, _ in lone)),
        "old answers after a new one": str(sum(back for _, back, _ in lone)),
        "searchers that took the new model": str(sum(took_it for _, _, took_it in lone)),
        "questions that the models answer differently": _differing(old, new),
        "answers unlike a fresh ingest": _differing(new, expected),
        "passages without a vector": str(left["missing"] + len(left["lost"])),
        "written and not there": str(sum(one["wrote"] for one in wrote) - left["busy"]),
        "left behind": ", ".join(left["views"] + ["staged"] * left["staged"]) or "nothing",
        "freed": f"{report['freed_mb']} MB",
    }
    return {**figures, "faults": str(added_up(figures, *NONE))}


def _corpus(folder: Path, passages: int) -> tuple[Path, Path, int]:
    """Writes documents with so many passages, and questions to ask of them."""
    docs, questions = folder / "docs.jsonl", folder / "questions.json"
    golden = endless(lines_of([golden_as_jsonl(folder / "golden.jsonl")]))
    count = 0
    with docs.open("w", encoding="utf-8") as out:
        while count < passages:
            line = next(golden)
            count += len(cut(line["text"], line["kind"], None))
            out.write(json.dumps({name: line[name] for name in FIELDS if name in line}) + "\n")
    asked = [question.text for question in read_set(ROOT / "golden").questions]
    questions.write_text(json.dumps(random.Random(SEED).sample(asked, ASKED)), "utf-8")
    return docs, questions, count


def _changed(
    home: Path, questions: Path, after: str
) -> tuple[dict[str, Any], list[dict[str, Any]], list[dict[str, Any]], int]:
    """Changes the model while others search and write; gives what each of them tells."""
    stop = home.parent / "stop"
    searchers = [_begun(ASK, home, questions, stop) for _ in range(SEARCHERS)]
    writers = [_begun(WRITE, home, stop, f"writer{number}") for number in range(WRITERS)]
    changing = start("reembed", "--to", after, "--json", home=home)
    commands = 0
    try:
        while changing.poll() is None:
            run("search", "--fast", "Why was Kafka chosen?", "--json", home=home)
            commands += 1
        out, err = changing.communicate()
        if changing.returncode != 0:
            raise SystemExit(f"the change failed:\n{err}")
        time.sleep(AFTERWARDS)
    finally:
        stop.touch()
        ended = [_ended(process) for process in (*searchers, *writers)]
    return json.loads(out), ended[:SEARCHERS], ended[SEARCHERS:], commands


def _mixed(rounds: Sequence[Any], old: Sequence[Any], new: Sequence[Any]) -> tuple[int, int, bool]:
    """Counts answers that neither model gives, and those of the old one after the new one's."""
    mixed = back = 0
    took_it = False
    for answers in rounds:
        for number, answer in enumerate(answers):
            if answer not in (old[number], new[number]):
                mixed += 1
            elif old[number] != new[number]:
                back += took_it and answer == old[number]
                took_it = took_it or answer == new[number]
    return mixed, back, took_it


def _differing(some: Sequence[Any], others: Sequence[Any]) -> str:
    return str(sum(one != other for one, other in zip(some, others, strict=True)))


def _begun(code: str, home: Path, *arguments: object) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        env=environment(home),
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _ended(process: "subprocess.Popen[str]") -> dict[str, Any]:
    out, err = process.communicate()
    if process.returncode != 0:
        raise SystemExit(f"a process beside the change failed:\n{err}")
    told: dict[str, Any] = json.loads(out.splitlines()[-1])
    return told


def _program(code: str, home: Path, *arguments: object) -> dict[str, Any]:
    return _ended(_begun(code, home, *arguments))
