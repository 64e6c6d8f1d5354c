import contextlib
import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowwhy.errors import BadInput
from knowwhy.ingest.chat.conversation import context_of, read_conversation
from knowwhy.ingest.chat.messages import MAX_CONTENT, Message
from knowwhy.text.speech.turn_ends import CONTEXT_CHARS
from pace import assert_linear, run_of

NOON = datetime(2024, 3, 12, 12, 0, tzinfo=UTC)
NOON_SECONDS = 1710244800


def said(raw, path="chats/plan.json"):
    """Who said what, without the rest."""
    text = raw if isinstance(raw, str) else json.dumps(raw)
    return [(m.role, m.content) for m in read_conversation(text, path=path)[0]]


def lines(*records):
    return "\n".join(json.dumps(record) for record in records)


ASKED = [("user", "Why Kafka?"), ("assistant", "For replay.")]


@pytest.mark.parametrize(
    "document",
    [
        [
            {"role": "user", "content": "Why Kafka?"},
            {"role": "assistant", "content": "For replay."},
        ],
        {
            "messages": [
                {"role": "system", "content": "Be brief."},
                {"role": "user", "content": [{"type": "text", "text": "Why Kafka?"}]},
                {"role": "tool", "content": "{}"},
                {
                    "role": "assistant",
                    "content": [
                        {"type": "tool_use", "name": "ls", "input": {}},
                        {"type": "text", "text": "For replay."},
                    ],
                },
            ]
        },
        {
            "conversations": [
                {"from": "human", "value": "Why Kafka?"},
                {"from": "gpt", "value": "For replay."},
            ]
        },
        [
            {
                "uuid": "c",
                "chat_messages": [
                    {"sender": "human", "text": "Why Kafka?"},
                    {"sender": "assistant", "text": "For replay."},
                ],
            }
        ],
        {
            "contents": [
                {"role": "user", "parts": [{"text": "Why Kafka?"}]},
                {"role": "model", "parts": [{"text": "For replay."}]},
            ]
        },
        {
            "tabs": [
                {
                    "bubbles": [
                        {"type": "user", "text": "Why Kafka?"},
                        {"type": "ai", "rawText": "For replay."},
                    ]
                }
            ]
        },
        {"conversation": [{"type": 1, "text": "Why Kafka?"}, {"type": 2, "text": "For replay."}]},
        {
            "requests": [
                {
                    "message": {"text": "Why Kafka?"},
                    "response": [
                        {"value": "For replay."},
                        {"kind": "toolInvocationSerialized", "value": "x"},
                    ],
                }
            ]
        },
    ],
)
def test_exports_are_read_under_all_their_names(document):
    assert ASKED == said(document)


def test_a_message_keeps_its_time_session_folder_and_key():
    chat = {
        "session_id": "s-1",
        "cwd": "/home/ann/payments",
        "messages": [
            {"role": "user", "content": "Hi", "timestamp": "2024-03-12T12:00:00Z", "id": 7}
        ],
    }

    messages, problems = read_conversation(json.dumps(chat), path="x.json")

    held = {"folder": "/home/ann/payments"}
    assert [Message("user", "Hi", NOON, "s-1", None, "s-1#7", None, **held)] == messages
    assert [] == problems


@pytest.mark.parametrize(
    "written",
    [
        NOON_SECONDS,
        NOON_SECONDS * 1000,
        NOON_SECONDS * 10**6,
        str(NOON_SECONDS),
        f"{NOON_SECONDS}.0",
        "12 March 2024 12:00 UTC",
    ],
)
def test_times_are_read_in_any_unit(written):
    messages, _ = read_conversation(
        json.dumps([{"role": "user", "content": "x", "ts": written, "a": 1}]), path="x.json"
    )

    assert NOON == messages[0].at


