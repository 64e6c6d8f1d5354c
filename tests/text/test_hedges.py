"""Words of doubt, and words that only look like them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowwhy.text.doubt.hedges import hedges
from pace import assert_linear


def found(text):
    return [(hedge.text, hedge.strong) for hedge in hedges(text)]


@pytest.mark.parametrize(
    ("text", "doubted"),
    [
        ("The cache might be stale", "might"),
        ("Maybe we use Redis", "Maybe"),
        ("Perhaps it is DNS", "Perhaps"),
        ("It is possibly a race", "possibly"),
        ("It could be the pool", "could be"),
        ("It could also be DNS", "could also be"),
        ("I'm not sure it is Redis", "not sure"),
        ("I’m not 100 % sure it is Redis", "not 100 % sure"),
        ("I guess billing uses it", "I guess"),
        ("My guess is that billing uses it", "My guess"),
        ("I suspect the relay", "I suspect"),
        ("I don't know whether it runs", "I don't know"),
        ("I doubt that it runs", "I doubt"),
        ("The pool is presumably full", "presumably"),
        ("It may break on Fridays", "may"),
        ("The bug may be caused by the pool", "may"),
        ("I have a hunch that the pool is too small", "a hunch"),
        ("I'd bet the pool is too small", "I'd bet"),
        ("I bet it is DNS", "I bet"),
        ("My theory is that the relay drops it", "My theory"),
        ("Our working hypothesis is a race", "Our working hypothesis"),
        ("There's a good chance it is DNS", "There's a good chance"),
        ("For all we know it runs twice", "For all we know"),
    ],
)
def test_a_word_of_strong_doubt_is_found(text, doubted):
    assert [(doubted, True)] == found(text)


@pytest.mark.parametrize(
    ("text", "doubted"),
    [
        ("I think billing uses Postgres", "I think"),
        ("I don't think we use it", "I don't think"),
        ("The relay probably runs every second", "probably"),
        ("Apparently the token expires", "Apparently"),
        ("As far as I know it is a week", "As far as I know"),
        ("It looks like the token expires", "looks like"),
        ("The service is very likely down", "very likely"),
        ("Billing uses Postgres, or so I hear", "or so I hear"),
        ("I heard that billing moved to Postgres", "I heard"),
    ],
)
def test_a_word_of_weak_doubt_is_not_strong(text, doubted):
    assert [(doubted, False)] == found(text)


@pytest.mark.parametrize(
    "text",
    [
        "It definitely might be the new load balancer",
        "Clearly, the fact is that maybe we use Redis",
        "It is a proven fact that it could be the cache",
        "Without any doubt it is perhaps the pool",
    ],
)
def test_doubt_stays_strong_however_firmly_the_rest_is_put(text):
    assert any(hedge.strong for hedge in hedges(text))


@pytest.mark.parametrize(
    "text",
    [
        "Clients may retry twice",
        "Requests may be retried twice",
        "Nobody may deploy on Fridays",
        "You may not push to main",
        "In May we had three outages",
        "May 3 was a holiday",
        "We could not reach the primary for ten minutes",
        "The CDN could not cache a POST",
        "It was split so that it could be used by all",
        "It could have been prevented by an alert",
        "Services should log JSON",
        "There is no maybe about it",
        "This is not a guess",
        "It cannot possibly fail",
        "No doubt it is Redis",
        "Flutter is out (nobody knows Dart)",
        "There are two people who know Rust",
        "They send latin-1, no idea why",
        "Make sure the tests pass",
        "The format looks like this: a, b",
        'We took the word "maybe" out of the docs',
        "`maybe_retry` and might_fail.py are called from jobs/possibly/run.py",
        "The Maybe monad is used in core",
        "```\nmaybe = might\n```\nThe relay runs every second",
    ],
)
def test_what_only_looks_like_doubt_is_none(text):
    assert [] == found(text)


def test_a_claim_that_is_one_quotation_is_read():
    assert [("maybe", True)] == found('"maybe we use Redis"')


def test_a_phrase_is_found_over_the_end_of_a_line():
    assert [("not\n sure", True)] == found("I am not\n sure about it")


def test_the_stronger_of_two_words_that_overlap_counts():
    assert [("Apparently", False), ("could be", True)] == found("Apparently it could be DNS")


@given(st.text(alphabet="may could be not sure I\n'\"`", max_size=200))
def test_a_hedge_stands_where_it_says(text):
    last = 0
    for hedge in hedges(text):
        assert hedge.text == text[hedge.start : hedge.end]
        assert last <= hedge.start
        last = hedge.end


@pytest.mark.parametrize("part", ["could be ", "may ", '"', "`", "```\n", "not ", "it may also "])
def test_a_hostile_text_is_read_in_linear_time(part):
    assert_linear(hedges, part)
