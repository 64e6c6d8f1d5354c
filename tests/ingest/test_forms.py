"""Records in forms that others write them in come in whole, from a command to what it shows."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

KNOWN = {"context": "## Context\n\nWe wait.\n", "decision": "## Decision\n\nWe use it.\n"}
DECISION = "# Use {name}\n\n## Status\n\nAccepted\n\n" + "\n".join(KNOWN.values())
INDEX = (
    "# Our decisions\n\n## Status\n\nEach is proposed, accepted or rejected.\n\n## Decisions\n\n"
    "- [Kafka](0001-kafka/README.md)\n- [Redis](0002-redis/index.md)\n- [Go](0003-go.md)\n"
)
Run = Callable[..., Any]


def write(folder: Path, files: dict[str, str | bytes]) -> Path:
    for name, text in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return folder


def shown(knowwhy: Run, key: str) -> dict[str, Any]:
    return json.loads(knowwhy("show", key, "--json").out)


def edges(knowwhy: Run, key: str) -> set[tuple[str, str]]:
    told = json.loads(knowwhy("graph", key, "--json").out)["edges"]
    return {(edge["relation"], edge["to"]) for edge in told if edge["from"] == key}


# Decisions in folders of their own

FOLDERS = {
    "README.md": INDEX,
    "0001-kafka/README.md": DECISION.format(name="Kafka"),
    "0002-redis/index.md": DECISION.format(name="Redis"),
    "0003-go.md": DECISION.format(name="Go"),
    "de/0004-rust/README.md": "# Rust nehmen\n\n## Lage\n\nEs ist eng.\n\n## Beschluss\n\nRust.\n",
    "de/README.md": "# Beschlüsse auf Deutsch\n\nHier liegen sie.\n",
    "pictures/README.md": "Put pictures here.\n",
    "adr-template-bare-minimal.md": DECISION.format(name="{title}"),
    "templates/decision.md": DECISION.format(name="{title}"),
    "PROCESS.md": "# How we decide\n\nWe talk.\n",
    "LICENSE.txt": "Do what you like.\n",
}


def test_a_decision_may_be_the_readme_or_the_index_of_its_folder(knowwhy, tmp_path):
    done = knowwhy("ingest", "adr", write(tmp_path / "adr", FOLDERS), "--json")

    told = json.loads(done.out)
    assert (0, 4, 7) == (done.code, told["added"], told["skipped"])
    titles = {shown(knowwhy, f"ADR-{n}")["title"] for n in range(1, 5)}
    assert {"Use Kafka", "Use Redis", "Use Go", "Rust nehmen"} == titles


def test_what_is_no_decision_among_decisions_is_named_with_the_reason(knowwhy, tmp_path):
    done = knowwhy("ingest", "adr", write(tmp_path / "adr", FOLDERS))

    assert "7 skipped" in done.out
    assert "adr/adr-template-bare-minimal.md, adr/templates/decision.md: is a template" in done.err
    assert "adr/PROCESS.md" in done.err
    assert "adr/LICENSE.txt: is a licence" in done.err


def test_a_pipe_that_is_called_like_a_page_is_not_waited_for(knowwhy, tmp_path):
    folder = write(tmp_path / "adr", {"0003-go.md": DECISION.format(name="Go")})
    os.mkfifo(write(folder / "0001-kafka", {"notes.md": "# Notes\n"}) / "README.md")

    assert "2 added" in knowwhy("ingest", "adr", folder).out


def test_a_folder_of_which_nothing_is_a_decision_is_refused(knowwhy, tmp_path):
    folder = write(tmp_path / "adr", {"README.md": INDEX, "template.md": "# {title}\n"})

    done = knowwhy("ingest", "adr", folder)

    assert (1, True) == (done.code, "holds no files to read as adr" in done.err)


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        ("shop/docs/architecture-decision-log", {"0001-kafka/README.md", "0002-redis/index.md"}),
        ("shop/docs/decisions", {"0001-kafka/README.md", "0002-redis/index.md"}),
        ("adrs", {"0001-kafka/README.md", "0002-redis/index.md"}),
        ("shop-decision-records", {"0001-kafka/README.md", "0002-redis/index.md"}),
    ],
)
def test_sync_takes_decisions_in_folders_of_their_own(knowwhy, tmp_path, place, expected):
    write(tmp_path / place, FOLDERS)
    write(tmp_path / place, {"notes.md": "# Notes\n\nOf the week.\n"})

    done = json.loads(knowwhy("sync", tmp_path / place.split("/")[0], "--json").out)

    rows = json.loads(knowwhy("list", "--json", "--kind", "adr").out)
    found = {row["key"].removeprefix(f"{place}/") for row in rows}
    assert expected | {"0003-go.md", "de/0004-rust/README.md"} <= found
    assert not {"README.md", "de/README.md", "PROCESS.md", "LICENSE.txt"} & found
    assert done["skipped"] >= 1
    assert any("template" in note["why"] for note in done["notes"])


PROCESS = "# How we decide\n\n## Background\n\nWe grow.\n\n## Proposed workflow\n\nTalk.\n"
AROUND = {
    "PROCESS.md": f"{PROCESS}\n## Alternatives\n\nVotes.\n",
    "GOVERNANCE.md": f"{PROCESS}\n## Status\n\nEach is proposed, accepted or rejected.\n",
    "CQRS.md": DECISION.format(name="CQRS"),
    "KAFKA.md": "# ADR-7: Use Kafka\n\n" + "\n".join(KNOWN.values()),
    "0001-redis/README.md": DECISION.format(name="Redis"),
    "0001-redis/sizes.md": "# Sizes\n\n## Context\n\nMany.\n\n## Options\n\nFew.\n",
    "0001-redis/expiry.md": "# Expire sessions\n\nStatus: Accepted\n",
    "0002-locks.md": "# Locks\n\nWe lock.\n",
    "loose.md": "# A loose one\n\n## Lage\n\nEng.\n",
}
DECIDED = {
    *("CQRS.md", "KAFKA.md", "loose.md", "0002-locks.md"),
    *("0001-redis/README.md", "0001-redis/expiry.md"),
}


def test_a_page_about_decisions_or_beside_one_is_none(knowwhy, tmp_path):
    done = knowwhy("ingest", "adr", write(tmp_path / "rfcs", AROUND))

    rows = json.loads(knowwhy("list", "--json", "--kind", "adr").out)
    assert {row["key"].removeprefix("rfcs/") for row in rows} == DECIDED
    assert "rfcs/0001-redis/sizes.md: belongs to the decision" in done.err


def test_sync_keeps_a_page_beside_a_decision_as_a_document(knowwhy, tmp_path):
    write(tmp_path / "shop/docs/adr", AROUND)
    knowwhy("sync", tmp_path / "shop")

    rows = json.loads(knowwhy("list", "--json").out)
    kinds = {row["key"].removeprefix("shop/docs/adr/"): row["kind"] for row in rows}
    assert {name for name, kind in kinds.items() if kind == "adr"} == DECIDED
    assert "document" == kinds["0001-redis/sizes.md"]


def test_a_link_to_the_folder_of_a_decision_leads_to_it(knowwhy, tmp_path):
    links = "\n## Links\n\n- Supersedes [Kafka](../0001-kafka/)\n"
    folder = write(
        tmp_path / "adr", FOLDERS | {"0002-redis/index.md": DECISION.format(name="Redis") + links}
    )
    knowwhy("ingest", "adr", folder)

    assert ("SUPERSEDES", "adr/0001-kafka/README.md") in edges(knowwhy, "adr/0002-redis/index.md")


# Relations of decisions

MADR = """---
status: {accepted}
date: { 2024-09-18 }
decision-makers: { Ann Lee, Bob Ray }
RFC: 12
---
# Use Kafka

