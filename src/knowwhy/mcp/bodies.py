"""Answers bodies of HTTP that are no messages, as lines of the standard streams are answered."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

from mcp.server.streamable_http import REQUEST_CANCELLED
from starlette.responses import Response

from knowwhy.mcp.lines import refusal

Send = Callable[[Any], Awaitable[None]]
MOST_EVENT = 1_000  # bytes of an event that says no more than that a request was cancelled


class Readable:
    """Lets through what is a message, and what others refuse: too large, or of another type."""

    def __init__(self, app: Any, most: int) -> None:
        self._app = app
        self._most = most

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope.get("method") != "POST":
            await self._app(scope, receive, send)
            return
        parts = await self._read(receive)
        body = b"".join(part.get("body", b"") for part in parts)
        if len(body) <= self._most and parts[-1]["type"] == "http.request":
            refused = await asyncio.to_thread(refusal, body.decode(errors="replace"))
            if refused is not None:
                told = refused.model_dump_json(by_alias=True, exclude_unset=True)
                await Response(told, 400, media_type="application/json")(scope, receive, send)
                return
        ahead = iter(parts)

        async def again() -> Any:
            return next(ahead, None) or await receive()

        await self._app(scope, again, _silenced(send))

    async def _read(self, receive: Any) -> list[Any]:
        """Reads a body, but no more of it than is let through."""
        parts = [await receive()]
        size = len(parts[0].get("body", b""))
        while parts[-1].get("more_body") and size <= self._most:
            parts.append(await receive())
            size += len(parts[-1].get("body", b""))
        return parts


def _silenced(send: Send) -> Send:
    """Ends the stream of a cancelled request without an answer to it: nobody waits for one."""

    async def sends(part: Any) -> None:
        body = part.get("body", b"") if part["type"] == "http.response.body" else b""
        await send({**part, "body": b""} if _says_cancelled(body) else part)

    return sends


def _says_cancelled(event: bytes) -> bool:
    if len(event) > MOST_EVENT or str(REQUEST_CANCELLED).encode() not in event:
        return False
    data = event.partition(b"data:")[2]
    try:
        error = json.loads(data).get("error")
    except ValueError:
        return False
    return isinstance(error, dict) and error.get("code") == REQUEST_CANCELLED
