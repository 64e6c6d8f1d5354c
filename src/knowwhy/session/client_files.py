"""The assistants that can be connected, and how each wants to be told of a server."""

import json
import os
import re
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

from knowwhy.errors import BadInput, NotFound
from knowwhy.session.shared_files import FILE, make_folder, mode_in, write_whole
from knowwhy.text.formats.jsonc import put, read_jsonc
from knowwhy.text.formats.toml_tables import put_table, read_toml
from knowwhy.text.nearest import did_you_mean
from knowwhy.types import Json

NAME = "knowwhy"  # of the server in every file
MOST_BYTES = 5_000_000  # of a configuration; a larger one is something else
# What says how a server is reached: of one that is started here, and of one that runs elsewhere.
STARTED = frozenset({"command", "args", "env", "environment", "env_vars", "cwd"})
URLS = frozenset({"url", "serverUrl", "httpUrl"})
HEADERS = ("headers", "http_headers", "env_http_headers")
BEARER = "bearer_token_env_var"
SECRET = frozenset({"authorization"})  # headers that are for one server only
OWN_WORDS = ("--repo", "--http")  # options of `serve` whose value an entry that we write decides
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_LOCAL_HOSTS = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True, slots=True)
class Way:
    """How a server is reached: started here, or called over HTTP with a token."""

    command: tuple[str, ...] = ()
    environment: Mapping[str, str] | None = None
    url: str | None = None
    token_env: str | None = None  # the variable that holds the token


@dataclass(frozen=True, slots=True)
class Client:
    """An assistant."""

    name: str
    title: str
    project: tuple[str, ...]  # its files in a project, of which the first that exists counts
    user: tuple[str, ...]  # its files in the user's home
    keys: tuple[str, ...]  # where in a file servers stand
    entry: Callable[[Way, str | None], dict[str, Json]]
    token: str | None  # how a variable is written; None where none can be
    adds: str | None = None  # its own command that adds a server
    folder: str | None = None  # what it puts in for the folder of a project
    has_http: bool = True
    in_project: bool = False  # whether it starts a user's servers in the folder that is worked in


def _plain(
    way: Way, bearer: str | None, *, url: str = "url", typed: bool = True
) -> dict[str, Json]:
    """Writes an entry as most clients read it."""
    if way.url is not None:
        kind: dict[str, Json] = {"type": "http"} if typed else {}
        return kind | {url: way.url} | _headers(bearer)
    kind = {"type": "stdio"} if typed else {}
    env: dict[str, Json] = {"env": dict(way.environment)} if way.environment else {}
    return kind | {"command": way.command[0], "args": list(way.command[1:])} | env


def _opencode(way: Way, bearer: str | None) -> dict[str, Json]:
    if way.url is not None:
        return {"type": "remote", "url": way.url} | _headers(bearer)
    env: dict[str, Json] = {"environment": dict(way.environment)} if way.environment else {}
    return {"type": "local", "command": list(way.command)} | env


def _codex(way: Way, bearer: str | None) -> dict[str, Json]:
    if way.url is not None:
        return {"url": way.url} | ({"bearer_token_env_var": way.token_env} if bearer else {})
    return _plain(way, bearer, typed=False)


def _headers(bearer: str | None) -> dict[str, Json]:
    return {"headers": {"Authorization": f"Bearer {bearer}"}} if bearer else {}


