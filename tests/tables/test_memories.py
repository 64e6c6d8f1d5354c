"""Memories written and read back: by whom, with what was done to them, and only while they live."""

import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from knowwhy import models
from knowwhy.errors import BadInput, NotFound, StoreFailed
from knowwhy.models import wordhash
from knowwhy.tables.kept import memories as kept
from knowwhy.tables.kept import memory_changes
from knowwhy.tables.kept.memories import ACTIVE, EXPIRED, PENDING, REFUSED, STATUSES, SUPERSEDED
from knowwhy.tables.scope import sees
from knowwhy.tables.write import ADDED, UNCHANGED, queue, table
from knowwhy.types import Asker, Change, Memory

NOON = datetime(2026, 3, 14, 12, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)
TOKEN = "ghp_" + "NqVw3xYz8aBcDeFg1HiJ" + "2kLm4nOp6qRs"
ANN = Asker("ann")
EVERYONE = (None, "ann", "bob")
EVERYWHERE = (None, "orders", "auth")


def a_memory(key, content="Redis holds the sessions.", user="ann", project=None, **more):
    more = {"kind": "fact", "status": ACTIVE, **more}
    return Memory(
        key=key,
        content=content,
        user_id=user,
        project=project,
        created_at=more.pop("created_at", NOON),
        touched_at=NOON,
        **more,
    )


def put(*rows, replacing=()):
    changes = [Change(row.key, "added", row.why) for row in rows]
    changes += [Change(row.key, "superseded", row.why) for row in replacing]
    with queue("memories"):
        return kept.put(rows, changes, replacing=replacing)


def update(*rows, what="updated", why=None, by=None):
    with queue("memories"):
        return kept.update(rows, [Change(row.key, what, why, by) for row in rows])


def keys(rows):
    return [row.key for row in rows]


def test_what_is_put_comes_back_as_it_was(store):
    row = a_memory(
        "m-1",
        service="cart",
        resolved=("ADR-1",),
        applies_to={"persona": "reviewer"},
        metadata={"a": [1, {"b": None}]},
        confidence=0.5,
        valid_until=datetime.now(UTC) + HOUR,
    )

    assert [ADDED] == put(row)
    found = kept.memory(ANN, "m-1")
    assert row == replace(found, touched_at=NOON)
    assert NOON < found.touched_at


def test_a_key_that_is_stored_is_left_alone(store):
    put(a_memory("m-1"))
    before = table("memories").get_metadata()["version"]

    assert [UNCHANGED, UNCHANGED] == put(a_memory("m-1", "other"), a_memory("m-1"))
    assert before == table("memories").get_metadata()["version"]
    assert [ADDED, UNCHANGED] == put(a_memory("m-2", "first"), a_memory("m-2", "second"))
    assert "first" == kept.memory(ANN, "m-2").content
    assert 1 == len(kept.changes_of(ANN, "m-2"))


def test_every_write_leaves_a_change_that_says_what_was_before_and_after(store):
    put(a_memory("m-1", status=PENDING))
    first = kept.memory(ANN, "m-1")

    (then,) = update(replace(first, status=ACTIVE, verified_by="ann"), what="approved", by="ann")

    added, approved = kept.changes_of(ANN, "m-1")
    assert ("added", {}, None) == (added.what, added.before, added.follows)
    assert "Redis holds the sessions." == added.after["content"]
    assert ("approved", "ann") == (approved.what, approved.by)
    assert {"status": PENDING, "verified_by": None} == approved.before
    assert {"status": ACTIVE, "verified_by": "ann"} == approved.after
    assert (first.touched_at, then.touched_at) == (approved.follows, approved.at)
    assert then == kept.memory(ANN, "m-1")


def test_a_write_without_a_change_is_a_mistake_and_writes_nothing(store):
    with pytest.raises(KeyError), queue("memories"):
        kept.put([a_memory("m-1")], [])

    assert 0 == table("changes").count() + table("memories").count()


def test_a_change_that_was_cut_off_is_never_shown(store):
    put(a_memory("m-1"))
    first = kept.memory(ANN, "m-1")
    cut_off = memory_changes.stamped(
        replace(first, status=SUPERSEDED), first, Change("m-1", "superseded"), datetime.now(UTC)
    )
    never = memory_changes.stamped(a_memory("m-2"), None, Change("m-2", "added"), NOON)

    memory_changes.note([cut_off, never])

    assert ["added"] == [change.what for change in kept.changes_of(ANN, "m-1")]
    update(replace(first, status="retracted"), what="retracted")
    assert ["added", "retracted"] == [change.what for change in kept.changes_of(ANN, "m-1")]
    with pytest.raises(NotFound):
        kept.changes_of(ANN, "m-2")
    put(a_memory("m-2"))
    assert 1 == len(kept.changes_of(ANN, "m-2"))


