import json
from datetime import UTC, datetime

import pytest

from knowwhy.ingest.chat.conversation import read_conversation
from knowwhy.ingest.chat.messages import Message

NOON = datetime(2024, 3, 12, 12, 0, tzinfo=UTC)
HELD = "/home/ann/payments"
ASKED = [("user", "Why Kafka?"), ("assistant", "For replay.")]


def said(raw, path):
    """Who said what, without the rest."""
    return [(m.role, m.content) for m in read_conversation(raw, path=path)[0]]


def lines(*records):
    return "\n".join(json.dumps(record) for record in records)


def claude(role, content, **more):
    return {
        "type": role,
        "message": {"role": role, "content": content},
        "sessionId": "s-1",
        "cwd": HELD,
        "timestamp": "2024-03-12T12:00:00Z",
        "uuid": f"u-{content}"[:9],
    } | more


def test_a_claude_code_session_gives_what_was_said_and_nothing_of_the_tools():
    raw = lines(
        {"type": "summary", "summary": "Choosing a broker", "leafUuid": "x"},
        claude("user", "Caveat", isMeta=True),
        claude("user", "<command-name>/clear</command-name>"),
        claude("user", "Why Kafka?<system-reminder>be nice</system-reminder>"),
        claude("assistant", [{"type": "thinking", "thinking": "hm"}], uuid="t"),
        claude(
            "assistant",
            [{"type": "tool_use", "name": "Bash", "input": {"command": "ls"}}],
            uuid="v",
        ),
        claude("user", [{"type": "tool_result", "content": "secret.txt"}], uuid="w"),
        claude("assistant", [{"type": "text", "text": "For replay."}], uuid="y"),
        claude("user", "explore the code", isSidechain=True),
        {"type": "file-history-snapshot", "messageId": "z", "snapshot": {}},
    )

    messages, problems = read_conversation(raw, path="x.jsonl")

    assert ASKED == [(m.role, m.content) for m in messages]
    assert (
        Message("assistant", "For replay.", NOON, "s-1", None, "y", None, folder=HELD)
        == messages[1]
    )
    assert [] == problems


def codex(kind, payload):
    return {"timestamp": "2024-03-12T12:00:00Z", "type": kind, "payload": payload}


def test_a_codex_rollout_gives_each_message_once():
    raw = lines(
        codex("session_meta", {"id": "s-2", "cwd": HELD}),
        codex(
            "response_item",
            {
                "type": "message",
                "role": "user",
                "content": [
                    {"type": "input_text", "text": "<environment_context>x</environment_context>"}
                ],
            },
        ),
        codex(
            "response_item",
            {
                "type": "message",
                "role": "user",
                "content": [{"type": "input_text", "text": "Why Kafka?"}],
            },
        ),
        codex("event_msg", {"type": "user_message", "message": "Why Kafka?"}),
        codex("response_item", {"type": "function_call", "name": "shell", "arguments": "{}"}),
        codex(
            "response_item",
            {
                "type": "message",
                "role": "assistant",
                "content": [{"type": "output_text", "text": "For replay."}],
            },
        ),
        codex("event_msg", {"type": "agent_message", "message": "For replay."}),
    )

    messages, _ = read_conversation(raw, path="rollout.jsonl")

    assert ASKED == [(m.role, m.content) for m in messages]
    assert (
        Message("user", "Why Kafka?", NOON, "s-2", None, "s-2#3", None, folder=HELD) == messages[0]
    )


def test_a_rollout_with_only_events_gives_those():
    raw = lines(
        codex("event_msg", {"type": "user_message", "message": "Why Kafka?"}),
        codex("event_msg", {"type": "agent_message", "message": "For replay."}),
    )

    assert ASKED == said(raw, path="rollout.jsonl")


def test_aiders_history_gives_questions_and_answers_by_session():
    raw = (
        "\n# aider chat started at 2024-03-12 12:00:00\n\n> aider --model x\n\n"
        "#### Why Kafka?  \n\nFor replay.\n\n> Tokens: 3\n\n#### /quit\n\n"
        "# aider chat started at 2024-03-13 12:00:00\n\n"
        "#### And why\n#### not SQS?\n\nCost.\n"
    )

    messages, _ = read_conversation(raw, path=".aider.chat.history.md")

    expected = [*ASKED, ("user", "And why\nnot SQS?"), ("assistant", "Cost.")]
    assert expected == [(m.role, m.content) for m in messages]
    assert NOON == messages[0].at
    assert 2 == len({m.session for m in messages})
    assert len(messages) == len({m.key for m in messages})


@pytest.mark.parametrize(
    "raw",
    [
        "# Broker\n_Exported from Cursor_\n\n---\n\n**User**\n\nWhy Kafka?\n\n---\n\n"
        "**Cursor**\n\nFor replay.\n",
        "## User\nWhy Kafka?\n## Assistant\nFor replay.\n",
        "_**User (2024-03-12 12:00Z)**_\n\nWhy Kafka?\n\n_**Assistant**_\n\nFor replay.\n",
        "User: Why Kafka?\nAssistant: For replay.\n",
        "**Human:**\nWhy Kafka?\n\n**Claude:**\nFor replay.",
    ],
)
def test_chats_in_markdown_are_read_by_their_roles(raw):
    assert ASKED == said(raw, path="chat.md")
