"""From a question to hits: candidates of three legs, fused, then read again in full."""

import logging
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from knowwhy import models
from knowwhy.errors import BadInput
from knowwhy.graph import live
from knowwhy.graph.build import Graph
from knowwhy.retrieval.asking import Asking
from knowwhy.retrieval.borrowed import with_lent
from knowwhy.retrieval.cache import Cache
from knowwhy.retrieval.clock import Clock
from knowwhy.retrieval.current import bring_up_to_date, note_before
from knowwhy.retrieval.fading import faded, relevances
from knowwhy.retrieval.fuse import fuse
from knowwhy.retrieval.hits import Hit, hits_of, once
from knowwhy.retrieval.in_time import by_time, told_of_time, with_dated
from knowwhy.retrieval.legs import (
    CANDIDATES,
    NOW_ONLY,
    WITH_PAST,
    Found,
    Stage,
    best_places,
    candidates,
    fetch,
)
from knowwhy.retrieval.naming import called
from knowwhy.retrieval.narrowed import note_if_empty
from knowwhy.retrieval.page_of_all import at_most, notes_on
from knowwhy.retrieval.plans import LEGS, plan_of
from knowwhy.retrieval.premise import ENOUGH, Premise, Slip, premise_of
from knowwhy.retrieval.read_as import texts_of
from knowwhy.retrieval.related import nearest_labels
from knowwhy.retrieval.reread import DEPTHS, Reread, candidates_of, reread
from knowwhy.retrieval.speaking import speaking
from knowwhy.retrieval.understand import Understood, understand
from knowwhy.retrieval.words import bm25
from knowwhy.tables import touched
from knowwhy.tables.recallable import ends
from knowwhy.tables.touched import Stamp
from knowwhy.tables.vectors.holders import of_model, with_the_model_of_now
from knowwhy.text.question.bulk import asks_for_everything
from knowwhy.text.question.question_times import today_here
from knowwhy.types import SOURCES, Filters, Passage

LOG = logging.getLogger(__name__)

QUESTION_LIMIT = 2_000  # characters; more is a document, not a question
# A best hit that the cross-encoder scores lower answers nothing.
FLOOR = -4.0
# The same where a rare word of the question, which is no name, stands nowhere. A common one may be
# said in other words, and the cross-encoder knows those.
FLOOR_OF_STRANGE = 2.0


@dataclass(frozen=True, slots=True)
class Answer:
    """What a search found, and how it went."""

    question: str
    hits: tuple[Hit, ...]
    notes: tuple[str, ...] = ()
    legs: Mapping[str, int] = field(default_factory=dict)  # candidates of each leg
    milliseconds: Mapping[str, float] = field(default_factory=dict)  # of each step
    question_class: str = "other"
    reading: str = ""  # the walk that a relational question asks for, in English
    variants: tuple[str, ...] = ()  # other words for the question that were searched for too
    weights: Mapping[str, float] = field(default_factory=dict)  # of each leg
    knows: bool = True  # false when nothing that was found answers
    unknown: tuple[str, ...] = ()  # names in the question of which nothing speaks
    strange: tuple[str, ...] = ()  # other words of it that stand nowhere
    floor: float = FLOOR  # what the cross-encoder must say of the best hit


Watcher = Callable[[Answer, float, bool], None]

_answers: Cache[Answer] = Cache()
_watchers: list[Watcher] = []


def watch(told: Watcher) -> None:
    """Lets a server count: tells it each answer, its seconds, and whether it was known already."""
    _watchers.append(told)


@with_the_model_of_now
def search(
    question: str,
    *,
    embedder: str | None = None,
    reranker: str,
    k: int = 5,
    filters: Filters | None = None,
    legs: Collection[str] = LEGS,
    rerank: str = "default",
    exclude: Collection[str] = (),
) -> Answer:
    """Finds the k records that answer a question best, each by its best passage.

    Without an embedder it asks with the one that made the home's vectors.
    """
    filters, began = filters or Filters(), time.perf_counter()
    question = checked(question, k, filters, legs, rerank)
    filters, pools = with_lent(filters, datetime.now(UTC))
    stamps, model = touched.stamps_and_model(read_for(filters))
    asking = Asking(
        question,
        embedder or model,
        reranker,
        at_most(question, k, lent_only=filters.lent_only),
        filters,
        frozenset(legs),
        rerank,
        frozenset(exclude),
        today_here(),
        pools,
    )
    state = frozenset(stamps.items())
    answer = known = _answers.get((state, asking))
    if answer is None:
        with of_model(asking.embedder):
            answer, lesser = _searched(asking, stamps)
        if not lesser and not any(hit.said and ends(hit.said) for hit in answer.hits):
            _answers.put((state, asking), answer)
    for told in _watchers:
        told(answer, time.perf_counter() - began, known is not None)
    return answer


