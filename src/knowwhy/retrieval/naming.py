"""Finds what a question calls by name, and the passages that hold exactly what it writes."""

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from knowwhy.graph.names import Mention
from knowwhy.graph.packages import is_package, members
from knowwhy.retrieval.called import Called
from knowwhy.retrieval.fuse import fuse
from knowwhy.retrieval.legs import EARLY, WITH_PAST, Found, Stage, fetch
from knowwhy.retrieval.understand import OF_DECISIONS, is_statement
from knowwhy.tables.touched import Place
from knowwhy.text.identifiers import Written, defines, exactness, written
from knowwhy.text.pages.passages import CODE
from knowwhy.text.question.question_grammar_words import SMALL_WORDS
from knowwhy.text.tokens import STOP_WORDS
from knowwhy.types import Passage

LOG = logging.getLogger(__name__)

LOOKED_AT = 48  # passages whose texts are compared with one identifier: reading them takes 70 ms
MOST_LOOKED_AT = 480  # the same of one that must be somewhere, while none holds it
AT_ONCE = 16  # of them; the first ones mostly hold it
MORE_AT_ONCE = 72  # of those after LOOKED_AT
ENOUGH = 10  # records that hold it; more would not be shown
EXACTLY = 3  # as it is written
MOST_WITHIN = 50  # records of a package that come first
_JOINTS = frozenset("./\\:#_")


def called(stage: Stage, found: Found) -> Called:
    """Finds what a question calls; where that fails the legs answer alone."""
    try:
        return _called(stage, found)
    except Exception as error:
        LOG.exception("what the question names could not be looked up")
        found.failed.append(f"its names could not be looked up ({type(error).__name__})")
        return Called()


def _called(stage: Stage, found: Found) -> Called:
    question, legs = stage.asking.question, stage.asking.legs
    named = [m for m in stage.understood.mentions if _is_name(question, m) and _is_own(m, stage)]
    records, within = _records(named, stage) if "graph" in legs else ((), ())
    if "bm25" not in legs or is_statement(question):
        return Called(records, within=within)
    asked = [w for w in written(question) if not _is_in(w, named)]
    holding, places, absent = _held(asked, stage, found)
    return Called(records, holding, within, places, absent)


def _is_name(question: str, mention: Mention) -> bool:
    """Tells a name that only one thing has from a word that happens to be the name of one."""
    text = question[mention.start : mention.end]
    if mention.how == "title":
        return question[max(0, mention.start - 1) : mention.start] in ('"', "“", "«", "`")
    has_form = any(c.isdigit() or c in _JOINTS for c in text)
    return mention.how in ("path", "package") or (mention.how == "id" and has_form)


def _is_own(mention: Mention, stage: Stage) -> bool:
    """Tells what is here from what records only speak of: an advisory, an issue of a tracker."""
    return any(node in stage.graph.records or is_package(node) for node in mention.nodes)


