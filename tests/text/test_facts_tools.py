"""What a project does with which tool is a fact; what people do with people is none."""

import pytest

from knowwhy.text.speech.facts import facts
from knowwhy.text.speech.facts_tools import states_tool
from pace import assert_linear


@pytest.mark.parametrize(
    "told",
    [
        "We send mail with Resend.",
        "hey, fyi we send mail with Resend",
        "We keep sessions in Redis.",
        "We process payments with Adyen.",
        "We host the docs on Netlify.",
        "We track issues in Linear.",
        "We monitor everything with Honeycomb.",
        "Mail is sent with Postmark.",
        "Our emails go out through Postmark.",
        "Postmark sends our mail.",
        "Our mail provider is Postmark.",
        "Our queue is RabbitMQ.",
        "Memcached is our cache.",
    ],
)
def test_what_a_user_says_that_is_done_with_a_tool_is_a_fact(told):
    assert ["fact"] == [found.kind for found in facts(told, None, "user")]


@pytest.mark.parametrize(
    "told",
    [
        "We had lunch with Bob.",
        "We went there with the kids.",
        "We got an email from Bob.",
        "We discussed the tickets with Bob.",
        "We send postcards with Anna.",
        "We send mail with pleasure.",
        "We send mail to Bob.",
        "We track birds in Wales.",
        "We run in Hyde Park.",
        "Our dog is Rex.",
        "Resend sends mail.",
        "Send mail with Resend.",
        "Could we send mail with Resend?",
        "We might send mail with Resend.",
    ],
)
def test_chatter_wishes_and_questions_are_no_facts(told):
    assert [] == facts(told, None, "user")


@pytest.mark.parametrize("piece", ["We send ", "our all the ", "A is our ", "we store a in "])
def test_hostile_sentences_are_read_in_linear_time(piece):
    assert_linear(states_tool, piece)
