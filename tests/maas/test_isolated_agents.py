"""Nobody is given anything of another's agents, pools, memories and handoffs but what is shared.

Each probe asks one read function for one asker, naming any agent, pool, memory and handoff, while
agents leave, memories are withdrawn and pools closed; a model says which ids may come back.
"""

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import pytest

import happenings
from circles import (
    MEMORIES,
    OWNERS,
    PLACES,
    World,
    are_together,
    handed_to,
    keys_seen_by,
    knows,
    lent_to,
    made,
    records_named_to,
    said_in,
    seen_by,
    store,
)
from doors import NAMING, WIDE, any_key
from inquiries import INQUIRIES, NAMED, Probe, drawn
from knowwhy.cli import run
from knowwhy.errors import Error
from knowwhy.retrieval.search import search
from knowwhy.tables.agents import registries
from knowwhy.tables.kept import memories
from knowwhy.tables.write import queue, table
from knowwhy.types import Asker, Change, Filters
from planted import TABLES, memories_of, plant_records, plant_rows
from refusals import REFUSALS

pytestmark = pytest.mark.slow

SEED = 20_260_301
PROBES = 5_000
BETWEEN = 125  # probes between two happenings
AT_THE_DOOR = 60
REFUSED = 100
REGISTRIES = ("agents", "pools", "members", "shares", "handoffs")
ID = re.compile(r"\b(?:[aph]-[0-9a-f]{32}|m-[0-9a-f]{20}|[0-9a-f]{32})\b")
WORD = re.compile(r"\bz(?:ag|po|ta|co|re|wy)[a-z]{2}q\b")
RECORD = re.compile(r"\bvirk[a-d]oz\b")
OWNER = re.compile(r"zow[abc]q(?:/project:x)?")
ALL_KEYS = {key for place in PLACES for key in place.keys}
NOBODYS = {
    "agent": "a-" + "0" * 32,
    "other": "a-" + "f" * 32,
    "pool": "p-" + "0" * 32,
    "handoff": "h-" + "0" * 32,
    "memory": "m-" + "0" * 20,
}
SOMEBODY = Asker(OWNERS[0], "x")


@dataclass(frozen=True)
class Filled:
    """A full store, and what one asker was answered before and after the others' rows came."""

    world: World
    alone: list[Any]
    among_others: list[Any]


@pytest.fixture(scope="module")
def filled(opened):
    """Fills the store with everybody's memories, agents, pools and handoffs."""
    for name in (*TABLES, *REGISTRIES):
        table(name).delete()
    plant_records()
    there = made()
    store(there)
    mine = seen_by(SOMEBODY)
    lent = set(lent_to(there, SOMEBODY)) - keys_seen_by(SOMEBODY)
    lent |= {MEMORIES[key][0].key("old") for key in lent if MEMORIES[key][1] == "new"}
    plant_rows(mine)
    put([memory for place in PLACES for memory in memories_of(place) if memory.key in lent])
    alone = answers()
    plant_rows([place for place in PLACES if place not in mine], without=lent)
    return Filled(there, alone, answers())


def put(rows: list[Any]) -> None:
    with queue("memories"):
        memories.put(rows, [Change(row.key, "added") for row in rows])


def answers() -> list[Any]:
    """Asks for one owner in every way that shows a score or a count."""
    filters = Filters(project=SOMEBODY.project, asker=SOMEBODY)
    given = {"embedder": "wordhash", "reranker": "none", "k": 100, "filters": filters}
    asked = [(q, (leg,)) for q in (WIDE, "redis sessions") for leg in ("bm25", "vector", "graph")]
    asked += [("Why did we move from Resend to Bento?", ("bm25", "vector", "graph"))]
    found = [search(question, legs=legs, **given) for question, legs in asked]
    return [(a.hits, dict(a.legs), a.notes, a.knows, a.variants) for a in found]


def asked(probe: Probe) -> tuple[Any, str]:
    """Gives what comes back, and every word of it or of an error."""
    try:
        result = INQUIRIES[probe.read].ask(probe)
    except Error as error:
        return None, f"{type(error).__name__} {error.code}: {error}"
    return result, repr(result)


def given(result: Any) -> set[str]:
    """Gives the ids of what was given, not of what is said of it."""
    found = getattr(result, "hits", result)
    if isinstance(found, tuple):
        return {hit.passage.key for hit in found if ID.fullmatch(hit.passage.key)}
    return set(found) if isinstance(found, dict) else set(ID.findall(repr(found)))


