"""Each model's cosines are read by thresholds of its own."""

import shutil

import numpy as np
import pytest

from evaluation import calibrate
from knowwhy import models
from knowwhy.config import Settings
from knowwhy.errors import ModelUnavailable
from knowwhy.models import calibration, weights
from knowwhy.models.calibration import ROWS, Cosines

RERANKER = Settings().reranker
EMBEDDERS = ("wordhash", *(name for name in weights.BUNDLED if name != RERANKER))
NEAR = (
    0.012  # how far a cosine may be from the row on another processor, whose int8 products differ
)

ANSWERS_NEAR = 0.03  # the same for answers, where what is missed counts, too


@pytest.mark.parametrize("name", EMBEDDERS)
def test_each_model_that_needs_no_folder_has_a_row(name):
    row = ROWS[models.tag(name)]

    assert row == models.cosines(name)
    assert 0 < row.answer < row.alike < row.copy < 1


def test_no_row_is_of_weights_that_nobody_has():
    assert {models.tag(name) for name in EMBEDDERS} == set(ROWS)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=() if n == "wordhash" else pytest.mark.model) for n in EMBEDDERS]
)
def test_as_many_unlike_texts_reach_a_threshold_of_one_model_as_of_another(name):
    if name != "wordhash":
        needed(name)
    texts = models.embed(list(calibrate.sentences()), name)
    said = models.embed(calibrate.said(), name)
    asked = models.embed(calibrate.questions(), name, query=True)
    found = calibrate.matched(calibrate.among(texts), (asked @ said.T).ravel())
    row = ROWS[models.tag(name)]

    assert row.copy == pytest.approx(found.copy, abs=NEAR)
    assert row.alike == pytest.approx(found.alike, abs=NEAR)
    assert row.answer == pytest.approx(found.answer, abs=ANSWERS_NEAR)


@pytest.mark.model
def test_other_weights_get_thresholds_by_their_own_cosines_and_join_no_more_for_it(tmp_path):
    folder = tmp_path / "mine"
    shutil.copytree(weights.find("bge-small").folder, folder)
    assert models.tag(str(folder)) not in ROWS

    found, row = models.cosines(str(folder)), models.cosines("bge-small")

    assert row.copy <= found.copy < 1
    assert row.alike <= found.alike < found.copy
    assert found.answer == pytest.approx(row.answer, abs=0.05)


def test_the_middle_of_the_reference_is_what_it_measures():
    needed("minilm")

    found = calibration.middle("minilm")

    assert found.texts == pytest.approx(calibration.REFERENCE_MIDDLE.texts, abs=0.005)
    assert found.questions == pytest.approx(calibration.REFERENCE_MIDDLE.questions, abs=0.005)


def test_a_share_gives_the_cosine_that_so_many_pairs_reach():
    scores = np.linspace(0, 1, 1001, dtype=np.float32)

    assert pytest.approx(0.9) == calibrate.reached_by(scores, 101 / 1001)
    assert pytest.approx(1.0) == calibrate.reached_by(scores, 0.0)
    assert pytest.approx(0.0) == calibrate.reached_by(scores, 1.0)


def test_the_thresholds_of_the_reference_are_the_seeds():
    assert Cosines(copy=0.92, alike=0.85, answer=0.35) == ROWS[calibration.REFERENCE]


def needed(name):
    """Skip where a model cannot be used for want of an extra."""
    try:
        models.check_at_hand(name)
    except ModelUnavailable as error:
        pytest.skip(str(error))
