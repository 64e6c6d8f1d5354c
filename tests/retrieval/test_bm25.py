"""BM25 by postings equals the reference, score by score."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rank_bm25 import BM25Okapi

from knowwhy.retrieval.bm25 import Bm25
from knowwhy.text.tokens import tokens

WORDS = st.sampled_from(
    ["redis", "kafka", "orders", "billing", "auth", "token", "cache", "event", "ADR-5", "retry"]
)
TEXTS = st.lists(st.lists(WORDS, min_size=1, max_size=12).map(" ".join), min_size=1, max_size=20)


@given(TEXTS, st.lists(WORDS, max_size=5).map(" ".join))
def test_scores_equal_okapi_built_on_the_same_texts(texts, question):
    expected = BM25Okapi([tokens(text) for text in texts]).get_scores(tokens(question))

    assert np.allclose(expected, Bm25(texts).scores(question), rtol=0, atol=1e-9)


@pytest.mark.parametrize(
    ("question", "best"),
    [
        ("getUserName", 0),
        ("user name", 0),
        ("ADR 5", 1),
        ("adr-0005", 1),
        ("retries", 2),
        ("src/pay/pool.py", 3),
    ],
)
def test_identifiers_ids_stems_and_paths_match(question, best):
    texts = [
        "The function getUserName reads the cache.",
        "As ADR-5 says, one database.",
        "Every client retried three times.",
        "See src/pay/pool.py for the pool.",
        "Nothing of the kind stands here.",
    ]

    assert best == int(np.argmax(Bm25(texts).scores(question)))


def test_an_empty_index_scores_nothing():
    assert 0 == len(Bm25([]).scores("anything"))
