"""What people change, take back and say again, told at the command line as they say it."""

import json

import pytest

ANN = ("--user", "ann")
SHOP = ("--project", "shop")


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


def test_what_a_person_rejects_or_takes_back_does_not_come_in_again(tell, active, knowwhy):
    guess = ("--said-by", "assistant")
    waits = tell("Marketing pays the Resend bill.", *guess)
    knowwhy("review", "reject", waits["key"], "--why", "Not true, finance does it.", *ANN)
    kept = tell("We run the shop on Hetzner.")
    knowwhy("retract", kept["key"], "--why", "We are on OVH.", *ANN)

    again = [
        tell("Marketing pays the Resend bill.", *guess),
        tell("We run the shop on Hetzner.", *guess),
    ]

    assert ["refused"] * 2 == [memory["status"] for memory in again]
    assert waits["key"] in again[0]["why"]
    assert "Not true, finance does it." in again[0]["why"]
    assert "We are on OVH." in again[1]["why"]
    assert set() == active()
    assert "active" == tell("We run the shop on Hetzner.")["status"]


def test_an_old_chat_ends_nothing_that_was_told_since(tell, active, knowwhy, tmp_path):
    def chat(name, content, at):
        told = [{"role": "user", "content": content, "time": at}]
        (tmp_path / name).write_text(json.dumps(told))
        assert 0 == knowwhy("ingest", "conversation", tmp_path / name, *ANN, *SHOP).code
        assert 0 == knowwhy("extract").code

    tell("We use Postgres for the orders database.", *SHOP)
    old = "We moved from Postgres to MySQL for the orders database."
    chat("old.json", old, "2019-03-01T12:00:00Z")
    kept = {"We use Postgres for the orders database."}
    assert kept == active()

    chat("ahead.json", "We moved from Resend to Bento for mail.", "2126-03-01T12:00:00Z")
    knowwhy("say", "We moved from Bento to Postmark for mail.", *ANN, *SHOP)
    assert 0 == knowwhy("extract").code
    assert {*kept, "We moved from Bento to Postmark for mail."} == active()
