"""What a search hands out: records, memories and turns, each once, with where it comes from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from knowwhy.retrieval.legs import Found, Stage
from knowwhy.retrieval.plans import Plan
from knowwhy.retrieval.reread import Reread
from knowwhy.retrieval.speaking import Speaking
from knowwhy.tables.edges import STATED
from knowwhy.tables.recallable import EXTRACTED, RAW, VERIFIED, Said
from knowwhy.text.formats.stated import on_a_line
from knowwhy.text.question.answer_forms import words_asked
from knowwhy.text.suspicious import suspicion
from knowwhy.text.tokens import canonical_id, tokens
from knowwhy.types import Memory, Passage

REPLACING = ("SUPERSEDED_BY", "SUPERSEDES")  # links that say whether a record holds
PLAIN = frozenset(("by", *(name.replace("_", " ").lower() for name in REPLACING)))
MOST_PEOPLE = 5  # names on a line
MOST_REPLACED = 3  # records on a line
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
    beside: tuple[Passage, ...] = ()  # others of the record that answer too, best first
    more: tuple[Passage, ...] = ()  # others of it that have the question's words, best first
    facts: tuple[str, ...] = ()  # what its head states: who, when, how grave, what it replaces

    @property
    def suspicious(self) -> str | None:
        """Says why its text is suspicious of giving orders to its reader."""
        texts = (passage.text for passage in (self.passage, *self.beside, *self.more))
        shown = (self.passage.title, *texts, *self.facts, self.replaces or "", *self.outdated)
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
    spoken: Mapping[str, Speaking],
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
        one = spoken.get(key)
        return Hit(
            one.passage if one else passages[key],
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
            one.beside if one else (),
            one.more if one else (),
            () if key in found.said else facts_of(key, stage),
        )

    keys = [key for key in once(read.keys, found) if key in passages][: stage.asking.k]
    return tuple(hit(key) for key in keys)


def facts_of(key: str, stage: Stage) -> tuple[str, ...]:
    """Gives what a record's head states, those first that the question names."""
    record = stage.graph.records.get(key)
    if record is None:
        return ()
    draft = record.draft
    fields = [(name, value) for name, value in draft.metadata.get(STATED, ())]
    told = "\n".join(value.casefold() for _, value in fields)
    day = draft.occurred_at.date().isoformat() if draft.occurred_at else None
    people = [name for name in draft.authors[:MOST_PEOPLE] if name.casefold() not in told]
    if people:
        fields.insert(0, ("by", ", ".join(people)))
    for relation in REPLACING:
        targets = [edge.target for edge in record.links if edge.relation == relation]
        labels = [target for target in targets if canonical_id(target)]
        if targets := labels or targets:  # a text names the same one by its file too
            name = relation.replace("_", " ").lower()
            fields = [(n, v) for n, v in fields if n != name]
            fields.insert(0, (name, ", ".join(dict.fromkeys(targets[:MOST_REPLACED]))))
    asked = words_asked(stage.asking.question)
    fields.sort(key=lambda fact: not asked.intersection(tokens(fact[0])))
    known = (day, (draft.title or "").casefold())
    plain = (
        f"{name} {value}" if name in PLAIN else f"{name}: {value}"
        for name, value in fields
        if value.casefold() not in known
    )
    return tuple(on_a_line(plain))
