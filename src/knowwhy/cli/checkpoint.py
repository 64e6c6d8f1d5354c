"""States of one's memories at the command line: kept, compared, gone back to."""

from collections.abc import Iterable
from datetime import UTC
from typing import Any

import click

from knowwhy.cli.looks import HANGING, say, short
from knowwhy.cli.opening import open_memories, print_json
from knowwhy.cli.whose import asker, whose
from knowwhy.config import Settings
from knowwhy.text.characters import one_line

SHOWN = 20  # memories of each sort that a person is shown
SHOWN_CHARS = 100  # of a value: a line of a terminal
NAME = click.argument("name")
JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON; see `knowwhy docs json`.")


@click.group("checkpoint")
def checkpoint_command() -> None:
    """Keep the state of your memories; go back.

    Only your own memories, or with --everybody --project P the shared ones of that project. Nothing
    is deleted: what was not there at the checkpoint is retracted. Records stay as they are.
    """


@checkpoint_command.command("create")
@NAME
@whose
@JSON
def create_command(name: str, as_json: bool, **who: Any) -> None:
    """Keep the memories as they are now, under NAME."""
    owner = asker(**who)
    open_memories(Settings.from_environ())
    from knowwhy.grounding import checkpoints

    made = checkpoints.create(owner, name)
    if as_json:
        print_json(_as_json(made))
    else:
        click.echo(f"Kept as {made.key} ({one_line(made.name)}).")


@checkpoint_command.command("list")
@whose
@JSON
def list_command(as_json: bool, **who: Any) -> None:
    """List the checkpoints, newest first, with the states that ways back have left."""
    owner = asker(**who)
    open_memories(Settings.from_environ())
    from knowwhy.grounding import checkpoints

    found = checkpoints.checkpoints(owner)
    if as_json:
        print_json([_as_json(checkpoint) for checkpoint in found])
    else:
        _print_list(found)


@checkpoint_command.command("diff")
@click.argument("a")
@click.argument("b", default="now")
@whose
@JSON
def diff_command(a: str, b: str, as_json: bool, **who: Any) -> None:
    """Show what was added, changed and retracted from A to B, or to now."""
    owner = asker(**who)
    open_memories(Settings.from_environ())
    from knowwhy.grounding import checkpoints

    found = checkpoints.diff(owner, a, b)
    if as_json:
        print_json(_difference_as_json(found))
    else:
        _print_difference(found)


@checkpoint_command.command("rollback")
@NAME
@click.option("--dry-run", is_flag=True, help="Only show what has come since, and would go.")
@whose
@JSON
def rollback_command(name: str, dry_run: bool, as_json: bool, **who: Any) -> None:
    """Go back to the state NAME; `knowwhy checkpoint undo` takes that back."""
    owner = asker(**who)
    open_memories(Settings.from_environ())
    from knowwhy.grounding import checkpoints

    if not dry_run:
        _tell(checkpoints.roll_back(owner, name), as_json=as_json)
        return
    _tell_beforehand(checkpoints.diff(owner, name), "", as_json)


@checkpoint_command.command("undo")
@click.option("--dry-run", is_flag=True, help="Only show what would be taken back.")
@whose
@JSON
def undo_command(dry_run: bool, as_json: bool, **who: Any) -> None:
    """Go back to the state before the last rollback; once more, and that is undone too.

    What was told after the rollback was not there before it: it is retracted, and counted.
    """
    owner = asker(**who)
    open_memories(Settings.from_environ())
    from knowwhy.grounding import checkpoints

    if dry_run:
        found = checkpoints.diff(owner, checkpoints.last_left(owner).key)
        _tell_beforehand(found, f", {len(found.added)} of it told after the rollback", as_json)
        return
    went = checkpoints.undo(owner)
    _tell(went, f" ({went.told_since} of them told after the rollback)", as_json=as_json)


