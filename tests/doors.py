"""Every function that reads memories and turns, and those that write them, as a probe calls them.

Each is given who asks, another whose rows must stay unseen, and a number to choose by.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from knowwhy import models
from knowwhy.grounding import checkpoints, lifecycle, memorules, review, worker
from knowwhy.grounding.learn import Learner
from knowwhy.grounding.origin import provenance
from knowwhy.retrieval.context.blocks import pack
from knowwhy.retrieval.search import search
from knowwhy.tables import queries
from knowwhy.tables.kept import contradicted, lookalikes, memories, memory_origins, memory_search
from knowwhy.tables.kept.memories import STATUSES
from knowwhy.tables.talk import handed_out
from knowwhy.tables.talk.turns import history
from knowwhy.text.sameness.same_words import words_hash
from knowwhy.types import SOURCES, Asker, Filters
from planted import NAMED_ALIKE, NOW, SHARED_TEXT, TOPIC, UNUSED, Place

ALL = 1_000
WIDE = "redis kafka bento log"  # shares a word with every memory and turn
HOW: dict[str, Any] = {"embedder": "wordhash", "now": NOW}

Read = Callable[[Asker, Place, int], Any]


def memory_scope(asker: Asker) -> dict[str, Any]:
    """Names exactly one scope, as what compares claims does."""
    scope = {"user_id": asker.user_id, "project": asker.project}
    return {**scope, "statuses": ("active",), "now": NOW}


def asked(asker: Asker, question: str, source: tuple[str, ...] = SOURCES, **more: Any) -> Any:
    """Searches, and leaves out of the answer what was asked and how long it took."""
    filters = Filters(project=asker.project, asker=asker, sources=source, **more.pop("only", {}))
    given = {"embedder": "wordhash", "reranker": "none", "k": 100, **more}
    answer = search(question, filters=filters, **given)
    return replace(answer, question="", milliseconds={})


def in_leg(leg: str, *sources: str) -> Read:
    """Gives a search in one leg; the victim's own word is in every second question."""

    def read(asker: Asker, victim: Place, choice: int) -> Any:
        words = victim.canary if choice % 2 else "sessions"
        return asked(asker, f"redis {words}", sources or SOURCES, legs=(leg,))

    return read


