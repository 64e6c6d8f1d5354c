"""The command that takes in a whole repository and follows it."""

from pathlib import Path
from typing import Any

import click

from knowwhy.cli.looks import say
from knowwhy.cli.opening import open_home, print_json
from knowwhy.cli.progress import course, sizes_of
from knowwhy.cli.take import counts_of, options, print_remarks
from knowwhy.config import Settings

SHORT = 12  # digits of a commit, as git shows them in a large repository


@click.command("sync")
@click.argument("path", default=".", type=click.Path(path_type=Path))
@click.option("--all", "whole", is_flag=True, help="Look at every file, not only at changed ones.")
@click.option("--dry-run", "only_told", is_flag=True, help="Only list what each file would be.")
@options
def sync_command(path: Path, whole: bool, only_told: bool, as_json: bool, **given: Any) -> int:
    """Take in what a repository holds.

    Decisions, post-mortems, meetings, documents and code are found where most keep them, or where
    knowwhy.toml says, or by what a file says. The next time only what changed is looked at; what
    vanished is retired. What was not read is told by reason and form; --dry-run names every file.
    """
    settings = Settings.from_environ()
    embedder = open_home(settings)
    from knowwhy.ingest.load import Taking
    from knowwhy.ingest.syncing.sync_plan import plan_sync
    from knowwhy.ingest.syncing.sync_run import dry_run, run_sync

    plan = plan_sync(path, Taking(embedder, settings.max_file_mb, **given), whole=whole)
    if only_told:
        _tell(dry_run(plan), as_json=as_json)
        return 0
    items = [plan.sources.files[name][1] for name in plan.look]
    sizes = sizes_of((item.name, item.file) for item in items)
    with course(plan.root.name, len(items), sizes=sizes) as advance:
        done = run_sync(plan, advance)
    if as_json:
        print_json(done.as_json())
    else:
        _print(done)
    return 1 if done.refused else 0


def _print(done: Any) -> None:
    """Prints what was refused to stderr, and one line a kind."""
    for summary in (*done.kinds.values(), done.others):
        print_remarks(summary)
    for kind, summary in done.kinds.items():
        say(f"{kind:<10}{counts_of(summary)}", after=" " * 10)
    since = f", going on from {done.since[:SHORT]}" if done.since else ""
    click.echo(f"looked at {done.looked_at} of {done.files} files{since}")
    _print_unread(done.unread)


def _tell(done: Any, *, as_json: bool) -> None:
    """Prints each file with its kind, or with why it has none."""
    if as_json:
        print_json(done.as_json())
        return
    print_remarks(done.others)
    for file in done.files:
        click.echo(
            f"{file.kind:<10}{file.path}" if file.kind else f"{'-':<10}{file.path}: {file.why}"
        )
    _print_unread(done.unread)


def _print_unread(groups: Any) -> None:
    from knowwhy.ingest.syncing.unread import in_words

    if said := in_words(groups):
        click.echo(said)
