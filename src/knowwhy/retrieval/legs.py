"""The first stage: candidates by words, by meaning and by the graph."""

import logging
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from numpy.typing import NDArray

from knowwhy import models
from knowwhy.errors import ModelChanged
from knowwhy.graph.build import Graph
from knowwhy.retrieval.asking import Asking
from knowwhy.retrieval.called import Called
from knowwhy.retrieval.clock import Clock
from knowwhy.retrieval.fuse import fuse
from knowwhy.retrieval.related import Related, related
from knowwhy.retrieval.understand import Understood
from knowwhy.retrieval.words.bm25 import Words
from knowwhy.tables import queries, recallable
from knowwhy.tables.agents import lending
from knowwhy.tables.recallable import Said
from knowwhy.tables.vectors import holders
from knowwhy.types import Passage

LOG = logging.getLogger(__name__)

CANDIDATES = 100  # passages a leg: seed figure for the pool, 50 to 100
NOW_ONLY = ("active",)  # statuses of memories that a question is about
WITH_PAST = ("active", "superseded")  # the same for one about the past; all are looked through
CROWDED = 6_400  # passages; a document of more may still hide others
ALIKE = 50  # passages whose citations count as votes
ALIKE_DIGITS = 6  # of a cosine; what differs by less is equally near
EARLY = 20  # k when passages are compared: a leg's first ones are what it means

Place = tuple[str, int]
Vector = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Stage:
    """What the legs work with."""

    asking: Asking
    understood: Understood
    graph: Graph
    words: Words
    statuses: tuple[str, ...] = NOW_ONLY  # of memories that may be shown


@dataclass(slots=True)
class Found:
    """What the legs found: passages and records of each, best first."""

    places: dict[str, list[Place]] = field(default_factory=dict)
    keys: dict[str, list[str]] = field(default_factory=dict)
    passages: dict[Place, Passage] = field(default_factory=dict)
    said: dict[str, Said] = field(default_factory=dict)  # the memory or turn behind a key
    nearness: dict[str, float] = field(default_factory=dict)  # cosines of memories and turns
    before: dict[str, str] = field(default_factory=dict)  # what a memory has taken the place of
    outdated: dict[str, tuple[str, ...]] = field(default_factory=dict)  # of what a turn says
    related: Related = field(default_factory=lambda: Related((), ()))
    called: Called = field(default_factory=Called)
    failed: list[str] = field(default_factory=list)
    vector: Vector | None = field(default=None, compare=False)  # of the question


def candidates(stage: Stage, clock: Clock, vector: Vector | None = None) -> Found:
    """Asks the legs; one that fails is named and the others answer.

    Without a vector of the question it is made by the leg that asks with it.
    """
    legs = stage.asking.legs
    found = Found(vector=vector)
    for leg in LEG:
        if leg in legs or "graph" in legs:  # the graph looks at what the others found
            _guarded(leg, stage, found)
            clock.lap(leg)
    for leg, places in found.places.items():
        found.keys[leg] = list(dict.fromkeys(key for key, _ in places))
    found.keys = {leg: found.keys.get(leg, []) for leg in LEG if leg in legs}
    return found


def _guarded(leg: str, stage: Stage, found: Found) -> None:
    try:
        LEG[leg](stage, found)
    except ModelChanged:
        raise
    except Exception as error:  # whatever it is, two legs are better than none
        holders.check(stage.asking.embedder)
        LOG.exception("the %s leg failed", leg)
        found.failed.append(f"the {leg} leg failed ({type(error).__name__})")


def _by_words(stage: Stage, found: Found) -> None:
    asking = stage.asking
    text = " ".join((asking.question, *stage.understood.variants))

    def best(most: int) -> list[Place]:
        found = stage.words.best(text, asking.filters, most, WITH_PAST)
        return [place for place, _ in found]

    found.places["bm25"] = _enough(best, asking)