_MAC = sys.platform == "darwin"
_APPLICATIONS = "Library/Application Support" if _MAC else ".config"
CLIENTS = {
    client.name: client
    for client in (
        Client(
            "claude-code", "Claude Code", (".mcp.json",), (".claude.json",), ("mcpServers",),
            _plain, "${NAME}", "claude mcp add", in_project=True,
        ),
        Client(
            "claude-desktop", "Claude Desktop", (),
            (f"{_APPLICATIONS}/Claude/claude_desktop_config.json",), ("mcpServers",),
            partial(_plain, typed=False), None, has_http=False,
        ),
        Client(
            "cursor", "Cursor", (".cursor/mcp.json",), (".cursor/mcp.json",), ("mcpServers",),
            partial(_plain, typed=False), "${env:NAME}", folder="${workspaceFolder}",
        ),
        Client(
            "vscode", "VS Code", (".vscode/mcp.json",), (f"{_APPLICATIONS}/Code/User/mcp.json",),
            ("servers",), _plain, "${env:NAME}", "code --add-mcp", folder="${workspaceFolder}",
        ),
        Client(
            "codex", "Codex", (".codex/config.toml",), (".codex/config.toml",), ("mcp_servers",),
            _codex, "NAME", "codex mcp add", in_project=True,
        ),
        Client(
            "gemini", "Gemini CLI", (".gemini/settings.json",), (".gemini/settings.json",),
            ("mcpServers",), partial(_plain, url="httpUrl", typed=False), "${NAME}",
            "gemini mcp add", in_project=True,
        ),
        Client(
            "windsurf", "Windsurf", (), (".codeium/windsurf/mcp_config.json",), ("mcpServers",),
            partial(_plain, url="serverUrl", typed=False), "${env:NAME}",
        ),
        Client(
            "zed", "Zed", (), (".config/zed/settings.json",), ("context_servers",),
            partial(_plain, typed=False), None,
        ),
        Client(
            "opencode", "OpenCode", ("opencode.json", "opencode.jsonc"),
            (".config/opencode/opencode.json", ".config/opencode/opencode.jsonc"),
            ("mcp",), _opencode, "{env:NAME}", in_project=True,
        ),
    )
}  # fmt: skip


# What each asks once its file is there: of a project's file, and of the user's own.
NEXT = {
    "claude-code": (
        "Start a new session in the project; it asks once whether you approve the server. Later "
        "/mcp shows it and takes the approval.",
        "Start a new session; /mcp shows the server.",
    ),
    "claude-desktop": ("", "Quit Claude Desktop and start it again; it reads the file then only."),
    "cursor": (
        "Open the project; Cursor asks before it starts a server that is new there. Its settings "
        "for MCP show whether it is on.",
        "Restart Cursor; its settings for MCP show whether the server is on.",
    ),
    "vscode": (
        "Open the project; VS Code asks whether you trust the server when it first starts it. "
        "MCP: List Servers in the command palette starts it.",
        "MCP: List Servers in the command palette starts it; VS Code asks whether you trust it.",
    ),
    "codex": (
        "Start codex in the project and trust the folder: in others its file is not read. /mcp "
        "shows the server.",
        "Start codex again; /mcp shows the server.",
    ),
    "gemini": (
        "Start gemini in the project; where folders have to be trusted it asks. /mcp shows the "
        "server.",
        "Start gemini again; /mcp shows the server.",
    ),
    "windsurf": ("", "Reload the servers in the settings of Cascade, or restart Windsurf."),
    "zed": ("", "Zed starts it at once; the settings of the agent panel show whether it runs."),
    "opencode": (
        "Start opencode again in the project; `opencode mcp list` shows the server.",
        "Start opencode again; `opencode mcp list` shows the server.",
    ),
}


def client(name: str) -> Client:
    """Finds a client by its name."""
    if name not in CLIENTS:
        there = f"there are {', '.join(CLIENTS)}"
        said = did_you_mean(name, CLIENTS) or "."
        raise NotFound(f"No client is called {name[:40]!r}; {there}{said}")
    return CLIENTS[name]


def asks_next(to: Client, *, is_user: bool) -> str:
    """Says what a client wants before it uses the server that was put into its file."""
    of_project, of_user = NEXT[to.name]
    return of_user if is_user else of_project


def served(command: Sequence[str], environment: Mapping[str, str], repo: str | None) -> Way:
    """Gives the way to a server that the client starts itself."""
    words = [*command, "serve", *(("--repo", repo) if repo else ())]
    return Way(command=tuple(words), environment=environment)


