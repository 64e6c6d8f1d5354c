"""What texts say that their abbreviations and other names mean."""

import pytest

from knowwhy.text.glossary import definitions
from pace import assert_linear


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We count first-attempt delivery (FAD) daily.", [("FAD", "first-attempt delivery")]),
        ("FAD (first-attempt delivery) is counted.", [("FAD", "first-attempt delivery")]),
        ("- **FAD**: first-attempt delivery, in per cent", [("FAD", "first-attempt delivery")]),
        ("FAD — first-attempt delivery\n", [("FAD", "first-attempt delivery")]),
        ("| SLO | service level objective |", [("SLO", "service level objective")]),
        ("the rate of change (ROC) rose", [("ROC", "rate of change")]),
        ("several service level objectives (SLOs)", [("SLOs", "service level objectives")]),
        ("moved to Keystone (formerly Authmaster) in May", [("Authmaster", "Keystone")]),
        ("in Elastic Path (aka EP Commerce) there", [("EP Commerce", "Elastic Path")]),
        ("a decision (ADR) was taken", []),
        ("he left (NATO) early", []),
        ("see the list (below)", []),
        ("Note: this is only a remark", []),
        ("", []),
    ],
)
def test_a_definition_is_found_where_its_letters_agree(text, expected):
    assert expected == list(definitions(text))


@pytest.mark.parametrize("piece", ["a (b ", "- **AAA**: ", "(", "A"])
def test_a_hostile_text_is_read_in_linear_time(piece):
    assert_linear(lambda text: list(definitions(text)), piece)
