"""How the origin of a memory reads."""

from dataclasses import asdict
from typing import TYPE_CHECKING

from knowwhy.grounding.memory_fields import by_whom, vouched
from knowwhy.mcp.rendered import (
    NOTE,
    about_memory,
    data_block,
    iso,
    memory_data,
    memory_text,
    turn_data,
    turn_entry,
)
from knowwhy.mcp.toolbox.registry import Said
from knowwhy.types import Change, Json, Memory

if TYPE_CHECKING:
    from knowwhy.grounding.origin import Provenance
    from knowwhy.tables.agents.lending import LentMemory

MOST_VERSIONS = 20  # before and after, in the text
MOST_CHANGES = 50


def memory_origin_said(found: "Provenance") -> Said:
    """Says where a memory comes from, what it stands on and what was done to it."""
    memory, turn = found.memory, found.turn
    head = f"{memory.key} is {memory.status}. Its tier is {found.tier} (1 kept, 3 refused)."
    parts = [
        about_memory(memory),
        memory_text(memory),
        vouched(memory),
        f"because: {memory.why}" if memory.why and memory.status == "active" else "",
        f"support: {found.evidence.get('confidence')}",
        f"cites: {', '.join(found.evidence.get('cited') or ()) or 'nothing'}",
        f"read from: {memory.raw_source}" if memory.raw_source else "",
        "turn: " + " – ".join(turn_entry(turn)) if turn else "",
        *(_version("in the place of", m) for m in found.earlier[:MOST_VERSIONS]),
        *(_version("followed by", m) for m in found.later[:MOST_VERSIONS]),
        *(_changed(change) for change in found.changes[-MOST_CHANGES:]),
    ]
    data = {
        "note": NOTE,
        **memory_data(memory),
        "tier": found.tier,
        "evidence": found.evidence,
        "raw_source": memory.raw_source,
        "extractor_version": memory.extractor_version,
        "turn": turn and turn_data(turn),
        "earlier": [memory_data(version) for version in found.earlier[:MOST_VERSIONS]],
        "later": [memory_data(version) for version in found.later[:MOST_VERSIONS]],
        "changes": [change_data(change) for change in found.changes[-MOST_CHANGES:]],
    }
    return Said(data_block(head, "\n".join(part for part in parts if part)), data)


def lent_memory_said(found: "LentMemory", most: int) -> Said:
    """Says what those are shown of a memory whom a pool lends it to, or to whom it was handed.

    Nothing of who keeps it is said.
    """
    memory = found.memory
    cites = [cited["target"] for cited in found.citations or ()]
    how = "is lent by a pool" if found.pools else "goes with a handoff"
    head = f"{memory.key} {how}. Its tier is {found.tier} (1 kept, 3 refused)."
    parts = [
        about_memory(memory),
        f"{memory.subject}: {memory.content}" if memory.subject else memory.content,
        *([f"lent by: {', '.join(found.pools)}"] if found.pools else []),
        f"cites: {', '.join(cites) or 'nothing'}",
    ]
    told = {"lent_by": list(found.pools), "tier": found.tier, "cites": cites}
    data = {"note": NOTE, **memory_data(memory, most), **told}
    return Said(data_block(head, "\n".join(parts)), data)


def change_data(change: Change) -> dict[str, Json]:
    """Gives a change as programs are shown it."""
    told = asdict(change)
    names = ("memory_key", "what", "why", "by", "session_id", "persona", "evidence_signal")
    return {name: told[name] for name in names if told[name]} | {"at": iso(change.at)}


def _version(how: str, memory: Memory) -> str:
    return f"{how} {about_memory(memory)}: {memory_text(memory)}"


def _changed(change: Change) -> str:
    done = " ".join(filter(None, (iso(change.at), change.what, by_whom(change))))
    return f"{done}: {change.why}" if change.why else done
