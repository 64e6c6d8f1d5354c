"""Reads chats that were exported as JSON: lists of messages under any of their usual names."""

import html
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import PurePosixPath
from typing import Any

from knowwhy.ingest.chat.messages import (
    Message,
    first,
    folder_of,
    moment_of,
    name_of,
    role_of,
    words_of,
)
from knowwhy.types import Json

MAX_VALUES = 200_000  # groups and lists of one export that are looked into for conversations
MAX_LEVELS = 8  # levels at which conversations are looked for; exports have up to four
MAX_NAME_WORDS = 4  # words of somebody who speaks; more are a sentence
UNIQUE = 16  # characters from which a message's id is one of its own everywhere

MESSAGE_LISTS = (
    *("messages", "chat_messages", "conversation", "conversations", "turns", "history", "dialog"),
    *("dialogue", "bubbles", "contents", "entries", "transcript", "chat", "requests", "log"),
    *(
        "chats",
        "sessions",
        "threads",
        "tabs",
        "items",
        "data",
        "allComposers",
        "conversationHistory",
        "biz_data",
    ),
)
ROLE_KEYS = ("role", "sender", "from", "author", "type", "speaker", "user", "name", "participant")
CONTENT_KEYS = (
    *("content", "text", "message", "value", "body", "parts", "rawText", "markdown", "display"),
    "prompt",
)
TIME_KEYS = (
    *("timestamp", "created_at", "createdAt", "create_time", "time", "date", "ts", "at"),
    *("datetime", "sent_at", "sentAt", "inserted_at", "updated_at", "update_time", "timingInfo"),
)
KEY_KEYS = ("uuid", "id", "message_id", "messageId", "client_msg_id", "bubbleId")
SESSION_KEYS = (
    *(
        "session_id",
        "sessionId",
        "sessionID",
        "conversation_id",
        "conversationId",
        "thread_id",
        "threadId",
    ),
    *("chat_id", "chatId", "composerId", "tabId", "session", "uuid", "id"),
)
USER_KEYS = ("user", "user_id", "userId")  # whose a chat is, once somebody else is named to speak
PROJECT_KEYS = ("project", "project_name", "projectName", "workspace", "workspaceFolder")
FOLDER_KEYS = (
    *(
        "cwd",
        "workspaceFolder",
        "workspace",
        "directory",
        "workDir",
        "work_dir",
        "workingDirectory",
    ),
    *("working_directory", "project_path", "projectPath", "gitRoot", "project"),
)
FRAGMENTS = {"REQUEST": "user", "RESPONSE": "assistant"}  # DeepSeek's parts; others are not said
_SKIPPED_SUBTYPES = re.compile(
    r".*(?:_join|_leave|_topic|_purpose|_name|_archive|_unarchive|tombstone|huddle_.*)"
)
_SLACK_TS = re.compile(r"\d{9,11}\.\d{4,8}", re.A)
_SLACK_POINTER = re.compile(r"<([@#!]?)([^<>|\n]{1,500})(?:\|([^<>\n]{0,300}))?>")


@dataclass(frozen=True, slots=True)
class Place:
    """Where messages stand: their conversation, and what is known of all of them."""

    session: str
    project: str | None = None
    path: str = ""
    user: str | None = None
    folder: str | None = None
    remote: str | None = None

    def said(
        self,
        role: str,
        content: str,
        at: datetime | None,
        key: str,
        speaker: str | None = None,
        user: str | None = None,
    ) -> Message:
        """Makes a message that was said here."""
        where = self.session, self.project, key, speaker, user or self.user
        return Message(role, content, at, *where, self.folder, self.remote)

    def within(self, record: Mapping[str, Json]) -> "Place":
        """Gives the place of what a record tells, by the project and the folder that it names."""
        project, folder = project_of(record), folder_in(record)
        return replace(self, project=project or self.project, folder=folder or self.folder)


