"""Incidents are read from any template, from YAML and JSON, and from what somebody types."""

import json
import time
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowwhy.errors import BadInput
from knowwhy.ingest.incident import incident_from_fields, read_incident, severity_of

HOSTILE_SECONDS = 10  # for some megabytes on a busy machine; a quadratic step would take hours

SRE = """# Shakespeare Sonnet++ Postmortem (incident #465)

**Date:** 2015-10-21
**Authors:** jennifer, martym, Ada Agbo <ada@example.org>
**Status:** Complete, action items in progress
**Severity:** P1

**Summary:** Search was down for 66 minutes.

**Impact:** 1.21B queries lost.

**Root Causes:** Cascading failure from a leaked file descriptor.

**Trigger:** A latent bug under a sudden rise in traffic.

**Resolution:** Traffic went to a sacrificial cluster.

**Detection:** Borgmon saw many HTTP 500s and paged on-call.

## Action Items

| Action Item | Type | Owner | Bug | Status |
|---|---|---|---|---|
| Update the playbook | mitigate | jennifer | n/a | DONE |
| Plug the descriptor leak | prevent | agoogler | [5554825](http://b/5554825) | TODO |

## Lessons Learned

### What went well

- Monitoring quickly alerted us

### What went wrong

- We are out of practice in responding

### Where we got lucky

- A mailing list had a copy

## Timeline

2015-10-21 (all times UTC)

- 14:51 News reports a new sonnet
- **14:54** OUTAGE BEGINS, the servers start to melt
- 15:36 OUTAGE MITIGATED
"""

PAGERDUTY = """---
id: INC-2024-03
title: Checkout could not charge cards
severity: SEV1
status: resolved
services: [payments-api, checkout]
started_at: 2024-03-05T10:00:00+01:00
resolved_at: 2024-03-05T11:30:00+01:00
---
# Overview

Checkout failed for everyone.

# What Happened

A certificate ran out.

# Root Cause

Nobody renewed the certificate.

# Responders

- Incident commander: Mia Wong
- @sam, Lee

# Timeline

| Time (UTC) | Description |
|---|---|
| 09:00 | The certificate expires |
| 10:30 | A new one is served |

# How'd We Do?

## What Went Well?

- The alarm came in a minute

# Action Items

- [ ] Renew by machine @mia
- [x] Alarm two weeks before, owner: Lee, due: 2024-04-01
"""

PLAIN = """# 

- **Key events**
  - First detected 2021-07-12 15:44
  - Repaired: 2021-07-12 15:51
  - Resolved 2021-07-12 16:09

- **Time to repair**: 0h 07m

- **Identified**: Alerts said so.

- **Impact**:
  - Nobody could sign in

- **Context**:
  - 2021-07-12 15:44: The first alert
  - 2021-07-12 15:46: A rollback began
  - 2021-07-12 15:51: The rollback was done

- **Review actions**:
  - Test it first
"""


