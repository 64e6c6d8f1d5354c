"""Several questions to one table as one transaction."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from pixeltable.runtime import get_runtime

from knowwhy.tables.failures import translated

HASH_DIGITS = 8  # of a hash that a share of it is told by: exact to the billionth


@contextmanager
def reading(source: Any) -> Iterator[None]:
    """Builds and collects queries over a table without asking for its schema at each column.

    Pixeltable asks twice a column while a query is built: 49 statements where 10 do, 54 ms of
    processor time where 17 do, for a hundred passages. Its own transaction is private, so a version
    without it is read the plain way. The table must have been got before.
    """
    with translated("reading the tables"), ExitStack() as stack:
        catalog: Any = getattr(get_runtime(), "catalog", None)
        path = getattr(source, "_tbl_version_path", None)
        if hasattr(catalog, "begin_xact") and path is not None:
            stack.enter_context(catalog.begin_xact(read_tvps=[path]))
        yield


def hash_below(share: float) -> str:
    """Gives the digits below which a share of all hexadecimal hashes lies."""
    return format(int(share * 16**HASH_DIGITS), f"0{HASH_DIGITS}x")
