"""A stand-in for the paid extractor, with a key that it takes."""

import pytest

from knowwhy.grounding import worker
from knowwhy.models import claude
from stand_in import KEY, each_sentence, standing_in


@pytest.fixture
def api(store, monkeypatch):
    with standing_in() as stand_in:
        stand_in.always = each_sentence
        monkeypatch.setenv("ANTHROPIC_BASE_URL", stand_in.url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
        claude.forget_client()
        worker.forget_problem()
        yield stand_in
        claude.forget_client()
        worker.forget_problem()