def shared(url: str, token_env: str | None) -> Way:
    """Gives the way to a server that runs elsewhere."""
    try:
        parts = urlsplit(url)
        is_good = parts.scheme in ("http", "https") and bool(parts.hostname) and "@" not in url
    except ValueError:
        is_good = False
    if not is_good:
        raise BadInput("--http takes a URL like https://host:port/mcp, without user and password.")
    if token_env is not None and not _VARIABLE.fullmatch(token_env):
        raise BadInput("--token-env takes the name of a variable that holds the token, not itself.")
    return Way(url=url, token_env=token_env)


def is_open(way: Way) -> bool:
    """Tells whether a token would travel so that others on the way can read it."""
    parts = urlsplit(way.url or "")
    return bool(way.token_env) and parts.scheme == "http" and parts.hostname not in _LOCAL_HOSTS


def entry(to: Client, way: Way) -> dict[str, Json]:
    """Gives what a client's file says of the server."""
    if way.url is not None and not to.has_http:
        raise BadInput(
            f"{to.title} starts only local servers from its file; add a remote one in its settings."
        )
    bearer = None
    if way.token_env:
        bearer = to.token.replace("NAME", way.token_env) if to.token else "<the token>"
    return to.entry(way, bearer)


def file_of(to: Client, project: Path, home: Path, *, is_user: bool) -> Path:
    """Finds the file of a client: the project's, where it has one, else the user's."""
    base, names = (home, to.user) if is_user or not to.project else (project, to.project)
    files = [base / name for name in names]
    return next((file for file in files if file.exists()), files[0])


def written(to: Client, text: str, ours: Mapping[str, Json], file: Path) -> str:
    """Gives a file with the server in it; what else stands in it and in the entry stays."""
    is_toml = file.suffix == ".toml"
    try:
        held: Json = read_toml(text) if is_toml else read_jsonc(text)
        path = (*_keys(to, held), NAME)
        for key in path:
            held = held.get(key, {}) if isinstance(held, dict) else {}
        fresh = joined(held, ours) if isinstance(held, dict) else dict(ours)
        if fresh == held:
            return text
        return put_table(text, path, fresh) if is_toml else put(text, path, fresh)
    except BadInput as error:
        raise BadInput(f"{file} stays as it is: {error}.") from None


def _keys(to: Client, held: Json) -> tuple[str, ...]:
    """Finds where a file has its servers: OpenCode 2 may have them one level below those of 1."""
    servers = held.get("mcp") if isinstance(held, dict) and to.name == "opencode" else None
    inner = servers.get("servers") if isinstance(servers, dict) else None
    is_inner = isinstance(inner, dict) and not isinstance(inner.get("type"), str)
    return (*to.keys, "servers") if is_inner else to.keys


def joined(held: Mapping[str, Json], ours: Mapping[str, Json]) -> dict[str, Json]:
    """Gives our entry with what somebody has added to it and what does not contradict it."""
    is_started = "command" in ours
    gone = {*URLS, *HEADERS, BEARER, "type", "args"} | (frozenset() if is_started else STARTED)
    fresh: dict[str, Json] = {k: v for k, v in held.items() if k not in gone} | dict(ours)
    if not is_started:
        return fresh | _with_headers(held, ours)
    for name in ("env", "environment"):
        if isinstance(held.get(name), dict):
            fresh[name] = {**held[name], **ours.get(name, {})}
    return fresh | _with_words(held, ours)


def _with_words(held: Mapping[str, Json], ours: Mapping[str, Json]) -> dict[str, Json]:
    """Gives our command with the words that somebody has put behind `serve`."""
    mine, added = _words(ours), _words(held)
    words = [*mine, *_others(added[added.index("serve") + 1 :], mine)] if "serve" in added else mine
    if isinstance(ours["command"], list):
        return {"command": words}
    return {"command": words[0], "args": words[1:]}


