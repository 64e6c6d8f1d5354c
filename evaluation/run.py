"""Retrieval on a set: `python -m evaluation.run DIR`.

Takes the documents of a set into a home, asks its questions by every leg alone, fused and as the
whole, and prints how much of what answers them was found, how early, and in which time.
"""

import argparse
import json
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from evaluation.as_turns import as_turns, listen
from evaluation.homes import stop, throwaway_home
from evaluation.report import Run, print_run, record
from evaluation.sets import Question, ingest, read_set
from evaluation.ways import QUALITY, WAYS, WHOLE, Asked, How, ask
from knowwhy.config import DEFAULT_EMBEDDER as EMBEDDER
from knowwhy.config import Settings
from knowwhy.tables.connect import connect

RERANKER = Settings().reranker


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs a set and prints, writes and records what came out."""
    given = parsed(arguments)
    what = as_turns(read_set(given.folder)) if given.taken_as == "turns" else read_set(given.folder)
    questions = what.questions[: given.limit]
    with opened(given.home, given.embedder) as embedder:
        said = listen(what, embedder) if given.taken_as == "turns" else None
        done = said or ingest(what, embedder).as_json()
        print(json.dumps(done, ensure_ascii=False))
        how = How(what, embedder, given.reranker)
        run = ask_all(questions, given.legs, how)
    print_run(questions, run)
    if given.out and WHOLE in run:
        write_ranking(given.out, questions, run)
    if given.record:
        settings = {"set": what.folder.name, "embedder": embedder, "reranker": given.reranker}
        print(f"recorded in {record(given.record, questions, run, settings)}")


def parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Reads the command line."""
    parser = argparse.ArgumentParser(prog="python -m evaluation.run", description=__doc__)
    parser.add_argument("folder", type=Path, metavar="DIR", help="a set: docs and questions")
    parser.add_argument("--limit", type=int, help="ask only so many questions, over all documents")
    parser.add_argument("--legs", type=ways, default=QUALITY, help=f"some of {','.join(WAYS)}")
    parser.add_argument(
        "--as",
        dest="taken_as",
        choices=("records", "turns"),
        default="records",
        help="take the documents in as records, or as what was said, and learn from it",
    )
    parser.add_argument("--out", type=Path, help="write the whole's ranking, one row a question")
    parser.add_argument("--home", type=Path, help="keep the home there, and use it again")
    parser.add_argument("--record", metavar="NAME", help="write evaluation/results/NAME.json")
    parser.add_argument("--embedder", default=EMBEDDER)
    parser.add_argument("--reranker", default=RERANKER)
    return parser.parse_args(arguments)


def ways(text: str) -> tuple[str, ...]:
    """Reads the ways to ask, in the order of the table."""
    named = set(text.split(","))
    if unknown := named - set(WAYS):
        raise argparse.ArgumentTypeError(f"unknown: {', '.join(sorted(unknown))}")
    return tuple(way for way in WAYS if way in named)


@contextmanager
def opened(kept: Path | None, embedder: str) -> Iterator[str]:
    """Opens a home that is kept, or one that is gone afterwards; gives its embedder."""
    if kept is None:
        with throwaway_home() as home:
            yield connect(Settings(home=home, embedder=embedder)).embedder
        return
    try:
        yield connect(Settings(home=kept, embedder=embedder)).embedder
    finally:
        stop(kept.absolute())


def ask_all(questions: Sequence[Question], wanted: Sequence[str], how: How) -> Run:
    """Asks every question in every way; a way that search does not offer is left out."""
    run: dict[str, dict[str, Asked]] = {}
    for way in wanted:
        if not questions or ask(questions[0], way, how) is None:  # models and indexes are warm now
            continue
        began = time.perf_counter()
        answers = {question.id: ask(question, way, how) for question in questions}
        run[way] = {name: asked for name, asked in answers.items() if asked is not None}
        took = time.perf_counter() - began
        print(f"{way}: {len(questions)} questions in {took:.0f} s", file=sys.stderr)
    return run


def write_ranking(file: Path, questions: Sequence[Question], run: Run) -> None:
    """Writes the whole's ranking as {"id", "ranked"}, one row a question."""
    rows = ({"id": q.id, "ranked": list(run[WHOLE][q.id].ranked)} for q in questions)
    file.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")


if __name__ == "__main__":
    main()
