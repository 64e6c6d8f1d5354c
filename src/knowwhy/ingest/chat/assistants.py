"""Reads the session files of coding assistants: JSON lines, and histories in Markdown."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from knowwhy.ingest.chat.chats import (
    CONTENT_KEYS,
    MESSAGE_LISTS,
    Place,
    folder_name,
    read_export,
    read_record,
)
from knowwhy.ingest.chat.messages import Message, clean, moment_of, name_of, role_of, words_of
from knowwhy.text.times import find_time
from knowwhy.types import Json

MAX_LINE = 300  # characters in which a line of Markdown says who speaks

CODEX_TYPES = frozenset(("session_meta", "response_item", "event_msg", "turn_context", "compacted"))
_TELLING = frozenset((*CONTENT_KEYS, *MESSAGE_LISTS, "mapping", "session_id", "id", "payload"))
_META = (
    "isMeta",
    "isSidechain",
    "isCompactSummary",
    "isApiErrorMessage",
    "isVisibleInTranscriptOnly",
)
_WRAPPED = re.compile(  # what programs put into a user's message
    r"<(system-reminder|local-command-stdout|local-command-caveat|command-[a-z]{1,20}"
    r"|bash-(?:input|stdout|stderr)|environment_context|user_instructions|ide_[a-z_]{1,30}"
    r"|task-notification|permissions"
    r"|INSTRUCTIONS|additional_data|current_file|attached_files|open_and_recently_viewed_files"
    r"|environment_details)(?:\s[^<>]{0,200})?>"
)
_NOT_SAID = re.compile(
    r"\[Request interrupted|Caveat: The messages below|# AGENTS\.md instructions"
    r"|This session is being continued from a previous|No response requested\.|API Error"
)
_ROLE_LINE = re.compile(
    r"[ \t]{0,3}(?:#{1,6}[ \t]+)?(?:[*_]{1,3})?(?:[^\w\s*_#<>:]{1,4}[ \t]{0,2})?"
    r"(?P<role>[A-Za-z][A-Za-z ]{1,20}?)"
    r"[ \t]{0,3}(?:\((?P<at>[^()\n]{4,60})\))?(?:[*_]{1,3})?(?P<colon>:)?(?:[*_]{1,3})?[ \t]*$"
)
_ROLE_START = re.compile(r"(?P<role>[A-Za-z][A-Za-z ]{1,20}?):[ \t]+(?P<rest>\S.*)$")
_AIDER_START = re.compile(r"# aider chat started at (.{10,40})$")
_RULE = re.compile(r"[ \t]*(?:-{3,}|\*{3,}|_{3,})[ \t]*$")


@dataclass(slots=True)
class _Lines:
    """What the lines of a session have said so far of the lines to come."""

    place: Place
    told: list[Message] = field(default_factory=list)  # Codex's events, where it has no messages
    has_items: bool = False


def read_lines(records: Sequence[tuple[int, Json]], place: Place) -> Iterator[Message]:
    """Yields the messages of JSON lines, each with its number."""
    state = _Lines(place)
    for number, record in records:
        if isinstance(record, list):
            yield from read_export(record, replace(place, session=f"{place.session}/{number}"))
        elif not isinstance(record, dict) or _TELLING.isdisjoint(record):
            continue
        elif str(record.get("type")) in CODEX_TYPES and isinstance(record.get("payload"), dict):
            yield from _codex(record, number, state)
        elif isinstance(record.get("message"), dict) and "role" in record["message"]:
            yield from _claude(record, number, state)
        elif message := read_record(record, number, state.place):
            yield replace(message, content=_without_wrappers(message.content))
        else:
            inner = replace(state.place, session=f"{place.session}/{number}")
            found = list(read_export(record, inner))
            yield from found
            if not found:
                _note_session(record, state)
    if not state.has_items:
        yield from state.told


def _note_session(record: Mapping[str, Json], state: _Lines) -> None:
    """Reads the first line of older rollouts, which only says what the session is."""
    session = name_of(record.get("session_id") or record.get("id"))
    if session and ("git" in record or "instructions" in record or "cwd" in record):
        project = folder_name(name_of(record.get("cwd")))
        state.place = replace(state.place, session=session, project=project or state.place.project)


def _claude(record: Mapping[str, Json], number: int, state: _Lines) -> Iterator[Message]:
    """Yields a line of Claude Code; tools, thoughts, subtasks and its own notes are left out."""
    if any(record.get(name) for name in _META):
        return
    message = record["message"]
    role = role_of(message.get("role"))
    content = _without_wrappers(words_of(message.get("content")))
    if role and content:
        session = name_of(record.get("sessionId") or record.get("session_id"))
        project = folder_name(name_of(record.get("cwd"))) or state.place.project
        at = moment_of(record.get("timestamp"))
        session = session or state.place.session
        key = name_of(record.get("uuid") or record.get("id")) or f"{session}#{number}"
        yield Message(role, content, at, session, project, key, None)


def _codex(record: Mapping[str, Json], number: int, state: _Lines) -> Iterator[Message]:
    """Yields a line of a Codex rollout, where each message also stands among the events."""
    payload = record["payload"]
    kind, at = record["type"], moment_of(record.get("timestamp"))
    if kind == "session_meta":
        project = folder_name(name_of(payload.get("cwd")))
        session = name_of(payload.get("id")) or state.place.session
        state.place = replace(state.place, session=session, project=project or state.place.project)
    elif kind == "response_item" and payload.get("type") == "message":
        role = role_of(payload.get("role"))
        content = _without_wrappers(words_of(payload.get("content")))
        state.has_items = True
        if role and content:
            yield _in(state.place, role, content, at, number)
    elif kind == "event_msg" and payload.get("type") in ("user_message", "agent_message"):
        role = "user" if payload["type"] == "user_message" else "assistant"
        if content := _without_wrappers(words_of(payload.get("message"))):
            state.told.append(_in(state.place, role, content, at, number))


def _in(place: Place, role: str, content: str, at: datetime | None, number: int) -> Message:
    return Message(
        role, content, at, place.session, place.project, f"{place.session}#{number}", None
    )


def _without_wrappers(text: str) -> str:
    """Drops what programs put around a message; empty when nobody said anything."""
    pieces = []
    position = 0
    while match := _WRAPPED.search(text, position):
        end = text.find(f"</{match[1]}>", match.end())
        if end < 0:
            break
        pieces.append(text[position : match.start()])
        position = end + len(match[1]) + 3
    rest = "".join([*pieces, text[position:]]).strip()
    return "" if _NOT_SAID.match(rest) else rest


def read_markdown(text: str, place: Place) -> Iterator[Message]:
    """Yields the messages of a chat in Markdown: Aider's history, or headings with roles."""
    if any(line.startswith("#### ") for line in text.split("\n")) and _is_aider(text):
        yield from _aider(text, place)
    else:
        yield from _headed(text, place)


