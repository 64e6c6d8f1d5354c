"""What a part of a question stands for: a set reached from named things, and what it is kept to."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from knowwhy.text.question import question_words as words
from knowwhy.text.relating.relation_words import INVERSE, PEOPLE
from knowwhy.types import Chain, Step

MAX_STEPS = 4  # steps; questions by hand have at most three, "the same as" takes two of them
MADE_BY = frozenset(("AUTHORED_BY", "OWNED_BY", "APPROVED_BY"))  # what a walk's people are
_WITH_PEOPLE = PEOPLE | {INVERSE[name] for name in PEOPLE}


@dataclass(frozen=True, slots=True)
class Sense:
    """A set of nodes: where it starts, the steps to it, and what is kept of them."""

    anchors: tuple[str, ...] = ()
    steps: tuple[Step, ...] = ()
    is_people: bool | None = None  # None where the question does not say
    kinds: tuple[str, ...] = ()
    statuses: tuple[str, ...] = ()
    people: tuple[str, ...] = ()
    after: datetime | None = None
    before: datetime | None = None
    month: int | None = None
    order: str | None = None
    other: bool = False
    other_than: tuple[str, ...] = ()
    is_moved: bool = False  # on to what its members had, whose kind is their own

    @property
    def is_open(self) -> bool:
        """Tells whether it is only a kind of thing, not yet tied to anything named."""
        return not self.anchors

    @property
    def is_kept(self) -> bool:
        """Tells whether it is narrowed by what a walk can check only at its end."""
        return bool(
            self.statuses or self.people or self.after or self.before or self.month or self.order
        )


def taken(sense: Sense, step: Step) -> Sense | None:
    """Return what one step leads to from a set, or None where that makes no sense."""
    if sense.is_open or sense.is_kept or len(sense.steps) == MAX_STEPS:
        return None
    to_people = _leads_to_people(step)
    if to_people is not None and sense.is_people is to_people:
        return None  # the author of a person, what a record wrote
    if to_people is None and sense.is_people:
        return None
    return Sense(sense.anchors, (*sense.steps, step), bool(to_people), other=sense.other)


def _leads_to_people(step: Step) -> bool | None:
    """Tell whether a step leads to people, or from them; None for a step between things."""
    if not _WITH_PEOPLE.intersection(step.relations):
        return None
    return step.forward == bool(PEOPLE.intersection(step.relations))


def along(sense: Sense, relation: str) -> Sense | None:
    """Return what the members of a set have this relation to."""
    return taken(sense, words.step(relation, forward=True))


def against(sense: Sense, relation: str) -> Sense | None:
    """Return what has this relation to the members of a set."""
    return taken(sense, words.step(relation, forward=False))


def alike(sense: Sense, relation: str) -> Sense | None:
    """Return what has this relation to the same as the members of a set have."""
    same = along(sense, relation)
    found = taken(same, words.step(relation, forward=False)) if same else None
    return found and replace(found, other=True)


def both(one: Sense, two: Sense) -> Sense | None:
    """Return what is in both sets, or None where a walk cannot tell."""
    if one.is_people is not None and two.is_people is not None and one.is_people != two.is_people:
        return None
    if not one.is_open and not two.is_open:
        if _is_by_people(two):
            one, two = replace(one, people=one.people + two.anchors), _kept_only(two)
        elif _is_by_people(one):
            one, two = replace(two, people=two.people + one.anchors), _kept_only(one)
        else:
            return None
    base, added = (one, two) if two.is_open else (two, one)
    return _narrowed(base, added)


def _is_by_people(sense: Sense) -> bool:
    if len(sense.steps) != 1:
        return False
    step = sense.steps[0]
    return not step.forward and MADE_BY.issuperset(step.relations)


def _kept_only(sense: Sense) -> Sense:
    return replace(sense, anchors=(), steps=())


def _narrowed(base: Sense, added: Sense) -> Sense | None:
    if base.order and added.order and base.order != added.order:
        return None
    return replace(
        base,
        is_people=added.is_people if base.is_people is None else base.is_people,
        kinds=base.kinds if base.is_moved else added.kinds or base.kinds,
        statuses=tuple(dict.fromkeys(base.statuses + added.statuses)),
        people=base.people + added.people,
        after=max(filter(None, (base.after, added.after)), default=None),
        before=min(filter(None, (base.before, added.before)), default=None),
        month=base.month or added.month,
        order=base.order or added.order,
        other=base.other or added.other,
        other_than=base.other_than + added.other_than,
    )


def chain_of(sense: Sense, hops: int | None, kinds: Iterable[str]) -> Chain:
    """Return the walk that a whole question asks for; its last step takes so many hops."""
    steps = sense.steps
    if hops != 1:
        steps = (*steps[:-1], replace(steps[-1], hops=hops))
    is_other = sense.other or len(steps) > 1
    return Chain(
        anchors=sense.anchors,
        steps=steps,
        kinds=tuple(kinds),
        statuses=sense.statuses,
        people=sense.people,
        after=sense.after,
        before=sense.before,
        month=sense.month,
        order=sense.order,
        other_than=tuple(dict.fromkeys((*sense.other_than, *(sense.anchors if is_other else ())))),
    )
