"""Long work in the background."""

import threading

import pytest

from knowwhy.errors import BadInput, CapacityReached, NotFound
from knowwhy.mcp.jobs import MOST_OF_ONE, MOST_WAITING, Jobs
from knowwhy.types import Asker

ANN, BOB = Asker("ann"), Asker("bob")


@pytest.fixture
def jobs():
    made = Jobs()
    yield made
    made.close(5)


def test_a_job_tells_how_far_it_is_and_what_it_gave(jobs):
    def work(job):
        job.total = 2
        job.advance()
        job.advance()
        return {"added": 2}

    job = jobs.begin("count", ANN, work)

    assert job.ended.wait(60)
    assert ("done", 2, 2, {"added": 2}) == (job.state, job.done, job.total, job.result)


def test_a_job_that_fails_keeps_the_sentence(jobs):
    def work(job):
        raise BadInput("It cannot be read.")

    job = jobs.begin("read", ANN, work)

    assert job.ended.wait(60)
    assert ("failed", "It cannot be read.") == (job.state, str(job.error))


def test_what_nobody_foresaw_fails_its_job_only_and_shows_no_more_than_its_kind(jobs, caplog):
    def work(job):
        raise ValueError("secret of another")

    first = jobs.begin("break", ANN, work)
    second = jobs.begin("go on", ANN, lambda job: {})

    assert second.ended.wait(60)
    assert "It has failed: ValueError." == first.as_json()["error"]
    assert "done" == second.state


def test_a_cancelled_job_stops_where_it_tells_how_far_it_is(jobs):
    begun, may_go_on = threading.Event(), threading.Event()

    def work(job):
        job.advance()
        begun.set()
        may_go_on.wait(60)
        job.advance()
        raise AssertionError("it went on")

    job = jobs.begin("long", ANN, work)
    begun.wait(60)
    jobs.cancel(ANN, job.key)
    may_go_on.set()

    assert job.ended.wait(60)
    assert "cancelled" == job.state


def test_a_job_that_has_not_begun_can_be_cancelled(jobs):
    may_end = threading.Event()
    first = jobs.begin("first", ANN, lambda job: may_end.wait(60) and {})
    second = jobs.begin("second", ANN, lambda job: {"never": True})

    jobs.cancel(ANN, second.key)

    assert second.ended.is_set()
    assert ("cancelled", None) == (second.state, second.result)
    assert not first.ended.is_set()
    may_end.set()
    assert first.ended.wait(60)
    assert "done" == first.state


def test_nobody_sees_or_cancels_anothers_job(jobs):
    job = jobs.begin("mine", ANN, lambda job: {})

    assert [job] == jobs.of(ANN)
    assert [] == jobs.of(BOB)
    for ask in (jobs.find, jobs.cancel):
        with pytest.raises(NotFound, match="You have no job"):
            ask(BOB, job.key)


def test_no_more_jobs_wait_than_are_bounded(jobs):
    may_end = threading.Event()
    users = [Asker(f"user-{number // MOST_OF_ONE}") for number in range(MOST_WAITING)]
    begun = [jobs.begin("x", user, lambda job: may_end.wait(60) and {}) for user in users]

    with pytest.raises(CapacityReached, match=f"{MOST_WAITING} jobs are waiting"):
        jobs.begin("one more", ANN, lambda job: {})
    may_end.set()

    assert all(job.ended.wait(60) for job in begun)


def test_one_user_leaves_places_for_others_and_cancelled_jobs_fill_none(jobs):
    may_end = threading.Event()

    def begin(asker):
        return jobs.begin("x", asker, lambda job: may_end.wait(60) and {})

    begun = [begin(ANN) for _ in range(MOST_OF_ONE)]
    with pytest.raises(CapacityReached, match=f"{MOST_OF_ONE} of your jobs"):
        begin(Asker("ann", "another project"))
    others = begin(BOB)
    jobs.cancel(ANN, begun[-1].key)
    again = begin(ANN)
    may_end.set()

    assert others.ended.wait(60)
    assert again.ended.wait(60)
    assert ("done", "done") == (others.state, again.state)


def test_closing_ends_what_waits_at_once(jobs):
    may_end = threading.Event()
    jobs.begin("first", ANN, lambda job: may_end.wait(60) and {})
    waiting = jobs.begin("second", ANN, lambda job: {})

    jobs.close(0)
    may_end.set()

    assert "cancelled" == waiting.state


def test_closing_stops_what_runs():
    jobs, begun = Jobs(), threading.Event()

    def work(job):
        begun.set()
        while True:
            job.advance()

    job = jobs.begin("for ever", ANN, work)
    begun.wait(60)
    jobs.close(5)

    assert "cancelled" == job.state
