"""How memories and what is done to them look, for people and for programs."""

import textwrap
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

import click

from knowwhy.cli.looks import columns, say, say_led, short
from knowwhy.grounding.memory_fields import by_whom, iso, vouched
from knowwhy.text.characters import one_line, printable
from knowwhy.types import Change, Memory

INDENT = "   "
SHOWN_CHARS = 400  # of a memory in a list: about five lines of a terminal
OUTCOMES = {"active": 0, "pending": 3, "refused": 4}  # status: exit code


def print_outcome(memory: Memory) -> int:
    """Says what became of a claim, and gives the exit code that says the same."""
    why = f": {one_line(memory.why)}" if memory.why else "."
    if memory.status == "pending":
        say(f"Waits for review as {short(memory.key)}{why}", after=INDENT)
        say(f"knowwhy review approve {short(memory.key)}", INDENT)
        if memory.supersedes:
            say(f"Until then {short(memory.supersedes)} stays as it is.", INDENT)
    elif memory.status == "refused":
        say(f"Refused, and noted as {short(memory.key)}{why}", after=INDENT)
    else:
        say(f"Kept as {short(memory.key)} ({memory.kind}).", after=INDENT)
    if memory.status == "active" and memory.supersedes:
        say(f"It supersedes {short(memory.supersedes)}.", INDENT)
    return OUTCOMES.get(memory.status, 0)


def print_memories(memories: Iterable[Memory], nothing: str) -> None:
    """Prints memories as a person reads them; in a pipe as one line each, between tabs."""
    shown, room = list(memories), columns()
    if not shown:
        say(nothing, err=room is None)
    for memory in shown:
        head = [short(memory.key), memory.kind, memory.status, day(memory.created_at)]
        if room is None:
            cells = [*head, memory.project or "", headed(memory)]
            click.echo("\t".join(one_line(cell) for cell in cells))
            continue
        checked = vouched(memory) if memory.verified_via else ""
        about = " · ".join(part for part in (*head[1:], memory.project, checked) if part)
        say_led(f"{head[0]}  ", about, {"bold": True}, dim=True)
        for line in lines(headed(memory), room - len(INDENT)):
            click.echo(f"{INDENT}{line}")
        if memory.why:
            say(memory.why, INDENT, INDENT, dim=True)


def change_as_json(change: Change) -> dict[str, Any]:
    """Gives what was done to a memory in the stable form of docs/json.md."""
    return {
        "key": change.memory_key,
        "what": change.what,
        "why": change.why,
        "by": change.by,
        "session": change.session_id,
        "persona": change.persona,
        "evidence_signal": change.evidence_signal,
        "before": dict(change.before),
        "after": dict(change.after),
        "at": iso(change.at),
    }


def print_changes(changes: Iterable[Change], nothing: str = "") -> None:
    """Prints what was done to memories, a line each: when, what, which, by whom and why."""
    told = list(changes)
    if nothing and not told:
        say(nothing, err=columns() is None)
    for change in told:
        parts = [moment(change.at), change.what, short(change.memory_key), by_whom(change)]
        parts.append(change.why or "")
        say("  ".join(part for part in parts if part))


def print_fields(fields: Mapping[str, Any]) -> None:
    """Prints the named values that there are, each on its line."""
    for name, value in fields.items():
        if value not in (None, "", [], {}, ()):
            say(f"{name:<16}{_said(value)}", after=" " * 16)


def headed(memory: Memory) -> str:
    """Gives what a memory says, a memorule's after its subject."""
    return f"{memory.subject}: {memory.content}" if memory.subject else memory.content


def lines(text: str, width: int) -> list[str]:
    """Breaks a text into lines that fit; of a long one the beginning."""
    words = " ".join(text.split())
    shown = words if len(words) <= SHOWN_CHARS else words[:SHOWN_CHARS].rsplit(None, 1)[0] + " …"
    return textwrap.wrap(printable(shown), width)


def moment(time: datetime | None) -> str:
    """Gives a time as a person reads it, in UTC."""
    return time.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC") if time else ""


def day(time: datetime | None) -> str:
    """Gives the day of a time, in UTC."""
    return time.astimezone(UTC).date().isoformat() if time else ""


def _said(value: Any) -> str:
    if isinstance(value, datetime):
        return moment(value)
    if isinstance(value, Mapping):
        return ", ".join(f"{name}={part}" for name, part in sorted(value.items()))
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
