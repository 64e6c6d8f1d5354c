"""Answers lines that are no messages, so that no client waits for what will never come."""

import json
import re

import mcp_types as types
from pydantic import ValidationError

TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+"?|[\[{\]}]', re.DOTALL)  # linear: an open text ends it
ID = re.compile(r'"id"\s{0,9}:\s{0,9}(-?\d{1,15}\b|"[^"\\]{0,100}")')
NO_ID = "The id of a request is a text or a whole number; what has none is a notification."
NOT_JSON = "json_invalid"  # the checker's word for it


def refusal(line: str) -> types.JSONRPCError | None:
    """Gives the answer to a line that is no message; None to one that is.

    What has an id that cannot be one is no notification: whoever sent it waits for an answer.
    """
    try:
        message = types.jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValidationError as error:
        if error.errors(include_url=False, include_input=False)[0]["type"] == NOT_JSON:
            return _refused(
                line,
                types.PARSE_ERROR,
                "The message is no JSON, is nested too deeply, or holds half of a surrogate pair.",
            )
        return _refused(
            line,
            types.INVALID_REQUEST,
            "The message is not of JSON-RPC 2.0: an object with jsonrpc, id, method and params.",
        )
    if isinstance(message, types.JSONRPCNotification) and "id" in json.loads(line):
        about = types.ErrorData(code=types.INVALID_REQUEST, message=NO_ID)
        return types.JSONRPCError(jsonrpc="2.0", id=None, error=about)
    return None


def too_long(line: str, most: int) -> types.JSONRPCError:
    """Gives the answer to a line of which only the beginning has been read."""
    said = f"This line has more than {most:,} characters; take a long text in with `ingest`."
    return _refused(line, types.INVALID_REQUEST, said)


def request_id(line: str) -> int | str | None:
    """Finds the id of a message that cannot be read, among the names of its own level."""
    depth = 0
    for token in TOKEN.finditer(line):
        if token[0] in "[{":
            depth += 1
        elif token[0] in "]}":
            depth -= 1
        elif depth == 1 and (found := ID.match(line, token.start())):
            return found[1][1:-1] if found[1][0] == '"' else int(found[1])
    return None


def _refused(line: str, code: int, said: str) -> types.JSONRPCError:
    about = types.ErrorData(code=code, message=said)
    return types.JSONRPCError(jsonrpc="2.0", id=request_id(line), error=about)
