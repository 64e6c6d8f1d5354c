"""What comes in: judged against what is kept, in the order that the rules stand in."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from knowwhy.errors import BadFields, BadInput, CapacityReached, NotFound, StoreFailed
from knowwhy.grounding.admit import MOST_CLAIMS, admit
from knowwhy.grounding.claims import Claim
from knowwhy.models import wordhash
from knowwhy.tables.kept import memories, memory_search
from knowwhy.tables.kept.memories import ACTIVE, PENDING, REFUSED, SUPERSEDED
from knowwhy.tables.write import prepare, put_records, table
from knowwhy.types import Asker, Draft

NOON = datetime(2026, 3, 14, 12, 0, tzinfo=UTC)
ANN = Asker("ann")
TOKEN = "ghp_" + "NqVw3xYz8aBcDeFg1HiJ" + "2kLm4nOp6qRs"
STATUS_OF_TIER = {1: ACTIVE, 2: PENDING, 3: REFUSED}


def claim(content, **more):
    return Claim(content, **{"kind": "fact", "user_id": "ann", "said_by": "user", **more})


def say(*contents, **more):
    claims = [c if isinstance(c, Claim) else claim(c, **more) for c in contents]
    return admit(claims, embedder="wordhash", now=NOON)


def statuses(*keys):
    stored = memories.held(keys)
    return [stored[key].status for key in keys]


def test_what_a_user_says_of_their_own_project_is_active_and_found(store):
    (said,) = say("The orders service listens on port 8080.", project="orders")

    assert ACTIVE == said.status
    assert said == memories.memory(Asker("ann", "orders"), said.key)
    (change,) = memories.changes_of(ANN, said.key)
    assert ("added", "ann", said.why) == (change.what, change.by, change.why)


def test_what_names_no_source_waits_and_what_is_guessed_is_kept_as_refused(
    store,
):
    waits, guess = say(
        claim("The gateway retries a request three times.", said_by="assistant"),
        claim("Maybe the cache is cold after a deploy."),
    )

    assert (PENDING, REFUSED) == (waits.status, guess.status)
    assert guess.why
    assert ["refused"] == [m.status for m in memories.memories(ANN, statuses=(REFUSED,))]


def test_the_tier_that_the_store_derives_is_the_one_that_decided(store):
    put_records(prepare([Draft("adr-25", "adr", "Tokens", "Text", label="ADR-25")], "wordhash"))
    say("The API timeout is 30 s.", "orders uses PostgreSQL 15.")
    say(
        claim("Access tokens live for 15 minutes (ADR-25).", said_by="assistant"),
        claim("Access tokens live for 20 minutes (ADR-812).", said_by="assistant"),
        claim("Possibly billing double charges."),
        claim("the API timeout is 30 s"),
        claim("The API timeout is 45 s."),
        claim("orders moved from PostgreSQL 15 to MySQL 8."),
        claim("Stripe limits its API to 100 requests a second.", said_by="assistant"),
        claim("The pool has 40 connections.", source="https://example.com/wiki"),
    )

    rows = table("memories").collect()
    assert 10 == len(rows)
    decided = {r["key"]: r["status"] for r in rows if r["status"] != SUPERSEDED}
    assert decided == {key: STATUS_OF_TIER[r["tier"]] for r in rows if (key := r["key"]) in decided}
    assert {1, 2, 3} == {row["tier"] for row in rows}


def test_what_a_claim_cites_and_exists_is_noted(store):
    put_records(prepare([Draft("adr-25", "adr", "Tokens", "Text", label="ADR-25")], "wordhash"))

    there, missing, by_source = say(
        claim("Access tokens live for 15 minutes (ADR-25).", said_by="assistant"),
        claim("Refresh tokens live for 30 days (ADR-812).", said_by="assistant"),
        claim("Consumers give up after five attempts.", said_by="assistant", source="adr-25"),
    )

    assert [("ADR-25",), (), ("adr-25",)] == [m.resolved for m in (there, missing, by_source)]
    assert [ACTIVE, PENDING, ACTIVE] == [m.status for m in (there, missing, by_source)]


@pytest.mark.parametrize(
    ("kept", "said"),
    [
        ("orders stores its data in PostgreSQL 15.", "Orders stores its data in  PostgreSQL 15"),
        ("We deploy on Fridays.", "we DEPLOY on Fridays!"),
    ],
)
def test_a_near_copy_is_refused_and_names_what_it_copies(store, kept, said):
    (first,) = say(kept)
    (copy,) = say(said)

    assert (REFUSED, first.key) == (copy.status, copy.copy_of)
    assert kept in copy.why
    assert (first.key, 1.0) == (copy.nearest_key, round(copy.nearest_score, 2))


@pytest.mark.parametrize(
    ("kept", "said"),
    [
        ("Users must sign in before the migration.", "Users must sign out before the migration."),
        ("Branch feature/A is frozen.", "Branch feature/a is frozen."),
        ("There are few tests in billing.", "There are a few tests in billing."),
        ("Read the docs, then write code.", "Write code, then read the docs."),
    ],
)
def test_the_same_words_that_say_something_else_are_no_copy(store, kept, said):
    say(kept)
    (other,) = say(said)

    assert (None, ACTIVE) == (other.copy_of, other.status)


def test_what_is_alike_but_says_something_else_comes_in(store):
    say("We back up the orders database daily.")
    (other,) = say("We back up the billing database daily.")

    assert ACTIVE == other.status
    assert other.copy_of is None
    assert 0.5 < other.nearest_score


@pytest.mark.parametrize("status", [REFUSED, "retracted", "superseded", "expired"])
def test_what_is_not_kept_any_more_can_be_said_again(store, status):
    from knowwhy.tables.write import queue
    from knowwhy.types import Change

    (first,) = say("We deploy on Fridays.")
    with queue("memories"):
        memories.update([replace(first, status=status)], [Change(first.key, status)])

    assert ACTIVE == say("We deploy on Fridays.")[0].status


def test_what_has_expired_can_be_said_again(store):
    say("We deploy on Fridays.", expires_at=NOON)

    assert ACTIVE == say("We deploy on Fridays.")[0].status


@pytest.mark.parametrize(
    ("kept", "said"),
    [
        ("We send mail with Resend.", "We moved from Resend to Bento."),
        ("The API timeout is 30 s.", "The API timeout was raised from 30 s to 45 s."),
        ("tracking uses Cassandra.", "tracking replaced Cassandra with TimescaleDB."),
    ],
)
def test_an_explicit_succession_takes_the_place_of_what_it_speaks_of(store, kept, said):
    (old,) = say(kept)
    (other,) = say("We back up the billing database daily.")
    (new,) = say(said)

    assert (ACTIVE, old.key) == (new.status, new.supersedes)
    assert [SUPERSEDED, ACTIVE] == statuses(old.key, other.key)
    after = memories.memory(ANN, old.key)
    assert f"Superseded by {new.key}" in after.why
    assert said in after.why
    assert ["added", "superseded"] == [c.what for c in memories.changes_of(ANN, old.key)]


def test_a_succession_that_waits_or_is_refused_changes_nothing(store):
    (old,) = say("We send mail with Resend.")
    (waits,) = say("We moved from Resend to Bento.", said_by="assistant")
    (guess,) = say("Maybe we moved from Resend to Bento.")

    assert (PENDING, old.key) == (waits.status, waits.supersedes)
    assert (REFUSED, None) == (guess.status, guess.supersedes)
    assert [ACTIVE] == statuses(old.key)


def test_an_older_succession_does_not_replace_what_came_to_hold_later(store):
    (old,) = say("We send mail with Resend.", valid_from=NOON)
    (new,) = say("We moved from Resend to Bento.", valid_from=NOON - timedelta(days=9))

    assert [ACTIVE] == statuses(old.key)
    assert new.supersedes is None


def test_a_users_own_correction_takes_the_place_of_what_it_contradicts(store):
    (old,) = say("The API timeout is 30 s.")
    (new,) = say("No, the API timeout is 45 s.", kind="correction")

    assert (ACTIVE, old.key) == (new.status, new.supersedes)
    assert [SUPERSEDED] == statuses(old.key)


def test_an_assistants_correction_is_a_contradiction(store):
    (old,) = say("The API timeout is 30 s.")
    (new,) = say("Actually, the API timeout is 45 s.", said_by="assistant", kind="correction")

    assert (REFUSED, old.key) == (new.status, new.conflicts_with)
    assert [ACTIVE] == statuses(old.key)


def test_any_other_contradiction_is_refused_and_shows_what_it_contradicts(store):
    (old,) = say("The API timeout is 30 s.")
    (new,) = say("The API timeout is 45 s.")

    assert (REFUSED, old.key) == (new.status, new.conflicts_with)
    assert "The API timeout is 30 s." in new.why
    assert [ACTIVE] == statuses(old.key)


def test_what_somebody_else_or_another_project_keeps_is_no_copy_and_no_contradiction(store):
    whose = [(user, project) for user in (None, "ann", "bob") for project in (None, "a", "b")]
    for user, project in whose:
        said = say("The API timeout is 30 s.", user_id=user, project=project)
        assert [ACTIVE] == [m.status for m in said]
    for user, project in whose:
        (other,) = say("The API timeout is 45 s.", user_id=user, project=project)
        kept = memories.held([str(other.conflicts_with)])[str(other.conflicts_with)]
        assert (user, project) == (kept.user_id, kept.project)
        assert (user, project) == (other.user_id, other.project)


def test_a_pair_that_came_in_together_or_by_import_is_left_to_the_janitor(store):
    both = say("The API timeout is 30 s.", "The API timeout is 45 s.")
    assert [ACTIVE, ACTIVE] == [m.status for m in both]

    source = "https://example.com/limits"
    for seconds in (60, 90):
        (said,) = say(
            f"The read timeout is {seconds} s.", said_by="import", source=source, project="p"
        )
        assert said.conflicts_with is None
        assert REFUSED != said.status


def test_of_two_copies_that_came_in_together_one_is_active(store):
    first, copy, other = say(
        "We deploy on Fridays.", "we deploy on fridays", "CI takes 11 minutes."
    )

    assert [ACTIVE, REFUSED, ACTIVE] == [m.status for m in (first, copy, other)]
    assert first.key == copy.copy_of


def test_a_succession_that_came_in_together_with_what_it_ends_takes_its_place(store):
    old, new = say("We send mail with Resend.", "We moved from Resend to Bento.")

    assert [SUPERSEDED, ACTIVE] == [old.status, new.status]
    assert old.key == new.supersedes
    assert [old, new] == [memories.memory(ANN, m.key) for m in (old, new)]
    assert ["added", "superseded"] == [c.what for c in memories.changes_of(ANN, old.key)]


def test_what_its_user_corrects_by_its_key_makes_way_however_different(store):
    (old,) = say("We deploy on Fridays.")
    (new,) = say("CI takes 11 minutes.", replaces=old.key)

    assert (ACTIVE, old.key) == (new.status, new.supersedes)
    assert [SUPERSEDED] == statuses(old.key)
    with pytest.raises(BadInput, match="superseded"):
        say("CI takes 12 minutes.", replaces=old.key)
    with pytest.raises(BadInput, match="the same memory"):
        say("CI takes 12 minutes.", "Rain falls.", replaces=new.key)


def test_a_new_version_may_be_nearly_the_same_but_no_copy_of_another(store):
    (old,) = say("We deploy on Fridays.")
    (other,) = say("CI takes 9 minutes.")

    assert ACTIVE == say("We deploy on Fridays!", replaces=old.key)[0].status
    (copy,) = say("CI takes 11 minutes", replaces=other.key)
    (again,) = say("we deploy on Fridays", replaces=copy.key)
    assert (REFUSED, ACTIVE) == (again.status, statuses(copy.key)[0])


@pytest.mark.parametrize(("user", "project"), [("bob", None), (None, None), ("ann", "orders")])
def test_what_is_anothers_cannot_be_replaced_and_is_not_told(store, user, project):
    (old,) = say("We deploy on Fridays.", user_id=user, project=project)

    said = []
    for key in (old.key, "m-none"):
        with pytest.raises(NotFound) as raised:
            say("CI takes 11 minutes.", replaces=key)
        said.append(str(raised.value).replace(key, "…"))
    assert said[0] == said[1]
    assert [ACTIVE] == statuses(old.key)
    assert 1 == table("memories").count()


def test_a_fact_whose_key_is_stored_is_not_judged_again(store):
    fact = claim("We deploy on Fridays.", turn_key="t", extractor_version="rules-1", fact_number=0)
    (first,) = say(fact)
    before = table("memories").get_metadata()["version"]

    assert [first, first] == say(fact, replace(fact, content="Something else entirely."))
    assert before == table("memories").get_metadata()["version"]
    with pytest.raises(BadInput):
        say(replace(fact, user_id="bob"))


def test_a_claim_that_cannot_be_compared_goes_to_review(store, monkeypatch):
    def fails(*_, **__):
        raise StoreFailed(f"no index for {TOKEN}")

    monkeypatch.setattr(memory_search, "nearest_to", fails)
    sure, guess = say("We deploy on Fridays.", "Maybe we deploy on Mondays.")

    assert (PENDING, PENDING) == (sure.status, guess.status)
    assert "no index" in sure.check_failed
    assert TOKEN not in sure.check_failed


def test_a_claim_that_no_model_can_embed_goes_to_review(store, monkeypatch):
    def fails(_):
        raise RuntimeError("no model")

    monkeypatch.setattr(wordhash, "embed", fails)
    (said,) = say("We deploy on Fridays.")

    assert PENDING == said.status
    assert said.check_failed
    assert [PENDING] == statuses(said.key)


def test_one_claim_out_of_bounds_keeps_all_of_them_out(store):
    with pytest.raises(BadFields):
        say("We deploy on Fridays.", "")
    with pytest.raises(BadInput):
        say(*["We deploy on Fridays."] * (MOST_CLAIMS + 1))

    assert 0 == table("memories").count()


def test_a_full_queue_refuses_and_pushes_nothing_out(store):
    waiting = [claim(f"The gateway {n} is slow.", said_by="assistant") for n in "abc"]
    now = {"embedder": "wordhash", "now": NOON, "max_pending": 2}
    admit(waiting[:2], **now)

    with pytest.raises(CapacityReached):
        admit(waiting[2:], **now)
    assert 2 == table("memories").count()
    assert [ACTIVE] == [m.status for m in admit([claim("We deploy on Fridays.")], **now)]
    assert [PENDING] == [m.status for m in admit([replace(waiting[2], user_id="bob")], **now)]


def test_a_call_without_room_writes_nothing_of_its_successions_either(store):
    told = [
        claim("We send mail with Resend."),
        claim("We moved from Resend to Bento."),
        claim("We paint it blue.", said_by="assistant"),
    ]

    with pytest.raises(CapacityReached):
        admit(told, embedder="wordhash", now=NOON, max_pending=0)

    assert 0 == table("memories").count() == table("changes").count()


def test_no_secret_is_stored(store):
    say(f"The token is {TOKEN}.", raw_source=f"user: {TOKEN}", metadata={"a": TOKEN})

    assert TOKEN not in str(list(table("memories").collect()))
    assert TOKEN not in str(list(table("changes").collect()))


def test_nothing_is_nothing(store):
    assert [] == admit([], embedder="wordhash", now=NOON)
