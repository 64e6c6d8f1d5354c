"""What a newcomer reads: `python -m evaluation.newcomer`.

Fetches public repositories, lets `knowwhy sync` take each into a home of its own, asks plain
questions through `knowwhy search` and `knowwhy context`, and judges whether the facts that answer
are among the words that are shown. The exit code is 1 when a figure is not what is asked.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from evaluation.homes import ROOT, environment, start, stop
from evaluation.newcomer.checkout import check_out
from evaluation.newcomer.judge import (
    FIGURES,
    LEAST,
    MOST,
    Shown,
    Verdict,
    failures,
    figures,
    has_failed,
    judge,
    unstated,
)
from evaluation.newcomer.rows import (
    HALVES,
    KINDS,
    Question,
    Repository,
    of_half,
    read_questions,
    read_repositories,
)

ASKING = [sys.executable, "-m", "evaluation.newcomer.asking"]


def main(arguments: Sequence[str] | None = None) -> None:
    """Measures and prints."""
    given = parsed(arguments)
    repositories = [r for r in read_repositories() if given.only in (None, r.name)]
    if not repositories:
        named = ", ".join(r.name for r in read_repositories())
        raise SystemExit(f"There is no repository {given.only}; there are {named}.")
    asked: dict[str, list[Question]] = {}
    seen: dict[str, Shown] = {}
    with _folder(given.home) as folder:
        for repository in repositories:
            asked[repository.name] = of_half(read_questions(repository.name), given.half)
            seen |= measure(repository, asked[repository.name], folder, given.mirror)
    questions = [question for of in asked.values() for question in of]
    verdicts = {question.id: judge(question, seen[question.id]) for question in questions}
    below = failures(figures(questions, verdicts))
    if given.as_json:
        print(json.dumps(as_json(asked, verdicts), indent=1))
    else:
        print_table(asked, verdicts)
        print(f"\nNot what is asked: {', '.join(below)}" if below else "\nAs asked.")
    if given.show:
        print_failed(questions, verdicts, seen)
    sys.exit(1 if below else 0)


def parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Reads the command line."""
    parser = argparse.ArgumentParser(prog="python -m evaluation.newcomer", description=__doc__)
    parser.add_argument("--half", choices=(*HALVES, "both"), default="both")
    parser.add_argument("--only", metavar="REPO", help="this repository alone")
    parser.add_argument(
        "--mirror", type=Path, metavar="DIR", help="git directories there, each named owner+name"
    )
    parser.add_argument("--home", type=Path, help="keep homes and checkouts there, for next time")
    parser.add_argument("--json", action="store_true", dest="as_json", help="for programs")
    parser.add_argument(
        "--show", action="store_true", help="the seen questions that failed, and what was shown"
    )
    return parser.parse_args(arguments)


def measure(
    repository: Repository,
    questions: Sequence[Question],
    folder: Path,
    mirror: Path | None,
    **settings: str,
) -> dict[str, Shown]:
    """Takes a repository into a home of its own and asks the questions on it."""
    began = time.perf_counter()
    root = check_out(repository, folder / "checkouts", mirror)
    if faults := unstated(questions, root):
        raise SystemExit("\n".join(faults))
    home = (folder / "homes" / repository.name).absolute()
    try:
        _sync(root, home, **settings)
        taken = time.perf_counter()
        shown = _ask(root, home, questions, **settings)
    finally:
        stop(home)
    done = time.perf_counter()
    times = f"taken in in {taken - began:.0f} s, asked in {done - taken:.0f} s"
    print(f"{repository.name}: {len(questions)} questions, {times}", file=sys.stderr)
    return shown


def _sync(root: Path, home: Path, **settings: str) -> None:
    """Runs the command on a checkout; what it refuses is told and not the end."""
    home.mkdir(parents=True, exist_ok=True)
    process = start("sync", root, home=home, **settings)
    out, err = process.communicate()
    if process.returncode not in (0, 1) or not out.strip():
        raise SystemExit(f"knowwhy sync {root} failed:\n{err}{out}")
    told = "; ".join(" ".join(line.split()) for line in out.splitlines())
    print(f"{root.name}: {told}", file=sys.stderr)


def _ask(
    root: Path, home: Path, questions: Sequence[Question], **settings: str
) -> dict[str, Shown]:
    rows = "".join(json.dumps({"id": q.id, "text": q.text}) + "\n" for q in questions)
    done = subprocess.run(
        [*ASKING, str(root.absolute())],
        env=environment(home, **settings),
        cwd=ROOT,
        input=rows,
        stdout=subprocess.PIPE,
        text=True,
    )
    if done.returncode:
        raise SystemExit(f"The questions on {root.name} could not all be asked.")
    told = [json.loads(line) for line in done.stdout.splitlines()]
    return {row.pop("id"): Shown(**{**row, "paths": tuple(row["paths"])}) for row in told}


@contextmanager
def _folder(kept: Path | None) -> Iterator[Path]:
    if kept is not None:
        yield kept
        return
    with tempfile.TemporaryDirectory(prefix="knowwhy-newcomer-", ignore_cleanup_errors=True) as of:
        yield Path(of)


def groups(asked: Mapping[str, Sequence[Question]]) -> dict[str, list[Question]]:
    """Gives the questions of each kind, of each repository and of each half, then all."""
    questions = [question for of in asked.values() for question in of]
    kinds = {kind: [q for q in questions if q.kind == kind] for kind in KINDS}
    halves = {half: of_half(questions, half) for half in HALVES}
    named = {name: list(of) for name, of in asked.items()}
    found = {**kinds, **named, **halves, "all": questions}
    return {name: of for name, of in found.items() if of}


def as_json(
    asked: Mapping[str, Sequence[Question]], verdicts: Mapping[str, Verdict]
) -> dict[str, dict[str, dict[str, float]]]:
    """Gives the figures of each group, as shares with their numbers."""
    return {
        name: {
            figure: {"share": round(so / total, 4), "so": so, "of": total}
            for figure, (so, total) in figures(of, verdicts).items()
        }
        for name, of in groups(asked).items()
    }


def print_table(asked: Mapping[str, Sequence[Question]], verdicts: Mapping[str, Verdict]) -> None:
    """Prints a line a group, and what is asked of all."""
    print(f"{'':<24}{'n':>5}" + "".join(f"{figure:>11}" for figure in FIGURES))
    for name, of in groups(asked).items():
        found = figures(of, verdicts)
        cells = [f"{found[f][0] / found[f][1]:.3f}" if f in found else "" for f in FIGURES]
        print(f"{name:<24}{len(of):>5}" + "".join(f"{cell:>11}" for cell in cells))
    goals = {
        **{f: f"≥ {v:g}" for f, v in LEAST.items()},
        **{f: f"≤ {v:g}" for f, v in MOST.items()},
    }
    print(f"{'asked':<29}" + "".join(f"{goals.get(figure, ''):>11}" for figure in FIGURES))


def print_failed(
    questions: Sequence[Question], verdicts: Mapping[str, Verdict], seen: Mapping[str, Shown]
) -> None:
    """Prints what was shown for the questions that failed, never for those that are held back."""
    for question in questions:
        verdict = verdicts[question.id]
        if question.half != "seen" or not has_failed(question, verdict):
            continue
        shown = seen[question.id]
        print(f"\n{'=' * 100}\n{question.id} ({question.kind}): {question.text}")
        print(f"facts: {question.facts}\nrecords: {question.records}\n{verdict}")
        print(f"hits: {shown.paths}\n--- search\n{shown.search}\n--- context\n{shown.context}")


if __name__ == "__main__":
    main()
