"""Commands that bring records in and take them out."""

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

import click

from knowwhy.cli.looks import columns, say
from knowwhy.cli.opening import open_home, print_json
from knowwhy.cli.progress import BYTES, course, sizes_of
from knowwhy.config import Settings
from knowwhy.errors import BadInput

MEGABYTE = 1_000_000  # bytes
FATES = {"added": "added", "same": "unchanged", "other": "left as they are here"}
PRIVATE = 0o600  # of a file with everything in it: only its owner may read it
PATHS = click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))


def options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options that every ingest has."""
    for option in (
        click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON."),
        click.option("--project", help="The project that the records belong to."),
        click.option("--service", help="The service that the records are about."),
    ):
        command = option(command)
    return command


@click.group("ingest")
def ingest_command() -> None:
    """Take in files of one kind, or chats.

    Decisions, incidents, meetings, documents, code, chats or JSON lines. Unchanged sources are
    skipped, changed ones replaced, vanished files retired; a bad one is named and the rest goes
    in.
    """


@ingest_command.command("adr")
@PATHS
@options
def ingest_adr(paths: tuple[Path, ...], **given: Any) -> int:
    """Take in architecture decision records: MADR, Nygard, log4brains, Y-statements, headers."""
    return _ingest_files("adr", paths, **given)


@ingest_command.command("document")
@PATHS
@options
def ingest_document(paths: tuple[Path, ...], **given: Any) -> int:
    """Take in documents: Markdown, reStructuredText, AsciiDoc, Org, plain text, web pages, PDF."""
    return _ingest_files("document", paths, **given)


@ingest_command.command("meeting")
@PATHS
@options
def ingest_meeting(paths: tuple[Path, ...], **given: Any) -> int:
    """Take in meetings: minutes, transcripts, WebVTT and SRT."""
    return _ingest_files("meeting", paths, **given)


@ingest_command.command("code")
@PATHS
@options
def ingest_code(paths: tuple[Path, ...], as_json: bool, **given: Any) -> int:
    """Take in source code: git work trees, folders with their .gitignore, and single files."""
    settings = Settings.from_environ()
    embedder = open_home(settings)
    from knowwhy.ingest import code
    from knowwhy.ingest.load import Taking

    listing = code.list_code(paths)
    sizes = sizes_of((item.name, item.file) for item in listing.files.values())
    with course("code", len(listing.files), sizes=sizes) as advance:
        how = Taking(embedder, settings.max_file_mb, progress=advance, **given)
        summary = code.ingest_code(listing, paths, how)
    return _report(summary, as_json)


def hearing(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options of what takes in chats."""
    for option in (
        click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON."),
        click.option("--ttl-days", type=click.IntRange(1, 36_500), help="Days that a turn lives."),
        click.option("--project", help="Their project, whatever the chat says."),
        click.option(
            "--claim",
            is_flag=True,
            help="End what these chats were taken in as before when that is everybody's.",
        ),
        click.option(
            "--everybody",
            is_flag=True,
            help="What no chat names the user of is everybody's: any user's search finds it.",
        ),
        click.option("--user", help="Whose the turns are, whatever the chat says."),
    ):
        command = option(command)
    return command


@ingest_command.command("conversation")
@PATHS
@hearing
@click.option("--session", help="Their session, whatever the chat says.")
def ingest_conversation(paths: tuple[Path, ...], as_json: bool, **given: Any) -> int:
    """Take in chats: exports as JSON, sessions of coding assistants as JSON lines or Markdown.

    They are those of the user that the chat names, else of the user of the operating system. Their
    project is the one that the chat names, else the repository in which it was held, else the one
    around the file, else the one that you are in.
    """
    from knowwhy.cli.history import take_in

    return _report(take_in(paths, **given), as_json)