def read_for(filters: Filters) -> tuple[str, ...]:
    """Names the tables that an answer depends on."""
    return ("records",) if filters.asker is None else (*SOURCES, "extractions")


def _searched(asking: Asking, stamps: Mapping[str, Stamp]) -> tuple[Answer, list[str]]:
    clock = Clock()
    words = bm25.current({name: stamps[name] for name in SOURCES if name in stamps})
    graph, broken = _graph(stamps["records"])
    clock.lap("refresh")

    understood = understand(asking.question, graph, asking.filters, today=asking.today)
    statuses = WITH_PAST if understood.question_class == "historical" else NOW_ONLY
    stage = Stage(asking, understood, graph, words, statuses)
    premise = _premise(stage)
    clock.lap("understand")

    found = with_dated(stage, candidates(stage, clock), clock)
    found.failed += broken
    if asking.filters.asker is not None:
        bring_up_to_date(stage, found, datetime.now(UTC))
        clock.lap("outdated")

    found.called = called(stage, found)
    clock.lap("names")

    walked = [r.key for r in found.related.answers if r.key in found.keys.get("graph", ())]
    plan = plan_of("other" if walked else understood.question_class)
    sums = fuse(found.keys, plan.weights, plan.k)
    walks = [*walked, *found.related.passed] if walked else []
    both = dict.fromkeys([*walks, *(key for key, _ in sums), *found.called.keys])
    ordered = [key for key in both if key not in asking.exclude]
    ordered = ordered if walked else list(found.called.first(ordered))
    clock.lap("fuse")

    depth = "none" if walked else asking.rerank
    promising = candidates_of(ordered, found.keys.values())
    passages: dict[str, Passage] = {}
    wanted = _fetched(promising, DEPTHS[depth].records, stage, found, passages)
    _fetched(ordered, asking.k, stage, found, passages)
    clock.lap("fetch")

    note_before(found, asking.filters.asker)
    texts = texts_of({key: passages[key] for key in wanted}, stage, found)
    read = reread(asking, ordered, texts, found.keys, plan, depth)
    clock.lap("rerank")

    shares = relevances(found.said, asking.filters.asker, datetime.now(UTC))
    strange = tuple(w for w in premise.words if not models.reads_whole(w, asking.reranker))
    floor = FLOOR_OF_STRANGE if strange else FLOOR
    read = replace(read, keys=faded(read.keys, shares))
    if not walked:  # a walk keeps to its time by itself, and what it finds goes before all else
        read = by_time(read, passages, stage)
        read = replace(read, keys=found.called.first(read.keys))
    spoken = speaking(stage, read, passages, found, deep=bool(read.scores))
    clock.lap("speaking")
    hits = hits_of(stage, read, passages, spoken, found, plan, shares)
    is_called = bool(found.called.records or found.called.holding)
    unsure = not is_called and bool(read.scores) and max(read.scores.values()) < floor
    slips = _slips(premise, hits)
    unknown = _unknown(premise, slips, found)
    is_told = _is_told(found, asking.embedder)
    is_whole = asks_for_everything(asking.question)
    answer = Answer(
        asking.question,
        hits,
        notes=(
            *notes_on(asking.question, len(hits), lent_only=asking.filters.lent_only),
            *_notes(found, understood, read),
            *_nearest(found, graph, asking.filters),
            *(f"nothing here has {slip.text}; {word} is there" for slip, word in slips.items()),
            *note_if_empty(asking.filters, len(hits)),
            *told_of_time(stage, found, [hit.passage for hit in hits], is_walked=bool(walked)),
        ),
        legs={leg: len(keys) for leg, keys in found.keys.items()},
        milliseconds=clock.laps,
        question_class=understood.question_class,
        reading=understood.reading if walked else understood.when.told(),
        variants=understood.variants,
        weights=plan.weights,
        knows=bool(hits)
        and (is_whole or not unknown)
        and (is_whole or is_told or not (unsure or found.related.unknown)),
        unknown=unknown,
        strange=strange,
        floor=floor,
    )
    return answer, [*found.failed, *([read.note] if read.note else [])]


