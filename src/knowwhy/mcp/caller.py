"""Who calls a tool, and what of the server the call may use."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

from knowwhy.config import Settings
from knowwhy.errors import BadInput, NotAllowed
from knowwhy.mcp.workplace import Workplace
from knowwhy.types import ALWAYS, ASSISTANT, RIGHTS, SOURCES, Asker, Between, Filters, Hand, Seen

if TYPE_CHECKING:
    from knowwhy.mcp.jobs import Jobs
    from knowwhy.mcp.warm import Warm

Progress = Callable[[float, float | None, str], None]
MOST_AT_WORK = 1_000  # connections that have begun a session of an agent and not ended it


class AtWork:
    """The agents whose sessions were begun over a connection and have not ended."""

    def __init__(self) -> None:
        self._sessions: dict[tuple[str | None, str], dict[str, str]] = {}

    def begin(self, caller: "Caller", session: str, agent: str) -> None:
        """Notes that an agent works from now on; the oldest connection is forgotten for it."""
        if caller.session is None:
            return
        if len(self._sessions) >= MOST_AT_WORK:
            self._sessions.pop(next(iter(self._sessions)), None)
        place = caller.asker.user_id, caller.session
        self._sessions.setdefault(place, {})[session] = agent

    def end(self, caller: "Caller", session: str) -> None:
        """Notes that an agent works no longer."""
        place = caller.asker.user_id, caller.session or ""
        self._sessions.get(place, {}).pop(session, None)

    def agent(self, caller: "Caller") -> str | None:
        """Gives the agent that works over a connection, where it is one and no more."""
        place = caller.asker.user_id, caller.session or ""
        agents = set(self._sessions.get(place, {}).values())
        return agents.pop() if len(agents) == 1 else None


@dataclass(frozen=True, slots=True)
class Serving:
    """What a server was started with; every call of it is bound by this."""

    settings: Settings
    warm: "Warm"
    jobs: "Jobs"
    profile: str
    project: str | None = None  # given at the start: then no record of another one exists
    workplace: Workplace = field(default_factory=lambda: Workplace(None))
    roots: tuple[Path, ...] = ()  # where files may be taken from
    is_local: bool = True  # over stdio, with the rights of its own user
    at_work: AtWork = field(default_factory=AtWork)

    @property
    def place(self) -> str | None:
        """The project of memories: the one given at the start, else the repository."""
        return self.project or self.workplace.identity()


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks: decided by how the server was started or by a token, never by an argument."""

    asker: Asker
    serving: Serving
    session: str | None  # of the connection; a request over HTTP may belong to none
    agent: str | None = None  # the name of the client's program
    via: str = ASSISTANT  # on whose word it acts: a person's only where that one was asked
    seen: Seen | None = None  # what that person was shown
    tell: Progress = lambda done, total, message: None
    stopped: Event = field(default_factory=Event)  # the client no longer waits
    rights: frozenset[str] = frozenset(RIGHTS)  # of the token; over stdio all

    @property
    def embedder(self) -> str:
        """The embedder of the home, once that is open."""
        return self.serving.warm.embedder

    @property
    def asks_as(self) -> str | None:
        """The agent in whose name searches are made: the one at work here, else the program."""
        return self.serving.at_work.agent(self) or self.agent

    @property
    def hand(self) -> Hand:
        """What is noted with the changes that the caller makes."""
        return Hand(self.session, self.agent, self.via, self.seen)

    @property
    def settings(self) -> Settings:
        """The settings of the server."""
        return self.serving.settings

    def filters(
        self,
        kinds: Sequence[str] | None = None,
        service: str | None = None,
        sources: tuple[str, ...] = SOURCES,
        dated: Between = ALWAYS,
    ) -> Filters:
        """Limits a search to what the caller may see and asks for."""
        given = tuple(kinds) if kinds else None
        return Filters(given, service, self.serving.project, self.asker, sources, dated=dated)

    def check(self, right: str, doing: str) -> None:
        """Refuses what the caller's token has no right to."""
        if right not in self.rights:
            raise NotAllowed(
                f"{doing} needs a token with the right {right!r}; this one has "
                f"{', '.join(sorted(self.rights)) or 'none'}. A person makes one with "
                f"`knowwhy token add USER --may {right}`."
            )

    def file(self, path: str) -> Path:
        """Gives a path that the caller may take in; one from outside is refused."""
        return allowed(path, self.serving)

    @staticmethod
    def now() -> datetime:
        """Gives the time of the call."""
        return datetime.now(UTC)


def allowed(path: str, serving: Serving) -> Path:
    """Resolves a path from the repository on; links and dots do not lead out of the roots."""
    start = serving.workplace.top if serving.is_local else serving.workplace.folder
    try:
        given = Path(path).expanduser() if serving.is_local else Path(path)
        real = (start / given if start else given).resolve()
    except (OSError, RuntimeError, ValueError):
        raise BadInput("That is no path of a file or folder.") from None
    if serving.is_local or any(real.is_relative_to(root) for root in serving.roots):
        return real
    if not serving.roots:
        raise BadInput(
            "This server takes in no files: it was started without --repo. Start it with "
            "--repo FOLDER, or let a person take them in at its machine."
        )
    raise BadInput("That path is outside of what this server may take in.")
