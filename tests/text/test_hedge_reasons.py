"""What may happen is a reason of what somebody chose, and a guess at why something happened."""

import pytest

from knowwhy.text.doubt.hedges import hedges
from pace import assert_linear

REASONS = """
We chose Kafka because RabbitMQ might lose messages.
We use Redis since Postgres may fail under load.
We pin the version to avoid that it could break the build.
Because RabbitMQ might lose messages, we chose Kafka.
Writes go through a queue so that they could survive a restart.
Never call the vendor in a transaction, as it may hang.
Services must retry, because the network may drop packets.
We keep two brokers in case one might die.
The platform team moved to Bento because Resend could lose mails.
I always squash commits, since reviewers may miss the second one.
In 2023 we sharded by tenant because a single table might not scale.
We are moving to Postgres because the old store may corrupt rows and could be gone by May 2026.
Two options were rejected because they could easily be built on top.
Certificates must be rotated weekly given that a key may leak.
"""
GUESSES = """
The deploy failed because the token might have expired.
Builds are slow because the cache may be cold.
This is because the pool might be full.
It is only because it may be cold.
We lost messages because the broker might be down.
We are seeing errors because the pool might be exhausted.
We ran into timeouts because the pool may be small.
The reason is that the pool might be full.
We might use Kafka because RabbitMQ loses messages.
Maybe we should use Kafka because RabbitMQ might lose messages.
I guess we chose Kafka because RabbitMQ might lose messages.
We restarted it, so it might be the cache.
Because the pool was small, it might be the cache.
We restarted because of the alarm, and it might be the cache.
Requests are dropped because the queue may be full.
Did we choose Kafka because RabbitMQ might lose messages?
"""
BESIDE = """
We restarted the pods because the pool might have leaked.
We chose Kafka because maybe RabbitMQ loses messages.
We chose Kafka because I guess RabbitMQ loses messages.
If a rollback occurs, pending pods may fail to schedule.
Renaming a field changes its order, which may confuse readers.
Paths are compared as they are written, although some file systems may differ.
"""


def lines(text):
    return text.strip().splitlines()


@pytest.mark.parametrize("text", lines(REASONS))
def test_what_may_happen_is_no_doubt_where_it_is_why_something_is_done(text):
    assert [] == hedges(text)


@pytest.mark.parametrize("text", lines(GUESSES))
def test_what_may_have_led_to_something_is_a_guess(text):
    assert any(hedge.strong for hedge in hedges(text))


@pytest.mark.parametrize("text", lines(BESIDE))
def test_a_doubt_beside_something_certain_is_not_strong(text):
    assert [False] == [hedge.strong for hedge in hedges(text)]


@pytest.mark.parametrize(
    "part", ["because it may ", "we use it, since x might, ", "if so, may we ", "which may, and "]
)
def test_a_long_run_of_reasons_is_read_in_linear_time(part):
    assert_linear(hedges, part)
