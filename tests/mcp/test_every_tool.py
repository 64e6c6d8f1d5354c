"""Every tool, called over the wire at least once."""

import itertools

import pytest
from wire import Assistant

from knowwhy.mcp.tools import TOOLS

NUMBERS = itertools.count(1)
KAFKA = "docs/adr/0012-use-kafka-as-event-backbone.md"


def a_key(assistant: Assistant, said_by: str = "user") -> str:
    """Remembers something new and gives its key."""
    number = next(NUMBERS)
    text = f"The warehouse scanner number {number} speaks protocol version {number} (ADR-12)."
    return assistant.ok("remember", text=text, said_by=said_by).data["key"]


def a_pending_key(assistant: Assistant) -> str:
    number = next(NUMBERS)
    text = f"The parcel locker {number} opens after {number} seconds (ADR-9{number:03d})."
    kept = assistant.ok("remember", text=text)
    assert kept.data["status"] == "pending", kept.text
    return kept.data["key"]


def a_job(assistant: Assistant) -> str:
    return assistant.ok("ingest_adr", path="docs/adr", wait_seconds=60).data["job"]


def a_checkpoint(assistant: Assistant) -> str:
    name = f"state {next(NUMBERS)}"
    assistant.ok("create_checkpoint", name=name)
    return name


def after_a_rollback(assistant: Assistant) -> dict:
    assistant.ok("rollback_to", name=a_checkpoint(assistant))
    return {}


def a_service(assistant: Assistant) -> str:
    name = f"labels-{next(NUMBERS)}"
    told = {"summary": f"The printer of {name} stood still.", "service": name}
    assistant.ok("run_tool", name="ingest_incident", arguments=told)
    return name


def a_retracted_key(assistant: Assistant) -> str:
    key = a_key(assistant)
    assistant.ok("invalidate_memory", key=key, reason="The scanner is gone.")
    return key


# tool: its arguments, or what makes them; and words of the answer
CALLS = {
    "semantic_search": ({"query": "Why Kafka as event backbone?"}, "ADR-12"),
    "get": ({"key": KAFKA}, "Kafka"),
    "remember": ({"text": "Parcels above 30 kg go by freight (ADR-12)."}, "m-"),
    "recall": ({"query": "scanner protocol"}, "quoted data"),
    "review_pending": ({}, ""),
    "set_task_context": ({"task": "Add a locker", "details": {"next": "tests"}}, "The task is set"),
    "get_task_context": ({}, "branch main"),
    "search_commits": ({"query": "incidents"}, "Add docs/incidents"),
    "ingest": ({"path": "docs/adr", "wait_seconds": 60}, "done"),
    "why": ({"key": "ADR-12"}, "read from"),
    "graph": ({"node": "ADR-12"}, "edges"),
    "find_tools": ({"query": "undo changes to memories"}, "rollback_to"),
    "run_tool": ({"name": "statistics"}, "records"),
    "run_tools": ({"calls": [{"name": "statistics"}, {"name": "git_status"}]}, "[2] git_status"),
    "get_context": ({"query": "Why Kafka?", "tokens": 800}, "Kafka"),
    "get_memory_provenance": (lambda a: {"key": a_key(a)}, "Its tier is"),
    "list_memories": ({"statuses": ["active", "pending"]}, ""),
    "update_memory": (
        lambda a: {"key": a_key(a), "value": "The scanner speaks protocol 9 now (ADR-12)."},
        "m-",
    ),
    "invalidate_memory": (lambda a: {"key": a_key(a), "reason": "Sold."}, "Taken back"),
    "restore_memory": (lambda a: {"key": a_retracted_key(a), "reason": "It is back."}, "m-"),
    "create_memory": (
        {
            "subject": "Names in tests",
            "body": "Write the names of tests as sentences.",
            "applies_to": {"scope": "project"},
            "memorule_kind": "convention",
        },
        "m-",
    ),
    "get_memorules": ({"applies_to": {"scope": "project"}}, ""),
    "get_pending_memories": ({}, ""),
    "approve_pending_memory": (lambda a: {"keys": [a_pending_key(a)]}, "Approved"),
    "reject_pending_memory": (lambda a: {"keys": [a_pending_key(a)], "why": "Wrong."}, "Rejected"),
    "correct_pending_memory": (
        lambda a: {"key": a_pending_key(a), "text": "The locker opens after 4 s."},
        "m-",
    ),
    "get_review_history": ({}, ""),
    "create_checkpoint": ({"name": "before the move"}, "Kept as"),
    "list_checkpoints": ({}, ""),
    "diff": (lambda a: {"a": a_checkpoint(a)}, ""),
    "rollback_to": (lambda a: {"name": a_checkpoint(a)}, "undo_rollback"),
    "undo_rollback": (after_a_rollback, "restored"),
    "ingest_code": ({"path": "services", "wait_seconds": 60}, "done"),
    "ingest_adr": ({"path": "docs/adr", "wait_seconds": 60}, "done"),
    "ingest_incident": (
        {"summary": "The label printer stood still.", "severity": "SEV-3", "lessons": "Buy two."},
        "kept as",
    ),
    "job_status": (lambda a: {"job": a_job(a)}, "done"),
    "cancel_job": (lambda a: {"job": a_job(a)}, "done"),
    "add_turn": ({"text": "We always ship before noon.", "session": "s-1"}, "Kept as"),
    "get_history": ({}, ""),
    "list_records": ({"kind": "adr", "limit": 3}, "3 of 43"),
    "service_overview": (lambda a: {"service": a_service(a)}, "1 incident"),
    "statistics": ({}, "43 adr"),
    "recent_commits": ({}, "Add docs/adr"),
    "git_status": ({}, "branch main"),
    "git_diff": ({}, "Nothing"),
    "file_history": ({"path": KAFKA}, "Add docs/adr"),
}


def test_the_table_has_every_tool():
    assert set(TOOLS) == set(CALLS)


@pytest.mark.parametrize("name", CALLS)
def test_a_tool_answers_over_the_wire(assistant, name):
    made, words = CALLS[name]
    arguments = made(assistant) if callable(made) else made

    listed = name in assistant.tools()
    called = {"name": name, "arguments": arguments}
    answer = assistant.ok(name, **arguments) if listed else assistant.ok("run_tool", **called)

    assert words in answer.text
    assert isinstance(answer.data, dict)
