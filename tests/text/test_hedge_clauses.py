"""Doubt of the speaker, and clauses that only describe what may happen to a system."""

import pytest

from knowwhy.text.doubt.hedges import hedges
from pace import assert_linear

DESCRIBED = """
The job retries when the network may be down.
Our Rust code uses Option for values that might be missing.
We retry if the primary might be stale.
Whenever a pod might be evicted, we drain it.
Use a lock for rows which may be changed by others.
Alert when a disk might fail within a week.
The guard protects against callers who might send nothing.
We validate inputs that may contain HTML.
Callers check whether the cache may be empty.
The client backs off if it might break the quota.
Unsure customers are routed to the help desk.
Uncertain inputs are sent to a human.
The classifier marks unsure cases for review.
We send uncertain matches to a reviewer.
"""
GUESSED = """
The network may be down.
The leak might be in libvips.
When the job fails, the cache might be stale.
If the job fails it might be the cache.
If the pool is full, it may be the leak.
If the job fails the cache may be stale.
The crash happens when the pool might be exhausted.
It only fails when the network might be down.
The outage was caused by a leak that might be in libvips.
We saw errors that might come from the pool.
The value that might be missing is the port.
We use a lock for jobs that may be caused by retries.
The job stopped when the disk might have been full.
Nobody knows if the network might be down.
I am unsure whether billing uses MySQL.
We're unsure customers can log in.
Unsure customers can log in.
Unsure: billing uses MySQL.
Ann is very uncertain results are right.
Uncertain about the port of billing.
"""
RESERVED = """
ISTR that the limit was raised to 50.
I seem to remember that the limit is 50.
Tentatively: orders uses Kafka.
Tentatively, orders uses Kafka.
Someone said the parser leaks memory.
Somebody told me that the parser leaks memory.
Some people claimed the parser leaks memory.
The culprit has got to be the connection pool.
It's got to be the connection pool.
The cause has to be the connection pool.
I'm fairly confident the leak is in libvips.
I am pretty sure the leak is in libvips.
We're almost certain that the leak is in libvips.
Pretty sure the leak is in libvips.
"""
PLAIN = """
Tentatively scheduled jobs are shown in grey.
The tentative date is stored in the calendar.
Someone said yes, so the deploy went out.
If someone says no, the vote fails.
The alert fires when someone claims the ticket.
The key has got to be rotated by Friday.
The token has to be rotated every month.
The cause has to be written into the report.
Confident predictions skip the review.
The model is fairly confident from 0.8 on.
I'm fairly confident in Rust.
I am sure the leak is in libvips.
We're certain that the leak is in libvips.
The limit was raised to 50.
"""


def lines(text):
    return text.strip().splitlines()


@pytest.mark.parametrize("text", [*lines(DESCRIBED), *lines(PLAIN)])
def test_what_a_system_may_meet_and_how_sure_others_are_is_no_doubt(text):
    assert [] == hedges(text)


@pytest.mark.parametrize("text", lines(GUESSED))
def test_what_the_speaker_only_guesses_is_strong_doubt(text):
    assert any(hedge.strong for hedge in hedges(text))


@pytest.mark.parametrize("text", lines(RESERVED))
def test_memory_hearsay_and_near_certainty_are_doubt_that_is_not_strong(text):
    assert [False] == [hedge.strong for hedge in hedges(text)]


@pytest.mark.parametrize("part", ["when the might ", "for as that may ", "unsure ants ", "may if "])
def test_a_long_run_of_clauses_is_read_in_linear_time(part):
    assert_linear(hedges, part)