def leaks(world: World, probe: Probe, text: str, may: set[str]) -> list[str]:
    """Names what stands in a text and is neither the asker's own nor given to them."""
    own = {a["key"] for a in world.agents if a["user_id"] == probe.asker.user_id}
    lent = lent_to(world, probe.asker)
    ids = may | own | keys_seen_by(probe.asker)
    if probe.read in NAMED or probe.read in NAMING:  # an error repeats what it was asked
        ids |= {probe.agent, probe.pool, probe.memory, probe.handoff}
        ids |= {any_key(probe.place, probe.choice)}
    words = {word for row in rows_of(world) if row["key"] in may | own for word in words_of(row)}
    if probe.read == "companions":
        words -= {word for row in guests(world, probe) for word in words_of(row)}
    words |= {name for names in lent.values() for name in names}
    found = set(ID.findall(text)) & (ALL_KEYS | {row["key"] for row in rows_of(world)})
    strange = (found - ids) | (set(WORD.findall(text)) - words)
    strange |= set(OWNER.findall(text)) - {probe.asker.user_id}
    agent = world.agent(probe.agent) if probe.read in ("sent", "handoff") else None
    strange |= set(RECORD.findall(text)) - records_named_to(world, probe.asker, agent)
    return sorted(strange | canaries(probe.asker, text, may | set(lent)))


def guests(world: World, probe: Probe) -> list[dict[str, Any]]:
    """Gives the agents of others that are only invited to a pool."""
    others = [agent for agent in world.agents if agent["user_id"] != probe.asker.user_id]
    pool = world.pool(probe.pool)
    return [agent for agent in others if world.place(pool, agent) == "invited"]


def rows_of(world: World) -> list[dict[str, Any]]:
    return [*world.agents, *world.pools, *world.handoffs]


def words_of(row: dict[str, Any]) -> Iterator[str]:
    for name in ("name", "task", "context", "why", "result"):
        yield from WORD.findall(row.get(name) or "")


def canaries(asker: Asker, text: str, may: set[str]) -> set[str]:
    """Gives the words of others' places that stand in a text beside what is given of them."""
    for key in may & set(MEMORIES):
        for words in said_in(key):
            text = text.replace(words, "")
    hidden = {place.canary for place in PLACES} - {place.canary for place in seen_by(asker)}
    return {word for word in hidden if word in text.casefold()}


def blinded(world: World, probe: Probe) -> Probe:
    """Names what nobody has instead of what the asker's agent may not know of."""
    agent = world.agent(probe.agent)
    if agent["user_id"] != probe.asker.user_id:
        return replace(probe, **NOBODYS)
    task = next(h for h in world.handoffs if h["key"] == probe.handoff)
    given = set(lent_to(world, probe.asker)) | handed_to(world, probe.asker.user_id)
    is_known = {
        "agent": True,
        "other": True,
        "pool": knows(world, world.pool(probe.pool), agent),
        "memory": probe.memory in keys_seen_by(probe.asker) | given,
        "handoff": agent["key"] in (task["from_agent"], task["to_agent"]),
    }
    return replace(probe, **{name: key for name, key in NOBODYS.items() if not is_known[name]})


def as_of_nobody(text: str, probe: Probe, blind: Probe) -> str:
    for name, key in NOBODYS.items():
        if getattr(blind, name) == key:
            text = text.replace(getattr(probe, name), key)
    return text


def check(world: World, probe: Probe) -> None:
    inquiry = INQUIRIES[probe.read]
    may = inquiry.may_give(world, probe)
    result, text = asked(probe)
    world.named[probe.asker.user_id] |= {probe.agent, probe.pool, probe.handoff}
    assert [] == leaks(world, probe, text, may or set()), probe
    if may is None:
        assert text.startswith(("NotFound", "NotAllowed")), probe
    elif inquiry.is_exact:
        assert given(result) <= may, probe
        assert min(len(may), inquiry.most) == len(given(result)), probe
    blind = blinded(world, probe)
    if not may and probe.read in NAMED and blind != probe:
        assert as_of_nobody(text, probe, blind) == asked(blind)[1], probe