def test_a_google_post_mortem_is_read():
    draft = read_incident(SRE, path="pm/sonnet.md")

    expected = ("incident", SRE, "INC-465", "complete")
    assert expected == (draft.kind, draft.content, draft.label, draft.status)
    assert draft.title.startswith("Shakespeare Sonnet++")
    people = ("jennifer", "martym", "Ada Agbo")
    assert people == draft.authors
    start = datetime(2015, 10, 21, 14, 51, tzinfo=UTC)
    assert start == draft.occurred_at


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("severity", "SEV-1"),
        ("severity_raw", "P1"),
        ("summary", "Search was down for 66 minutes."),
        ("impact", "1.21B queries lost."),
        ("root_cause", "Cascading failure from a leaked file descriptor."),
        ("trigger", "A latent bug under a sudden rise in traffic."),
        ("resolution", "Traffic went to a sacrificial cluster."),
        ("detection", "Borgmon saw many HTTP 500s and paged on-call."),
        (
            "lessons",
            [
                "Monitoring quickly alerted us",
                "We are out of practice in responding",
                "A mailing list had a copy",
            ],
        ),
        (
            "action_items",
            [
                {
                    "item": "Update the playbook",
                    "type": "mitigate",
                    "owner": "jennifer",
                    "status": "DONE",
                },
                {
                    "item": "Plug the descriptor leak",
                    "type": "prevent",
                    "owner": "agoogler",
                    "ticket": "5554825",
                    "status": "TODO",
                },
            ],
        ),
        (
            "timeline",
            [
                {"at": "2015-10-21T14:51:00+00:00", "event": "News reports a new sonnet"},
                {
                    "at": "2015-10-21T14:54:00+00:00",
                    "event": "OUTAGE BEGINS, the servers start to melt",
                },
                {"at": "2015-10-21T15:36:00+00:00", "event": "OUTAGE MITIGATED"},
            ],
        ),
    ],
)
def test_the_parts_of_a_google_post_mortem_are_found(key, expected):
    assert expected == read_incident(SRE, path="x.md").metadata[key]


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("severity", "SEV-1"),
        ("started_at", "2024-03-05T09:00:00+00:00"),
        ("ended_at", "2024-03-05T10:30:00+00:00"),
        ("services", ["payments-api", "checkout"]),
        ("summary", "Checkout failed for everyone."),
        ("root_cause", "Nobody renewed the certificate."),
        ("responders", ["Mia Wong", "sam", "Lee"]),
        ("lessons", ["The alarm came in a minute"]),
        (
            "action_items",
            [
                {"item": "Renew by machine @mia", "owner": "mia", "status": "open"},
                {
                    "item": "Alarm two weeks before, owner: Lee, due: 2024-04-01",
                    "owner": "Lee",
                    "due": "2024-04-01",
                    "status": "done",
                },
            ],
        ),
        (
            "timeline",
            [
                {"at": "2024-03-05T09:00:00+00:00", "event": "The certificate expires"},
                {"at": "2024-03-05T10:30:00+00:00", "event": "A new one is served"},
            ],
        ),
    ],
)
def test_the_parts_of_a_pagerduty_report_are_found(key, expected):
    assert expected == read_incident(PAGERDUTY, path="x.md").metadata[key]


def test_front_matter_names_the_incident():
    draft = read_incident(PAGERDUTY, path="x.md")

    expected = ("INC-2024-03", "Checkout could not charge cards", "resolved")
    assert expected == (draft.label, draft.title, draft.status)


def test_a_report_of_labelled_lists_is_read():
    draft = read_incident(PLAIN, path="incidents/2021-07-12-sign-in-down.html.md")

    expected = ("Sign in down", datetime(2021, 7, 12, 15, 44, tzinfo=UTC))
    assert expected == (draft.title, draft.occurred_at)
    facts = {
        "duration": "0h 07m",
        "detected_at": "2021-07-12T15:44:00+00:00",
        "ended_at": "2021-07-12T16:09:00+00:00",
        "impact": "- Nobody could sign in",
        "detection": "Alerts said so.",
        "action_items": [{"item": "Test it first"}],
    }
    assert facts == {key: draft.metadata[key] for key in facts}
    events = ["The first alert", "A rollback began", "The rollback was done"]
    assert events == [event["event"] for event in draft.metadata["timeline"]]


def test_clock_times_under_headings_take_the_day_and_the_zone():
    text = (
        "# 2018-02-20, Slow\n\n## Timeline\n\nAll times in PST\n\n"
        "### 08:00\n\nA\n\n### 23:30\n\nB\n"
    )
    draft = read_incident(text, path="x.md")

    expected = ["2018-02-20T16:00:00+00:00", "2018-02-21T07:30:00+00:00"]
    assert expected == [event["at"] for event in draft.metadata["timeline"]]


