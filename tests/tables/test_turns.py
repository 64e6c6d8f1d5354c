"""Turns written and read back: by whom, in what order, and no longer than they live."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from knowwhy.errors import BadInput
from knowwhy.tables.talk.turns import MOST_TURNS, MOST_WORDS, history, safe_name
from knowwhy.tables.write import ADDED, UNCHANGED, UPDATED, put_turns, table
from knowwhy.types import Turn

NOON = datetime(2025, 3, 14, 12, 0, tzinfo=UTC)
TOKEN = "ghp_" + "NqVw3xYz8aBcDeFg1HiJ" + "2kLm4nOp6qRs"


def turn(number, content="words", user=None, project=None, session="s", **more):
    at = NOON + timedelta(minutes=number)
    key = f"{user}-{project}-{session}-{number}"
    return Turn(key, user, project, session, "user", None, content, None, at, **more)


def read(user=None, project=None, session=None, words=None, limit=100, now=NOON):
    return [t.key for t in history(user, project, session, words, limit, now)]


def test_what_is_put_comes_back_as_it_was(store):
    row = replace(turn(1, "Why 100 %?", "ann", "orders"), speaker="Ann", context="assistant: Yes.")

    assert [ADDED] == put_turns([row])
    assert [row] == history("ann", "orders", "s", None, 1, NOON)


def test_the_same_turn_again_is_no_change_and_another_text_is_one(store):
    rows = [turn(1), turn(2), turn(3)]
    put_turns(rows)
    before = table("turns").get_metadata()["version"]

    again = put_turns(rows)

    assert [UNCHANGED] * 3 == again
    assert before == table("turns").get_metadata()["version"]
    assert [UNCHANGED, UPDATED, ADDED] == put_turns([turn(1), turn(2, "other"), turn(4)])
    assert ["words", "words", "other", "words"] == [
        t.content for t in history(None, None, None, None, 9, NOON)
    ]


def test_of_two_turns_with_one_key_the_last_one_is_kept_once(store):
    assert [ADDED, UPDATED] == put_turns([turn(1, "first"), turn(1, "second")])
    assert ["second"] == [t.content for t in history(None, None, None, None, 9, NOON)]
    assert [UPDATED, UPDATED] == put_turns([turn(1, "third"), turn(1, "second")])
    assert 1 == table("turns").count()


def test_no_turns_are_no_write(store):
    assert [] == put_turns([])


@pytest.mark.parametrize("asker", [None, "ann", "bob"])
def test_a_turn_is_given_to_its_own_user_only(store, asker):
    people = (None, "ann", "bob")
    places = [(who, project) for who in people for project in (None, "orders", "auth")]
    put_turns([turn(n, user=who, project=project) for n, (who, project) in enumerate(places)])

    for project in (None, "orders", "auth"):
        for words in (None, "words"):
            found = history(asker, project, None, words, 100, NOON)
            assert {asker} == {t.user_id for t in found}
            assert (3 if asker and project is None else 1) == len(found)
    assert [] == read("%")
    assert [] == read("")


def test_they_come_newest_first_and_no_more_than_asked_for(store):
    put_turns([turn(n) for n in (3, 1, 2)])

    assert ["None-None-s-3", "None-None-s-2"] == read(limit=2)


def test_an_expired_turn_is_not_given_from_that_moment_on(store):
    put_turns([turn(1, expires_at=NOON), turn(2, expires_at=NOON + timedelta(seconds=1)), turn(3)])

    assert ["None-None-s-3", "None-None-s-2"] == read(now=NOON)
    assert ["None-None-s-3"] == read(now=NOON + timedelta(seconds=1))
    assert 3 == len(read(now=NOON - timedelta(seconds=1)))


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("kafka", [1]),
        ("KAFKA replay", [1]),
        ("kafka billing", []),
        ("100%", [2]),
        ("a_b", [3]),
        ("a.b", []),
        (r"c:\dir", [4]),
        ("straße", [5]),
        ("  ", [5, 4, 3, 2, 1]),
        ("' OR 1=1 --", []),
    ],
)
def test_every_word_must_stand_in_a_turn(store, words, found):
    texts = ["We use Kafka for replay.", "100% of it, 1000 rows", "a_b", r"C:\dir aXb", "Straße"]
    put_turns([turn(n, text) for n, text in enumerate(texts, 1)])

    assert [f"None-None-s-{n}" for n in found] == read(words=words)


@pytest.mark.parametrize(
    "asked", [{"limit": 0}, {"limit": MOST_TURNS + 1}, {"words": "a " * (MOST_WORDS + 1)}]
)
def test_what_is_out_of_bounds_is_refused(store, asked):
    with pytest.raises(BadInput):
        read(**asked)


def test_a_name_with_a_secret_finds_what_was_stored_under_it(store):
    safe = safe_name(f"ann {TOKEN}")
    put_turns([turn(1, user=safe)])

    assert TOKEN not in safe
    assert 1 == len(read(f"ann {TOKEN}"))
    assert [] == read(f"ann {TOKEN[:-4]}wXyZ")
    assert "ann" == safe_name("ann")
    assert safe_name(None) is None


def test_no_turn_holds_what_no_text_can(store):
    put_turns([turn(1)])

    assert [] == read(words="\0")
