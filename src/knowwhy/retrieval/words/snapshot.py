"""The word index on disk, so that a process need not read and stem every passage to start.

Derived data: it can be removed at any time, is written whole or not at all, and is used only by the
code and for the table that made it. What changed since is read again by whoever takes it.
"""

import fcntl
import io
import json
import logging
import os
from dataclasses import astuple, dataclass, field
from datetime import UTC, datetime
from functools import cache
from hashlib import blake2b, sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any, cast

import numpy as np

from knowwhy.retrieval.words import postings
from knowwhy.retrieval.words.okapi import State
from knowwhy.tables.touched import Label
from knowwhy.text import tokens
from knowwhy.text.pages import passages
from knowwhy.text.relating import citations, record_words

FILE = "knowwhy-words.cache"
DIGEST = 16  # bytes that the file begins with: the hash of all that follows
FORMAT = 5  # of this file; another one is not read
READABLE_BY = 0o600  # the owner: it holds the words of everything that is kept
MICROSECOND = 1_000_000  # of a second; what the tables keep of a time
ARRAYS = ("lengths", "scope_of", "label_of", "times")
POSTINGS = ("groups", "starts", "documents", "counts")

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Seen:
    """What was known of a table when a snapshot was made."""

    version: int
    newest: datetime  # the last write that it knows, of any row
    rows: dict[str, datetime]  # when each was written


@dataclass(frozen=True, slots=True)
class Snapshot:
    """An index, the table of records that it was made with, and what was known of each table."""

    table: str
    seen: dict[str, Seen]
    state: State[tuple[str, int]]
    names: dict[tuple[str, int], frozenset[str]] = field(default_factory=dict)  # cited in each
    standings: dict[tuple[str, int], int] = field(default_factory=dict)  # where they are not 0
    ends: dict[tuple[str, int], datetime] = field(default_factory=dict)  # where there is one


@cache
def maker() -> str:
    """Names what decides about words: this format, the code that reads them and its stemmer."""
    modules = (tokens, record_words, passages, citations)
    code = [Path(str(module.__file__)).read_bytes() for module in modules]
    digest = sha256(b"\0".join(code)).hexdigest()[:16]
    return f"{FORMAT} {digest} PyStemmer {version('PyStemmer')}"


def save(folder: Path, snapshot: Snapshot) -> bool:
    """Writes a snapshot in the place of the last one; not while another process writes one."""
    state = snapshot.state
    head = {
        "maker": maker(),
        "table": snapshot.table,
        "seen": {name: _told(seen) for name, seen in snapshot.seen.items()},
        "ids": state.ids,
        "words": state.words,
        "scopes": state.scopes,
        "labels": [astuple(cast(Label, label)) for label in state.labels],
        "standings": [[*place, standing] for place, standing in snapshot.standings.items()],
        "ends": [[*place, _micros(end)] for place, end in snapshot.ends.items()],
        "names": [[*place, sorted(names)] for place, names in snapshot.names.items()],
    }
    arrays = {name: getattr(state, name) for name in ARRAYS}
    arrays |= {name: getattr(state.segment, name) for name in POSTINGS}
    arrays["head"] = np.frombuffer(json.dumps(head).encode(), np.uint8)
    buffer = io.BytesIO()
    np.savez(buffer, allow_pickle=False, **arrays)
    body = buffer.getvalue()
    fresh = folder / f"{FILE}.fresh"
    try:
        with os.fdopen(os.open(fresh, os.O_RDWR | os.O_CREAT, READABLE_BY), "r+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if not os.path.samestat(os.fstat(file.fileno()), fresh.stat()):
                return False  # another process has just put this very file in place
            file.truncate(0)
            file.write(_digest(body))
            file.write(body)
            fresh.replace(folder / FILE)
    except OSError as error:  # a full or read-only disk: the index is in memory all the same
        logger.debug("the word index is not kept on disk: %s", error)
        return False
    return True


def load(folder: Path, table: str) -> Snapshot | None:
    """Reads the snapshot of a table; None when there is none that this code can trust."""
    try:
        whole = (folder / FILE).read_bytes()
    except OSError:
        return None
    body = memoryview(whole)[DIGEST:]
    if whole[:DIGEST] != _digest(body):
        logger.debug("the word index on disk is damaged and made anew")
        return None
    with np.load(io.BytesIO(body), allow_pickle=False) as file:
        head = json.loads(file["head"].tobytes())
        if (head["maker"], head["table"]) != (maker(), table):
            return None
        return _read(head, {name: file[name] for name in (*ARRAYS, *POSTINGS)})


def _read(head: dict[str, Any], arrays: dict[str, Any]) -> Snapshot:
    state = State(
        ids=[(key, position) for key, position in head["ids"]],
        words=head["words"],
        scopes=head["scopes"],
        labels=[Label(*label) for label in head["labels"]],
        segment=postings.whole(*(arrays[name] for name in POSTINGS)),
        **{name: arrays[name] for name in ARRAYS},
    )
    seen = {name: _read_seen(told) for name, told in head["seen"].items()}
    names = {(key, position): frozenset(found) for key, position, found in head["names"]}
    standings = {(key, position): standing for key, position, standing in head["standings"]}
    ends = {(key, position): _moment(end) for key, position, end in head["ends"]}
    return Snapshot(head["table"], seen, state, names, standings, ends)


def _told(seen: Seen) -> list[Any]:
    rows = {key: _micros(at) for key, at in seen.rows.items()}
    return [seen.version, _micros(seen.newest), rows]


def _read_seen(told: list[Any]) -> Seen:
    version, newest, rows = told
    return Seen(version, _moment(newest), {key: _moment(at) for key, at in rows.items()})


def _digest(body: bytes | memoryview) -> bytes:
    return blake2b(body, digest_size=DIGEST).digest()


def _micros(at: datetime) -> int:
    return round(at.timestamp() * MICROSECOND)


def _moment(micros: int) -> datetime:
    return datetime.fromtimestamp(micros / MICROSECOND, UTC)
