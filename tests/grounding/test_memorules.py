"""Memorules: what makes one, what is wrong with one, and which comes first."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowwhy.errors import BadFields, BadInput
from knowwhy.grounding.memorules import CERTAINTIES, KINDS, PLACES, memorule, overlap, ranked
from knowwhy.types import Memory

GOOD = {
    "memorule_kind": "convention",
    "subject": "Log as JSON",
    "body": "Every service logs one JSON object a line.",
    "applies_to": {"scope": "project"},
}
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def rule(key="m-1", applies_to=None, certainty="inferred", hours=0, project=None):
    moment = NOON + timedelta(hours=hours)
    return Memory(
        key=key,
        kind="memorule",
        content="Do this and not that.",
        user_id="ann",
        project=project,
        status="active",
        created_at=moment,
        touched_at=moment,
        applies_to=applies_to or {},
        certainty=certainty,
    )


def wrong(**given):
    with pytest.raises(BadFields) as refused:
        memorule(**{**GOOD, **given})
    return refused.value


@pytest.mark.parametrize("certainty", CERTAINTIES)
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_can_be_held_with_every_certainty(kind, certainty):
    made = memorule(**{**GOOD, "memorule_kind": kind, "certainty": certainty})

    assert (kind, certainty) == (made.memorule_kind, made.certainty)


def test_a_memorule_is_inferred_when_nobody_says_how_it_is_known():
    assert "inferred" == memorule(**GOOD).certainty


def test_spaces_around_fields_are_no_part_of_them():
    made = memorule("feedback", "  Be brief ", " Answer in a line. ", {"persona": " reviewer "})

    assert ("Be brief", "Answer in a line.") == (made.subject, made.body)
    assert {"persona": "reviewer"} == made.applies_to


def test_all_wrong_fields_are_named_at_once():
    refused = wrong(memorule_kind="rule", subject="Log", body="JSON", applies_to={}, certainty="?")

    assert ["memorule_kind", "subject", "body", "applies_to", "certainty"] == list(refused.fields)
    assert str(refused).startswith("The memorule cannot be kept: memorule_kind must be one of ")
    assert isinstance(refused, BadInput)


@pytest.mark.parametrize(
    ("given_", "named", "why"),
    [
        ({"memorule_kind": None}, "memorule_kind", "must be one of behavioral_rule, feedback"),
        ({"subject": None}, "subject", "is missing"),
        ({"subject": "   "}, "subject", "is empty"),
        ({"subject": " abc "}, "subject", "must have at least 4 characters"),
        ({"subject": "a" * 201}, "subject", "must have at most 200 characters"),
        ({"subject": "Log\0s"}, "subject", "NUL"),
        ({"body": "nine char"}, "body", "must have at least 10 characters"),
        ({"body": "a" * 20_001}, "body", "must have at most 20,000 characters"),
        ({"body": 12}, "body", "is not a text"),
        ({"applies_to": None}, "applies_to", "persona, surface, specialization, scope"),
        ({"applies_to": {"team": "x"}}, "applies_to", "can name only persona"),
        ({"applies_to": {"persona": ""}}, "applies_to.persona", "is empty"),
        ({"applies_to": {"scope": "galaxy"}}, "applies_to.scope", "one of global, org"),
        ({"certainty": "sure"}, "certainty", "must be one of observed, inferred, asserted"),
        ({"evidence_signal": "s" * 201}, "evidence_signal", "at most 200"),
    ],
)
def test_a_wrong_field_is_named_with_its_reason(given_, named, why):
    fields = wrong(**given_).fields

    assert [named] == list(fields)
    assert why in fields[named]


def test_the_shortest_subject_and_body_are_long_enough():
    assert "ABCD" == memorule(**{**GOOD, "subject": "ABCD", "body": "0123456789"}).subject


@pytest.mark.parametrize(
    ("applies_to", "context", "expected"),
    [
        ({"persona": "reviewer"}, {"persona": "Reviewer"}, (1, 0)),
        ({"persona": "reviewer"}, {"persona": "writer"}, (0, 1)),
        ({"persona": "reviewer"}, {}, (0, 0)),
        ({"scope": "global"}, {"scope": "project"}, (0, 0)),
        ({"scope": "global"}, {"scope": "global"}, (0, 0)),
        ({"scope": "org"}, {"scope": "project"}, (0, 1)),
        ({"persona": "a", "surface": "cli"}, {"persona": "a", "surface": "web"}, (1, 1)),
    ],
)
def test_overlap_is_what_both_name_alike(applies_to, context, expected):
    assert expected == overlap(applies_to, context)


def test_memorules_come_by_overlap_then_certainty_then_age():
    here = {"persona": "reviewer", "surface": "cli"}
    rules = [
        rule("for-another", {"persona": "writer", "surface": "cli"}, "observed", 9),
        rule("old", {"persona": "reviewer"}, "asserted", 0),
        rule("new", {"persona": "reviewer"}, "asserted", 1),
        rule("guess", {"persona": "reviewer"}, "inferred", 0),
        rule("seen", {"persona": "reviewer"}, "observed", 0),
        rule("elsewhere", {"specialization": "sql"}, "observed", 9),
        rule("both", {"persona": "reviewer", "surface": "cli"}, "asserted", 0),
    ]

    expected = ["both", "seen", "guess", "new", "old", "elsewhere", "for-another"]
    assert expected == [memory.key for memory in ranked(rules, here)]


@pytest.mark.parametrize(
    ("narrow", "context"),
    [
        ({"persona": "reviewer"}, {"persona": "reviewer"}),
        ({"scope": "project"}, {"scope": "project"}),
        ({"surface": "cli", "scope": "persona"}, {"surface": "cli", "scope": "persona"}),
        ({"specialization": "sql"}, {"specialization": "sql", "scope": "global"}),
        ({"persona": "reviewer"}, {"persona": "reviewer", "scope": "global"}),
    ],
)
def test_what_holds_everywhere_comes_after_what_is_for_here(narrow, context):
    wide = rule("wide", {"scope": "global"}, "observed", 9)

    assert ["m-1", "wide"] == [m.key for m in ranked([wide, rule(applies_to=narrow)], context)]


def test_what_holds_everywhere_comes_before_what_may_be_for_elsewhere():
    rules = [
        rule("unsaid", {"surface": "cli"}, "observed", 9),
        rule("wide", {"scope": "global"}),
        rule("other", {"persona": "writer"}, "observed", 9),
    ]

    here = {"persona": "reviewer"}
    assert ["wide", "unsaid", "other"] == [memory.key for memory in ranked(rules, here)]


def test_of_two_that_agree_alike_the_one_of_the_project_comes_first():
    here = {"persona": "reviewer"}
    rules = [
        rule("everywhere", {**here, "scope": "global"}, "observed", 9),
        rule("any-project", here, "observed", 5),
        rule("this-project", here, project="git:here"),
    ]

    expected = ["this-project", "any-project", "everywhere"]
    assert expected == [memory.key for memory in ranked(rules, here)]


PLACED = st.dictionaries(st.sampled_from(PLACES), st.sampled_from(["a", "b", "global"]))


@given(st.lists(PLACED, max_size=6), PLACED, st.randoms())
def test_the_order_does_not_depend_on_the_order_before(places, context, random):
    rules = [rule(f"m-{n}", applies_to) for n, applies_to in enumerate(places)]
    shuffled = random.sample(rules, len(rules))

    assert ranked(rules, context) == ranked(shuffled, context)