def replace_resend():
    old = replace(kept.memory(ANN, "m-1"), status=SUPERSEDED, why="by m-2")
    put(a_memory("m-2", "We send mail with Bento.", supersedes="m-1"), replacing=[old])


def test_a_new_memory_takes_the_place_of_an_old_one(store):
    put(a_memory("m-1", "We send mail with Resend."))

    replace_resend()

    assert ["m-2"] == keys(kept.memories(ANN))
    assert ["m-1"] == keys(kept.memories(ANN, statuses=(SUPERSEDED,)))
    assert ["added", "superseded"] == [c.what for c in kept.changes_of(ANN, "m-1")]
    assert NOON == kept.memory(ANN, "m-1").created_at


def test_when_the_new_memory_cannot_be_written_the_old_one_keeps_its_place(store, monkeypatch):
    put(a_memory("m-1", "We send mail with Resend."))

    from pixeltable.catalog.table_version import TableVersion

    insert = TableVersion.insert

    def ends(self, *arguments, **more):
        if self.name == "memories":
            raise OSError("the disk is full")
        return insert(self, *arguments, **more)

    monkeypatch.setattr(TableVersion, "insert", ends)
    with pytest.raises(StoreFailed):
        replace_resend()
    monkeypatch.undo()

    assert ["m-1"] == keys(kept.memories(ANN, statuses=STATUSES))
    assert ["added"] == [c.what for c in kept.changes_of(ANN, "m-1")]
    replace_resend()
    assert ["m-2"] == keys(kept.memories(ANN))


def test_a_memory_that_could_not_be_embedded_is_embedded_when_it_is_changed(store, monkeypatch):
    row = a_memory("m-1", status=PENDING, check_failed="no model")

    def fails(_):
        raise ValueError("no model")

    monkeypatch.setattr(wordhash, "embed", fails)
    with queue("memories"):
        kept.put([row], [Change("m-1", "added")], vectors=False)
    monkeypatch.undo()
    view = table("memory_vectors")
    vector = view.search_text.embedding(idx=models.tag("wordhash"))
    assert 1 == view.where(vector == None).count()  # noqa: E711  # SQL

    update(replace(kept.memory(ANN, "m-1"), status=ACTIVE))

    assert 0 == view.where(vector == None).count()  # noqa: E711  # SQL
    monkeypatch.setattr(wordhash, "embed", fails)
    with pytest.raises(StoreFailed):
        put(a_memory("m-2", "Another one."))


def test_several_memories_are_changed_together_or_not_at_all(store):
    put(a_memory("m-1"), a_memory("m-2", "other"))
    one, two = (kept.memory(ANN, key) for key in ("m-1", "m-2"))

    with pytest.raises(NotFound):
        update(replace(one, status="retracted"), replace(two, key="m-3"))
    assert [ACTIVE, ACTIVE] == [kept.memory(ANN, key).status for key in ("m-1", "m-2")]
    update(replace(one, status="retracted"), replace(two, why="looked at"))
    one, two = (kept.memory(ANN, key) for key in ("m-1", "m-2"))
    assert [("retracted", None), (ACTIVE, "looked at")] == [(m.status, m.why) for m in (one, two)]


def test_times_of_one_memory_ascend_even_when_a_clock_stands_still(store):
    ahead = datetime.now(UTC) + HOUR
    put(a_memory("m-1"))
    table("memories").batch_update([{"key": "m-1", "touched_at": ahead}])

    update(replace(kept.memory(ANN, "m-1"), why="again"))

    assert ahead < kept.memory(ANN, "m-1").touched_at


def test_they_are_listed_newest_first_and_as_asked_for(store):
    put(
        a_memory("m-1", service="cart", session_id="s1", created_at=NOON),
        a_memory("m-2", kind="decision", created_at=NOON + HOUR),
        a_memory("m-3", user=None, created_at=NOON + 2 * HOUR),
        a_memory("m-4", status=PENDING, created_at=NOON + 3 * HOUR),
    )

    assert ["m-3", "m-2", "m-1"] == keys(kept.memories(ANN))
    assert ["m-3"] == keys(kept.memories(ANN, limit=1))
    assert ["m-2", "m-1"] == keys(kept.memories(ANN, owned=True))
    assert ["m-2"] == keys(kept.memories(ANN, kinds=("decision",)))
    assert ["m-1"] == keys(kept.memories(ANN, service="cart"))
    assert ["m-1"] == keys(kept.memories(ANN, session="s1"))
    assert [] == kept.memories(ANN, kinds=())
    assert ["m-4", "m-3"] == keys(kept.memories(ANN, statuses=(ACTIVE, PENDING), limit=2))
    assert 4 == kept.count(ANN, statuses=(ACTIVE, PENDING))
    assert 1 == kept.count(ANN, statuses=(PENDING,), owned=True)


