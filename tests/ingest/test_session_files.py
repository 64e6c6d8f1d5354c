"""Session files as their programs write them: who said what, and nothing of tools and prompts."""

import json
from dataclasses import dataclass

import pytest

ASKED, ANSWERED = "Why do labels go through the depot?", "Because its printer is the only one."
NEXT, THEN = "Then we keep it.", "Noted."
SAID = [("user", ASKED), ("assistant", ANSWERED), ("user", NEXT), ("assistant", THEN)]
TOOLS = "total 8 of the listing"  # what a tool gave
THOUGHT = "The user seems to be in a hurry."
PROMPT = "You are a careful assistant."
MANY = 20_000  # each with each they would take minutes
NOBODYS = (TOOLS, THOUGHT, PROMPT)
FOLDER = "/home/ann/depot"
DAY = "2026-03-01T10:0"


@dataclass(frozen=True)
class File:
    """A file as a program leaves it, and what its session is called."""

    path: str
    content: object  # lines, or one document
    session: str
    said: list[tuple[str, str]]


def text(words, kind="text"):
    return {"type": kind, "text": words}


def codex(minute, **payload):
    return {"timestamp": f"{DAY}{minute}:00Z", "type": "response_item", "payload": payload}


CODEX = File(
    "2026/03/01/rollout-2026-03-01T10-00-00-0197.jsonl",
    [
        {
            "timestamp": f"{DAY}0:00Z",
            "type": "session_meta",
            "payload": {"id": "0197-codex", "cwd": FOLDER, "instructions": PROMPT},
        },
        codex(1, role="developer", content=[text(PROMPT, "input_text")]),
        codex(
            1,
            role="user",
            content=[text(f"<environment_context>{PROMPT}</environment_context>", "input_text")],
        ),
        codex(2, role="user", content=[text(ASKED, "input_text")]),
        codex(3, type="reasoning", summary=[text(THOUGHT, "summary_text")]),
        codex(3, type="function_call", name="shell", arguments="{}", call_id="c1"),
        codex(3, type="function_call_output", call_id="c1", output=TOOLS),
        codex(4, role="assistant", content=[text(ANSWERED, "output_text")]),
        codex(5, type="message", role="user", content=[text(NEXT, "input_text")]),
        codex(6, role="assistant", content=[text(THEN, "output_text")]),
    ],
    "0197-codex",
    SAID,
)


def claude(minute, role, content, **more):
    return {
        "type": role,
        "uuid": f"5b0c{minute}f1e-9d5f-4f4e-8a55-6f1d1c1b0a0{minute}",
        "sessionId": "session_01web",
        "cwd": FOLDER,
        "timestamp": f"{DAY}{minute}:00.000Z",
        "message": {"role": role, "content": content},
    } | more


CLAUDE_WEB = File(
    "session_01web.json",
    {
        "loglines": [
            {"type": "system", "subtype": "init", "uuid": "u0", "sessionId": "session_01web"},
            claude(1, "user", PROMPT, isMeta=True),
            claude(2, "user", ASKED),
            claude(3, "assistant", [{"type": "thinking", "thinking": THOUGHT}]),
            claude(3, "assistant", [{"type": "tool_use", "name": "Bash", "input": {"c": "ls"}}]),
            claude(4, "user", [{"type": "tool_result", "tool_use_id": "t", "content": TOOLS}]),
            claude(5, "assistant", [text(ANSWERED)]),
            claude(6, "user", f"{NEXT}<system-reminder>{PROMPT}</system-reminder>"),
            claude(7, "assistant", [text(THEN)]),
            claude(8, "user", THOUGHT, isSidechain=True),
        ]
    },
    "session_01web",
    SAID,
)


def copilot(number, kind, **data):
    at = f"{DAY}{number % 10}:00.000Z"
    return {"type": kind, "data": data, "id": f"e{number}", "timestamp": at, "parentId": None}


