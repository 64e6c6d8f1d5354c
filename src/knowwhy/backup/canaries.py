"""Rows that were newest when a backup was made, searched for after it was restored."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime

from knowwhy.errors import Error
from knowwhy.retrieval.legs import CANDIDATES
from knowwhy.retrieval.search import search
from knowwhy.tables import queries, touched, write
from knowwhy.tables.homes.newest import question
from knowwhy.tables.kept import memories
from knowwhy.tables.talk import gaps
from knowwhy.text.tokens import tokens
from knowwhy.types import Asker, Filters, Passage


def look(canaries: Mapping[str, Sequence[str]], embedder: str) -> tuple[int, list[str]]:
    """Searches for rows by their own words, and for vectors by themselves.

    Gives how many rows were tried, and what is not found.
    """
    problems = [f"the vector of {key!r} does not find itself" for key in _lost(embedder)]
    tried = 0
    try:
        for name, keys in canaries.items():
            for key, text, filters in _texts(name, keys):
                asked = question(text)
                if asked is None:  # an older version's backup names such rows, too
                    continue
                tried += 1
                answer = search(
                    asked, embedder=embedder, reranker="none", k=CANDIDATES, filters=filters
                )
                if not any(_is_it(hit.passage, key, text) for hit in answer.hits):
                    problems.append(f"a search does not find {key!r} of {name}")
    except Error as error:  # such as a model that is not installed here
        problems.append(f"searching could not be tried: {error}")
    return tried, problems


def _is_it(found: Passage, key: str, text: str) -> bool:
    """Tells whether a search gave a row, or one that has the same words and takes its place."""
    return found.key == key or found.text == text or tokens(found.text) == tokens(text)


def _lost(embedder: str) -> list[str]:
    return queries.lost_vectors(embedder)


def _texts(name: str, keys: Sequence[str]) -> Iterator[tuple[str, str, Filters]]:
    """Gives for each row that can be found its key, its text, and where to search."""
    now = datetime.now(UTC)
    if name == "records":
        for pieces in touched.pieces(list(keys)):
            first = {piece.place[0]: piece for piece in reversed(pieces)}
            for key, piece in first.items():
                limits = Filters(kinds=(piece.label.kind,), sources=("records",))
                yield key, piece.search_text, limits
    elif name == "memories":
        for memory in memories.held(keys).values():
            if memories.as_of(memory, now).status == memories.ACTIVE:
                asker = Asker(memory.user_id, memory.project)
                limits = Filters(asker=asker, sources=("memories",))
                yield memory.key, memory.content, limits
    elif name == "turns":
        # What was taken back or said anew since is no answer, nor is a turn that said no more.
        ended = {fact.turn_key for fact in gaps.settled(keys)}
        for turn in write.stored_turns(keys).values():
            if turn.key not in ended and (turn.expires_at is None or turn.expires_at > now):
                limits = Filters(asker=Asker(turn.user_id, turn.project), sources=("turns",))
                yield turn.key, turn.content, limits
