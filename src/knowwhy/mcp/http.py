"""Serves many clients over HTTP: each request says by its token whose it is."""

import asyncio
import contextlib
import ipaddress
import logging
import math
import signal
import socket
import ssl
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import mcp_types as types
import uvicorn
import uvloop
from mcp.server.auth.middleware.auth_context import AuthContextMiddleware
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecurityMiddleware, TransportSecuritySettings
from starlette.applications import Starlette
from starlette.authentication import AuthCredentials
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from knowwhy.config import Settings
from knowwhy.errors import BadInput, Error
from knowwhy.mcp.bodies import Readable
from knowwhy.mcp.caller import Serving
from knowwhy.mcp.connections import (
    ACCEPTED_AT_ONCE,
    BACKLOG,
    Arriving,
    Connection,
    Crowd,
    Limits,
    files_for,
    written,
)
from knowwhy.mcp.measures import Measures
from knowwhy.mcp.server import Context, Door
from knowwhy.types import COLLEAGUE
from knowwhy.types import METRICS as MAY_READ_METRICS

if TYPE_CHECKING:
    from knowwhy.tables.agents.bearers import Bearer

PATH = "/mcp"
METRICS = "/metrics"
HEALTH = "/healthz"
FORWARDED = ("forwarded", "via", "x-forwarded-", "x-real-ip")  # headers that a proxy adds begin so
KNOWN_SECONDS = 1.0  # that a token is not looked up again: so soon a revoked one is useless
LOOK_EVERY = 0.25  # seconds at least between two looks at what tokens there are
NOTE_AGAIN = 600.0  # seconds until the use of a token is tried to be noted again
MEGABYTE = 1_000_000  # bytes
AROUND = 2  # times the bytes of a body may come; what is cut in pieces has more around it
MINUTE = 60.0  # seconds
CLOSING_SECONDS = 3  # that requests may take when the server ends
LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
EVERYWHERE = ("0.0.0.0", "::")  # addresses by which nobody calls a server
REFUSALS = {
    421: "This server is not called by this name; --allow-host NAME at its start lets others in.",
    403: "Pages of this origin may not call it; --allow-origin ORIGIN at its start lets them.",
}
NO_TOKEN = (
    "This needs a valid token: none came, or one that is unknown or was revoked, or has ended. A "
    "person makes one with `knowwhy token add USER`."
)
NOT_CHECKED = (
    "The token cannot be checked: the home cannot be opened now; the server's log says why."
)
NO_METRICS = (
    "This token has no right to the measures; a person makes one with "
    "`knowwhy token add USER --may metrics`."
)
ONLY_METRICS = "This token has the right to read the measures and no other."
AT_ONCE = "{} requests of this token are open, as many as one may have; try again when one ended."
A_MINUTE = "This token has made {:,} requests within a minute, as many as one may; try again later."
IN_THE_CLEAR = (
    "there is no TLS, and whoever is on the way can read tokens and texts. Give --tls-cert and "
    "--tls-key, or say --behind-proxy where a proxy in front does TLS."
)
FEW_FILES = (
    "the system allows so few open files that there can be {} connections at once; raise "
    "`ulimit -n`, or set KNOWWHY_MAX_CONNECTIONS to that."
)
STOPPING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Ways:
    """How a server is reached: where, by which names, and what keeps tokens from others."""

    address: str
    hosts: Sequence[str] = ()
    origins: Sequence[str] = ()
    tls: tuple[Path, Path] | None = None  # the certificate and its key
    behind_proxy: bool = False  # which does TLS, and comes from one address for everybody