def _premise(stage: Stage) -> Premise:
    """Says what of a question stands nowhere, by what its asker may see."""
    seen = stage.words.vocabulary(stage.asking.filters)
    if not seen.size:
        return Premise()
    understood = stage.understood
    return premise_of(
        understood.question, understood.mentions, seen.held, is_large=seen.size >= ENOUGH
    )


def _slips(premise: Premise, hits: Sequence[Hit]) -> dict[Slip, str]:
    """Tells what may be written wrongly in a question from how it is written where it is found."""
    texts = [f"{hit.passage.title} {hit.passage.text}" for hit in hits]
    meant = {slip: slip.meant(texts) for slip in premise.slips}
    return {slip: word for slip, word in meant.items() if word}


def _is_told(found: Found, embedder: str) -> bool:
    """Tells whether what somebody said answers by its vector.

    The cross-encoder misreads what people say in passing: "I always use pnpm" answers "which
    package manager?" at -10.7.
    """
    nearest = max((found.nearness.get(key, 0.0) for key in found.said), default=0.0)
    return nearest > 0 and nearest >= models.cosines(embedder).answer


def _unknown(premise: Premise, slips: Collection[Slip], found: Found) -> tuple[str, ...]:
    """Gives the names in a question of which nothing speaks, in whatever spelling."""
    others = (slip.text for slip in premise.slips if slip.is_name and slip not in slips)
    absent = [found.called.absent] if found.called.absent else []
    return tuple(dict.fromkeys((*premise.names, *others, *absent)))


def _graph(stamp: Stamp) -> tuple[Graph, list[str]]:
    """Gives the graph, or an empty one and a note where it cannot be had: two legs answer too."""
    try:
        return live.current(stamp), []
    except Exception as error:
        LOG.exception("the graph failed")
        return Graph(), [f"the graph leg failed ({type(error).__name__})"]


def _fetched(
    keys: Sequence[str], most: int, stage: Stage, found: Found, passages: dict[str, Passage]
) -> list[str]:
    """Reads candidates in their order until so many are there that count once; gives those."""
    size = most
    while True:
        some = keys[:size]
        places = best_places([key for key in some if key not in passages], found)
        fetch(list(places.values()), stage, found)
        passages |= {key: found.passages[p] for key, p in places.items() if p in found.passages}
        apart = once([key for key in some if key in passages], found)
        if len(apart) >= most or size >= len(keys):
            return list(apart[:most])
        size += 2 * (most - len(apart))


def _notes(found: Found, understood: Understood, read: Reread) -> Iterator[str]:
    """Names legs that failed or are empty; the graph only where something of it was named."""
    yield from found.failed
    some = any(found.keys.values())  # else nothing is there, which is said otherwise
    for leg, keys in found.keys.items():
        if not keys and some and (leg != "graph" or understood.mentions):
            yield f"the {leg} leg found nothing"
    if found.related.unknown:
        yield f"no record is called {found.related.unknown}"
    if read.note:
        yield read.note


def _nearest(found: Found, graph: Graph, filters: Filters) -> Iterator[str]:
    """Names the records that are called most like one that there is not."""
    if found.related.unknown and (labels := nearest_labels(found.related.unknown, graph, filters)):
        yield f"the nearest are called {' and '.join(labels)}"


def checked(question: str, k: int, filters: Filters, legs: Collection[str], rerank: str) -> str:
    """Gives the question as it is asked, or says what is wrong with the asking."""
    question = question.strip()
    if not question:
        raise BadInput("The question is empty.")
    if len(question) > QUESTION_LIMIT:
        raise BadInput(
            f"The question is longer than {QUESTION_LIMIT} characters; ask in fewer words."
        )
    if filters.project is not None and not filters.project.strip():
        raise BadInput("The project is empty.")
    if not 1 <= k <= CANDIDATES:
        raise BadInput(f"k must be between 1 and {CANDIDATES}.")
    if not filters.sources or not set(filters.sources) <= set(SOURCES):
        raise BadInput(f"The sources must be some of {', '.join(SOURCES)}.")
    for name, known in ((rerank, DEPTHS), *((leg, LEGS) for leg in legs)):
        if name not in known:
            raise BadInput(f"{name!r} is none of {', '.join(known)}.")
    return question