@ingest_command.command("sessions")
@hearing
@click.option("--of", "assistants", multiple=True, help="Of this assistant; again for more.")
@click.option("--dry-run", is_flag=True, help="Only list what there is.")
def ingest_sessions(assistants: tuple[str, ...], dry_run: bool, as_json: bool, **given: Any) -> int:
    """Find the sessions that coding assistants keep in your home, and take them in.

    Claude Code, Codex, Gemini, Copilot, Cursor, Qwen, Kimi, Grok and more; what is there already is
    left alone. Sessions kept elsewhere: `knowwhy ingest conversation FOLDER`.
    """
    from knowwhy.cli.history import take_in
    from knowwhy.ingest.chat.found import KEPT, sessions, to_export

    if unknown := next((name for name in assistants if name not in KEPT), None):
        raise BadInput(f"There is no place known for {unknown!r}; there are {', '.join(KEPT)}.")
    home = Path.home()
    found = sessions(home, assistants)
    if not as_json or not dry_run:
        for one in found:
            size = f"{one.size / MEGABYTE:.1f} MB"
            click.echo(f"{one.assistant}: {len(one.files)} sessions, {size}", err=not dry_run)
        for name, how in to_export(home).items() if not assistants else ():
            click.echo(f"{name}: keeps no file that can be read; write one by `{how}`.", err=True)
    if dry_run or not found:
        if as_json:
            print_json({one.assistant: [str(file) for file in one.files] for one in found})
        elif not found:
            click.echo(f"No assistant keeps sessions in {home}.")
        return 0
    files = tuple(file for one in found for file in one.files)
    return _report(take_in(files, are_found=True, session=None, **given), as_json)


@ingest_command.command("incident")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.option("--summary", help="What happened, for an incident that has no file.")
@click.option("--severity", help="SEV-1 to SEV-4, P1 to P5, critical, major or minor.")
@click.option("--lessons", help="What was learned.")
@options
def ingest_incident(
    paths: tuple[Path, ...],
    summary: str | None,
    severity: str | None,
    lessons: str | None,
    **given: Any,
) -> int:
    """Take in post-mortems: Markdown, YAML and JSON files, or one told with --summary."""
    if paths and (summary or severity or lessons):
        raise BadInput("Give files or --summary, not both.")
    if not paths and not summary:
        raise BadInput("Give a file or folder, or tell the incident with --summary.")
    if summary:
        return _ingest_told(summary, severity, lessons, **given)
    return _ingest_files("incident", paths, **given)


@ingest_command.command("jsonl")
@PATHS
@options
def ingest_jsonl(paths: tuple[Path, ...], as_json: bool, **given: Any) -> int:
    """Take in records as JSON lines: id, kind, text, and more; see `knowwhy docs jsonl`."""
    settings = Settings.from_environ()
    embedder = open_home(settings)
    from knowwhy.ingest import jsonl
    from knowwhy.ingest.load import Taking

    total = sum(path.stat().st_size for path in paths if path.is_file())
    with course("jsonl", total, BYTES) as advance:
        how = Taking(embedder, settings.max_file_mb, progress=advance, **given)
        summary = jsonl.ingest_jsonl(list(paths), how)
    return _report(summary, as_json)


@click.command("export")
@click.argument("file", type=click.Path(path_type=Path, allow_dash=True))
@click.option("--all", "whole", is_flag=True, help="Everything, as `import` takes it.")
def export_command(file: Path, whole: bool) -> None:
    """Write every record as JSON lines.

    FILE is replaced when all is written; - is standard output.
    """
    embedder = open_home(Settings.from_environ())
    from knowwhy.backup.moving import export_all
    from knowwhy.ingest.jsonl import export_jsonl

    def write(out: IO[str]) -> str:
        if not whole:
            return f"{export_jsonl(out)} records"
        return f"{sum(export_all(out, embedder).values())} rows"

    if str(file) == "-":
        sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
        write(sys.stdout)
        return
    try:
        told = _export_to(file, write, PRIVATE if whole else None)
    except OSError as error:
        raise BadInput(f"{file} cannot be written: {error.strerror}.") from None
    click.echo(f"{told} in {file}", err=True)


