"""What stands beside a claim: memories of exactly its scope, and what it cites."""

import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from knowwhy import models
from knowwhy.tables.kept import memories as kept
from knowwhy.tables.kept import memory_search
from knowwhy.tables.kept.memories import ACTIVE, LIVING, PENDING, REFUSED, SUPERSEDED
from knowwhy.tables.write import prepare, put_records, put_repository, queue, table
from knowwhy.text.sameness.same_words import words_hash
from knowwhy.types import Asker, Change, Citation, Draft, Memory, Repository

NOON = datetime(2026, 3, 14, 12, 0, tzinfo=UTC)
EVERYONE = (None, "ann", "bob")
EVERYWHERE = (None, "orders", "auth")
COMMIT = "3f2c1ab9d0e4f5a6b7c8d9e0f1a2b3c4d5e6f7a8"


def a_memory(key, content, user="ann", project=None, **more):
    more = {"kind": "fact", "status": ACTIVE, "topic": "store:sessions", **more}
    return Memory(
        key, more.pop("kind"), content, user, project, more.pop("status"), NOON, NOON, **more
    )


def put(*rows):
    with queue("memories"):
        kept.put(rows, [Change(row.key, "added") for row in rows])


def update(row):
    with queue("memories"):
        kept.update([row], [Change(row.key, "updated")])


def near(text, user="ann", project=None, statuses=(ACTIVE,), k=5, now=NOON):
    vector = models.embed([text], "wordhash")[0]
    scope = {"user_id": user, "project": project, "statuses": statuses, "now": now}
    found = memory_search.nearest_memories(vector, k, embedder="wordhash", **scope)
    return [(memory.key, round(score, 3)) for memory, score in found]


def test_the_nearest_memory_comes_first_with_its_cosine(store):
    put(a_memory("m-1", "Redis holds the sessions."), a_memory("m-2", "Mail goes out by Bento."))

    found = near("Redis holds the sessions.")

    assert ("m-1", 1.0) == found[0]
    assert "m-2" == found[1][0]


def test_a_memory_is_found_by_what_it_says_now_and_by_the_status_it_has_now(store):
    put(a_memory("m-1", "Redis holds the sessions."))
    first = kept.memory(Asker("ann"), "m-1")

    update(replace(first, status=REFUSED))
    assert [] == near("Redis holds the sessions.", statuses=(*LIVING, REFUSED))
    update(replace(first, status=PENDING))
    assert [("m-1", 1.0)] == near("Redis holds the sessions.", statuses=LIVING)
    update(replace(first, status=ACTIVE, content="Mail goes out by Bento."))
    assert [("m-1", 1.0)] == near("Mail goes out by Bento.")
    assert 0.5 > near("Redis holds the sessions.")[0][1]
    update(replace(first, status=SUPERSEDED, subject="Letters"))
    assert [] == near("Mail goes out by Bento.")
    assert [("m-1", 1.0)] == near("Letters\nRedis holds the sessions.", statuses=(SUPERSEDED,))


def test_the_vectors_of_memories_are_read_back_by_their_texts(store):
    put(a_memory("m-1", "Redis holds the sessions."), a_memory("m-2", "no", status=REFUSED))

    found = memory_search.vectors_of(["m-1", "m-2"], "wordhash")

    assert ["Redis holds the sessions."] == list(found)
    vector = models.embed(["Redis holds the sessions."], "wordhash")[0]
    assert pytest.approx(1.0) == float(found["Redis holds the sessions."] @ vector)
    assert {} == memory_search.vectors_of([], "wordhash")


def test_what_is_derived_of_a_memory_follows_its_content(store):
    put(a_memory("m-1", "Redis holds the sessions."))
    update(replace(kept.memory(Asker("ann"), "m-1"), content="ADR-7 says so."))

    row = table("memories").collect()[0]

    assert words_hash(None, "ADR-7 says so.") == row["words"]
    assert ["ADR-7"] == [citation["target"] for citation in row["citations"]]
    assert "ADR-7 says so." == row["evidence"]["claim"]


