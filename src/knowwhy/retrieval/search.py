"""From a question to hits: candidates of three legs, fused, then read again in full."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from knowwhy.errors import BadInput
from knowwhy.graph import live
from knowwhy.retrieval import bm25
from knowwhy.retrieval.asking import Asking
from knowwhy.retrieval.cache import Cache
from knowwhy.retrieval.clock import Clock
from knowwhy.retrieval.fuse import fuse
from knowwhy.retrieval.legs import CANDIDATES, Found, Stage, best_places, candidates, fetch
from knowwhy.retrieval.plans import LEGS, Plan, plan_of
from knowwhy.retrieval.reread import DEPTHS, Reread, candidates_of, reread
from knowwhy.retrieval.understand import Understood, understand
from knowwhy.tables import touched
from knowwhy.text.passages import in_context
from knowwhy.types import Filters, Passage

QUESTION_LIMIT = 2_000  # characters; more is a document, not a question
# A best hit that the cross-encoder scores lower answers nothing. On golden it takes 14 of the 20
# questions without an answer for such, and 5 of 108 with one.
FLOOR = -4.0


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


_answers: Cache[Answer] = Cache()


def search(
    question: str,
    *,
    embedder: str,
    reranker: str,
    k: int = 5,
    filters: Filters | None = None,
    legs: Collection[str] = LEGS,
    rerank: str = "default",
    exclude: Collection[str] = (),
) -> Answer:
    """Finds the k records that answer a question best, each by its best passage."""
    filters = filters or Filters()
    question = checked(question, k, filters, legs, rerank)
    asking = Asking(
        question,
        embedder,
        reranker,
        k,
        filters,
        frozenset(legs),
        rerank,
        frozenset(exclude),
    )
    state = touched.stamp()
    answer = _answers.get((state, asking))
    if answer is None:
        answer, lesser = _searched(asking, state)
        if not lesser:
            _answers.put((state, asking), answer)
    return answer


def _searched(asking: Asking, state: touched.Stamp) -> tuple[Answer, list[str]]:
    clock = Clock()
    words, graph = bm25.current(state), live.current(state)
    clock.lap("refresh")

    understood = understand(asking.question, graph, asking.filters)
    clock.lap("understand")

    found = candidates(Stage(asking, understood, graph, words), clock)

    walked = [r.key for r in found.related.answers if r.key in found.keys.get("graph", ())]
    plan = plan_of("other" if walked else understood.question_class)
    sums = fuse(found.keys, plan.weights, plan.k)
    walks = [*walked, *found.related.passed] if walked else []
    both = dict.fromkeys([*walks, *(key for key, _ in sums)])
    ordered = [key for key in both if key not in asking.exclude]
    clock.lap("fuse")

    depth = "none" if walked else asking.rerank
    wanted = candidates_of(ordered, found.keys.values(), depth)
    places = best_places(dict.fromkeys([*wanted, *ordered[: asking.k]]), found)
    fetch(list(places.values()), words, found)
    passages = {key: found.passages[p] for key, p in places.items() if p in found.passages}
    clock.lap("fetch")

    known = {key: passages[key] for key in wanted if key in passages}
    texts = {key: in_context(p.context, p.pos, p.search_text) for key, p in known.items()}
    read = reread(asking, ordered, texts, found.keys, plan, depth)
    clock.lap("rerank")

    hits = _hits(read, passages, found, plan)[: asking.k]
    unsure = bool(read.scores) and max(read.scores.values()) < FLOOR
    answer = Answer(
        asking.question,
        hits,
        notes=tuple(_notes(found, understood, read)),
        legs={leg: len(keys) for leg, keys in found.keys.items()},
        milliseconds=clock.laps,
        question_class=understood.question_class,
        reading=understood.reading if walked else "",
        variants=understood.variants,
        weights=plan.weights,
        knows=bool(hits) and not unsure and not found.related.unknown,
    )
    return answer, [*found.failed, *([read.note] if read.note else [])]


def _hits(
    read: Reread, passages: Mapping[str, Passage], found: Found, plan: Plan
) -> tuple[Hit, ...]:
    ranks = {leg: {key: n for n, key in enumerate(keys, 1)} for leg, keys in found.keys.items()}
    paths = {reached.key: reached.path for reached in found.related.answers}

    def hit(key: str) -> Hit:
        at = {leg: ranked[key] for leg, ranked in ranks.items() if key in ranked}
        parts = {leg: plan.weights[leg] / (plan.k + rank) for leg, rank in at.items()}
        score = sum(parts.values())
        return Hit(passages[key], score, at, parts, read.scores.get(key), paths.get(key, ()))

    return tuple(hit(key) for key in read.keys if key in passages)


def _notes(found: Found, understood: Understood, read: Reread) -> Iterator[str]:
    """Names legs that failed or are empty; the graph only where something of it was named."""
    yield from found.failed
    for leg, keys in found.keys.items():
        if not keys and found.keys and (leg != "graph" or understood.mentions):
            yield f"the {leg} leg found nothing"
    if found.related.unknown:
        yield f"no record is called {found.related.unknown}"
    if read.note:
        yield read.note


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
    for name, known in ((rerank, DEPTHS), *((leg, LEGS) for leg in legs)):
        if name not in known:
            raise BadInput(f"{name!r} is none of {', '.join(known)}.")
    return question
