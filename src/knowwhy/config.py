"""Settings: read once at a door, passed down as values."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Self, get_type_hints

from knowwhy.errors import BadInput

DEFAULT_EMBEDDER = "bge-small"  # of a new home, where none is set and its weights are there


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that can be set from outside."""

    home: Path = Path("~/.pixeltable")
    database: str | None = None
    embedder: str | None = None
    reranker: str = "ms-marco-minilm"
    extractor: str = "rules"
    extractor_model: str = "claude-haiku-4-5-20251001"
    judge: str = "rules"
    judge_model: str = "claude-sonnet-5"
    daily_dollars: float = 1.0
    cache: Path = Path("~/.cache/knowwhy")
    threads: int = 2
    max_file_mb: int = 10
    max_pending: int = 500
    max_agents: int = 1_000
    max_agent_sessions: int = 100
    max_pools: int = 200
    max_members: int = 100
    max_shared: int = 1_000
    max_handoffs: int = 50
    acts_a_minute: int = 600
    max_connections: int = 1_000
    max_address_connections: int = 200
    header_seconds: int = 10
    body_seconds: int = 30
    max_body_mb: int = 4
    calls_at_once: int = 32
    calls_a_minute: int = 3_000
    call_seconds: int = 660

    @classmethod
    def from_environ(cls, environ: Mapping[str, str] = os.environ) -> Self:
        """Reads the settings from environment variables, naming the one that has a bad value."""
        hints = get_type_hints(cls)
        given = {name: environ[about[0]] for name, about in ABOUT.items() if environ.get(about[0])}
        return cls(
            **{name: cast(ABOUT[name][0], text, hints[name]) for name, text in given.items()}
        )

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, Path):
                object.__setattr__(self, field.name, absolute(ABOUT[field.name][0], value))


# field: (variable, what it is for); docs/settings.md is made from this
ABOUT: dict[str, tuple[str, str]] = {
    "home": ("PIXELTABLE_HOME", "The Pixeltable home that holds the tables."),
    "database": (
        "PIXELTABLE_DB_CONNECT_STR",
        "A Postgres with pgvector to use instead of the embedded one: "
        "`postgresql+psycopg://user@host/database`.",
    ),
    "embedder": (
        "KNOWWHY_EMBEDDER",
        "What makes vectors: `bge-small`, `wordhash` (no weights), or, with `knowwhy[reference]`, "
        "`minilm`, a sentence-transformers folder or a hub id. A home keeps the one it was made "
        "with; a new home takes `bge-small`.",
    ),
    "reranker": (
        "KNOWWHY_RERANKER",
        "What orders the best candidates: `ms-marco-minilm`, `late-interaction`, `none`, a "
        "cross-encoder folder or a hub id.",
    ),
    "extractor": (
        "KNOWWHY_EXTRACTOR",
        "What reads facts out of texts: `rules`, or `anthropic`, which needs ANTHROPIC_API_KEY.",
    ),
    "extractor_model": (
        "KNOWWHY_EXTRACTOR_MODEL",
        "The model that `anthropic` asks; another one makes another version of the extractor.",
    ),
    "judge": (
        "KNOWWHY_JUDGE",
        "What decides in the night whether two memories that are alike say the same where rules "
        "cannot tell: `rules` (nobody: they are told and stay), or `anthropic`, which needs "
        "ANTHROPIC_API_KEY.",
    ),
    "judge_model": ("KNOWWHY_JUDGE_MODEL", "The reasoning model that `anthropic` asks then."),
    "daily_dollars": (
        "KNOWWHY_DAILY_DOLLARS",
        "What paid models may cost in a day, by UTC; then turns and pairs wait until the next one.",
    ),
    "cache": ("KNOWWHY_CACHE", "Where exported models are kept; can be removed at any time."),
    "threads": ("KNOWWHY_THREADS", "Threads that a model may use."),
    "max_file_mb": ("KNOWWHY_MAX_FILE_MB", "Larger files and lines are refused, in megabytes."),
    "max_pending": (
        "KNOWWHY_MAX_PENDING",
        "Claims of one user that may wait for review; with more, new ones are not taken until some "
        "have been judged, and none is pushed out.",
    ),
    "max_agents": ("KNOWWHY_MAX_AGENTS", "Active agents that one owner may have."),
    "max_agent_sessions": (
        "KNOWWHY_MAX_AGENT_SESSIONS",
        "Sessions that one agent may have open at once.",
    ),
    "max_pools": ("KNOWWHY_MAX_POOLS", "Open pools that the agents of one owner may have made."),
    "max_members": ("KNOWWHY_MAX_MEMBERS", "Agents that may be in one pool, or invited to it."),
    "max_shared": ("KNOWWHY_MAX_SHARED", "Memories that one pool may lend."),
    "max_handoffs": ("KNOWWHY_MAX_HANDOFFS", "Handoffs that may wait for one agent."),
    "acts_a_minute": (
        "KNOWWHY_ACTS_A_MINUTE",
        "What one agent may do or try with agents, pools and handoffs within a minute.",
    ),
    "max_connections": (
        "KNOWWHY_MAX_CONNECTIONS",
        "Connections over HTTP at once. Beyond them the oldest gives way that has shown no valid "
        "token, then the oldest that is idle; fewer where the system allows fewer open files.",
    ),
    "max_address_connections": (
        "KNOWWHY_MAX_ADDRESS_CONNECTIONS",
        "The same for one address; with `serve --behind-proxy` only those in all count.",
    ),
    "header_seconds": (
        "KNOWWHY_HEADER_SECONDS",
        "Seconds that a connection over HTTP may take until the head of a request is there.",
    ),
    "body_seconds": (
        "KNOWWHY_BODY_SECONDS",
        "Seconds that the body of a request may take after its head.",
    ),
    "max_body_mb": (
        "KNOWWHY_MAX_BODY_MB",
        "Megabytes of a request's body; a larger text is a file to take in.",
    ),
    "calls_at_once": (
        "KNOWWHY_CALLS_AT_ONCE",
        "Requests over HTTP, open streams too, that one token may have at once.",
    ),
    "calls_a_minute": (
        "KNOWWHY_CALLS_A_MINUTE",
        "Requests over HTTP that one token may make within a minute; an assistant that works "
        "without pause makes some 300.",
    ),
    "call_seconds": (
        "KNOWWHY_CALL_SECONDS",
        "Seconds that a call over HTTP may take until its caller is told that it took too long; "
        "the longest that a tool itself may be asked to wait is 600.",
    ),
}


def absolute(variable: str, path: Path) -> Path:
    """Makes a path absolute, with ~ written out."""
    try:
        return path.expanduser().absolute()
    except RuntimeError:
        raise BadInput(f"{variable} is {str(path)!r}; there is no such user.") from None


def cast(variable: str, text: str, kind: Any) -> Any:
    """Turns a variable's text into its type."""
    if kind is float:
        return _amount(variable, text)
    if kind is not int:
        return Path(text) if kind is Path else text
    if text.isdecimal() and int(text) > 0:
        return int(text)
    raise BadInput(f"{variable} is {text!r}; it must be a whole number above zero.")


def _amount(variable: str, text: str) -> float:
    """Reads an amount of money; 0 is one."""
    try:
        amount = float(text)
    except ValueError:
        amount = -1.0
    if 0 <= amount < float("inf"):
        return amount
    raise BadInput(f"{variable} is {text!r}; it must be a number, 0 or more.")