def _words(entry: Mapping[str, Json]) -> list[str]:
    command, rest = entry.get("command"), entry.get("args")
    head = command if isinstance(command, list) else [command]
    return [str(word) for word in (*head, *(rest if isinstance(rest, list) else []))]


def _others(words: Sequence[str], ours: Sequence[str]) -> list[str]:
    """Leaves out the options that are decided here, each with its value."""
    decided = [option for option in OWN_WORDS if option in ours or option != "--repo"]
    left = iter(words)
    kept = []
    for word in left:
        if word in decided:
            next(left, None)
        elif not word.startswith(tuple(f"{option}=" for option in decided)):
            kept.append(word)
    return kept


def _with_headers(held: Mapping[str, Json], ours: Mapping[str, Json]) -> dict[str, Json]:
    """Gives our headers with those that somebody has added; a token stays with its server."""
    is_same = all(held.get(name) == url for name, url in ours.items() if name in URLS)
    told = {name.casefold() for name in ours.get("headers", {})}
    replaced = told if is_same else told | SECRET
    fresh: dict[str, Json] = {}
    for name in HEADERS:
        old = held.get(name)
        items = old.items() if isinstance(old, dict) else ()
        kept = {k: v for k, v in items if k.casefold() not in replaced}
        fresh[name] = {**kept, **ours.get(name, {})}
    if is_same and BEARER in held and BEARER not in ours:
        fresh[BEARER] = held[BEARER]
    return {name: value for name, value in fresh.items() if value}


def write(to: Client, way: Way, file: Path) -> bool:
    """Puts the server into a client's file; tells whether that changed anything."""
    if way.token_env and to.token is None:
        raise BadInput(
            f"{to.title} reads no variables in its file, so the token would have to stand in it; "
            "put the entry in by hand."
        )
    place = Path(os.path.realpath(file))
    before = _read(place)
    fresh = written(to, before, entry(to, way), file)
    if fresh == before and place.exists():
        return False
    try:
        make_folder(place.parent)
        is_there = place.exists()
        mode = place.stat().st_mode & 0o777 if is_there else mode_in(place.parent, FILE)
        write_whole(place, fresh.encode(), mode)
    except OSError as error:
        raise BadInput(f"{file} cannot be written: {error.strerror}.") from None
    return True


def _read(file: Path) -> str:
    try:
        if file.stat().st_size > MOST_BYTES:
            raise BadInput(f"{file} is too large for a configuration; it stays as it is.")
        return file.read_bytes().decode()
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError:
        raise BadInput(f"{file} is not in UTF-8; it stays as it is.") from None
    except OSError as error:
        raise BadInput(f"{file} cannot be read: {error.strerror}.") from None


def pasted(to: Client, way: Way, *, is_user: bool) -> str | None:
    """Gives the client's own command that adds the server, where it has one."""
    if to.adds is None:
        return None
    told = entry(to, way)
    adds = to.adds.split()
    if to.name == "vscode":
        return shlex.join([*adds, json.dumps({"name": NAME, **told})])
    variables = [f"--env={name}={value}" for name, value in (way.environment or {}).items()]
    if to.name == "codex":
        token = ["--bearer-token-env-var", way.token_env] if way.token_env else []
        there = ["--url", way.url, *token] if way.url else [*variables, "--", *way.command]
        return shlex.join([*adds, NAME, *there])
    bearer = told.get("headers", {}).get("Authorization")
    header = [f"--header=Authorization: {bearer}"] if bearer else []
    scope = f"--scope={'user' if is_user else 'project'}"
    if way.url:
        return shlex.join([*adds, *header, "--transport=http", scope, NAME, way.url])
    dashes = ["--"] if to.name == "claude-code" else []
    return shlex.join([*adds, *variables, scope, NAME, *dashes, *way.command])
