"""A part that only one process of a home may play at a time."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import sqlalchemy as sql
from pixeltable.env import Env

from knowwhy.errors import PartTaken
from knowwhy.tables.failures import translated
from knowwhy.tables.schema import DIRECTORY

_TAKE = sql.text("SELECT pg_try_advisory_lock(hashtext(:room), hashtext(:part))")
_TAKEN = sql.text(
    "SELECT EXISTS (SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND granted"
    " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
    " AND classid = (hashtext(:room)::bigint & 4294967295)::oid"
    " AND objid = (hashtext(:part)::bigint & 4294967295)::oid)"
)
_GIVE = sql.text("SELECT pg_advisory_unlock(hashtext(:room), hashtext(:part))")


@contextmanager
def only_one(part: str, busy: str | None = None) -> Iterator[Callable[[], None]]:
    """Takes a part, or says that another process has it; the database takes it from the dead.

    Gives what raises when the part has been lost, because the database was started anew.
    """
    engine = Env.get().engine.execution_options(isolation_level="AUTOCOMMIT")
    ticket = {"room": DIRECTORY, "part": part}
    with engine.connect() as connection:
        with translated(f"taking the part of the {part}"):
            if not connection.scalar(_TAKE, ticket):
                raise PartTaken(busy or f"Another process of this home is the {part}.")

        def check() -> None:
            with translated(f"keeping the part of the {part}"):
                connection.exec_driver_sql("SELECT 1")

        try:
            yield check
        finally:
            if not connection.invalidated and not connection.closed:
                connection.execute(_GIVE, ticket)


def is_taken(part: str) -> bool:
    """Tells whether a process has a part."""
    ticket = {"room": DIRECTORY, "part": part}
    with translated(f"looking for the {part}"), Env.get().engine.connect() as connection:
        return bool(connection.scalar(_TAKEN, ticket))
