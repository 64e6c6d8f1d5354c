"""What a search hands out: records, memories and turns, each once, with where it comes from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from knowwhy.retrieval.legs import Found, Stage
from knowwhy.retrieval.plans import Plan
from knowwhy.retrieval.reread import Reread
from knowwhy.tables.recallable import EXTRACTED, RAW, VERIFIED, Said
from knowwhy.text.suspicious import suspicion
from knowwhy.types import Memory, Passage

SAYS_IT = 0.6  # of a text's characters, from which on one taken from it stands for it


@dataclass(frozen=True, slots=True)
class Hit:
    """A record that answers, by its best passage."""

    passage: Passage
    score: float
    ranks: Mapping[
        str, int
    ]  # each leg's rank of the record, from 1; a leg that missed it is absent
    parts: Mapping[str, float] = field(default_factory=dict)  # what each leg adds to the fused sum
    read: float | None = None  # the cross-encoder's score, where it was asked
    path: tuple[tuple[str, str], ...] = ()  # the walk that leads here: each node, how it is reached
    said: Said | None = None  # the memory or turn that this is, where it is one
    replaces: str | None = None  # what a memory said before it was superseded by this one
    relevance: float = 1.0  # what it still has of it, for a memory that nobody has asked for
    outdated: tuple[str, ...] = ()  # what of a turn no longer holds
    lent_by: tuple[str, ...] = ()  # names of pools, where only they let the asker read it

    @property
    def suspicious(self) -> str | None:
        """Says why its text is suspicious of giving orders to its reader."""
        shown = (self.passage.title, self.passage.text, self.replaces or "", *self.outdated)
        return next(filter(None, map(suspicion, shown)), None)


def once(keys: Sequence[str], found: Found) -> tuple[str, ...]:
    """Gives a turn and what was learned from it once: the first of them, which answers best.

    Where another says as much, a verified memory goes before one that was only extracted, and that
    before the raw turn; a fact that is a small part of a long turn does not stand for it.
    """
    best: dict[tuple[bool, str], str] = {}
    for key in keys:
        said = found.said.get(key)
        turn = said.turn_key if isinstance(said, Memory) else None
        of = (said is not None, turn or key)  # a record may have the key of a turn
        if of not in best or _is_better(key, best[of], found):
            best[of] = key
    return tuple(best.values())


def _is_better(key: str, other: str, found: Found) -> bool:
    """Tells whether a text of a turn is vouched for better than another and says as much."""
    says_it = stands_for(found.said[key].content, found.said[other].content)
    return says_it and _standing(key, found) < _standing(other, found)


def stands_for(text: str, whole: str) -> bool:
    """Tells whether what was taken from a text says about all of it."""
    return len(text) >= SAYS_IT * len(whole)


def _standing(key: str, found: Found) -> int:
    said = found.said[key]
    if isinstance(said, Memory):
        return VERIFIED if said.verified_at else EXTRACTED
    return RAW


def hits_of(
    stage: Stage,
    read: Reread,
    passages: Mapping[str, Passage],
    found: Found,
    plan: Plan,
    shares: Mapping[str, float],
) -> tuple[Hit, ...]:
    """Gives the hits in their last order, each with what every leg says of it."""
    ranks = {leg: {key: n for n, key in enumerate(keys, 1)} for leg, keys in found.keys.items()}
    paths = {reached.key: reached.path for reached in found.related.answers}
    pools = dict(stage.asking.pools)

    def hit(key: str) -> Hit:
        at = {leg: ranked[key] for leg, ranked in ranks.items() if key in ranked}
        parts = {leg: plan.weights[leg] / (plan.k + rank) for leg, rank in at.items()}
        score = sum(parts.values())
        return Hit(
            passages[key],
            score,
            at,
            parts,
            read.scores.get(key),
            paths.get(key, ()),
            found.said.get(key),
            found.before.get(key),
            shares.get(key, 1.0),
            found.outdated.get(key, ()),
            pools.get(key, ()) if key in found.said else (),
        )

    keys = [key for key in once(read.keys, found) if key in passages][: stage.asking.k]
    return tuple(hit(key) for key in keys)
