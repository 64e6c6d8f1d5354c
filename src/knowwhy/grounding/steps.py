"""One step in the life of a memory, taken while nobody else writes."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime

from knowwhy.errors import BadInput
from knowwhy.tables.failures import translated
from knowwhy.tables.kept import memories
from knowwhy.tables.talk.turns import safe_name
from knowwhy.tables.write import queue
from knowwhy.text.characters import check_text
from knowwhy.text.secrets.redact import redact
from knowwhy.types import Asker, Change, Hand, Memory

NO_HAND = Hand()  # nothing is known of it
MOST_REASON = 1_000  # characters of a reason: a paragraph


def take(
    asker: Asker,
    key: str,
    now: datetime,
    step: Callable[[Memory], tuple[Memory, Change]],
    hand: Hand = NO_HAND,
) -> Memory:
    """Changes a memory that an asker sees by a step that is told how it stands now.

    What comes back is as it is shown: without words that were to be forgotten by now.
    """
    with alone():
        after, change = step(memories.memory(asker, key, now=now))
        return memories.shown(memories.update([after], by_hand(hand, [change]))[0], now)


def by_hand(hand: Hand, changes: Sequence[Change]) -> list[Change]:
    """Gives changes with the session and the role in which they are made."""
    session, persona = safe_name(hand.session), safe_name(hand.persona)
    return [replace(change, session_id=session, persona=persona) for change in changes]


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
