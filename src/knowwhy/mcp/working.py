"""Tools for the work at hand: the task, and what git says of the repository."""

from dataclasses import asdict, is_dataclass
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from knowwhy.errors import BadInput
from knowwhy.mcp.caller import Caller
from knowwhy.mcp.given import Limit
from knowwhy.mcp.registry import Said
from knowwhy.types import Json

if TYPE_CHECKING:
    from knowwhy.session.git import Repository

MOST_DIFF = 16_000  # characters given at once, about 4,000 tokens
SHOWN_FILES = 50  # of a list of changed files


def set_task_context(
    caller: Caller,
    task: Annotated[
        str,
        Field(
            min_length=1,
            max_length=2_000,
            description="What is being worked on.",
            examples=["Implement the OAuth2 PKCE flow"],
        ),
    ],
    details: Annotated[
        dict[str, Any] | None,
        Field(description="Goals, files, findings.", examples=[{"next": "tests for refresh"}]),
    ] = None,
) -> Said:
    """Set what is being worked on in this repository; later sessions get it back.

    Use it when a task begins or changes. Not for lasting facts (remember).
    """
    from knowwhy.session.task import set_task

    kept = set_task(caller.asker, _identity(caller), task, details or {})
    return Said("The task is set; get_task_context gives it back.", {"task": _data(kept)})


def get_task_context(caller: Caller) -> Said:
    """Get what was being worked on here, with branch, changed files and the last commits.

    Use it at the start of a session, before anything else.
    """
    from knowwhy.mcp.rendered import NOTE, data_block
    from knowwhy.session.task import get_task

    task = get_task(caller.asker, _identity(caller))
    lines = [_task_text(task)] if task else []
    data: dict[str, Json] = {"note": NOTE, "task": _data(task)}
    if caller.serving.repository is not None:
        state = _state(_opened(caller))
        data |= state
        lines += _state_lines(state)
    head = "The task at hand:" if task else "No task is set here; set_task_context sets one."
    return Said(data_block(head, "\n".join(lines), "task") if lines else head, data)


def search_commits(
    caller: Caller,
    query: Annotated[
        str,
        Field(min_length=1, max_length=500, description="Words.", examples=["retry backoff"]),
    ],
    limit: Limit = 10,
) -> Said:
    """Find commits of this repository by the words of their messages, authors and files.

    Use it for when and by whom something was changed. Not for why it was decided
    (semantic_search).
    """
    return _commits(f"matching {query!r}", _opened(caller).search_commits(query, limit))


def recent_commits(caller: Caller, limit: Limit = 10) -> Said:
    """List the last commits of this repository's branch."""
    return _commits("newest first", _opened(caller).recent_commits(limit))


def git_status(caller: Caller) -> Said:
    """Show branch, status and changed files of this repository."""
    from knowwhy.mcp.rendered import NOTE, data_block

    state = _state(_opened(caller))
    text = data_block("The repository:", "\n".join(_state_lines(state)), "project")
    return Said(text, {"note": NOTE, **state})


def git_diff(
    caller: Caller,
    staged: Annotated[bool, Field(description="What is staged instead of what is not.")] = False,
) -> Said:
    """Show what was changed in this repository and not committed.

    For memories see diff.
    """
    from knowwhy.mcp.rendered import NOTE, cut, data_block

    found = cut(str(_opened(caller).diff(staged)), MOST_DIFF)
    head = f"{'Staged' if staged else 'Unstaged'} changes:"
    text = data_block(head, found, "project") if found.strip() else "Nothing has been changed."
    return Said(text, {"note": NOTE, "diff": found})


def file_history(
    caller: Caller,
    path: Annotated[
        str,
        Field(
            min_length=1, max_length=1_000, description="From the repository on.", examples=["a.py"]
        ),
    ],
    limit: Limit = 10,
) -> Said:
    """List the commits that changed one file of this repository, newest first."""
    return _commits(f"of {path}", _opened(caller).file_history(path, limit))


def task_line(caller: Caller) -> str | None:
    """Gives the task at hand as a context shows it."""
    from knowwhy.session.task import get_task

    task = get_task(caller.asker, _identity(caller))
    return _task_text(task) if task else None


def _opened(caller: Caller) -> "Repository":
    from knowwhy.session.git import open_repository

    folder = caller.serving.repository
    if folder is None:
        raise BadInput("This server has no repository: start it in one, or with --repo FOLDER.")
    return open_repository(folder)


def _identity(caller: Caller) -> str | None:
    return _opened(caller).identity() if caller.serving.repository is not None else None


def _commits(which: str, found: list[Any]) -> Said:
    from knowwhy.mcp.rendered import NOTE, listed

    commits = [_data(commit) for commit in found]
    entries = ((_commit_line(c), str(c.get("subject") or c.get("message") or "")) for c in commits)
    text = listed(f"{len(commits)} commits {which}:", entries, f"No commits {which}.")
    return Said(text, {"note": NOTE, "commits": commits})


def _commit_line(commit: dict[str, Any]) -> str:
    named = [commit.get("hash") or commit.get("sha"), commit.get("author"), commit.get("at")]
    return " · ".join(str(part) for part in named if part)


def _state(repository: "Repository") -> dict[str, Json]:
    return {
        "branch": repository.branch(),
        "status": _data(repository.status()),
        "changed_files": _data(repository.changed_files()),
        "recent_commits": _data(repository.recent_commits(3)),
    }


def _state_lines(state: dict[str, Any]) -> list[str]:
    files = [str(name) for name in state["changed_files"] or ()]
    more = [f"and {len(files) - SHOWN_FILES} more"] if len(files) > SHOWN_FILES else []
    commits = [f"commit {_commit_line(c)}: {c.get('subject', '')}" for c in state["recent_commits"]]
    changed = [f"changed: {', '.join([*files[:SHOWN_FILES], *more])}"] if files else []
    return [f"branch: {state['branch']}", *changed, *commits]


def _task_text(task: Any) -> str:
    import json

    details = getattr(task, "details", None)
    told = f"\n{json.dumps(details, ensure_ascii=False, default=str)}" if details else ""
    return f"{task.task}{told}"


def _data(value: Any) -> Any:
    """Gives what a room told as JSON."""
    from datetime import datetime

    if is_dataclass(value) and not isinstance(value, type):
        return {name: _data(part) for name, part in asdict(value).items()}
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, dict):
        return {str(name): _data(part) for name, part in value.items()}
    return [_data(part) for part in value] if isinstance(value, list | tuple) else value
