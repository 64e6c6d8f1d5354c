"""Two texts that are alike say the same only if their details agree."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowwhy.text.sameness.likeness import same_claim, same_words
from pace import assert_linear

SAME = [
    ("The API timeout is 30 s.", "the API timeout is 30 seconds"),
    ("Access tokens expire after 60 minutes.", "Access tokens expire after an hour."),
    ("We keep logs for two weeks.", "We keep logs for 14 days."),
    ("orders uses Postgres", "orders uses PostgreSQL"),
    ("We use PostgreSQL 15 for the orders service", "The orders service uses PostgreSQL 15"),
    ("orders stores data in Postgres", "orders stores its data in a PostgreSQL database."),
    ("Our primary database is PostgreSQL 15.", "We use PostgreSQL 15 as our primary database."),
    ("Take a backup before the migration.", "Before the migration, take a backup."),
    ("MFA is required for admins", "MFA is not optional for administrators"),
    ("The edge proxy is owned by Bedrock", "Bedrock owns the edge proxy"),
    ("We don't use Kafka", "We do not use Kafka at all"),
    ("I like short answers", "I really like short answers, please"),
    ("The meeting is on 1 March 2025", "The meeting is on 2025-03-01"),
    ("The call is at 2 pm", "The call is at 14:00"),
    ("The colour is grey", "The color is gray"),
    ("The limit is 1,000 rows", "The limit is 1k rows"),
    ("orders uses \u0420ostgreSQL", "orders uses PostgreSQL"),  # a Cyrillic letter
    ("The pause is 2.5 s", "The pause is 2.50 seconds"),
    ("The share is 12.5 %", "The share is 12.50%"),
    ("We cache rows & blobs", "We cache rows and blobs"),
    ("Alert when latency>300 ms", "Alert when latency > 300 ms"),
    ("Alert when latency >= 300 ms", "Alert when latency \u2265 300 ms"),
    ("We do not retry, we page", "We don't retry, we page"),
    ("Take a backup of node b", "Take a backup of node B"),
    ("The time\u200bout is ３０ s", "The timeout is 30 s"),
]
OTHER = [
    ("orders uses PostgreSQL 15", "orders uses PostgreSQL 16"),
    ("orders uses Python 3.11", "orders uses Python 3.11.4"),
    ("tracking uses Kafka", "tracking does not use Kafka"),
    ("tracking no longer uses Kafka", "tracking uses Kafka"),
    ("billing writes to the archive", "orders writes to the archive"),
    ("orders depends on billing", "billing depends on orders"),
    ("billing is called by orders", "billing calls orders"),
    ("We moved from Resend to Bento", "We moved from Bento to Resend"),
    ("Retries are capped at 3", "Retries are capped at 3 in staging"),
    ("Flags are on in the EU and off in the US", "Flags are off in the EU and on in the US"),
    ("Only admins can delete users", "Admins can delete users"),
    ("Deploy before the standup", "Deploy after the standup"),
    ("Run it before 9:30", "Run it after 9:30"),
    ("At least 3 retries", "At most 3 retries"),
    ("More than 5 retries alert us", "Less than 5 retries alert us"),
    ("The limit is 10 MB", "The limit is 10 GB"),
    ("The timeout is 30 s", "The timeout is 30 ms"),
    ("Use tabs instead of spaces", "Use spaces instead of tabs"),
    ("Frozen since 2025-03-01", "Frozen since 2025-03-02"),
    ("Contractors may deploy", "Contractors must deploy"),
    ("Contractors must deploy", "Contractors must not deploy"),
    ("Writes run with a lock", "Writes run without a lock"),
    ("MFA is required", "MFA is optional"),
    ("Rate limiting is enabled", "Rate limiting is disabled"),
    ("Commit 3f2c1ab broke it", "Commit 3f2c1ac broke it"),
    ("feature_new_checkout is on", "feature_old_checkout is on"),
    ("Alice approves, Bob merges", "Bob approves, Alice merges"),
    ("The temperature is -5", "The temperature is 5"),
    ("It costs $5", "It costs €5"),
    ("See ADR-7", "See ADR-8"),
    ("We use Go 1.2", "We use Go 1.20"),
    ("Pin click to 8.1", "Pin click to 8.10"),
    ("Rows > 9 are dropped", "Rows < 9 are dropped"),
    ("Retry if status == 500", "Retry if status != 500"),
    ("Alert when latency >= 300 ms", "Alert when latency > 300 ms"),
    ("We do not retry, we page", "We retry, we do not page"),
    ("Admins can read, they cannot write", "Admins cannot read, they can write"),
    ("Reviews take Mia or Tom", "Reviews take Mia and Tom"),
    ("Module a imports module b", "Module b imports module a"),
    ("Plan A costs more than plan B", "Plan B costs more than plan A"),
    ("Mail: Resend -> Bento", "Mail: Bento -> Resend"),
]
TURNED = [
    ("Users must sign in before the migration.", "Users must sign out before the migration."),
    ("Scale in at night.", "Scale out at night."),
    ("Scale up at night", "Scale down at night"),
    ("Opt in to telemetry.", "Opt out of telemetry."),
    ("Log in to the bastion first.", "Log out of the bastion first."),
    ("Turn the flag on", "Turn the flag off"),
    ("Check the badge in at the desk", "Check the badge out at the desk"),
    ("The nightly job copies rows to the archive", "The nightly job copies rows from the archive"),
    ("Deploys are frozen until Friday", "Deploys are frozen from Friday"),
]
OTHER_TIME = [
    ("We used MySQL.", "We use MySQL."),
    ("We used MySQL.", "MySQL is used."),
    ("We had used Vault.", "We use Vault."),
    ("We had used Vault.", "We have used Vault."),
    ("We would use Vault.", "We use Vault."),
    ("We'd use Vault.", "We use Vault."),
    ("We would use Vault.", "We used Vault."),
    ("We would not use Vault.", "We do not use Vault."),
    ("The payment gateway was down.", "The payment gateway is down."),
    ("The payment gateway would be down.", "The payment gateway is down."),
    ("The queues were full in March", "The queues are full in March"),
    ("We were using Vault", "We are using Vault"),
    ("We were using Vault", "We use Vault"),
    ("We did not use Kafka", "We do not use Kafka"),
    ("We used to deploy on Fridays", "We deploy on Fridays"),
    ("orders used to use Redis", "orders uses Redis"),
    ("Secrets were kept in Vault", "We keep secrets in Vault"),
    ("billing moved to Postgres", "billing moves to Postgres"),
    ("The team had a staging cluster", "The team has a staging cluster"),
    ("Ledger was written by a contractor", "Ledger is written by a contractor"),
]
SAME_TIME = [
    ("Secrets are kept in Vault", "We keep secrets in Vault"),
    ("Ledger was written by a contractor", "A contractor wrote ledger"),
    ("We are using pnpm everywhere", "We use pnpm everywhere"),
    ("We will use pnpm everywhere", "We'll use pnpm everywhere"),
    ("Retries capped at 3", "Retries are capped at 3"),
    ("Logs are kept and used", "Logs are kept and really used"),
    ("Logs are rotated and kept in S3", "We rotate and keep logs in S3"),
    ("I'd prefer short answers", "I prefer short answers"),
    ("I would like short answers", "I like short answers"),
    ("orders needs Kafka for replay", "We need Kafka for replay in orders"),
    ("We embed fonts in reports", "The report service embeds fonts"),
    ("The gateway signs tokens", "Tokens are signed by the gateway"),
    ("We didn't use Kafka", "We did not use Kafka"),
    ("We log in to the bastion in Oslo", "In Oslo, we log in to the bastion"),
    ("The worker runs out of memory in staging", "In staging the worker runs out of memory"),
    ("Turn off the flag in staging", "Turn the flag off in staging"),
]
OTHER_NAME = [
    ("Call getUser in the handler.", "Call getUsers in the handler."),
    ("Call getUser in the handler.", "Call getusers in the handler."),
    ("Call `getUser` in the handler.", "Call `GetUser` in the handler."),
    ("Branch feature/A is frozen.", "Branch feature/a is frozen."),
    ("Edit src/Main.java by hand", "Edit src/main.java by hand"),
    ("Mount it at /Data", "Mount it at /data"),
    ("MAX_rows is set in the chart", "MAX_ROWS is set in the chart"),
    ("The host db1A is drained", "The host db1a is drained"),
    ("OrderItem is frozen", "OrderItems is frozen"),
]
SAME_NAME = [
    ("We host code on GitHub", "We host code on github"),
    ("orders uses postgreSQL", "orders uses PostgreSQL"),
    ("We build for iOS", "We build for ios"),
    ("Our CI/CD runs nightly", "Our ci/cd runs nightly"),
    ("docs/api.md is generated", "Docs/api.md is generated"),
    ("Invoices are in S3", "Invoices are in s3"),
    ("Call getUser in the handler", "In the handler, call getUser"),
    ("The REST APIs are public", "The REST API is public"),
    ("The limit is 10 kB", "The limit is 10 KB"),
]
OTHER_ORDER = [
    ("Read the docs, then write code.", "Write code, then read the docs."),
    ("Read the docs and then write code", "Write the code and then read the docs"),
    ("Drain the node, then stop the proxy", "Stop the proxy, drain the node"),
    ("Tag the release. Afterwards, tell the team", "Tell the team. Afterwards, tag a release"),
]
SAME_ORDER = [
    ("First read the docs, then write code.", "First read docs, then write the code."),
    ("Read the docs, then write code.", "Read docs, write code."),
    ("If the tests pass, then deploy", "Deploy if the tests pass"),
]
FEW = [
    ("There are few tests in billing.", "There are a few tests in billing."),
    ("Few services use Redis", "A few services use Redis"),
    ("There is little traffic at night", "There is a little traffic at night"),
]
HOSTILE = ("a ", "1", "not by ", "1,000", "$", "a-", "from 1 to ", "is used by ", "mαm", "\u200b")


@pytest.mark.parametrize(("a", "b"), SAME)
def test_the_same_claim_in_other_words_is_the_same(a, b):
    assert same_claim(a, b)
    assert same_claim(b, a)


@pytest.mark.parametrize(("a", "b"), OTHER)
def test_one_other_detail_makes_another_claim(a, b):
    assert not same_claim(a, b)
    assert not same_claim(b, a)


@pytest.mark.parametrize(("a", "b"), [*TURNED, *OTHER_ORDER])
def test_a_particle_or_an_order_turned_round_makes_another_claim(a, b):
    assert not same_claim(a, b)
    assert not same_claim(b, a)


@pytest.mark.parametrize(("a", "b"), OTHER_TIME)
def test_what_was_or_would_be_so_is_not_what_is_so(a, b):
    assert not same_claim(a, b)
    assert not same_claim(b, a)


@pytest.mark.parametrize(("a", "b"), OTHER_NAME)
def test_names_of_code_and_paths_are_compared_letter_by_letter(a, b):
    assert not same_claim(a, b)
    assert not same_claim(b, a)


@pytest.mark.parametrize(("a", "b"), FEW)
def test_few_are_not_a_few(a, b):
    assert not same_claim(a, b)
    assert not same_claim(b, a)


@pytest.mark.parametrize(("a", "b"), [*SAME_TIME, *SAME_NAME, *SAME_ORDER])
def test_another_form_of_a_verb_or_case_of_a_name_alone_makes_no_other_claim(a, b):
    assert same_claim(a, b)
    assert same_claim(b, a)


@pytest.mark.parametrize(
    ("expected", "a", "b"),
    [
        (True, "The pool has 40 connections in production.", "In production: 40 pool connections"),
        (True, "orders used Kafka", "Orders uses Kafka!"),
        (False, "orders uses Kafka", "billing uses Kafka"),
        (False, "", ""),
    ],
)
def test_words_are_the_same_whatever_their_order_and_endings(expected, a, b):
    assert expected == same_words(a, b)


@given(st.text(min_size=1))
def test_a_text_that_says_anything_says_the_same_as_itself(text):
    assert same_claim(text, text) or not any(map(str.isalnum, text))


@given(st.text(), st.text())
def test_likeness_does_not_depend_on_which_text_is_first(a, b):
    assert same_claim(a, b) == same_claim(b, a)
    assert same_words(a, b) == same_words(b, a)


@pytest.mark.parametrize("piece", HOSTILE)
def test_texts_of_any_length_are_compared_in_linear_time(piece):
    def compare(text):
        same_claim(text, f"{text}x")
        same_words(text, f"{text}x")

    assert_linear(compare, piece, small=2_400, large=19_200)
    compare(piece * (1_000_000 // len(piece)))
