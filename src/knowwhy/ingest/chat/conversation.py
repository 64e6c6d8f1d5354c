"""Reads conversations as messages, whatever program kept them."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from knowwhy.errors import BadInput, NothingSaid
from knowwhy.ingest.chat.assistants import lines_in, read_lines, read_markdown, without_wrappers
from knowwhy.ingest.chat.chats import Place, place_of, read_export
from knowwhy.ingest.chat.messages import Message
from knowwhy.text.speech.turn_ends import as_context
from knowwhy.types import Json

WRITTEN = (".md", ".markdown", ".txt")
LINES = (".jsonl", ".ndjson")
MAX_MESSAGES = 200_000  # messages of one file; years of an export have some 50,000
MAX_PROBLEMS = 100  # broken lines of one file that are named; more are another format

Problem = tuple[int, str]  # the number of a line, and why it was not read


def read_conversation(raw: str, *, path: str) -> tuple[list[Message], list[Problem]]:
    """Reads every message of a chat, with the lines that could not be read."""
    if not raw.strip():
        raise BadInput(f"{path or 'The conversation'} is empty.")
    text = raw.removeprefix("\ufeff")
    place = Place(session_of(path), None, path)
    problems: list[Problem] = []
    found: list[Message] = []
    for message in _read(text, place, problems):
        found.append(message)
        if len(found) > MAX_MESSAGES:
            raise BadInput(f"The conversation has more than {MAX_MESSAGES:,} messages; split it.")
    if not found:
        why = f" (line {problems[0][0]} {problems[0][1]})" if problems else ""
        raise NothingSaid(f"{path or 'The conversation'} holds no messages that can be read{why}.")
    return _once(found), problems


def _read(text: str, place: Place, problems: list[Problem]) -> Iterator[Message]:
    suffix = PurePosixPath(place.path).suffix.lower()
    if suffix in WRITTEN or text.lstrip()[:1] not in ("{", "["):
        if suffix not in LINES:
            yield from read_markdown(text, place)
            return
    elif suffix not in LINES:
        whole = _document(text, may_be_lines=suffix != ".json" or "\n{" in text)
        if whole is not None:
            yield from _of_document(whole, place)
            return
    yield from read_lines(list(_lines(text, problems)), place)


def _of_document(whole: Json, place: Place) -> Iterator[Message]:
    """Reads a JSON document: a chat, or the lines of an assistant's session in one list."""
    lines = lines_in(whole)
    if not lines:
        for message in read_export(whole, place):
            if content := without_wrappers(message.content):
                yield replace(message, content=content)
        return
    inside = place_of(whole, place) if isinstance(whole, dict) else place
    yield from read_lines(list(enumerate(lines, 1)), inside)


def session_of(path: str) -> str:
    """Names the session of a file that names none by the file."""
    file = PurePosixPath(path)
    return str(file.parent / file.stem) if file.stem else "conversation"


def _document(text: str, *, may_be_lines: bool) -> Json:
    """Reads a JSON document; None for a text that is one document a line."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        if may_be_lines and error.msg == "Extra data":
            return None
        why = error.msg[:1].lower() + error.msg[1:]
        raise BadInput(f"The JSON cannot be read at line {error.lineno}: {why}.") from None
    except (ValueError, RecursionError):
        raise BadInput("The JSON cannot be read: too deep, or a number in it too long.") from None


def _lines(text: str, problems: list[Problem]) -> Iterator[tuple[int, Json]]:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            yield number, json.loads(line)
        except json.JSONDecodeError as error:
            why = f"is not JSON ({error.msg.lower()} at character {error.pos + 1})"
        except (ValueError, RecursionError):
            why = "is not JSON that can be kept (too deep, or a number too long)"
        else:
            continue
        if len(problems) < MAX_PROBLEMS:
            problems.append((number, why))


def _once(messages: Sequence[Message]) -> list[Message]:
    """Leaves out what was written twice, and tells apart what has the same key."""
    kept: dict[tuple[str, str], Message] = {}
    for message in messages:
        kept.setdefault((message.key, message.content), message)
    counts: Counter[str] = Counter()
    told_apart = []
    for message in kept.values():
        counts[message.key] += 1
        number = counts[message.key]
        key = message.key if number == 1 else f"{message.key}~{number}"
        told_apart.append(replace(message, key=key))
    return told_apart


def context_of(messages: Sequence[Message]) -> list[str | None]:
    """Gives for each message the turn before it in its session, with who said it."""
    last: dict[str | None, str] = {}
    contexts = []
    for message in messages:
        contexts.append(last.get(message.session))
        last[message.session] = as_context(message.speaker or message.role, message.content)
    return contexts
