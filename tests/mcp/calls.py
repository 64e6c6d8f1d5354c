"""One call of every tool with real arguments, as data: the clients of all languages make them.

`$n` stands for a number that no other call has, `$name` for what an earlier answer gave.
"""

import itertools
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

NUMBERS = itertools.count(1)
NAME = re.compile(r"\$([a-z_]+)")
KAFKA = "docs/adr/0012-use-kafka-as-event-backbone.md"


@dataclass(frozen=True)
class Step:
    """A call that comes before another, and the field of its answer that the other one needs."""

    tool: str
    arguments: dict[str, Any]
    keeps: str = ""
    under: str = ""  # the name under which it is kept; its own when left out


@dataclass(frozen=True)
class Call:
    """A call of a tool, and words of its answer."""

    arguments: dict[str, Any]
    words: str = ""
    before: tuple[Step, ...] = ()


SCANNER = "The warehouse scanner number $n speaks protocol version $n (ADR-12)."
LOCKER = "The parcel locker $n opens after $n seconds (ADR-9$n)."
KEPT = Step("remember", {"text": SCANNER, "said_by": "user"}, "key")
PENDING = Step("remember", {"text": LOCKER}, "key")
RETRACTED = Step("invalidate_memory", {"key": "$key", "reason": "The scanner is gone."})
JOB = Step("ingest_adr", {"path": "docs/adr", "wait_seconds": 60}, "job")
STATE = Step("create_checkpoint", {"name": "state $n"}, "name")
BACK = Step("rollback_to", {"name": "$name"})
TOLD = Step(
    "ingest_incident", {"summary": "The printer of labels-$n stood still.", "service": "labels-$n"}
)
AGENT = Step("register_agent", {"name": "Coder $n", "type": "coding_assistant"}, "agent_id")
SESSION = Step("start_agent_session", {"agent_id": "$agent_id"}, "session")
WHO = {"agent_id": "$agent_id"}
TAKER = Step("register_agent", {"name": "Taker $n", "type": "human"}, "agent_id", "other")
OPENED = Step("create_pool", {**WHO, "name": "Pool $n"}, "pool")
IN_POOL = {**WHO, "pool": "$pool"}
OF_OTHER = {**IN_POOL, "other_agent": "$other"}
INVITED = Step("invite_to_pool", OF_OTHER)
JOINED = Step("join_pool", {"agent_id": "$other", "pool": "$pool"})
POOLED = (AGENT, TAKER, OPENED)
LENT = (AGENT, OPENED, KEPT)
SHARED = Step("share_memory_to_scope", {**IN_POOL, "key": "$key"})
GIVEN = Step(
    "initiate_handoff", {**WHO, "to_agent": "$other", "task": "Count parcel $n."}, "handoff"
)
HANDED = (AGENT, TAKER, GIVEN)
TAKES = {"agent_id": "$other", "handoff": "$handoff"}
TAKEN = (*HANDED, Step("accept_handoff", TAKES))

