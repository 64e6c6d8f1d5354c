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


@pytest.mark.parametrize(
    ("said_by", "steps", "last"),
    [
        ("user", [("invalidate_memory", {"reason": "Sold."})], "retracted"),
        (
            "user",
            [("invalidate_memory", {"reason": "Sold."}), ("restore_memory", {"reason": "Not."})],
            "restored",
        ),
        ("assistant", [("approve_pending_memory", {})], "approved"),
        ("assistant", [("reject_pending_memory", {"why": "It is green."})], "rejected"),
        ("assistant", [("correct_pending_memory", {"text": "Lamp 4 is red."})], "corrected"),
    ],
)
def test_every_change_names_the_session_and_the_client(ann, said_by, steps, last):
    text = f"The lamp of the {last} gate is blue."
    kept = ann.ok("remember", text=text, said_by=said_by).data
    key = kept["key"]
    for tool, arguments in steps:
        named = {"keys": [key]} if tool.startswith(("approve", "reject")) else {"key": key}
        done = ann.ok(tool, **named, **arguments)
    key = done.data.get("key", key)

    added, *_, changed = ann.ok("why", key=key).data["changes"]

    assert (last, kept["session"]) == (changed["what"], changed["session_id"])
    assert added["persona"] == changed["persona"] != ""
    assert "persona" in added


def test_an_undone_rollback_says_what_was_told_meanwhile(ann):
    told = {"text": "The oven of hall 3 bakes 90 loaves an hour.", "said_by": "user"}
    ann.ok("create_checkpoint", name="oven")
    ann.ok("remember", text="The mill of hall 3 grinds rye.", said_by="user")
    ann.ok("rollback_to", name="oven")
    meanwhile = ann.ok("remember", **told).data["key"]

    dry = ann.ok("undo_rollback", dry_run=True)
    assert "1 of it told after the rollback" in dry.text
    assert [meanwhile] == [one["key"] for one in dry.data["added"]]
    assert "active" == status(ann, meanwhile)

    done = ann.ok("undo_rollback")
    assert "1 retracted (1 of them told after the rollback)" in done.text
    assert 1 == done.data["told_since"]
    assert "retracted" == status(ann, meanwhile)
