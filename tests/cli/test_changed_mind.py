"""What people change, take back and say again, told at the command line as they say it."""

import json

import pytest

ANN = ("--user", "ann")


@pytest.fixture
def tell(knowwhy):
    """Tells something as Ann, and gives what became of it."""

    def call(text, *options):
        return json.loads(knowwhy("remember", text, *ANN, *options, "--json").out)

    return call


@pytest.fixture
def active(knowwhy):
    """Gives the texts of Ann's active memories."""

    def call(*options):
        listed = json.loads(knowwhy("memories", *ANN, *options, "--json").out)
        return {memory["text"] for memory in listed}

    return call


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("We send mail with Resend.", "Mail is now sent with Bento, no longer with Resend."),
        ("We send mail with Resend.", "We used to send mail with Resend, now we use Bento."),
        ("We send mail with Resend.", "We now send mail with Bento."),
        ("Billing is owned by Alice.", "Bob took over billing from Alice."),
        ("Sessions are stored in Redis.", "Sessions are stored in Valkey now instead of Redis."),
    ],
)
def test_what_a_user_says_to_be_gone_makes_way(tell, active, old, new):
    tell(old)
    tell(new)

    assert {new} == active()


def test_what_holds_now_by_an_assistant_alone_or_for_now_ends_nothing(tell, active):
    tell("We send mail with Resend.")

    assert "refused" == tell("We now send mail with Bento.", "--said-by", "assistant")["status"]
    assert "refused" == tell("For now we send mail with Bento.")["status"]
    assert {"We send mail with Resend."} == active()
