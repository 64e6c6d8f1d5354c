import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowwhy.errors import BadInput
from knowwhy.ingest.adr import read_adr
from pace import assert_linear, run_of

NYGARD = """# 7. Use **Redis** for sessions

Date: 2024-03-12

## Status

Accepted

Superseded by [9. Use Postgres](0009-use-postgres.md)

Supersedes [3. Use files](0003-use-files.md)

## Context

We had files.

## Decision

We will use Redis.
"""

MADR2 = """# Use Plain JUnit5

* Status: accepted
* Deciders: Ann Lee, [Bob Ray](@bob), cy@x.org
* Date: 2018-02-10

Technical Story: ABC-12

## Context and Problem Statement

How?

## Considered Options

* One
* Two

## Decision Outcome

One.

## Links

* Refines [ADR-0005](0005-example.md)
"""

MADR3 = """---
status: "superseded by [ADR-0123](0123-example.md)"
date: 2023-05-06
deciders: Ann Lee, Bob Ray
consulted: [Cy Poe]
informed: everyone
---
# Use Markdown

## Context and Problem Statement

## Considered Options

## Decision Outcome
"""

MADR4 = """---
status: accepted
date: 2024-09-01
decision-makers: [Ann Lee, "@bob"]
---
# Use Markdown

## Context and Problem Statement

## Considered Options

## Decision Outcome
"""

LOG4BRAINS = """# Use Log4brains

- Status: draft
- Date: 2020-10-13
- Deciders: Ann Lee
- Tags: dev-tools, doc

## Considered Options

## Decision Outcome
"""

PEP = """PEP: 8
Title: Style Guide
Author: Ann Lee <ann at x.org>,
        Bob Ray <bob@x.org>
Status: Final
Created: 05-Jul-2001
Requires: 484, 526
Superseded-By: 3107

Introduction
============
"""

Y = """# Sessions

In the context of the **shop**, facing the need for speed, we decided for Redis
and neglected files, to achieve fast pages, accepting that memory costs more.

More text.
"""


def relations(draft):
    return [(found["relation"], found["target"]) for found in draft.metadata["relations"]]


def test_a_nygard_record_stands_where_its_last_status_says():
    draft = read_adr(NYGARD, path="docs/0007-use-redis.md")
    assert (NYGARD, "adr", "") == (draft.content, draft.kind, draft.id)
    assert ("ADR-7", "Use Redis for sessions") == (draft.label, draft.title)
    assert ("superseded", "nygard") == (draft.status, draft.metadata["format"])
    assert datetime(2024, 3, 12, tzinfo=UTC) == draft.occurred_at
    expected = [("SUPERSEDED_BY", "ADR-9"), ("SUPERSEDES", "ADR-3")]
    assert expected == relations(draft)
    expected = {"Date": "2024-03-12"}
    assert expected == draft.metadata["fields"]


def test_a_madr2_record_is_read_from_its_bullets():
    draft = read_adr(MADR2, path="0012-use-junit.md")
    assert ("ADR-12", "Use Plain JUnit5") == (draft.label, draft.title)
    assert ("accepted", "madr2") == (draft.status, draft.metadata["format"])
    expected = ("Ann Lee", "Bob Ray", "cy")
    assert expected == draft.authors
    expected = "ABC-12"
    assert expected == draft.metadata["technical_story"]
    expected = [("EXTENDS", "ADR-5")]
    assert expected == relations(draft)


def test_a_madr3_record_is_read_from_its_front_matter():
    draft = read_adr(MADR3, path="decisions/use-markdown.md")
    assert (None, "Use Markdown") == (draft.label, draft.title)
    assert ("superseded", "madr3") == (draft.status, draft.metadata["format"])
    expected = [("SUPERSEDED_BY", "ADR-123")]
    assert expected == relations(draft)
    expected = ["Ann Lee", "Bob Ray"]
    assert expected == draft.metadata["deciders"]
    expected = ["Cy Poe"]
    assert expected == draft.metadata["consulted"]
    expected = "2023-05-06"
    assert expected == draft.metadata["date"] == draft.metadata["fields"]["date"]


def test_a_madr4_record_has_decision_makers():
    draft = read_adr(MADR4, path="use-markdown.md")
    expected = "madr4"
    assert expected == draft.metadata["format"]
    expected = ("Ann Lee", "bob")
    assert expected == draft.authors


def test_a_log4brains_record_has_tags():
    draft = read_adr(LOG4BRAINS, path="20201013-use-log4brains.md")
    assert (None, "draft", "log4brains") == (draft.label, draft.status, draft.metadata["format"])
    expected = ["dev-tools", "doc"]
    assert expected == draft.metadata["tags"]


