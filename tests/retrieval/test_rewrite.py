"""Other words for what a question names."""

import pytest

from knowwhy.retrieval.rewrite import MAX_VARIANTS, learn, rewrites

KNOWN = learn(
    [
        "first-attempt delivery (FAD), service level objective (SLO)",
        "Every request for comments (RFC) is read. FAD: first-attempt delivery",
        "the depot runs Keystone (formerly Authmaster) now",
    ]
)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What does FAD mean?", ("What does first-attempt delivery mean?",)),
        ("How is First-Attempt Delivery counted?", ("How is FAD counted?",)),
        ("Who runs Authmaster?", ("Who runs Keystone?",)),
        ("Who runs keystone?", ("Who runs Authmaster?",)),
        ("What is a fad?", ()),
        ("Nothing known here", ()),
    ],
)
def test_a_question_is_put_in_other_words(question, expected):
    assert expected == rewrites(question, KNOWN)


def test_there_are_never_more_than_three_variants():
    question = "FAD, SLO, RFC, Authmaster, Keystone, FAD and RFC"

    assert MAX_VARIANTS == len(rewrites(question, KNOWN))


def test_the_most_usual_meaning_stands():
    known = learn(["top up card (TUC)", "trade union congress (TUC)", "TUC (trade union congress)"])

    assert ("trade union congress",) == rewrites("TUC", known)
