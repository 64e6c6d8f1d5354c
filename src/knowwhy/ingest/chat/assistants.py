"""Reads the session files of coding assistants: JSON lines, and histories in Markdown."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from knowwhy.ingest.chat.chats import (
    CONTENT_KEYS,
    MESSAGE_LISTS,
    SESSION_KEYS,
    TIME_KEYS,
    Place,
    folder_in,
    read_export,
    read_record,
)
from knowwhy.ingest.chat.messages import (
    Message,
    clean,
    first,
    moment_of,
    name_of,
    role_of,
    words_of,
)
from knowwhy.text.times import find_time
from knowwhy.types import Json

MAX_LINE = 300  # characters in which a line of Markdown says who speaks
MAX_DEPTH = 2  # groups of a line, one in the other, in which a message is looked for

CODEX_TYPES = frozenset(("session_meta", "response_item", "event_msg", "turn_context", "compacted"))
# Groups of a line that hold its message, or more about it.
ENVELOPES = ("message", "payload", "data", "item", "event", "entry", "record", "params", "update")
STARTS = frozenset(("session", "session_start", "session.start", "session_meta"))
_HEAD = frozenset(("git", "instructions", "projectHash"))  # of a session, not of a message
_TELLING = frozenset(
    (*CONTENT_KEYS, *MESSAGE_LISTS, *ENVELOPES, "mapping", "session_id", "sessionId", "id")
)
# How programs mark what no user has said, and what parts of a program said to each other.
_META = (
    *("isMeta", "isSidechain", "isCompactSummary", "isApiErrorMessage"),
    *("isVisibleInTranscriptOnly", "isSynthetic", "synthetic", "hidden", "hostTurn"),
    *("synthetic_reason", "parentToolCallId"),
)
ANSWERS = ("PLANNER_RESPONSE", "GENERATE_RESPONSE", "MODEL_RESPONSE")  # steps of Antigravity
OWN_ORIGINS = ("", "user", "interjection", "USER_EXPLICIT", "MODEL")  # of what somebody has said
_WRAPPED = re.compile(  # what programs put into a user's message
    r"<(system-reminder|local-command-stdout|local-command-caveat|command-[a-z]{1,20}"
    r"|bash-(?:input|stdout|stderr)|environment_context|user_instructions|ide_[a-z_]{1,30}"
    r"|task-notification|permissions"
    r"|INSTRUCTIONS|additional_data|current_file|attached_files|open_and_recently_viewed_files"
    r"|environment_details|ADDITIONAL_METADATA|USER_SETTINGS_CHANGE|user_info|git_status"
    r"|agent_skills|mcp_servers|turn_aborted|user_shell_command|subagent_notification"
    r"|current_datetime|system_reminder)(?:\s[^<>]{0,200})?>"
)
AROUND = ("user_query", "user_request", "task", "feedback")  # tags around all of a user's words
_NOT_SAID = re.compile(
    r"\[Request interrupted|Caveat: The messages below|# AGENTS\.md instructions"
    r"|This session is being continued from a previous|No response requested\.|API Error"
    r"|<skill>|\[[a-z_]{2,40}(?: for '[^'\n]{0,500}')?\] Result:"  # a tool's, in Cline's words
)
_SPEAKS = re.compile(  # user.message, agent_message, USER_INPUT; not a part of one that is streamed
    r"(?P<role>[a-z]{2,12})[._/-]?(?:message|prompt|input|response|query)", re.IGNORECASE
)
_ROLE_LINE = re.compile(
    r"[ \t]{0,3}(?:#{1,6}[ \t]+)?(?:[*_]{1,3})?(?:[^\w\s*_#<>:]{1,4}[ \t]{0,2})?"
    r"(?P<role>[A-Za-z][A-Za-z ]{1,20}?)"
    r"[ \t]{0,3}(?:\((?P<at>[^()\n]{4,60})\))?(?:[*_]{1,3})?(?P<colon>:)?(?:[*_]{1,3})?[ \t]*$"
)
_ROLE_START = re.compile(r"(?P<role>[A-Za-z][A-Za-z ]{1,20}?):[ \t]+(?P<rest>\S.*)$")
_AIDER_START = re.compile(r"# aider chat started at (.{10,40})$")
_RULE = re.compile(r"[ \t]*(?:-{3,}|\*{3,}|_{3,})[ \t]*$")

Group = Mapping[str, Json]


@dataclass(slots=True)
class _Lines:
    """What the lines of a session have said so far of the lines to come."""

    place: Place
    told: list[Message] = field(default_factory=list)  # Codex's events, where it has no messages
    has_items: bool = False
    parts: list[str] = field(default_factory=list)  # of a message that comes in several lines
    begun: Message | None = None  # that message, still without its words
    asked: str | None = None  # by the user last, until it is answered

    def said(self, role: str, content: str, at: datetime | None, number: int) -> Message:
        """Makes a message of a line."""
        return self.place.said(role, content, at, f"{self.place.session}#{number}")

    def add(self, role: str, text: str, at: datetime | None, number: int) -> Iterator[Message]:
        """Takes in a part of a message; one that another speaks after has ended."""
        if self.begun is not None and self.begun.role != role:
            yield from self.end()
        if text:
            self.begun = self.begun or self.said(role, "", at, number)
            self.parts.append(text)

    def end(self) -> Iterator[Message]:
        """Yields the message that has come in parts."""
        content = without_wrappers(clean("".join(self.parts)))
        if self.begun is not None and content:
            yield replace(self.begun, content=content)
        self.begun, self.parts = None, []

    def once(self, message: Message) -> Iterator[Message]:
        """Yields what is asked once, where a program notes it as a prompt and as a message."""
        is_again = message.role == "user" and message.content == self.asked
        self.asked = message.content if message.role == "user" else None
        if not is_again:
            yield message


def read_lines(records: Sequence[tuple[int, Json]], place: Place) -> Iterator[Message]:
    """Yields the messages of JSON lines, each with its number."""
    state = _Lines(place)
    for number, record in _as_edited(records):
        if isinstance(record, list):
            yield from read_export(record, replace(place, session=f"{place.session}/{number}"))
        elif isinstance(record, dict) and not _TELLING.isdisjoint(record):
            read = next(read for fits, read in _READERS if fits(record))
            yield from read(record, number, state)
    yield from state.end()
    if not state.has_items:
        yield from state.told


def lines_in(document: Json) -> list[Json]:
    """Gives the lines of an assistant's session that a document holds in one list, if it does."""
    is_named = isinstance(document, dict)
    lines = document.get("loglines") if is_named else document
    told = lines if isinstance(lines, list) else []
    groups = [one for one in told if isinstance(one, dict) and _is_claude(one)]
    marks = {"uuid", "sessionId", "parentUuid"}  # of a list that nothing calls so
    return told if any(is_named or marks & one.keys() for one in groups) else []