@pytest.mark.parametrize("asked", [{"limit": 0}, {"limit": 1_001}, {"statuses": ("x",)}])
def test_what_is_out_of_bounds_is_refused(store, asked):
    with pytest.raises(BadInput):
        kept.memories(ANN, **asked)


@pytest.mark.parametrize("end", ["expires_at", "valid_until"])
@pytest.mark.parametrize("status", [ACTIVE, PENDING])
def test_what_has_expired_is_served_no_more_from_that_moment_on(store, end, status):
    put(a_memory("m-1", status=status, **{end: NOON}), a_memory("m-2", status=status))

    before, after = NOON - HOUR, NOON
    assert ["m-2", "m-1"] == keys(kept.memories(ANN, statuses=(status,), now=before))
    assert ["m-2"] == keys(kept.memories(ANN, statuses=(status,), now=after))
    assert (2, 1) == tuple(kept.count(ANN, statuses=(status,), now=n) for n in (before, after))
    assert ["m-1"] == keys(kept.memories(ANN, statuses=(EXPIRED,), now=after))
    assert (status, EXPIRED) == tuple(
        kept.memory(ANN, "m-1", now=n).status for n in (before, after)
    )
    assert "until 2026-03-14 12:00 UTC" in kept.memory(ANN, "m-1", now=after).why


def test_expiring_settles_what_time_has_ended(store):
    put(
        a_memory("m-1", expires_at=NOON),
        a_memory("m-2", user="bob", valid_until=NOON),
        a_memory("m-3", status=REFUSED, expires_at=NOON),
        a_memory("m-4", expires_at=NOON + HOUR),
    )

    assert ["m-1"] == kept.expire(ANN, NOON)
    assert ["m-2"] == kept.expire(None, NOON)
    assert [] == kept.expire(None, NOON)
    stored = {row["key"]: row["status"] for row in table("memories").collect()}
    assert {"m-1": EXPIRED, "m-2": EXPIRED, "m-3": REFUSED, "m-4": ACTIVE} == stored
    assert "expired" == kept.changes_of(ANN, "m-1")[-1].what


def test_another_ones_memory_is_spoken_of_as_if_it_were_not_there(store):
    put(a_memory("m-1", user="bob"))

    for ask in (kept.memory, kept.changes_of):
        said = []
        for key in ("m-1", "m-2"):
            with pytest.raises(NotFound) as raised:
                ask(ANN, key)
            said.append(str(raised.value).replace(key, "…"))
        assert said[0] == said[1]
    with pytest.raises(NotFound) as raised:
        kept.memory(ANN, TOKEN)
    assert TOKEN not in str(raised.value)


def test_a_name_with_a_secret_finds_what_was_stored_under_it(store):
    put(a_memory("m-1", user=kept.safe(Asker(f"ann {TOKEN}")).user_id))

    assert ["m-1"] == keys(kept.memories(Asker(f"ann {TOKEN}")))
    assert [] == kept.memories(Asker("ann"))


def test_no_read_gives_or_counts_what_an_asker_may_not_see(store):
    chance = random.Random(5)
    rows = [
        a_memory(
            f"m-{n}",
            f"Note {chance.randrange(9)} about redis.",
            chance.choice(EVERYONE),
            chance.choice(EVERYWHERE),
            status=chance.choice(STATUSES),
            kind=chance.choice(("fact", "decision")),
            service=chance.choice((None, "cart")),
            created_at=NOON + timedelta(minutes=n),
        )
        for n in range(120)
    ]
    put(*rows)
    probes = 0
    for asker in [Asker(user, project) for user in EVERYONE for project in EVERYWHERE]:
        mine = [row for row in rows if sees(asker, row.user_id, row.project)]
        for _ in range(25):
            statuses = tuple(chance.sample(STATUSES, chance.randint(1, 6)))
            kinds = chance.choice((None, ("fact",)))
            service = chance.choice((None, "cart"))
            asked = {"statuses": statuses, "kinds": kinds, "service": service}
            expected = [
                row.key
                for row in mine[::-1]
                if row.status in statuses
                and row.kind in (kinds or (row.kind,))
                and row.service == (service or row.service)
            ]
            assert expected == keys(kept.memories(asker, **asked, limit=1_000))
            assert len(expected) == kept.count(asker, **asked)
            probes += 2
        for row in chance.sample(rows, 12):
            for read in (kept.memory, kept.changes_of):
                if sees(asker, row.user_id, row.project):
                    assert read(asker, row.key)
                else:
                    with pytest.raises(NotFound):
                        read(asker, row.key)
                probes += 1
    assert 600 < probes
