"""What pools lend is found by their members as if it were theirs, and by nobody else."""

import json
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial

import pytest

from knowwhy.errors import NotAllowed, NotFound
from knowwhy.grounding import lifecycle
from knowwhy.grounding.remember import remember
from knowwhy.maas import agents, membership, pools, shared
from knowwhy.retrieval import pooled
from knowwhy.retrieval.context.blocks import pack
from knowwhy.retrieval.search import search
from knowwhy.retrieval.words import bm25
from knowwhy.retrieval.words.okapi import Document, Index
from knowwhy.tables import recallable, touched
from knowwhy.tables.agents.lending import lent, lent_memory
from knowwhy.tables.kept import memories
from knowwhy.tables.write import queue
from knowwhy.types import SOURCES, Asker, Change, Filters
from lenders import ADA, BEN, EVE, SETTINGS, a_memory, a_pool, an_agent, invited, joined, kept

QUESTION = "Why was the ledger put into Postgres?"
TEXT = "The ledger was put into Postgres because its audits need transactions."
SECRETS = {  # of a memory, which nobody is shown whom it is lent to
    "session_id": "session zorbaiq",
    "source": "conversation:zorbaiq",
    "raw_source": "zorbaiq said so.",
    "said_by": "assistant",
    "evidence_signal": "zorbaiq",
    "verified_by": "judge zorbaiq",
    "topic": "zorbaiq",
    "why": "zorbaiq",
}
HOW = {"embedder": "wordhash"}

pytestmark = pytest.mark.usefixtures("store")


def answer(owner, question=QUESTION, k=10, **more):
    only = {name: more.pop(name) for name in ("kinds", "sources") if name in more}
    filters = Filters(asker=owner, **only)
    return search(question, reranker="none", k=k, filters=filters, **HOW, **more)


def found(owner, question=QUESTION, **more):
    return [hit.passage.key for hit in answer(owner, question, **more).hits]


def lends(text=TEXT, scope="team", **more):
    """Lets Ada lend a memory to a pool in which Ben is."""
    planner = an_agent(ADA, max_scope="global")
    coder = an_agent(BEN, max_scope="global")
    row = a_memory(1, text, ADA, **more)
    kept(row)
    pool = a_pool(ADA, planner, scope)
    shared.share(ADA, SETTINGS, planner.key, pool.key, row.key)
    invited(ADA, planner, pool, coder)
    joined(BEN, coder, pool)
    return planner, coder, pool, row


@pytest.mark.parametrize("legs", [("bm25",), ("vector",), ("bm25", "vector", "graph")])
def test_a_member_finds_what_is_lent_and_a_stranger_does_not(legs):
    _, _, _, row = lends()

    assert [row.key] == found(BEN, legs=legs)
    assert [row.key] == found(ADA, legs=legs)
    stranger, before = answer(EVE, legs=legs), answer(Asker("zed"), legs=legs)
    assert () == stranger.hits
    assert (before.legs, before.notes, before.knows) == (
        stranger.legs,
        stranger.notes,
        stranger.knows,
    )


def test_nothing_of_who_lends_it_is_shown():
    _, _, _, row = lends(**SECRETS, verified_at=datetime.now(UTC), turn_key="zorbaiq")

    hit = answer(BEN).hits[0]

    assert TEXT == hit.passage.text
    assert ("Payments",) == hit.lent_by
    told = repr([replace(hit, lent_by=()), lent_memory(BEN, row.key, datetime.now(UTC))])
    assert [] == [word for word in ("zorbaiq", "'ada'", "git.example") if word in told]
    assert "lent by Payments" in pack(answer(BEN), 600).text
    assert () == answer(ADA).hits[0].lent_by


def ends():
    """Names everything after which a member finds no longer what was lent."""
    now = datetime.now(UTC)
    return {
        "leaving": lambda p, c, pool, row: membership.leave(BEN, SETTINGS, c.key, pool.key),
        "removal": lambda p, c, pool, row: membership.remove(ADA, SETTINGS, p.key, pool.key, c.key),
        "withdrawal": lambda p, c, pool, row: shared.withdraw(
            ADA, SETTINGS, p.key, pool.key, row.key
        ),
        "archive": lambda p, c, pool, row: pools.archive(ADA, SETTINGS, p.key, pool.key),
        "deactivation": lambda p, c, pool, row: agents.deactivate(BEN, c.key),
        "retraction": lambda p, c, pool, row: lifecycle.retract(ADA, row.key, "No.", now=now),
    }


