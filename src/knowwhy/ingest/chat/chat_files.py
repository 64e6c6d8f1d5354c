"""Ingests exported chats as turns, taking only what is new or says something else."""

import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any

from knowwhy.errors import BadInput, NothingSaid
from knowwhy.ingest.chat.claiming import as_before, end_everybodys
from knowwhy.ingest.chat.conversation import read_conversation, session_of
from knowwhy.ingest.chat.places import ABOVE, Places
from knowwhy.ingest.chat.turning import Coming, Origin, Whose, turns_of
from knowwhy.ingest.files import Found, Skip, Tracked, decode, find, read
from knowwhy.ingest.load import Progress, Summary, untold
from knowwhy.tables import write
from knowwhy.tables.talk.turns import safe_name
from knowwhy.text.secrets.left_out import in_words, left_out
from knowwhy.types import Turn

KIND = "conversation"
# The id of a session in the name of a folder: files of one name lie in many.
_ID = re.compile(
    r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{16,}", re.IGNORECASE
)
TURNS_AT_ONCE = 500  # one insert of 0.2 s, for which others who write wait


@dataclass(frozen=True, slots=True)
class Hearing:
    """How chats are taken in."""

    max_file_mb: int
    whose: Whose
    ttl: timedelta | None = None  # from the time of each turn on
    progress: Progress = untold
    places: Places | None = None  # None where the project of all of them is given
    may_be_empty: bool = False  # files in which nobody speaks are counted and not refused
    claims: bool = False  # what was everybody's of the same chats is ended
    only: Tracked | None = None  # no other file is read


@dataclass(slots=True)
class Heard(Summary):
    """What an ingest of chats did: files read, and turns by what became of them."""

    files: int = 0
    expired: int = 0
    empty: int = 0
    claimed: int = 0

    def as_json(self) -> dict[str, Any]:
        """Gives the summary as `--json` prints it."""
        names = ("files", "added", "updated", "unchanged", "expired")
        refused = [{"where": r.where, "why": r.why} for r in self.refused]
        counts = {name: getattr(self, name) for name in names}
        more = {name: n for name in ("empty", "claimed") if (n := getattr(self, name))}
        return {**counts, **more, "refused": refused}


def ingest_chats(paths: Sequence[Path], how: Hearing) -> Heard:
    """Brings the turns of a home in line with the chats under the paths."""
    heard = Heard()
    with ThreadPoolExecutor(1, thread_name_prefix="writing") as writing:
        for batch in _batches(_turns(paths, how, heard)):  # Ctrl-C meets this thread, no write
            writing.submit(_put, batch, how.ttl, heard).result()
    write.analyze(heard.added + heard.updated)
    return heard


def count_chats(paths: Sequence[Path], only: Tracked | None = None) -> int:
    """Counts the files that an ingest will look at."""
    return sum(isinstance(item, Found) for path in paths for item in find(path, KIND, only))


def _batches(turns: Iterable[Coming]) -> Iterator[list[Coming]]:
    left = iter(turns)
    while batch := list(islice(left, TURNS_AT_ONCE)):
        yield batch


def _turns(paths: Sequence[Path], how: Hearing, heard: Heard) -> Iterator[Coming]:
    """Yields the turns of every file, naming what cannot be read."""
    for found in _files(paths, heard, how.only):
        how.progress(0, [found.name])
        try:
            turns = _read(found, how, heard)
        except NothingSaid as error:
            if how.may_be_empty:
                heard.empty += 1
            else:
                heard.refuse(found.name, str(error))
        except BadInput as error:
            heard.refuse(found.name, str(error))
        else:
            heard.files += 1
            yield from turns
        how.progress(1, [found.name])


def _files(paths: Sequence[Path], heard: Heard, only: Tracked | None) -> list[Found]:
    """Lists each file under the paths once."""
    files: dict[Path, Found] = {}
    for path in paths:
        seen = [item for item in find(path, KIND, only) if not isinstance(item, Skip)]
        if not seen:
            heard.refuse(str(path), f"holds no files to read as {KIND}")
        for item in seen:
            if isinstance(item, Found):
                files.setdefault(item.file, item)
            else:
                heard.refuse(item.where, item.why)
    return list(files.values())


