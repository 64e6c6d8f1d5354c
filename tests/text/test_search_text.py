"""What the search engines read of a passage."""

import pytest

from knowwhy.text.pages.passages import in_context, search_text


@pytest.mark.parametrize(
    ("title", "heading", "wanted"),
    [
        ("Use Kafka", "Decision", "Use Kafka\nDecision\nText."),
        ("Use Kafka", "Use Kafka", "Use Kafka\nText."),
        ("ADR-5", None, "ADR-5\nText."),
        ("D14:30", "", "Text."),
        (None, "Decision", "Decision\nText."),
        ("决定", "", "决定\nText."),
    ],
)
def test_titles_that_say_nothing_are_left_out(title, heading, wanted):
    assert wanted == search_text(title, heading, "Text.")


def test_only_the_first_passage_stands_in_the_context_of_its_turn():
    assert "Shall we?\nYes." == in_context("Shall we?", 0, "Yes.")
    assert "Yes." == in_context("Shall we?", 1, "Yes.")
    assert "Yes." == in_context(None, 0, "Yes.")