@checkpoint_command.command("delete")
@NAME
@whose
@JSON
def delete_command(name: str, as_json: bool, **who: Any) -> None:
    """Give up the checkpoint NAME; the memories stay as they are."""
    owner = asker(**who)
    open_memories(Settings.from_environ())
    from knowwhy.grounding import checkpoints

    gone = checkpoints.delete(owner, name)
    if as_json:
        print_json(_as_json(gone))
    else:
        click.echo(f"Deleted the checkpoint {one_line(gone.name)}.")


def _tell_beforehand(found: Any, more: str, as_json: bool) -> None:
    """Says what a way back would do."""
    if as_json:
        print_json(_difference_as_json(found))
    else:
        click.echo(f"This would be taken back{more}:")
        _print_difference(found)


def _tell(went: Any, since: str = "", *, as_json: bool) -> None:
    """Says where a way back went and what it did."""
    if as_json:
        told = {name: getattr(went, name) for name in ("restored", "retracted", "told_since")}
        print_json({"to": _as_json(went.to), "left": _as_json(went.left), **told})
        return
    counts = f"{went.restored} restored, {went.retracted} retracted"
    click.echo(f"Back at {one_line(went.to.name)}: {counts}{since if went.told_since else ''}.")
    click.echo("`knowwhy checkpoint undo` takes that back.")


def _as_json(checkpoint: Any) -> dict[str, Any]:
    return {
        "key": checkpoint.key,
        "name": checkpoint.name,
        "at": checkpoint.at.astimezone(UTC).isoformat(),
        "user": checkpoint.user_id,
        "project": checkpoint.project,
        "went_to": checkpoint.goes_to,
    }


def _difference_as_json(found: Any) -> dict[str, Any]:
    sorts = {"added": found.added, "changed": found.changed, "retracted": found.retracted}
    return {name: [_pair_as_json(pair) for pair in pairs] for name, pairs in sorts.items()}


def _pair_as_json(pair: Any) -> dict[str, Any]:
    memory, names = pair.new or pair.old, pair.changed()
    return {
        "key": pair.key,
        "kind": memory.kind,
        "status": memory.status,
        "text": memory.content,
        "before": {name: _plain(getattr(pair.old, name)) for name in names},
        "after": {name: _plain(getattr(pair.new, name)) for name in names},
    }


def _plain(value: Any) -> Any:
    return value.astimezone(UTC).isoformat() if hasattr(value, "astimezone") else value


def _print_list(found: Iterable[Any]) -> None:
    """Prints checkpoints as a person reads them: when, which, for what."""
    is_empty = True
    for checkpoint in found:
        is_empty = False
        at = checkpoint.at.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")
        project = f"  project {one_line(checkpoint.project)}" if checkpoint.project else ""
        say(f"{at}  {short(checkpoint.key)}  {checkpoint.name}{project}")
    if is_empty:
        click.echo("No checkpoints; `knowwhy checkpoint create NAME` makes one.")


def _print_difference(found: Any) -> None:
    """Prints what differs: a line for each memory, and one for each field that changed."""
    click.echo(
        f"{len(found.added)} added, {len(found.changed)} changed, {len(found.retracted)} retracted"
    )
    for sign, pairs in (("+", found.added), ("~", found.changed), ("-", found.retracted)):
        for pair in pairs[:SHOWN]:
            memory = pair.new or pair.old
            say(f"{sign} {short(pair.key)} ({memory.kind}) {_short(memory.content)}")
            for name in pair.changed():
                was, now = (_short(getattr(side, name)) for side in (pair.old, pair.new))
                say(f"{name}: {was} → {now}", HANGING)
        if len(pairs) > SHOWN:
            click.echo(f"{sign} … and {len(pairs) - SHOWN} more; --json shows all")


def _short(value: Any) -> str:
    text = one_line(str(_plain(value)))
    return text if len(text) <= SHOWN_CHARS else f"{text[:SHOWN_CHARS]} …"