CLAUDE_WEB_BARE = File(
    "web/session_02web.json",
    {
        "loglines": [
            {
                "type": role,
                "timestamp": f"{DAY}{at}:00Z",
                "message": {"role": role, "content": words},
            }
            for at, (role, words) in enumerate(SAID)
        ]
    },
    "web/session_02web",
    SAID,
)


COPILOT = File(
    "7f0c8a52-43b3-4c61-9d6e-0f9d6d6c1a11/events.jsonl",
    [
        copilot(
            0,
            "session.start",
            sessionId="7f0c8a52-43b3-4c61-9d6e-0f9d6d6c1a11",
            producer="copilot-agent",
            context={"cwd": FOLDER, "gitRoot": FOLDER, "repository": "parcels/depot"},
        ),
        copilot(1, "session.info", infoType="folder_trust", message=PROMPT),
        copilot(1, "system.message", role="system", content=PROMPT),
        copilot(2, "user.message", content=ASKED, transformedContent=f"{PROMPT} {ASKED}"),
        copilot(3, "assistant.turn_start", turnId="0"),
        copilot(3, "assistant.reasoning", content=THOUGHT),
        copilot(3, "assistant.message_delta", deltaContent=ANSWERED[:4]),
        copilot(3, "assistant.message", content="", toolRequests=[{"name": "bash"}]),
        copilot(4, "tool.execution_complete", toolCallId="c1", result={"content": TOOLS}),
        copilot(4, "assistant.message", content=TOOLS, parentToolCallId="c2"),
        copilot(4, "user.message", content=PROMPT, source="skill-pdf"),
        copilot(5, "assistant.message", messageId="m1", content=ANSWERED, reasoningText=THOUGHT),
        copilot(6, "user.message", content=NEXT, source="user"),
        copilot(7, "assistant.message", messageId="m2", content=THEN),
        copilot(8, "session.shutdown", shutdownType="routine"),
    ],
    "7f0c8a52-43b3-4c61-9d6e-0f9d6d6c1a11",
    SAID,
)


def qwen(minute, kind, role, *parts):
    return {
        "uuid": f"0b2e4c{minute}0-7777-4444-8888-0123456789ab",
        "parentUuid": None,
        "sessionId": "9c1d2e3f-qwen",
        "timestamp": f"{DAY}{minute}:00.000Z",
        "type": kind,
        "cwd": FOLDER,
        "version": "0.6.0",
        "message": {"role": role, "parts": list(parts)},
    }


QWEN = File(
    "chats/9c1d2e3f-qwen.jsonl",
    [
        {"uuid": "s", "sessionId": "9c1d2e3f-qwen", "type": "system", "systemPayload": PROMPT},
        qwen(1, "user", "user", {"text": ASKED}),
        qwen(2, "assistant", "model", {"text": THOUGHT, "thought": True}),
        qwen(2, "assistant", "model", {"functionCall": {"name": "ls", "args": {}}}),
        qwen(
            3,
            "tool_result",
            "user",
            {"functionResponse": {"name": "ls", "response": {"output": TOOLS}}},
            {"text": TOOLS},
        ),
        qwen(4, "assistant", "model", {"text": THOUGHT, "thought": True}, {"text": ANSWERED}),
        qwen(5, "user", "user", {"text": NEXT}),
        qwen(6, "assistant", "model", {"text": THEN}),
    ],
    "9c1d2e3f-qwen",
    SAID,
)


def step(index, source, kind, content=None, **more):
    told = {"step_index": index, "source": source, "type": kind, "status": "DONE"}
    at = {"created_at": f"{DAY}{index}:00Z"}
    return told | at | ({"content": content} if content else {}) | more


