"""Tools for the states of one's memories: kept, compared, gone back to."""

from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from knowwhy.mcp.caller import Caller
from knowwhy.mcp.toolbox.given import Name
from knowwhy.mcp.toolbox.registry import Said
from knowwhy.types import Json

if TYPE_CHECKING:
    from knowwhy.grounding.checkpoints import Difference, Return
    from knowwhy.tables.kept.journal import Checkpoint
    from knowwhy.tables.kept.snapshots import Pair

SHOWN = 50  # memories of each sort in an answer


def create_checkpoint(caller: Caller, name: Name) -> Said:
    """Keep the state of the user's memories under a name.

    Use it before many changes to what is remembered, so that rollback_to can undo them. Not for one
    memory, which can be taken back and restored by itself (invalidate_memory, restore_memory).
    """
    from knowwhy.grounding import checkpoints

    made = checkpoints.create(caller.asker, name)
    return Said(f"Kept as {made.key}.", _checkpoint_data(made))


def list_checkpoints(caller: Caller) -> Said:
    """List the kept states, newest first, with those that ways back have left.

    Use it to find the name that rollback_to and diff ask for. Not for what stood in them (diff).
    """
    from knowwhy.grounding import checkpoints
    from knowwhy.mcp.rendered import NOTE, listed

    found = checkpoints.checkpoints(caller.asker)
    entries = ((f"{c.key} · {c.at:%Y-%m-%d %H:%M} UTC", c.name) for c in found)
    text = listed(f"{len(found)} checkpoints:", entries, "There are no checkpoints.")
    return Said(text, {"note": NOTE, "checkpoints": [_checkpoint_data(c) for c in found]})


def diff(
    caller: Caller,
    a: Name,
    b: Annotated[
        str,
        Field(min_length=1, max_length=200, description="now, or another one.", examples=["v3"]),
    ] = "now",
) -> Said:
    """Show what was added, changed and retracted from one checkpoint to another, or to now.

    Use it to see what has become of the user's memories since a checkpoint. Not for files
    (git_diff), nor for one memory (why).
    """
    from knowwhy.grounding import checkpoints

    return _differs(checkpoints.diff(caller.asker, a, b))


def _differs(found: "Difference", above: str = "") -> Said:
    from knowwhy.mcp.rendered import NOTE, listed

    sorts = {"added": found.added, "changed": found.changed, "retracted": found.retracted}
    counts = ", ".join(f"{len(pairs)} {sort}" for sort, pairs in sorts.items())
    entries = [
        (f"{sort} {pair.key}", _said(pair)) for sort, ps in sorts.items() for pair in ps[:SHOWN]
    ]
    data = {sort: [_pair_data(p) for p in pairs[:SHOWN]] for sort, pairs in sorts.items()}
    text = listed(f"{above}{counts}:", entries, "Nothing differs.")
    return Said(text, {"note": NOTE, **data})


def rollback_to(
    caller: Caller,
    name: Name,
    dry_run: Annotated[bool, Field(description="Only show what would go.")] = False,
) -> Said:
    """Make the user's memories what they were at a checkpoint; what came since is retracted.

    Use it to undo many changes at once and to restore an earlier state. Ask the user first, or show
    dry_run. Nothing is deleted; undo_rollback goes back again. Not for one memory
    (invalidate_memory, restore_memory).
    """
    from knowwhy.grounding import checkpoints

    if dry_run:
        return diff(caller, name)
    return _returned(checkpoints.roll_back(caller.asker, name))


def undo_rollback(
    caller: Caller,
    dry_run: Annotated[bool, Field(description="Only show what would go.")] = False,
) -> Said:
    """Go back to the state that the last rollback has left; what was told since is retracted.

    Use it when the user wants back what rollback_to has retracted. Ask the user first, or show
    dry_run, where something was told after the rollback. Not for another state (rollback_to).
    """
    from knowwhy.grounding import checkpoints

    if not dry_run:
        went = checkpoints.undo(caller.asker)
        since = f"{went.told_since} of them told after the rollback"
        return _returned(went, f" ({since})" if went.told_since else "")
    found = checkpoints.diff(caller.asker, checkpoints.last_left(caller.asker).key)
    since = f"{len(found.added)} of it told after the rollback"
    return _differs(found, f"This would be taken back, {since}: ")


def _returned(went: "Return", since: str = "") -> Said:
    counts = f"{went.restored} memories restored, {went.retracted} retracted{since}"
    text = f"Back at {went.to.key}: {counts}. undo_rollback undoes it."
    data = {"to": _checkpoint_data(went.to), "left": _checkpoint_data(went.left)}
    numbers = ("restored", "retracted", "told_since")
    return Said(text, data | {name: getattr(went, name) for name in numbers})


def _checkpoint_data(checkpoint: "Checkpoint") -> dict[str, Json]:
    from knowwhy.grounding.memory_fields import iso

    return {
        "key": checkpoint.key,
        "name": checkpoint.name,
        "project": checkpoint.project,
        "goes_to": checkpoint.goes_to,
        "at": iso(checkpoint.at),
    }


def _pair_data(pair: "Pair") -> dict[str, Any]:
    from knowwhy.mcp.rendered import memory_data

    return {
        "key": pair.key,
        "before": pair.old and memory_data(pair.old),
        "after": pair.new and memory_data(pair.new),
    }


def _said(pair: "Pair") -> str:
    from knowwhy.mcp.rendered import memory_text

    memory = pair.new or pair.old
    return memory_text(memory) if memory else ""
