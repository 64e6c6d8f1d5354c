"""What a model's cosines mean: `python -m evaluation.calibrate MODEL… [--pairs FILE]`.

Compares all sentences of the golden corpus with each other, and what people say in golden/ with the
golden questions. Nearly all of these pairs are unlike, so a threshold of one model is that of
another where as many of them reach it. Prints the row of `knowwhy.models.calibration` for each
model, beside it what is taken without a row, and how many of given pairs of texts reach the row.
"""

import argparse
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation.homes import GOLDEN, ROOT
from knowwhy import models
from knowwhy.models import calibration
from knowwhy.models.calibration import SHARES, Cosines

SENTENCE = re.compile(r"(?<=[.!?])\s+|\n\n|\n[-*] ")  # between sentences, paragraphs and points
SIZES = range(31, 300)  # characters of a sentence that says something

Scores = NDArray[np.float32]


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints the row of each model."""
    parser = argparse.ArgumentParser(prog="python -m evaluation.calibrate", description=__doc__)
    parser.add_argument("models", nargs="+", metavar="MODEL", help="as in KNOWWHY_EMBEDDER")
    parser.add_argument(
        "--pairs", type=Path, action="append", default=[], help='rows of {"a": TEXT, "b": TEXT}'
    )
    given = parser.parse_args(arguments)
    told, claims, asked = list(sentences()), said(), questions()
    print(f"{len(told)} sentences, {len(claims)} claims, {len(asked)} questions")
    for name in given.models:
        to_questions = models.embed(asked, name, query=True) @ models.embed(claims, name).T
        row = matched(among(models.embed(told, name)), to_questions.ravel())
        print(f"{models.tag(name)}: {_shown(row)}")
        print(f"  in use: {_shown(calibration.of(name))}")
        print(f"  without a row: {_shown(calibration.measured(name))}")
        print(f"  middle of its sample: {calibration.middle(name)}")
        for file in given.pairs:
            scores = compared(file, name)
            reached = [float((scores >= at).mean()) for at in (row.copy, row.alike)]
            shares = f"copy {reached[0]:.3f}, alike {reached[1]:.3f}"
            print(f"  {file.stem}: of {len(scores)} pairs reach {shares}")


def sentences() -> Iterator[str]:
    """Gives the distinct sentences of the golden corpus, always in the same order."""
    found = {
        " ".join(part.split())
        for file in sorted(GOLDEN.rglob("*.md"))
        for part in SENTENCE.split(file.read_text("utf-8"))
    }
    yield from sorted(text for text in found if len(text) in SIZES)


def said() -> list[str]:
    """Gives the distinct golden claims, each a sentence that somebody said."""
    return sorted({row["content"] for row in _rows(ROOT / "golden" / "claims.jsonl")})


def questions() -> list[str]:
    """Gives the golden questions."""
    return [row["text"] for row in _rows(ROOT / "golden" / "questions.jsonl")]


def matched(between: Scores, to_questions: Scores) -> Cosines:
    """Gives the thresholds that as many unlike pairs reach as SHARES says."""
    return Cosines(
        copy=reached_by(between, SHARES["copy"]),
        alike=reached_by(between, SHARES["alike"]),
        answer=reached_by(to_questions, SHARES["answer"]),
    )


def among(vectors: Scores) -> Scores:
    """Gives the cosine of each pair of vectors once."""
    return np.asarray((vectors @ vectors.T)[np.triu_indices(len(vectors), 1)])


def reached_by(scores: Scores, share: float) -> float:
    """Gives the cosine that so large a share of the pairs reaches."""
    count = min(max(round(share * len(scores)), 1), len(scores))
    return round(float(np.partition(scores, -count)[-count]), 3)


def compared(file: Path, name: str) -> Scores:
    """Gives the cosine of each pair of texts in a file."""
    rows = _rows(file)
    one, other = (models.embed([row[side] for row in rows], name) for side in ("a", "b"))
    return np.asarray((one * other).sum(axis=1))


def _rows(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text("utf-8").splitlines() if line.strip()]


def _shown(row: Cosines) -> str:
    return f"copy {row.copy:.3f}, alike {row.alike:.3f}, answer {row.answer:.3f}"


if __name__ == "__main__":
    main()