ANTIGRAVITY = File(
    "04385df3-99c4-4772-81a9-24fb6508046a/.system_generated/logs/transcript.jsonl",
    [
        step(
            0,
            "USER_EXPLICIT",
            "USER_INPUT",
            f"<USER_REQUEST>\n{ASKED}\n</USER_REQUEST>\n"
            f"<ADDITIONAL_METADATA>\n{PROMPT}\n</ADDITIONAL_METADATA>",
        ),
        step(1, "SYSTEM", "CONVERSATION_HISTORY", PROMPT),
        step(2, "MODEL", "PLANNER_RESPONSE", tool_calls=[{"name": "list_dir", "args": {}}]),
        step(3, "MODEL", "LIST_DIRECTORY", TOOLS),
        step(4, "MODEL", "PLANNER_RESPONSE", ANSWERED, thinking=THOUGHT),
        step(5, "USER_EXPLICIT", "USER_INPUT", NEXT),
        step(6, "MODEL", "PLANNER_RESPONSE", THEN),
    ],
    "04385df3-99c4-4772-81a9-24fb6508046a/logs/transcript",
    SAID,
)

GROK = File(
    "%2Fhome%2Fann%2Fdepot/0199a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b/chat_history.jsonl",
    [
        {"type": "system", "content": PROMPT},
        {"type": "user", "content": [text(f"<user_info>{PROMPT}</user_info>")]},
        {"type": "user", "content": [text(PROMPT)], "synthetic_reason": "system_reminder"},
        {"type": "user", "content": [text(f"<user_query>\n{ASKED}\n</user_query>")]},
        {"type": "reasoning", "id": "r1", "summary": [text(THOUGHT, "summary_text")]},
        {"type": "assistant", "content": "", "tool_calls": [{"id": "c1", "name": "ls"}]},
        {"type": "tool_result", "tool_call_id": "c1", "content": TOOLS},
        {"type": "assistant", "content": ANSWERED, "model_id": "grok-code"},
        {"type": "user", "content": [text(NEXT)], "synthetic_reason": "interjection"},
        {"type": "assistant", "content": THEN},
    ],
    "0199a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b/chat_history",
    SAID,
)


def update(second, kind, **more):
    inner = {"sessionUpdate": kind, **more}
    params = {"sessionId": "0199-acp", "update": inner}
    return {"timestamp": 1_772_359_200 + second, "method": "session/update", "params": params}


def chunk(words):
    return {"content": {"type": "text", "text": words}}


GROK_UPDATES = File(
    "0199a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5c/updates.jsonl",
    [
        update(0, "available_commands_update", availableCommands=[]),
        update(1, "user_message_chunk", **chunk(ASKED)),
        update(2, "agent_thought_chunk", **chunk(THOUGHT)),
        update(3, "agent_message_chunk", **chunk(ANSWERED[:11])),
        update(4, "agent_message_chunk", **chunk(ANSWERED[11:])),
        update(5, "tool_call", toolCallId="c1", title="ls"),
        update(6, "tool_call_update", toolCallId="c1", **chunk(TOOLS)),
        update(7, "user_message_chunk", **chunk(PROMPT), _meta={"hostTurn": True}),
        update(8, "user_message_chunk", **chunk(NEXT)),
        update(9, "agent_message_chunk", **chunk(THEN)),
    ],
    "0199-acp",
    SAID,
)


def fragments(parent, number, *parts):
    kinds = [{"type": kind, "content": words} for kind, words in parts]
    message = {"files": [], "inserted_at": f"{DAY}{number}:00.000000+08:00", "fragments": kinds}
    node = {"id": str(number), "parent": parent, "children": [str(number + 1)], "message": message}
    return {str(number): node}


DEEPSEEK = File(
    "deepseek/conversations.json",
    [
        {
            "id": "c0ffee00-deep",
            "title": "Labels",
            "inserted_at": f"{DAY}0:00.000000+08:00",
            "mapping": {
                "root": {"id": "root", "parent": None, "children": ["1"], "message": None},
                **fragments("root", 1, ("REQUEST", ASKED)),
                **fragments("1", 2, ("THINK", THOUGHT), ("SEARCH", TOOLS), ("RESPONSE", ANSWERED)),
                **fragments("2", 3, ("REQUEST", NEXT)),
                **fragments("3", 4, ("RESPONSE", THEN)),
            },
        }
    ],
    "c0ffee00-deep",
    SAID,
)

