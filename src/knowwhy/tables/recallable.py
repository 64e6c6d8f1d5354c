"""Memories and turns as a search reads them: their words, their nearest, and what a hit shows."""

import json
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from typing import Any

from numpy.typing import NDArray

from knowwhy import models
from knowwhy.tables.kept.memories import ACTIVE, LIVING, SUPERSEDED, as_of, held, safe, standing
from knowwhy.tables.kept.memory_origins import SUPERSEDED_BY
from knowwhy.tables.reading import hash_below, reading
from knowwhy.tables.scope import dated, seen, sees
from knowwhy.tables.talk.extractions import READ
from knowwhy.tables.talk.turns import safe_name
from knowwhy.tables.touched import PAGE, REMEMBERED, Label, Piece, Place
from knowwhy.tables.vectors.holders import of_model
from knowwhy.tables.write import stored_turns, table
from knowwhy.text.pages.passages import in_context, search_text
from knowwhy.types import ALWAYS, SPEAKER, Asker, Between, Memory, Passage, Turn

MEMORY, SPOKEN = -1, -2  # positions of a memory and of a turn in place of a passage's
LENT = -3  # of a memory once more, in the word index, for those whom it is lent to
SAID = "said:"  # begins the scope of a memory or turn, which no record's scope does
LENT_TO_SOME = "lent:"  # begins the scope of a lent memory
VERIFIED, EXTRACTED, RAW = 0, 1, 2  # standings: of equals the one that somebody vouched for first
MEMORY_PIECE = (
    *("key", "user_id", "project", "kind", "service", "status", "subject", "content"),
    *("verified_at", "expires_at", "valid_until", "created_at"),
)
MOST_GENERATIONS = 20  # of memories that took each other's place: more is a circle
SCOPES_KEPT = 20_000  # scopes that need not be parsed again: some MB

Said = Memory | Turn


def pieces_of_memories(keys: Sequence[str]) -> Iterator[list[Piece]]:
    """Reads the words of some memories, page by page."""
    source = table("memories")
    for start in range(0, len(keys), PAGE):
        with reading(source):
            named = source.key.isin(list(keys[start : start + PAGE]))
            wanted = source.where(named & source.status.isin(list(REMEMBERED)))
            columns = {name: getattr(source, name) for name in MEMORY_PIECE}
            rows = list(wanted.select(**columns).collect())
        yield [
            Piece(
                (row["key"], MEMORY),
                said_scope(row["user_id"], row["project"]),
                Label("memories", row["kind"], row["service"], row["status"]),
                search_text(row["subject"], None, row["content"]),
                VERIFIED if row["verified_at"] else EXTRACTED,
                _end(row),
                row["created_at"],
            )
            for row in rows
        ]


def pieces_of_turns(keys: Sequence[str]) -> Iterator[list[Piece]]:
    """Reads the words of some turns, page by page."""
    for start in range(0, len(keys), PAGE):
        turns = stored_turns(list(keys[start : start + PAGE]))
        yield [
            Piece(
                (turn.key, SPOKEN),
                said_scope(turn.user_id, turn.project),
                Label("turns", "turn"),
                in_context(turn.context, 0, turn.content),
                RAW,
                turn.expires_at,
                turn.at,
            )
            for turn in turns.values()
        ]


def pieces_lent(keys: Collection[str]) -> Iterator[Piece]:
    """Reads the words of memories that are lent, each a scope of its own, as nobody vouched for."""
    for page in pieces_of_memories(sorted(keys)):
        for piece in page:
            place, scope = (piece.place[0], LENT), lent_scope(piece.place[0])
            yield replace(piece, place=place, scope=scope, standing=EXTRACTED)


def lent_scope(key: str) -> str:
    """Names the scope of a lent memory in the word index."""
    return LENT_TO_SOME + key


def _end(row: Any) -> datetime | None:
    """Gives when a memory is to be found no more; what is over already can be asked for as past.

    But what was to be forgotten by a day is, whatever has become of it since.
    """
    limits = [row["expires_at"], *([row["valid_until"]] if row["status"] in LIVING else [])]
    return min((at for at in limits if at), default=None)


def said_scope(user_id: str | None, project: str | None) -> str:
    """Names the scope of a memory or turn in the word index."""
    return SAID + json.dumps([user_id, project])


