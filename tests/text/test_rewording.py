"""Two claims in other words, and those that only look like it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowwhy.text.sameness.rewording import OTHER, SAME, UNCLEAR, compare, read
from pace import assert_linear, run_of

REWORDED = [
    ("We use PostgreSQL for the orders database", "The orders database runs on PostgreSQL"),
    ("orders uses PostgreSQL", "The orders service relies on PostgreSQL"),
    ("I prefer dark mode in the editor", "I like dark mode best in my editor"),
    ("The timeout of the billing API is 30 seconds", "The billing API timeout is 30 s"),
    ("We use Redis for sessions", "Redis is used for sessions"),
    ("We chose Redis for sessions", "We use Redis for sessions."),
    ("Access tokens expire after 60 minutes.", "Access tokens expire after an hour."),
    ("Alice handles the release notes", "Alice manages the release notes"),
    ("We purchase certificates yearly", "We buy certificates yearly"),
    ("The edge proxy is owned by Bedrock", "Bedrock owns the edge proxy"),
    ("We do not use Kafka for mail", "Kafka is not used for mail"),
    ("Secrets are stored in Vault", "We store secrets in Vault"),
    ("Python 3.11 is required", "We require Python 3.11"),
    ("Our mail provider is Bento", "Bento is our mail provider"),
    ("Ledger was written by a contractor in Lisbon", "A contractor in Lisbon wrote ledger"),
    ("For the auditors we keep the invoices in S3", "We keep the invoices in S3 for the auditors"),
    ("The retry limit of orders is 5", "The orders retry limit is 5"),
]
NOT_THE_SAME = [
    ("orders uses PostgreSQL 15", "orders uses PostgreSQL 16"),
    ("orders runs version 2.4.1 of the client", "orders runs version 2.4.2 of the client"),
    ("tracking uses Kafka", "tracking does not use Kafka"),
    ("We use Redis for sessions", "We use Memcached for sessions"),
    ("The limit is 10 MB", "The limit is 10 GB"),
    ("The timeout is 30 s", "The timeout is 30 min"),
    ("MFA is required", "MFA is optional"),
    ("The rollout is on 2025-03-01", "The rollout is on 2025-03-02"),
    ("orders depends on billing", "billing depends on orders"),
    ("orders uses billing", "billing relies on orders"),
    ("billing writes to the archive", "orders writes to the archive"),
    ("We moved from Resend to Bento", "We moved from Bento to Resend"),
    ("Deploys are frozen until Friday", "Deploys are frozen from Friday"),
    ("The database was MySQL", "The database is MySQL"),
    ("Flags are on in the EU and off in the US", "Flags are off in the EU and on in the US"),
    ("Contractors may deploy", "Contractors must deploy"),
    ("Only admins can delete users", "Admins can delete users"),
    ("Retries are capped at 3", "Retries are capped at 3 in staging"),
    ("Run make release, then check the page", "Check the page, then run make release"),
    ("The new gateway is slow", "The main gateway is slow"),
    ("Alice approves and Bob merges", "Bob approves and Alice merges"),
    ("Use tabs instead of spaces", "Use spaces instead of tabs"),
    ("The bento team owns mail", "The waffle team owns mail"),
    ("Commit 3f2c1ab broke it", "Commit 3f2c1ac broke it"),
    ("We keep logs for 14 days", "We delete logs after 14 days"),
    ("Deploy before the standup", "Deploy after the standup"),
    ("We need Kafka for replay", "We use Kafka for replay"),
    ("Most tests fail on main", "Tests fail on main"),
    ("Give access to Bob", "Take access from Bob"),
    ("Some tests fail on main", "All tests fail on main"),
    ("The bucket holds 5 MB", "The bucket holds 5 Mb"),
    ("orders uses Redis for sessions", "orders used to use Redis for sessions"),
    ("orders uses Redis for sessions", "orders used Redis for sessions"),
    ("orders uses Redis for sessions", "orders will use Redis for sessions"),
    ("orders uses Redis for sessions", "orders would use Redis for sessions"),
    ("orders uses Redis for sessions", "Does orders use Redis for sessions?"),
    ("orders no longer uses Redis", "orders uses Redis"),
    ("The API returns data with a token", "The API returns data without a token"),
    ("Not all services use TLS", "No services use TLS"),
    ("Not every table has a key", "Every table has no key"),
    ("Not only admins may deploy", "Only admins may deploy"),
    ("The worker does not always retry", "The worker never retries"),
    ("Ann does not think the cache is slow", "Ann thinks the cache is not slow"),
    (
        "The token is not valid for writes but for reads",
        "The token is valid for writes but not for reads",
    ),
    ("Do not restart before draining", "Restart before not draining"),
    ("Ann and Bob approve releases", "Ann or Bob approves releases"),
    ("Mail is sent to customers", "Mail is sent by customers"),
    ("Requests are signed by the gateway", "Requests are signed for the gateway"),
    ("Traffic in the cluster is encrypted", "Traffic between the clusters is encrypted"),
    ("The job starts by Friday", "The job starts on Friday"),
    ("The user table has no index", "The index has no user table"),
    ("A user has many orders", "An order has many users"),
    ("The queue is drained when the worker stops", "The worker stops when the queue is drained"),
    ("The API is used by the billing team", "The billing API is used by the team"),
    ("orders is owned by billing", "billing is owned by orders"),
    ("The proxy is in front of the cache", "The cache is in front of the proxy"),
    ("The owner of the customer account is Ann", "The customer of the owner account is Ann"),
    ("The database team is in Oslo", "The database is in Oslo"),
    ("The primary key is a UUID", "The key is a UUID"),
    ("Our API is public", "Their API is public"),
    ("We used MySQL", "We use MySQL"),
    ("We would use Vault", "We use Vault"),
    ("The payment gateway was down", "The payment gateway is down"),
    ("Scale in at night", "Scale out at night"),
    ("Call getUser in the handler", "Call getUsers in the handler"),
    ("Branch feature/A is frozen", "Branch feature/a is frozen"),
    ("There are few tests in billing", "There are a few tests in billing"),
]


@pytest.mark.parametrize(("one", "other"), REWORDED)
def test_the_same_claim_in_other_words_is_the_same_claim(one, other):
    assert SAME == compare(read(one), read(other)) == compare(read(other), read(one))
    assert read(one).core == read(other).core


@pytest.mark.parametrize(("one", "other"), NOT_THE_SAME)
def test_what_differs_in_a_detail_is_never_the_same(one, other):
    assert compare(read(one), read(other)) in (UNCLEAR, OTHER)
    assert compare(read(other), read(one)) in (UNCLEAR, OTHER)


def test_another_number_makes_another_claim_and_another_noun_is_for_a_person_to_look_at():
    ports = (read(f"The console listens on port {port}") for port in (8443, 9443))
    teams = (read(f"The {team} team owns the console") for team in ("orders", "billing"))

    assert OTHER == compare(*ports)
    assert UNCLEAR == compare(*teams)


@given(st.text(max_size=200), st.text(max_size=200))
def test_a_text_is_itself_and_the_order_of_two_does_not_matter(one, other):
    a, b = read(one), read(other)

    assert SAME == compare(a, a)
    assert compare(a, b) == compare(b, a)


def test_a_hostile_text_is_read_in_linear_time():
    assert_linear(read, run_of("x for for as the ", "we use "), small=2_490, large=19_920)
    read("a" * 1_000_000)
