"""Post-mortems are read whatever template they follow."""

from datetime import UTC, datetime

import pytest

from knowwhy.ingest.incidents.incident import read_incident

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