@pytest.mark.parametrize(
    ("heading", "path", "label", "title"),
    [
        ("# INC-123: The queue stopped", "a.md", "INC-123", "The queue stopped"),
        ("# [PM2021-008] Ingress", "a.md", "PM2021-008", "Ingress"),
        ("# Postmortem: The queue stopped", "a.md", None, "The queue stopped"),
        ("# Incident #42: The queue stopped", "a.md", "INC-42", "Incident #42: The queue stopped"),
        ("# SEV-1 in the queue", "a.md", None, "SEV-1 in the queue"),
        ("# UTF-8 broke", "a.md", None, "UTF-8 broke"),
        ("# Summary", "PM2020-001 - Inotify gone.md", "PM2020-001", "Inotify gone"),
        ("## Summary", "2018-03-13-hub-locked.md", None, "Hub locked"),
        ("## Summary", "inc-2024-03-hub_locked.md", "INC-2024-03", "Hub locked"),
        ("## Summary", "incident-2024-03-05-hub.md", None, "Incident hub"),
        ("## Summary", "0b1c2d3e-0000-4000-8000-0123456789ab.md", None, "It broke"),
    ],
)
def test_the_id_and_the_title_come_from_the_heading_the_file_or_the_text(
    heading, path, label, title
):
    draft = read_incident(f"{heading}\n\nIt broke. Then we fixed it.\n", path=path)

    expected = (label, title)
    assert expected == (draft.label, draft.title)


@pytest.mark.parametrize(
    ("heading", "key"),
    [
        ("5 Whys", "root_cause"),
        ("Contributing factors", "root_cause"),
        ("Root Cause Analysis", "root_cause"),
        ("2. What was the root cause?", None),
        ("Follow-ups", "action_items"),
        ("Corrective and Preventative Measures", "action_items"),
        ("Next steps", "action_items"),
        ("Long-term improvements (Q4)", "action_items"),
        ("What didn't go so well?", "lessons"),
        ("Key takeaways", "lessons"),
        ("Customer impact", "impact"),
        ("How was it detected", "detection"),
        ("Resolution and recovery", "resolution"),
        ("Attendees", "responders"),
        ("Affected services", "services"),
        ("Weather", None),
    ],
)
def test_headings_in_many_wordings_say_the_same(heading, key):
    draft = read_incident(f"# T\n\n## {heading}\n\n- One\n- Two\n", path="x.md")

    assert ({key} if key else set()) == draft.metadata.keys() - {"fields"}


GRID = """
+-------+------------+
| 10:45 | Disk full  |
+-------+------------+
| 11:00 | Disk freed |
+-------+------------+
"""


def test_a_table_without_a_header_is_read_by_its_columns():
    draft = read_incident(f"# Disk full\n\nOn 2024-03-05.\n\n## Timeline\n{GRID}", path="a.md")

    expected = [
        {"at": "2024-03-05T10:45:00+00:00", "event": "Disk full"},
        {"at": "2024-03-05T11:00:00+00:00", "event": "Disk freed"},
    ]
    assert expected == draft.metadata["timeline"]


def test_a_cause_told_in_prose_is_found_unless_it_is_denied():
    text = "It broke. The root cause is not known. It was caused by a full disk. So it was."

    expected = "It was caused by a full disk."
    assert expected == read_incident(text, path="x.md").metadata["root_cause"]


@pytest.mark.parametrize("places", ["-", "TBD", "N/A", "- \n- None", "| Action |\n|---|\n| TBD |"])
def test_place_holders_are_not_facts(places):
    text = f"# Queue\n\n## Root cause\n\n{places}\n\n## Action items\n\n{places}\n"

    assert not read_incident(text, path="x.md").metadata.keys() & {"action_items", "lessons"}


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
        "note": "a\u0000b",
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
        ("---\ntitle: [x\n---\n# T\n", "a.md", "line"),
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
        pytest.param("x" * 3_000_000, id="one line"),
        pytest.param("a" + " " * 3_000_000 + "b", id="spaces"),
        pytest.param("a" + "\n" * 2_000_000 + "b", id="newlines"),
        pytest.param("## Timeline\n" * 30_000, id="headings"),
        pytest.param("**Impact:** x\n" * 60_000, id="labels"),
        pytest.param("# T\n\n## Timeline\n\n" + "- 10:45 x\n" * 60_000, id="events"),
        pytest.param("# T\n\n## Action items\n\n" + "@" * 1_000_000, id="one action"),
        pytest.param("# T\n\n## Responders\n\n" + "a, " * 300_000, id="people"),
        pytest.param("root cause " * 200_000, id="causes"),
    ],
)
def test_hostile_text_is_read_in_linear_time(text):
    began = time.process_time()
    draft = read_incident(text, path="a.md")

    assert time.process_time() - began < HOSTILE_SECONDS
    assert text == draft.content