def _as_edited(records: Sequence[tuple[int, Json]]) -> Sequence[tuple[int, Json]]:
    """Gives the lines of Gemini as they stand at the end: some replace or take back others."""
    if not any(isinstance(r, dict) and ({"$set", "$rewindTo"} & r.keys()) for _, r in records):
        return records
    others: list[tuple[int, Json]] = []  # lines that no other one names
    standing: dict[str, tuple[int, Json]] = {}
    for number, record in records:
        told = record if isinstance(record, dict) else {}
        update, back = told.get("$set"), told.get("$rewindTo")
        if isinstance(update, dict) and isinstance(update.get("messages"), list):
            anew = [one for one in update["messages"] if isinstance(one, dict)]
            standing = {str(one.get("id") or at): (number, one) for at, one in enumerate(anew)}
        elif isinstance(back, str) and back in standing:
            while standing.popitem()[0] != back:
                pass
        elif isinstance(told.get("id"), str):
            before = standing.get(told["id"], (number, None))[0]  # it keeps its place
            standing[told["id"]] = (before, record)
        elif update is None and back is None:
            others.append((number, record))
    return sorted([*others, *standing.values()], key=lambda line: line[0])


def _note_session(record: Group, state: _Lines) -> None:
    """Reads a line that only says what the session is, and where it is held."""
    inner = next((v for name in ("payload", "data") if isinstance(v := record.get(name), dict)), {})
    context = inner.get("context")
    told = {**record, **inner, **(context if isinstance(context, dict) else {})}
    is_head = not _HEAD.isdisjoint(told) or ("cwd" in told and "type" not in record)
    if str(record.get("type")) not in STARTS and not is_head:
        return
    session = name_of(first({**record, **inner}, ("session_id", "sessionId", "id")))
    git = told.get("git")
    remote = git.get("repository_url") if isinstance(git, dict) else _hosted(told)
    state.place = replace(
        state.place,
        session=session or state.place.session,
        folder=folder_in(told) or state.place.folder,
        remote=remote if isinstance(remote, str) and remote else state.place.remote,
    )


def _hosted(told: Group) -> str | None:
    """Gives the remote of a repository that is named by its owner and host."""
    named, host = told.get("repository"), told.get("repositoryHost") or "github.com"
    is_named = isinstance(named, str) and re.fullmatch(r"[\w.-]{1,100}/[\w.-]{1,100}", named)
    return f"https://{host}/{named}" if is_named and isinstance(host, str) else None