DEEPSEEK_TUI = File(
    "sessions/1b2c3d4e-tui.json",
    {
        "schema_version": 1,
        "metadata": {"id": "1b2c3d4e-tui", "title": "Labels", "workspace": FOLDER},
        "messages": [
            {"role": "user", "content": [text(ASKED)]},
            {"role": "assistant", "content": [{"type": "thinking", "thinking": THOUGHT}]},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "ls"}]},
            {"role": "user", "content": [{"type": "tool_result", "content": TOOLS}]},
            {"role": "assistant", "content": [text(ANSWERED)]},
            {"role": "user", "content": [text(NEXT)]},
            {"role": "assistant", "content": [text(THEN)]},
        ],
        "system_prompt": PROMPT,
    },
    "1b2c3d4e-tui",
    SAID,
)


def gemini(number, kind, content, **more):
    at = f"{DAY}{number}:00.000Z"
    return {"id": f"m{number}", "timestamp": at, "type": kind, "content": content} | more


GEMINI = File(
    "chats/session-2026-03-01T10-00-0a1b2c3d.jsonl",
    [
        {"sessionId": "0a1b2c3d-gem", "projectHash": "ab" * 32, "startTime": f"{DAY}0:00.000Z"},
        gemini(1, "user", [text("An old question")]),
        {
            "$set": {
                "lastUpdated": f"{DAY}1:00.000Z",
                "messages": [
                    gemini(1, "user", [{"text": ASKED}]),
                    gemini(2, "gemini", "", thoughts=[{"subject": "x", "description": THOUGHT}]),
                ],
            }
        },
        gemini(2, "gemini", ANSWERED, toolCalls=[{"name": "ls", "result": [{"text": TOOLS}]}]),
        gemini(3, "info", PROMPT),
        gemini(4, "user", [{"text": "Then we drop it."}]),
        gemini(5, "gemini", "Dropped."),
        {"$rewindTo": "m4"},
        gemini(6, "user", [{"text": NEXT}]),
        gemini(7, "gemini", THEN),
        {"$set": {"summary": PROMPT, "lastUpdated": f"{DAY}8:00.000Z"}},
    ],
    "0a1b2c3d-gem",
    SAID,
)


def wire(second, kind, **payload):
    return {
        "timestamp": 1_772_359_200.5 + second,
        "message": {"type": kind, "payload": payload},
    }


KIMI = File(
    "0123456789abcdef0123456789abcdef/2c4e6a80-1357-4bdf-9ace-02468ace1357/wire.jsonl",
    [
        {"type": "metadata", "protocol_version": "1.1"},
        wire(1, "TurnBegin", user_input=[text(ASKED)]),
        wire(2, "StepBegin", n=1),
        wire(3, "ContentPart", type="think", think=THOUGHT),
        wire(4, "ToolCall", type="function", function={"name": "ls", "arguments": "{}"}),
        wire(5, "ToolResult", tool_call_id="c1", return_value={"output": TOOLS}),
        wire(6, "StepBegin", n=2),
        wire(7, "ContentPart", type="text", text=ANSWERED),
        wire(8, "StatusUpdate", token_usage={"output": 7}),
        wire(9, "TurnEnd"),
        wire(10, "TurnBegin", user_input=NEXT),
        wire(11, "ContentPart", type="text", text=THEN),
        wire(12, "TurnEnd"),
    ],
    "2c4e6a80-1357-4bdf-9ace-02468ace1357/wire",
    SAID,
)


def loop(time, kind, **event):
    return {
        "type": "context.append_loop_event",
        "event": {"type": kind, **event},
        "time": time,
    }


def put(time, role, words, origin="user"):
    message = {"role": role, "content": [text(words)], "origin": {"kind": origin}}
    return {"type": "context.append_message", "message": message, "time": time}


