"""What one works on in a repository: said once, known again after a restart."""

import json
import re
from collections.abc import Mapping

from knowwhy.errors import BadInput
from knowwhy.tables.tasks import Task, put_task, task_of
from knowwhy.text.characters import check_text
from knowwhy.text.secrets.redact import redact_json
from knowwhy.types import Asker, Json

MOST_TASK = 2_000  # characters: a task is a paragraph; what is longer is a document
MOST_DETAILS = 20_000  # characters as JSON; it is handed to a model with every session
DEEPEST = 20  # levels of the details; no one reads deeper, and parsers have their limits
_NUL = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")  # a backslash that is text is doubled


def set_task(
    asker: Asker,
    repository_identity: str | None,
    task: str,
    details: Mapping[str, Json] | None = None,
) -> Task:
    """Notes what one works on, in place of what was noted before."""
    _check(task)
    said, kept = redact_json([task.strip(), _checked(dict(details or {}))])
    noted = put_task(asker, repository_identity, said, kept)
    assert noted is not None
    return noted


def get_task(asker: Asker, repository_identity: str | None, *earlier: str) -> Task | None:
    """Tells what one works on; None when nothing was noted.

    What was noted last counts, be that before the repository got the name that it has now.
    """
    noted = (task_of(asker, name) for name in (repository_identity, *earlier))
    return max(filter(None, noted), key=lambda task: task.touched_at, default=None)


def clear_task(asker: Asker, repository_identity: str | None, *earlier: str) -> Task | None:
    """Takes out what one worked on, under all names of the repository, and gives it."""
    before = get_task(asker, repository_identity, *earlier)
    for name in (repository_identity, *earlier):
        if task_of(asker, name) is not None:
            put_task(asker, name, None, None)
    return before


def _check(task: str) -> None:
    if len(task) > MOST_TASK:
        raise BadInput(
            f"The task has {len(task):,} characters; at most {MOST_TASK:,} are kept. Put what is "
            "longer into the details, or take it in as a document."
        )
    try:
        check_text(task)
    except BadInput as refused:
        raise BadInput(f"The task {refused}.") from None


def _checked(details: dict[str, Json]) -> dict[str, Json]:
    """Refuses details that are no JSON of a reasonable size."""
    if _depth(details) > DEEPEST:
        raise BadInput(f"The details of the task are nested deeper than {DEEPEST} levels.")
    try:
        written = json.dumps(details, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError):
        raise BadInput("The details of the task are not JSON.") from None
    if len(written) > MOST_DETAILS:
        raise BadInput(
            f"The details of the task have {len(written):,} characters as JSON; at most "
            f"{MOST_DETAILS:,} are kept."
        )
    try:
        check_text(_NUL.sub("\0", written))
    except BadInput as refused:
        raise BadInput(f"A detail of the task {refused}.") from None
    read: dict[str, Json] = json.loads(written)
    return read


def _depth(value: Json) -> int:
    """Counts the levels of a value, no further than they matter; a loop, as JSON may be deep."""
    level, depth = [value], 0
    while level and depth <= DEEPEST:
        inner = (
            part.values() if isinstance(part, dict) else part
            for part in level
            if isinstance(part, (dict, list))
        )
        level, depth = [item for items in inner for item in items], depth + 1
    return depth
