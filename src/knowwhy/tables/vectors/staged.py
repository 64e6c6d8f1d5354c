"""Vectors that a new model has made and no view has taken yet, by the model and the text's hash.

They stand in a table of Postgres's own, beside those of the store: the store's functions ask for
them in the middle of its transactions, where it allows no question to itself, and when they have
been taken the whole table is dropped, which gives the disk back at once.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import sqlalchemy as sql
from numpy.typing import NDArray
from pixeltable.env import Env

from knowwhy import models
from knowwhy.tables.failures import translated

TABLE = "knowwhy_staged_vectors"
HELD_AT_MOST = 200_000  # vectors that a process holds while it builds a view: 300 MB of 384 numbers

_CREATE = f"""
CREATE TABLE IF NOT EXISTS {TABLE} (
    tag text NOT NULL, text_hash bytea NOT NULL, vector bytea NOT NULL,
    PRIMARY KEY (tag, text_hash)
)
"""
_KEEP = sql.text(f"INSERT INTO {TABLE} VALUES (:tag, :hash, :vector) ON CONFLICT DO NOTHING")
_FIND = sql.text(
    f"SELECT text_hash, vector FROM {TABLE} WHERE tag = :tag AND text_hash = ANY(:hashes)"
)
_ALL = sql.text(f"SELECT text_hash, vector FROM {TABLE} WHERE tag = :tag LIMIT :most")
_COUNT = sql.text(f"SELECT count(*) FROM {TABLE} WHERE tag = :tag")

Vector = NDArray[np.float32]

_held: dict[tuple[str, bytes], Vector] = {}


def exists() -> bool:
    """Tells whether anything may have been staged."""
    with _connected() as connection:
        return connection.scalar(sql.text(f"SELECT to_regclass('{TABLE}')")) is not None


def make() -> None:
    """Makes the place for staged vectors, if there is none."""
    with _connected() as connection:
        connection.exec_driver_sql(_CREATE)


def keep(tag: str, found: Mapping[str, Vector]) -> None:
    """Stages the vectors of texts; from now on no kill can lose them."""
    rows = [
        {"tag": tag, "hash": hash_of(text), "vector": vector.astype(np.float32).tobytes()}
        for text, vector in found.items()
    ]
    if rows:
        with _connected() as connection:
            connection.execute(_KEEP, rows)


def count(tag: str) -> int:
    """Counts the staged vectors of a model."""
    if not exists():
        return 0
    with _connected() as connection:
        return int(connection.scalar(_COUNT, {"tag": tag}) or 0)


def vectors(texts: Sequence[str], tag: str) -> dict[str, Vector]:
    """Gives those vectors of texts that a model has staged, by text."""
    if not texts or not exists():
        return {}
    by_hash = {hash_of(text): text for text in texts}
    with _connected() as connection:
        rows = connection.execute(_FIND, {"tag": tag, "hashes": list(by_hash)})
        return {by_hash[bytes(row.text_hash)]: _read(row.vector) for row in rows}


def vector(text: str, name: str) -> Vector | None:
    """Gives the staged vector of a text: for the store's functions, which meet texts one by one."""
    tag = models.tag(name)
    held = _held.get((tag, hash_of(text)))
    return held if held is not None else vectors([text], tag).get(text)


def hold(tag: str) -> None:
    """Holds in memory what a model has staged: asking for each text would take as long again."""
    with _connected() as connection:
        rows = connection.execute(_ALL, {"tag": tag, "most": HELD_AT_MOST})
        _held.update({(tag, bytes(row.text_hash)): _read(row.vector) for row in rows})


def let_go() -> None:
    """Forgets what was held in memory."""
    _held.clear()


def drop() -> None:
    """Removes all that was staged and gives its disk back."""
    let_go()
    with _connected() as connection:
        connection.exec_driver_sql(f"DROP TABLE IF EXISTS {TABLE}")


def missing(texts: Any, tag: str, most: int) -> list[str]:
    """Gives some of the texts, a column of live rows, that have not been staged."""
    done = sql.table(TABLE, sql.column("tag"), sql.column("text_hash"))
    hashed = sql.func.sha256(sql.func.convert_to(texts, "UTF8"))
    is_done = sql.exists().where(done.c.tag == tag, done.c.text_hash == hashed)
    wanted = sql.select(texts).where(texts.is_not(None), ~is_done).distinct().limit(most)
    with _connected() as connection:
        return list(connection.scalars(wanted))


def hash_of(text: str) -> bytes:
    """Names a text by its content, as Postgres does."""
    return hashlib.sha256(text.encode()).digest()


def _read(stored: Iterable[int]) -> Vector:
    return np.frombuffer(bytes(stored), dtype=np.float32)


@contextmanager
def _connected() -> Iterator[Any]:
    """Gives a connection whose statements are done at once."""
    engine = Env.get().engine.execution_options(isolation_level="AUTOCOMMIT")
    with translated("working with staged vectors"), engine.connect() as connection:
        yield connection