@pytest.mark.parametrize("end", ends())
def test_it_ends_with_the_next_call(end):
    planner, coder, pool, row = lends()
    assert [row.key] == found(BEN)
    assert [row.key] == found(BEN)  # as it was kept

    ends()[end](planner, coder, pool, row)

    assert [] == found(BEN)
    with pytest.raises(NotFound, match="You have no memory"):
        lent_memory(BEN, row.key, datetime.now(UTC))


def test_another_process_sees_at_once_that_a_memory_was_retracted_and_that_an_agent_left():
    planner, coder, pool, row = lends()
    more = a_memory(2, "The ledger keeps what was put into Postgres for ten years.", ADA)
    kept(more)
    shared.share(ADA, SETTINGS, planner.key, pool.key, more.key)
    asking = (
        "import json, sys\n"
        "from knowwhy.config import Settings\n"
        "from knowwhy.tables.connect import connect\n"
        "from knowwhy.retrieval.search import search\n"
        "from knowwhy.types import Asker, Filters\n"
        "connect(Settings.from_environ())\n"
        "filters = Filters(asker=Asker('ben', 'git.example/shop'))\n"
        "for line in sys.stdin:\n"
        "    given = {'embedder': 'wordhash', 'reranker': 'none', 'filters': filters}\n"
        "    hits = search(line.strip(), **given).hits\n"
        "    print(json.dumps([hit.passage.key for hit in hits]), flush=True)\n"
    )
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-c", asking], **pipes) as process:

        def asked():
            print(QUESTION, file=process.stdin, flush=True)
            return set(json.loads(process.stdout.readline()))

        assert {row.key, more.key} == asked()
        lifecycle.retract(ADA, row.key, "No.", now=datetime.now(UTC))
        assert {more.key} == asked()
        membership.leave(BEN, SETTINGS, coder.key, pool.key)
        assert set() == asked()
        process.stdin.close()


def test_its_words_weigh_as_if_it_stood_with_what_the_member_may_see():
    others = [a_memory(n, f"Ada likes Postgres {'audits ' * n}{n}.", ADA) for n in range(10, 30)]
    own = [a_memory(n, f"Ben keeps the ledger of {n} in Redis.", BEN) for n in range(30, 35)]
    kept(*others, *own)
    _, _, _, row = lends()
    stamps = touched.stamps(SOURCES)
    asker = replace(BEN, lent=frozenset({row.key}))
    index: Index = Index()
    for page in recallable.pieces_of_memories([row.key, *(m.key for m in own)]):
        index.put(Document(p.place, p.scope, p.search_text, p.label) for p in page)

    ranked = bm25.current(stamps).best("ledger Postgres audits", Filters(asker=asker), 100)

    assert dict(index.best("ledger Postgres audits", 100)) == pytest.approx(dict(ranked), abs=1e-12)


def test_what_is_ones_own_too_counts_once_and_stays_ones_own():
    planner, _, pool, _ = lends()
    shared_by_all = a_memory(2, TEXT + " Everybody says so.", Asker(None, ADA.project))
    kept(shared_by_all)
    shared.share(ADA, SETTINGS, planner.key, pool.key, shared_by_all.key)

    hits = {hit.passage.key: hit for hit in answer(BEN).hits}

    assert 2 == len(hits) == answer(BEN).legs["bm25"]
    assert () == hits[shared_by_all.key].lent_by


def test_the_new_version_that_its_owner_tells_is_lent_in_its_place():
    _, _, _, row = lends()
    text = "The ledger was put into Postgres because auditors asked for it."

    new = lifecycle.update(ADA, row.key, text, now=datetime.now(UTC), **HOW)
    newer = lifecycle.update(ADA, new.key, text + " Twice.", now=datetime.now(UTC), **HOW)

    assert ("active", [newer.key]) == (newer.status, found(BEN))
    assert TEXT not in repr(answer(BEN))
    lifecycle.retract(ADA, newer.key, "No.", now=datetime.now(UTC))
    assert [] == found(BEN)