def serve_http(serving: Serving, ways: Ways, stopping: Callable[[], None] = lambda: None) -> None:
    """Serves at an address until a signal comes; of Ctrl-C it tells who called it."""
    host, port = read_address(ways.address)
    tls = tls_of(*ways.tls) if ways.tls is not None else None
    serving.warm.start()
    is_public = not _is_loopback(host)
    if is_public and not _has_token(serving):
        raise BadInput(
            f"{host} can be reached from outside and there is no token yet. Make one with "
            "`knowwhy token add USER`, or serve at 127.0.0.1."
        )
    with _listening(host, port) as listener:
        bound = listener.getsockname()[1]
        shown = f"[{host}]" if ":" in host else host
        named = (*ways.hosts, *_own_names(host))
        door = Door(serving, _user_of, _rights_of)
        measures = Measures(serving)
        measures.watch()
        crowd = Crowd(_limits(serving.settings, ways), measures.refused)
        measures.counts(lambda: len(crowd))
        security = _security(named, ways.origins, bound)
        tokens = Tokens(serving)
        app = application(door, tokens, security, measures, is_public=is_public)
        for warning in _warnings(crowd.limits, serving.settings, ways, is_public=is_public):
            sys.stderr.write(f"warning: {warning}\n")
        scheme = "http" if tls is None else "https"
        sys.stderr.write(f"knowwhy serves at {scheme}://{shown}:{bound}{PATH}\n")
        if is_public:
            names = ", ".join(named)
            sys.stderr.write(f"It may be called {names}; --allow-host NAME adds a name.\n")
        sys.stderr.flush()
        try:
            # uvloop gives a client up that is kept waiting before it has shaken hands
            run = uvloop.run if tls is None else asyncio.run
            run(_serve(app, listener, crowd, tls, stopping))
        finally:
            door.close()
            tokens.close()


def _warnings(limits: Limits, settings: Settings, ways: Ways, *, is_public: bool) -> Iterator[str]:
    if is_public and ways.tls is None and not ways.behind_proxy:
        yield IN_THE_CLEAR
    if limits.in_all < settings.max_connections:
        yield FEW_FILES.format(limits.in_all)


def _limits(settings: Settings, ways: Ways) -> Limits:
    in_all = files_for(settings.max_connections)
    of_address = in_all if ways.behind_proxy else min(in_all, settings.max_address_connections)
    return Limits(
        in_all,
        of_address,
        AROUND * settings.max_body_mb * MEGABYTE,
        settings.header_seconds,
        settings.body_seconds,
    )


def tls_of(certificate: Path, key: Path) -> ssl.SSLContext:
    """Reads what a server proves itself with; says which file is wrong, and how."""
    for option, file in (("--tls-cert", certificate), ("--tls-key", key)):
        try:
            file.open("rb").close()
        except OSError as error:
            raise BadInput(f"{option} {file} cannot be read: {error.strerror}.") from None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        context.load_cert_chain(certificate, key, password=_no_password)
    except ssl.SSLError as error:
        if error.reason == "KEY_VALUES_MISMATCH":
            why = f"{key} is not the key of the certificate {certificate}."
        else:
            why = f"{certificate} must be a certificate in PEM, and {key} its key in PEM."
        raise BadInput(why) from None
    return context


def _no_password() -> str:
    raise BadInput("The file of --tls-key asks for a password; give a key without one.")


def read_address(address: str) -> tuple[str, int]:
    """Reads HOST:PORT; a port alone is on this machine only."""
    host, colon, port = address.rpartition(":")
    host = host.strip("[]") or "127.0.0.1"
    if not port.isdecimal() or int(port) > 65_535 or (colon and not host):
        raise BadInput(f"{address[:60]!r} is no address; write 127.0.0.1:8642.")
    return host, int(port)


def application(
    door: Door,
    tokens: "Tokens",
    security: TransportSecuritySettings,
    measures: Measures,
    *,
    is_public: bool,
) -> "Gate":
    """Puts the checks before the server: host and origin, then the token and what it may do."""
    settings = door.serving.settings
    most = settings.max_body_mb * MEGABYTE
    manager = StreamableHTTPSessionManager(
        door.server, security_settings=security, max_request_body_size=most
    )
    calls = AuthContextMiddleware(Readable(StreamableHTTPASGIApp(manager), most))
    return Gate(
        {PATH: calls, METRICS: _metrics(measures)},
        Starlette(lifespan=lambda app: manager.run()),
        Checks(tokens, Shares(settings.calls_at_once, settings.calls_a_minute), measures.refused),
        security,
        is_public=is_public,
    )


