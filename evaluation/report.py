"""What a run found: figures by way and by slice, as tables and as JSON."""

import datetime
import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from evaluation import metrics
from evaluation.homes import ROOT
from evaluation.sets import Question
from evaluation.ways import WHOLE, Asked

RESULTS = ROOT / "evaluation" / "results"
SLICE_FIGURE = "R@10"  # what slices are compared by

Run = Mapping[str, Mapping[str, Asked]]  # by way and question
Figures = dict[str, float]


def figures(questions: Sequence[Question], asked: Mapping[str, Asked]) -> Figures:
    """Gives the figures of one way over questions: quality, citing, abstaining and time."""
    answerable = [q for q in questions if q.relevant]
    cited = [q for q in answerable if q.cite]
    unanswerable = [q for q in questions if not q.relevant]
    found = metrics.mean(metrics.of_question(asked[q.id].ranked, q.relevant) for q in answerable)
    if cited:
        found["cited"] = sum(cites(q, asked[q.id]) for q in cited) / len(cited)
    if unanswerable:
        found["abstains"] = sum(asked[q.id].abstained for q in unanswerable) / len(unanswerable)
        found["abstains wrongly"] = sum(asked[q.id].abstained for q in answerable) / max(
            len(answerable), 1
        )
    times = [asked[q.id].milliseconds for q in questions]
    found["p50 ms"] = metrics.percentile(times, 0.5)
    found["p95 ms"] = metrics.percentile(times, 0.95)
    return found


def cites(question: Question, asked: Asked) -> bool:
    """Tells whether the record that must come first does."""
    return asked.ranked[:1] == (question.cite,)


def by_slice(questions: Sequence[Question]) -> dict[str, list[Question]]:
    """Sorts the answerable questions by hop, class and kind; a slice that is all is left out."""
    slices: dict[str, list[Question]] = {}
    answerable = [q for q in questions if q.relevant]
    for question in answerable:
        for name in question.slices:
            slices.setdefault(name, []).append(question)
    return {name: of for name, of in sorted(slices.items()) if len(of) < len(answerable)}


def print_run(questions: Sequence[Question], run: Run) -> None:
    """Prints every way over all questions, then each slice by way."""
    found = {way: figures(questions, asked) for way, asked in run.items()}
    names = list(next(iter(found.values()), {}))
    rows = [[way, *(_cell(name, of[name]) for name in names)] for way, of in found.items()]
    print_table(["", *names], rows)
    slices = by_slice(questions)
    if not slices or WHOLE not in run:
        return
    print(f"\n{SLICE_FIGURE} by slice; then the whole's other figures")
    more = [n for n in metrics.NAMES if n != SLICE_FIGURE]
    print_table(
        ["", "n", *run, *more],
        [
            [
                name,
                str(len(of)),
                *(_cell(SLICE_FIGURE, figures(of, asked)[SLICE_FIGURE]) for asked in run.values()),
                *(_cell(n, figures(of, run[WHOLE])[n]) for n in more),
            ]
            for name, of in slices.items()
        ],
    )


def _cell(name: str, value: float) -> str:
    return f"{value:.0f}" if name.endswith("ms") else f"{value:.3f}"


def print_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Prints columns, the first to the left and figures to the right."""
    widths = [max(len(row[column]) for row in (head, *rows)) for column in range(len(head))]
    for row in (head, *rows):
        first, *others = row
        cells = [f"{cell:>{width}}" for cell, width in zip(others, widths[1:], strict=True)]
        print("  ".join([f"{first:<{widths[0]}}", *cells]).rstrip())


def record(name: str, questions: Sequence[Question], run: Run, settings: Mapping[str, Any]) -> Path:
    """Writes a run's figures to evaluation/results with the circumstances that they hold for."""
    RESULTS.mkdir(exist_ok=True)
    file = RESULTS / f"{name}.json"
    found = {
        **circumstances(),
        "settings": dict(settings),
        "questions": len(questions),
        "figures": {way: _rounded(figures(questions, asked)) for way, asked in run.items()},
        "slices": {
            name: {way: _rounded(figures(of, asked)) for way, asked in run.items()}
            for name, of in by_slice(questions).items()
        },
    }
    file.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", "utf-8")
    return file


def circumstances() -> dict[str, Any]:
    """Says when, on which code and beside how much other work something was measured."""
    git = ["git", "-C", str(ROOT)]
    commit = subprocess.run([*git, "rev-parse", "HEAD"], capture_output=True, text=True)
    changed = subprocess.run([*git, "status", "--porcelain"], capture_output=True, text=True)
    return {
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "commit": (commit.stdout.strip() or None),
        "uncommitted": bool(changed.stdout.strip()),
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 2),
    }


def _rounded(found: Figures) -> Figures:
    return {name: round(value, 1 if name.endswith("ms") else 4) for name, value in found.items()}
