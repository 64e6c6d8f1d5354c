"""The database of a home as it is at one moment, written out while others go on writing."""

import contextlib
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import IO, Any

import sqlalchemy as sql
from pixeltable.env import Env

from knowwhy.errors import DiskFull, StoreFailed
from knowwhy.tables import direct
from knowwhy.tables.failures import NO_ROOM, translated
from knowwhy.tables.homes.newest import WITNESSES, newest
from knowwhy.tables.homes.postgres import TOOLS, environment
from knowwhy.text.secrets.redact import redact

COMPRESSION = "gzip:1"  # vectors hardly shrink, texts to a third; more costs time, not bytes
LOCK_WAIT = "60s"  # for who changes the shape of a table; a build of an index on one takes 15 s
LONGEST = 300  # characters of what a tool of Postgres says

TABLES = sql.text("SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1")


@dataclass(frozen=True, slots=True)
class Moment:
    """What the database holds at the moment that is written out."""

    at: datetime
    snapshot: str  # by which other connections see the same
    database: str
    postgres: str  # version
    rows: dict[str, int]  # of every table of Postgres, old versions of rows included
    counts: dict[str, int]  # of our tables as they are asked
    canaries: dict[str, list[str]]  # keys of the newest rows


@contextmanager
def moment(names: tuple[str, ...]) -> Iterator[Moment]:
    """Holds on to a moment of the database; what is committed later is not in it."""
    live = {name: direct.live_rows(name) for name in names}
    engine = Env.get().engine.execution_options(isolation_level="REPEATABLE READ")
    with engine.connect() as connection:
        with translated("looking at the database"):
            found = _moment(connection, live)
        yield found


def _moment(connection: Any, live: dict[str, Any]) -> Moment:
    snapshot = connection.scalar(sql.text("SELECT pg_export_snapshot()"))
    quoted = connection.dialect.identifier_preparer.quote
    rows = {
        name: connection.scalar(sql.text(f"SELECT count(*) FROM {quoted(name)}"))
        for name in connection.scalars(TABLES)
    }
    return Moment(
        at=connection.scalar(sql.text("SELECT now()")),
        snapshot=snapshot,
        database=Env.get()._db_name or "",
        postgres=connection.scalar(sql.text("SHOW server_version")),
        rows=rows,
        counts={
            name: connection.scalar(sql.select(sql.func.count()).select_from(table))
            for name, table in live.items()
        },
        canaries={name: newest(connection, live[name]) for name in WITNESSES},
    )


def dump(of: Moment, out: IO[bytes]) -> None:
    """Writes the database out as it is at a moment, in the form that `pg_restore` reads."""
    url = sql.make_url(Env.get().db_url)
    command = [
        *tool("pg_dump", url),
        "--format=custom",
        f"--compress={COMPRESSION}",
        f"--snapshot={of.snapshot}",
        f"--lock-wait-timeout={LOCK_WAIT}",
        "--no-owner",
        "--no-privileges",
        url.database or "",
    ]
    run(command, "writing the database out", out=out)


def tool(name: str, url: sql.URL, user: str | None = None) -> list[str]:
    """Gives how a tool of the embedded Postgres is called on a server."""
    host = url.query.get("host") or url.host or ""
    return [
        str(TOOLS / name),
        f"--host={host}",
        f"--username={user or url.username}",
        "--no-password",
        *([f"--port={url.port}"] if url.port else []),
    ]


def run(
    command: list[str],
    doing: str,
    *,
    out: IO[bytes] | None = None,
    given: IO[bytes] | None = None,
    options: str = "",
) -> bytes:
    """Runs a tool of Postgres with one stream, in or out; gives what it wrote to neither."""
    with (
        translated(doing),
        tempfile.TemporaryFile() as complaint,
        subprocess.Popen(
            command,
            env=environment() | {"PGOPTIONS": options},
            stdin=subprocess.DEVNULL if given is None else subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=complaint,
        ) as process,
    ):
        try:
            said = _streamed(process, given, out)
            process.wait()
        except BaseException:
            process.kill()
            raise
        complaint.seek(0)
        lines = complaint.read(LONGEST).decode(errors="replace").split("\n")
    if process.returncode:
        if NO_ROOM in "".join(lines):
            raise DiskFull("the home")
        raise StoreFailed(f"The store failed while {doing}: {redact(' '.join(lines).strip())}")
    return said


def _streamed(process: Any, given: IO[bytes] | None, out: IO[bytes] | None) -> bytes:
    if out is not None:
        shutil.copyfileobj(process.stdout, out)
        return b""
    if given is not None:
        with contextlib.suppress(BrokenPipeError):  # it has ended, and says why
            shutil.copyfileobj(given, process.stdin)
        with contextlib.suppress(BrokenPipeError):
            process.stdin.close()
    said: bytes = process.stdout.read()
    return said