def _metrics(measures: Measures) -> Any:
    """Gives the page that Prometheus reads."""

    async def page(scope: Any, receive: Any, send: Any) -> None:
        accept = Request(scope).headers.get("accept", "")
        text, kind = await asyncio.to_thread(measures.page, accept)
        told = Response(text, headers={"content-type": kind, "cache-control": "no-store"})
        await told(scope, receive, send)

    return page


def _is_from_here(request: Request) -> bool:
    """Tells whether a program of this machine asks without a token, and for nobody elsewhere."""
    if "authorization" in request.headers or any(n.startswith(FORWARDED) for n in request.headers):
        return False
    name = (request.headers.get("host") or "").casefold()
    is_named = name in LOOPBACK or name.rpartition(":")[0] in LOOPBACK
    return is_named and request.client is not None and _is_loopback(request.client.host)


class Tokens:
    """Knows whose every valid token is, so that no other one costs a look at the tables.

    Whether one was made or revoked is asked for all that wait together, and only so often.
    """

    def __init__(self, serving: Serving) -> None:
        self._serving = serving
        self._found: Mapping[str, Bearer] = {}  # by the hashes of their secrets
        self._version: object = None  # of the table that they were read from
        self._began = self._looked = -math.inf  # the last look, and the last that succeeded
        self._looking: asyncio.Task[None] | None = None
        self._noted: dict[str, float] = {}  # when the use of a token was noted here
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="tokens")

    def close(self) -> None:
        """Looks no more."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    async def bearer(self, token: str) -> "Bearer | None":
        """Gives what a token stands for, if it holds now; one that nobody knows is looked for."""
        came = time.monotonic()
        found = self._known(token)
        if found is None and self._version is not None and not _may_be_one(token):
            return None
        if found is None or self._looked < came - KNOWN_SECONDS:
            await self._look(came)
            found = self._known(token)
        now = datetime.now(UTC)
        if found is None or not found.holds(now):
            return None
        if found.is_to_be_noted(now) and self._noted.get(found.key, -math.inf) < came - NOTE_AGAIN:
            self._noted[found.key] = came
            threading.Thread(target=_note, args=(found.key, now), daemon=True).start()
        return found

    def _known(self, token: str) -> "Bearer | None":
        if self._version is None:
            return None
        from knowwhy.tables.agents import bearers

        return self._found.get(bearers.digest(token))

    async def _look(self, since: float) -> None:
        """Waits for a look at the tables that began after a moment."""
        while self._looked < since:
            if self._looking is None or self._looking.done():
                self._looking = asyncio.create_task(self._look_once())
                self._looking.add_done_callback(_looked_at)
            await asyncio.shield(self._looking)

    async def _look_once(self) -> None:
        await asyncio.sleep(max(0.0, self._began + LOOK_EVERY - time.monotonic()))
        began = self._began = time.monotonic()
        await asyncio.get_running_loop().run_in_executor(self._pool, self._read)
        self._looked = began

    def _read(self) -> None:
        from knowwhy.mcp.warm import opened

        opened(self._serving.warm)
        from knowwhy.tables.agents import bearers

        version = bearers.version()
        if version != self._version:
            self._found, self._version = bearers.by_digest(), version


def _may_be_one(token: str) -> bool:
    from knowwhy.tables.agents import bearers

    return bearers.may_be_one(token)


def _looked_at(looking: "asyncio.Task[None]") -> None:
    """Looks at how a look ended, though nobody may wait for it any more."""
    if not looking.cancelled():
        looking.exception()


def _note(key: str, now: datetime) -> None:
    """Notes beside the answer that a token was used."""
    from knowwhy.tables.agents import bearers

    try:
        bearers.note_use(key, now)
    except Error as error:
        logger.info("the use of a token was not noted: %s", error)


class Shares:
    """What one token may use of the server, so that something is left for the others."""

    def __init__(self, at_once: int, a_minute: int) -> None:
        self._at_once = at_once
        self._a_minute = a_minute
        self._open: Counter[str] = Counter()
        self._minutes: dict[str, tuple[float, int]] = {}  # when a minute began, and its requests

    def enter(self, key: str) -> tuple[str, float] | None:
        """Lets a request in, or tells why not and when to come again."""
        now = time.monotonic()
        began, made = self._minutes.get(key, (-math.inf, 0))
        if now - began >= MINUTE:
            began, made = now, 0
        if made >= self._a_minute:
            return A_MINUTE.format(self._a_minute), began + MINUTE - now
        if self._open[key] >= self._at_once:
            return AT_ONCE.format(self._at_once), 1.0
        self._minutes[key] = began, made + 1
        self._open[key] += 1
        return None

    def leave(self, key: str) -> None:
        """Counts a request that has been answered."""
        self._open[key] -= 1
        if not self._open[key]:
            del self._open[key]


@dataclass(frozen=True, slots=True)
class Checks:
    """What a request with a token is held to, and who is told of what was refused."""

    tokens: Tokens
    shares: Shares
    refused: Callable[[str], None]


class Gate:
    """Lets in who may call and tells all others why not, as early and cheaply as can be."""

    def __init__(
        self,
        pages: Mapping[str, Any],
        other: Any,
        checks: Checks,
        security: TransportSecuritySettings,
        *,
        is_public: bool,
    ) -> None:
        self._pages = pages
        self._other = other
        self._checks = checks
        self._names = TransportSecurityMiddleware(security)
        self._is_public = is_public

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await self._other(scope, receive, send)
            return
        scope["headers"] = [_lowered(*header) for header in scope["headers"]]
        path = scope["path"].rstrip("/")
        if path == HEALTH:  # a balancer calls it by address and has no token
            await _alive(scope["method"])(scope, receive, send)
            return
        request = Request(scope)
        refused = await self._names.validate_request(request)
        if refused is not None and refused.status_code in REFUSALS:
            refused = JSONResponse({"error": REFUSALS[refused.status_code]}, refused.status_code)
        if refused is not None or path not in self._pages:
            await (refused or self._other)(scope, receive, send)
        elif path == METRICS and not self._is_public and _is_from_here(request):
            await self._pages[path](scope, receive, send)
        else:
            await self._with_token(path, request, receive, send)

    async def _with_token(self, path: str, request: Request, receive: Any, send: Any) -> None:
        scope, checks, given = request.scope, self._checks, _token_of(request)
        try:
            bearer = await checks.tokens.bearer(given) if given else None
        except Error as error:
            logger.warning("a token cannot be checked: %s", error)
            unchecked = JSONResponse({"error": NOT_CHECKED}, 503, {"retry-after": "1"})
            await unchecked(scope, receive, send)
            return
        connection = scope.get("state", {}).get("connection")
        if bearer is None:
            checks.refused("token")
            at_once = scope["method"] == "POST" and connection is not None
            if not (at_once and connection.answer(scope, UNKNOWN[path])):
                await _told(path, 401, NO_TOKEN, INVALID)(scope, receive, send)
            return
        if connection is not None:
            connection.is_known = True
        if lacking := _lacking(path, bearer.rights):
            checks.refused("right")
            await _told(path, 403, lacking)(scope, receive, send)
            return
        if full := checks.shares.enter(bearer.key):
            checks.refused("calls")
            wait = {"retry-after": str(math.ceil(full[1]))}
            await _told(path, 429, full[0], wait)(scope, receive, send)
            return
        user, rights = bearer.user_id, list(bearer.rights)
        token = AccessToken(token="", client_id=user, scopes=rights, subject=user)
        scope.update(user=AuthenticatedUser(token), auth=AuthCredentials(rights))
        try:
            await self._pages[path](scope, receive, send)
        finally:
            checks.shares.leave(bearer.key)


def _alive(method: str) -> Response:
    if method not in ("GET", "HEAD"):
        return JSONResponse({"error": "This page is read."}, 405, {"allow": "GET, HEAD"})
    return JSONResponse({"status": "ok"}, headers={"cache-control": "no-store"})


def _token_of(request: Request) -> str:
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    return token if kind.lower() == "bearer" else ""


def _lacking(path: str, rights: Sequence[str]) -> str | None:
    """Says what right a token lacks for a page."""
    if path == METRICS:
        return None if MAY_READ_METRICS in rights else NO_METRICS
    return None if set(rights) & set(COLLEAGUE) else ONLY_METRICS


def _told(path: str, status: int, why: str, headers: Mapping[str, str] | None = None) -> Response:
    """Tells why not, where calls come as their clients can show it.

    A client of the protocol reads an error of the protocol, not one of OAuth.
    """
    return JSONResponse(_body(path, why), status, headers)


def _body(path: str, why: str) -> dict[str, Any]:
    if path != PATH:
        return {"error": why}
    error = {"code": types.INVALID_REQUEST, "message": why}
    return {"jsonrpc": "2.0", "id": None, "error": error}


INVALID = {"www-authenticate": 'Bearer error="invalid_token"'}
# what strangers are told, whose every request would cost as much to answer as to read
UNKNOWN = {path: written(401, _body(path, NO_TOKEN), INVALID) for path in (PATH, METRICS)}


def _lowered(name: bytes, value: bytes) -> tuple[bytes, bytes]:
    """Gives a header; names of hosts are the same in capitals."""
    return name, value.lower() if name in (b"host", b"origin") else value


def _user_of(ctx: Context) -> str:
    user = ctx.request.scope.get("user") if ctx.request is not None else None
    if not isinstance(user, AuthenticatedUser):
        raise BadInput("This request has no token.")
    return str(user.access_token.client_id)


def _rights_of(ctx: Context) -> frozenset[str]:
    user = ctx.request.scope.get("user") if ctx.request is not None else None
    if not isinstance(user, AuthenticatedUser):
        raise BadInput("This request has no token.")
    return frozenset(user.scopes)


def _own_names(host: str) -> tuple[str, ...]:
    """Gives the names by which a server that listens at an address is called anyway."""
    if host in EVERYWHERE:
        return (*LOOPBACK, socket.gethostname())
    return LOOPBACK if _is_loopback(host) else (f"[{host}]" if ":" in host else host,)


def _security(hosts: Sequence[str], origins: Sequence[str], port: int) -> TransportSecuritySettings:
    """Lets in who calls this server by one of its names, and pages of those only."""
    named = [part for host in hosts for part in (host.lower(), f"{host.lower()}:{port}")]
    pages = [f"{scheme}://{name}" for name in named for scheme in ("http", "https")]
    return TransportSecuritySettings(
        enable_dns_rebinding_protection=True,
        allowed_hosts=named,
        allowed_origins=[*pages, *(origin.lower() for origin in origins)],
    )


def _has_token(serving: Serving) -> bool:
    from knowwhy.mcp.warm import opened

    opened(serving.warm)
    from knowwhy.tables.agents import bearers

    now = datetime.now(UTC)
    return any(bearer.holds(now) for bearer in bearers.bearers())


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@contextlib.contextmanager
def _listening(host: str, port: int) -> Iterator[socket.socket]:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listener = socket.create_server((host, port), family=family)
    except OSError as error:
        raise BadInput(f"{host}:{port} cannot be served: {error.strerror}.") from None
    with listener:
        yield listener


class _Server(uvicorn.Server):
    """One whose signals are ours."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leaves the signals to us: there is more to end than this."""
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Lets the system keep more that wait than are taken at once."""
        await super().startup(sockets)
        for listener in sockets or ():
            listener.listen(BACKLOG)


async def _serve(
    app: Gate,
    listener: socket.socket,
    crowd: Crowd,
    tls: ssl.SSLContext | None,
    stopping: Callable[[], None],
) -> None:
    protocol = partial(Connection, crowd) if tls is None else partial(Arriving, crowd, tls)
    config = uvicorn.Config(
        app,
        http=protocol,  # type: ignore[arg-type]  # called as a class is
        ws="none",
        proxy_headers=False,  # nothing here believes them
        log_config=None,
        log_level="error",  # what is wrong with requests is counted, not written for each
        access_log=False,
        server_header=False,
        backlog=ACCEPTED_AT_ONCE,
        timeout_graceful_shutdown=CLOSING_SECONDS,
    )
    server = _Server(config)

    def stop(number: int) -> None:
        server.should_exit = True
        if number == signal.SIGINT:
            stopping()

    loop = asyncio.get_running_loop()
    for number in STOPPING:
        loop.add_signal_handler(number, stop, number)
    await server.serve(sockets=[listener])
