"""Serves many clients over HTTP: each request says by its token whose it is."""

import asyncio
import contextlib
import ipaddress
import logging
import signal
import socket
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from typing import Any

import mcp_types as types
import uvicorn
from mcp.server.auth.middleware.auth_context import AuthContextMiddleware
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser, BearerAuthBackend
from mcp.server.auth.provider import AccessToken
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecurityMiddleware, TransportSecuritySettings
from starlette.applications import Starlette
from starlette.authentication import AuthenticationError
from starlette.middleware import Middleware
from starlette.middleware.authentication import AuthenticationMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from knowwhy.errors import BadInput, Error
from knowwhy.mcp.bodies import Readable
from knowwhy.mcp.caller import Serving
from knowwhy.mcp.measures import Measures
from knowwhy.mcp.server import Context, Door

PATH = "/mcp"
METRICS = "/metrics"
FORWARDED = ("forwarded", "via", "x-forwarded-", "x-real-ip")  # headers that a proxy adds begin so
KNOWN_SECONDS = 1.0  # that a token is not looked up again: so soon a revoked one is useless
MOST_KNOWN = 1_000  # tokens remembered so
MOST_BODY = 4_000_000  # bytes of a request; a larger text is a file to ingest
CLOSING_SECONDS = 3  # that requests may take when the server ends
LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
EVERYWHERE = ("0.0.0.0", "::")  # addresses by which nobody calls a server
REFUSALS = {
    421: "This server is not called by this name; --allow-host NAME at its start lets others in.",
    403: "Pages of this origin may not call it; --allow-origin ORIGIN at its start lets them.",
}
NO_TOKEN = (
    "This needs a valid token: none came, or one that is unknown or was revoked. A person makes "
    "one with `knowwhy token add USER`."
)
STOPPING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)

logger = logging.getLogger(__name__)


def serve_http(
    serving: Serving, address: str, hosts: Sequence[str], origins: Sequence[str]
) -> None:
    """Serves at an address until a signal comes."""
    host, port = read_address(address)
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
        named = (*hosts, *_own_names(host))
        door = Door(serving, _user_of)
        measures = Measures(serving)
        measures.watch()
        security = _security(named, origins, bound)
        app = application(door, Tokens(serving), security, measures, is_public=is_public)
        sys.stderr.write(f"knowwhy serves at http://{shown}:{bound}{PATH}\n")
        if is_public:
            names = ", ".join(named)
            sys.stderr.write(f"It may be called {names}; --allow-host NAME adds a name.\n")
        sys.stderr.flush()
        try:
            asyncio.run(_serve(app, listener))
        finally:
            door.close()


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
) -> Starlette:
    """Puts the checks before the server: host and origin, then the token."""
    manager = StreamableHTTPSessionManager(
        door.server, security_settings=security, max_request_body_size=MOST_BODY
    )
    inside = _Known(Readable(StreamableHTTPASGIApp(manager), MOST_BODY))
    page = _metrics(measures, is_public=is_public)
    return Starlette(
        routes=[Route(PATH, endpoint=inside), Route(METRICS, endpoint=page)],
        middleware=[
            Middleware(_Guarded, security=security),
            Middleware(
                AuthenticationMiddleware, backend=BearerAuthBackend(tokens), on_error=_unchecked
            ),
            Middleware(AuthContextMiddleware),
        ],
        lifespan=lambda app: manager.run(),
    )


def _metrics(measures: Measures, *, is_public: bool) -> Any:
    """Gives the page that Prometheus reads: for any token, and for this machine without one."""

    async def page(request: Request) -> Response:
        is_open = not is_public and _is_from_here(request)
        if not is_open and not isinstance(request.user, AuthenticatedUser):
            told = {"error": "This needs a token of `knowwhy token add USER`."}
            return JSONResponse(told, 401, {"www-authenticate": "Bearer"})
        text, kind = await asyncio.to_thread(measures.page, request.headers.get("accept", ""))
        return Response(text, headers={"content-type": kind, "cache-control": "no-store"})

    return page


