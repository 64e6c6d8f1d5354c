"""The labelled turns and what the rules find in them."""

import pytest

from evaluation.facts import HALVES, Label, agrees, figures, read_turns, score
from knowwhy.types import Fact

PRECISION = 0.85  # of what is read, by half; the recall is reported and not held


@pytest.mark.parametrize("half", HALVES)
def test_what_is_read_in_the_labelled_turns_is_there(half):
    precision, _, labelled = figures([score(turn) for turn in read_turns() if turn.half == half])

    assert precision >= PRECISION
    assert labelled >= 80


def test_the_labels_quote_their_turns():
    turns = read_turns()

    assert len(turns) >= 140
    assert len(turns) == len({turn.id for turn in turns})
    assert len(turns) == 2 * sum(turn.half == "held" for turn in turns)
    for turn in turns:
        flat = " ".join(turn.content.split())
        assert all(label.quote in flat for label in turn.facts), turn.id


@pytest.mark.parametrize(
    ("kind", "quote", "content", "agreed"),
    [
        ("fact", "the relay runs every 200 ms", "the relay runs every 200 ms", True),
        ("fact", "relay runs every 200 ms, I say", "relay runs every 200 ms", True),
        ("decision", "the relay runs every 200 ms", "the relay runs every 200 ms", False),
        ("fact", "the relay", "the relay runs every 200 ms", False),
        ("fact", "the relay runs every 200 ms", "the relay runs", False),
        ("fact", "the relay runs every 200 ms " + "and more " * 9, "every 200 ms", False),
    ],
)
def test_a_fact_is_the_labelled_one_by_kind_quote_and_words(kind, quote, content, agreed):
    label = Label("fact", ("200 ms",), "the relay runs every 200 ms")

    assert agreed is agrees(Fact(0, kind, content, quote, 0.9), label)
