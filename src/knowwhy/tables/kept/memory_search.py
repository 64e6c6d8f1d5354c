"""What stands already beside a claim: memories like it, of its topic, and what it cites."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from functools import reduce
from math import isfinite
from operator import or_
from typing import Any

import sqlalchemy as sql
from numpy.typing import NDArray

from knowwhy import models
from knowwhy.tables import direct
from knowwhy.tables.failures import translated
from knowwhy.tables.indexed import INDEXED_CHARACTERS
from knowwhy.tables.kept.memories import ACTIVE, MEMORY, held, read_directly, read_rows, standing
from knowwhy.tables.reading import reading
from knowwhy.tables.talk.turns import safe_name
from knowwhy.tables.vectors.holders import of_model
from knowwhy.tables.write import table
from knowwhy.text.sameness.same_words import words_hash
from knowwhy.types import Citation, Memory

AT_ONCE = 100  # values that one question may name
WIDEST = 6  # digits of a padded number: RFC-000123
Scope = tuple[str | None, str | None]  # of a user, in a project
AFTER_HEX = "g"  # sorts behind every hexadecimal digit


def nearest_memories(
    vector: NDArray[Any],
    k: int,
    *,
    user_id: str | None,
    project: str | None,
    statuses: Collection[str],
    embedder: str,
    now: datetime,
) -> list[tuple[Memory, float]]:
    """Finds the k memories of exactly one scope that are nearest to a vector, by cosine."""
    scope: dict[str, Any] = {"user_id": user_id, "project": project, "statuses": statuses}
    return nearest_to([vector], k, embedder=embedder, now=now, **scope)[0]


def nearest_to(
    vectors: Sequence[NDArray[Any]],
    k: int,
    *,
    user_id: str | None,
    project: str | None,
    statuses: Collection[str],
    embedder: str,
    now: datetime,
) -> list[list[tuple[Memory, float]]]:
    """Finds what is nearest to each of several vectors, each memory being read once."""
    source = table("memory_vectors")
    doing = "looking for memories that are alike"
    with of_model(embedder), translated(doing), reading(source):
        scope = _within(source, user_id, project) & standing(source, statuses, now)
        within, key, text = source.where(scope), source.key, source.search_text
        found = []
        for vector in vectors:
            near = text.similarity(vector=vector, idx=models.tag(embedder))
            nearest = within.order_by(near, asc=False).limit(k)
            found.append(
                [(r["key"], r["near"]) for r in nearest.select(key=key, near=near).collect()]
            )
    read = held({key for near in found for key, _ in near})
    scored = [[(read[key], float(s)) for key, s in near if _is_score(s)] for near in found]
    # The index gives them in about this order only; what is equally near stays as it came.
    return [sorted(near, key=lambda pair: pair[1], reverse=True) for near in scored]


def on_topic(
    topics: Iterable[str],
    *,
    user_id: str | None,
    project: str | None,
    statuses: Collection[str],
    now: datetime,
) -> list[Memory]:
    """Finds the memories of exactly one scope that are about one of the topics, newest first."""
    found = [
        memory
        for some in _pages(topics)
        for memory in _live("topic", some, user_id, project, statuses, now)
    ]
    return sorted(found, key=lambda memory: (memory.created_at, memory.key), reverse=True)


def mentioning(
    name: str,
    *,
    user_id: str | None,
    project: str | None,
    statuses: Collection[str],
    now: datetime,
) -> list[Memory]:
    """Finds the newest memories of exactly one scope whose words name something."""
    source = table("memories")
    scope = _within(source, user_id, project) & standing(source, statuses, now)
    named = source.where(scope & source.content.contains(name, case=False))
    newest = named.order_by(source.created_at, source.key, asc=False).limit(AT_ONCE)
    return [memory for memory, _ in read_rows(source, newest)]


def elsewhere(
    user_id: str, project: str | None, *, topic: str, name: str, now: datetime
) -> list[Memory]:
    """Finds the newest active memories of one user about a topic or a name, in another scope.

    They are what that user sees beside a claim: of a project what is of none, of none what is in
    any project.
    """
    rows = direct.live_rows("memories").c
    own = rows.user_id_indexed == safe_name(user_id)
    there = rows.project.is_not(None) if project is None else rows.project.is_(None)
    named = (rows.topic == topic) | (
        rows.content.icontains(name, autoescape=True) if name else sql.false()
    )
    wanted = sql.select(*(rows[name] for name in MEMORY)).where(
        own & there & named & standing(rows, (ACTIVE,), now)
    )
    newest = wanted.order_by(rows.created_at.desc(), rows.key.desc()).limit(AT_ONCE)
    return read_directly("looking at what a user keeps elsewhere", newest)


def same_words(
    hashes: Iterable[str],
    *,
    user_id: str | None,
    project: str | None,
    statuses: Collection[str],
    now: datetime,
) -> dict[str, list[Memory]]:
    """Finds the memories of exactly one scope that say the same words, by the words' hash."""
    found: dict[str, list[Memory]] = defaultdict(list)
    for some in _pages(hashes):
        for memory in _live("words", some, user_id, project, statuses, now):
            found[words_hash(memory.subject, memory.content)].append(memory)
    return found


