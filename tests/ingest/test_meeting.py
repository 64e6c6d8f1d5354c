import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowwhy.errors import BadInput
from knowwhy.ingest.meetings.meeting import read_meeting
from knowwhy.ingest.meetings.minutes import read_sections
from pace import assert_linear, run_of

MINUTES = """# Platform sync

**Date:** 12 March 2024
**Time:** 10:00-10:30 UTC
**Attendees:** Alice Smith (chair), Bob Ray, Carol
**Apologies:** Dan

## Discussion
We talked about queues. After a long debate we decided to use Kafka for events.
We might have agreed to use Redis. We haven't decided to drop anything.

## Decisions
1. Use **one** broker
   - because of replay
2. Keep RabbitMQ until Q4
- No decision on Redis

### Storage
- Postgres stays

## Action items
- [ ] @bob write the ADR by 2024-03-20
- [x] Alice to ping Dan
- Carol: update runbook (due Friday)
- Look into Redis — Bob Ray
- Carol
  - buy cake

| Task | Owner | Due |
|---|---|---|
| Renew certs | Dan | 2024-04-01 |

## Previous action items
- an old one

DECISION: no more Friday deploys
ACTION(alice): tell everybody
"""


def decisions(text, path="x.md"):
    return read_meeting(text, path=path).metadata.get("decisions", [])


def actions(text, path="x.md"):
    return read_meeting(text, path=path).metadata.get("action_items", [])


def test_minutes_say_what_when_and_who():
    draft = read_meeting(MINUTES, path="notes/2024-03-11.md")

    assert ("meeting", "Platform sync", MINUTES) == (draft.kind, draft.title, draft.content)
    assert datetime(2024, 3, 12, 10, 0, tzinfo=UTC) == draft.occurred_at
    assert ("Alice Smith", "Bob Ray", "Carol") == draft.authors
    assert ["Alice Smith", "Bob Ray", "Carol"] == draft.metadata["attendees"]
    assert "minutes" == draft.metadata["format"]


def test_decisions_stand_in_sections_behind_marks_and_in_plain_sentences():
    expected = [
        "After a long debate we decided to use Kafka for events.",
        "Use one broker",
        "Keep RabbitMQ until Q4",
        "Postgres stays",
        "no more Friday deploys",
    ]
    assert expected == decisions(MINUTES)


def test_action_items_have_owners_and_days():
    expected = [
        {"item": "Renew certs", "owner": "Dan", "due": "2024-04-01"},
        {"item": "write the ADR", "owner": "bob", "due": "2024-03-20", "status": "open"},
        {"item": "ping Dan", "owner": "Alice", "status": "done"},
        {"item": "update runbook", "owner": "Carol", "due": "Friday"},
        {"item": "Look into Redis", "owner": "Bob Ray"},
        {"item": "buy cake", "owner": "Carol"},
        {"item": "tell everybody", "owner": "alice"},
    ]
    assert expected == actions(MINUTES)


@pytest.mark.parametrize(
    "text",
    [
        "Decisions:\n- Use Kafka\n\nThen there was cake.",
        "**Decisions**\n\nUse Kafka",
        "## 3. Decisions made\n\n* Use Kafka\n  * it is fast\n",
        "Resolutions\n-----------\nUse Kafka\n\nOther\n-----\nthings",
        "## ✅ Decision\n\n- Use Kafka",
        "Notes\n\nDECISION: Use Kafka",
        "Notes\n\n- **Decision:** Use Kafka",
        "Notes\n\n- [DECISION] - Use Kafka\n".replace("] -", "]:"),
        "RESOLVED: Use Kafka\n",
        "## Decisions\n\n| # | Decision |\n|---|---|\n| 1 | Use Kafka |\n",
        "# Guild\n\n## Decision: Use Kafka\nIt has replay.\n",
        "Guild\n\n1. Queues\n   Agreed: Use Kafka\n",
        "Consensus: Use Kafka",
        "## Decisions and actions\n\n- Use Kafka\n- [ ] @bob write it up",
    ],
)
def test_a_decision_is_found_however_it_is_marked(text):
    assert ["Use Kafka"] == decisions(text)


@pytest.mark.parametrize(
    "sentence",
    [
        "We decided to use Kafka.",
        "We've agreed to use Kafka.",
        "It was agreed that the team uses Kafka.",
        "The decision is to use Kafka.",
        "The board resolved to use Kafka.",
        "Then we all agreed on Kafka.",
    ],
)
def test_a_plain_sentence_decides(sentence):
    assert [sentence] == decisions(f"Some words. {sentence} More words.")