def test_a_record_with_headers_takes_its_family_from_them():
    draft = read_adr(PEP, path="peps/pep-0008.rst")
    assert ("PEP-8", "Style Guide", "final") == (draft.label, draft.title, draft.status)
    assert datetime(2001, 7, 5, tzinfo=UTC) == draft.occurred_at
    expected = ("Ann Lee", "Bob Ray")
    assert expected == draft.authors
    expected = [("DEPENDS_ON", "PEP-484"), ("DEPENDS_ON", "PEP-526"), ("SUPERSEDED_BY", "PEP-3107")]
    assert expected == relations(draft)
    expected = ("headers", 8)
    assert expected == (draft.metadata["format"], draft.metadata["number"])


def test_a_y_statement_is_parted():
    draft = read_adr(Y, path="sessions.md")
    expected = {
        "context": "the shop",
        "facing": "the need for speed",
        "decided": "Redis",
        "neglected": "files",
        "achieve": "fast pages",
        "accepting": "memory costs more",
    }
    assert expected == draft.metadata["y_statement"]
    expected = "y-statement"
    assert expected == draft.metadata["format"]


@pytest.mark.parametrize(
    "table",
    [
        "| Field | Value |\n| - | - |\n| Date | 2024-01-07 |\n| Status | Approved |\n"
        "| Authors | [Ann Lee](@ann) |\n| Superseded by: | [x](ADR-0004-x.md) |\n",
        "| Date | Status | Authors | Superseded by |\n| - | - | - | - |\n"
        "| 2024-01-07 | Approved | Ann Lee | ADR-4 |\n",
    ],
)
def test_a_table_of_fields_is_read(table):
    draft = read_adr(f"# Use X\n\n{table}\n\n## What\n", path="a.md")
    assert ("accepted", ("Ann Lee",)) == (draft.status, draft.authors)
    assert datetime(2024, 1, 7, tzinfo=UTC) == draft.occurred_at
    expected = [("SUPERSEDED_BY", "ADR-4")]
    assert expected == relations(draft)


def test_rst_records_are_read_from_their_tables():
    text = (
        ".. _OEP-3 Tasks:\n\nOEP-3: Tasks\n############\n\n"
        "+---------+------------------+\n| OEP     | :ref:`OEP-3 T`   |\n"
        "+---------+------------------+\n| Status  | Replaced by      |\n"
        "|         | :ref:`OEP-66 <U>`|\n+---------+------------------+\n\nAbstract\n********\n"
    )
    draft = read_adr(text, path="oeps/oep-0003-tasks.rst")
    assert ("OEP-3", "Tasks", "superseded") == (draft.label, draft.title, draft.status)
    expected = [("SUPERSEDED_BY", "OEP-66")]
    assert expected == relations(draft)


@pytest.mark.parametrize(
    ("heading", "path", "label", "title"),
    [
        ("7. Use X", "a.md", "ADR-7", "Use X"),
        ("0007 - Use X", "a.md", "ADR-7", "Use X"),
        ("0007 Use X", "a.md", "ADR-7", "Use X"),
        ("7 Use X", "0007-use-x.md", "ADR-7", "Use X"),
        ("ADR-007: Use X", "a.md", "ADR-7", "Use X"),
        ("[ADR-007] Use X", "a.md", "ADR-7", "Use X"),
        ("ADR 7 — Use X", "a.md", "ADR-7", "Use X"),
        ("ADR #7: Use X", "a.md", "ADR-7", "Use X"),
        ("Decision record 7: Use X", "a.md", "ADR-7", "Use X"),
        ("KEP-1234: Use X", "README.md", "KEP-1234", "Use X"),
        ("RFC 12: Use X", "a.md", "RFC-12", "Use X"),
        ("X-ADR-MS-0004: Use X", "a.md", None, "X-ADR-MS-0004: Use X"),
        ("ODH-ADR-MS-0004: Use X", "a.md", "ODH-ADR-MS-4", "Use X"),
        ("3. Use X", "oep-0003-use-x.md", "OEP-3", "Use X"),
        ("Use Python 3", "a.md", None, "Use Python 3"),
        ("3 ways to fail", "a.md", None, "3 ways to fail"),
        ("2024 - Plan", "a.md", None, "2024 - Plan"),
        ("ADR-007", "a.md", "ADR-7", "ADR-007"),
        ("", "docs/0007-use_big-x.md", "ADR-7", "Use big x"),
        ("", "docs/adr-100-use-x.md", "ADR-100", "Use x"),
        ("", "docs/2024-03-12-use-x.md", None, "Use x"),
        ("", "docs/0007-use-x/README.md", "ADR-7", "Use x"),
        ("", "docs/step-2-use-x.md", None, "Step 2 use x"),
    ],
)
def test_label_and_title_come_from_the_heading_or_the_file(heading, path, label, title):
    draft = read_adr(f"# {heading}\n\nText.\n\n## Status\n\nAccepted\n", path=path)
    assert (label, title) == (draft.label, draft.title)