def test_only_exactly_the_same_scope_is_looked_at(store):
    chance = random.Random(7)
    rows = [
        a_memory(
            f"m-{n}",
            f"Redis holds {chance.choice(('the sessions', 'carts', 'locks'))}.",
            chance.choice(EVERYONE),
            chance.choice(EVERYWHERE),
            status=chance.choice((ACTIVE, PENDING)),
            topic=chance.choice((None, "store:sessions", "store:carts")),
        )
        for n in range(90)
    ]
    put(*rows)
    for user in EVERYONE:
        for project in EVERYWHERE:
            scope = {"user_id": user, "project": project, "statuses": (ACTIVE,), "now": NOON}
            own = [
                row
                for row in rows
                if (row.user_id, row.project, row.status) == (user, project, ACTIVE)
            ]
            assert {row.key for row in own} == {
                key for key, _ in near("Redis holds the sessions.", user, project, k=90)
            }
            on_topic = memory_search.on_topic(["store:sessions"], **scope)
            assert {row.key for row in own if row.topic == "store:sessions"} == {
                row.key for row in on_topic
            }
            named = words_hash(None, "redis holds THE sessions")
            same = memory_search.same_words([named, "x"], **scope)
            assert {r.key for r in own if words_hash(None, r.content) == named} == {
                row.key for row in same.get(named, [])
            }


def test_what_has_expired_is_beside_nothing(store):
    put(a_memory("m-1", "Redis holds the sessions.", expires_at=NOON))
    scope = {"user_id": "ann", "project": None, "statuses": LIVING}

    for now, found in ((NOON - timedelta(seconds=1), 1), (NOON, 0)):
        assert found == len(near("Redis holds the sessions.", now=now))
        assert found == len(memory_search.on_topic(["store:sessions"], **scope, now=now))
        words = words_hash(None, "Redis holds the sessions.")
        assert found == len(memory_search.same_words([words], **scope, now=now))


@pytest.fixture
def records(store):
    drafts = [
        Draft("adr-5", "adr", "Sessions", "Redis.", label="ADR-5", path="docs/adr/5.md"),
        Draft("adr-6", "adr", "Carts", "Redis.", label="ADR-6", project="orders", commit=COMMIT),
        Draft("inc-2", "incident", "Storm", "Retries.", label="INC-2022-02"),
        Draft("adr-7", "adr", "Old", "Gone.", label="ADR-7", retired_at=NOON, retired_why="x"),
    ]
    put_records(prepare(drafts, "wordhash"))
    put_repository(Repository("r", "/r", "auth", "9" * 40, settings="", again=(), at=NOON))


@pytest.mark.parametrize(
    ("kind", "target", "project", "found"),
    [
        ("record", "ADR-5", None, True),
        ("record", "adr-5", "orders", True),
        ("path", "docs/adr/5.md", None, True),
        ("record", "ADR-6", "orders", True),
        ("record", "ADR-6", None, True),
        ("record", "ADR-6", "auth", False),
        ("record", "ADR-7", None, False),
        ("record", "INC-2022-2", None, True),
        ("record", "INC-2022-02", None, True),
        ("record", "INC-2022-20", None, False),
        ("record", "ADR-8", None, False),
        ("record", "3f2c1ab", None, False),
        ("commit", "3f2c1ab", "orders", True),
        ("commit", COMMIT, None, True),
        ("commit", "3f2c1ac", "orders", False),
        ("commit", "3f2c1ab", "auth", False),
        ("commit", "9999999", "auth", True),
        ("commit", "9999999", "orders", False),
        ("url", "https://example.com", None, False),
    ],
)
def test_a_citation_exists_when_a_record_or_commit_of_the_project_has_its_name(
    records, kind, target, project, found
):
    cited = [Citation(kind, target, 0, 1), Citation("record", "nothing", 0, 1)]

    assert ({target} if found else set()) == memory_search.existing(cited, project)
