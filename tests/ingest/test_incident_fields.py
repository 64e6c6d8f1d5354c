"""Incidents given as YAML, as JSON, or in typed words; and hostile ones."""

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowwhy.errors import BadInput
from knowwhy.ingest.incidents.incident import incident_from_fields, read_incident, severity_of
from pace import assert_linear, run_of

FIELDS = {
    "incident": {
        "incidentId": "INC-7",
        "headline": "Queue stopped",
        "severity": "critical",
        "state": "Monitoring",
        "times": {
            "startTime": 1709629200,
            "detected": "2024-03-05 09:05",
            "end": "2024-03-05 10:00",
        },
        "impactedServices": [{"name": "payments-api"}, "checkout"],
        "rootCause": "A full disk.\nIt had no alarm.",
        "lessons_learned": ["Watch disks"],
        "followUps": [{"task": "Add an alarm", "assignee": "mia", "dueDate": "2024-04-01"}],
        "timeline": [{"timestamp": "2024-03-05T09:00:00Z", "message": "Disk full"}],
        "ratio": float("inf"),
        "note": "ab",
    }
}


def test_json_is_read_whatever_its_keys_are_called():
    draft = read_incident(json.dumps(FIELDS), path="a/b.json")

    expected = ("INC-7", "Queue stopped", "monitoring", datetime(2024, 3, 5, 9, tzinfo=UTC))
    assert expected == (draft.label, draft.title, draft.status, draft.occurred_at)
    facts = {
        "severity": "SEV-1",
        "severity_raw": "critical",
        "started_at": "2024-03-05T09:00:00+00:00",
        "detected_at": "2024-03-05T09:05:00+00:00",
        "ended_at": "2024-03-05T10:00:00+00:00",
        "services": ["payments-api", "checkout"],
        "root_cause": "A full disk.\nIt had no alarm.",
        "lessons": ["Watch disks"],
        "action_items": [{"item": "Add an alarm", "owner": "mia", "due": "2024-04-01"}],
        "timeline": [{"at": "2024-03-05T09:00:00+00:00", "event": "Disk full"}],
    }
    assert facts == {key: draft.metadata[key] for key in facts}


def test_structured_fields_are_kept_and_written_as_markdown():
    draft = read_incident(json.dumps(FIELDS), path="b.json")

    assert FIELDS["incident"].keys() == draft.metadata["fields"].keys()
    json.dumps(draft.metadata, allow_nan=False)
    assert draft.content.startswith("# Queue stopped\n\n- **Incident Id:** INC-7\n")
    assert "## Root Cause\n\nA full disk.\nIt had no alarm." in draft.content
    assert "- Task: Add an alarm; Assignee: mia; Due Date: 2024-04-01" in draft.content


def test_yaml_values_keep_what_their_author_meant():
    text = "id: 0123\ntitle: T\nseverity: 2\nstarted: 2024-03-05 09:00:00 +01:00\nat: 14:30\n"
    draft = read_incident(text, path="a.yml")

    expected = {
        "id": "0123",
        "title": "T",
        "severity": 2,
        "started": "2024-03-05T09:00:00+01:00",
        "at": "14:30",
    }
    assert expected == draft.metadata["fields"]
    start = datetime(2024, 3, 5, 8, tzinfo=UTC)
    assert start == draft.occurred_at