def read_export(document: Json, place: Place) -> Iterator[Message]:
    """Yields the messages of every conversation in a JSON document, in their order."""
    left: list[tuple[Json, Place, int]] = [(document, place, 0)]
    for _ in range(MAX_VALUES):
        if not left:
            return
        value, where, depth = left.pop()
        if isinstance(value, list):
            found = list(_messages(value, where))
            yield from found
            if not found and depth < MAX_LEVELS:
                parts = [(v, _numbered(where, at, value), depth + 1) for at, v in enumerate(value)]
                left += [part for part in reversed(parts) if isinstance(part[0], list | dict)]
        elif isinstance(value, dict) and depth < MAX_LEVELS:
            inside = place_of(value, where)
            if isinstance(value.get("mapping"), dict):
                yield from _messages(_branch(value), inside)
            else:
                lists = [value[n] for n in MESSAGE_LISTS if isinstance(value.get(n), list | dict)]
                left += [(inner, inside, depth + 1) for inner in reversed(lists)]


def _numbered(place: Place, at: int, siblings: list[Json]) -> Place:
    return replace(place, session=f"{place.session}/{at}") if len(siblings) > 1 else place


def place_of(conversation: Mapping[str, Json], outer: Place) -> Place:
    """Gives the place of a conversation, by what it says of itself."""
    about = [v for name in ("info", "metadata") if isinstance(v := conversation.get(name), dict)]
    told = {**(about[0] if about else {}), **conversation}
    session = name_of(first(told, SESSION_KEYS)) or outer.session
    return replace(outer.within(told), session=session, user=_owner(conversation) or outer.user)


def _owner(record: Mapping[str, Json]) -> str | None:
    """Reads whose a chat is; a word for a role, or a sentence, is nobody."""
    name = name_of(first(record, USER_KEYS))
    is_one = name is not None and role_of(name) is None and len(name.split()) <= MAX_NAME_WORDS
    return name if is_one else None


def project_of(record: Mapping[str, Json]) -> str | None:
    """Gives the name of the project that a record names; a folder is none."""
    named = name_of(first(record, PROJECT_KEYS))
    return None if named is None or folder_of(named) else named


def folder_in(record: Mapping[str, Json]) -> str | None:
    """Gives the folder in which a record says that it was told."""
    return next(filter(None, (folder_of(record.get(key)) for key in FOLDER_KEYS)), None)


def _branch(conversation: Mapping[str, Json]) -> list[Json]:
    """Follows ChatGPT's tree from the message that was last to the first one."""
    nodes: Mapping[str, Any] = conversation["mapping"]
    parents = {n.get("parent") for n in nodes.values() if isinstance(n, dict) and _hashable(n)}
    leaves = [name for name in nodes if name not in parents]
    name: Any = conversation.get("current_node") or (leaves[-1] if leaves else None)
    found: list[Json] = []
    while isinstance(name, str) and isinstance(nodes.get(name), dict) and len(found) <= len(nodes):
        message = nodes[name].get("message")
        found.append(message | {"id": message.get("id") or name} if _is_shown(message) else None)
        name = nodes[name].get("parent")
    return [message for message in reversed(found) if message]


def _hashable(node: Mapping[str, Json]) -> bool:
    return isinstance(node.get("parent"), str | None)


def _is_shown(message: Json) -> bool:
    if not isinstance(message, dict) or message.get("recipient") not in (None, "all"):
        return False
    told = message.get("metadata")
    return not (isinstance(told, dict) and told.get("is_visually_hidden_from_conversation"))


def _messages(records: list[Json], place: Place) -> Iterator[Message]:
    """Yields the messages of one list, if its groups are messages."""
    if any(_is_slack(record) for record in records[:MAX_LEVELS]):
        yield from _slack(records, place)
        return
    for at, record in enumerate(records):
        if not isinstance(record, dict) or _holds_messages(record):
            continue
        if isinstance(record.get("message"), dict) and "response" in record:
            yield from _exchange(record, at, place)
        elif message := read_record(record, at, place):
            yield message


def _holds_messages(record: Mapping[str, Json]) -> bool:
    lists = (record.get(name) for name in MESSAGE_LISTS[:4])
    return "mapping" in record or any(isinstance(inner, list) for inner in lists)


