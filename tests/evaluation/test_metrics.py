import importlib.util
import random
from pathlib import Path

import pytest

from evaluation import metrics

SCORE = Path(__file__).parents[3] / "shared" / "eval" / "score.py"
NOTHING = dict.fromkeys(metrics.NAMES, 0.0)


@pytest.mark.parametrize(
    ("ranked", "relevant", "expected"),
    [
        ("abc", "", None),
        ("", "x", NOTHING),
        ("abcde", "x", NOTHING),
        ("x", "x", {"P@5": 0.2, "R@5": 1, "R@10": 1, "hit@5": 1, "MRR@10": 1, "nDCG@10": 1}),
        ("axb", "x", {"P@5": 0.2, "R@5": 1, "hit@5": 1, "MRR@10": 0.5, "nDCG@10": 0.6309}),
        ("abcdex", "x", {"P@5": 0, "R@5": 0, "R@10": 1, "hit@5": 0, "MRR@10": 1 / 6}),
        ("abcdefghijx", "x", NOTHING),
        ("xaya", "xyz", {"P@5": 0.4, "R@5": 2 / 3, "MRR@10": 1, "nDCG@10": 1.5 / 2.1309}),
    ],
)
def test_figures_are_those_worked_out_by_hand(ranked, relevant, expected):
    if expected is None:
        with pytest.raises(ZeroDivisionError):
            metrics.of_question(ranked, relevant)
        return
    found = metrics.of_question(list(ranked), set(relevant))
    assert list(metrics.NAMES) == list(found)
    assert expected == pytest.approx({name: found[name] for name in expected}, abs=1e-4)


@pytest.mark.skipif(not SCORE.is_file(), reason="the scorer of the shared sets is not here")
def test_figures_are_those_of_the_shared_scorer():
    spec = importlib.util.spec_from_file_location("score", SCORE)
    score = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(score)
    dice = random.Random(7)
    documents = [f"d{number}" for number in range(30)]
    for _ in range(300):
        ranked = dice.choices(documents, k=dice.randrange(0, 25))
        query = {
            "id": "q",
            "relevant": dice.sample(documents, dice.randrange(1, 14)),
            "exclude": dice.sample(documents, 2),
        }
        theirs = score.score([query], [{"id": "q", "ranked": ranked}])["all"]
        ours = metrics.of_question(
            metrics.without(ranked, query["exclude"]), set(query["relevant"])
        )
        for name in ("R@5", "R@10", "hit@5", "MRR@10", "nDCG@10"):
            assert theirs[name] == pytest.approx(ours[name]), name


def test_mean_counts_every_question_the_same():
    full = metrics.of_question(["x"], {"x"})
    assert 0.5 == metrics.mean([full, NOTHING])["R@10"]
    assert {} == metrics.mean([])


def test_excluded_and_repeated_names_leave_the_ranking():
    assert ["a", "c"] == metrics.without(["a", "b", "a", "c"], {"b"})


def test_percentiles_of_nothing_are_nothing():
    assert 0.0 == metrics.percentile([], 0.95)
    assert 3.0 == metrics.percentile([1, 3, 5], 0.5)