@click.command("import")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--with-tokens", is_flag=True, help="Its tokens for HTTP too, which let people in.")
@click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON.")
def import_command(file: Path, with_tokens: bool, as_json: bool) -> None:
    """Take in what `export --all` wrote.

    Another version or model may have written it. Rows that are there already stay as they are,
    so that one that was stopped goes on when it is given again. A file with a fault in it
    changes nothing.
    """
    embedder = open_home(Settings.from_environ())
    from knowwhy.backup.moving import import_all, rows_in

    with course("import", rows_in(file), "rows") as advance:
        moved = import_all(file, embedder, advance, with_tokens=with_tokens)
    if as_json:
        told = {name: dict(sorted(fates.items())) for name, fates in moved.tables.items()}
        print_json(told | ({"tokens": {"left_out": moved.left_out}} if moved.left_out else {}))
    else:
        click.echo(", ".join(f"{moved.total(fate)} {said}" for fate, said in FATES.items()))
    if moved.left_out:
        click.echo(
            f"note: {moved.left_out} tokens for HTTP were left out: whoever has one of them could "
            "call a server of this home. `knowwhy token add` makes new ones; --with-tokens takes "
            "in those of the file.",
            err=True,
        )
    if left := moved.of("audit", "other"):
        click.echo(
            f"note: {left} acts of agents were not taken in: this home has acts of its own, and an "
            "audit is one chain. Keep the file: they are in it.",
            err=True,
        )


def _export_to(file: Path, write: Callable[[IO[str]], str], mode: int | None) -> str:
    """Replaces a file when all is written; writes straight to what is no regular file."""
    target = file.resolve()
    if target.exists() and not target.is_file():
        with target.open("w", encoding="utf-8", newline="\n") as out:
            return write(out)
    fresh = target.with_name(f"{target.name}.{os.getpid()}.part")
    try:
        with fresh.open("w", encoding="utf-8", newline="\n") as out:
            if mode is not None:
                fresh.chmod(mode)
            told = write(out)
        if mode is None and target.exists():
            shutil.copymode(target, fresh)
        fresh.replace(target)
    finally:
        fresh.unlink(missing_ok=True)
    return told


def _ingest_files(kind: str, paths: tuple[Path, ...], as_json: bool, **given: Any) -> int:
    settings = Settings.from_environ()
    embedder = open_home(settings)
    from knowwhy.ingest.folder import files_at, ingest_files
    from knowwhy.ingest.load import Taking

    files = files_at(kind, paths)
    sizes = sizes_of((name, file) for file, name in files.items())
    with course(kind, len(files), sizes=sizes) as advance:
        how = Taking(embedder, settings.max_file_mb, progress=advance, **given)
        summary = ingest_files(kind, paths, how)
    return _report(summary, as_json)


def _ingest_told(
    summary: str, severity: str | None, lessons: str | None, as_json: bool, **given: Any
) -> int:
    settings = Settings.from_environ()
    embedder = open_home(settings)
    from knowwhy.ingest.incidents.told import ingest_told_incident
    from knowwhy.ingest.load import Taking

    how = Taking(embedder, settings.max_file_mb, **given)
    key, done = ingest_told_incident(summary, severity, lessons, how)
    code = _report(done, as_json)
    if not as_json:
        click.echo(f"key: {key}")
    return code


def _report(summary: Any, as_json: bool) -> int:
    if as_json:
        print_json(summary.as_json())
    else:
        print_remarks(summary)
        say(counts_of(summary))
    return 1 if summary.refused else 0


def print_remarks(summary: Any) -> None:
    """Prints to stderr what was refused, and what is worth knowing."""
    for refusal in summary.refused:
        say(f"refused {refusal.where}: {refusal.why}", err=True)
    for note in summary.remarks():
        say(f"note {note.where}: {note.why}", err=True)


def counts_of(summary: Any) -> str:
    """Gives the counts of a summary on one line: for a person those that there are."""
    told = summary.as_json()
    counts = {name: n for name, n in told.items() if name not in ("refused", "notes")}
    counts["refused"] = len(summary.refused)
    if columns() is not None:
        counts = {name: n for name, n in counts.items() if n} or {"unchanged": 0}
    return ", ".join(f"{n} {name.replace('_', ' ')}" for name, n in counts.items())