def prompt(time, words):
    told = {"input": [text(words)], "origin": {"kind": "user"}}
    return {"type": "turn.prompt", **told, "time": time}


T = 1_772_359_200_000
KIMI_CODE = File(
    "wd_depot_057f5c09ee3f/session_5e7f9a1b-2468-4ace-8bdf-13579bdf0246/agents/main/wire.jsonl",
    [
        {"type": "metadata", "protocol_version": "1.4", "created_at": T},
        {"type": "config.update", "systemPrompt": PROMPT, "time": T},
        prompt(T + 1_000, ASKED),
        put(T + 1_001, "user", ASKED),
        put(T + 1_002, "user", PROMPT, origin="injection"),
        loop(T + 2_000, "step.begin", uuid="s1", turnId="0", step=1),
        loop(T + 3_000, "content.part", uuid="p1", part={"type": "think", "think": THOUGHT}),
        loop(T + 4_000, "tool.call", toolCallId="c1", name="ls", args={}),
        loop(T + 5_000, "tool.result", toolCallId="c1", result={"output": TOOLS}),
        loop(T + 6_000, "content.part", uuid="p2", part=text(ANSWERED)),
        loop(T + 7_000, "step.end", uuid="s1", finishReason="end_turn"),
        put(T + 8_000, "user", NEXT),
        prompt(T + 8_001, NEXT),
        loop(T + 9_000, "content.part", uuid="p3", part=text(THEN)),
        {"type": "usage.record", "usage": {"output": 7}, "time": T + 9_500},
    ],
    "session_5e7f9a1b-2468-4ace-8bdf-13579bdf0246/main/wire",
    SAID,
)

KIMI_CONTEXT = File(
    "0123456789abcdef0123456789abcdef/3d5f7b91-1357-4bdf-9ace-02468ace1357/context.jsonl",
    [
        {"role": "_system_prompt", "content": PROMPT},
        {"role": "_checkpoint", "id": 0},
        {"role": "user", "content": ASKED},
        {"role": "assistant", "content": [{"type": "think", "think": THOUGHT}, text(ANSWERED)]},
        {"role": "tool", "content": [text(TOOLS)], "tool_call_id": "c1"},
        {"role": "_usage", "token_count": 7},
        {"role": "user", "content": [text(NEXT)]},
        {"role": "assistant", "content": THEN},
    ],
    "3d5f7b91-1357-4bdf-9ace-02468ace1357/context",
    SAID,
)

CLINE = File(
    "tasks/1749477660000/api_conversation_history.json",
    [
        {
            "role": "user",
            "content": [
                text(f"<task>\n{ASKED}\n</task>"),
                text(f"<environment_details>\n{PROMPT}\n</environment_details>"),
            ],
        },
        {"role": "assistant", "content": [text(ANSWERED)]},
        {"role": "user", "content": [text("[list_files for '.'] Result:"), text(TOOLS)]},
        {"role": "user", "content": [text(f"<feedback>\n{NEXT}\n</feedback>")]},
        {"role": "assistant", "content": [text(THEN)]},
    ],
    "1749477660000/api_conversation_history",
    SAID,
)

OPENCODE = File(
    "opencode-ses_4a.json",
    {
        "info": {"id": "ses_4a", "directory": FOLDER, "title": "Labels"},
        "messages": [
            {
                "info": {"id": f"msg_{at}", "role": role, "time": {"created": T + at}},
                "parts": [
                    {"type": "text", "text": PROMPT, "synthetic": True},
                    {"type": "reasoning", "text": THOUGHT},
                    {"type": "tool", "state": {"output": TOOLS}},
                    text(words),
                ],
            }
            for at, (role, words) in enumerate(SAID)
        ],
    },
    "ses_4a",
    SAID,
)