@pytest.mark.parametrize(
    "sentence",
    [
        "Maybe we agreed to use Kafka.",
        "We have not decided to use Kafka.",
        "We haven't agreed on Kafka.",
        "Should it be that we decided to use Kafka?",
        "If we decided to use Kafka, costs would rise.",
        "We decided to use Kafka if the price is right.",
        "We agreed to probably use Kafka.",
        "Nobody remembers why we decided to use Kafka.",
        "Before we decided to use Kafka, all was well.",
        "I think we agreed on Kafka.",
        "We agreed to discuss Kafka.",
        "They decided to use Kafka.",
        "We decided.",
    ],
)
def test_a_hedged_sentence_does_not(sentence):
    assert [] == decisions(f"Some words. {sentence} More words.")


@pytest.mark.parametrize(
    "text",
    [
        "## Decisions\n\nNone",
        "## Decisions\n- N/A\n- TBD",
        "Decisions: \n\nNo decisions were made.",
        "## Decisions\n- Deferred: Redis",
    ],
)
def test_an_empty_section_decides_nothing(text):
    assert [] == decisions(text)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("ACTION: write it", {"item": "write it"}),
        ("ACTION(bob): write it", {"item": "write it", "owner": "bob"}),
        ("ACTION [Bob Ray]: write it", {"item": "write it", "owner": "Bob Ray"}),
        ("Action item for Bob: write it", {"item": "write it", "owner": "Bob"}),
        ("ACTION @bob: write it", {"item": "write it", "owner": "bob"}),
        ("ACTION: Bob to write it", {"item": "write it", "owner": "Bob"}),
        (
            "AI: Bob Ray will write it by 2024-04-01",
            {"item": "write it", "owner": "Bob Ray", "due": "2024-04-01"},
        ),
        ("- TODO: write it by next week", {"item": "write it", "due": "next week"}),
        ("- **Action:** @bob write it", {"item": "write it", "owner": "bob"}),
        ("- [ ] @bob write it", {"item": "write it", "owner": "bob", "status": "open"}),
        ("- [x] write it @bob", {"item": "write it", "owner": "bob", "status": "done"}),
        ("## TODO\n- write it (Bob)", {"item": "write it", "owner": "Bob"}),
        ("## Next steps\n1. [Bob] write it", {"item": "write it", "owner": "Bob"}),
        (
            "## Actions\n- write it (owner: Bob), due 2024-04-01",
            {"item": "write it", "owner": "Bob", "due": "2024-04-01"},
        ),
        (
            "**Actions**\n- Bob - write it before Friday",
            {"item": "Bob - write it", "due": "Friday"},
        ),
        ("## Actions\n- API: write it", {"item": "API: write it"}),
        ("## Actions\n- Migrate Kafka to Redis", {"item": "Migrate Kafka to Redis"}),
    ],
)
def test_an_action_item_is_read_however_it_is_written(line, expected):
    assert [expected] == actions(f"Attendees: Bob Ray, Ann Lee\n\n{line}\n")


def test_plain_boxes_outside_of_task_lists_are_no_action_items():
    assert [] == actions("## Agenda\n\n- [x] Kafka\n- [ ] Redis\n")


TALK = """[00:00:05] Alice: So, shall we go with Kafka?
[00:00:09] Bob: Let's go with Kafka. It has replay.
[00:00:12] Alice: Great.
[00:00:20] Bob: Let's go with Redis.
[00:00:22] Alice: No, hold on.
[00:00:25] Alice: We decided to keep Postgres, if the budget holds.
[00:00:28] Bob: Agreed: we keep two regions.
[00:00:30] Alice: ACTION: Bob to write it up by Friday. I'll take the action to tell Dan.

## Action items
- Alice: book a room
"""


def test_a_transcript_has_speakers_decisions_without_objection_and_a_length():
    draft = read_meeting(TALK, path="GMT20240312-100000_Recording.transcript.txt")

    assert ["Let's go with Kafka.", "we keep two regions."] == draft.metadata["decisions"]
    expected = [
        {"item": "book a room", "owner": "Alice"},
        {"item": "write it up", "owner": "Bob", "due": "Friday"},
        {"item": "tell Dan", "owner": "Alice"},
    ]
    assert expected == draft.metadata["action_items"]
    assert ["Alice", "Bob"] == draft.metadata["speakers"]
    assert ("Alice", "Bob") == draft.authors
    assert ("00:00:25", "transcript") == (draft.metadata["duration"], draft.metadata["format"])
    assert datetime(2024, 3, 12, 10, 0, tzinfo=UTC) == draft.occurred_at
    assert "Meeting of 2024-03-12" == draft.title
    assert "Redis.\n\n[00:00:22] Alice" in draft.content


