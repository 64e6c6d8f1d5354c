"""Lets a paid model judge the pairs that rules leave unclear, one after another, under its cap.

What cannot be asked, whatever the reason, stays as it is and waits among the cursors for the next
night. No queue is held while the model thinks.
"""

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from knowwhy.errors import BadInput, ModelBusy, ModelUnavailable
from knowwhy.grounding.claims import ANCHORS
from knowwhy.janitor.joining import Pair, is_kept_as_long, plan, rank
from knowwhy.janitor.night import Judge, Night
from knowwhy.models import claude_judge
from knowwhy.models.claude_judge import DIFFERENT, SAME, Judgement
from knowwhy.tables.kept import lookalikes, memories, peers, upkeep
from knowwhy.tables.kept.memories import ACTIVE, SUPERSEDED, as_of
from knowwhy.tables.kept.peers import ONE
from knowwhy.tables.talk import spends
from knowwhy.text.pages.passages import search_text
from knowwhy.types import Memory

RULES, ANTHROPIC = "rules", "anthropic"  # what can be set
CURSOR = "judge"  # among the cursors of a run: the pairs that wait
MOST_WAITING = 1_000  # pairs: 70 KB of a run's row; more are told and not asked about
MOST_ASKED = 200  # pairs of one night: some ten minutes, and about a dollar
MOST_FAILURES = 3  # one after another; then the service is left alone until the next night
PAUSE, LONGEST_PAUSE = 2.0, 20.0  # seconds after one: what the service asks for, within bounds


@dataclass(slots=True)
class Judged:
    """What a model made of the pairs of one night."""

    same: list[Pair] = field(default_factory=list)  # and merged
    different: list[Pair] = field(default_factory=list)
    open: list[Pair] = field(default_factory=list)  # which nobody can tell, or may not be merged
    waiting: list[Pair] = field(default_factory=list)
    asked: int = 0
    micro_dollars: int = 0
    problem: str | None = None  # why what waits does


def chosen(name: str, model: str, daily_dollars: float) -> Judge | None:
    """Gives the judge that is set; None where rules alone decide."""
    if name == RULES:
        return None
    if name != ANTHROPIC:
        raise BadInput(f"There is no judge {name!r}; set KNOWWHY_JUDGE to rules or to anthropic.")
    if not model.strip() or model != model.strip():
        raise BadInput(f"KNOWWHY_JUDGE_MODEL is {model!r}; it must be the id of a model.")
    return Judge(model, daily_dollars)


def wait(night: Night, pairs: Iterable[Pair]) -> None:
    """Lets pairs wait to be judged, each once."""
    if night.judge is None:
        return
    known = {frozenset((pair.stays, pair.goes)): pair for pair in waiting(night)}
    known |= {frozenset((pair.stays, pair.goes)): pair for pair in pairs}
    _note(night, list(known.values())[:MOST_WAITING])


def waiting(night: Night) -> list[Pair]:
    """Gives the pairs that wait, the first first."""
    return [Pair(*told) for told in night.cursors.get(CURSOR) or ()]


def judge_pairs(now: datetime, night: Night) -> Judged:
    """Asks about what waits as far as time, money and the service allow; merges the same."""
    found = Judged(waiting=unsettled(waiting(night)))
    if night.judge is None:
        return found
    failures = 0
    while found.waiting and found.asked < MOST_ASKED and not night.is_over():
        try:
            _settle(found, night, now)
        except ModelUnavailable as error:
            failures, found.problem = failures + 1, str(error)
            if not isinstance(error, ModelBusy) or failures == MOST_FAILURES:
                break
            time.sleep(min(PAUSE if error.wait is None else error.wait, LONGEST_PAUSE))
        else:
            failures, found.problem = 0, None
        _note(night, found.waiting)
        night.keep()
    return found


def unsettled(pairs: Sequence[Pair]) -> list[Pair]:
    """Leaves out what somebody has settled while it waited."""
    settled = lookalikes.differing([(pair.stays, pair.goes) for pair in pairs])
    return [pair for pair in pairs if frozenset((pair.stays, pair.goes)) not in settled]


def _settle(found: Judged, night: Night, now: datetime) -> None:
    """Takes the first pair that waits, asks where that is of use, and does what follows."""
    pair = found.waiting[0]
    both = _standing(pair, now) if unsettled([pair]) else None
    if both is None:  # somebody has changed one of them meanwhile, or settled them
        del found.waiting[0]
        return
    stays, goes = both
    pair = Pair(stays.key, goes.key, pair.score)
    texts = [search_text(memory.subject, None, memory.content) for memory in both]
    is_firm = goes.key in peers.by_people() or goes.kind in ANCHORS
    if is_firm or not claude_judge.can_be_judged(texts[0], texts[1]):
        found.open.append(pair)
        del found.waiting[0]
        return
    assert night.judge is not None
    said = _asked(night.judge, texts)
    found.asked += 1
    found.micro_dollars += said.usage.micro_dollars
    del found.waiting[0]
    if said.verdict == SAME:
        why = f"{night.judge.model} judged that it says the same: {said.reason}"
        plans = [plan([pair], night.signed("merge"), why)]
        if any(m.status == SUPERSEDED for m in upkeep.carry_out(plans, now, dry_run=False)):
            found.same.append(pair)
    else:
        (found.different if said.verdict == DIFFERENT else found.open).append(pair)


def _standing(pair: Pair, now: datetime) -> tuple[Memory, Memory] | None:
    """Gives two memories, first the one that stays; None where they cannot be one any more."""
    stored = [as_of(memory, now) for memory in memories.held([pair.stays, pair.goes]).values()]
    if len(stored) != 2 or any(memory.status != ACTIVE for memory in stored):
        return None
    one, other = sorted(stored, key=rank)
    is_one_scope = all(getattr(one, name) == getattr(other, name) for name in ONE)
    return (one, other) if is_one_scope and is_kept_as_long(one, other) else None


def _asked(judge: Judge, texts: Sequence[str]) -> Judgement:
    """Asks about two texts, when that may be paid; what it cost is noted whatever came of it."""
    now = datetime.now(UTC)  # the day that pays for it, however long the night is
    most = claude_judge.most_micro_dollars(texts[0], texts[1], judge.model)
    with spends.paying(judge.model, most, judge.daily_dollars, now) as paid:
        said = claude_judge.judge(texts[0], texts[1], judge.model)
        paid(said.usage)
    return said


def _note(night: Night, pairs: Sequence[Pair]) -> None:
    night.cursors[CURSOR] = [[pair.stays, pair.goes, round(pair.score, 4)] for pair in pairs]
