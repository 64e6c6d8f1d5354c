"""What an asker may see: the one place that decides it."""

from collections.abc import Iterator
from typing import Any

from knowwhy.types import Asker, Between


def sees(asker: Asker, user_id: str | None, project: str | None) -> bool:
    """Tells whether a row of a user and a project exists for an asker.

    One's own rows and everybody's; of a project only where it is asked in, but for one's own rows,
    which an asker without a project sees from all of them.
    """
    if user_id is not None and user_id != asker.user_id:
        return False
    if asker.project is None:
        return project is None or user_id is not None
    return project is None or project == asker.project


def seen(rows: Any, asker: Asker) -> Any:
    """Gives the same as a condition on a table with users and projects."""
    shared = rows.user_id == None  # noqa: E711  # SQL
    anywhere = rows.project == None  # noqa: E711  # SQL
    there = anywhere if asker.project is None else anywhere | (rows.project == asker.project)
    if asker.user_id is None:
        return shared & there
    own = rows.user_id == asker.user_id
    return (shared & there) | (own if asker.project is None else own & there)


def owned(rows: Any, owner: Asker) -> Any:
    """Gives the condition that a row is an owner's: a user's, or without one a project's shared.

    In a project only what is in it; without one a user owns what is in all of them.
    """
    own = seen(rows, owner) & (rows.user_id == owner.user_id)
    return own if owner.project is None else own & (rows.project == owner.project)


def dated(column: Any, span: Between) -> Iterator[Any]:
    """Gives the conditions that hold for the rows whose time is in a span; none for all time."""
    if span.after is not None:
        yield column >= span.after
    if span.before is not None:
        yield column < span.before
