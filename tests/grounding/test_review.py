"""Claims that wait: who sees them, what judging does to them, and what it leaves behind."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial

import pytest

from knowwhy.errors import BadInput, CapacityReached, NotFound
from knowwhy.grounding import checkpoints, lifecycle, review
from knowwhy.grounding.remember import remember
from knowwhy.tables.kept import memories, memory_changes
from knowwhy.tables.kept.memory_changes import stamped
from knowwhy.types import ASSISTANT, COMMAND, PERSON, Asker, Change, Hand

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
TYPED = Hand(via=PERSON)
ANN, BOB = Asker("ann"), Asker("bob")
GUESSES = (
    "The billing worker drains its queue nightly.",
    "The search page renders on the server.",
    "Invoices are archived after ninety days.",
)


@pytest.fixture
def wait(store):
    def guess(text=GUESSES[0], asker=ANN, hours=0, **given):
        moment = NOW + timedelta(hours=hours)
        said = remember(
            text, asker=asker, said_by="assistant", embedder="wordhash", now=moment, **given
        )
        assert "pending" == said.status
        return said.key

    return guess


def approve(asker, key):
    return review.approve(asker, key, embedder="wordhash", now=NOW, hand=TYPED)


def correct(asker, key, text):
    return review.correct(asker, key, text, embedder="wordhash", now=NOW, hand=TYPED)


def reject(asker, key, why="It is wrong."):
    return review.reject(asker, key, why, now=NOW, hand=TYPED)


def waiting(asker, limit=10):
    return [memory.key for memory in review.pending(asker, limit, now=NOW)]


def whats(asker, key):
    return [(change.what, change.by) for change in memories.changes_of(asker, key)]


def test_the_oldest_claim_comes_first(wait):
    keys = [wait(text, hours=-hours) for hours, text in enumerate(GUESSES)]

    assert keys[::-1] == waiting(ANN)
    assert keys[:0:-1] == waiting(ANN, limit=2)


def test_an_approved_claim_is_active_and_says_who_vouches_for_it(wait):
    key = wait()

    done = approve(ANN, key)

    assert ("active", NOW, "ann") == (done.status, done.verified_at, done.verified_by)
    assert [] == waiting(ANN)
    assert [("added", "ann"), ("approved", "ann")] == whats(ANN, key)


@pytest.mark.parametrize("via", [ASSISTANT, COMMAND, None])
def test_only_a_person_verifies(wait, via):
    first, second = wait(), wait(GUESSES[1])
    how = {"embedder": "wordhash", "now": NOW, "hand": Hand(via=via)}

    kept = review.approve(ANN, first, **how)
    right = review.correct(ANN, second, "The search page renders in the browser.", **how)

    for done in (kept, right):
        assert ("active", via) == (done.status, done.verified_via)
        assert (None, None) == (done.verified_at, done.verified_by)
        assert "is not known" in done.why


def test_a_rejected_claim_is_kept_as_refused_with_the_reason(wait):
    key = wait()

    done = reject(ANN, key, "  It runs hourly. ")

    assert ("refused", "It runs hourly.") == (done.status, done.why)
    assert [("added", "ann"), ("rejected", "ann")] == whats(ANN, key)
    assert [done] == memories.memories(ANN, statuses=("refused",), now=NOW)


def test_a_corrected_claim_comes_in_as_the_person_says_it(wait):
    key = wait(source="conversation:s-1")

    done = correct(ANN, key, "The billing worker drains its queue hourly.")

    assert ("active", "user", "ann") == (done.status, done.said_by, done.verified_by)
    assert (key, "conversation:s-1") == (done.supersedes, done.source)
    assert "superseded" == memories.memory(ANN, key).status
    assert ("corrected", "ann") == whats(ANN, done.key)[-1]
    assert [] == waiting(ANN)


@pytest.mark.parametrize("is_approved", [False, True])
def test_what_an_assistant_says_anew_waits_and_the_old_version_stays_until_then(wait, is_approved):
    old = wait()
    if is_approved:
        approve(ANN, old)
    before = memories.memory(ANN, old, now=NOW).status

    text = "The billing worker drains its queue hourly."
    new = lifecycle.update(ANN, old, text, said_by="assistant", embedder="wordhash", now=NOW)

    assert ("pending", "assistant", old) == (new.status, new.said_by, new.supersedes)
    assert before == memories.memory(ANN, old, now=NOW).status
    assert "active" == approve(ANN, new.key).status
    assert "superseded" == memories.memory(ANN, old, now=NOW).status


def test_a_correction_that_copies_what_is_kept_is_refused_and_the_claim_waits_on(wait):
    kept, key = approve(ANN, wait(GUESSES[0])), wait(GUESSES[1])

    done = correct(ANN, key, GUESSES[0])

    assert ("refused", kept.key) == (done.status, done.copy_of)
    assert [key] == waiting(ANN)


def test_a_correction_that_says_nothing_new_is_no_correction(wait):
    key = wait()

    with pytest.raises(BadInput, match="says exactly that already"):
        correct(ANN, key, f" {GUESSES[0]}")


def test_what_contradicts_an_active_memory_is_not_approved(wait):
    key = wait("We use Memcached for caching.")
    kept = remember("We use Redis for caching.", asker=ANN, embedder="wordhash", now=NOW)
    assert "active" == kept.status

    with pytest.raises(BadInput, match=f"{key} contradicts {kept.key}"):
        approve(ANN, key)

    assert [key] == waiting(ANN)


def test_of_two_claims_that_say_the_same_one_is_approved(wait):
    checkpoints.create(ANN, "empty")
    first = wait()
    checkpoints.roll_back(ANN, "empty")
    second = wait()
    lifecycle.restore(ANN, first, "It was none.", embedder="wordhash", now=NOW)

    assert "active" == approve(ANN, second).status
    with pytest.raises(BadInput, match=f"{first} says the same as {second}"):
        approve(ANN, first)


@pytest.mark.parametrize("judge", [approve, reject, partial(correct, text="It is hourly now.")])
def test_what_is_judged_does_not_wait_any_more(wait, judge):
    key = wait()
    reject(ANN, key)

    with pytest.raises(BadInput, match="is refused; it does not wait for review"):
        judge(ANN, key)


@pytest.mark.parametrize("judge", [approve, reject, partial(correct, text="It is hourly now.")])
def test_another_users_claim_is_like_one_that_nobody_has(wait, judge):
    key = wait()

    told = []
    for wrong in (key, "m-" + "0" * 20):
        with pytest.raises(NotFound) as refused:
            judge(BOB, wrong)
        told.append(str(refused.value).replace(wrong, "KEY"))

    assert told[0] == told[1]
    assert [] == waiting(BOB)
    assert [key] == waiting(ANN)
    assert [] == [what for what, _ in whats(ANN, key) if what != "added"]


def test_a_projects_claims_are_judged_by_those_who_see_the_project(wait):
    key = wait(asker=Asker(None, "orders"))

    assert [] == waiting(BOB) + waiting(Asker("bob", "billing"))
    assert [key] == waiting(Asker("bob", "orders"))
    assert "bob" == approve(Asker("bob", "orders"), key).verified_by


def test_each_of_several_claims_has_its_own_outcome(wait):
    first, second = wait(GUESSES[0]), wait(GUESSES[1])

    outcomes = review.each([first, "m-none", second, first], partial(approve, ANN))

    assert [first, "m-none", second] == [one.key for one in outcomes]
    assert ["active", None, "active"] == [one.memory and one.memory.status for one in outcomes]
    assert isinstance(outcomes[1].error, NotFound)


def test_more_claims_than_can_be_judged_at_once_are_refused_before_any_is(wait):
    key = wait()

    with pytest.raises(BadInput, match="501 keys were given; 500 are the most"):
        review.each([key] * 501, partial(approve, ANN))

    assert [key] == waiting(ANN)


@pytest.mark.parametrize("why", ["", "  ", "w" * 1_001, "a\0b"])
def test_a_claim_is_rejected_for_a_reason(wait, why):
    key = wait()

    with pytest.raises(BadInput, match="The reason "):
        reject(ANN, key, why)

    assert [key] == waiting(ANN)


def test_a_secret_in_a_reason_is_not_kept(wait):
    token = "ghp_" + "a1B2" * 9

    done = reject(ANN, wait(), f"It names {token}.")

    assert token not in done.why
    assert token not in str(memories.changes_of(ANN, done.key))


def test_the_history_is_what_people_judged_newest_first(wait):
    first, second, third = (wait(text) for text in GUESSES)
    approve(ANN, first)
    reject(ANN, second, "It is not.")
    new = correct(ANN, third, "Invoices are archived after thirty days.").key

    judged = review.history(ANN, 10)

    expected = [("corrected", new), ("rejected", second), ("approved", first)]
    assert expected == [(change.what, change.memory_key) for change in judged]
    assert expected[:1] == [(c.what, c.memory_key) for c in review.history(ANN, 1)]
    assert ("It is not.", "refused") == (judged[1].why, judged[1].after["status"])
    assert [] == review.history(BOB, 10)


def test_a_judgement_that_a_crash_cut_off_is_not_in_the_history(wait):
    key = wait()
    waits = memories.memory(ANN, key, now=NOW)
    begun = Change(key, "approved", by="ann")
    memory_changes.note([stamped(replace(waits, status="active"), waits, begun, datetime.now(UTC))])

    assert [] == review.history(ANN, 10)
    reject(ANN, key)
    assert ["rejected"] == [change.what for change in review.history(ANN, 10)]


def test_a_full_queue_takes_no_more_and_pushes_nothing_out(wait):
    keys = [wait(GUESSES[0], max_pending=2), wait(GUESSES[1], max_pending=2)]

    with pytest.raises(CapacityReached, match="2 claims wait for review"):
        wait(GUESSES[2], max_pending=2)

    assert sorted(keys) == sorted(waiting(ANN))
    assert wait(GUESSES[2], asker=BOB, max_pending=2)
    reject(ANN, keys[0])
    assert wait(GUESSES[2], max_pending=2)


def test_a_projects_queue_is_bounded_by_itself(wait):
    orders, billing = Asker(None, "orders"), Asker(None, "billing")
    wait(GUESSES[0], asker=orders, max_pending=1)

    with pytest.raises(CapacityReached, match="wait for review and 1 are the most"):
        wait(GUESSES[1], asker=orders, max_pending=1)

    assert wait(GUESSES[1], asker=billing, max_pending=1)


def test_a_full_queue_does_not_keep_out_what_needs_no_review(wait):
    wait(max_pending=1)

    kept = remember(
        "I prefer short answers.", asker=ANN, embedder="wordhash", now=NOW, max_pending=1
    )

    assert "active" == kept.status


def test_an_expired_claim_waits_no_more(wait):
    key = wait(ttl=timedelta(hours=1))
    later = NOW + timedelta(hours=2)

    assert [] == review.pending(ANN, 10, now=later)
    with pytest.raises(BadInput, match="is expired"):
        review.approve(ANN, key, embedder="wordhash", now=later)


@pytest.mark.parametrize("limit", [0, 1_001])
def test_a_limit_out_of_bounds_is_refused(store, limit):
    with pytest.raises(BadInput, match="must be from 1 to 1,000"):
        review.pending(ANN, limit, now=NOW)
    with pytest.raises(BadInput, match="must be from 1 to 1,000"):
        review.history(ANN, limit)
