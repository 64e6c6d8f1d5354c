"""What a tool gives of a time: searches, lists, memories and messages by when they were said."""

import json

import pytest
from wire import over_stdio

RECORDS = (
    {"id": "ADR-1", "kind": "adr", "text": "# Log as JSON\n\nWe log.", "occurred_at": "2021-06-01"},
    {"id": "ADR-2", "kind": "adr", "text": "# Log less\n\nWe log.", "occurred_at": "2024-02-10"},
    {"id": "ADR-3", "kind": "adr", "text": "# Log never\n\nWe log."},
)


@pytest.fixture
def assistant(knowwhy, tmp_path):
    file = tmp_path / "records.jsonl"
    file.write_text("".join(json.dumps(record) + "\n" for record in RECORDS))
    assert 0 == knowwhy("ingest", "jsonl", file).code
    with over_stdio("--user", "ann", "--profile", "all") as assistant:
        yield assistant


def test_searches_lists_and_memories_are_limited_to_a_time(assistant):
    text = "We log to stdout because containers collect it (ADR-1)."
    kept = assistant.ok("remember", text=text, said_by="user").data["key"]
    assistant.ok("add_turn", text="We log too much.", role="user")

    def keys(tool, **given):
        return {hit["key"] for hit in assistant.ok(tool, **given).data["hits"]}

    searched = {"query": "How do we log?"}
    assert {"ADR-1"} == keys("semantic_search", **searched, since="2021", until="2023-Q4")
    assert {"ADR-2"} == keys("get_context", **searched, since="early 2024", until="2024")
    assert set() == keys("recall", **searched, until="last year")
    assert kept in keys("recall", **searched, since="yesterday")

    told = assistant.ok("semantic_search", **searched, since="2021", until="2023")
    assert "note: 1 without a date is left out" in told.text
    listed = assistant.ok("list_records", since="2024")
    assert ["ADR-2"] == [record["key"] for record in listed.data["records"]]
    assert 1 == listed.data["undated"]
    assert "note: 1 without a date is left out" in listed.text

    for since in ("yesterday", "2 days"):
        learned = assistant.ok("list_memories", since=since).data["memories"]
        assert kept in [memory["key"] for memory in learned]
        assert 1 == len(assistant.ok("get_history", since=since).data["turns"])
    assert [] == assistant.ok("list_memories", until="2 days ago").data["memories"]
    assert [] == assistant.ok("recall", until="2 days ago").data["memories"]
    assert [] == assistant.ok("get_history", until="2 days ago").data["turns"]


def test_a_question_says_the_time_itself_and_is_told_how_it_was_read(assistant):
    said = assistant.ok("semantic_search", query="What was decided in 2021?")

    assert "ADR-1" == said.data["hits"][0]["key"]
    assert any("of 2021-01-01 to 2021-12-31" in note for note in said.data["notes"])


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("semantic_search", {"query": "x", "since": "soon"}),
        ("get_context", {"query": "x", "until": "the day after"}),
        ("recall", {"query": "x", "since": ""}),
        ("list_records", {"since": "2024-13"}),
        ("list_memories", {"until": "99999 years ago"}),
        ("get_history", {"since": "2024", "until": "2023"}),
    ],
)
def test_a_time_that_cannot_be_meant_is_an_error_of_one_sentence(assistant, tool, given):
    answer = assistant.call(tool, **given)

    assert answer.is_error
    assert "no time that can be read" in answer.text or "is later than until" in answer.text
    assert "Traceback" not in answer.text