def _read(found: Found, how: Hearing, heard: Heard) -> list[Coming]:
    """Reads a file whole, so that a broken one leaves nothing; its broken lines are named."""
    raw = decode(read(found.file, how.max_file_mb))
    path = _short(found.file)
    try:
        messages, problems = read_conversation(raw, path=path)
    except BadInput as error:
        raise type(error)(str(error).removeprefix(f"{path} ")) from None
    places = how.places if how.whose.project is None else None
    if places is not None:
        placed = [replace(m, project=places.told(m, found.file)) for m in messages]
    else:
        placed = messages
    origin = Origin(session_of(path), hashlib.sha256(os.fsencode(found.file)).hexdigest())
    now = datetime.now(UTC)
    written = _written(found.file, now)
    if how.claims:
        whose = replace(how.whose, user=None, owner=None)
        former = turns_of(as_before(messages), whose, written=written, now=now, origin=origin)
        heard.claimed += end_everybodys([coming.turn.key for coming in former], now)
    turns = turns_of(placed, how.whose, written=written, now=now, origin=origin)
    if places is not None:
        told = [places.is_told(message, found.file) for message in messages]
        project = None if all(told) else safe_name(places.otherwise(found.file))
        pairs = zip(turns, told, strict=True)
        turns = [coming if is_told else _supposed(coming, project) for coming, is_told in pairs]
    for line, why in problems:
        heard.refuse(f"{found.name}:{line}", why)
    pairs_said = zip(placed, turns, strict=True)
    gone = [one for m, t in pairs_said for one in left_out(m.content, t.turn.content)]
    heard.left_out_of(found.name, in_words(gone, with_lines=False))
    return turns


def _supposed(coming: Coming, project: str | None) -> Coming:
    """Gives a turn that tells no project the one of where it is taken in; its key stays."""
    return replace(coming, turn=replace(coming.turn, project=project), is_placed=False)


def _short(file: Path) -> str:
    """Names a chat by folder and file, so that it is the same from wherever it was given.

    Where neither says which session it is, the folder above that does comes before them.
    """
    name = file.with_stem(safe_name(file.stem) or "chat").name
    folders = [file.parent.name]
    if not _ID.search(f"{file.parent.name}/{file.stem}"):
        above = (folder.name for folder in list(file.parents)[1 : ABOVE + 1])
        folders = [*filter(None, [next(filter(_ID.search, above), None)]), *folders]
    return "/".join([*(safe_name(folder) or "" for folder in folders), name]).lstrip("/")


def _written(file: Path, now: datetime) -> datetime:
    """Gives the time of a file, for the messages that have none."""
    try:
        return min(now, datetime.fromtimestamp(os.stat(file).st_mtime, UTC))
    except (OSError, OverflowError, ValueError):
        return now


def _put(batch: list[Coming], ttl: timedelta | None, heard: Heard) -> None:
    now = datetime.now(UTC)
    stored = write.stored_turns([coming.turn.key for coming in batch])
    turns = [_settled(coming, stored.get(coming.turn.key), ttl, now) for coming in batch]
    living = [turn for turn in turns if turn.expires_at is None or turn.expires_at > now]
    heard.expired += len(turns) - len(living)
    for fate in write.put_turns(living):
        setattr(heard, fate, getattr(heard, fate) + 1)


def _settled(coming: Coming, stored: Turn | None, ttl: timedelta | None, now: datetime) -> Turn:
    """Gives a turn what it was stored with where its chat does not tell: time, project and end."""
    turn = coming.turn
    if stored is not None and not coming.is_placed:  # it may be taken in again from elsewhere
        turn = replace(turn, project=stored.project)
    at = turn.at if coming.is_timed or stored is None else stored.at
    before = stored.expires_at if stored is not None else None
    if ttl is not None:
        return replace(turn, at=at, expires_at=at + ttl)
    still = before is not None and before > now  # one that has expired is asked for again for ever
    return replace(turn, at=at, expires_at=before if still else None)
