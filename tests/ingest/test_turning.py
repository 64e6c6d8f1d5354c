"""Messages become turns whose keys and times a later export makes again."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowwhy.ingest.chat.messages import Message
from knowwhy.ingest.chat.turning import Origin, Whose, turns_of

NOON = datetime(2025, 3, 14, 12, 0, tzinfo=UTC)
NOW = NOON + timedelta(days=2)


def message(content="words", at=None, session="s", key="s#0", role="user", **more):
    return Message(role, content, at, session, None, key, more.pop("speaker", None), **more)


def made(messages, whose=Whose()):  # noqa: B008  # a frozen value
    return turns_of(messages, whose, written=NOON, now=NOW)


messages = st.lists(
    st.builds(
        message,
        content=st.sampled_from(["a", "b", "c"]),
        at=st.none() | st.sampled_from([NOON, NOON + timedelta(days=1), datetime.max]),
        session=st.sampled_from(["s", "t"]),
        key=st.sampled_from(["s#0", "s#1", "t#0/answer", "an-id-of-its-own", "s#1~2"]),
        role=st.sampled_from(["user", "assistant"]),
    ),
    max_size=12,
)


@given(messages)
def test_keys_are_unique_and_times_grow_within_a_moment(said):
    turns = [coming.turn for coming in made(said)]

    assert len(said) == len({turn.key for turn in turns})
    assert len(said) == len({(turn.session_id, turn.at) for turn in turns})
    assert [m.content for m in said] == [turn.content for turn in turns]


@given(messages, st.integers(0, 12))
def test_a_chat_that_goes_on_keeps_the_keys_and_contexts_that_it_has(said, length):
    before = [(c.turn.key, c.turn.context) for c in made(said[:length])]
    after = [(c.turn.key, c.turn.context) for c in made(said)]

    assert before == after[:length]


@given(messages)
def test_another_user_project_or_session_never_shares_a_key(said):
    scopes = [Whose(), Whose("u"), Whose(None, "p"), Whose(None, None, "x"), Whose("p", "u")]
    keys = [coming.turn.key for whose in scopes for coming in made(said, whose)]

    assert len(keys) == len(set(keys))


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (message(key="0123456789abcdef"), message("new", NOON, key="0123456789abcdef"), True),
        (message("a", NOON, key="s#4"), message("b", NOON, key="s#0"), True),
        (message("a", NOON), message("a", NOON, role="assistant"), False),
        (message("a", NOON), message("a", NOON + timedelta(seconds=1)), False),
        (message("a"), message("b"), False),
        (message("a", session="s", key="s#1"), message("a", session="t", key="t#1"), False),
    ],
)
def test_what_makes_two_messages_the_same_turn(one, other, same):
    keys = [made([each])[0].turn.key for each in (one, other)]

    assert same == (keys[0] == keys[1])


@pytest.mark.parametrize(
    ("said", "same"),
    [
        (message(session="chats/a", key="chats/a#0"), False),
        (message(session="chats/a/1", key="chats/a/1#0"), False),
        (message(session="chats/ab", key="chats/ab#0"), True),
        (message(at=NOON, session="chats/a", key="chats/a#0"), True),
        (message(session="chats/a", key="an-id-of-its-own"), True),
    ],
)
def test_the_file_tells_apart_what_nothing_in_the_chat_does(said, same):
    keys = [
        turns_of([said], Whose(), written=NOON, now=NOW, origin=Origin("chats/a", digest))[
            0
        ].turn.key
        for digest in ("01", "02")
    ]

    assert same == (keys[0] == keys[1])


@pytest.mark.parametrize(
    ("at", "believed"),
    [(NOW + timedelta(hours=23), True), (NOW + timedelta(hours=25), False),
     (datetime(2126, 3, 1, tzinfo=UTC), False)],
)  # fmt: skip
def test_a_time_that_is_still_to_come_is_as_if_it_were_not_told(at, believed):
    (coming,) = made([message(at=at)])

    assert (at if believed else NOON, believed) == (coming.turn.at, coming.is_timed)


def test_a_message_without_a_time_has_that_of_the_one_before_or_after_it():
    later = NOON + timedelta(hours=1)
    said = [message("a"), message("b", later), message("c"), message("d", session="t")]

    tick = timedelta(microseconds=1)
    assert [later, later + tick, later + 2 * tick, NOON] == [c.turn.at for c in made(said)]
    assert [False, True, False, False] == [c.is_timed for c in made(said)]


def test_a_time_that_cannot_be_is_none():
    assert [NOON] == [c.turn.at for c in made([message(at=datetime(9999, 12, 31, tzinfo=UTC))])]
