"""What a proof asks of each tool, in order: real arguments, and words that its answer must have.

Names in braces stand for what is only known then: {n} is the round, {canary} a word that nothing
else has, the others are what an answer before gave.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from knowwhy.mcp.proof.proof_texts import HEAP

TAKING = 120  # seconds that taking in the small repository may take on a slow machine


@dataclass(frozen=True, slots=True)
class Step:
    """A call of a tool, and what its answer must look like."""

    tool: str
    arguments: Mapping[str, Any]
    expects: str  # a regular expression, found in the text of the answer
    keep: tuple[str, str] | None = None  # a field of its data, and the name under which it is kept


def _remembers(text: str, name: str, said_by: str = "user") -> Step:
    expects = "Kept as m-" if said_by == "user" else "Waits for review as m-"
    return Step("remember", {"text": text, "said_by": said_by}, expects, ("key", name))


_SCOPE = {"scope": "project"}
_TASK = "Prove the wires, round {n}, with {canary}"
_WAIT = {"wait_seconds": TAKING}
_LONG = {"path": HEAP, "kind": "jsonl", "wait_seconds": 1}  # far from its end by then

WORK = (
    Step("set_task_context", {"task": _TASK, "details": {"next": "search"}}, "The task is set"),
    Step("get_task_context", {}, f"{_TASK}(.|\n)*branch main"),
    Step("recent_commits", {}, "Retry bookings"),
    Step("search_commits", {"query": "ledger postgresql"}, "Keep the ledger in PostgreSQL"),
    Step("git_status", {}, "branch main(.|\n)*src/ledger/__init__.py"),
    Step("git_diff", {}, "The ledger of the company"),
    Step("file_history", {"path": "src/ledger/accounts.py"}, "Keep the ledger in PostgreSQL"),
)
TAKE_IN = (
    Step("ingest", _WAIT, r"j-\w+: done"),
    Step("ingest_code", {"path": "src", **_WAIT}, "done"),
    Step("ingest_adr", {"path": "docs/adr", **_WAIT}, "done", ("job", "job")),
    Step("job_status", {"job": "{job}"}, "{job}: done"),
    Step("ingest", _LONG, r"is running, \d+ of \d+", ("job", "long")),
    Step("cancel_job", {"job": "{long}"}, "{long}: was cancelled"),
    Step("job_status", {"job": "{long}"}, "{long}: was cancelled"),
    Step(
        "ingest_incident",
        {
            "summary": "The night run of {canary} stood still for 40 minutes.",
            "severity": "SEV-2",
            "lessons": "Look at the queue first.",
            "service": "night-run-{n}",
        },
        "kept as",
    ),
)
LOOK_UP = (
    Step("get", {"key": "ADR-2"}, "both halves of a transfer", ("key", "record")),
    Step(
        "semantic_search",
        {"query": "Why is the ledger in PostgreSQL?"},
        "0002-keep-the-ledger-in-postgresql",
        ("recall", "asked_records"),
    ),
    Step(
        "semantic_search",
        {"query": "Which decision supersedes ADR-1?"},
        "0002-keep-the-ledger-in-postgresql",
        ("recall", "asked_graph"),
    ),
    Step("get_context", {"query": "Why PostgreSQL?", "tokens": 800}, "0002-keep-the-ledger"),
    Step("why", {"key": "ADR-2"}, "read from (.|\n)*SUPERSEDES"),
    Step("graph", {"node": "ADR-2"}, r"has \d+ edges:(.|\n)*SUPERSEDES"),
    Step("list_records", {"kind": "adr"}, "3 of 3 records(.|\n)*Try bookings again"),
    Step("service_overview", {"service": "night-run-{n}"}, "1 incident"),
    Step("statistics", {}, "3 adr"),
    Step("search_health", {}, "knowwhy health"),
    Step("nightly_runs", {}, "night shift"),
)
REMEMBER = (
    _remembers("The canary {canary} sits in cage {n} of the tunnel (ADR-2).", "memory"),
    Step("recall", {"query": "Where does the canary {canary} sit?"}, "{memory}(.|\n)*{canary}"),
    Step("get_memory_provenance", {"key": "{memory}"}, "Its tier is"),
    Step("list_memories", {}, "{canary}"),
    _remembers("Lift {canary} of the north shaft carries 12 people (ADR-3).", "lift"),
    Step(
        "update_memory",
        {"key": "{lift}", "value": "Lift {canary} of the north shaft carries 9 people (ADR-3)."},
        "Kept as m-",
        ("key", "lift_now"),
    ),
    Step("invalidate_memory", {"key": "{lift_now}", "reason": "Closed."}, "Taken back"),
    Step("restore_memory", {"key": "{lift_now}", "reason": "It runs again."}, "Kept as {lift_now}"),
    Step(
        "create_memory",
        {
            "subject": "Names of lamps, {canary}",
            "body": "Name each lamp of level {n} after the {canary} and its number.",
            "applies_to": _SCOPE,
            "memorule_kind": "convention",
            "said_by": "user",
        },
        "Kept as m-",
    ),
    Step("get_memorules", {"applies_to": _SCOPE}, "Names of lamps, {canary}"),
)
REVIEW = (
    _remembers("Pump {canary} of level 4 starts by itself (ADR-9{n}1).", "pump", "assistant"),
    _remembers("Rail {canary} is 7 km long now (ADR-9{n}2).", "rail", "assistant"),
    _remembers("Doctor {canary} visits on Mondays (ADR-9{n}3).", "visit", "assistant"),
    _remembers("Sieve {canary} needs new mesh (ADR-9{n}4).", "sieve", "assistant"),
    Step("review_pending", {}, "{pump}(.|\n)*{rail}"),
    Step("get_pending_memories", {}, "{pump}(.|\n)*{rail}"),
    Step("approve_pending_memory", {"keys": ["{pump}"]}, "Approved {pump}"),
    Step("reject_pending_memory", {"keys": ["{rail}"], "why": "Torn out."}, "Rejected {rail}"),
    Step(
        "correct_pending_memory",
        {"key": "{visit}", "text": "Doctor {canary} visits on Fridays."},
        "m-",
    ),
    Step("review_pending", {"action": "approve", "keys": ["{sieve}"]}, "Approved {sieve}"),
    Step("get_review_history", {}, "approved {sieve}"),
)
STATES = (
    Step("create_checkpoint", {"name": "round {n}"}, "Kept as"),
    Step("list_checkpoints", {}, "round {n}"),
    _remembers("The chapel of {canary} opens at six (ADR-2).", "chapel"),
    Step("diff", {"a": "round {n}"}, "1 added(.|\n)*{chapel}"),
    Step("rollback_to", {"name": "round {n}"}, "1 retracted"),
    Step("undo_rollback", {}, "1 memories restored"),
)
TALK = (
    Step(
        "add_turn",
        {"text": "Did anybody see the yellow coat of {canary}?", "session": "round {n}"},
        "Kept as",
        ("key", "turn"),
    ),
    Step("get_history", {"session": "round {n}"}, "yellow coat of {canary}"),
    Step("recall", {"query": "the yellow coat of {canary}"}, "{canary}"),
)
FIND = (
    Step("find_tools", {"query": "undo changes to memories"}, "rollback_to"),
    Step("run_tool", {"name": "git_status"}, "branch main"),
    Step(
        "run_tools",
        {"calls": [{"name": "statistics"}, {"name": "get", "arguments": {"key": "ADR-3"}}]},
        r"\[1\] statistics(.|\n)*\[2\] get(.|\n)*three times",
    ),
)
_WHO = {"agent_id": "{agent}"}
_SESSION = {**_WHO, "session": "{session}"}
AGENTS = (
    Step(
        "register_agent",
        {"name": "Digger {n} of {canary}", "type": "coding_assistant"},
        "Registered as a-",
        ("agent_id", "agent"),
    ),
    Step("get_agent_info", _WHO, "memory_read(.|\n)*Digger {n} of {canary}"),
    Step("get_agents_for_user", {}, "{agent}"),
    Step("start_agent_session", _WHO, "has begun", ("session", "session")),
    Step("end_agent_session", _SESSION, "{session} has ended"),
    Step(
        "search_code_kb",
        {**_WHO, "query": "How is a transfer between accounts booked?"},
        "src/ledger/transfers.py",
    ),
    Step("search_decisions", {**_WHO, "query": "Why PostgreSQL?"}, "0002-keep-the-ledger"),
    Step("search_incidents", {**_WHO, "query": "half a transfer"}, "INC-2024-01"),
)
_IN_POOL = {**_WHO, "pool": "{pool}"}
_OTHER = {**_IN_POOL, "other_agent": "{taker}"}
_ITSELF = {"agent_id": "{taker}", "pool": "{pool}"}
_LENT = {**_IN_POOL, "key": "{memory}"}
POOLS = (
    Step("get_agent_acts", _WHO, "search_incidents"),
    Step(
        "register_agent",
        {"name": "Taker {n}", "type": "human"},
        "Registered",
        ("agent_id", "taker"),
    ),
    Step("create_pool", {**_WHO, "name": "Shaft {n}"}, "is open", ("pool", "pool")),
    Step("invite_to_pool", _OTHER, "may join as read"),
    Step("get_pools", {"agent_id": "{taker}"}, r"{pool}(.|\n)*invited \(read\)(.|\n)*Shaft {n}"),
    Step("join_pool", _ITSELF, "is in the pool"),
    Step("permit_in_pool", {**_OTHER, "permission": "write"}, "has write"),
    Step("get_pool_members", _IN_POOL, "{taker}(.|\n)*Taker {n}"),
    Step("share_memory_to_scope", _LENT, "lends {memory} now"),
    Step(
        "query_shared",
        {"agent_id": "{taker}", "query": "Where does the canary {canary} sit?"},
        "{memory}(.|\n)*{canary}",
    ),
    Step("withdraw_shared", _LENT, "lends {memory} no longer"),
    Step("leave_pool", _ITSELF, "has left"),
    Step("invite_to_pool", _OTHER, "may join as read"),
    Step("remove_from_pool", _OTHER, "is out of the pool"),
    Step("archive_pool", _IN_POOL, "is archived"),
)


def _given(name: str) -> Step:
    task = {**_WHO, "to_agent": "{taker}", "task": f"Dig {name} of {{canary}}."}
    more = {"context": "Mind the lamps.", "memory_keys": ["{memory}"], "record_keys": ["ADR-2"]}
    return Step("initiate_handoff", task | more, "Handed over as h-", ("handoff", name))


def _taken(name: str) -> dict[str, str]:
    return {"agent_id": "{taker}", "handoff": f"{{{name}}}"}


HANDOFFS = (
    _given("first"),
    Step("get_pending_handoffs", {"agent_id": "{taker}"}, "{first} is pending"),
    Step("accept_handoff", _taken("first"), "{first} is accepted(.|\n)*{memory}"),
    Step("complete_handoff", {**_taken("first"), "result": "Dug {canary}."}, "is completed"),
    Step("get_handoff", {**_WHO, "handoff": "{first}"}, "is completed(.|\n)*Dug {canary}"),
    _given("second"),
    Step("reject_handoff", {**_taken("second"), "why": "Too deep."}, "is rejected"),
    _given("third"),
    Step("accept_handoff", _taken("third"), "0002-keep-the-ledger"),
    Step("fail_handoff", {**_taken("third"), "why": "It rained."}, "is failed"),
    Step("list_handoffs", {**_WHO, "sent": True}, "{third} is failed(.|\n)*{second} is rejected"),
)
GONE = (Step("deactivate_agent", _WHO, "Deactivated {agent}"),)
STEPS = (
    *WORK,
    *TAKE_IN,
    *LOOK_UP,
    *REMEMBER,
    *REVIEW,
    *STATES,
    *TALK,
    *FIND,
    *AGENTS,
    *POOLS,
    *HANDOFFS,
    *GONE,
)

# Asked of a server that was started anew, of what an earlier one was told.
AFTER = (
    Step("get_task_context", {}, _TASK),
    Step(
        "recall",
        {"query": "Where does the canary {canary} sit?"},
        "{memory}(.|\n)*{canary}",
        ("recall", "asked_memories"),
    ),
    Step(
        "recall",
        {"query": "Who looked for the yellow coat of {canary}?"},
        "yellow coat of {canary}",
        ("recall", "asked_turns"),
    ),
)
LEGS = (  # the leg, of what, the search that it must answer, and what it must have found
    ("bm25", "records", "asked_records", "record"),
    ("vector", "records", "asked_records", "record"),
    ("graph", "records", "asked_graph", "record"),
    ("bm25", "memories", "asked_memories", "memory"),
    ("vector", "memories", "asked_memories", "memory"),
    ("bm25", "turns", "asked_turns", "turn"),
    ("vector", "turns", "asked_turns", "turn"),
)


@dataclass
class Known:
    """What is known so far: the round, its canary, and what answers gave."""

    words: dict[str, str]
    notes: dict[str, str] = field(default_factory=dict)  # of searches, by their keys

    def filled(self, value: Any) -> Any:
        """Puts what is known in the place of its names; KeyError where it is not known."""
        if isinstance(value, str):
            return _NAME.sub(lambda found: self.words[found[1]], value)
        if isinstance(value, Mapping):
            return {name: self.filled(inner) for name, inner in value.items()}
        return [self.filled(inner) for inner in value] if isinstance(value, list) else value


_NAME = re.compile(r"\{(\w+)\}")