CALLS = {
    "semantic_search": Call({"query": "Why Kafka as event backbone?"}, "ADR-12"),
    "get": Call({"key": KAFKA}, "Kafka"),
    "remember": Call({"text": "Parcels above $n kg go by freight (ADR-12)."}, "m-"),
    "recall": Call({"query": "scanner protocol"}, "quoted data", (KEPT,)),
    "review_pending": Call({}),
    "set_task_context": Call(
        {"task": "Add a locker", "details": {"next": "tests"}}, "The task is set"
    ),
    "get_task_context": Call({}, "branch main"),
    "search_commits": Call({"query": "incidents"}, "Add docs/incidents"),
    "ingest": Call({"path": "docs/adr", "wait_seconds": 60}, "done"),
    "why": Call({"key": "ADR-12"}, "read from"),
    "graph": Call({"node": "ADR-12"}, "edges"),
    "find_tools": Call({"query": "undo changes to memories"}, "rollback_to"),
    "run_tool": Call({"name": "statistics"}, "records"),
    "run_tools": Call(
        {"calls": [{"name": "statistics"}, {"name": "git_status"}]}, "[2] git_status"
    ),
    "get_context": Call({"query": "Why Kafka?", "tokens": 800}, "Kafka"),
    "get_memory_provenance": Call({"key": "$key"}, "Its tier is", (KEPT,)),
    "list_memories": Call({"statuses": ["active", "pending"]}),
    "update_memory": Call(
        {"key": "$key", "value": "The scanner $n speaks protocol 9 now (ADR-12)."}, "m-", (KEPT,)
    ),
    "invalidate_memory": Call({"key": "$key", "reason": "Sold."}, "Taken back", (KEPT,)),
    "restore_memory": Call({"key": "$key", "reason": "It is back."}, "m-", (KEPT, RETRACTED)),
    "create_memory": Call(
        {
            "subject": "Names in tests",
            "body": "Write the names of tests as sentences.",
            "applies_to": {"scope": "project"},
            "memorule_kind": "convention",
        },
        "m-",
    ),
    "get_memorules": Call({"applies_to": {"scope": "project"}}),
    "get_pending_memories": Call({}, "wait:", (PENDING,)),
    "approve_pending_memory": Call({"keys": ["$key"]}, "Approved", (PENDING,)),
    "reject_pending_memory": Call({"keys": ["$key"], "why": "Wrong."}, "Rejected", (PENDING,)),
    "correct_pending_memory": Call(
        {"key": "$key", "text": "The locker $n opens after 4 s."}, "m-", (PENDING,)
    ),
    "get_review_history": Call({}),
    "create_checkpoint": Call({"name": "before move $n"}, "Kept as"),
    "list_checkpoints": Call({}, "state", (STATE,)),
    "diff": Call({"a": "$name"}, "", (STATE,)),
    "rollback_to": Call({"name": "$name"}, "undo_rollback", (STATE,)),
    "undo_rollback": Call({}, "restored", (STATE, BACK)),
    "ingest_code": Call({"path": "services", "wait_seconds": 60}, "done"),
    "ingest_adr": Call({"path": "docs/adr", "wait_seconds": 60}, "done"),
    "ingest_incident": Call(
        {"summary": "Printer $n stood still.", "severity": "SEV-3", "lessons": "Buy two."},
        "kept as",
    ),
    "job_status": Call({"job": "$job"}, "done", (JOB,)),
    "cancel_job": Call({"job": "$job"}, "done", (JOB,)),
    "add_turn": Call({"text": "We always ship before noon.", "session": "s-1"}, "Kept as"),
    "get_history": Call({}),
    "list_records": Call({"kind": "adr", "limit": 3}, "3 of 43"),
    "service_overview": Call({"service": "labels-$n"}, "1 incident", (TOLD,)),
    "statistics": Call({}, "43 adr"),
    "search_health": Call({}, "knowwhy health"),
    "nightly_runs": Call({}, "night shift"),
    "recent_commits": Call({}, "Add docs/adr"),
    "git_status": Call({}, "branch main"),
    "git_diff": Call({}, "Nothing"),
    "file_history": Call({"path": KAFKA}, "Add docs/adr"),
    "register_agent": Call({"name": "Reviewer $n", "type": "reviewer"}, "Registered as a-"),
    "get_agent_info": Call({"agent_id": "$agent_id"}, "handoff_receive", (AGENT,)),
    "get_agents_for_user": Call({}, "Coder", (AGENT,)),
    "deactivate_agent": Call({"agent_id": "$agent_id"}, "Deactivated", (AGENT,)),
    "start_agent_session": Call({"agent_id": "$agent_id"}, "has begun", (AGENT,)),
    "end_agent_session": Call(
        {"agent_id": "$agent_id", "session": "$session"}, "has ended", (AGENT, SESSION)
    ),
    "get_agent_acts": Call(WHO, "start_session", (AGENT, SESSION)),
    "create_pool": Call({**WHO, "name": "Pool $n", "scope": "user"}, "is open (user)", (AGENT,)),
    "get_pools": Call(WHO, "1 members, 0 memories", (AGENT, OPENED)),
    "get_pool_members": Call(IN_POOL, "Coder", (AGENT, OPENED)),
    "invite_to_pool": Call({**OF_OTHER, "permission": "write"}, "may join as write", POOLED),
    "permit_in_pool": Call(
        {**OF_OTHER, "permission": "admin"}, "has admin", (*POOLED, INVITED, JOINED)
    ),
    "remove_from_pool": Call(OF_OTHER, "is out of the pool", (*POOLED, INVITED)),
    "join_pool": Call(JOINED.arguments, "is in the pool with read", POOLED),
    "leave_pool": Call(JOINED.arguments, "has left the pool", (*POOLED, INVITED)),
    "archive_pool": Call(IN_POOL, "is archived", (AGENT, OPENED)),
    "share_memory_to_scope": Call(SHARED.arguments, "lends m-", LENT),
    "withdraw_shared": Call(SHARED.arguments, "no longer", (*LENT, SHARED)),
    "query_shared": Call(
        {**WHO, "query": "Which protocol does scanner $n speak?", "pool": "$pool"},
        "protocol version",
        (*LENT, SHARED),
    ),
    "initiate_handoff": Call(
        {
            **GIVEN.arguments,
            "context": "Gate $n is open.",
            "memory_keys": ["$key"],
            "record_keys": ["ADR-12"],
            "ttl_minutes": 30,
        },
        "Handed over as h-",
        (AGENT, TAKER, KEPT),
    ),
    "accept_handoff": Call(TAKES, "Count parcel", HANDED),
    "reject_handoff": Call({**TAKES, "why": "No hands."}, "is rejected", HANDED),
    "complete_handoff": Call({**TAKES, "result": "There are $n."}, "is completed", TAKEN),
    "fail_handoff": Call({**TAKES, "why": "No parcels."}, "is failed", TAKEN),
    "get_pending_handoffs": Call({"agent_id": "$other"}, "Count parcel", HANDED),
    "list_handoffs": Call({**WHO, "sent": True}, "is accepted", TAKEN),
    "get_handoff": Call({**WHO, "handoff": "$handoff"}, "is pending", HANDED),
    "search_code_kb": Call({"agent_id": "$agent_id", "query": "parcel tracking"}, "", (AGENT,)),
    "search_decisions": Call({"agent_id": "$agent_id", "query": "Why Kafka?"}, "Kafka", (AGENT,)),
    "search_incidents": Call({"agent_id": "$agent_id", "query": "stood still"}, "", (AGENT,)),
}


def filled(value: Any, known: Mapping[str, str]) -> Any:
    """Puts what is known in the place of its names."""
    if isinstance(value, dict):
        return {name: filled(inner, known) for name, inner in value.items()}
    if isinstance(value, list):
        return [filled(inner, known) for inner in value]
    return NAME.sub(lambda found: known[found[1]], value) if isinstance(value, str) else value
