import numpy as np
import pytest

from carried import EMBEDDERS, NEEDS_REFERENCE
from knowwhy import models
from knowwhy.errors import ModelUnavailable

PASSAGES = [
    "The cafeteria serves soup on Thursdays.",
    "Sessions are kept in Redis since Postgres locked a row at each read.",
    "Redis was mentioned in passing at the all-hands.",
    "The gateway terminates TLS.",
    "",
]
QUESTION = "Why are sessions kept in Redis and not in Postgres?"


@pytest.mark.model
@pytest.mark.parametrize(
    ("name", "embedder"),
    [
        ("ms-marco-minilm", "bge-small"),
        pytest.param("late-interaction", "minilm", marks=NEEDS_REFERENCE),
        ("late-interaction", "bge-small"),
    ],
)
def test_the_passage_that_answers_is_scored_highest(name, embedder):
    scores = models.rerank(QUESTION, PASSAGES, name, embedder=embedder)
    assert len(PASSAGES) == len(scores)
    assert 1 == int(np.argmax(scores))


def test_late_interaction_needs_no_weights_where_the_embedder_needs_none():
    scores = models.rerank(QUESTION, PASSAGES, "late-interaction", embedder="wordhash")
    assert 1 == int(np.argmax(scores))


@pytest.mark.model
def test_a_score_does_not_depend_on_the_other_passages():
    together = models.rerank(QUESTION, PASSAGES, "ms-marco-minilm", embedder="bge-small")
    alone = [
        models.rerank(QUESTION, [text], "ms-marco-minilm", embedder="bge-small")[0]
        for text in PASSAGES
    ]
    assert alone == together


@pytest.mark.model
def test_a_question_and_a_passage_of_any_length_are_scored():
    endless = "why " * 3000
    scores = models.rerank(endless, [endless, "short"], "ms-marco-minilm", embedder="bge-small")
    assert np.isfinite(scores).all()


def test_none_scores_all_alike_so_that_a_stable_sort_keeps_the_order():
    assert [0.0] * 5 == models.rerank(QUESTION, PASSAGES, "none", embedder="wordhash")


@pytest.mark.parametrize("name", ["none", "late-interaction"])
def test_no_passages_give_no_scores(name):
    assert [] == models.rerank(QUESTION, [], name, embedder="wordhash")


@pytest.mark.model
def test_a_cross_encoder_from_a_folder_scores_pairs(tiny_network):
    folder = str(tiny_network("BertForSequenceClassification", seed=5))
    scores = models.rerank(QUESTION, PASSAGES, folder, embedder="bge-small")
    assert len(PASSAGES) == len(set(scores))
    assert (folder, None) == models.fallback_reranker(folder)
    assert models.verify(folder).endswith("run on torch")


@pytest.mark.model
@pytest.mark.parametrize("name", EMBEDDERS)
def test_an_embedder_is_refused_as_a_reranker(name):
    with pytest.raises(ModelUnavailable, match="is an embedder and scores no pairs"):
        models.rerank(QUESTION, PASSAGES, name, embedder="bge-small")


@pytest.mark.model
def test_a_reranker_that_works_is_used_without_a_note():
    assert ("ms-marco-minilm", None) == models.fallback_reranker("ms-marco-minilm")


@pytest.mark.parametrize("name", ["none", "late-interaction"])
def test_a_reranker_without_weights_is_used_without_a_note(name):
    assert (name, None) == models.fallback_reranker(name)


def test_where_a_cross_encoder_cannot_be_had_late_interaction_stands_in_and_says_so(monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    name, note = models.fallback_reranker("knowwhy-tests/there-is-no-such-model")
    assert "late-interaction" == name
    assert note is not None
    assert note.startswith("reranking by late interaction, the lesser mode: ")
    assert "\n" not in note
