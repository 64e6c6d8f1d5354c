"""The database of a home ended by hand, and who uses it meanwhile."""

import re
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil
import sqlalchemy as sql

from knowwhy.tables.failures import translated
from knowwhy.tables.homes import home, postgres
from knowwhy.text.secrets.redact import redact

NAMED = re.compile(r"pixeltable-(\d+)")  # how the store names the connections of a process
WORDS = 6  # of a command line that are shown
CONNECTED = sql.text(
    "SELECT DISTINCT application_name FROM pg_stat_activity"
    " WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() ORDER BY 1"
)


@dataclass(frozen=True, slots=True)
class Ended:
    """Whether a database has been ended, and which processes were using it."""

    has_ended: bool
    users: tuple[str, ...]


def end(folder: Path, *, under_others: bool) -> Ended:
    """Ends the database of a home unless others use it; nobody can open it meanwhile."""
    with home.locked(folder), translated("ending the database"):
        if home.server(folder / home.PGDATA) is None:
            return Ended(has_ended=False, users=())
        users = _users(folder / home.PGDATA)
        if not users or under_others:
            home.stop(folder)
        return Ended(has_ended=not users or under_others, users=users)


def _users(data: Path) -> tuple[str, ...]:
    uri = postgres.Server(home.socket_folder(data)).get_uri(driver="psycopg")
    engine = sql.create_engine(uri, poolclass=sql.NullPool)
    with engine.connect() as connection:
        return tuple(_told(str(name)) for name in connection.scalars(CONNECTED))


def _told(name: str) -> str:
    """Names a process by its number and command line, as far as they can be seen from here."""
    named = NAMED.fullmatch(name)
    if named is None:
        return name or "a program without a name"
    with suppress(psutil.Error):
        words = psutil.Process(int(named[1])).cmdline()[:WORDS]
        return f"process {named[1]} ({redact(' '.join(words))})"
    return f"process {named[1]}"