def is_heard(scope: str, asker: Asker) -> bool:
    """Tells whether an asker may hear what was said in a scope."""
    return sees(safe(asker), *_whose(scope))


@lru_cache(maxsize=SCOPES_KEPT)
def _whose(scope: str) -> tuple[str | None, str | None]:
    user_id, project = json.loads(scope.removeprefix(SAID))
    return user_id, project


def nearest_said(
    vector: NDArray[Any],
    k: int,
    asker: Asker,
    *,
    tables: Collection[str],
    statuses: Collection[str],
    kinds: Collection[str] | None,
    service: str | None,
    embedder: str,
    now: datetime,
    within: Between = ALWAYS,
) -> list[tuple[Place, float]]:
    """Finds the memories and turns of an asker that are nearest to a vector, by cosine."""
    found: list[tuple[Place, float]] = []
    if "memories" in tables:
        source = table("memory_vectors")
        lives = (source.expires_at == None) | (source.expires_at > now)  # noqa: E711  # SQL
        wanted = seen(source, safe(asker)) & standing(source, statuses, now) & lives
        wanted = _in_time(wanted, source.created_at, within)
        if kinds is not None:
            wanted = wanted & source.kind.isin(list(kinds))
        if service is not None:
            wanted = wanted & (source.service == safe_name(service))
        found += _nearest(source, source.key, MEMORY, wanted, vector, k, embedder)
    if "turns" in tables and service is None and (kinds is None or "turn" in kinds):
        source = table("extraction_vectors")
        lives = (source.expires_at == None) | (source.expires_at > now)  # noqa: E711  # SQL
        wanted = _in_time(seen(source, safe(asker)) & lives, source.at, within)
        found += _nearest(source, source.turn_key, SPOKEN, wanted, vector, k, embedder)
    return found


def nearest_lent(
    vector: NDArray[Any],
    k: int,
    keys: Collection[str],
    *,
    kinds: Collection[str] | None,
    service: str | None,
    embedder: str,
    now: datetime,
    within: Between = ALWAYS,
) -> list[tuple[Place, float]]:
    """Finds those of some lent memories that are nearest to a vector, each being compared."""
    source = table("memory_vectors")
    lives = (source.expires_at == None) | (source.expires_at > now)  # noqa: E711  # SQL
    wanted = source.key.isin(sorted(keys)) & standing(source, (ACTIVE,), now) & lives
    wanted = _in_time(wanted, source.created_at, within)
    if kinds is not None:
        wanted = wanted & source.kind.isin(list(kinds))
    if service is not None:
        wanted = wanted & (source.service == safe_name(service))
    return _nearest(source, source.key, MEMORY, wanted, vector, k, embedder, exact=True)


def _in_time(wanted: Any, column: Any, within: Between) -> Any:
    for condition in dated(column, within):
        wanted = wanted & condition
    return wanted


def nearest_of_all(
    view: str, vector: NDArray[Any], k: int, embedder: str, *, share: float = 1.0
) -> list[tuple[Place, float]]:
    """Finds what is nearest to a vector, whosever it is: to measure the search, not to answer."""
    source = table(view)
    if view == "memory_vectors":
        wanted = source.words < hash_below(share) if share < 1 else None
        return _nearest(source, source.key, MEMORY, wanted, vector, k, embedder)
    wanted = source.key < f"{READ}{hash_below(share)}" if share < 1 else None
    return _nearest(source, source.turn_key, SPOKEN, wanted, vector, k, embedder)


def _nearest(
    source: Any,
    key: Any,
    position: int,
    wanted: Any,
    vector: Any,
    k: int,
    embedder: str,
    *,
    exact: bool = False,
) -> list[tuple[Place, float]]:
    with of_model(embedder), reading(source):
        near = source.search_text.similarity(vector=vector, idx=models.tag(embedder))
        near = near + 0.0 if exact else near  # a sum is in no index
        those = source if wanted is None else source.where(wanted)
        best = those.order_by(near, asc=False).limit(k)
        rows = list(best.select(key=key, near=near).collect())
    scored = [((row["key"], position), row["near"]) for row in rows if row["near"] is not None]
    return [(place, float(score)) for place, score in scored if score == score]  # nan: no vector


