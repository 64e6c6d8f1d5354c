"""What holds now is given in the place of what no longer does, and of the turn that said it."""

import json

import pytest

RESEND, BENTO = "We use Resend for sending mail.", "We moved from Resend to Bento."
MAIL = "what do we send mail with?"
BEFORE = "what did we use for mail before?"


def hits(knowwhy, question, *more):
    done = knowwhy("recall", question, "--user", "ann", "--json", *more)
    assert 0 == done.code, done.err
    return json.loads(done.out)


def texts(answer):
    return [hit["text"] for hit in answer["hits"]]


@pytest.fixture
def heard(knowwhy):
    """Says something, and learns from it."""

    def hear(*said):
        for text in said:
            assert 0 == knowwhy("say", text, "--user", "ann", "--session", "x").code
        assert 0 == knowwhy("extract").code

    return hear


def key_of(knowwhy, text):
    kept = json.loads(knowwhy("memories", "--user", "ann", "--json").out)
    return next(memory["key"] for memory in kept if memory["text"] == text)


def test_the_turn_that_said_what_was_superseded_gives_way_to_what_holds(knowwhy, heard):
    heard(RESEND, "Deploys are on Fridays.", f"{BENTO[:-1]} because of deliverability.")

    first = hits(knowwhy, MAIL)["hits"][0]

    assert "Bento" in first["text"]
    assert RESEND == first["memory"]["replaces"]
    assert RESEND not in texts(hits(knowwhy, MAIL))
    assert RESEND in texts(hits(knowwhy, BEFORE))


def test_what_took_the_place_of_something_is_found_by_the_words_of_that(knowwhy):
    knowwhy("remember", RESEND, "--user", "ann")
    for n in range(12):
        knowwhy("remember", f"We send mail of kind {n} at {n} o'clock.", "--user", "ann")
    knowwhy("remember", BENTO, "--user", "ann")

    assert BENTO in texts(hits(knowwhy, "Resend for sending", "--k", "3"))


def test_a_turn_whose_fact_was_taken_back_is_no_answer(knowwhy, heard):
    heard("The port of orders is 8080.", "The port of billing is 9090.")
    key = key_of(knowwhy, "The port of orders is 8080.")
    assert 0 == knowwhy("retract", key, "--why", "wrong", "--user", "ann").code

    assert ["The port of billing is 9090."] == texts(hits(knowwhy, "which port has orders?"))


def test_a_turn_that_says_more_keeps_its_place_and_a_mark(knowwhy, heard):
    port = "The port of orders is 8080."
    more = (
        "Could you look at the tests of the gateway too, they fail since this morning and block us?"
    )
    heard(f"{port} {more}")
    assert 0 == knowwhy("retract", key_of(knowwhy, port), "--why", "wrong", "--user", "ann").code

    (hit,) = hits(knowwhy, "which port has orders?")["hits"]

    assert ["“The port of orders is 8080.” was taken back since"] == hit["outdated"]
    shown = knowwhy("recall", "which port has orders?", "--user", "ann").out
    assert "outdated: “The port of orders is 8080.” was taken back since" in shown


def test_it_comes_back_with_what_is_restored(knowwhy, heard):
    heard("The port of orders is 8080.")
    key = key_of(knowwhy, "The port of orders is 8080.")
    knowwhy("retract", key, "--why", "wrong", "--user", "ann")
    assert [] == texts(hits(knowwhy, "which port has orders?"))

    assert 0 == knowwhy("retract", key, "--undo", "--why", "right", "--user", "ann").code
    assert ["The port of orders is 8080."] == texts(hits(knowwhy, "which port has orders?"))