ENVELOPED = File(
    "run/log.ndjson",
    [
        {
            "at": f"{DAY}1:00Z",
            "event": {"kind": "turn", "message": {"role": "user", "content": ASKED}},
        },
        {"at": f"{DAY}2:00Z", "record": {"role": "tool", "content": TOOLS}},
        {"at": f"{DAY}2:00Z", "record": {"role": "system", "content": PROMPT}},
        {"at": f"{DAY}3:00Z", "payload": {"role": "assistant", "content": [text(ANSWERED)]}},
        {"at": f"{DAY}4:00Z", "type": "user_message", "text": NEXT},
        {
            "at": f"{DAY}5:00Z",
            "type": "item.completed",
            "item": {"type": "agent_message", "text": THEN},
        },
        {
            "at": f"{DAY}6:00Z",
            "type": "item.completed",
            "item": {"type": "reasoning", "text": THOUGHT},
        },
    ],
    "run/log",
    SAID,
)

FILES = {
    "codex without a type": CODEX,
    "claude on the web": CLAUDE_WEB,
    "claude on the web, without ids": CLAUDE_WEB_BARE,
    "copilot": COPILOT,
    "qwen": QWEN,
    "antigravity": ANTIGRAVITY,
    "grok": GROK,
    "grok's updates": GROK_UPDATES,
    "deepseek": DEEPSEEK,
    "deepseek in a terminal": DEEPSEEK_TUI,
    "gemini": GEMINI,
    "kimi": KIMI,
    "kimi code": KIMI_CODE,
    "kimi's context": KIMI_CONTEXT,
    "cline": CLINE,
    "opencode": OPENCODE,
    "any other": ENVELOPED,
}


def written(folder, file):
    """Writes a file as its program does."""
    path = folder / file.path
    path.parent.mkdir(parents=True, exist_ok=True)
    lined = path.suffix in (".jsonl", ".ndjson")
    lines = "\n".join(map(json.dumps, file.content)) if lined else json.dumps(file.content)
    path.write_text(lines)
    return path


@pytest.fixture(autouse=True)
def outside_of_any_repository(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("name", FILES)
def test_a_session_file_gives_who_said_what_and_nothing_of_its_program(knowwhy, tmp_path, name):
    file = FILES[name]

    done = knowwhy("ingest", "conversation", written(tmp_path, file))
    again = knowwhy("ingest", "conversation", written(tmp_path, file))
    turns = json.loads(knowwhy("history", "--json").out)[::-1]

    assert 0 == done.code, done
    assert file.said == [(turn["role"], turn["text"]) for turn in turns]
    assert {file.session} == {turn["session"] for turn in turns}
    assert not any(words in json.dumps(turns) for words in NOBODYS)
    assert f"0 added, 0 updated, {len(SAID)} unchanged" in again.out


def test_what_was_told_in_lines_that_are_taken_back_costs_no_more_than_its_length(
    knowwhy, tmp_path
):
    """Each of so many lines takes back or replaces the ones before it."""
    head = {"sessionId": "0a1b2c3d-gem", "projectHash": "ab" * 32}
    lines = [head]
    for number in range(MANY):
        lines += [gemini(number, "user", ASKED), {"$set": {"messages": []}}, {"role": "none"}]
        lines += [gemini(number, "user", NEXT), {"$rewindTo": f"m{number}"}]
    lines += [gemini(1, "user", ASKED)]
    path = written(tmp_path, File("chats/session-1.jsonl", lines, "", []))

    done = knowwhy("ingest", "conversation", path)

    assert "1 files, 1 added" in done.out


def test_all_of_them_are_taken_in_from_one_folder(knowwhy, tmp_path):
    for number, file in enumerate(FILES.values()):
        written(tmp_path / "all" / f"f{number}", file)

    done = knowwhy("ingest", "conversation", tmp_path / "all", "--json")

    told = json.loads(done.out)
    hidden = 1  # of Antigravity: a folder that begins with a dot is entered only where it is named
    assert [] == told["refused"]
    assert (len(FILES) - hidden) * len(SAID) == told["added"]