def _records(named: Iterable[Mention], stage: Stage) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Gives the records that are named, and those in a package that is; only what may be given."""
    if "records" not in stage.asking.filters.sources:
        return (), ()
    graph, filters = stage.graph, stage.asking.filters
    with graph.lock:
        nodes = [node for mention in named for node in mention.nodes]
        parts = [key for node in nodes for key in members(graph, node, filters)]
        own, inside = (
            tuple(
                key
                for key in dict.fromkeys(some)
                if graph.passes(key, filters) and key not in stage.asking.exclude
            )
            for some in (nodes, parts)
        )
    return own, inside[:MOST_WITHIN]


def _is_in(name: Written, named: Iterable[Mention]) -> bool:
    return any(name.start < m.end and m.start < name.end for m in named)


def _held(
    asked: Sequence[Written], stage: Stage, found: Found
) -> tuple[dict[str, tuple[int, ...]], dict[str, Place], str]:
    """Finds the passages that hold what a question writes exactly, the best one of each record."""
    ranks = _ranks(found)
    best: dict[str, tuple[tuple[int, ...], Place]] = {}
    counts: dict[Place, int] = {}
    definitions: set[Place] = set()
    absent = ""
    is_all = _is_all(stage.asking.question, asked)
    may_define = stage.understood.question_class not in OF_DECISIONS
    for name in asked:
        is_enough = name.is_sure or is_all
        if not (is_enough or (may_define and _is_definable(name))):
            continue
        there, _ = _holders(name, stage, found, ranks)
        defining = [p for p, passage in there.items() if _defines(passage, name)]
        if not there and name.must_exist and not absent and _is_nowhere(name, stage, found):
            absent = name.text
        if is_enough or (may_define and defining):
            for place in there:
                counts[place] = counts.get(place, 0) + 1
            definitions.update(defining)
    for place, count in counts.items():
        rank = (-count, place not in definitions, ranks.get(place, len(ranks)), place[1])
        best[place[0]] = min(best.get(place[0], (rank, place)), (rank, place))
    holding = {key: rank[:2] for key, (rank, _) in best.items()}
    return holding, {key: place for key, (_, place) in best.items()}, absent


def _ranks(found: Found) -> dict[Place, int]:
    return {place: n for n, (place, _) in enumerate(fuse(found.places, {}, EARLY))}


def _is_nowhere(name: Written, stage: Stage, found: Found) -> bool:
    """Tells that nothing holds a name that its asker may see, whatever the search is limited to."""
    asking = stage.asking
    asking = replace(asking, filters=asking.filters.as_wide_as_seen(), exclude=frozenset())
    wide = replace(stage, asking=asking, statuses=WITH_PAST)
    there, are_all = _holders(name, wide, Found(passages=dict(found.passages)), {})
    return are_all and not there


def _holders(
    name: Written, stage: Stage, found: Found, ranks: Mapping[Place, int]
) -> tuple[dict[Place, Passage], bool]:
    """Gives the passages that hold a name the most exactly, those first that the legs found.

    Where it is only part of a longer name, as Bucket in store.Bucket, it is looked for last. It
    also tells whether all were looked at: only then is a name that is not found nowhere.
    """
    may, likely = stage.words.holding(name.text, stage.asking.filters, WITH_PAST)
    there = [place for place in may if place[0] not in stage.asking.exclude]
    there.sort(key=lambda place: ranks.get(place, len(ranks)))
    whole = [place for place in there if place in likely]
    parts = [place for place in there if place not in likely]
    held: dict[Place, int] = {}
    looked = 0
    for places in (whole, parts):
        for some in _portions(places, name):
            fetch(some, stage, found)
            read = {place: found.passages[place] for place in some if place in found.passages}
            held |= {place: exactness(_whole(passage), name) for place, passage in read.items()}
            looked += len(some)
            if _is_enough(held, name, found) or (looked > LOOKED_AT and EXACTLY in held.values()):
                break
        if EXACTLY in held.values():
            break
    most = max(held.values(), default=0)
    holding = {place: found.passages[place] for place, how in held.items() if how == most > 0}
    return holding, looked == len(there)


def _portions(places: Sequence[Place], name: Written) -> Iterator[Sequence[Place]]:
    """Yields the places that are looked at, some at a time."""
    for start in range(0, min(len(places), LOOKED_AT), AT_ONCE):
        yield places[start : min(start + AT_ONCE, LOOKED_AT)]
    most = MOST_LOOKED_AT if name.must_exist else LOOKED_AT
    for start in range(LOOKED_AT, min(len(places), most), MORE_AT_ONCE):
        yield places[start : min(start + MORE_AT_ONCE, most)]


def _is_enough(held: Mapping[Place, int], name: Written, found: Found) -> bool:
    """Tells whether enough records hold a name, with the one that defines it if code does."""
    there = {place: found.passages[place] for place, how in held.items() if how == EXACTLY}
    is_code = any(passage.kind == CODE for passage in there.values())
    is_found = not is_code or any(_defines(passage, name) for passage in there.values())
    return is_found and len({key for key, _ in there}) >= ENOUGH


def _whole(passage: Passage) -> str:
    return f"{passage.title}\n{passage.heading}\n{passage.text}"


def _defines(passage: Passage, name: Written) -> bool:
    is_code = passage.kind == CODE and _is_definable(name)
    return is_code and defines(passage.text, passage.heading, name)


def _is_definable(name: Written) -> bool:
    """Tells what code may define; "long-running" is a word."""
    return not name.is_phrase and (name.is_sure or "-" not in name.text)


def _is_all(question: str, asked: Sequence[Written]) -> bool:
    """Tells whether a question asks for nothing but what it writes: "What is BucketStore?"."""
    left = question
    for name in reversed(asked):
        left = f"{left[: name.start]} {left[name.end :]}"
    words = [word.strip("?!.,:;`'\"()") for word in left.lower().split()]
    return not any(w for w in words if w not in SMALL_WORDS and w not in STOP_WORDS)