## Context and Problem Statement

We wait, as MADR-9 says.

## Links <!-- optional -->

* Refines [ADR-10](/adr/ADR-10)
* [#602](https://github.com/shop/shop/issues/602)
* Supersedes MADR-11
<!-- example: Amends [ADR-0005](0005-example.md) -->
"""
PROVISIONAL = (
    "# Topics\n\n## Status\n\nProvisional\n\n"
    "Implemented by: <https://github.com/shop/shop/pull/7>\n"
)


@pytest.fixture
def madr(knowwhy: Run, tmp_path: Path) -> Run:
    files = {
        "0009-use-kafka.md": MADR,
        "0010-topics.md": PROVISIONAL,
        "0011-queues.md": "# Queues\n\nStatus: Accepted\n",
    }
    assert 0 == knowwhy("ingest", "adr", write(tmp_path / "madr", files)).code
    return knowwhy


def test_the_links_of_a_section_with_a_comment_in_its_heading_are_relations(madr):
    found = edges(madr, "madr/0009-use-kafka.md")

    expected = {("EXTENDS", "madr/0010-topics.md"), ("SUPERSEDES", "madr/0011-queues.md")}
    assert expected <= found
    between = {to for relation, to in found if "_BY" not in relation}
    assert {"madr/0010-topics.md", "madr/0011-queues.md"} == {t for t in between if "/0" in t}
    assert not [to for to in between if to.startswith("unknown:") or "ADR-" in to]


def test_a_link_to_an_issue_is_no_decision_of_that_number(madr):
    relations = shown(madr, "madr/0009-use-kafka.md")["metadata"]["relations"]

    assert {"ADR-10", "MADR-11"} == {one["target"] for one in relations}


def test_values_in_a_templates_braces_are_read(madr):
    record = shown(madr, "madr/0009-use-kafka.md")

    assert ("accepted", "2024-09-18") == (record["status"], record["metadata"]["date"])
    assert ["Ann Lee", "Bob Ray"] == record["metadata"]["deciders"]


def test_a_field_that_points_at_another_family_renames_nothing(madr):
    assert "ADR-9" == shown(madr, "madr/0009-use-kafka.md")["label"]


def test_a_change_that_implements_a_provisional_decision_does_not_settle_it(madr):
    assert "provisional" == shown(madr, "madr/0010-topics.md")["status"]


def test_a_number_of_a_change_is_no_record(knowwhy, tmp_path):
    text = (
        "# KEP-1: Queues\n\nStatus: Provisional (implemented by #4)\n\n"
        "## Context\n\nSee [#12](../pull/12), and [the fix](../../pull/13/files).\n"
    )
    later = "# KEP-4: Topics\n\nStatus: Superseded by #1\n"
    folder = write(tmp_path / "keps", {"0001-queues.md": text, "0004-topics.md": later})
    knowwhy("ingest", "adr", folder)

    found = edges(knowwhy, "keps/0001-queues.md")
    assert {("SUPERSEDES", "keps/0004-topics.md")} == {pair for pair in found if "4-t" in pair[1]}
    assert [] == shown(knowwhy, "keps/0001-queues.md")["metadata"].get("relations", [])
    assert not [to for _, to in found if "pull" in to]
    assert {"REFERENCES"} == {relation for relation, to in found if to.endswith(("#12", "#13"))}
    assert 2 == len([to for _, to in found if to.endswith(("#12", "#13"))])


@pytest.mark.parametrize(
    "status", ["{accepted | rejected}", "accepted | rejected", "[accepted|rejected]"]
)
def test_a_status_that_nobody_has_chosen_is_none(knowwhy, tmp_path, status):
    files = {
        "1-line.md": f"# Queues\n\n* Status: {status}\n",
        "2-front.md": f'---\nstatus: "{status}"\n---\n# Topics\n',
        "3-section.md": f"# Locks\n\n## Status\n\n{status}\n",
    }
    knowwhy("ingest", "adr", write(tmp_path / "adr", files))

    assert [None] * 3 == [shown(knowwhy, f"adr/{name}")["status"] for name in files]


# Incidents

REVIEW = """---
title: "Post Incident Review: The orders queue stood still"
source_fetched_at: 2026-01-20T10:00:00Z
---
# Post Incident Review: The orders queue stood still

**Severity:** High (nobody could place an order for three hours, and refunds came a day late)
**When:** 2024-05-02

## Timeline (AEST — UTC+10)

| Time | Event |
|---|---|
| **~09:15** | The first alert |
| 10:30 PDT (UTC-7) | The vendor was told |
| 12:00–12:20 KST | A restart |
| 08:00 AEST 3 May | It was over |
| 09:00 UTC-3 | All was written down |

## Impact

### Services Affected

| Service | Impact | Duration |
|---|---|---|
| shop/{orders, refunds} | Down, with no orders | ~3 h |
| `mail` (only receipts) | Late by a day, no loss | 1 day |

## Action Items

1. **Alert on lag** (High)
   - It took an hour to see it.
   - Owner: Ann Lee
   - Due: 2024-06-01
2. Restart by itself
  - As the mail service does.
"""


@pytest.fixture
def review(knowwhy: Run, tmp_path: Path) -> dict[str, Any]:
    folder = write(tmp_path / "incidents", {"2024-05-02-orders.md": REVIEW})
    assert 0 == knowwhy("ingest", "incident", folder).code
    return shown(knowwhy, "incidents/2024-05-02-orders.md")


def test_a_long_severity_keeps_its_level_and_a_title_says_what_happened(review):
    assert "SEV-2" == review["metadata"]["severity"]
    assert "The orders queue stood still" == review["title"]


def test_a_table_of_what_was_affected_gives_the_services(knowwhy, review):
    assert ["shop/orders", "shop/refunds", "mail"] == review["metadata"]["services"]
    affected = {to for relation, to in edges(knowwhy, review["key"]) if relation == "AFFECTS"}
    assert {"service:shop-orders", "service:shop-refunds", "service:mail"} == affected


def test_what_stands_below_an_action_is_no_action(review):
    first, second = review["metadata"]["action_items"]

    assert ("Alert on lag (High)", "Ann Lee", "2024-06-01") == (
        *(first[name] for name in ("item", "owner", "due")),
    )
    assert {"item": "Restart by itself"} == second


TABLES = """# {title}

Severity

High

**Services:** checkout, and partly billing (only refunds)

| Team | Service |
|---|---|
| Payments | checkout |

## Responders

| Role | Name |
|---|---|
| Lead | Ann Lee |
| Scribe | Bob Ray |

## Action Items

| Item | Owner |
|---|---|
| Alert on lag | Ann |

- [ ] Restart by itself
- [x] Write it down
"""
MEASURED = """# Slow

## Affected services

| | Before | After |
|---|---|---|
| latency | 1 s | 2 s |
"""


@pytest.mark.parametrize(
    "title",
    [
        *("PIR: Queue down", "[PIR] Queue down", "PIR: Queue down – Post-mortem"),
        *("Queue down - Post Incident Review", "Queue down (RCA)"),
    ],
)
def test_what_tables_and_paragraphs_tell_goes_where_it_belongs(knowwhy, tmp_path, title):
    files = {"queue.md": TABLES.format(title=title), "slow.md": MEASURED}
    knowwhy("ingest", "incident", write(tmp_path / "incidents", files))

    record = shown(knowwhy, "incidents/queue.md")
    told = record["metadata"]
    assert ("Queue down", "SEV-2") == (record["title"], told["severity"])
    assert ["checkout", "billing"] == told["services"]
    assert ["Ann Lee", "Bob Ray"] == told["responders"]
    items = {one["item"]: one.get("status") for one in told["action_items"]}
    assert {"Alert on lag": None, "Restart by itself": "open", "Write it down": "done"} == items
    assert "services" not in shown(knowwhy, "incidents/slow.md")["metadata"]


def test_times_are_read_in_the_zones_that_are_named(review):
    times = [event["at"] for event in review["metadata"]["timeline"]]

    expected = ["01T23:15", "02T17:30", "02T03:00", "02T22:00", "03T12:00"]
    assert [f"2024-05-{moment}:00+00:00" for moment in expected] == times


@pytest.mark.parametrize("of", ["source_fetched_at", "last_updated", "imported on"])
def test_the_day_on_which_a_page_was_fetched_is_not_the_day_of_the_incident(knowwhy, tmp_path, of):
    text = f"---\ntitle: Queue down\n{of}: 2026-01-20T10:00:00Z\n---\n\nThe queue stood still.\n"
    knowwhy("ingest", "incident", write(tmp_path / "incidents", {"queue.md": text}))

    assert shown(knowwhy, "incidents/queue.md")["occurred_at"] is None


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("", "10:00 IST"),
        ("All times are IST (UTC+5:30).", "2024-05-02T04:30:00+00:00"),
        ("Our team in Bengaluru was called.", "2024-05-02T04:30:00+00:00"),
        ("Our team in Haifa was called.", "2024-05-02T08:00:00+00:00"),
        ("Our teams in Haifa and Pune were called.", "10:00 IST"),
    ],
)
def test_a_zone_of_many_meanings_is_read_where_the_report_tells_which(
    knowwhy, tmp_path, said, expected
):
    text = f"# Queue down\n\nDate: 2024-05-02\n\n{said}\n\n## Timeline\n\n- 10:00 IST: It fell\n"
    knowwhy("ingest", "incident", write(tmp_path / "incidents", {"queue.md": text}))

    timeline = shown(knowwhy, "incidents/queue.md")["metadata"]["timeline"]
    assert [{"at": expected, "event": "It fell"}] == timeline


@pytest.mark.parametrize(
    ("said", "time", "expected"),
    [
        ("Timezone: AEST", "10:00", "2024-07-02T00:00:00+00:00"),
        ("- **Time zone:** Europe/Berlin", "10:00", "2024-07-02T08:00:00+00:00"),
        ("TZ: America/New_York", "10:00", "2024-07-02T14:00:00+00:00"),
        ("All times are in Singapore time.", "10:00", "2024-07-02T02:00:00+00:00"),
        ("Timezone: where we are", "10:00", "10:00 local time"),
        ("Timezone: AEST", "10:00 UTC", "2024-07-02T10:00:00+00:00"),
        ("Timezone: -", "10:00", "2024-07-02T10:00:00+00:00"),
        ("", "10:00 Europe/Berlin", "2024-07-02T08:00:00+00:00"),
        ("", "10:00 (Asia/Singapore)", "2024-07-02T02:00:00+00:00"),
        ("", "10:00 AET", "2024-07-02T00:00:00+00:00"),
        ("", "10:00 Singapore Time (SGT)", "2024-07-02T02:00:00+00:00"),
        ("", "10:00 Nowhere/City", "10:00 Nowhere/City"),
        ("", "10:00 XQT", "10:00 XQT"),
    ],
)
def test_a_zone_is_read_in_every_form_or_a_time_stays_as_told(
    knowwhy, tmp_path, said, time, expected
):
    text = f"# Queue down\n\nDate: 2024-07-02\n\n{said}\n\n## Timeline\n\n"
    rows = f"{text}| Time | Event |\n|---|---|\n| {time} | It fell |\n"
    lines = f"{text}- {time} - It fell\n"
    files = {"rows.md": rows} if "Nowhere" in time else {"rows.md": rows, "lines.md": lines}
    knowwhy("ingest", "incident", write(tmp_path / "incidents", files))

    for name in files:
        timeline = shown(knowwhy, f"incidents/{name}")["metadata"]["timeline"]
        assert [{"at": expected, "event": "It fell"}] == timeline


def test_a_time_that_a_report_only_remarks_on_is_no_zone(knowwhy, tmp_path):
    events = [
        "10:00 Response time rose",
        "10:05 PUT - refused",
        "10:10 DONE",
        "10:15 (DB) restarted",
    ]
    text = "# Queue down\n\nDate: 2024-07-02\n\n## Timeline\n\n- " + "\n- ".join(events)
    knowwhy("ingest", "incident", write(tmp_path / "incidents", {"queue.md": text}))

    timeline = shown(knowwhy, "incidents/queue.md")["metadata"]["timeline"]
    assert [f"2024-07-02T{line[:5]}:00+00:00" for line in events] == [one["at"] for one in timeline]


# Pages and captions

PAGE = """<html><head><meta charset={charset}><title>Sessions</title></head><body>
<div id=cookie-banner>We use cookies <button>OK</button></div>
<div id=toc><ul><li><a href=#a>Sharing of what is held</a></ul></div>
<h1>Sessions</h1><p>{word}</p>
<section id="sharing-of-what-is-held"><h2>Sharing of what is held</h2><p>Nothing is shared.</p>
</section>
<div class=section id="cookie-based-sessions"><h2>2. Cookie-based sessions</h2><p>Kept there.</p>
</div><h2 id=toolbar>Toolbar</h2>
<p style="display: none">Unseen one</p><p hidden>Unseen two</p><p aria-hidden=true>Unseen three</p>
</body></html>"""


@pytest.mark.parametrize(
    ("charset", "codec", "word"),
    [
        ("gb2312", "gb18030", "镕 and €"),
        ("ISO-8859-1", "cp1252", "“quoted” – €"),
        ("ks_c_5601-1987", "cp949", "뷁"),
        ("Shift_JIS", "cp932", "①"),
    ],
)
def test_a_section_whose_id_came_from_its_heading_stays(knowwhy, tmp_path, charset, codec, word):
    page = PAGE.format(charset=charset, word=word).encode(codec)
    done = knowwhy("ingest", "document", write(tmp_path / "docs", {"sessions.html": page}))

    content = shown(knowwhy, "docs/sessions.html")["text"]
    assert 0 == done.code
    for words in (word, "## Sharing of what", "Nothing is shared", "## 2. Cookie-based", "Toolbar"):
        assert words in content
    assert not [words for words in ("We use", "Unseen", "](#a)") if words in content]


TOPICS = """<html><head><meta charset=gb2312></head><body><h1>Sessions</h1>
<div class="cookie-notice"><p>We use cookies. <a href=/p>Our policy</a></p></div>
<div class="cookie-banner"><h2>Cookies</h2><p>We use them for all that we do here.</p></div>
<section class="section cookie-policy"><h2>Cookie policy</h2><p>A cookie lives for a day.</p>
</section><div class="share-nothing"><h2>Nothing in common</h2><p>No node reads another.</p></div>
"""


def test_a_section_with_a_heading_stays_whatever_its_class_begins_with(knowwhy, tmp_path):
    knowwhy("ingest", "document", write(tmp_path / "docs", {"sessions.html": TOPICS}))

    content = shown(knowwhy, "docs/sessions.html")["text"]
    assert "A cookie lives" in content
    assert "No node reads" in content
    assert "We use" not in content


def test_a_byte_that_means_nothing_is_passed_over_and_many_are_not(knowwhy, tmp_path):
    page = TOPICS.encode() + "<p>镕 and more</p>".encode("gb18030") * 100
    files = {"one.html": page + b"<p>\xff</p>", "many.html": page + b"<p>\xff</p>" * 20}
    done = knowwhy("ingest", "document", write(tmp_path / "docs", files))

    assert (1, True) == (done.code, "docs/many.html: is not in GB2312" in done.err), done.err
    assert "镕 and more" in shown(knowwhy, "docs/one.html")["text"]


CAPTIONS = """WEBVTT

0:0:1.0 --> 0:0:4.560
<v Ann Lee>We keep sessions in Redis.</v>

0:0:5.0 --> 0:1:7.25
<v Bob Ray>For how long?</v>

1:2:3.5 --> 1:2:9.0
<v Ann Lee>For a day.</v>
"""


def test_captions_whose_times_are_not_padded_are_read(knowwhy, tmp_path):
    done = knowwhy("ingest", "meeting", write(tmp_path / "meetings", {"weekly.vtt": CAPTIONS}))

    content = shown(knowwhy, "meetings/weekly.vtt")["text"]
    assert (0, "") == (done.code, done.err)
    assert "[00:00:01] Ann Lee: We keep sessions in Redis." in content
    assert "[01:02:03] Ann Lee: For a day." in content