def _is_inserted(*groups: Group) -> bool:
    """Tells whether a program marks a message as its own, or as said to one of its parts."""
    for group in groups:
        marks = [group.get(name) for name in _META]
        if any(mark and mark not in OWN_ORIGINS for mark in marks):
            return True
        origin = group.get("origin")
        if isinstance(origin, dict) and origin.get("kind") not in (None, *OWN_ORIGINS):
            return True
    return False


def _is_codex(record: Group) -> bool:
    return str(record.get("type")) in CODEX_TYPES and isinstance(record.get("payload"), dict)


def _codex(record: Group, number: int, state: _Lines) -> Iterator[Message]:
    """Yields a line of a Codex rollout, where each message also stands among the events."""
    payload = record["payload"]
    kind, at = record["type"], moment_of(record.get("timestamp"))
    if kind == "session_meta":
        _note_session(record, state)
    elif kind == "response_item" and payload.get("type") in (None, "message"):
        role = role_of(payload.get("role"))
        content = without_wrappers(words_of(payload.get("content")))
        state.has_items |= role is not None
        if role and content:
            yield state.said(role, content, at, number)
    elif kind == "event_msg" and payload.get("type") in ("user_message", "agent_message"):
        role = "user" if payload["type"] == "user_message" else "assistant"
        if content := without_wrappers(words_of(payload.get("message"))):
            state.told.append(state.said(role, content, at, number))


def _is_claude(record: Group) -> bool:
    message = record.get("message")
    return isinstance(message, dict) and "role" in message


def _claude(record: Group, number: int, state: _Lines) -> Iterator[Message]:
    """Yields a line whose message has its role inside, as those of Claude Code, Qwen and Kimi.

    Tools, thoughts, subtasks and what the program notes for itself are left out.
    """
    message = record["message"]
    if _is_inserted(record, message) or role_of(record.get("type")) == "":
        return
    role = role_of(message.get("role"))
    content = without_wrappers(words_of(first(message, ("content", "parts"))))
    if role and content:
        session = name_of(first(record, ("sessionId", "session_id"))) or state.place.session
        key = name_of(first(record, ("uuid", "id"))) or f"{session}#{number}"
        place = replace(state.place.within(record), session=session)
        at = moment_of(first({**message, **record}, TIME_KEYS))
        yield from state.end()
        said = place.said(role, content, at, key)
        yield from state.once(said) if _is_noted_twice(record) else (said,)


def _is_noted_twice(record: Group) -> bool:
    return str(record.get("type")).startswith("context.")  # Kimi Code's, beside its prompts


def _is_kimi(record: Group) -> bool:
    message, event = record.get("message"), record.get("event")
    of_now = str(record.get("type")).startswith(("turn.", "context."))
    of_before = isinstance(message, dict) and isinstance(message.get("payload"), dict)
    return of_before or (of_now and (isinstance(event, dict) or "input" in record))


def _kimi(record: Group, number: int, state: _Lines) -> Iterator[Message]:
    """Yields what an event of Kimi ends: its assistant speaks in parts, between its tools."""
    at = moment_of(first(record, ("timestamp", "time")))
    message, event = record.get("message"), record.get("event")
    if isinstance(message, dict):  # Kimi CLI
        kind, told = message.get("type"), message["payload"]
        asked, part = told.get("user_input"), told
    else:  # Kimi Code
        told = event if isinstance(event, dict) else record
        kind, asked, part = told.get("type"), record.get("input"), told.get("part")
    if kind in ("ContentPart", "content.part"):
        if words := words_of(part):
            gap = "\n\n" if state.parts else ""
            yield from state.add("assistant", f"{gap}{words}", at, number)
        return
    yield from state.end()
    is_asked = kind in ("TurnBegin", "SteerInput", "turn.prompt", "turn.steer")
    if is_asked and not _is_inserted(record) and (words := without_wrappers(words_of(asked))):
        yield from state.once(state.said("user", words, at, number))


def _is_chunk(record: Group) -> bool:
    return isinstance(_update(record).get("sessionUpdate"), str)


def _chunk(record: Group, number: int, state: _Lines) -> Iterator[Message]:
    """Yields what a line of the Agent Client Protocol ends: messages come in chunks."""
    update, outer = _update(record), record.get("params")
    session = name_of(first(outer if isinstance(outer, dict) else record, SESSION_KEYS[:4]))
    state.place = replace(state.place, session=session or state.place.session)
    speaks = re.fullmatch(r"([a-z]{2,12})_message_chunk", str(update["sessionUpdate"]))
    role = role_of(speaks[1]) if speaks else None
    about = update.get("_meta")
    if role and not (isinstance(about, dict) and _is_inserted(about)):
        content = update.get("content")
        text = content.get("text") if isinstance(content, dict) else content
        at = moment_of(first({**update, **record}, TIME_KEYS))
        yield from state.add(role, text if isinstance(text, str) else "", at, number)
    elif not str(update["sessionUpdate"]).endswith(("_thought_chunk", "_update")):
        yield from state.end()