def test_what_a_conversation_put_in_its_place_is_not_lent():
    _, _, _, row = lends()
    heir = a_memory(2, "The ledger left Postgres.", ADA, turn_key="t1", fact_number=0)
    kept(heir)
    why = f"Superseded by {heir.key}: “The ledger left Postgres.”"
    with queue("memories"):
        memories.update(
            [replace(row, status="superseded", why=why)], [Change(row.key, "superseded", why)]
        )

    assert [] == found(BEN)
    assert [heir.key] == found(ADA)


def test_a_memory_that_time_ends_is_lent_no_longer():
    soon = datetime.now(UTC) + timedelta(seconds=60)
    _, _, _, row = lends(valid_until=soon)

    assert {row.key} == set(lent(BEN, datetime.now(UTC)))
    assert {} == lent(BEN, soon)


def test_a_pool_of_a_project_lends_there_only():
    _, _, _, row = lends(scope="project")
    elsewhere, anywhere = replace(BEN, project="git.example/other"), Asker("ben")

    assert [[row.key], [], [row.key]] == [found(who) for who in (BEN, elsewhere, anywhere)]


def test_one_who_may_read_only_narrower_pools_is_lent_nothing_of_a_wider_one():
    planner, _, pool, _ = lends()
    narrow = an_agent(EVE, max_scope="project")
    invited(ADA, planner, pool, narrow)
    with pytest.raises(NotAllowed, match="wider than that agent may read"):
        joined(EVE, narrow, pool)

    assert [] == found(EVE)


def test_an_agent_asks_its_pools_and_nothing_else():
    planner, coder, pool, row = lends()
    own = a_memory(2, "Ben put the ledger into Postgres.", BEN)
    kept(own)
    empty = a_pool(BEN, coder, name="Empty")
    second = an_agent(BEN)
    ask = partial(pooled.query, settings=SETTINGS, question=QUESTION, **HOW)

    def keys(owner, agent, pool=None):
        given = {"pool": pool and pool.key}
        hits = ask(owner, agent_id=agent.key, **given).hits
        return [hit.passage.key for hit in hits]

    assert {row.key, own.key} == set(found(BEN))
    assert [row.key] == keys(BEN, coder) == keys(BEN, coder, pool) == keys(ADA, planner)
    assert [] == keys(BEN, coder, empty) == keys(BEN, second)
    with pytest.raises(NotFound, match="no pool of that id"):
        keys(BEN, second, pool)


def test_an_agent_that_searches_a_sort_is_lent_what_its_own_pools_lend(knowwhy):
    _, coder, _, row = lends()
    narrow = an_agent(BEN, max_scope="user")
    own = a_memory(2, "Ben put the ledger into Postgres.", BEN)
    kept(own)

    def keys(agent):
        whose = ("--user", "ben", "--project", BEN.project, "--json")
        done = knowwhy("agents", "search", agent.key, "decisions", QUESTION, *whose)
        return {hit["key"] for hit in json.loads(done.out)["hits"]}

    assert ({row.key, own.key}, {own.key}) == (keys(coder), keys(narrow))


def test_what_is_lent_is_in_no_list_no_count_and_nobodys_to_change():
    _, _, _, row = lends()

    assert ([], 0) == (memories.memories(BEN), memories.count(BEN))
    for act in (
        lambda: lifecycle.retract(BEN, row.key, "No.", now=datetime.now(UTC)),
        lambda: lifecycle.update(BEN, row.key, "Else.", now=datetime.now(UTC), **HOW),
        lambda: memories.changes_of(BEN, row.key),
        lambda: memories.memory(BEN, row.key),
    ):
        with pytest.raises(NotFound, match="You have no memory"):
            act()
    told = remember(TEXT, asker=BEN, now=datetime.now(UTC), **HOW)
    assert (None, None) == (told.copy_of, told.nearest_key)


def test_provenance_shows_a_member_what_is_lent_and_a_stranger_nothing(knowwhy):
    _, _, _, row = lends(**SECRETS)

    member = knowwhy("provenance", row.key, "--user", "ben", "--project", BEN.project)
    stranger = knowwhy("provenance", row.key, "--user", "eve", "--project", BEN.project)
    nobody = knowwhy("provenance", "m-" + "0" * 20, "--user", "eve", "--project", BEN.project)

    assert 0 == member.code
    assert TEXT in member.out
    assert "Payments" in member.out
    assert "zorbaiq" not in member.out
    assert (nobody.code, nobody.out) == (stranger.code, stranger.out)
    assert nobody.err == stranger.err.replace(row.key, "m-" + "0" * 20)