def test_no_probe_is_given_anything_of_another(filled):
    dice = random.Random(SEED)
    for number in range(PROBES):
        check(filled.world, drawn(dice, filled.world))
        if number % BETWEEN == 0:
            happenings.happen(filled.world, dice)


def test_the_rows_of_others_change_no_score_no_rank_and_no_word_of_an_answer(filled):
    assert any(hit.lent_by for answer in filled.alone for hit in answer[0])
    assert filled.alone == filled.among_others


def test_nobody_touches_what_is_anothers_nor_learns_that_it_is_there(filled):
    world, dice, before = filled.world, random.Random(SEED), stored()
    for number in range(REFUSED):
        name = list(REFUSALS)[number % len(REFUSALS)]
        probe = strange_to_its_agent(world, dice, name)
        texts = [refusal(name, one) for one in (probe, blind_of(probe))]
        world.named[probe.asker.user_id] |= {probe.other, probe.pool, probe.memory, probe.handoff}
        assert texts[0].startswith("NotFound"), (name, probe)
        assert as_of_nobody(texts[0], probe, blind_of(probe)) == texts[1], (name, probe)
    assert before == stored()


def stored() -> dict[str, list[Any]]:
    return {name: registries.find(name) for name in REGISTRIES}


def strange_to_its_agent(world: World, dice: random.Random, name: str) -> Probe:
    """Draws a probe by an agent that may do everything, of what it may know nothing of."""
    firsts = [agent for agent in world.agents if agent["name"].endswith("first")]
    while True:
        agent, probe = dice.choice(firsts), drawn(dice, world)
        probe = replace(probe, asker=Asker(agent["user_id"], "x"), agent=agent["key"])
        task = next(h for h in world.handoffs if h["key"] == probe.handoff)
        near = [
            knows(world, world.pool(probe.pool), agent),
            are_together(world, agent, world.agent(probe.other)),
            probe.memory in keys_seen_by(probe.asker),
            task["to_agent"] == agent["key"],
        ]
        if not any(near):
            return replace(probe, read=name)


def blind_of(probe: Probe) -> Probe:
    return replace(probe, **{**NOBODYS, "agent": probe.agent})


def refusal(name: str, probe: Probe) -> str:
    with pytest.raises(Error) as refused:
        REFUSALS[name](probe)
    return f"{type(refused.value).__name__} {refused.value.code}: {refused.value}"


# at the command line: what is asked, and the read above that gives the same
COMMANDS = {
    "agents": lambda p: ("agents", "list", *(["--all"] if p.choice % 2 else [])),
    "agent": lambda p: ("agents", "show", p.agent),
    "acts": lambda p: ("audit", "--limit", "1000"),
    "acts of an agent": lambda p: ("audit", "--agent", p.agent),
    "search": lambda p: ("search", WIDE),
    "everything": lambda p: ("recall", WIDE, "--explain"),
    "context": lambda p: ("context", WIDE),
    "lent memory": lambda p: ("provenance", p.memory),
    "memories": lambda p: ("memories",),
}


def test_no_probe_at_the_command_line_is_given_anything_of_another(filled, capsys):
    world, dice = filled.world, random.Random(SEED)
    for number in range(AT_THE_DOOR):
        read = list(COMMANDS)[number % len(COMMANDS)]
        probe = replace(drawn(dice, world), read=read)
        code, text = printed(probe, capsys)
        may = INQUIRIES[read].may_give(world, probe)
        is_own = probe.memory in keys_seen_by(probe.asker)
        assert [] == leaks(world, probe, text, may or set()), probe
        world.named[probe.asker.user_id] |= set(ID.findall(text))
        assert (may is None and not (read == "lent memory" and is_own)) == (code != 0), probe
        blind = blinded(world, probe)
        if code and blind != probe:
            assert as_of_nobody(text, probe, blind) == printed(blind, capsys)[1], probe


def printed(probe: Probe, capsys: Any) -> tuple[int, str]:
    """Gives the exit code of a command, and what it printed."""
    capsys.readouterr()
    user, project = probe.asker.user_id, probe.asker.project
    command = COMMANDS[probe.read](probe)
    whose = ("--user", user, *(("--project", project) if project and command[0] != "audit" else ()))
    code = run([*command, *whose, *(("--json",) if probe.choice % 2 else ())])
    shown = capsys.readouterr()
    return code, shown.out + shown.err
