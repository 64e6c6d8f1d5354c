"""Commands that keep a home in one file and put it back: backup, restore."""

from collections.abc import Mapping
from pathlib import Path

import click

from knowwhy.cli.opening import open_home, print_json
from knowwhy.config import Settings
from knowwhy.errors import BadInput

JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON; see `knowwhy docs json`.")
FILE = click.argument("file", type=click.Path(path_type=Path))
MEGABYTE = 1_000_000  # bytes
ELSEWHERE = (
    "The tables are in a Postgres of yours (PIXELTABLE_DB_CONNECT_STR); use its own pg_dump and "
    "pg_restore: `knowwhy docs backup`."
)


@click.command("backup")
@FILE
@JSON
def backup_command(file: Path, as_json: bool) -> None:
    """Keep the whole home in one file.

    Others may go on writing meanwhile. FILE is replaced when all is written; everything that
    was committed before is in it. Only its owner may read it: all that anybody has told is in
    it, and of tokens only the hashes.
    """
    settings = Settings.from_environ()
    if settings.database is not None:
        raise BadInput(ELSEWHERE)
    if not (settings.home / "pgdata").exists():
        raise BadInput(f"There is no memory in {settings.home}; set PIXELTABLE_HOME to its home.")
    embedder = open_home(settings)
    from knowwhy.backup.saving import save

    saved = save(file, settings.home, embedder)
    if as_json:
        print_json(
            {
                "file": str(saved.file),
                "bytes": saved.bytes,
                "made_at": saved.made_at,
                "counts": saved.counts,
                "files": saved.files,
            }
        )
        return
    click.echo(f"{saved.file}: {saved.bytes / MEGABYTE:.1f} MB, as of {saved.made_at}")
    click.echo(_counted(saved.counts))


@click.command("restore")
@FILE
@JSON
def restore_command(file: Path, as_json: bool) -> int:
    """Put a backup into a home without database.

    Then it looks whether all of it is there. A home with a database is never overwritten. Exits
    with 1 when a search does not find what it should; all rows are there then. Restore only
    what you or somebody you trust has made.
    """
    settings = Settings.from_environ()
    if settings.database is not None:
        raise BadInput(ELSEWHERE)
    from knowwhy.backup.packing import as_json as manifest_as_json
    from knowwhy.backup.restoring import restore

    done = restore(file, settings)
    if as_json:
        told = manifest_as_json(done.manifest)
        canaries = {"tried": done.canaries, "problems": list(done.problems)}
        print_json({"home": str(settings.home), **told, "files": done.files, "canaries": canaries})
    else:
        click.echo(f"{settings.home}: as of {done.manifest.made_at}")
        click.echo(_counted(done.manifest.counts))
        click.echo(f"{done.canaries} of the newest rows were searched for")
    for text in (*done.notes, *done.problems):
        click.echo(f"note: {text}", err=True)
    if done.problems:
        click.echo("The rows are all there; `knowwhy doctor` says more.", err=True)
    return 1 if done.problems else 0


def _counted(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in counts.items() if count) or "empty"
