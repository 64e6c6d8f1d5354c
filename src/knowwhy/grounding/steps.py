"""One step in the life of a memory, taken while nobody else writes."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime

from knowwhy.errors import BadInput
from knowwhy.tables.failures import translated
from knowwhy.tables.kept import memories
from knowwhy.tables.talk.turns import safe_name
from knowwhy.tables.write import queue
from knowwhy.text.characters import check_text
from knowwhy.text.secrets.redact import redact
from knowwhy.types import Asker, Change, Memory

MOST_REASON = 1_000  # characters of a reason: a paragraph


def take(
    asker: Asker, key: str, now: datetime, step: Callable[[Memory], tuple[Memory, Change]]
) -> Memory:
    """Changes a memory that an asker sees by a step that is told how it stands now.

    What comes back is as it is shown: without words that were to be forgotten by now.
    """
    with alone():
        after, change = step(memories.memory(asker, key, now=now))
        return memories.shown(memories.update([after], [change])[0], now)


@contextmanager
def alone() -> Iterator[None]:
    """Keeps other writers from the memories."""
    with translated("changing a memory"), queue("memories"):
        yield


def signed(asker: Asker) -> str | None:
    """Gives an asker's name as it is stored beside what they do."""
    return safe_name(asker.user_id)


def reason(why: str | None) -> str:
    """Checks the reason that somebody gives, and gives it without secrets."""
    try:
        said = check_text(why or "").strip()
    except BadInput as refused:
        raise BadInput(f"The reason {refused}.") from None
    if len(said) > MOST_REASON:
        raise BadInput(f"The reason has {len(said):,} characters; at most {MOST_REASON:,} fit.")
    return redact(said)