def _update(record: Group) -> Group:
    params = record.get("params")
    outer = params if isinstance(params, dict) else record
    update = outer.get("update")
    return update if isinstance(update, dict) else {}


def _is_step(record: Group) -> bool:
    return "step_index" in record and isinstance(record.get("type"), str)


def _step(record: Group, number: int, state: _Lines) -> Iterator[Message]:
    """Yields a step of Antigravity: what the user gave and the model answered, no tool's result."""
    kind, source = record["type"], record.get("source")
    asks = kind == "USER_INPUT" and source in (None, "USER_EXPLICIT")
    answers = kind in ANSWERS and source in (None, "MODEL")
    content = without_wrappers(words_of(record.get("content"))) if asks or answers else ""
    if content:
        at = moment_of(record.get("created_at"))
        yield state.said("user" if asks else "assistant", content, at, number)


def _is_event(record: Group) -> bool:
    return _speaking(record) is not None


def _event(record: Group, number: int, state: _Lines) -> Iterator[Message]:
    """Yields an event whose name tells who speaks: user.message, assistant_message, agent_message.

    What it says stands in it or in the group that it carries.
    """
    speaking = _speaking(record)
    role, told = speaking or ("", record)
    inner = next((v for name in ENVELOPES if isinstance(v := told.get(name), dict)), told)
    origin = first({**record, **inner}, ("source",))
    is_own = role != "user" or origin is None or origin in OWN_ORIGINS
    content = first(inner, ("content", "text", "message", "prompt", "input"))
    words = without_wrappers(words_of(content))
    if words and is_own and not _is_inserted(record, inner):
        key = name_of(first(record, ("uuid", "id"))) or f"{state.place.session}#{number}"
        at = moment_of(first({**inner, **record}, TIME_KEYS))
        yield state.place.said(role, words, at, key)


def _speaking(record: Group) -> tuple[str, Group] | None:
    """Gives who speaks by the name of an event, and the group that is called so."""
    carried = (record.get(name) for name in ENVELOPES)
    for group in (record, *(one for one in carried if isinstance(one, dict))):
        named = _SPEAKS.fullmatch(str(group.get("type")))
        if named and (role := role_of(named["role"])) and "role" not in group:
            return role, group
    return None


def _other(record: Group, number: int, state: _Lines) -> Iterator[Message]:
    """Yields a message in any other form, as long as it says who speaks."""
    if _is_inserted(record) or role_of(record.get("role") or record.get("type")) == "":
        return
    message = read_record(record, number, state.place) or _within(record, number, state.place)
    if message is not None:
        if content := without_wrappers(message.content):
            yield replace(message, content=content)
        return
    inner = replace(state.place, session=f"{state.place.session}/{number}")
    found = list(read_export(record, inner))
    yield from found
    if not found:
        _note_session(record, state)


def _within(record: Group, number: int, place: Place) -> Message | None:
    """Reads a message that a line carries in a group of its own, with a role and its words."""
    left = [(record, 0)]
    while left:
        outer, depth = left.pop(0)
        for group in (outer.get(name) for name in ENVELOPES):
            if not isinstance(group, dict):
                continue
            told = {name: outer[name] for name in (*TIME_KEYS, *SESSION_KEYS) if name in outer}
            if role_of(group.get("role")) and not _is_inserted(group):
                return read_record({**told, **group}, number, place)
            if depth + 1 < MAX_DEPTH:
                left.append(({**told, **group}, depth + 1))
    return None


Fits = Callable[[Group], bool]
Reader = Callable[[Group, int, _Lines], Iterator[Message]]
_READERS: tuple[tuple[Fits, Reader], ...] = (
    (_is_codex, _codex),
    (_is_step, _step),
    (_is_chunk, _chunk),
    (_is_kimi, _kimi),
    (_is_claude, _claude),
    (_is_event, _event),
    (lambda record: True, _other),
)


def without_wrappers(text: str) -> str:
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
    for tag in AROUND:
        if rest.lower().startswith(f"<{tag}>") and rest.lower().endswith(f"</{tag}>"):
            rest = rest[len(tag) + 2 : -len(tag) - 3].strip()
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
            yield place.said(role, content, at, f"{place.session}#{number}")


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