def _is_from_here(request: Request) -> bool:
    """Tells whether a program of this machine asks without a token, and for nobody elsewhere."""
    if "authorization" in request.headers or any(n.startswith(FORWARDED) for n in request.headers):
        return False
    name = (request.headers.get("host") or "").casefold()
    is_named = name in LOOPBACK or name.rpartition(":")[0] in LOOPBACK
    return is_named and request.client is not None and _is_loopback(request.client.host)


class Tokens:
    """Looks up whose a token is."""

    def __init__(self, serving: Serving) -> None:
        self._serving = serving
        self._known: dict[str, tuple[float, str]] = {}
        self._lock = threading.Lock()

    async def verify_token(self, token: str) -> AccessToken | None:
        """Gives the user of a valid token as the client of the request."""
        user = self._remembered(token)
        if user is None:
            try:
                user = await asyncio.to_thread(self._look_up, token)
            except Error as error:
                logger.warning("a token cannot be checked: %s", error)
                raise AuthenticationError from error
        if user is None:
            return None
        return AccessToken(token="", client_id=user, scopes=[], subject=user)

    def _remembered(self, token: str) -> str | None:
        with self._lock:
            until, user = self._known.get(token, (0.0, ""))
        return user if until > time.monotonic() else None

    def _look_up(self, token: str) -> str | None:
        from knowwhy.mcp.warm import opened

        opened(self._serving.warm)
        from knowwhy.tables.agents import bearers

        user = bearers.user_of(token)
        with self._lock:
            if len(self._known) >= MOST_KNOWN:
                self._known.clear()
            if user is not None:
                self._known[token] = time.monotonic() + KNOWN_SECONDS, user
        return user


def _unchecked(connection: Any, error: AuthenticationError) -> Response:
    """Tells who came with a token that the fault is not theirs."""
    said = "The token cannot be checked: the home cannot be opened now; the server's log says why."
    return JSONResponse({"error": said}, 503)


class _Known:
    """Lets in who came with a valid token; others are told why not, as their clients can show it.

    A client of the protocol reads an error of the protocol, not one of OAuth.
    """

    def __init__(self, app: Any) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if isinstance(scope.get("user"), AuthenticatedUser):
            await self._app(scope, receive, send)
            return
        error = {"code": types.INVALID_REQUEST, "message": NO_TOKEN}
        body = {"jsonrpc": "2.0", "id": None, "error": error}
        refused = JSONResponse(body, 401, {"www-authenticate": 'Bearer error="invalid_token"'})
        await refused(scope, receive, send)


class _Guarded:
    """Checks host and origin before anything looks at the token."""

    def __init__(self, app: Any, security: TransportSecuritySettings) -> None:
        self._app = app
        self._check = TransportSecurityMiddleware(security)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        scope = {**scope, "headers": [_lowered(*header) for header in scope["headers"]]}
        refused = await self._check.validate_request(Request(scope, receive))
        if refused is not None and refused.status_code in REFUSALS:
            told = {"error": REFUSALS[refused.status_code]}
            refused = JSONResponse(told, refused.status_code)
        await (refused or self._app)(scope, receive, send)


def _lowered(name: bytes, value: bytes) -> tuple[bytes, bytes]:
    """Gives a header; names of hosts are the same in capitals."""
    return name, value.lower() if name in (b"host", b"origin") else value


def _user_of(ctx: Context) -> str:
    user = ctx.request.scope.get("user") if ctx.request is not None else None
    if not isinstance(user, AuthenticatedUser):
        raise BadInput("This request has no token.")
    return str(user.access_token.client_id)


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

    return any(bearer.revoked_at is None for bearer in bearers.bearers())


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


async def _serve(app: Starlette, listener: socket.socket) -> None:
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=CLOSING_SECONDS,
    )
    server = _Server(config)

    def stop() -> None:
        server.should_exit = True

    loop = asyncio.get_running_loop()
    for number in STOPPING:
        loop.add_signal_handler(number, stop)
    await server.serve(sockets=[listener])
