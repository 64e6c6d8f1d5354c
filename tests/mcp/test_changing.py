"""What an assistant changes of what is remembered: by whose word, and what is noted of it."""

import pytest
from wire import over_stdio

SCALE = "The pallet scale of hall 3 weighs up to 800 kg."
NEWER = "The pallet scale of hall 3 weighs up to 900 kg."


@pytest.fixture(scope="module")
def ann(emptied):
    with over_stdio("--user", "ann", "--profile", "all") as assistant:
        yield assistant


def status(assistant, key):
    return assistant.ok("get", key=key).data["status"]


def test_an_assistant_cannot_take_in_its_own_claim_by_saying_it_anew(ann):
    old = ann.ok("remember", text=SCALE)
    assert "pending" == old.data["status"]

    new = ann.ok("update_memory", key=old.data["key"], value=NEWER)

    assert ("pending", "assistant") == (new.data["status"], new.data["said_by"])
    assert f"Waits for review as {new.data['key']}" in new.text
    assert f"Until then {old.data['key']} stays as it is." in new.text
    assert "pending" == status(ann, old.data["key"])
    ann.ok("approve_pending_memory", keys=[new.data["key"]])
    assert ("active", "superseded") == (
        status(ann, new.data["key"]),
        status(ann, old.data["key"]),
    )


def test_what_a_user_says_anew_is_kept_at_once(ann):
    text = "The forklift of hall 3 charges at night."
    old = ann.ok("remember", text=text, said_by="user").data["key"]

    new = ann.ok("update_memory", key=old, value=f"{text} On rail 2.", said_by="user")

    assert ("active", "user") == (new.data["status"], new.data["said_by"])
    assert f"It supersedes {old}." in new.text
    assert "superseded" == status(ann, old)
