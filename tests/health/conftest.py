"""What the tests of the looks share."""

import pytest

from knowwhy.health import asking_set, recall
from knowwhy.health.golden_questions import GOLDEN


@pytest.fixture
def few_questions(monkeypatch):
    """Lets a look ask a few questions only: a small memory needs no more."""
    monkeypatch.setattr(recall, "FIRST_QUERIES", 4)
    monkeypatch.setattr(recall, "EACH_QUERIES", 4)
    monkeypatch.setattr(asking_set, "GOLDEN_QUESTIONS", GOLDEN[:6])
