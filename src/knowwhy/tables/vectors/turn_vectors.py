"""Homes of before: the vectors of turns stood on their own table, where no model can be changed."""

from typing import Any

import pixeltable as pxt

from knowwhy.tables.schema import DIRECTORY
from knowwhy.tables.vectors import holders, staged

TABLE = "extractions"
TEXT = "search_text"  # the column that the vectors were of
PAGE = 1_000  # vectors that are read at once: 2 MB


def move_to_view() -> None:
    """Takes the vectors of turns off their table; the view that is made next finds them staged.

    Killed at any moment it goes on when the home is opened again.
    """
    found: Any = pxt.get_table(f"{DIRECTORY}/{TABLE}", if_not_exists="ignore")
    if found is None or TEXT not in found.columns():
        return
    staged.make()
    indexes = found.get_metadata()["indexes"].values()
    for tag in [index["name"] for index in indexes if holders.is_of_vectors(index)]:
        for vectors in _pages(found, tag):
            staged.keep(tag, vectors)
        found.drop_embedding_index(idx_name=tag)
    found.drop_column(TEXT)


def _pages(found: Any, tag: str) -> Any:
    last = ""
    while True:
        page = found.where(found.key > last).order_by(found.key).limit(PAGE)
        rows = page.select(
            key=found.key, text=found.search_text, vector=found.search_text.embedding(idx=tag)
        ).collect()
        yield {row["text"]: row["vector"] for row in rows if row["vector"] is not None}
        if len(rows) < PAGE:
            return
        last = rows[len(rows) - 1]["key"]
