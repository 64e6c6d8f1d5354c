"""Connections over HTTP: how many there may be, and how long each may take to say what it wants.

uvicorn waits for ever for the rest of a request, and as many such as there may be files lock out
everybody. Here those that have shown a valid token stay before those that have not.
"""

import asyncio
import json
import resource
import ssl
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Protocol

from starlette.responses import JSONResponse
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

MOST_HEAD = 32_000  # bytes of a request's head; a client's own has about 500
READ_SECONDS = 60.0  # that a client may leave an answer unread
LINGER_SECONDS = 0.5  # in which a refused client can read why
MOST_LINGERING = 16
CLOSED_SECONDS = 1.0  # that a client under TLS may take to agree to an end
ACCEPTED_AT_ONCE = 32  # before those that are too many are closed
BACKLOG = 2_048  # that the system may keep for us
OTHER_FILES = 256  # that a server has open beside its connections; it was seen to have 70
LEAST_CONNECTIONS = 16
RETRY_SECONDS = 1
TOO_MANY = "This server has as many connections as it may have; try again in a moment."
GAVE_WAY = "This connection gave way to others before it had shown a valid token; try again."
NO_HEAD = "The head of this request has not come in time."
NO_BODY = "The body of this request has not come in time."
LONG_BODY = "The body of this request is larger than KNOWWHY_MAX_BODY_MB allows."
LONG_HEAD = f"The head of this request is longer than {MOST_HEAD:,} bytes."


@dataclass(frozen=True, slots=True)
class Limits:
    """What connections are held to."""

    in_all: int
    of_address: int
    body_bytes: int  # on the way, with all that is around it
    head_seconds: float
    body_seconds: float


