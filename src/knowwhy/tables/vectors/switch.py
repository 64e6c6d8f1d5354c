"""Another view beside each one that holds vectors, and the step from the old ones to the new.

A view is another one for the store as soon as it has its name, in every process: names are looked
up at each use. So the switch renames all of them in one transaction of the store's catalog.
"""

import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

import pixeltable as pxt
import sqlalchemy as sql
from pixeltable.catalog import Path
from pixeltable.catalog.catalog import retry_loop
from pixeltable.catalog.globals import IfExistsParam, IfNotExistsParam
from pixeltable.env import Env
from pixeltable.metadata.schema import PendingTableOp
from pixeltable.runtime import get_runtime

from knowwhy.errors import StoreFailed
from knowwhy.tables import direct
from knowwhy.tables.failures import translated
from knowwhy.tables.schema import DIRECTORY, HOLDERS, declare
from knowwhy.tables.vectors import holders, staged, vector_index
from knowwhy.tables.vectors.holders import GONE, NEXT
from knowwhy.tables.write import queue, table


@contextmanager
def paused(bases: Sequence[str], seconds: dict[str, float]) -> Iterator[None]:
    """Holds the queues of tables, and adds up for how long their writers had to wait."""
    with ExitStack() as stack:
        began: dict[str, float] = {}
        try:
            for base in sorted(bases):
                stack.enter_context(queue(base))
                began[base] = time.monotonic()
            yield
        finally:
            stack.close()
            for base, since in began.items():
                seconds[base] = max(seconds.get(base, 0.0), time.monotonic() - since)


def unstaged(tag: str, most: int, views: Iterable[str] = HOLDERS) -> list[str]:
    """Gives some of the texts that views hold and that a model has not staged."""
    found: dict[str, None] = {}
    for view in views:
        if len(found) < most and not is_built(view, tag):
            left = staged.missing(direct.live_texts(view), tag, most - len(found))
            found |= dict.fromkeys(left)
    return list(found)


def texts_of(view: str) -> int:
    """Counts the distinct texts that a view embeds."""
    texts = direct.live_texts(view)
    statement = sql.select(sql.func.count(texts.distinct()).label("n"))
    return int(direct.select("counting texts", statement)[0]["n"])


def is_built(view: str, tag: str) -> bool:
    """Tells whether the view of a model stands beside the one that is searched."""
    found = holders.model_of(f"{view}{NEXT}")
    return found is not None and found.tag == tag


def settle(tag: str) -> None:
    """Ends what a kill has cut off of building views, and removes those of other models.

    The store builds a view to its end when it is next looked at; the caller holds all queues.
    """
    for name in standing(NEXT):
        found = holders.model_of(name)
        if found is None or found.tag != tag:
            drop(name)


def build(view: str, embedder: str) -> None:
    """Makes the view of a model beside the one that is searched; the caller holds the queue."""
    with translated(f"building {view} for {embedder}"):
        declare(embedder, (view,), NEXT).create_all(DIRECTORY)


def check(view: str) -> None:
    """Refuses a view in which rows lack a vector that they have in the one that is searched."""
    lacking = _lacking(f"{view}{NEXT}")
    if lacking > _lacking(view):
        drop(f"{view}{NEXT}")
        raise StoreFailed(
            f"{lacking} rows of {view} could not be embedded; the old vectors stay. Run "
            "`knowwhy doctor`, then `knowwhy reembed` again."
        )


def densify(view: str) -> None:
    """Builds the index of a new view as dense as it is to be; nobody searches it yet."""
    relation = direct.physical_name(f"{view}{NEXT}")
    for index in vector_index.on(relation):
        if not index.dense:
            vector_index.rebuild(index)


def _lacking(view: str) -> int:
    source = table(view)
    tag = next(
        index["name"]
        for index in source.get_metadata()["indexes"].values()
        if holders.is_of_vectors(index)
    )
    with translated(f"checking {view}"):
        vector = source.search_text.embedding(idx=tag)
        return int(source.where(vector == None).count())  # noqa: E711  # SQL


def switch() -> None:
    """Gives all views that were built the names of the searched ones; holds all queues."""
    with translated("switching to the new vectors"):
        _rename([(view, f"{view}{GONE}", f"{view}{NEXT}") for view in HOLDERS])


def _rename(names: Sequence[tuple[str, str, str]]) -> None:
    """Moves names of views round in one transaction, which pixeltable.move cannot.

    Other processes keep a table's description, its name included, until the serial number of its
    views has moved, and write it back whole with the next row: so that number is moved too.
    """

    @retry_loop(for_write=True)
    def all_of_them() -> None:
        catalog: Any = get_runtime().catalog
        for searched, gone, following in names:
            for name, other in ((searched, gone), (following, searched)):
                there, then = (Path.parse(f"{DIRECTORY}/{n}") for n in (name, other))
                moved = catalog._get_schema_object(there, raise_if_not_exists=True)
                catalog._move(there, then, IfExistsParam.ERROR, IfNotExistsParam.ERROR)
                catalog._incr_view_sn(moved._id)

    all_of_them()


def standing(end: str) -> list[str]:
    """Names the views beside the searched ones; the first that was built comes last."""
    names = [f"{view}{end}" for view in reversed(HOLDERS)]
    with translated("looking for views"):
        there = set(pxt.list_tables(DIRECTORY))
    return [name for name in names if f"{DIRECTORY}/{name}" in there]


def drop(name: str) -> None:
    """Removes a view that is not searched, and gives its disk back."""
    with translated(f"removing {name}"):
        pxt.drop_table(f"{DIRECTORY}/{name}", if_not_exists="ignore")


def finish_drops() -> None:
    """Removes what a kill has left of views that the store had begun to remove."""
    with translated("removing old vectors"), Env.get().engine.connect() as connection:
        left = list(connection.scalars(sql.select(PendingTableOp.tbl_id).distinct()))
    with translated("removing old vectors"):
        catalog: Any = get_runtime().catalog
        for table_id in left:
            catalog._finalize_pending_ops(table_id)


def base_of(name: str) -> str:
    """Names the table that a view stands on, whatever its name ends in."""
    return HOLDERS[name.removesuffix(NEXT).removesuffix(GONE)]
