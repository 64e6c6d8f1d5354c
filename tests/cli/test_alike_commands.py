"""Claims that only look alike, at the command line: kept beside each other, and listed to judge."""

import pytest

ANN = ("--user", "ann", "--project", "shop")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (
            "Our US team reads the payroll reports (ADR-1).",
            "Our IT team reads the payroll reports (ADR-1).",
        ),
        (
            "We support Python 3.11+ in the mill (ADR-1).",
            "We support Python 3.11 in the mill (ADR-1).",
        ),
        ("Set !debug in production (ADR-1).", "Set debug in production (ADR-1)."),
    ],
)
def test_what_differs_in_a_sign_or_an_abbreviation_is_kept_beside_the_other(knowwhy, first, second):
    said = [knowwhy("remember", text, *ANN) for text in (first, second)]
    again = knowwhy("remember", second.rstrip("."), *ANN)

    assert [0, 0] == [one.code for one in said], said[1].out
    assert "says the same" in again.out
