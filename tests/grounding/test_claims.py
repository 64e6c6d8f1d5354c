"""What may come in at all: bounds, secrets, keys."""

from dataclasses import replace
from datetime import datetime

import pytest

from knowwhy.errors import BadFields
from knowwhy.grounding.claims import Claim, cleaned, fact_key

TOKEN = "ghp_" + "NqVw3xYz8aBcDeFg1HiJ" + "2kLm4nOp6qRs"
CLAIM = Claim("Redis holds the sessions.", user_id="ann")


def nested(levels):
    value = "deep"
    for _ in range(levels):
        value = {"in": value}
    return value


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("content", ""),
        ("content", " \n"),
        ("content", "x" * 4_001),
        ("content", "a\x00b"),
        ("content", "a\ud800b"),
        ("content", 7),
        ("kind", "opinion"),
        ("said_by", "nobody"),
        ("user_id", ""),
        ("user_id", "u" * 201),
        ("project", "a\x00"),
        ("service", "s" * 201),
        ("session_id", "s" * 201),
        ("source", "s" * 2_001),
        ("raw_source", "s" * 50_001),
        ("confidence", 1.5),
        ("confidence", float("nan")),
        ("valid_until", datetime(2026, 1, 1)),
        ("expires_at", datetime(2026, 1, 1)),
        ("valid_from", datetime(2026, 1, 1)),
        ("applies_to", {"persona": ""}),
        ("applies_to", {str(n): "x" for n in range(21)}),
        ("metadata", nested(9)),
        ("metadata", {"a": "x" * 10_001}),
        ("metadata", {"a": object()}),
        ("metadata", {"a": float("inf")}),
        ("metadata", {"a": "\x00"}),
        ("metadata", {"a": "\ud800"}),
    ],
)
def test_what_is_out_of_bounds_is_named(field, value):
    with pytest.raises(BadFields) as raised:
        cleaned(replace(CLAIM, **{field: value}))

    assert [field] == list(raised.value.fields)


def test_metadata_that_hold_themselves_are_refused():
    endless = {}
    endless["again"] = endless

    with pytest.raises(BadFields):
        cleaned(replace(CLAIM, metadata=endless))


def test_everything_that_is_wrong_is_named_at_once():
    with pytest.raises(BadFields) as raised:
        cleaned(Claim("", kind="x", confidence=-1))

    assert {"content", "kind", "confidence"} == set(raised.value.fields)


@pytest.mark.parametrize(
    "claim",
    [
        replace(CLAIM, content="x" * 4_000),
        replace(CLAIM, kind="memorule", content="x" * 20_000, subject="Tests"),
        replace(CLAIM, metadata=nested(8)),
        replace(CLAIM, raw_source="x" * 50_000, source="x" * 2_000, confidence=1),
    ],
)
def test_what_is_within_bounds_is_taken(claim):
    assert claim.content == cleaned(claim).content


def test_no_secret_stays_in_any_field():
    secret = f"my token is {TOKEN}"
    names = ("content", "user_id", "project", "service", "session_id", "agent_id", "persona")
    names += ("source", "raw_source", "subject", "evidence_signal", "by", "verified_by")
    claim = replace(
        CLAIM,
        **dict.fromkeys(names, secret),
        applies_to={"persona": secret},
        metadata={"a": [secret], secret: 1},
    )

    assert TOKEN not in str(cleaned(claim))


def test_what_an_error_says_tells_no_secret():
    with pytest.raises(BadFields) as raised:
        cleaned(replace(CLAIM, content=TOKEN * 200, kind=TOKEN))

    assert TOKEN not in str(raised.value)


def test_a_fact_of_a_turn_has_always_the_same_key_and_a_direct_claim_a_new_one():
    fact = replace(CLAIM, turn_key="t", extractor_version="rules-1", fact_number=0)

    assert fact_key("t", "rules-1", 0) == cleaned(fact).key
    assert cleaned(fact).key == cleaned(replace(fact, content="other")).key
    assert 4 == len({cleaned(replace(fact, fact_number=n)).key for n in range(4)})
    assert cleaned(CLAIM).key != cleaned(CLAIM).key
    assert "m-7" == cleaned(replace(CLAIM, key="m-7")).key
    assert len("m-") + 20 == len(cleaned(fact).key) == len(cleaned(CLAIM).key)
