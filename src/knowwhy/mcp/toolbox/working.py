"""Tools for the work at hand: the task, and what git says of the repository."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from knowwhy.errors import BadInput
from knowwhy.mcp.caller import Caller
from knowwhy.mcp.toolbox.given import Limit
from knowwhy.mcp.toolbox.registry import Said
from knowwhy.types import Asker, Json

if TYPE_CHECKING:
    from knowwhy.session.git import Repository
    from knowwhy.session.state import Commit
    from knowwhy.tables.tasks import Task

MOST_DIFF = 16_000  # characters given at once, about 4,000 tokens
SHOWN_FILES = 50  # of a list of changed files
SHOWN_PATHS = 5  # of a commit in a list
SHOWN_COMMITS = 3  # beside the task
MOST_BODY = 600  # characters of a commit message
LEFT_BEHIND = (
    "This repository had no remote before, and memories are kept under the name that it had then; "
    "a person reads them with `knowwhy memories --project NAME`."
)

Commits = Annotated[int, Field(ge=1, le=200, description="How many at most.")]


def set_task_context(
    caller: Caller,
    task: Annotated[
        str,
        Field(
            max_length=2_000,
            description="What is being worked on; empty: nothing any more.",
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
    from knowwhy.session.task import clear_task, set_task

    if not task.strip():
        if details:
            raise BadInput("Details belong to a task; say what is being worked on.")
        clear_task(_owner(caller), _identity(caller), *_earlier(caller))
        return Said("No task is set here any more.", {"task": None})
    kept = set_task(_owner(caller), _identity(caller), task, details or {})
    return Said("The task is set; get_task_context gives it back.", {"task": _task_data(kept)})


def get_task_context(caller: Caller) -> Said:
    """Get what was being worked on here, with branch, changed files and the last commits.

    Use it at the start of a session, before anything else. Not for what was decided or said earlier
    (recall).
    """
    from knowwhy.mcp.rendered import NOTE, data_block
    from knowwhy.session.task import get_task

    task = get_task(_owner(caller), _identity(caller), *_earlier(caller))
    lines = [_task_text(task)] if task else []
    left = _left_behind(caller)
    data: dict[str, Json] = {"note": NOTE, "task": task and _task_data(task), "left_behind": left}
    if _identity(caller) is not None:
        state = _state(_opened(caller))
        data |= state
        lines += _state_lines(state)
    head = "The task at hand:" if task else "No task is set here; set_task_context sets one."
    if left:
        head = f"{LEFT_BEHIND} {head}"
        lines += [f"{number} memories as {name}" for name, number in left.items()]
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

    Use it for when and by whom something was changed. Not for why it was decided (semantic_search).
    """
    return _commits("found", [f.commit for f in _opened(caller).search_commits(query, limit)])


def recent_commits(caller: Caller, limit: Commits = 10) -> Said:
    """List the last commits of this repository's branch.

    Use it to see what was done last. Not for commits about something (search_commits), nor for
    those of one file (file_history).
    """
    return _commits("newest first", _opened(caller).recent_commits(limit))


def git_status(caller: Caller) -> Said:
    """Show branch, status and changed files of this repository.

    Use it to see what is not committed yet, before you change files or commit. Not for the changed
    lines (git_diff), nor for the task (get_task_context).
    """
    from knowwhy.mcp.rendered import NOTE, data_block

    state = _state(_opened(caller))
    text = data_block("The repository:", "\n".join(_state_lines(state)), "project")
    return Said(text, {"note": NOTE, **state})


def git_diff(
    caller: Caller,
    staged: Annotated[bool, Field(description="What is staged instead of what is not.")] = False,
    path: Annotated[
        str | None,
        Field(max_length=1_000, description="Only this file or folder.", examples=["src"]),
    ] = None,
) -> Said:
    """Show what was changed in this repository and not committed.

    Use it to read the changed lines before a commit. A long one is cut; give a path then.
    Not for memories (diff), nor for what was committed (search_commits, file_history).
    """
    from knowwhy.mcp.rendered import NOTE, cut, data_block

    found = cut(_opened(caller).diff(staged, path).text, MOST_DIFF)
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
    limit: Commits = 10,
) -> Said:
    """List the commits that changed one file of this repository, newest first.

    Use it for when and by whom a file was changed. Not for commits about something
    (search_commits).
    """
    return _commits("of the file", _opened(caller).file_history(path, limit))


