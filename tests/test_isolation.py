"""Nobody finds anything of another: no row, count, key, word, score, kept answer or error text.

Everybody has rows with a word that stands nowhere else. Each probe asks one read function for one
asker, with one of the others in mind, and looks for all of them in what comes back.
"""

import random
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest

from doors import ALL, BLIND, DEAR, NAMING, READS, WIDE, WRITES, a_state, any_key, asked
from knowwhy import telemetry
from knowwhy.errors import Error
from knowwhy.grounding import checkpoints
from knowwhy.retrieval.words import bm25
from knowwhy.retrieval.words.okapi import Document, Index
from knowwhy.tables import queries, recallable, touched
from knowwhy.tables.kept import memories
from knowwhy.tables.kept.memories import STATUSES
from knowwhy.tables.write import put_turns, queue, table
from knowwhy.types import SOURCES, Asker, Change, Filters, Memory
from planted import (
    NOW,
    PLACES,
    PROJECTS,
    RECORDS,
    TABLES,
    UNUSED,
    USERS,
    Place,
    hidden_from,
    memories_of,
    plant,
    plant_records,
    seen_by,
    turns_of,
)

SEED = 20_260_301
PROBES, PARTS = 1_000, 5  # the parts take a minute each; all but two are among the slow tests
STRANGERS = (  # nobody has anything under these, however like another's name they are
    Asker(""),
    Asker("", ""),
    Asker("ANN"),
    Asker("ann "),
    Asker("%"),
    Asker("an_", "x"),
    Asker("ann' OR '1'='1", "x"),
    Asker("user:ann", "x"),
    Asker('["ann", "x"]', None),
    Asker('ann", "x"]', "x"),
    Asker("ann\\", "x\\"),
    Asker("ann/project:x/project:x", None),
    Asker("ann" * 100, "x" * 300),
    Asker("project:u\u0308n\u0131\u0308", "u\u0308ni\u0308 码 ' %_\\"),
    Asker("None", "None"),
    Asker("null", "global"),
)
GONE_KEYS = {place.key("past") for place in PLACES} | {place.digits("late") for place in PLACES}
RECORD_KEYS = {f"adr-{word}" for word in RECORDS.values()}
KEY = re.compile(r"\b(?:m-[0-9a-f]{20}|[0-9a-f]{32})\b")


def of(*names: str) -> Callable[[list[Place]], set[str]]:
    """Gives the keys of what these names are of some places."""
    turns = ("turn", "unread", "recall")
    return lambda places: {p.digits(n) if n in turns else p.key(n) for p in places for n in names}


ACTIVE = ("fact", "shared", "new", "rule", "read")
EXACT: dict[str, Callable[[list[Place]], set[str]]] = {  # keys that the places seen must give
    "memories": of(*ACTIVE),
    "pending": of("guess"),
    "review history": of("fact"),
    "memorules": of("rule"),
    "everything": of(*ACTIVE, "unread"),  # a turn and what was read in it count once
    "told": of(*ACTIVE),
    "said": of("turn", "unread"),
    "said, by meaning": of("turn"),
}
EXACTLY_THERE = {  # the same for what is asked of one scope alone
    "nearest": of(*ACTIVE),
    "on topic": of("fact"),
    "same words": of("shared"),
}


@dataclass(frozen=True)
class Probe:
    """One question to one function."""

    read: str
    asker: Asker
    victim: Place
    choice: int


def told(probe: Probe) -> str:
    """Gives everything that comes back, and every word of an error."""
    try:
        return repr(READS[probe.read](probe.asker, probe.victim, probe.choice))
    except Error as error:
        return f"{type(error).__name__} {error.code}: {error}"


def leaks(text: str, probe: Probe) -> list[str]:
    """Names what stands in a text and is another's, but for what the asker has said themselves."""
    found = {key.casefold() for key in KEY.findall(text)}
    own = {key for place in seen_by(probe.asker) for key in place.keys}
    said = {any_key(probe.victim, probe.choice), probe.victim.canary} if echoes(probe) else set()
    keys = {key for place in PLACES for key in place.keys} - own
    words = {place.canary for place in hidden_from(probe.asker)}
    if probe.asker.project is not None:
        words |= {word for p, word in RECORDS.items() if p not in (None, probe.asker.project)}
    return sorted((found & keys | {word for word in words if word in text.casefold()}) - said)


