"""What several people say in one conversation: whose own it is, and who is said to have said it."""

import json

import pytest

from knowwhy.grounding.claims import Claim, is_owners
from knowwhy.grounding.learn import Learner
from knowwhy.grounding.worker import Worker
from learning import kept, say

TABS, SPACES = "I always use tabs in Python files.", "I prefer four spaces in Python files."
REPLAY = "We use Kafka for the order events."
ADA = ("--user", "ada")


def learn():
    Worker(Learner("wordhash")).run()
    return dict(kept("content", "status"))


@pytest.mark.usefixtures("store")
def test_a_preference_of_somebody_else_waits_and_the_owners_own_comes_in():
    say(TABS, user="ada", speaker="Bob")
    say(SPACES, user="ada", speaker="Ada")
    say(REPLAY, user="ada", speaker="Bob")

    assert {TABS: "pending", SPACES: "active", REPLAY: "active"} == learn()
    assert {"Ada", "Bob"} == {said["speaker"] for (said,) in kept("metadata")}
    (why,) = [why for status, why in kept("status", "why") if status == "pending"]
    assert "It was said by Bob, who is not known to be ada" in why


@pytest.mark.usefixtures("store")
def test_what_somebody_else_says_ends_nothing_that_the_owner_keeps_elsewhere():
    caching, gone = (
        "We use Redis for caching.",
        "We no longer use Redis, we use Valkey for caching.",
    )
    say(caching, user="ada", project="shop")
    learn()
    say(gone, user="ada", project=None, speaker="Bob", session="s2")
    say("Thank you for that.", user="ada", project=None, speaker="Ada", session="s2")

    assert "active" == learn()[caching]


@pytest.mark.parametrize(
    ("said_by", "user", "speaker", "is_its"),
    [
        ("user", "ada", None, True),
        ("user", "ada.byron", "Ada Byron", True),
        ("user", "ada", "Bob", False),
        ("user", None, "Bob", True),
        ("assistant", "ada", None, False),
        ("assistant", "ada", "Ada", False),
    ],
)
def test_a_claim_is_its_owners_when_nobody_else_is_said_to_have_said_it(
    said_by, user, speaker, is_its
):
    told = {"speaker": speaker} if speaker else {}
    claim = Claim("We use Redis.", user_id=user, said_by=said_by, metadata=told)

    assert is_its == is_owners(claim)


@pytest.mark.usefixtures("store")
@pytest.mark.parametrize(
    ("user", "first", "second"),
    [
        ("ada", {}, {}),  # a chat that names nobody
        ("ada", {"speaker": "Bob"}, {"speaker": "Bob"}),  # one person under another name
        ("ada", {"speaker": "Bob"}, {"speaker": "gpt", "role": "assistant"}),
        ("ada.byron", {"speaker": "Ada Byron"}, {"speaker": "Bob"}),
        ("ada", {}, {"speaker": "Bob"}),  # what has no name is the owner's
    ],
)
def test_where_one_person_speaks_nothing_else_is_so(user, first, second):
    say(TABS, user=user, **first)
    say("Thank you for that.", user=user, **second)

    assert {TABS: "active"} == learn()


@pytest.mark.usefixtures("store")
def test_others_in_another_session_or_of_another_user_do_not_count():
    say(TABS, user="ada", speaker="Bob", session="s1")
    say("Thank you for that.", user="ada", speaker="Ada", session="s2")
    say("Thank you for that.", user="eve", speaker="Eve", session="s1")

    assert {TABS: "active"} == learn()


def test_a_channel_of_two_people_is_told_apart_at_the_command_line(knowwhy, tmp_path):
    said = (("U1", "Bob", TABS), ("U2", "Ada", SPACES))
    day = [
        {
            "type": "message",
            "user": user,
            "ts": f"171024480{n}.000100",
            "text": text,
            "user_profile": {"real_name": name},
        }
        for n, (user, name, text) in enumerate(said)
    ]
    file = tmp_path / "general" / "2024-03-12.json"
    file.parent.mkdir()
    file.write_text(json.dumps(day))
    knowwhy("ingest", "conversation", file, *ADA)
    knowwhy("extract")

    active = json.loads(knowwhy("memories", *ADA, "--json").out)
    (waits,) = json.loads(knowwhy("review", *ADA, "--json").out)

    assert [(SPACES, "Ada")] == [(one["text"], one["speaker"]) for one in active]
    assert (TABS, "Bob") == (waits["text"], waits["speaker"])
    shown = knowwhy("provenance", waits["key"], *ADA).out
    assert "speaker         Bob" in shown
    assert f"Bob (user): {TABS}" in shown
    knowwhy("review", "approve", waits["key"], *ADA)
    assert "Preference of Bob" in knowwhy("recall", "Who uses tabs?", *ADA).out
    text = "Bob uses tabs in Python files."
    anew = json.loads(knowwhy("update", waits["key"], text, *ADA, "--json").out)
    assert ("user", None) == (anew["said_by"], anew["speaker"])