def test_captions_become_a_transcript():
    text = (
        "WEBVTT\n\n00:00:01.000 --> 00:00:04.000\n<v Ann Lee>We agreed to ship\n\n"
        "00:00:04.000 --> 00:01:00.000\n<v Ann Lee>on Monday.\n\n"
        "00:01:00.000 --> 00:01:05.000\n<v Bob>Fine.\n"
    )
    draft = read_meeting(text, path="calls/2024-03-12-standup.vtt")

    assert (
        "[00:00:01] Ann Lee: We agreed to ship on Monday.\n\n[00:01:00] Bob: Fine." == draft.content
    )
    assert ("Standup", ("Ann Lee", "Bob")) == (draft.title, draft.authors)
    assert ["We agreed to ship on Monday."] == draft.metadata["decisions"]
    assert ("vtt", "00:01:04") == (draft.metadata["format"], draft.metadata["duration"])


def test_srt_is_known_by_its_content():
    draft = read_meeting("1\n00:00:01,000 --> 00:00:02,000\nANN: Hi\n", path="x.txt")

    assert ("srt", "[00:00:01] ANN: Hi") == (draft.metadata["format"], draft.content)


@pytest.mark.parametrize(
    ("text", "path", "title", "day"),
    [
        (
            "---\ntitle: Sync\ndate: 2024-03-12\nattendees: [Ann Lee]\n---\n# Notes\nx",
            "x.md",
            "Sync",
            12,
        ),
        ("# Meeting notes\n\nx", "2024-03-12-standup.md", "Standup", 12),
        ("# Guild 12 March 2024\n\nx", "x.md", "Guild 12 March 2024", 12),
        ("# 2024-03-12\n\nx", "a/weekly_sync.md", "Weekly sync", 12),
        ("Subject: Review\nWhen: 12.03.2024\n\nx", "x.txt", "Review", 12),
        ("Minutes\n=======\nDate: 2024-03-12\n\nx", "20240301_guild.txt", "Guild", 12),
        ("We met on 2024-03-12 to talk.\n", "talks.md", "Talks", 12),
        ("words", "x.md", "X", None),
    ],
)
def test_title_and_day_come_from_the_best_place(text, path, title, day):
    draft = read_meeting(text, path=path)

    assert title == draft.title
    assert day == (draft.occurred_at and draft.occurred_at.day)


def test_attendees_may_be_a_list():
    text = (
        "# Sync\n\n## Attendees\n\n- Ann Lee (chair)\n- [x] @bob\n- Eve Fox - Engineering\n\n"
        "## Apologies\n- Dan\n"
    )

    assert ("Ann Lee", "bob", "Eve Fox") == read_meeting(text, path="x.md").authors


def test_a_field_ends_where_the_next_begins():
    text = "Weekly sync\nAttendees: Ann Lee @ann, Bob\nNotes taken by: Bob\nThe first words.\n"
    draft = read_meeting(text, path="x.txt")

    assert (["Ann Lee", "Bob"], "Weekly sync") == (draft.metadata["attendees"], draft.title)


@pytest.mark.parametrize("text", ["", " \n", "WEBVTT\n\n00:01.000 --> 00:02.000\n\n"])
def test_a_meeting_without_words_is_refused(text):
    with pytest.raises(BadInput):
        read_meeting(text, path="x.vtt")


@given(st.text(min_size=1), st.text())
def test_any_text_is_read_or_refused(text, path):
    try:
        draft = read_meeting(text, path=path)
    except BadInput:
        return
    assert draft.content.strip()
    assert dict(draft.metadata) == json.loads(json.dumps(draft.metadata))


@pytest.mark.parametrize(
    "text",
    [
        "we decided to ",
        "- ",
        "- [ ] x\n",
        "DECISION: x\n",
        "Decisions:\n",
        "# a\n",
        run_of("|a|b|\n", "## Actions\n"),
        run_of("(", "## Actions\n- "),
        run_of("- by ", "## Actions\n"),
        run_of("let's go with ", "[0:01] Al: ", "\n[0:02] Bo: x"),
        run_of("x. ", "[0:01] Al: ", "\n[0:02] Bo: x"),
        run_of("a, ", "Attendees: "),
    ],
)
def test_hostile_text_is_read_in_linear_time(text):
    assert_linear(lambda text: read_meeting(text, path="x.md"), text)


@pytest.mark.parametrize("blank", [" ", "\t", " #"])
def test_a_heading_that_ends_in_blanks_is_read_in_linear_time(blank):
    assert_linear(read_sections, run_of(blank, "# Decisions", "."))


def test_a_heading_is_read_without_the_signs_that_close_it():
    (_, closed) = read_sections("## Decisions  ##   \n- Use Kafka\n")

    assert ("decisions", "Decisions", 2) == (closed.slot, closed.heading, closed.level)