def in_all_legs(asker: Asker, victim: Place, choice: int) -> Any:
    question = (f"What holds {victim.canary}?", "Why did we move from Resend?", "redis")[choice % 3]
    only = ({}, {"service": "billing"}, {"kinds": ("fact", "turn")})[choice // 3 % 3]
    return asked(asker, question, only=only, k=(1, 5, 100)[choice % 3])


def packed(asker: Asker, victim: Place, choice: int) -> Any:
    answer = asked(asker, f"redis {victim.canary}" if choice % 2 else "redis sessions", k=10)
    return pack(answer, 600, history=["what?"])


def near(asker: Asker, victim: Place, choice: int) -> Any:
    vector = models.embed([f"Redis holds {victim.canary}"], "wordhash")[0]
    scope = memory_scope(asker)
    found = memory_search.nearest_memories(vector, 50, embedder="wordhash", **scope)
    return [memory for memory, _ in found]


READS: dict[str, Read] = {  # what a probe calls
    "memories": lambda who, victim, n: memories.memories(who, limit=ALL, now=NOW),
    "memories in any status": lambda who, victim, n: memories.memories(
        who, statuses=STATUSES, limit=ALL, now=NOW
    ),
    "memories of a session": lambda who, victim, n: memories.memories(
        who, session=f"s {victim.canary}", service=(None, "billing")[n % 2], now=NOW
    ),
    "count": lambda who, victim, n: memories.count(who, now=NOW),
    "count of a session": lambda who, victim, n: memories.count(
        who, statuses=STATUSES, session=f"s {victim.canary}", now=NOW
    ),
    "memory": lambda who, victim, n: memories.memory(who, any_key(victim, n), now=NOW),
    "changes": lambda who, victim, n: memories.changes_of(who, any_key(victim, n)),
    "provenance": lambda who, victim, n: provenance(who, any_key(victim, n), now=NOW),
    "pending": lambda who, victim, n: review.pending(who, ALL, now=NOW),
    "alike": lambda who, victim, n: lookalikes.listed(who, ALL, NOW),
    "contradicted": lambda who, victim, n: contradicted.flagged(who, ALL, NOW),
    "review history": lambda who, victim, n: review.history(who, ALL),
    "memorules": lambda who, victim, n: memorules.applying(who, {"scope": "project"}, 9, now=NOW),
    "history": lambda who, victim, n: history(
        who.user_id, who.project, None, (None, "redis")[n % 2], ALL, NOW
    ),
    "history by words": lambda who, victim, n: history(
        who.user_id, who.project, None, f"redis {victim.canary}", ALL, NOW
    ),
    "history of a session": lambda who, victim, n: history(
        who.user_id, who.project, f"s {victim.canary}", None, ALL, NOW
    ),
    "checkpoints": lambda who, victim, n: checkpoints.checkpoints(who),
    "checkpoint": lambda who, victim, n: checkpoints.find(who, a_state(victim, n)),
    "checkpoint of a common name": lambda who, victim, n: checkpoints.find(who, NAMED_ALIKE),
    "checkpoint diff": lambda who, victim, n: checkpoints.diff(who, a_state(victim, n)),
    "nearest": near,
    "on topic": lambda who, victim, n: memory_search.on_topic([TOPIC], **memory_scope(who)),
    "same words": lambda who, victim, n: memory_search.same_words(
        [words_hash(None, SHARED_TEXT)], **memory_scope(who)
    ),
    "mentioning": lambda who, victim, n: memory_search.mentioning(
        victim.canary if n % 2 else "redis", **memory_scope(who)
    ),
    "elsewhere": lambda who, victim, n: (
        memory_search.elsewhere(
            who.user_id, who.project, topic=TOPIC, name=("redis", victim.canary)[n % 2], now=NOW
        )
        if who.user_id
        else []
    ),
    "taken back": lambda who, victim, n: memory_origins.taken_back(
        [words_hash(None, SHARED_TEXT)], [TOPIC], user_id=who.user_id, project=who.project
    ),
    "recalls": lambda who, victim, n: queries.recalls(ALL, who),
    "handed out": lambda who, victim, n: sorted(handed_out.handed_out(who, NOW)),
    "standing of the worker": lambda who, victim, n: worker.standing(Learner("wordhash")),
    "everything": lambda who, victim, n: asked(who, WIDE),
    "told": lambda who, victim, n: asked(who, WIDE, ("memories",)),
    "said": lambda who, victim, n: asked(who, WIDE, ("turns",)),
    "by words": in_leg("bm25"),
    "told, by words": in_leg("bm25", "memories"),
    "said, by words": in_leg("bm25", "turns"),
    "by meaning": in_leg("vector"),
    "told, by meaning": in_leg("vector", "memories"),
    "said, by meaning": in_leg("vector", "turns"),
    "by the graph": in_leg("graph"),
    "search": in_all_legs,
    "context": packed,
}
NAMING = {  # may repeat what they are given: of another's it must be what is said of nobody's
    *("memories of a session", "count of a session", "memory", "changes", "provenance"),
    *("history by words", "history of a session", "checkpoint", "checkpoint diff"),
}
BLIND = {*NAMING, "by words", "told, by words", "said, by words"}
DEAR = {  # take some times as long as others
    *("provenance", "checkpoint diff", "review history", "everything", "told", "said"),
    *("by words", "by meaning", "told, by meaning", "said, by meaning", "by the graph"),
    *("search", "context"),
}


def any_key(victim: Place, choice: int) -> str:
    names = ("fact", "guess", "refused", "old", "new", "wrong", "past", "rule", "read", "shared")
    return victim.key(names[choice % len(names)])


def a_state(victim: Place, choice: int) -> str:
    return f"state {victim.canary}" if choice % 2 else f"k-{victim.digits('state')[:20]}"


WRITES: dict[str, Read] = {
    "approve": lambda who, victim, n: review.approve(who, any_key(victim, n), **HOW),
    "correct": lambda who, victim, n: review.correct(
        who, any_key(victim, n), f"Redis holds {UNUSED}.", **HOW
    ),
    "settle": lambda who, victim, n: review.settle(who, any_key(victim, n), now=NOW),
    "reject": lambda who, victim, n: review.reject(who, any_key(victim, n), "No.", now=NOW),
    "retract": lambda who, victim, n: lifecycle.retract(who, any_key(victim, n), "No.", now=NOW),
    "restore": lambda who, victim, n: lifecycle.restore(who, any_key(victim, n), "Yes.", **HOW),
    "update": lambda who, victim, n: lifecycle.update(
        who, any_key(victim, n), f"Redis holds {UNUSED}.", **HOW
    ),
    "roll back": lambda who, victim, n: checkpoints.roll_back(who, a_state(victim, n)),
    "delete a checkpoint": lambda who, victim, n: checkpoints.delete(who, a_state(victim, n)),
}