def read_record(record: Mapping[str, Json], at: int, place: Place) -> Message | None:
    """Reads one group as a message; None when it is something else, or nobody's words."""
    inner = record.get("message") or record.get("info")
    told = {**record, **inner} if isinstance(inner, dict) else record
    if isinstance(told.get("fragments"), list) and not words_of(told.get("content")):
        told = {**told, **_of_fragments(told["fragments"])}
    role, speaker = _role(told)
    content = words_of(first(told, CONTENT_KEYS)) if role else ""
    if not role or not content:
        return None
    session = name_of(first(record, SESSION_KEYS[:-2])) or place.session
    place = replace(place.within(record), session=session)
    at_time = moment_of(first(told, TIME_KEYS))
    own = name_of(first(record, KEY_KEYS)) or str(at)
    key = own if len(own) >= UNIQUE else f"{session}#{own}"
    owner = _owner(record)
    user = None if owner == speaker else owner
    return place.said(role, content, at_time, key, speaker, user)


def _of_fragments(fragments: list[Json]) -> Mapping[str, Json]:
    """Reads the parts of one message, of which each says whose it is."""
    parts = [p for p in fragments if isinstance(p, dict) and p.get("type") in FRAGMENTS]
    roles = {FRAGMENTS[part["type"]] for part in parts}
    if len(roles) != 1:
        return {}
    return {"role": roles.pop(), "content": [{"text": part.get("content")} for part in parts]}


def _role(record: Mapping[str, Json]) -> tuple[str | None, str | None]:
    """Reads who speaks: a role, or a name in the place of one."""
    speaker = name_of(first(record, ("speaker", "name", "user_name", "username", "author_name")))
    for key in ROLE_KEYS:
        written = record.get(key)
        if key == "type" and written in (1, 2) and "text" in record:  # Cursor's numbers
            return ("user" if written == 1 else "assistant"), speaker
        role = role_of(written)
        if role is not None:
            return role, None if speaker and role_of(speaker) is not None else speaker
    if "session_id" in record or "display" in record:  # the histories of what was asked
        return "user", None
    named = name_of(first(record, ("speaker", "sender", "from", "author", "user", "name")))
    return ("user", named) if named and len(named.split()) <= MAX_NAME_WORDS else (None, None)


def _exchange(record: Mapping[str, Json], at: int, place: Place) -> Iterator[Message]:
    """Yields a question and its answer, as Copilot keeps them together."""
    own = name_of(first(record, ("requestId", *KEY_KEYS))) or f"{place.session}#{at}"
    when = moment_of(first(record, TIME_KEYS))
    for role, content in (("user", record["message"]), ("assistant", record["response"])):
        if words := words_of(content):
            key = own if role == "user" else f"{own}/answer"
            yield place.said(role, words, when, key)


def _is_slack(record: Json) -> bool:
    stamp = record.get("ts") if isinstance(record, dict) else None
    return isinstance(stamp, str) and bool(_SLACK_TS.fullmatch(stamp))


def _slack(records: list[Json], place: Place) -> Iterator[Message]:
    """Yields the messages of one day of a Slack channel; a thread is a session of its own."""
    said = [record for record in records if _is_slack(record)]
    names = {str(r.get("user")): n for r in said if (n := _slack_name(r))}
    channel = PurePosixPath(place.path).parent.name or place.session
    for record in said:
        subtype = str(record.get("subtype") or "")
        content = _slack_words(words_of(record.get("text")), names)
        if not content or _SKIPPED_SUBTYPES.fullmatch(subtype):
            continue
        thread = record.get("thread_ts") if _is_slack({"ts": record.get("thread_ts")}) else None
        yield Message(
            role="assistant" if record.get("bot_id") or subtype == "bot_message" else "user",
            content=content,
            at=moment_of(record["ts"]),
            session=f"{channel}/{thread}" if thread else place.session,
            project=place.project,
            key=f"{channel}/{record['ts']}",
            speaker=_slack_name(record) or name_of(record.get("user")),
        )


def _slack_name(record: Mapping[str, Json]) -> str | None:
    profile = record.get("user_profile") or record.get("bot_profile")
    keys = ("real_name", "display_name", "name", "username")
    return name_of(first({**record, **(profile if isinstance(profile, dict) else {})}, keys))


def _slack_words(text: str, names: Mapping[str, str]) -> str:
    def shown(match: re.Match[str]) -> str:
        mark, target, label = match[1], match[2], match[3]
        if mark == "@":
            return f"@{label or names.get(target, target)}"
        if mark:
            return f"{'#' if mark == '#' else '@'}{label or target}"
        return f"{label} ({target})" if label and label != target else target

    return html.unescape(_SLACK_POINTER.sub(shown, text))