@pytest.mark.parametrize(
    ("fields", "label"),
    [
        ("id: ADR-0007", "ADR-7"),
        ("number: 7", "ADR-7"),
        ("id: 0010", "ADR-10"),
        ("rfc: 12", "RFC-12"),
        ("kep-number: 1234", "KEP-1234"),
        ("id: use-redis", "use-redis"),
        ("url: 3", None),
    ],
)
def test_front_matter_gives_the_label(fields, label):
    draft = read_adr(f"---\n{fields}\ntitle: Use X\n---\n# Other\n", path="a.md")
    assert (label, "Use X") == (draft.label, draft.title)


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("Accepted", "accepted"),
        ("✅ Accepted", "accepted"),
        ("**Approved** by Ann", "accepted"),
        ("~~Proposed~~ Rejected", "rejected"),
        ("Accepted and implemented in v2", "accepted"),
        ("Proposed\n\nAccepted", "accepted"),
        ("* 2024-02-01 accepted\n* 2024-01-01 proposed", "accepted"),
        ("Accepted, superseded by ADR-9", "superseded"),
        ("Superceded by\n[ADR-9](9.md)", "superseded"),
        ("Accepted\n\nAmended by [ADR-9](9.md)", "accepted"),
        ("Amended by [ADR-9](9.md)", "amended"),
        ("Accepted\n\nSupersedes [ADR-1](1.md)", "accepted"),
        ("- [ ] Proposed\n- [x] Accepted\n- [ ] Deprecated", "accepted"),
        ("Needs Revision", "needs revision"),
        ("<!-- Proposed -->\nAccepted", "accepted"),
        ("Proposed | Accepted | Rejected | Deprecated", None),
        ("{proposed | rejected | accepted}", None),
        ("TBD", None),
        ("", None),
        ("A long story about how we came here without any word for it", None),
    ],
)
def test_the_status_is_one_canonical_word(text, status):
    assert status == read_adr(f"# X\n\n## Status\n\n{text}\n\n## Context\n", path="x.md").status


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Supersedes [3. Use files](0003-use-files.md)", [("SUPERSEDES", "ADR-3")]),
        ("Amends 3. Use files", [("AMENDS", "ADR-3")]),
        (
            "Accepted, supersedes ADR-3 and ADR-4",
            [("SUPERSEDES", "ADR-3"), ("SUPERSEDES", "ADR-4")],
        ),
        ("Rejected in favour of ADR-101", [("SUPERSEDED_BY", "ADR-101")]),
        ("Replaced by [x](use-other.md)", [("SUPERSEDED_BY", "use-other.md")]),
        ("Superseded\n\n(see ADR-9)", [("SUPERSEDED_BY", "ADR-9")]),
        ("Superseded by N/A", []),
        ("Supersedes ADR-1", []),
        ("Supersedes 30% of the cost", []),
    ],
)
def test_the_status_states_relations(text, expected):
    draft = read_adr(f"# ADR-1: X\n\n## Status\n\n{text}\n\n## Context\n", path="x.md")
    assert expected == relations(draft)


def test_sections_relate_to_the_records_that_they_list():
    text = (
        "# ADR-1: X\n\n## Related ADRs\n\n- ADR-2\n- Extends ADR-3\n\n"
        "## Context\n\nADR-4\n\n## References\n\n[RFC 12](https://x.org) and https://y.org\n"
    )
    expected = [("EXTENDS", "ADR-3"), ("REFERENCES", "ADR-2"), ("REFERENCES", "RFC-12")]
    assert expected == relations(read_adr(text, path="x.md"))


def test_the_date_falls_back_to_the_changelog_and_the_file():
    changed = "# X\n\n## Changelog\n\n- 2024-05-01: change\n- 2024-04-01: draft\n"
    assert datetime(2024, 4, 1, tzinfo=UTC) == read_adr(changed, path="x.md").occurred_at
    assert datetime(2024, 3, 12, tzinfo=UTC) == read_adr("# X", path="a/20240312-x.md").occurred_at


@pytest.mark.parametrize("text", ["", " \n\t"])
def test_an_empty_record_is_refused(text):
    with pytest.raises(BadInput, match=r"x\.md is empty"):
        read_adr(text, path="x.md")


PIECES = st.sampled_from([NYGARD, MADR2, PEP, Y, "---\n", "## Status\n", "- ", "\n", "Supersedes "])


@given(st.one_of(st.text(min_size=1), st.lists(PIECES, min_size=1).map("".join)), st.text())
def test_any_text_is_read_or_refused_and_its_metadata_is_json(text, path):
    try:
        draft = read_adr(text, path=path)
    except BadInput:
        return
    assert text == draft.content
    assert dict(draft.metadata) == json.loads(json.dumps(draft.metadata))


@pytest.mark.parametrize(
    "piece",
    [
        "in the context of facing we decided to achieve ",
        "## Status\n\nSupersedes ADR-3\n",
        "Status: Accepted\n",
        "<!-- ",
        "| a | b |\n",
        "Supersedes ",
    ],
)
def test_a_hostile_text_is_read_in_linear_time(piece):
    text = run_of(piece, "# X\n\n## Status\n\n")

    assert_linear(lambda text: read_adr(text, path="x.md"), text)
