"""Two texts that are alike say the same only if their details agree."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowwhy.text.likeness import same_claim, same_words
from pace import clock

SAME = [
    ("The API timeout is 30 s.", "the API timeout is 30 seconds"),
    ("Access tokens expire after 60 minutes.", "Access tokens expire after an hour."),
    ("We keep logs for two weeks.", "We keep logs for 14 days."),
    ("orders uses Postgres", "orders uses PostgreSQL"),
    ("We use PostgreSQL 15 for the orders service", "The orders service uses PostgreSQL 15"),
    ("orders stores data in Postgres", "orders stores its data in a PostgreSQL database."),
    ("Our primary database is PostgreSQL 15.", "We use PostgreSQL 15 as our primary database."),
    ("Take a backup before the migration.", "Before the migration, take a backup."),
    ("MFA is required for admins", "MFA is not optional for administrators"),
    ("The edge proxy is owned by Bedrock", "Bedrock owns the edge proxy"),
    ("We don't use Kafka", "We do not use Kafka at all"),
    ("I like short answers", "I really like short answers, please"),
    ("The meeting is on 1 March 2025", "The meeting is on 2025-03-01"),
    ("The call is at 2 pm", "The call is at 14:00"),
    ("The colour is grey", "The color is gray"),
    ("The limit is 1,000 rows", "The limit is 1k rows"),
    ("orders uses \u0420ostgreSQL", "orders uses PostgreSQL"),  # a Cyrillic letter
    ("The pause is 2.5 s", "The pause is 2.50 seconds"),
    ("The share is 12.5 %", "The share is 12.50%"),
    ("We cache rows & blobs", "We cache rows and blobs"),
    ("Alert when latency>300 ms", "Alert when latency > 300 ms"),
    ("Alert when latency >= 300 ms", "Alert when latency \u2265 300 ms"),
    ("We do not retry, we page", "We don't retry, we page"),
    ("Take a backup of node b", "Take a backup of node B"),
    ("The time\u200bout is ３０ s", "The timeout is 30 s"),
]
OTHER = [
    ("orders uses PostgreSQL 15", "orders uses PostgreSQL 16"),
    ("orders uses Python 3.11", "orders uses Python 3.11.4"),
    ("tracking uses Kafka", "tracking does not use Kafka"),
    ("tracking no longer uses Kafka", "tracking uses Kafka"),
    ("billing writes to the archive", "orders writes to the archive"),
    ("orders depends on billing", "billing depends on orders"),
    ("billing is called by orders", "billing calls orders"),
    ("We moved from Resend to Bento", "We moved from Bento to Resend"),
    ("Retries are capped at 3", "Retries are capped at 3 in staging"),
    ("Flags are on in the EU and off in the US", "Flags are off in the EU and on in the US"),
    ("Only admins can delete users", "Admins can delete users"),
    ("Deploy before the standup", "Deploy after the standup"),
    ("Run it before 9:30", "Run it after 9:30"),
    ("At least 3 retries", "At most 3 retries"),
    ("More than 5 retries alert us", "Less than 5 retries alert us"),
    ("The limit is 10 MB", "The limit is 10 GB"),
    ("The timeout is 30 s", "The timeout is 30 ms"),
    ("Use tabs instead of spaces", "Use spaces instead of tabs"),
    ("Frozen since 2025-03-01", "Frozen since 2025-03-02"),
    ("Contractors may deploy", "Contractors must deploy"),
    ("Contractors must deploy", "Contractors must not deploy"),
    ("Writes run with a lock", "Writes run without a lock"),
    ("MFA is required", "MFA is optional"),
    ("Rate limiting is enabled", "Rate limiting is disabled"),
    ("Commit 3f2c1ab broke it", "Commit 3f2c1ac broke it"),
    ("feature_new_checkout is on", "feature_old_checkout is on"),
    ("Alice approves, Bob merges", "Bob approves, Alice merges"),
    ("The temperature is -5", "The temperature is 5"),
    ("It costs $5", "It costs €5"),
    ("See ADR-7", "See ADR-8"),
    ("We use Go 1.2", "We use Go 1.20"),
    ("Pin click to 8.1", "Pin click to 8.10"),
    ("Rows > 9 are dropped", "Rows < 9 are dropped"),
    ("Retry if status == 500", "Retry if status != 500"),
    ("Alert when latency >= 300 ms", "Alert when latency > 300 ms"),
    ("We do not retry, we page", "We retry, we do not page"),
    ("Admins can read, they cannot write", "Admins cannot read, they can write"),
    ("Reviews take Mia or Tom", "Reviews take Mia and Tom"),
    ("Module a imports module b", "Module b imports module a"),
    ("Plan A costs more than plan B", "Plan B costs more than plan A"),
    ("Mail: Resend -> Bento", "Mail: Bento -> Resend"),
]
HOSTILE = ("a ", "1", "not by ", "1,000", "$", "a-", "from 1 to ", "is used by ", "mαm", "\u200b")


@pytest.mark.parametrize(("a", "b"), SAME)
def test_the_same_claim_in_other_words_is_the_same(a, b):
    assert same_claim(a, b)
    assert same_claim(b, a)


@pytest.mark.parametrize(("a", "b"), OTHER)
def test_one_other_detail_makes_another_claim(a, b):
    assert not same_claim(a, b)
    assert not same_claim(b, a)


@pytest.mark.parametrize(
    ("expected", "a", "b"),
    [
        (True, "The pool has 40 connections in production.", "In production: 40 pool connections"),
        (True, "orders used Kafka", "Orders uses Kafka!"),
        (False, "orders uses Kafka", "billing uses Kafka"),
        (False, "", ""),
    ],
)
def test_words_are_the_same_whatever_their_order_and_endings(expected, a, b):
    assert expected == same_words(a, b)


@given(st.text(min_size=1))
def test_a_text_that_says_anything_says_the_same_as_itself(text):
    assert same_claim(text, text) or not any(map(str.isalnum, text))


@given(st.text(), st.text())
def test_likeness_does_not_depend_on_which_text_is_first(a, b):
    assert same_claim(a, b) == same_claim(b, a)
    assert same_words(a, b) == same_words(b, a)


@pytest.mark.parametrize("piece", HOSTILE)
def test_texts_of_any_length_are_compared_in_time(piece):
    began = clock()
    for length in (19_000, 1_000_000):
        text = piece * (length // len(piece))
        same_claim(text, f"{text}x")
        same_words(text, f"{text}x")

    assert 5 > clock() - began