def test_the_last_branch_of_a_tree_of_messages_is_followed():
    def node(name, parent, role, text, **more):
        message = {"author": {"role": role}, "content": {"content_type": "text", "parts": [text]}}
        return {name: {"parent": parent, "message": message | {"create_time": NOON_SECONDS} | more}}

    chat = {
        "title": "t",
        "conversation_id": "c-1",
        "current_node": "d",
        "mapping": {
            "root": {"parent": None, "message": None},
            **node(
                "a", "root", "system", "", metadata={"is_visually_hidden_from_conversation": True}
            ),
            **node("b", "a", "user", "Why Kafka?"),
            **node("old", "b", "assistant", "No idea."),
            **node("c", "b", "assistant", "search(1)", recipient="browser"),
            **node("d", "c", "assistant", "For replay."),
        },
    }

    messages, _ = read_conversation(json.dumps([chat]), path="conversations.json")

    assert ASKED == [(m.role, m.content) for m in messages]
    assert ("c-1", NOON, "c-1#b") == (messages[0].session, messages[0].at, messages[0].key)


def test_a_tree_that_bites_its_tail_is_read_once():
    node = {"message": {"author": {"role": "user"}, "content": "x"}}
    chat = {
        "mapping": {"a": node | {"parent": "b"}, "b": node | {"parent": "a"}},
        "current_node": "a",
    }

    assert 1 <= len(said(chat)) <= 3


def test_a_slack_channel_gives_people_threads_and_readable_pointers():
    day = [
        {
            "type": "message",
            "user": "U1",
            "ts": "1710244800.000100",
            "thread_ts": "1710244800.000100",
            "text": "ask <@U2> &amp; see <https://x.io|the page>",
            "user_profile": {"real_name": "Ann Lee"},
        },
        {
            "type": "message",
            "user": "U2",
            "ts": "1710244801.000100",
            "text": "yes",
            "user_profile": {"real_name": "Bob"},
        },
        {
            "type": "message",
            "subtype": "channel_join",
            "user": "U3",
            "ts": "1710244802.000100",
            "text": "joined",
        },
    ]

    messages, _ = read_conversation(json.dumps(day), path="export/general/2024-03-12.json")

    assert ["ask @Bob & see the page (https://x.io)", "yes"] == [m.content for m in messages]
    assert ["general/1710244800.000100", "export/general/2024-03-12"] == [
        m.session for m in messages
    ]
    assert ["Ann Lee", "Bob"] == [m.speaker for m in messages]
    assert "general/1710244801.000100" == messages[1].key


def test_a_broken_line_is_reported_and_the_others_are_read():
    good = [json.dumps({"role": "user", "content": text}) for text in "ab"]
    raw = f'{good[0]}\n{{"role": "user", "con\n\n{good[1]}'

    messages, problems = read_conversation(raw, path="x.jsonl")

    assert ["a", "b"] == [m.content for m in messages]
    assert [2] == [line for line, _ in problems]
    assert "is not JSON" in problems[0][1]


@pytest.mark.parametrize(
    ("raw", "path", "why"),
    [
        ("  \n", "x.json", "is empty"),
        ('{"messages": [\n{"role": }]}', "x.json", "at line 2"),
        ("{}", "x.json", "holds no messages"),
        ("nope\n", "x.jsonl", r"line 1 is not JSON"),
        ("Just a letter.\n\nUser: one voice", "x.md", "holds no messages"),
        ("[" * 100_000, "x.json", "too deep"),
        ("1" * 5000, "x.jsonl", "a number too long"),
    ],
)
def test_what_is_no_conversation_is_refused(raw, path, why):
    with pytest.raises(BadInput, match=why):
        read_conversation(raw, path=path)


def test_the_same_message_twice_is_one_and_keys_stay_apart():
    twice = {"role": "user", "content": "a", "uuid": "0123456789abcdef"}
    messages, _ = read_conversation(lines(twice, twice, twice | {"content": "b"}), path="x.jsonl")

    assert ["0123456789abcdef", "0123456789abcdef~2"] == [m.key for m in messages]