def task_line(caller: Caller) -> str | None:
    """Gives the task at hand as a context shows it."""
    from knowwhy.session.task import get_task

    task = get_task(_owner(caller), _identity(caller), *_earlier(caller))
    return _task_text(task) if task else None


def _opened(caller: Caller) -> "Repository":
    return caller.serving.workplace.repository()


def _owner(caller: Caller) -> Asker:
    """Gives whose tasks these are: the command line's too, so the repository is no project."""
    return Asker(caller.asker.user_id, caller.serving.project)


def _identity(caller: Caller) -> str | None:
    return caller.serving.workplace.identity()


def _earlier(caller: Caller) -> tuple[str, ...]:
    return caller.serving.workplace.earlier_names()


def _left_behind(caller: Caller) -> dict[str, Json]:
    """Counts the user's memories that are kept under what the repository was called before."""
    from knowwhy.tables.kept.memories import LIVING, count

    if caller.serving.project is not None:  # then no repository names the project
        return {}
    owners = {name: Asker(caller.asker.user_id, name) for name in _earlier(caller)}
    kept = {
        name: count(owner, statuses=LIVING, owned=True, now=caller.now())
        for name, owner in owners.items()
    }
    return {name: number for name, number in kept.items() if number}


def _commits(which: str, found: Sequence["Commit"]) -> Said:
    from knowwhy.mcp.rendered import NOTE, listed

    entries = ((_commit_line(commit), _commit_text(commit)) for commit in found)
    text = listed(f"{len(found)} commits {which}:", entries, f"No commits {which}.")
    return Said(text, {"note": NOTE, "commits": [_commit_data(commit) for commit in found]})


def _commit_line(commit: "Commit") -> str:
    return f"{commit.short} · {commit.author} · {commit.at:%Y-%m-%d %H:%M} · {commit.subject}"


def _commit_text(commit: "Commit") -> str:
    from knowwhy.mcp.rendered import cut

    names = [file.path for file in commit.files[:SHOWN_PATHS]]
    more = f" and {len(commit.files) - len(names)} more" if len(commit.files) > len(names) else ""
    files = f"files: {', '.join(names)}{more}" if names else ""
    return "\n".join(part for part in (cut(commit.body.strip(), MOST_BODY), files) if part)


def _commit_data(commit: "Commit") -> dict[str, Json]:
    return {
        "id": commit.id,
        "author": commit.author,
        "at": commit.at.isoformat(),
        "subject": commit.subject,
        "body": commit.body[:MOST_BODY],
        "files": [file.path for file in commit.files[:SHOWN_FILES]],
    }


def _state(repository: "Repository") -> dict[str, Json]:
    branch = repository.branch()
    files = () if branch.is_bare else repository.changed_files()
    return {
        "said": str(branch if branch.is_bare else repository.status()),
        "branch": branch.name,
        "commit": branch.commit,
        "changed_files": [asdict(file) for file in files[:SHOWN_FILES]],
        "changed": len(files),
        "recent_commits": [_commit_data(c) for c in repository.recent_commits(SHOWN_COMMITS)],
    }


def _state_lines(state: dict[str, Any]) -> list[str]:
    files = [file["path"] for file in state["changed_files"]]
    more = [f"and {state['changed'] - len(files)} more"] if state["changed"] > len(files) else []
    commits = [f"{c['id'][:12]} {c['at'][:10]} {c['subject']}" for c in state["recent_commits"]]
    changed = [f"changed: {', '.join([*files, *more])}"] if files else []
    return [state["said"], *changed, *(f"commit {line}" for line in commits)]


def _task_text(task: "Task") -> str:
    details = json.dumps(task.details, ensure_ascii=False) if task.details else ""
    return "\n".join(part for part in (task.task, details) if part)


def _task_data(task: "Task") -> dict[str, Json]:
    return {
        "task": task.task,
        "details": dict(task.details),
        "repository": task.repository,
        "touched_at": task.touched_at.isoformat(),
    }