def said_at(places: Iterable[Place]) -> dict[Place, Said]:
    """Reads memories and turns by where they stand."""
    wanted = list(places)
    memories = held(key for key, position in wanted if position == MEMORY)
    turns = stored_turns([key for key, position in wanted if position == SPOKEN])
    found: dict[Place, Said] = {(key, MEMORY): memory for key, memory in memories.items()}
    return found | {(key, SPOKEN): turn for key, turn in turns.items()}


def is_shown(said: Said, asker: Asker, statuses: Collection[str], now: datetime) -> bool:
    """Tells whether a memory or turn may be shown at a moment: it is the asker's, and lasts.

    What is lent to the asker may be while it is active.
    """
    if said.expires_at is not None and said.expires_at <= now:
        return False
    if not sees(safe(asker), said.user_id, said.project):
        if not isinstance(said, Memory) or said.key not in asker.lent:
            return False
        return as_of(said, now).status == ACTIVE
    return isinstance(said, Turn) or as_of(said, now).status in statuses


def said_when(said: Said) -> datetime:
    """Tells when a turn was said, or a memory was learned."""
    return said.at if isinstance(said, Turn) else said.created_at


def ends(said: Said) -> bool:
    """Tells whether time will end a memory or turn."""
    limits = (said.expires_at, said.valid_until if isinstance(said, Memory) else None)
    return any(limit is not None for limit in limits)


def replaced_by(keys: Collection[str], asker: Asker) -> dict[str, Memory]:
    """Gives what an asker's memories took the place of, by its key; nothing that will expire.

    What stands beside another memory would be kept as long as that one.
    """
    lasting = {key: m for key, m in held(keys).items() if m.expires_at is None}
    found = {key: m for key, m in lasting.items() if m.status == "superseded"}
    return {key: m for key, m in found.items() if sees(safe(asker), m.user_id, m.project)}


@dataclass(frozen=True, slots=True)
class Heir:
    """The memory that stands now in the place of one that was superseded."""

    key: str
    before: str | None  # what that one said; nothing where it was to be forgotten by a day


def heirs(keys: Collection[str], now: datetime) -> dict[str, Heir]:
    """Finds what stands in the place of superseded memories, whosever they are, through others."""
    first = held(keys)
    found: dict[str, Heir] = {}
    waiting = {key: memory for key, memory in first.items() if memory.status == SUPERSEDED}
    for _ in range(MOST_GENERATIONS):
        named = {key: _successor(memory) for key, memory in waiting.items()}
        there = held(name for name in named.values() if name)
        waiting = {key: there[name] for key, name in named.items() if name in there}
        for key, memory in waiting.items():
            if as_of(memory, now).status == ACTIVE:
                before = None if first[key].expires_at else first[key].content
                found[key] = Heir(memory.key, before)
        waiting = {key: m for key, m in waiting.items() if m.status == SUPERSEDED}
        if not waiting:
            break
    return found


def _successor(memory: Memory) -> str | None:
    named = re.match(SUPERSEDED_BY, memory.why or "")
    return named[1] if named else None


def as_passage(said: Said) -> Passage:
    """Gives a memory or turn in the form of a hit's passage."""
    if isinstance(said, Turn):
        return _passage(said, SPOKEN, None, "turn", None, None, said.at, said.context)
    shown = said.subject, said.kind, said.service, said.status, said.created_at
    return _passage(said, MEMORY, *shown, None)


def _passage(
    said: Said,
    position: int,
    subject: str | None,
    kind: str,
    service: str | None,
    status: str | None,
    at: datetime,
    context: str | None,
) -> Passage:
    return Passage(
        key=said.key,
        pos=position,
        heading="",
        text=said.content,
        search_text=search_text(subject, None, said.content),
        first_line=0,
        last_line=0,
        title=subject or _said_by(said),
        label=None,
        kind=kind,
        service=service,
        project=said.project,
        path=None,
        status=status,
        occurred_at=at,
        context=context,
    )


def _said_by(said: Said) -> str:
    """Names who said something that has no title."""
    if isinstance(said, Turn):
        return f"Said by {said.speaker or f'the {said.role}'}"
    who = said.metadata.get(SPEAKER) or f"the {said.said_by or 'memory'}"
    return f"{said.kind.capitalize()} of {who}"