def existing(cited: Iterable[Citation], project: str | None) -> set[str]:
    """Gives those targets of citations that name a live record, its path or its commit.

    A project's claims are held against its own records and those of no project, as its questions
    are; claims of no project against all.
    """
    targets = {citation.target: citation.kind for citation in cited}
    commits = [target for target, kind in targets.items() if kind == "commit"]
    names = [target for target, kind in targets.items() if kind != "commit"]
    with translated("looking up what is cited"):
        return _named(names, safe_name(project)) | _committed(commits, safe_name(project))


def vectors_of(keys: Sequence[str], embedder: str) -> dict[str, NDArray[Any]]:
    """Gives the stored vectors of memories, by the text that they stand for."""
    if not keys:
        return {}
    source = table("memory_vectors")
    with of_model(embedder), translated("reading vectors"):
        vector = source.search_text.embedding(idx=models.tag(embedder))
        found = source.where(source.key.isin(list(keys)))
        rows = found.select(text=source.search_text, vector=vector).collect()
    return {row["text"]: row["vector"] for row in rows if row["vector"] is not None}


def have_moved(
    since: int,
    scopes: Iterable[Scope],
    *,
    users: Collection[str | None] = (),
    keys: Sequence[str] = (),
) -> bool:
    """Tells whether memories were written after a version of theirs.

    In one of some scopes exactly, of some users in any, or with one of some keys.
    """
    rows = direct.live_rows_since("memories").c
    within = [_is(rows.user_id, user) & _is(rows.project, project) for user, project in scopes]
    wanted = sql.or_(rows.user_id.in_(users), rows.key.in_(keys), *within)
    there = sql.select(sql.exists().where(wanted).label("there"))
    return bool(direct.select("looking for new memories", there, since=since)[0]["there"])


def _is(column: Any, value: str | None) -> Any:
    return column.is_(None) if value is None else column == value


def _is_score(score: float | None) -> bool:
    """Tells a cosine from what the store gives where there is no vector."""
    return score is not None and isfinite(score)


def _live(
    column: str,
    values: Sequence[str],
    user_id: str | None,
    project: str | None,
    statuses: Collection[str],
    now: datetime,
) -> list[Memory]:
    """Gives the memories of exactly one scope with one of these values, by one statement."""
    rows = direct.live_rows("memories").c
    first = [value[:INDEXED_CHARACTERS] for value in values]
    named = rows[f"{column}_indexed"].in_(first) & rows[column].in_(values)
    scope = _within(rows, user_id, project) & standing(rows, statuses, now)
    wanted = sql.select(*(rows[name] for name in MEMORY)).where(named & scope).order_by(rows.key)
    return read_directly("looking for memories beside a claim", wanted)


def _within(source: Any, user_id: str | None, project: str | None) -> Any:
    return (source.user_id == safe_name(user_id)) & (source.project == safe_name(project))


def _named(names: Sequence[str], project: str | None) -> set[str]:
    """Gives those names that are a live record's key, label or path."""
    records = table("records")
    found: set[str] = set()
    spelled = {spelling: name for name in names for spelling in (*_spellings(name), name)}
    for some in _pages(spelled):
        with reading(records):
            is_named = records.key.isin(some) | records.label.isin(some) | records.path.isin(some)
            live = is_named & (records.retired_at == None)  # noqa: E711  # SQL
            query = records.where(_here(records, live, project))
            rows = query.select(key=records.key, label=records.label, path=records.path).collect()
        found |= {spelled[value] for row in rows for value in row.values() if value in spelled}
    return found


def _spellings(name: str) -> list[str]:
    """Gives a record's id with the zeros that its author may have put before its number."""
    family, dash, number = name.rpartition("-")
    if not dash or not number.isdecimal():
        return []
    return [f"{family}-{number.zfill(width)}" for width in range(len(number) + 1, WIDEST + 1)]


def _committed(commits: Sequence[str], project: str | None) -> set[str]:
    """Gives those short or whole commit hashes that a record or a synced repository is at."""
    known: set[str] = set()
    for name in ("records", "repositories"):
        for some in _pages(commits):
            source = table(name)
            with reading(source):
                begins = [(source.commit >= c) & (source.commit < c + AFTER_HEX) for c in some]
                query = source.where(_here(source, reduce(or_, begins), project))
                known |= {row["commit"] for row in query.select(commit=source.commit).collect()}
    return {commit for commit in commits if any(full.startswith(commit) for full in known)}


def _here(source: Any, wanted: Any, project: str | None) -> Any:
    if project is None:
        return wanted
    return wanted & ((source.project == None) | (source.project == project))  # noqa: E711  # SQL


def _pages(values: Iterable[str]) -> list[list[str]]:
    distinct = sorted(set(values))
    return [distinct[start : start + AT_ONCE] for start in range(0, len(distinct), AT_ONCE)]