def test_keys_stay_the_same_when_the_chat_goes_on():
    first = [{"role": "user", "content": str(n)} for n in range(3)]
    before, _ = read_conversation(json.dumps(first), path="x.json")
    after, _ = read_conversation(
        json.dumps([*first, {"role": "user", "content": "3"}]), path="x.json"
    )

    assert [m.key for m in before] == [m.key for m in after][:3]


def test_the_context_is_the_turn_before_in_the_same_session():
    def message(session, content, speaker=None):
        return Message("user", content, None, session, None, content, speaker)

    long = "word " * CONTEXT_CHARS
    messages = [
        message("a", "one", "Ann"),
        message("b", long),
        message("a", "two"),
        message("b", "x"),
    ]

    contexts = context_of(messages)

    assert [None, None, "Ann: one"] == contexts[:3]
    assert contexts[3].startswith("user: … word")
    assert len(contexts[3]) <= CONTEXT_CHARS + len("user: … ")


def test_what_no_column_holds_is_left_out_and_long_messages_are_cut():
    raw = json.dumps(
        [{"role": "user", "content": "a\x00\ud800b"}, {"role": "user", "content": "x" * 10**6}]
    )

    messages, _ = read_conversation(raw, path="x.json")

    assert "ab" == messages[0].content
    assert MAX_CONTENT == len(messages[1].content)


json_values = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                [
                    "role",
                    "content",
                    "message",
                    "messages",
                    "mapping",
                    "ts",
                    "id",
                    "type",
                    "text",
                    "payload",
                    "parent",
                    "user",
                    "cwd",
                ]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=20,
)


@given(json_values, st.sampled_from(["x.json", "x.jsonl", "a/b.md", "..", ""]))
def test_any_json_is_read_or_refused(value, path):
    try:
        messages, _ = read_conversation(json.dumps(value), path=path)
    except BadInput:
        return
    assert len(messages) == len({m.key for m in messages})
    assert all(m.content and m.role in ("user", "assistant") for m in messages)


@given(st.text(), st.sampled_from(["x.json", "x.jsonl", "x.md", "x"]))
def test_any_text_is_read_or_refused(text, path):
    try:
        messages, _ = read_conversation(text, path=path)
    except BadInput:
        return
    assert messages


@pytest.mark.parametrize(
    ("raw", "path"),
    [
        (run_of('{"role":"user","content":"x"},', "[", '{"role":"user","content":"x"}]'), "x.json"),
        (run_of("<system-reminder>", '{"role":"user","content":"', '"}'), "x.jsonl"),
        (run_of("#### a\n", after="\n> x"), "x.md"),
        ("**", "x.md"),
        ("User: a\nAssistant: b\n", "x.md"),
        ('{"messages":', "x.json"),
        ("{}\n", "x.jsonl"),
    ],
)
def read_or_refuse(raw, path):
    with contextlib.suppress(BadInput):
        read_conversation(raw, path=path)


@pytest.mark.parametrize(
    ("raw", "path"),
    [
        (run_of('{"role":"user","content":"x"},', "[", '{"role":"user","content":"x"}]'), "x.json"),
        ("**", "x.md"),
        ("User: a\nAssistant: b\n", "x.md"),
        ('{"messages":', "x.json"),
        ("{}\n", "x.jsonl"),
    ],
)
def test_hostile_input_is_read_or_refused_in_linear_time(raw, path):
    assert_linear(lambda raw: read_or_refuse(raw, path), raw)


@pytest.mark.parametrize(
    ("raw", "path"),
    [
        (run_of("<system-reminder>", '{"role":"user","content":"', '"}'), "x.jsonl"),
        (run_of("#### a\n", after="\n> x"), "x.md"),
    ],
)
def test_a_message_of_more_than_is_kept_is_read_in_linear_time(raw, path):
    small = 4 * MAX_CONTENT  # only what is longer than a message may be has to be shortened

    assert_linear(lambda raw: read_or_refuse(raw, path), raw, small, 8 * small)
