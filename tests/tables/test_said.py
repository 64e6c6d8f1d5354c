"""Messages kept as they are said, one at a time."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta, timezone

import pytest

from knowwhy.errors import BadInput, BudgetSpent
from knowwhy.tables.talk import spends
from knowwhy.tables.talk.said import MOST_CONTENT, MOST_NAME, Saying, add_turn
from knowwhy.tables.talk.turns import history
from knowwhy.tables.write import table
from knowwhy.text.speech.turn_ends import CONTEXT_CHARS

NOON = datetime(2026, 3, 14, 12, 0, tzinfo=UTC)
TOKEN = "ghp_" + "NqVw3xYz8aBcDeFg1HiJ" + "2kLm4nOp6qRs"


def say(content="words", user="ann", project="orders", session="s1", **more):
    return add_turn(Saying(content, user, project, session, **more))


def read(user="ann", now=None):
    return history(user, None, None, None, 100, now or datetime.now(UTC) + timedelta(seconds=1))


def test_what_is_said_is_read_back_as_it_was_stored(store):
    turn = say("Why Kafka?", speaker="Ann")

    assert [turn] == read()
    assert ("user", "Ann", None, None) == (turn.role, turn.speaker, turn.context, turn.expires_at)


def test_the_turn_before_in_the_same_session_of_the_same_user_and_project_is_the_context(store):
    say("First.", at=NOON)
    say("Other session.", session="s2", at=NOON)
    say("Other user.", user="bob", at=NOON)
    say("Other project.", project="auth", at=NOON)
    say("No session.", session=None, at=NOON)

    answer = say("Second.", role="assistant", at=NOON + timedelta(minutes=1))
    third = say("Third.", at=NOON + timedelta(minutes=2))
    early = say("Earlier.", at=NOON - timedelta(minutes=2))

    assert "user: First." == answer.context
    assert "assistant: Second." == third.context
    assert early.context is None
    assert say("Alone.", session=None, at=NOON + timedelta(minutes=3)).context is None


def test_of_a_long_turn_the_end_is_the_context(store):
    say("word " * 2_000)

    context = say("Next.").context

    assert context.startswith("user: … word")
    assert len(context) <= CONTEXT_CHARS + len("user: … ")


def test_what_lives_shorter_is_no_context_of_what_lives_longer(store):
    say("For a day.", ttl=timedelta(days=1))
    assert say("For ever.").context is None
    say("For two days.", session="s2", ttl=timedelta(days=2))
    assert "user: For two days." == say("For one.", session="s2", ttl=timedelta(days=1)).context


def test_a_message_is_not_given_any_more_once_its_time_is_over(store):
    say("For a day.", ttl=timedelta(days=1), at=NOON)

    assert 1 == len(read(now=NOON + timedelta(hours=23)))
    assert [] == read(now=NOON + timedelta(hours=24))


def test_messages_of_one_moment_keep_their_order(store):
    for number in range(5):
        say(f"Number {number}.")

    assert [f"Number {n}." for n in (4, 3, 2, 1, 0)] == [turn.content for turn in read()]


def test_a_message_told_again_under_its_own_id_is_kept_once(store):
    first = say("Once.", id="m1")

    assert first == say("Once.", id="m1")
    assert first.key != say("Once.", id="m1", user="bob").key
    assert first.key != say("Once.").key
    assert 3 == table("turns").count()


def test_secrets_are_taken_out_of_words_names_and_context(store):
    say(f"The token is {TOKEN}", session=f"s {TOKEN}", speaker=f"Ann {TOKEN}")
    turn = say("Next.", session=f"s {TOKEN}")

    assert "[redacted" in turn.context
    assert TOKEN not in repr(read())


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"content": " "}, "is empty"),
        ({"content": "a\0b"}, "NUL"),
        ({"content": "\ud800"}, "surrogate"),
        ({"content": "x" * (MOST_CONTENT + 1)}, "at most 50,000"),
        ({"user": ""}, "The user is empty"),
        ({"session": "s" * (MOST_NAME + 1)}, "session must have at most"),
        ({"role": "system"}, "must be user or assistant"),
        ({"at": datetime(2026, 1, 1)}, "zone"),
        ({"at": datetime(1970, 12, 31, tzinfo=UTC)}, "in 1971 or later"),
        ({"at": datetime(9999, 12, 31, tzinfo=UTC)}, "is to come"),
        ({"at": datetime(9999, 12, 31, 23, tzinfo=timezone(timedelta(hours=-12)))}, "is to come"),
        ({"at": datetime.now(UTC) + timedelta(days=2)}, "is to come; give the time"),
        ({"ttl": timedelta()}, "above zero"),
        ({"ttl": timedelta(days=99_999)}, "above zero"),
    ],
)
def test_what_is_out_of_bounds_is_refused_and_not_kept(store, given, why):
    with pytest.raises(BadInput, match=why):
        say(**given)

    assert 0 == table("turns").count()


def test_messages_said_at_once_are_all_kept(store):
    with ThreadPoolExecutor(4) as pool:
        turns = list(pool.map(lambda n: say(f"Number {n}.", session=f"s{n % 2}"), range(12)))

    assert {turn.key for turn in turns} == {turn.key for turn in read()}


def test_a_day_ends_at_midnight_by_utc_and_the_cap_counts_what_is_under_way(store):
    late = datetime(2026, 3, 14, 23, 59, tzinfo=UTC)
    first = spends.reserve("m", 600_000, 1.0, late)
    with pytest.raises(BudgetSpent):
        spends.reserve("m", 600_000, 1.0, late)
    spends.settle(first, 10, 20, 100_000)
    spends.reserve("m", 600_000, 1.0, late)

    assert 700_000 == spends.spent_micro_dollars(late)
    assert 0 == spends.spent_micro_dollars(late + timedelta(minutes=1))