def _is_aider(text: str) -> bool:
    return "# aider chat started at" in text or "\n> " in text or "\n#### /" in text


def _aider(text: str, place: Place) -> Iterator[Message]:
    """Yields what was asked after `####` and answered below; lines after `>` are the program's."""
    turns: list[tuple[str, list[str], Place, datetime | None]] = []
    session, started = place, None
    for line in text.split("\n"):
        begun = _AIDER_START.match(line[:MAX_LINE])
        if begun:
            started = find_time(begun[1])
            session = replace(place, session=f"{place.session}/{begun[1].strip()}")
            turns.append(("", [], session, started))
        elif line.startswith("#### "):
            if not turns or turns[-1][0] != "user" or turns[-1][2] != session:
                turns.append(("user", [], session, started))
            turns[-1][1].append(line[5:])
        elif line.startswith(">"):
            continue
        elif turns and turns[-1][0] == "assistant":
            turns[-1][1].append(line)
        elif turns and turns[-1][0] == "user" and line.strip():
            turns.append(("assistant", [line], session, started))
    yield from _numbered(turns)


def _numbered(turns: Sequence[tuple[str, list[str], Place, datetime | None]]) -> Iterator[Message]:
    counts: dict[str, int] = {}
    for role, lines, place, at in turns:
        content = clean("\n".join(lines))
        if role and content and not (role == "user" and content.startswith("/")):
            number = counts[place.session] = counts.get(place.session, 0) + 1
            yield _in(place, role, content, at, number)


def _headed(text: str, place: Place) -> Iterator[Message]:
    """Yields the parts below lines that are only a role: ## User, **Assistant**, _**User**_."""
    turns: list[tuple[str, list[str], Place, datetime | None]] = []
    in_code = False
    for line in text.split("\n"):
        in_code ^= line.lstrip().startswith("```")
        named = None if in_code else _role_line(line)
        if named:
            turns.append((named[0], [named[1]], place, named[2]))
        elif turns and not (_RULE.match(line) and not in_code):
            turns[-1][1].append(line)
    if len({role for role, *_ in turns if role}) > 1:  # with one voice it is no conversation
        yield from _numbered(turns)


def _role_line(line: str) -> tuple[str, str, datetime | None] | None:
    match = _ROLE_LINE.match(line) if len(line) <= MAX_LINE else None
    is_marked = bool(match and (match["colon"] or line.lstrip()[:1] in ("#", "*", "_")))
    role = role_of(match["role"]) if match and is_marked else None
    if match and role is not None:
        return role, "", find_time(match["at"] or "")
    start = _ROLE_START.match(line)
    role = role_of(start["role"]) if start else None
    return (role, start["rest"], None) if start and role is not None else None
