"""What a message of a conversation is, and how its text and its time are read from JSON."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import unquote

from knowwhy.ingest.incidents.entries import as_time
from knowwhy.text.secrets.redact import redact
from knowwhy.types import Json

MAX_CONTENT = 50_000  # characters of one message; what is longer was pasted in
MAX_PARTS = 10_000  # parts of one message that are looked at
MAX_NAME = 200  # characters of a session, a project, a speaker or a message's own id
MAX_FOLDER = 4_096  # characters of a path: the longest that Linux takes
EARLIEST_US = 10**14  # microseconds since 1970, in 1973; smaller numbers are milliseconds
LATEST_NS = 10**20  # nanoseconds since 1970; larger numbers are no times
ELLIPSIS = "…"

ROLES = {
    **dict.fromkeys(("user", "human", "you", "me", "prompt", "customer", "client"), "user"),
    **dict.fromkeys(("assistant", "ai", "bot", "model", "agent", "gpt", "chatgpt"), "assistant"),
    **dict.fromkeys(("claude", "gemini", "cursor", "copilot", "github copilot"), "assistant"),
    **dict.fromkeys(("codex", "aider", "llm", "chatbot", "bot_message", "response"), "assistant"),
    **dict.fromkeys(("system", "developer", "tool", "function", "info", "context"), ""),
    **dict.fromkeys(("tool_result", "tool_use", "function_call", "status", "error"), ""),
    **dict.fromkeys(("warning", "reasoning", "thinking", "thought", "progress", "hook"), ""),
}
SAID_PARTS = frozenset(  # the kinds of parts that are words; the others are tools, thoughts, files
    ("", "text", "input_text", "output_text", "markdown", "markdowncontent", "multimodal_text")
)
TEXT_KEYS = ("text", "content", "value", "parts", "message", "markdown", "body", "rawText")

# Marks of a part that a program has put in, or that the model has only thought.
UNSAID_MARKS = ("thought", "synthetic", "isSynthetic", "hidden")

_FOLDER = re.compile(r"/|[A-Za-z]:[\\/]|\\\\|~[\\/]")  # begins a whole path
_UNUSABLE = re.compile("[\x00\ud800-\udfff]")
_EPOCH = re.compile(r"\d{10,19}(?:\.\d{1,9})?", re.A)


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation."""

    role: str  # user or assistant
    content: str
    at: datetime | None
    session: str | None
    project: str | None
    key: str  # the source's own id, else the session and the place in it
    speaker: str | None
    user: str | None = None  # whose the chat is, where it says so
    folder: str | None = None  # in which it was held, as its program tells it
    remote: str | None = None  # of the repository in which it was held


def role_of(written: Json) -> str | None:
    """Reads a role: user or assistant, empty for what nobody said, None for an unknown word."""
    if isinstance(written, Mapping):  # ChatGPT's author
        written = written.get("role")
    return ROLES.get(written.strip().lower()) if isinstance(written, str) else None


def words_of(content: Json) -> str:
    """Gives the words of a message, of which tools, thoughts, images and files are left out."""
    left: list[Json] = [content]
    pieces: list[str] = []
    size = 0
    for _ in range(MAX_PARTS):
        if not left or size > MAX_CONTENT:
            break
        value = left.pop()
        if isinstance(value, str):
            pieces.append(value)
            size += len(value)
        elif isinstance(value, list):
            left += reversed(value[:MAX_PARTS])
        elif isinstance(value, Mapping) and _is_said(value):
            left += [next((value[key] for key in TEXT_KEYS if value.get(key)), None)]
    return clean("\n\n".join(piece.strip() for piece in pieces if piece.strip()))


def _is_said(part: Mapping[str, Json]) -> bool:
    if any(part.get(mark) is True for mark in UNSAID_MARKS):
        return False
    kind = part.get("type") or part.get("content_type") or part.get("kind") or ""
    return not isinstance(kind, str) or kind.lower() in SAID_PARTS


def clean(text: str) -> str:
    """Drops what no column can hold, and cuts what is too long, but never through a secret."""
    whole = _UNUSABLE.sub("", text).replace("\r\n", "\n").strip()
    if len(whole) <= MAX_CONTENT:
        return whole
    whole = redact(whole)
    return whole if len(whole) <= MAX_CONTENT else whole[: MAX_CONTENT - 1].rstrip() + ELLIPSIS


def name_of(value: Json) -> str | None:
    """Reads a name or an id, from a group by the name in it."""
    if isinstance(value, Mapping):
        value = next((value[k] for k in ("name", "title", "id", "uuid") if value.get(k)), None)
    if isinstance(value, bool) or not isinstance(value, str | int):
        return None
    shown = value if isinstance(value, str) else f"{value:d}" if abs(value) < 10**18 else ""
    shown = shown if len(shown) <= MAX_NAME else redact(shown)[:MAX_NAME]
    return _UNUSABLE.sub("", shown).strip() or None


def folder_of(value: Json) -> str | None:
    """Reads the whole path of a folder, or the file URL of one."""
    if not isinstance(value, str) or len(value) > MAX_FOLDER:
        return None
    path = unquote(value.removeprefix("file://")) if value.startswith("file://") else value.strip()
    return path if _FOLDER.match(path) and not _UNUSABLE.search(path) else None


def moment_of(value: Json) -> datetime | None:
    """Reads the time of a message: in words, or in seconds, milliseconds or finer since 1970."""
    if isinstance(value, Mapping):
        value = next(
            (value[n] for n in ("$date", "seconds", "_seconds", "created") if n in value), None
        )
    if isinstance(value, str) and _EPOCH.fullmatch(value.strip()):
        value = float(value)
    if isinstance(value, bool) or (isinstance(value, int | float) and not value < LATEST_NS):
        return None
    while isinstance(value, int | float) and value >= EARLIEST_US:
        value = value / 1000
    return as_time(value)


def first(record: Mapping[str, Json], names: tuple[str, ...]) -> Json:
    """Gives the first field of a record that is there and holds something."""
    return next(
        (record[name] for name in names if record.get(name) not in (None, "", [], {})), None
    )
