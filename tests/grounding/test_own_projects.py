"""What a user keeps for a project and for none: who sees both is not told of what is gone."""

import re
from datetime import UTC, datetime, timedelta

import pytest

from knowwhy.grounding.admit import admit
from knowwhy.grounding.claims import Claim
from knowwhy.tables.kept import contradicted, memories
from knowwhy.tables.kept.memories import ACTIVE, SUPERSEDED
from knowwhy.types import Asker

NOON = datetime(2026, 3, 14, 12, 0, tzinfo=UTC)
RESEND, MOVED = "We send mail with Resend.", "We moved from Resend to Bento."


def say(content, project=None, user="bea", **more):
    given = {"kind": "fact", "user_id": user, "project": project, "said_by": "user", **more}
    return admit([Claim(content, **given)], embedder="wordhash", now=NOON)[0]


def stored(memory):
    return memories.held([memory.key])[memory.key]


def test_a_succession_of_no_project_ends_what_it_names_in_all_of_its_users_projects(store):
    here, there, everywhere = say(RESEND, "shop"), say("Resend sends our mail.", "app"), say(RESEND)
    new = say(MOVED)

    assert [SUPERSEDED] * 3 == [stored(memory).status for memory in (here, there, everywhere)]
    assert ACTIVE == new.status
    assert all(new.key in stored(memory).why for memory in (here, there, everywhere))


def test_a_succession_of_a_project_flags_what_its_user_keeps_for_all_of_them(store):
    wide, other = say(RESEND), say(RESEND, "app")
    new = say(MOVED, "shop")

    assert [ACTIVE] * 3 == [stored(memory).status for memory in (wide, other, new)]
    assert [new.key, None] == [stored(memory).conflicts_with for memory in (wide, other)]
    asker = Asker("bea", "shop")
    flags = contradicted.flagged(asker, 10, NOON)
    assert [(wide.key, new.key)] == [(one.key, against.key) for one, against in flags]
    change = memories.changes_of(asker, wide.key)[-1]
    assert "flagged" == change.what
    assert not {"shop", "Bento", new.key} & set(re.findall(r"[\w-]+", change.why))


def test_what_is_flagged_already_keeps_what_it_is_flagged_against(store):
    wide = say(RESEND)
    first, second = say(MOVED, "shop"), say("We moved from Resend to Postmark.", "app")

    assert [ACTIVE] * 3 == [stored(memory).status for memory in (wide, first, second)]
    assert first.key == stored(wide).conflicts_with


@pytest.mark.parametrize(
    ("kept", "new"),
    [
        ("The API timeout is 20 s.", "The API timeout was raised from 30 s to 45 s."),
        (RESEND, "We send mail with Bento."),
        (RESEND, "Actually, we send mail with Bento."),
        (RESEND, "We moved from Mailgun to Bento."),
        (RESEND, "In staging we moved from Resend to Bento."),
    ],
)
def test_what_does_not_say_exactly_what_is_gone_ends_nothing_in_projects(store, kept, new):
    old = say(kept, "shop")
    say(new)

    assert (ACTIVE, None) == (stored(old).status, stored(old).conflicts_with)


@pytest.mark.parametrize(
    ("whose", "given"),
    [
        ({"user": "cid", "project": "shop"}, {}),
        ({"user": None, "project": "shop"}, {}),
        ({"user": None}, {}),
        ({"project": "shop"}, {"said_by": "assistant"}),
        ({"project": "shop"}, {"user": None}),
        ({"project": "shop"}, {"valid_from": NOON - timedelta(days=9)}),
    ],
)
def test_what_is_anothers_shared_told_since_or_only_guessed_at_ends_nothing(store, whose, given):
    old = say(RESEND, **whose)
    say(MOVED, **given)

    assert (ACTIVE, None) == (stored(old).status, stored(old).conflicts_with)