def echoes(probe: Probe) -> bool:
    """Tells whether an error repeats what was asked for; it is held against another one then."""
    return probe.read in NAMING or probe.read in WRITES


def as_if_unused(text: str, victim: Place) -> str:
    """Puts what nobody has in the place of what one place has."""
    unused = replace(victim, canary=UNUSED)
    for choice in range(10):
        text = text.replace(any_key(victim, choice), any_key(unused, choice))
    for choice in range(2):
        text = text.replace(a_state(victim, choice), a_state(unused, choice))
    return text.replace(victim.canary, UNUSED)


def drawn(chance: random.Random) -> Probe:
    """Draws a probe; dear ones are drawn a quarter as often."""
    read = chance.choice(list(READS))
    while read in DEAR and chance.random() < 0.75:
        read = chance.choice(list(READS))
    asker = Asker(chance.choice(USERS), chance.choice(PROJECTS))
    if chance.random() < 0.2:
        asker = chance.choice(STRANGERS)
    return Probe(read, asker, chance.choice(hidden_from(asker)), chance.randrange(10))


def first_answers() -> dict[str, Any]:
    """Asks for one user in one project in every way that shows a score."""
    questions = (WIDE, "redis", "redis sessions", "Why did we move from Resend to Bento?", "fast")
    ways = [(q, legs) for q in questions for legs in (("bm25",), ("vector",), ("bm25", "vector"))]
    return {f"{question} {legs}": scored(question, legs) for question, legs in ways}


def scored(question: str, legs: tuple[str, ...]) -> list[Any]:
    """Gives what an answer says, in words and in numbers."""
    answer = asked(PLACES[0].asker, question, legs=legs)
    hits = [(h.passage, h.score, dict(h.ranks), dict(h.parts), h.replaces) for h in answer.hits]
    return [*hits, dict(answer.legs), answer.notes, answer.knows, answer.variants]


@pytest.fixture(scope="module")
def alone(opened):
    """Fills the store with what one asker sees, asks, and then with everybody else's rows."""
    telemetry.flush()  # of tests before, whose rows would come after the deletion
    for name in TABLES:
        table(name).delete()
    plant_records()
    plant(seen_by(PLACES[0].asker))
    answers = first_answers()
    plant(hidden_from(PLACES[0].asker))
    return answers


@pytest.mark.usefixtures("alone")
@pytest.mark.parametrize(
    "part", [pytest.param(n, marks=[pytest.mark.slow] if n > 1 else []) for n in range(PARTS)]
)
def test_no_probe_finds_anything_of_another(part):
    chance = random.Random(SEED + part)
    before: dict[Probe, str] = {}
    unused: dict[Probe, str] = {}
    for _ in range(PROBES):
        probe = drawn(chance)
        text = told(probe)
        assert [] == leaks(text, probe), probe
        assert before.setdefault(probe, text) == text, probe  # whoever has asked meanwhile
        if probe.read in BLIND:
            blind = replace(probe, victim=replace(PLACES[0], canary=UNUSED))
            if blind not in unused:
                unused[blind] = told(blind)
            assert unused[blind] == as_if_unused(text, probe.victim), probe


@pytest.mark.usefixtures("alone")
@pytest.mark.parametrize("user", USERS)
@pytest.mark.parametrize("project", PROJECTS)
def test_everybody_finds_exactly_what_they_may_see(user, project):
    asker = Asker(user, project)
    there = [place for place in PLACES if place.asker == asker]
    for read, expected in (*EXACT.items(), *EXACTLY_THERE.items()):
        places = there if read in EXACTLY_THERE else seen_by(asker)
        assert expected(places) == keys_of(READS[read](asker, PLACES[0], 0)), read
    assert len(EXACT["memories"](seen_by(asker))) == memories.count(asker, now=NOW)
    recalled = {recall.key for recall in queries.recalls(ALL, asker)}
    assert of("recall")(seen_by(asker)) == recalled
    own = [place for place in seen_by(asker) if place.user == user]
    own = [place for place in own if project in (None, place.project)]
    assert of("turn", "unread")(own) == keys_of(READS["history"](asker, PLACES[0], 0))
    if user or project:
        kept = {p.project for p in seen_by(asker) if p.user == user and (user or p.project)}
        assert kept == {checkpoint.project for checkpoint in checkpoints.checkpoints(asker)}


