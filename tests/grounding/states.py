"""Memories that tests of checkpoints write, and what can be read of them."""

import random
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime

from knowwhy import models
from knowwhy.tables.kept import memories
from knowwhy.tables.kept.memory_search import nearest_memories
from knowwhy.tables.write import queue
from knowwhy.types import Asker, Change, Memory

WORDS = ("redis", "kafka", "postgres", "bento", "resend", "lambda", "queue", "cache", "index")
MOST_NEAR = 10
START = datetime(2026, 1, 1, tzinfo=UTC)
QUESTIONS = ("the redis cache", "a kafka queue", "mail by bento", "postgres index", "retry budget")


def made(number: int, user: str | None, project: str | None = "shop", **more: object) -> Memory:
    """Gives a memory that is told from the others by its number."""
    words = " ".join(WORDS[number * n % len(WORDS)] for n in (1, 3, 5, 7))
    given = {"status": "active", "content": f"claim {number}: {words}", "kind": "fact", **more}
    return Memory(
        key=f"m-{user}-{number}",
        user_id=user,
        project=project,
        created_at=START,
        touched_at=START,
        **given,
    )


def add(*given: Memory, replacing: Iterable[Memory] = ()) -> None:
    """Stores new memories, and what they replace."""
    old = list(replacing)
    changes = [Change(memory.key, "added") for memory in given]
    changes += [Change(memory.key, "superseded") for memory in old]
    with queue("memories"):
        memories.put(given, changes, replacing=old)


def change(*given: Memory, what: str = "updated") -> None:
    """Writes memories over the stored ones."""
    with queue("memories"):
        memories.update(given, [Change(memory.key, what) for memory in given])


def rows(user: str | None, *, touched: bool = False) -> dict[str, Memory]:
    """Gives every memory of a user, whatever its state, by key."""
    asker = Asker(user, None if user else "shop")
    found = memories.memories(asker, statuses=memories.STATUSES, owned=True, limit=1_000)
    return {m.key: m if touched else replace(m, touched_at=START) for m in found}


def answers(user: str, project: str | None = "shop") -> list[object]:
    """Gives what a user can read of what stands: lists, counts and the nearest of questions."""
    asker, told = Asker(user, project), []
    for status in ("active", "pending", "refused", "superseded", "expired"):
        listed = memories.memories(asker, statuses=(status,), limit=1_000)
        told += [[replace(m, touched_at=START) for m in listed]]
        told += [memories.count(asker, statuses=(status,))]
    return told + [nearest(question, user, project) for question in QUESTIONS]


def nearest(question: str, user: str, project: str | None = "shop") -> list[tuple[str, float]]:
    """Gives the live memories nearest to a question; of several last ones that are equal, none."""
    found = nearest_memories(
        models.embed_query(question, "wordhash"),
        MOST_NEAR,
        user_id=user,
        project=project,
        statuses=("active", "pending"),
        embedder="wordhash",
        now=datetime.now(UTC),
    )
    told = sorted((memory.key, round(score, 5)) for memory, score in found)
    last = min(score for _, score in told) if len(told) == MOST_NEAR else None
    return [(key, score) for key, score in told if score != last]


def write_at_random(chance: random.Random, users: list[str], count: int, first: int) -> None:
    """Makes so many writes: new, superseding, retracting, approving and rewording ones."""
    held = {user: list(rows(user).values()) for user in users}
    for number in range(first, first + count):
        user = chance.choice(users)
        own, what = held[user], chance.choice("asrpw")
        place = chance.randrange(len(own)) if own and what != "a" else None
        if place is None:
            project = chance.choice(["shop", "mail", None])
            status = chance.choice(["active", "active", "pending", "refused"])
            own.append(made(number, user, project, status=status))
            add(own[-1])
        elif what == "s":
            own[place] = replace(own[place], status="superseded", why="It was said anew.")
            own.append(made(number, user, own[place].project, supersedes=own[place].key))
            add(own[-1], replacing=[own[place]])
        else:
            own[place] = replace(own[place], **_done(what, number))
            change(own[place])


def _done(what: str, number: int) -> dict[str, object]:
    at = datetime.now(UTC)
    return {
        "r": {"status": "retracted", "why": f"It is wrong, says {number}."},
        "p": {"status": "active", "verified_at": at, "verified_by": "someone", "why": None},
        "w": {"content": f"said otherwise {number} about {WORDS[number % len(WORDS)]}"},
    }[what]
