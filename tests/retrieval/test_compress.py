"""What stays of a long hit."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from knowwhy.retrieval.context.compress import compress
from knowwhy.text.estimate import estimate_tokens
from pace import assert_linear

RECORD = """\
# Storage of orders

The team met twice this spring. Lunch was served in the small room.
We keep orders in PostgreSQL because partial indexes halve the nightly report. The vote was
unanimous. Nobody took minutes at first.

## Consequences

- The backup takes an hour.
- MongoDB was rejected: its transactions cost half of the throughput.
- A new runbook is needed for the on-call engineers.

| engine | report |
|--------|--------|
| MongoDB | 41 s |
| MySQL | 12 s |
"""


def kept(text):
    return [line.strip() for line in text.replace("…", "\n").splitlines() if line.strip()]


def test_a_text_that_fits_stays_as_it_is():
    assert "One. Two." == compress("What?", "One. Two.\n", 20)


@pytest.mark.parametrize(
    ("question", "part"),
    [
        (
            "Why do we keep orders in PostgreSQL?",
            "because partial indexes halve the nightly report.",
        ),
        ("Why was MongoDB rejected?", "- MongoDB was rejected: its transactions cost half"),
        ("How long did the report take with MySQL?", "| MySQL | 12 s |"),
        ("Who took minutes?", "Nobody took minutes at first."),
    ],
)
def test_what_answers_is_kept(question, part):
    shown = compress(question, RECORD, 70)

    assert part in shown
    assert estimate_tokens(shown) <= 70


def test_what_is_kept_stands_under_its_headings_in_the_order_of_the_text():
    shown = compress("How long did the report take with MySQL?", RECORD, 70)

    parts = ["# Storage of orders", "## Consequences", "| engine | report |", "| MySQL | 12 s |"]
    places = [shown.index(part) for part in parts]

    assert sorted(places) == places


def test_gaps_are_marked():
    shown = compress(
        "Nightly report?",
        "Alpha beta gamma. " * 9 + "The nightly report failed. Omega is last.",
        12,
    )

    assert shown.startswith("… ")
    assert "The nightly report failed." in shown


def test_a_question_without_a_word_of_the_text_gets_its_beginning():
    assert "One is first. …" == compress("zebra", "One is first. Two is next. Three is last.", 7)


def test_the_first_sentence_that_names_the_subject_is_kept():
    text = (
        "Kafka is our backbone. "
        + "Much else is said here. " * 20
        + "Kafka lost no events in the March outage."
    )
    shown = compress("Did Kafka lose events in the outage?", text, 30)

    assert "Kafka is our backbone." in shown
    assert "Kafka lost no events in the March outage." in shown


def test_a_line_of_code_comes_with_the_lines_that_hold_it():
    code = (
        "class Store:\n    def open(self):\n        pass\n\n"
        "    def close(self, late):\n        a = 1\n        self.flush(late)\n"
    )
    shown = compress("What flushes late?", code * 3, 45, code=True)

    assert "    def close(self, late):" in shown
    assert "        self.flush(late)" in shown


def test_only_a_sentence_that_alone_is_too_long_is_cut():
    shown = compress("What?", "word " * 100 + "end.", 10)

    assert shown.endswith(" …")
    assert set(shown.split()) == {"word", "…"}
    assert estimate_tokens(shown) <= 10


SENTENCE = st.sampled_from(
    [
        "Redis holds sessions.",
        "We chose Kafka in 2022!",
        "Why not?",
        "Ann Bell approved it on Monday.",
    ]
)


@settings(deadline=None)
@given(st.lists(SENTENCE, min_size=1, max_size=30), st.integers(0, 60), SENTENCE)
def test_whole_sentences_in_their_order_within_the_budget(said, budget, question):
    shown = compress(question, " ".join(said), budget)

    assert estimate_tokens(shown) <= budget
    if budget >= 10:
        rest = iter(said)
        for sentence in kept(shown.replace(". ", ".\n").replace("! ", "!\n").replace("? ", "?\n")):
            assert sentence in rest


@settings(deadline=None)
@given(st.text(alphabet="aA1.# |-*`:\n\t…é", max_size=300), st.integers(-1, 40), st.booleans())
def test_no_text_breaks_the_budget(text, budget, code):
    assert estimate_tokens(compress("a 1?", text, budget, code=code)) <= max(0, budget)


@pytest.mark.parametrize("unit", ["word ", "| a. B |\n", "```\n"])
def test_a_long_text_of_anything_is_compressed_in_linear_time(unit):
    assert_linear(lambda text: compress("Why a word?", text, 100), unit)
