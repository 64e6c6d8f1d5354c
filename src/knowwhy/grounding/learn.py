"""Reads conversations: turn by turn, with the extractor of the home, each turn once."""

import logging
from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from datetime import datetime

from knowwhy import models
from knowwhy.errors import Error, ModelUnavailable
from knowwhy.grounding import stuck
from knowwhy.models import claude
from knowwhy.tables.talk import extractions, gaps, spends
from knowwhy.tables.talk.extractions import Reading
from knowwhy.tables.talk.gaps import Unread
from knowwhy.text.speech.facts import facts
from knowwhy.text.speech.recalled import without_recalled
from knowwhy.types import Asker, Turn

OLDEST, NEWEST = 24, 8  # turns of a batch: some of the newest, however long the backlog is
ONLY_RECALLED = "[recalled]"  # stands for a turn that held nothing else

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Learner:
    """With what a home learns."""

    embedder: str
    extractor: str = "rules"
    model: str = claude.MODEL  # that a paid extractor asks
    daily_dollars: float = 1.0
    max_pending: int | None = None  # claims of one user that may wait for review
    whose: Asker = gaps.OF_ALL  # the user and the project whose turns are worked on, if named

    @property
    def version(self) -> str:
        """The version of the extractor."""
        return models.extractor_version(self.extractor, self.model)


@dataclass(slots=True)
class Learned:
    """What came of a batch."""

    turns: int = 0  # read
    failed: int = 0  # attempts to read a turn that came to nothing
    facts: int = 0  # judged
    kept: dict[str, int] = field(default_factory=dict)  # of those, by status
    aside: dict[str, Error] = field(default_factory=dict)  # turns that wait, while others need not

    @property
    def is_idle(self) -> bool:
        """Tells whether there was nothing to do."""
        return not (self.turns or self.failed or self.facts or self.aside)

    @property
    def is_blocked(self) -> bool:
        """Tells whether the trouble is with a service, and so with every turn."""
        return any(isinstance(error, ModelUnavailable) for error in self.aside.values())

    def add(self, other: "Learned") -> None:
        """Adds what came of another batch."""
        self.turns += other.turns
        self.failed += other.failed
        self.facts += other.facts
        for status, count in other.kept.items():
            self.kept[status] = self.kept.get(status, 0) + count


def read_turns(
    how: Learner,
    now: datetime,
    *,
    most: int | None = None,
    again: bool = False,
    without: Collection[str] = (),
    stop: Callable[[], bool] = lambda: False,
) -> Learned:
    """Reads a batch of turns that nobody has read, and writes what they state."""
    done = Learned()
    ready: list[Reading] = []
    try:
        for unread in _batch(how, now, most, again, without):
            if stop():
                break
            try:
                ready.append(_read(unread, how, now))
            except ModelUnavailable as error:  # the service's own trouble, not this turn's
                done.aside[unread.turn.key] = error
                break
            if models.is_paid(how.version):  # what was paid for is written at once
                _write(ready, how, done)
    finally:
        _write(ready, how, done)
    return done


def _batch(
    how: Learner, now: datetime, most: int | None, again: bool, without: Collection[str]
) -> list[Unread]:
    oldest, newest = (OLDEST, NEWEST) if most is None else (min(most, OLDEST), 0)
    return gaps.unread(
        how.version,
        now=now,
        oldest=oldest,
        newest=newest,
        again=again,
        without=without,
        whose=how.whose,
    )


def _write(ready: list[Reading], how: Learner, done: Learned) -> None:
    if not ready:
        return
    with stuck.noted([reading.turn.key for reading in ready]):
        extractions.put(ready, how.embedder)
    done.failed += sum(reading.failed is not None for reading in ready)
    done.turns += sum(reading.failed is None for reading in ready)
    ready.clear()


def _read(unread: Unread, how: Learner, now: datetime) -> Reading:
    """Reads one turn, without what was recalled in it; a turn that cannot be read says why."""
    said = unread.turn
    with stuck.noted([said.key], reading=True):
        own = without_recalled(said.content)
        context = without_recalled(said.context or "").strip() or None
    turn = replace(said, content=own if own.strip() else ONLY_RECALLED, context=context)
    attempts = unread.attempts + 1
    if not own.strip():
        return Reading(turn, how.version, attempts)
    if models.is_paid(how.version):
        return _read_paid(turn, attempts, how, now)
    try:
        with stuck.noted([said.key], reading=True):
            return Reading(turn, how.version, attempts, tuple(facts(own, context, turn.role)))
    except Exception as error:  # one text that rules stumble over must not hold up the others
        logger.debug("a turn cannot be read", exc_info=True)
        why = f"The rules failed: {type(error).__name__}."
        return Reading(turn, how.version, attempts, failed=why)


def _read_paid(turn: Turn, attempts: int, how: Learner, now: datetime) -> Reading:
    """Asks a paid model, when it may be asked; what the call cost is noted whatever came of it."""
    most = claude.most_micro_dollars(turn.content, turn.context, how.model)
    with spends.paying(how.model, most, how.daily_dollars, now) as paid:
        answer = claude.read(turn.content, turn.context, turn.role, how.model)
        paid(answer.usage)
    return Reading(turn, how.version, attempts, answer.facts, answer.unusable)