def keys_of(found: Any) -> set[str]:
    """Gives the keys of what was found, not of what is said of it."""
    if isinstance(found, dict):
        found = [memory for same in found.values() for memory in same]
    rows = getattr(found, "hits", found)
    named = [getattr(row, "passage", row) for row in rows]
    return {
        row.memory_key if hasattr(row, "memory_key") else row.key for row in named
    } - RECORD_KEYS


def test_the_others_rows_change_no_score_no_rank_and_no_word_of_an_answer(alone):
    assert alone == first_answers()


@pytest.mark.usefixtures("alone")
def test_the_weight_of_every_word_comes_of_what_the_asker_may_see():
    stamps = touched.stamps(SOURCES)
    for asker in (*(place.asker for place in PLACES), *STRANGERS):
        index: Index[Any] = Index()
        index.put(visible(asker))
        filters = Filters(project=asker.project, asker=asker)
        for question in (WIDE, "redis sessions", "mail of zorbaiq"):
            allowed = lambda label: label.status in (None, "active")  # noqa: E731
            best = index.best(question, ALL, None, allowed)
            expected = {place: score for place, score in best if place[0] not in GONE_KEYS}
            found = dict(bm25.current(stamps).best(question, filters, ALL))
            assert expected == pytest.approx(found, rel=0, abs=1e-12)


def visible(asker: Asker) -> list[Document[Any]]:
    """Gives what an asker may see as an index of its own would hold it."""
    places = seen_by(asker)
    seen = {None, asker.project}
    words = [w for p, w in RECORDS.items() if asker.project is None or p in seen]
    pages = [
        *touched.pieces([f"adr-{word}" for word in words]),
        *recallable.pieces_of_memories([m.key for p in places for m in memories_of(p)]),
        *recallable.pieces_of_turns([t.key for p in places for t in turns_of(p)]),
    ]
    return [Document(p.place, p.scope, p.search_text, p.label) for page in pages for p in page]


@pytest.mark.usefixtures("alone")
def test_nobody_touches_what_is_anothers_nor_learns_that_it_is_there(monkeypatch):
    monkeypatch.setattr(__name__ + ".READS", WRITES)
    chance = random.Random(SEED)
    before = touched.stamps(TABLES)
    for _ in range(300):
        probe = drawn(chance)
        blind = replace(probe, victim=replace(PLACES[0], canary=UNUSED))
        text = told(probe)
        assert text.startswith(("NotFound", "BadInput")), probe
        assert told(blind) == as_if_unused(text, probe.victim), probe
    assert before == touched.stamps(TABLES)


@pytest.mark.usefixtures("alone")
def test_a_way_back_touches_nothing_of_another_and_is_nobody_elses_to_undo():
    ann, other = Asker("ann", "x"), Asker("ann/project:x")
    mine, shared = rows_of(other), rows_of(Asker(None, "x"))

    went = checkpoints.roll_back(ann, "state zorbaiq")

    assert (1, 0) == (went.restored, went.retracted)
    assert (mine, shared) == (rows_of(other), rows_of(Asker(None, "x")))
    for who in (other, Asker("ANN"), Asker(None, "x")):
        assert "NotFound" in told(Probe("checkpoint", who, PLACES[0], 1))
        with pytest.raises(Error, match="You have not rolled back"):
            checkpoints.undo(who)
    assert went.left.key not in repr(checkpoints.checkpoints(other))
    assert 1 == checkpoints.undo(ann).restored


def rows_of(owner: Asker) -> list[Memory]:
    return memories.memories(owner, statuses=STATUSES, owned=True, limit=ALL, now=NOW)


@pytest.mark.usefixtures("alone")
@pytest.mark.parametrize("length", [200, 256, 257, 300])
def test_long_names_that_begin_alike_are_not_the_same(length):
    one, other = Asker("a" * length + "1", "p" * length), Asker("a" * length + "2", "p" * length)
    third = Asker("a" * length + "1", "p" * length + "3")
    place = Place(one.user_id, one.project, f"zorb{length}iq")
    rows = memories_of(place)
    with queue("memories"):
        memories.put(rows, [Change(row.key, "added") for row in rows])
    put_turns(turns_of(place))

    for who in (other, third):
        assert not {m.key for m in memories.memories(who, limit=ALL, now=NOW)} & place.keys
        assert not keys_of(asked(who, WIDE)) & place.keys
        assert not keys_of(READS["history"](who, place, 0)) & place.keys
        assert "NotFound" in told(Probe("memory", who, place, 0))
    assert place.keys >= keys_of(READS["nearest"](one, place, 0)) > set()
