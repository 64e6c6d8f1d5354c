"""Claims judged before it was their turn to be written, and what others wrote meanwhile."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from knowwhy.errors import BadInput
from knowwhy.grounding.admit import admit
from knowwhy.grounding.claims import Claim
from knowwhy.tables.kept import memories
from knowwhy.tables.kept.memories import ACTIVE, REFUSED, SUPERSEDED
from knowwhy.tables.write import queue
from knowwhy.types import Change, Memory
from queued import wait_until_queued

NOON = datetime(2026, 3, 14, 12, 0, tzinfo=UTC)
FRIDAYS = "We deploy on Fridays."
PORT = "The orders service listens on port 8080."
OTHER_PORT = "The orders service listens on port 9090."


def say(text, **more):
    given = {"kind": "fact", "user_id": "ann", "project": "shop", "said_by": "user", **more}
    return admit([Claim(text, **given)], embedder="wordhash", now=NOON)[0]


def write(text, **more):
    """Writes a memory as whoever has the queue does."""
    given = {"key": "m-meanwhile", "user_id": "ann", "project": "shop", "kind": "fact", **more}
    moments = {"created_at": NOON, "touched_at": NOON}
    memory = Memory(content=text, status=ACTIVE, said_by="user", **moments, **given)
    memories.put([memory], [Change(memory.key, "added")])
    return memory


@pytest.fixture
def say_meanwhile(store):
    """Says something whose turn comes only when something else has been done."""

    def said_meanwhile(text, do, **more):
        with ThreadPoolExecutor(1) as pool:
            with queue("memories"):
                waits = pool.submit(say, text, **more)
                wait_until_queued(1)
                do()
            return waits.result()

    return said_meanwhile


def test_what_was_written_meanwhile_is_not_stored_twice(say_meanwhile):
    said = say_meanwhile(FRIDAYS, lambda: write(FRIDAYS))

    assert (REFUSED, "m-meanwhile") == (said.status, said.copy_of)


def test_what_contradicts_what_was_written_meanwhile_does_not_come_in(say_meanwhile):
    said = say_meanwhile(OTHER_PORT, lambda: write(PORT))

    assert (REFUSED, "m-meanwhile") == (said.status, said.conflicts_with)


def test_what_was_written_meanwhile_makes_way_for_what_says_that_it_is_gone(say_meanwhile):
    said = say_meanwhile("We moved from Resend to Bento.", lambda: write("We send mail by Resend."))

    assert (ACTIVE, "m-meanwhile") == (said.status, said.supersedes)
    assert SUPERSEDED == memories.held(["m-meanwhile"])["m-meanwhile"].status


def test_what_was_taken_back_meanwhile_is_in_nobodys_way(say_meanwhile):
    kept = say(PORT)

    def take_back():
        memories.update(
            [replace(kept, status="retracted")], [Change(kept.key, "retracted", "Wrong.", "ann")]
        )

    said = say_meanwhile(OTHER_PORT, take_back)

    assert (ACTIVE, None) == (said.status, said.conflicts_with)


def test_what_a_user_keeps_elsewhere_since_is_flagged_by_what_ends_it(say_meanwhile):
    wide = "We send mail with Resend."
    said = say_meanwhile("We no longer use Resend.", lambda: write(wide, project=None))

    assert ACTIVE == said.status
    assert said.key == memories.held(["m-meanwhile"])["m-meanwhile"].conflicts_with


def test_a_key_that_somebody_took_meanwhile_cannot_be_used(say_meanwhile):
    with pytest.raises(BadInput, match="The key m-mine cannot be used"):
        say_meanwhile(FRIDAYS, lambda: write(PORT, key="m-mine", user_id="bob"), key="m-mine")

    assert "bob" == memories.held(["m-mine"])["m-mine"].user_id


@pytest.mark.parametrize(
    "whose", [{"user_id": "bob"}, {"user_id": None}, {"user_id": None, "project": None}]
)
def test_what_others_write_meanwhile_changes_nothing(say_meanwhile, whose):
    said = say_meanwhile(FRIDAYS, lambda: write(FRIDAYS, **whose))

    assert (ACTIVE, None) == (said.status, said.copy_of)


def test_what_all_of_a_project_share_is_judged_by_what_was_shared_meanwhile(say_meanwhile):
    said = say_meanwhile(FRIDAYS, lambda: write(FRIDAYS, user_id=None), user_id=None)

    assert (REFUSED, "m-meanwhile") == (said.status, said.copy_of)
