"""Scores equal the reference built on exactly what the asker may see."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rank_bm25 import BM25Okapi

from knowwhy.retrieval.words.okapi import Document, Index
from knowwhy.text.tokens import tokens

WORDS = st.sampled_from(
    ["redis", "kafka", "orders", "billing", "auth", "token", "cache", "event", "ADR-5", "retry"]
)
TEXT = st.lists(WORDS, max_size=12).map(" ".join)
QUESTION = st.lists(WORDS, min_size=1, max_size=5).map(" ".join)
SCOPES = ("global", "project:a", "user:u", "user:u/project:a")
SCOPE = st.sampled_from(SCOPES)
PUT = st.tuples(st.just("put"), st.integers(0, 12), SCOPE, TEXT)
REMOVE = st.tuples(st.just("remove"), st.integers(0, 12))
CHANGES = st.lists(st.lists(PUT, min_size=1, max_size=6) | REMOVE, max_size=12)


def documents(texts, scope="global"):
    return [Document(number, scope, text) for number, text in enumerate(texts)]


def index_of(texts, scope="global"):
    index = Index()
    index.put(documents(texts, scope))
    return index


def changed(changes):
    """Applies batches of puts and single removals; gives the index and what should be in it."""
    index, held = Index(), {}
    for change in changes:
        if change[0] == "remove":
            index.remove([change[1]])
            held.pop(change[1], None)
        else:
            index.put([Document(id, scope, text) for _, id, scope, text in change])
            held |= {id: (scope, text) for _, id, scope, text in change}
    return index, held


def reference(held, question, seen):
    """Scores the documents in the seen scopes that share a word with the question."""
    visible = {id: tokens(text) for id, (scope, text) in held.items() if scope in seen}
    if not any(visible.values()):
        return {}
    scores = BM25Okapi(list(visible.values())).get_scores(tokens(question))
    asked = set(tokens(question))
    return {
        id: score
        for (id, words), score in zip(visible.items(), scores, strict=True)
        if asked & set(words)
    }


def same(expected, found):
    ids = sorted(expected)
    return ids == sorted(found) and np.allclose(
        [expected[id] for id in ids], [found[id] for id in ids], rtol=0, atol=1e-9
    )


@given(CHANGES, QUESTION, st.sets(SCOPE))
def test_scores_equal_okapi_on_the_visible_documents_after_any_changes(changes, question, seen):
    index, held = changed(changes)

    assert same(reference(held, question, seen), dict(index.best(question, 100, seen)))
    assert same(reference(held, question, SCOPES), dict(index.best(question, 100)))
    assert len(held) == len(index)


@given(CHANGES, CHANGES, QUESTION)
def test_another_scopes_text_moves_no_score(changes, others, question):
    seen = {"global", "user:u"}
    index, _ = changed(changes)
    before = index.best(question, 100, seen)

    for change in others:
        if change[0] != "remove":
            index.put([Document(50 + id, "user:other", text) for _, id, _, text in change])
            index.remove([50 + change[0][1]])

    assert before == index.best(question, 100, seen)


@given(CHANGES, QUESTION)
def test_what_is_packed_and_taken_again_scores_the_same(changes, question):
    index, held = changed(changes)
    again = Index.of(index.packed())

    assert index.best(question, 100) == again.best(question, 100)
    again.put([Document(99, "global", "redis kafka")])
    held[99] = ("global", "redis kafka")
    assert same(reference(held, question, SCOPES), dict(again.best(question, 100)))


@given(CHANGES, QUESTION, st.integers(1, 6))
def test_the_best_k_are_the_first_of_the_whole_ranking(changes, question, k):
    index, _ = changed(changes)

    assert index.best(question, 100)[:k] == index.best(question, k)


@given(st.lists(TEXT, min_size=1, max_size=40), QUESTION, st.integers(1, 6), st.integers(1, 10))
def test_a_label_filter_gives_k_when_k_exist_and_moves_no_score(texts, question, k, share):
    index = Index()
    index.put(Document(n, "global", text, n % share) for n, text in enumerate(texts))
    whole = [pair for pair in index.best(question, 100) if pair[0] % share == 0]

    assert whole[:k] == index.best(question, k, allowed=lambda label: label == 0)


@pytest.mark.parametrize(
    ("question", "best"),
    [
        ("getUserName", 0),
        ("user name", 0),
        ("ADR 5", 1),
        ("adr-0005", 1),
        ("retries", 2),
        ("src/pay/pool.py", 3),
        ("pool.py", 3),
        ("max_idle_time", 4),
        ("idle time", 4),
        ("SPEC-037 §3", 5),
        ("SPEC 37", 5),
        ("PEP 484", 6),
        (":pep:`484`", 6),
    ],
)
def test_identifiers_ids_stems_and_paths_match(question, best):
    texts = [
        "The function getUserName reads the cache.",
        "As ADR-5 says, one database.",
        "Every client retried three times.",
        "See src/pay/pool.py for the pool.",
        "We set max_idle_time to a minute.",
        "The format is that of SPEC-037 §3.",
        "Annotations follow PEP 484 here.",
        "Nothing of the kind stands here.",
    ]

    assert best == index_of(texts).best(question, 1)[0][0]


def test_equal_scores_come_in_the_order_of_their_ids():
    index = Index()
    for number in (3, 1, 2, 0):
        index.put([Document(number, "global", "redis")])
    index.put(documents(["kafka"] * 20)[4:])

    assert [0, 1, 2, 3] == [id for id, _ in index.best("redis", 10)]
    assert [0, 1] == [id for id, _ in index.best("redis", 2)]


def test_a_word_counts_the_more_the_more_often_a_question_has_it():
    index = index_of(["redis", "kafka", "orders", "billing", "auth"])

    assert np.isclose(2 * index.best("redis", 1)[0][1], index.best("redis redis", 1)[0][1])


def test_a_word_may_stand_more_often_than_a_byte_counts():
    held = {0: ("global", "redis " * 70_000), 1: ("global", "kafka"), 2: ("global", "auth")}
    index = index_of([text for _, text in held.values()])

    assert same(reference(held, "redis", SCOPES), dict(index.best("redis", 5)))


def test_nothing_is_found_in_an_empty_index_or_an_unknown_scope():
    assert [] == Index().best("anything", 5)
    assert [] == index_of(["redis"]).best("redis", 5, {"user:nobody"})
    assert [] == index_of(["", "!!!"]).best("redis", 5)


def test_words_of_removed_documents_are_not_packed():
    index = index_of(["redis kafka", "kafka orders", "billing"])
    index.remove([0])

    assert {"kafka", "order", "bill"} == set(index.packed().words)
    assert [1, 2] == index.packed().ids
