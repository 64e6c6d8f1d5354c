"""Asks the person in front of the client, where the client can put a question to them.

A model says that its user has approved something; only the user can. Where nobody can be asked the
call goes on as what it is: an assistant's word.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import sha256

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from knowwhy.errors import BadInput, NotAgreed
from knowwhy.mcp.arguments import read_arguments
from knowwhy.mcp.caller import Caller
from knowwhy.mcp.toolbox.registry import Asked, Tool, with_whole_ids
from knowwhy.types import PERSON, Json

Context = ServerRequestContext[object, object]
ACCEPTS = "accept"
FORM: dict[str, Json] = {"type": "object", "properties": {}}  # to agree or not is all there is
KEY_DIGITS = 16
SEVERAL = "run_tools"
NOT_AGREED = "The person has not agreed; nothing was changed, and what waits goes on waiting."
CHANGED = (
    "What waits, or what it would take the place of, has changed while the person was asked; "
    "nothing was changed. Call again, so that they see it as it is now."
)
NOT_ASKED = "The person could not be asked; nothing was changed, and what waits goes on waiting."


def can_ask(ctx: Context) -> bool:
    """Tells whether the client puts forms to a person; one that names no mode does."""
    able = ctx.session.client_capabilities
    asks = able.elicitation if able else None
    return asks is not None and (asks.form is not None or asks.url is None)


def question_of(caller: Caller, calls: Sequence[tuple[Tool, Json]]) -> Asked | None:
    """Gives what a person is to be asked before a call; None where it judges nothing.

    Who agrees to one call has not agreed to those beside it: what judges is called by itself.
    """
    is_alone = all(tool.name != SEVERAL for tool, _ in calls)
    for tool, given in calls:
        if tool.asks is None or not isinstance(given, Mapping):
            continue
        try:
            arguments = read_arguments(tool, given)
        except BadInput:
            continue  # it is refused for that when it is called
        asked = tool.asks(caller, **with_whole_ids(caller, arguments))
        if asked is not None and not is_alone:
            raise BadInput(
                f"A person is asked before {tool.name} judges: call it by itself, not in {SEVERAL}."
            )
        if asked is not None:
            return asked
    return None


async def agreed(
    ctx: Context, params: types.CallToolRequestParams, caller: Caller, asked: Asked
) -> Caller | types.InputRequiredResult:
    """Asks, and gives the caller as one who acts on a person's word; or what the client is to ask.

    From 2026-07-28 on the client asks when it is told to and calls again with the answer, which
    belongs to this very question about this very call.
    """
    form = types.ElicitRequestFormParams(message=asked.text, requested_schema=FORM)
    if ctx.protocol_version in MODERN_PROTOCOL_VERSIONS:
        key = f"agrees-{_digest(params, asked)}"
        answer = (params.input_responses or {}).get(key)
        if answer is None:
            asks: types.InputRequests = {key: types.ElicitRequest(params=form)}
            return types.InputRequiredResult(input_requests=asks)
        action = getattr(answer, "action", None)
    else:
        try:
            told = await ctx.session.elicit_form(asked.text, FORM, ctx.request_id)
        except (MCPError, ValidationError):
            raise NotAgreed(NOT_ASKED) from None
        action = told.action
    if action != ACCEPTS:
        raise NotAgreed(NOT_AGREED)
    return replace(caller, via=PERSON, seen=asked.seen)


def check_unchanged(asked: Asked, now: Asked | None) -> None:
    """Refuses to go on where a person would be asked something else by now."""
    if now != asked:
        raise NotAgreed(CHANGED)


def _digest(params: types.CallToolRequestParams, asked: Asked) -> str:
    """Names a question by the call, its words and what stood in the memory when it was put."""
    seen = sorted((key, at.isoformat()) for key, at in asked.seen)
    told = json.dumps([params.name, params.arguments or {}, asked.text, seen], sort_keys=True)
    return sha256(told.encode()).hexdigest()[:KEY_DIGITS]