def _by_meaning(stage: Stage, found: Found) -> None:
    asking = stage.asking
    vector = found.vector
    if vector is None:
        vector = found.vector = models.embed_query(asking.question, asking.embedder)

    def nearest(most: int) -> list[Place]:
        said = _near_said(vector, most, stage)
        found.nearness |= {key: score for (key, _), score in reversed(said)}
        near = [*_near_records(vector, most, asking), *said]
        near.sort(key=lambda at: (-round(at[1], ALIKE_DIGITS), _standing(at[0], stage), at[0]))
        return list(dict.fromkeys(place for place, _ in near))[:most]

    found.places["vector"] = _enough(nearest, asking)


def _near_records(vector: Vector, most: int, asking: Asking) -> list[tuple[Place, float]]:
    if "records" not in asking.filters.sources:
        return []
    return queries.nearest(vector, most, asking.filters, asking.embedder)


def _standing(place: Place, stage: Stage) -> int:
    """Tells how well a text is vouched for; of what is lent that is not told."""
    asker = stage.asking.filters.asker
    is_lent = asker is not None and place[1] == recallable.MEMORY and place[0] in asker.lent
    return recallable.EXTRACTED if is_lent else stage.words.standing(place)


def _near_said(vector: Vector, most: int, stage: Stage) -> list[tuple[Place, float]]:
    filters = stage.asking.filters
    if filters.asker is None:
        return []
    given: dict[str, Any] = {
        "kinds": filters.kinds,
        "service": filters.service,
        "embedder": stage.asking.embedder,
        "now": datetime.now(UTC),
        "within": filters.dated,
    }
    found = []
    if not filters.lent_only:
        found = recallable.nearest_said(
            vector, most, filters.asker, tables=filters.sources, statuses=WITH_PAST, **given
        )
    if filters.asker.lent:
        found += recallable.nearest_lent(vector, most, filters.asker.lent, **given)
    return found


def _enough(ask: Callable[[int], list[Place]], asking: Asking) -> list[Place]:
    """Asks for more passages while a few long records crowd the others out."""
    most = CANDIDATES + len(asking.exclude)
    while True:
        places = ask(most)
        kept = [place for place in places if place[0] not in asking.exclude]
        is_all = len(places) < most or most >= CROWDED
        if is_all or len({key for key, _ in kept}) >= asking.k:
            return kept
        most *= 4


def _by_graph(stage: Stage, found: Found) -> None:
    if "records" not in stage.asking.filters.sources:
        return
    everywhere = fuse(found.places, {}, EARLY)[:ALIKE]
    alike = [place for place, _ in everywhere if place[1] >= 0]
    said = [stage.words.cited(place) for place in alike]
    asking = stage.asking
    found.related = related(stage.understood, alike, said, stage.graph, asking.filters)
    found.keys["graph"] = [key for key in found.related.near if key not in asking.exclude]


LEG: dict[str, Callable[[Stage, Found], None]] = {
    "bm25": _by_words,
    "vector": _by_meaning,
    "graph": _by_graph,
}


def fetch(places: Collection[Place], stage: Stage, found: Found) -> None:
    """Reads the texts that are not known yet; of what was said only what the asker may see now."""
    missing = [place for place in places if place not in found.passages]
    found.passages |= stage.words.passages(missing)
    asker, now = stage.asking.filters.asker, datetime.now(UTC)
    if asker is None:
        return
    for place, said in stage.words.said(missing).items():
        in_time = stage.asking.filters.dated.holds(recallable.said_when(said))
        if in_time and recallable.is_shown(said, asker, stage.statuses, now):
            found.said[place[0]] = shown = lending.as_shown(said, asker)
            found.passages[place] = recallable.as_passage(shown)


def best_places(keys: Collection[str], found: Found) -> dict[str, Place]:
    """Picks the passage that speaks for each record; where no text leg found one, the first."""
    best: dict[str, Place] = {key: (key, 0) for key in keys}
    for place, _ in reversed(fuse(found.places, {}, EARLY)):
        if place[0] in best:
            best[place[0]] = place
    return best | {key: place for key, place in found.called.places.items() if key in best}