def files_for(wanted: int) -> int:
    """Gives how many connections can be had of those wanted, with as many files as there may be."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = wanted + OTHER_FILES
    if soft != resource.RLIM_INFINITY and soft < needed:
        more = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (more, hard))
            soft = more
        except (OSError, ValueError):  # the system has a bound of its own
            pass
    if soft == resource.RLIM_INFINITY or soft >= needed:
        return wanted
    return max(LEAST_CONNECTIONS, soft - min(OTHER_FILES, soft // 2))


class One(Protocol):
    """A connection as the crowd sees it."""

    address: str
    is_known: bool  # it has shown a valid token

    @property
    def is_idle(self) -> bool:
        """Tells whether nothing is being asked and answered."""
        ...

    def give_way(self) -> None:
        """Ends, so that another client is let in."""
        ...


class Crowd:
    """All connections of a server, the oldest first."""

    def __init__(self, limits: Limits, note: Callable[[str], None]) -> None:
        self.limits = limits
        self.note = note  # is told what was refused
        self.lingering = 0
        self._all: dict[One, None] = {}
        self._of: dict[str, dict[One, None]] = {}

    def __len__(self) -> int:
        return len(self._all)

    def enter(self, one: "One") -> bool:
        """Lets a connection in, for which another may have to give way."""
        own = self._of.get(one.address, {})
        if len(own) >= self.limits.of_address and not self._make_room(own):
            return False
        if len(self._all) >= self.limits.in_all and not self._make_room(self._all):
            return False
        self._all[one] = None
        self._of.setdefault(one.address, {})[one] = None
        return True

    def leave(self, one: "One") -> None:
        """Forgets a connection, however often it is told to."""
        self._all.pop(one, None)
        own = self._of.get(one.address, {})
        own.pop(one, None)
        if not own:
            self._of.pop(one.address, None)

    def _make_room(self, among: Iterable["One"]) -> bool:
        """Ends the oldest that nobody knows, else the oldest from which nothing is asked."""
        idle = None
        for one in among:
            if not one.is_known:
                break
            idle = idle or (one if one.is_idle else None)
        else:
            if idle is None:
                return False
            one = idle
        self.leave(one)
        one.give_way()
        return True


class Connection(HttpToolsProtocol):
    """One connection; each part of a request has its time."""

    def __init__(self, crowd: Crowd, **how: Any) -> None:
        super().__init__(**how)
        self.is_known = False  # it has shown a valid token
        self.address = ""
        self._crowd = crowd
        self._inside = self.app
        self._timer: asyncio.TimerHandle | None = None
        self._unread: asyncio.TimerHandle | None = None
        self._is_refused = False
        self._in_head = True
        self._head_bytes = self._body_bytes = 0
        self._early = b""

    @property
    def is_idle(self) -> bool:
        """Tells whether nothing is being asked and answered."""
        return self.cycle is None or self.cycle.response_complete

    def connection_made(self, transport: Any) -> None:
        """Lets a client in, or tells it that there are too many."""
        if transport.is_closing():  # it has gone while it shook hands
            return
        super().connection_made(transport)
        self.address = str(self.client[0]) if self.client else ""
        if self._crowd.enter(self):
            self._wait(self._crowd.limits.head_seconds)
            early, self._early = self._early, b""
            if early:
                self.data_received(early)
            return
        self._crowd.note("connections")
        self._is_refused = True
        self._write(503, TOO_MANY)
        if self._crowd.lingering >= MOST_LINGERING:
            self.transport.abort()
            return
        self._crowd.lingering += 1
        self._timer = self.loop.call_later(LINGER_SECONDS, self.transport.abort)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forgets the client."""
        if self.transport is None:
            return
        if self._is_refused and self._timer is not None:
            self._crowd.lingering -= 1
        self._crowd.leave(self)
        self._stop_waiting()
        self._stop_reading()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Reads on; the head of a request is bounded in bytes and time, from its first byte on."""
        if self.transport is None:  # under TLS what comes with the last shake of hands is early
            self._early += data
        if self.transport is None or self._is_refused:
            return
        if self._in_head:
            self._head_bytes += len(data)
        else:
            self._body_bytes += len(data)
        super().data_received(data)
        if self.transport.is_closing():
            return
        if not self._in_head:
            if self._body_bytes > self._crowd.limits.body_bytes:
                self._refuse(413, LONG_BODY, "body")
        elif self._head_bytes > MOST_HEAD:
            self._refuse(431, LONG_HEAD, "head")
        elif self._timer is None and self.is_idle:
            self._wait(self._crowd.limits.head_seconds)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Notes a field of the head, and none that comes after the body."""
        if self._in_head:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Begins to answer a request, and to wait for its body."""
        self._in_head, self._body_bytes = False, 0
        self.scope["state"]["connection"] = self
        size = len(self.url) + sum(len(name) + len(value) for name, value in self.headers)
        if size > MOST_HEAD:
            self._crowd.note("head")
        self.app = _long_head if size > MOST_HEAD else self._inside
        super().on_headers_complete()
        self._wait(self._crowd.limits.body_seconds)

    def on_message_complete(self) -> None:
        """Has a request whole."""
        super().on_message_complete()
        self._stop_waiting()
        self._in_head, self._head_bytes = True, 0

    def pause_writing(self) -> None:
        """Waits for a client that does not read what it is told, and not for ever."""
        super().pause_writing()
        self._stop_reading()
        self._unread = self.loop.call_later(READ_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        """Goes on to tell."""
        super().resume_writing()
        self._stop_reading()

    def answer(self, scope: Any, told: bytes) -> bool:
        """Answers a request at once and in one piece, where nothing else is under way before it."""
        cycle = self.cycle
        if cycle.scope is not scope or cycle.response_started or not cycle.keep_alive:
            return False
        if not cycle.disconnected:
            cycle.response_started = cycle.response_complete = True
            self.transport.write(told)
            cycle.on_response()
        return True

    def give_way(self) -> None:
        """Ends, so that another client is let in."""
        self._crowd.note("gave way")
        if self.is_idle and not self._head_bytes:
            self._end()
        else:
            self._answer_and_end(503, GAVE_WAY)

    def _wait(self, seconds: float) -> None:
        self._stop_waiting()
        self._timer = self.loop.call_later(seconds, self._is_late, seconds)

    def _stop_waiting(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _stop_reading(self) -> None:
        if self._unread is not None:
            self._unread.cancel()
            self._unread = None

    def _is_late(self, seconds: float) -> None:
        """Refuses what has not come; what we ourselves have not read yet is waited for again."""
        self._timer = None
        if self.flow.read_paused or self.pipeline:
            self._wait(seconds)
        elif not self._in_head:
            self._refuse(408, NO_BODY, "body")
        elif self._head_bytes:
            self._refuse(408, NO_HEAD, "head")
        else:
            self._crowd.note("head")
            self._end()

    def _refuse(self, status: int, why: str, what: str) -> None:
        self._crowd.note(what)
        self._answer_and_end(status, why)

    def _answer_and_end(self, status: int, why: str) -> None:
        """Tells why, unless the request has its answer or a part of it, and ends."""
        if (self.is_idle and self._in_head) or not self.cycle.response_started:
            self._write(status, why)
        self._end()

    def _end(self) -> None:
        """Closes at once: a client that is not to be waited for is not asked to agree."""
        self._stop_waiting()
        self._crowd.leave(self)
        if not self.is_idle:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        self.transport.abort()

    def _write(self, status: int, why: str) -> None:
        headers = {"retry-after": str(RETRY_SECONDS), "connection": "close"}
        self.transport.write(written(status, {"error": why}, headers))


class Arriving(asyncio.Protocol):
    """A client under TLS that has not shaken hands yet: the first that gives way."""

    is_known = False
    is_idle = True

    def __init__(self, crowd: Crowd, tls: ssl.SSLContext, **how: Any) -> None:
        self.address = ""
        self._crowd = crowd
        self._tls = tls
        self._how = how
        self._transport: asyncio.Transport | None = None
        self._shaking: asyncio.Task[None] | None = None

    def connection_made(self, transport: Any) -> None:
        """Shakes hands, within the time that the head of a request may take."""
        self._transport = transport
        self.address = str((transport.get_extra_info("peername") or [""])[0])
        if self._crowd.enter(self):
            self._shaking = asyncio.get_running_loop().create_task(self._shake(transport))
        else:
            self._crowd.note("connections")
            transport.abort()

    async def _shake(self, transport: asyncio.Transport) -> None:
        inside = Connection(self._crowd, **self._how)
        seconds = self._crowd.limits.head_seconds
        try:
            secured = await asyncio.get_running_loop().start_tls(
                transport,
                inside,
                self._tls,
                server_side=True,
                ssl_handshake_timeout=seconds,
                ssl_shutdown_timeout=CLOSED_SECONDS,
            )
        except OSError:  # among them all that TLS complains of
            self._crowd.note("tls")
            transport.abort()
            secured = None
        finally:
            self._crowd.leave(self)
        if secured is not None:
            inside.connection_made(secured)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forgets a client that has gone before."""
        self._crowd.leave(self)

    def give_way(self) -> None:
        """Ends, so that another client is let in."""
        self._crowd.note("gave way")
        if self._shaking is not None:
            self._shaking.cancel()
        if self._transport is not None:
            self._transport.abort()


def written(status: int, told: Any, headers: Mapping[str, str]) -> bytes:
    """Writes an answer as it goes over the wire."""
    body = json.dumps(told).encode()
    named = {"content-type": "application/json", "content-length": str(len(body)), **headers}
    lines = "".join(f"{name}: {value}\r\n" for name, value in named.items())
    return f"HTTP/1.1 {status} {HTTPStatus(status).phrase}\r\n{lines}\r\n".encode() + body


async def _long_head(scope: Any, receive: Any, send: Any) -> None:
    told = JSONResponse({"error": LONG_HEAD}, 431, {"connection": "close"})
    await told(scope, receive, send)