BOMB = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{b}: &{b} [{','.join([f'*{a}'] * 9)}]\n" for a, b in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize(
    ("text", "path", "words"),
    [
        ("", "a.md", "empty"),
        (" \n\t", "a.yaml", "empty"),
        ("title: x\nseverity: [1\n", "a.yaml", "line 3"),
        ('{"title": "x",\n "severity": }', "a.json", "line 2"),
        ("just words", "a.yaml", "named fields"),
        ("[1, 2]", "a.json", "named fields"),
        ("{}", "a.json", "named fields"),
        (BOMB, "a.yaml", "aliases"),
        ("title: x\n" + "a: b\n" * 100_000, "a.yaml", "at most"),
        ("[" * 100_000, "a.json", "nested too deeply"),
        ("[" * 50 + "1" + "]" * 50, "a.json", "levels"),
        ('{"a": ' * 50 + "1" + "}" * 50, "a.json", "levels"),
        ("a: " + "[" * 5000, "a.yaml", "nested too deeply"),
        ("!!python/object/apply:os.system [ls]", "a.yaml", "line 1"),
    ],
)
def test_what_cannot_be_read_is_refused_in_one_sentence(text, path, words):
    with pytest.raises(BadInput, match=words) as refusal:
        read_incident(text, path=path)

    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("SEV1", "SEV-1"),
        ("sev 1", "SEV-1"),
        ("SEV-2 (major)", "SEV-2"),
        ("P1", "SEV-1"),
        ("S3", "SEV-3"),
        (2, "SEV-2"),
        ("2 - High", "SEV-2"),
        ("Critical", "SEV-1"),
        ("major", "SEV-2"),
        ("minor", "SEV-3"),
        ("low", "SEV-4"),
        ("purple", None),
        ("12", None),
        ("", None),
        (None, None),
    ],
)
def test_severities_are_written_in_one_way(written, expected):
    assert expected == severity_of(written)


def test_an_incident_is_made_of_what_somebody_types():
    when = datetime(2024, 3, 5, tzinfo=UTC)
    draft = incident_from_fields(
        "The queue stopped. Nobody saw it.",
        "p1",
        "- Watch disks\n- Test alarms",
        service="payments-api",
        occurred_at=when,
    )

    expected = ("incident", "The queue stopped", "payments-api", when)
    assert expected == (draft.kind, draft.title, draft.service, draft.occurred_at)
    lessons = ["Watch disks", "Test alarms"]
    assert lessons == draft.metadata["lessons"]
    written = ("SEV-1", "p1")
    assert written == (draft.metadata["severity"], draft.metadata["severity_raw"])
    assert "## Summary\n\nThe queue stopped. Nobody saw it.\n\n## Lessons\n" in draft.content


def test_a_long_summary_gives_a_short_title():
    assert len(incident_from_fields("many words " * 500, None, None).title) <= 120


@pytest.mark.parametrize(
    ("summary", "severity", "words"),
    [("  ", None, "summary is empty"), ("It broke.", "purple", "SEV-0 to SEV-5")],
)
def test_typed_input_that_says_nothing_is_refused(summary, severity, words):
    with pytest.raises(BadInput, match=words):
        incident_from_fields(summary, severity, None)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=40),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4)
    ),
    max_leaves=12,
)
keys = st.sampled_from(["timeline", "action_items", "severity", "start", "owner", "services", "x"])


@given(st.dictionaries(keys, json_values, min_size=1))
def test_any_json_group_is_read_into_something_that_can_be_stored(fields):
    try:
        draft = read_incident(json.dumps(fields), path="a.json")
    except BadInput:
        return

    json.dumps(draft.metadata, allow_nan=False)
    assert "\0" not in draft.content
    assert draft.title.strip()


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(run_of("x"), id="one line"),
        pytest.param(run_of(" ", "a", "b"), id="spaces"),
        pytest.param(run_of("\n", "a", "b"), id="newlines"),
        pytest.param(run_of("## Timeline\n"), id="headings"),
        pytest.param(run_of("**Impact:** x\n"), id="labels"),
        pytest.param(run_of("- 10:45 x\n", "# T\n\n## Timeline\n\n"), id="events"),
        pytest.param(run_of("@", "# T\n\n## Action items\n\n"), id="one action"),
        pytest.param(run_of("a, ", "# T\n\n## Responders\n\n"), id="people"),
        pytest.param(run_of("root cause "), id="causes"),
    ],
)
def test_hostile_text_is_read_in_linear_time(text):
    assert text(100_000) == read_incident(text(100_000), path="a.md").content
    assert_linear(lambda text: read_incident(text, path="a.md"), text)
