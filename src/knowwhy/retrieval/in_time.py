"""What a question says of time, as a search keeps to it: records of that time come first.

Where nothing else is asked they are all that there is of the time, as by a walk; else they are
looked for beside the others, and of those that answer well they go before. None is hidden: that is
what the filters are for.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import zip_longest
from typing import TypeVar

from knowwhy.graph.build import Graph, family
from knowwhy.graph.walk import walk
from knowwhy.retrieval.clock import Clock
from knowwhy.retrieval.legs import Found, Stage, candidates
from knowwhy.retrieval.reread import Reread
from knowwhy.retrieval.understand import listing
from knowwhy.text.question.question_times import left_out, told
from knowwhy.text.question.question_when import When
from knowwhy.text.tokens import tokens
from knowwhy.types import ALWAYS, Between, Filters, Passage

# Below the best score by so much a text speaks of the question's matter in passing at most.
FAR = 5.0

Item = TypeVar("Item")


def with_dated(stage: Stage, found: Found, clock: Clock) -> Found:
    """Looks in the time that a question names too: every second candidate is from there."""
    span = _both(stage.understood.when.span, stage.asking.filters.dated)
    if not stage.understood.when.span or span == stage.asking.filters.dated:
        return found
    filters = replace(stage.asking.filters, dated=span)
    within = replace(stage, asking=replace(stage.asking, filters=filters))
    inside = candidates(within, clock, found.vector)
    for leg, places in inside.places.items():
        found.places[leg] = _alternating(places, found.places.get(leg, []))
    for leg, keys in inside.keys.items():
        found.keys[leg] = _alternating(keys, found.keys.get(leg, []))
    found.nearness |= inside.nearness
    found.failed += [told for told in inside.failed if told not in found.failed]
    return found


def _both(one: Between, other: Between) -> Between:
    """Gives the time that is in both spans."""
    after = max(filter(None, (one.after, other.after)), default=None)
    return Between(after, min(filter(None, (one.before, other.before)), default=None))


def _alternating(some: Sequence[Item], others: Sequence[Item]) -> list[Item]:
    pairs = zip_longest(some, others)
    return list(dict.fromkeys(item for pair in pairs for item in pair if item is not None))


def by_time(read: Reread, passages: Mapping[str, Passage], stage: Stage) -> Reread:
    """Puts what answers well and is of the time asked for first, by date where that is asked."""
    when = stage.understood.when
    if not when:
        return read
    here = [key for key in read.keys if key in passages]
    good = _good(here, read, passages, when)
    wanted = [key for key in good if _is_meant(key, passages[key], stage)]
    if when.order:
        wanted.sort(key=lambda key: _by_date(passages[key].occurred_at, when.order == "first"))
    return replace(read, keys=tuple(dict.fromkeys((*wanted, *good, *read.keys))))


def _good(
    keys: Sequence[str], read: Reread, passages: Mapping[str, Passage], when: When
) -> list[str]:
    """Gives what answers well: by the cross-encoder, else by sharing the words of the matter."""
    if read.scores:
        enough = max(read.scores.values()) - FAR
        return [key for key in keys if read.scores.get(key, -math.inf) >= enough]
    wanted = set(tokens(" ".join(when.topic)))
    shared = {key: len(wanted & set(tokens(passages[key].search_text))) for key in keys}
    most = max(shared.values(), default=0)
    return [key for key in keys if shared[key] == most]


def _is_meant(key: str, passage: Passage, stage: Stage) -> bool:
    """Tells whether something is of the time that is asked for, and a record of the kind."""
    when = stage.understood.when
    if not when.span.holds(passage.occurred_at):
        return False
    return not when.order or passage.pos < 0 or _is_kind(passage, when)


def _is_of(passage: Passage, when: When) -> bool:
    """Tells whether something shown is of the time and kind of which records are asked for."""
    return when.span.holds(passage.occurred_at) and _is_kind(passage, when)


def _is_kind(passage: Passage, when: When) -> bool:
    kinds = {passage.kind.lower(), family(passage.label)}
    return not when.kinds or bool(kinds & set(when.kinds))


def _by_date(at: datetime | None, is_oldest_first: bool) -> float:
    """Orders by date; what has none comes last."""
    if at is None:
        return math.inf
    return at.timestamp() if is_oldest_first else -at.timestamp()


def told_of_time(
    stage: Stage, found: Found, shown: Iterable[Passage], *, is_walked: bool
) -> Iterator[str]:
    """Says as which time a question was read, and what that leaves out or that nothing is of it."""
    filters, when, chain = stage.asking.filters, stage.understood.when, stage.understood.chain
    if is_walked and chain and (chain.after or chain.before or chain.month or chain.order):
        yield f"read as {stage.understood.reading}"
    elif when and not is_walked:
        yield f"read as {when.told()}"
    if filters.dated and (undated := _undated(stage.graph, filters)):
        yield left_out(undated)
    is_of_it = any(_is_of(passage, when) for passage in shown)
    if when.span and not is_walked and not is_of_it and _is_nothing_of(stage, found):
        yield f"there is no {' or '.join(when.kinds) or 'record'} {told(when.span)}"


def _is_nothing_of(stage: Stage, found: Found) -> bool:
    """Tells whether no record is of a time and kind, of all that the asker may see.

    Where the listing has not looked at the records nobody knows.
    """
    filters, chain = stage.asking.filters, listing(stage.understood.when)
    has_looked = "graph" in stage.asking.legs and "records" in filters.sources
    if chain is None or not has_looked or filters.lent_only or found.failed:
        return False
    return not walk(stage.graph, chain, replace(filters, kinds=None, service=None, dated=ALWAYS))


def _undated(graph: Graph, filters: Filters) -> int:
    """Counts the records that are looked at but for having no date, once a version."""
    if "records" not in filters.sources or filters.lent_only:
        return 0
    anywhere = replace(filters, dated=ALWAYS)
    place = ("undated", filters.project, filters.kinds, filters.service)
    with graph.lock:
        if place not in graph.derived:
            undated = [key for key, r in graph.records.items() if r.draft.occurred_at is None]
            graph.derived[place] = sum(graph.passes(key, anywhere) for key in undated)
        known: int = graph.derived[place]
        return known
