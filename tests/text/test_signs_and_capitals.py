"""What is no word, and what is written large, tells two claims apart; what only adorns does not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowwhy.text.claims import topics
from knowwhy.text.claims.terms import words
from knowwhy.text.claims.topics import statement
from knowwhy.text.sameness.likeness import same_claim
from knowwhy.text.sameness.particulars import differ
from knowwhy.text.sameness.rewording import SAME, compare, read
from pace import assert_linear

OTHER_SIGNS = [
    ("✅ Redis for the sessions of checkout", "❌ Redis for the sessions of checkout"),
    ("Redis for the sessions of checkout", "❌ Redis for the sessions of checkout"),
    ("👍 Redis for the sessions of checkout", "👎 Redis for the sessions of checkout"),
    ("🟢 The import of orders", "🔴 The import of orders"),
    ("⏸ Deploys of billing", "▶ Deploys of billing"),
    ("📈 Errors of checkout", "📉 Errors of checkout"),
    ("🔒 The admin console", "🔓 The admin console"),
    ("✔ Reads, ✘ writes for guests", "✘ Reads, ✔ writes for guests"),
    ("🇩🇪 Prices of the shop include VAT", "🇫🇷 Prices of the shop include VAT"),
    ("~~We use Redis for the sessions~~", "We use Redis for the sessions"),
    ("x ∈ admins gets the console", "x ∉ admins gets the console"),
    ("guests ⊂ users in the model", "guests ⊄ users in the model"),
    ("The load of a ∧ b opens the gate", "The load of a ∨ b opens the gate"),
    ("∀ services there is a runbook", "∃ services there is a runbook"),
    ("Latency of checkout ↑ after the rollout", "Latency of checkout ↓ after the rollout"),
    ("Latency ↑ on writes, errors ↓ on reads", "Latency ↓ on writes, errors ↑ on reads"),
    ("Events flow orders ← billing", "Events flow orders → billing"),
    ("Events flow orders <- billing", "Events flow orders -> billing"),
    ("Rows sync orders ↔ billing", "Rows sync orders → billing"),
    ("Rows sync orders <-> billing", "Rows sync orders -> billing"),
    ("The flag applies if beta && admin", "The flag applies if beta || admin"),
    ("It applies if beta && admin || root", "It applies if beta || admin && root"),
    ("The mask of the flags is a & b | c", "The mask of the flags is a & b ^ c"),
    ("We support Python 3.11+ in the shop", "We support Python 3.11 in the shop"),
    ("We test 3.11+ and 3.12", "We test 3.11 and 3.12+"),
    ("Pin lodash to ~4.17.0", "Pin lodash to ^4.17.0"),
    ("Pin lodash to ~=4.17", "Pin lodash to ==4.17"),
    ("Pin lodash to 4.17.*", "Pin lodash to 4.17"),
    ("Set !debug in production", "Set debug in production"),
    ("Set !debug and trace in production", "Set debug and !trace in production"),
    ("The error is ±5 ms", "The error is 5 ms"),
    ("The share is ≈ 5 %", "The share is 5 %"),
    ("The offset is −5 hours", "The offset is 5 hours"),
    ("The certificate covers *.example.com", "The certificate covers example.com"),
    ("Read the path from $HOME", "Read the path from HOME"),
    ("Call _private in the handler", "Call private in the handler"),
    ("Mount it at /data", "Mount it at data"),
    ("Scale the pods × 2", "Scale the pods ÷ 2"),
    ("§ 5 holds for exports", "5 holds for exports"),
]  # fmt: skip
OTHER_CAPITALS = [
    ("The US team owns the billing dashboards", "The IT team owns the billing dashboards"),
    ("The US team owns the billing dashboards", "The team owns the billing dashboards"),
    ("The US team owns the IT budget", "The IT team owns the US budget"),
    ("IT owns the laptops", "It owns the laptops"),
    ("Only IT may open ports", "Only HE may open ports"),
    ("WHO numbers are imported nightly", "Numbers are imported nightly"),
    ("Ship it to US", "Ship it to us"),
    ("Host orders on DO", "Host orders on us"),
    ("Host orders in the IN region", "Host orders in the AT region"),
    ("The BE team reviews the schema", "The team reviews the schema"),
    ("Peter owns the billing dashboards", "Peters owns the billing dashboards"),
    ("William reviews every change", "Williams reviews every change"),
    ("Ask Peter about billing", "Ask Peters about billing"),
    ("Billing is owned by Jones", "Billing is owned by Jone"),
    ("Peter owns billing", "Billing is owned by Peters"),
    ("Mrs. Roberts signs the invoices", "Mrs. Robert signs the invoices"),
    ("The account of Edwards is frozen", "The account of Edward is frozen"),
    ("The contract with Siemens ends in May", "The contract with Siemen ends in May"),
    ("Invoices go through the AWS gateway", "Invoices go through the AW gateway"),
]
OTHER_WORDS = [
    ("We restore orders from the last backup", "We restore orders from the live backup"),
    ("The live database is in Oslo", "The last database is in Oslo"),
    ("Flags are on in Oslo and off in Rome", "Flags are off in Oslo and on in Rome"),
]
COPIES = [
    ("🎉 We use Redis for the sessions", "We use Redis for the sessions"),
    ("We use Redis for the sessions 🚀", "We use Redis for the sessions ✨"),
    ("We use “Redis” for the sessions", 'We use "Redis" for the sessions'),
    ("We use 'Redis' for the sessions", "We use Redis for the sessions"),
    ("We use `Redis` for the sessions", "We use Redis for the sessions"),
    ("We use **Redis** for the *sessions*", "We use Redis for the sessions"),
    ("- We use Redis for the sessions", "We use Redis for the sessions"),
    ("* We use Redis for the sessions", "• We use Redis for the sessions"),
    ("# Redis holds the sessions", "Redis holds the sessions"),
    ("We use Redis for the sessions.", "We use Redis for the sessions"),
    ("We use Redis for the sessions!", "We use Redis for the sessions…"),
    ("We use Redis – for the sessions", "We use Redis — for the sessions"),
    ("Redis - for the sessions of checkout", "Redis: for the sessions of checkout"),
    ("We use Redis (for the sessions)", "We use Redis [for the sessions]"),
    ("The Retry Limit Of The Orders Queue Is 5", "The retry limit of the orders queue is 5"),
    ("Sessions of checkout are in Redis", "sessions of checkout are in redis"),
    ("WE USE REDIS FOR THE SESSIONS", "We use Redis for the sessions"),
    ("The REST APIs of orders are public", "The REST API of orders is public"),
    ("Mail: Resend -> Bento", "Mail: Resend → Bento"),
    ("Alert when latency >= 300 ms", "Alert when latency ≥ 300 ms"),
    ("We cache rows & blobs", "We cache rows and blobs"),
    ("The share is 12.5 %", "The share is 12.5%"),
    ("The US team owns the dashboards", "The dashboards are owned by the US team"),
    ("Peter's team owns the dashboards", "Peter’s team owns the dashboards"),
    ("We support Python 3.11+ in the shop.", "In the shop we support Python 3.11+"),
    ("We do NOT use Kafka for mail", "We do not use Kafka for mail"),
    ("The nodes are in us-east-1", "The nodes are in US-EAST-1"),
    ("We moved mail to Bento, for the price", "For the price, we moved mail to Bento"),
]  # fmt: skip
HOSTILE = ("~ ", "**a", "!a", "✅", "US ", "Peter. Peters ", "&& a ", "*a* ", "𝄞", "# \n")


@pytest.mark.parametrize(("one", "other"), [*OTHER_SIGNS, *OTHER_CAPITALS, *OTHER_WORDS])
def test_another_sign_or_another_name_in_capitals_never_says_the_same(one, other):
    for a, b in ((one, other), (other, one)):
        assert not same_claim(a, b)
        assert SAME != compare(read(a), read(b))


@pytest.mark.parametrize(("one", "other"), COPIES)
def test_quotes_bullets_adornment_and_capitals_of_headings_make_no_other_claim(one, other):
    for a, b in ((one, other), (other, one)):
        assert same_claim(a, b)
        assert SAME == compare(read(a), read(b))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The owner of the US dashboards is Ana", "The owner of the IT dashboards is Ben"),
        ("The IT cluster has 5 nodes", "The US cluster has 9 nodes"),
        ("The timeout of the US gateway is 5 s", "The timeout of the gateway is 9 s"),
    ],
)
def test_what_holds_of_one_abbreviation_does_not_contradict_what_holds_of_another(one, other):
    said, otherwise = statement(one), statement(other)

    assert said
    assert otherwise
    assert not topics.conflict(said, otherwise)
    assert topics.conflict(said, statement(one.replace("Ana", "Eve").replace("5", "7")))


@pytest.mark.parametrize("text", ["US-EAST-1 is down", "It costs US$5", "ASK IT FIRST"])
def test_a_pronoun_in_capitals_is_a_name_only_where_it_stands_alone_among_small_letters(text):
    assert words(text) == words(text.lower())


@given(st.text(max_size=80), st.text(max_size=80))
def test_whether_two_texts_differ_does_not_depend_on_which_is_first(one, other):
    assert differ(one, other) == differ(other, one)


@pytest.mark.parametrize("piece", HOSTILE)
def test_signs_and_capitals_are_read_in_linear_time(piece):
    assert_linear(lambda text: differ(text, f"{text}x"), piece, small=2_400, large=19_200)
