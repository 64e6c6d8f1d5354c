"""What claims are about, which of them cannot both hold, and which take another's place."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowwhy.text.claims.topics import Statement, conflict, corrects, statement, succeeds
from pace import assert_linear

CONFLICTS = [
    ("The API timeout is 30 s", "The API timeout is 45 seconds"),
    ("orders stores its data in MySQL", "orders uses PostgreSQL 15"),
    ("We deploy on Fridays", "We never deploy on Fridays"),
    ("The orders database is MySQL.", "The orders service uses PostgreSQL."),
    ("The owner of billing is Priya.", "Jonas owns billing."),
    ("Billing is maintained by Priya", "billing is owned by Jonas"),
    ("Our mail provider is Resend.", "We send mail with Bento."),
    ("We send emails via Resend", "We use Bento for email"),
    ("The session TTL is 5 minutes", "Session TTL: 10 min"),
    ("Our database is MySQL.", "We use PostgreSQL."),
    ("Access tokens have a lifetime of 15 minutes", "Access tokens expire after 1 hour"),
    ("Requests are retried 3 times", "The retry limit is 5"),
    ("orders runs in eu-west-1", "orders is hosted in us-east-1"),
    ("CI uses Node 18.", "CI uses Node 20."),
    ("Uploads are limited to 10 MB.", "The upload limit is 25 MB."),
    ("auth is coded in Go", "auth is written in Rust"),
    ("orders listens on port 8080.", "orders listens on port 9090."),
    ("Personal data is deleted after 90 days", "Personal data is kept for 13 months"),
    ("Merging without review is allowed.", "Merging without review is forbidden."),
    ("MFA is required for admins.", "MFA is optional for admins."),
    ("Deploys happen before the standup.", "Deploys happen after the standup."),
    ("tracking uses Kafka.", "tracking does not use Kafka."),
    ("The daily standup is at 9:30.", "The daily standup starts at 10 am."),
    ("The rate limit is 100 requests per second", "The rate limit is 50 requests per second"),
    ("Our cloud is Azure.", "Our cloud provider is AWS."),
    ("RabbitMQ is our queue.", "Our queue is Kafka."),
    ("Our CI is TeamCity.", "CI runs on Buildkite."),
    ("The main branch is called trunk.", "The main branch is develop."),
    ("We indent Python with 2 spaces.", "We indent Python with 4 spaces."),
    ("The retro is at 16:00.", "The retro starts at 3 pm."),
    ("The weekly sync starts at 9.", "The weekly sync is at 11."),
    ("orders is a Kotlin service.", "orders is written in Java."),
    ("Our servers run Fedora.", "Our servers run Debian 12."),
    ("Production is hosted on AWS.", "Production runs on GCP."),
    ("We use Python 3.1.", "We use Python 3.10."),
    ("The API timeout is 30 s.", "Also, the API timeout is 45 s."),
    ("The reporting cluster runs PostgreSQL 14.", "The reporting cluster runs PostgreSQL 16."),
    ("The kiosk requires Windows 10.", "The kiosk requires Windows 11."),
    ("The cart has 3 replicas.", "The cart has five replicas."),
    ("Every change needs 2 approvals.", "Every change needs one approval."),
    ("The batch runs every 6 hours.", "The batch runs every 4 hours."),
    ("Passwords must have at least 12 characters.", "Passwords must have at least 8 characters."),
    ("Audit logs are archived for 90 days.", "Audit logs are archived for a year."),
    ("Logs are kept for 2 years.", "Logs are kept for 3 years."),
    ("A plan costs 20 euros a month.", "A plan costs 25 euros a month."),
    ("Nora leads the growth team.", "The growth team is led by Piet."),
    ("The CTO is Ingrid Vasko.", "The CTO is Lars Holm."),
    ("The wiki is hosted at wiki.acme.test.", "The wiki is hosted at docs.acme.test."),
    ("The shop is built with React.", "The shop is built with Vue."),
    ("We use npm.", "We use pnpm."),
    ("We use Terraform.", "Actually, we use Pulumi."),
    ("The retry limit is 1.", "The retry limit is 1.5."),
    ("We use Python 3.1.", "We use Python 3.10."),
    ("We decided to use Kafka for events.", "We decided against Kafka for events."),
    ("We use Kafka for events.", "We have decided not to use Kafka for events."),
    ("All endpoints require auth.", "No endpoints require auth."),
    ("Every service has an owner.", "No service has an owner."),
    ("We use Sentry for error tracking.", "We use Rollbar for error tracking."),
]
NO_CONFLICTS = [
    ("We decided to use Kafka for events.", "We decided against Kafka for invoices."),
    ("We decided to deploy on Fridays.", "We decided against Kafka for events."),
    ("Every service has an owner.", "Each service has an owner."),
    ("The API timeout is 60 min.", "The API timeout is 1 hour."),
    ("orders uses PostgreSQL.", "orders uses PostgreSQL 15."),
    ("orders uses PostgreSQL.", "orders uses Redis for caching."),
    ("orders uses PostgreSQL 15.", "billing uses PostgreSQL 16."),
    ("The API timeout is 30 s.", "The API timeout for uploads is 120 s."),
    ("We use pytest for testing.", "We use hypothesis for testing."),
    ("We deploy on Fridays.", "We deploy on Tuesdays."),
    ("The database is slow.", "The database is PostgreSQL."),
    ("The owner is on vacation.", "The owner is Priya."),
    ("It uses Kafka.", "It does not use Kafka."),
    ("We deploy on Fridays if tests pass.", "We never deploy on Fridays."),
    ("Logs are kept for 14 days in staging.", "Logs are kept for 90 days in production."),
    ("The default timeout is 30 s.", "The maximum timeout is 60 s."),
    ("Priya owns the release in May.", "Jonas owns the release in June."),
    ("orders stores its data in PostgreSQL and Redis.", "orders stores its data in MySQL."),
    ("We used MySQL until 2022.", "We use PostgreSQL."),
    ("Our mail provider was Mailgun.", "Our mail provider is Bento."),
    ("We do not use Kafka for billing.", "We use Kafka."),
    ("We do not use MySQL.", "We do not use PostgreSQL."),
    ("MFA is required for admins.", "MFA is not required for guests."),
    ("In 2021 we deployed on Fridays.", "We never deploy on Fridays."),
    ("The port is 8080 for HTTP.", "The port is 9090 for gRPC."),
    ("The port is 8080.", "The port is 9090."),
    ("Owner: Priya.", "Owner: Jonas."),
    ("We moved from Resend to Bento.", "We moved from npm to pnpm."),
    ("We use MySQL.", "We picked PostgreSQL."),
    ("orders calls auth in its own code.", "billing calls auth in its own code."),
    ("Is the API timeout 30 s?", "The API timeout is 45 s."),
    ("The error ratio is 0.5.", "The error ratio is 0.50."),
    ("We use Python and Go.", "We use Rust."),
    ("We store sessions in Redis.", "We store invoices in Postgres."),
    ("We send mail with Resend.", "We also send mail with Bento."),
    ("We send transactional mail with Postmark.", "We send newsletters with Mailchimp."),
    ("We use Redis for session caching.", "We use Memcached for page caching."),
    ("Our cloud is AWS.", "Our cloud is expensive."),
    ("Redis is our cache.", "Redis is our queue."),
    ("React is our framework.", "Django is our framework."),
    ("Priya is our developer.", "Jonas is our developer."),
    ("CI runs on Jenkins.", "CI runs on every push."),
    ("CI runs on Jenkins.", "CI runs on Kubernetes."),
    ("The default branch is main.", "The default branch is protected."),
    ("We indent Python with spaces.", "We indent Go with tabs."),
    ("We indent with spaces.", "We indent with 2 spaces."),
    ("The standup is at 9:30.", "The standup starts at 10 on Fridays."),
    ("The rollout starts at 10.", "The rollout starts at 9:30."),
    ("billing is written in Go.", "billing is a critical service."),
    ("The CLI runs on Ubuntu.", "The CLI runs on Debian."),
    ("Production runs on AWS.", "Production runs on Debian 12."),
    ("Production runs 12 pods.", "Production runs Debian 12."),
    ("The cart has 3 replicas.", "The cart has 5 routes."),
    ("Sprint 12 has 40 points.", "Sprint 13 has 38 points."),
    ("We bought 3 laptops.", "We bought 5 laptops."),
    ("The build took 4 minutes.", "The build took 6 minutes."),
    ("The outage lasted 20 minutes.", "The outage lasted 45 minutes."),
    ("Our SDK supports Python 3.11.", "Our SDK supports Python 3.12."),
    ("The EU cluster has 5 nodes.", "The US cluster has 3 nodes."),
    ("The API answers in 200 ms on average.", "The API answers in 300 ms on average."),
    ("Every change needs 2 approvals.", "Every change needs 2 more approvals."),
    ("The cart has 3 replicas.", "The cart also has 5 replicas."),
    ("The corridor leads to the lab.", "The corridor leads to the canteen."),
    ("The shop is built with React.", "The shop is built with Tailwind."),
    ("We use npm in the portal.", "We use pnpm in the shop."),
    ("Logs are kept for 2 years.", "Logs are kept for 24 months."),
    ("We use PostgreSQL 16.", "We use PostgreSQL 16.2."),
    ("Our Python version is 3.", "Our Python version is 3.11."),
]
SUCCESSIONS = [
    ("We send mail with Resend.", "We moved from Resend to Bento."),
    ("Our mail provider is Resend.", "We moved our mail provider from Resend to Bento."),
    ("We send mail with Resend.", "We send mail with Bento instead of Resend since March."),
    ("We use Jenkins.", "We replaced Jenkins with GitHub Actions."),
    ("We use Jenkins for CI.", "Jenkins has been replaced by GitHub Actions."),
    ("We use Datadog.", "We migrated off Datadog to Grafana."),
    ("We moved from Resend to Bento.", "We moved from Bento to Postmark."),
    ("We use Kafka for events.", "Actually we don't use Kafka, we use NATS."),
    ("orders uses Kafka.", "No wait, orders doesn't use Kafka, it uses NATS."),
    ("Logs go to Splunk.", "We moved logs from Splunk to Loki."),
    ("Tickets are tracked in Jira.", "We moved tickets from Jira to Linear."),
    ("Search runs on Solr.", "We replaced Solr with Elasticsearch for search."),
    ("Secrets are kept in Vault.", "We moved secrets from Vault to AWS Secrets Manager."),
    ("Errors are reported to Sentry.", "We moved from Sentry to Rollbar."),
    ("We use yarn.", "We switched to pnpm from yarn."),
    ("We use Jenkins for CI.", "We no longer use Jenkins but GitHub Actions for CI."),
    ("We use Mailgun for mail.", "We dropped Mailgun in favour of Postmark."),
    ("The API timeout is 30 s.", "We raised the API timeout from 30 s to 45 s."),
    ("The API timeout is 30 s.", "The API timeout is no longer 30 s but 45 s."),
    ("Logs are kept for 7 days.", "The retention of logs was changed from 7 to 14 days."),
    ("We use Postgres 13.", "We upgraded from Postgres 13 to 15."),
    ("We use Postgres 13.4.", "We upgraded from Postgres 13 to 15."),
    ("We use Python 3.11.", "We upgraded Python from 3.11 to 3.12."),
    ("orders uses RabbitMQ.", "RabbitMQ was replaced with Kafka."),
    ("orders uses MySQL.", "We migrated orders from MySQL to PostgreSQL."),
    ("auth is written in Python.", "auth was rewritten from Python to Go."),
    ("Priya owns billing.", "Ownership of billing moved from Priya to Jonas."),
    ("We deploy on Fridays.", "We no longer deploy on Fridays."),
    ("We use Jest.", "We don't use Jest anymore, it is vitest everywhere."),
    ("orders uses PostgreSQL 15.", "orders uses PostgreSQL 16, not 15."),
]
NO_SUCCESSIONS = [
    ("We send mail with Resend.", "We did not move from Resend to Bento."),
    ("We send mail with Resend.", "We have not moved from Resend to Bento."),
    ("We send mail with Resend.", "We plan to move from Resend to Bento."),
    ("We send mail with Resend.", "We will use Bento instead of Resend next year."),
    ("We send mail with Resend.", "Should we move from Resend to Bento?"),
    ("We send mail with Postmark.", "We moved from Resend to Bento."),
    ("The read timeout is 30 s.", "The API timeout was raised from 30 s to 45 s."),
    ("Invoices are stored in S3.", "We moved images from S3 to GCS."),
    ("Alerts go to Splunk.", "We moved logs from Splunk to Loki."),
    ("billing uses Cassandra.", "tracking replaced Cassandra with TimescaleDB."),
    ("We merge on Fridays.", "We no longer deploy on Fridays."),
]


@pytest.mark.parametrize(
    ("expected", "text"),
    [
        (Statement("order|database", "postgresql #15", True), "orders uses PostgreSQL 15."),
        (Statement("order|database", "mysql", True), "orders stores its data in MySQL"),
        (Statement("api|timeout", "#30s", True), "the API timeout is 30 s"),
        (Statement("mail|provider", "bento", True), "We send mail with Bento."),
        (Statement("access token|lifetime", "#900s", True), "Access tokens live for 15 minutes."),
        (Statement("|", "bento", True, "resend"), "We moved from Resend to Bento."),
        (Statement("api|timeout @ product", "#5s", True), "In production the API timeout is 5 s."),
        (None, "What is the API timeout?"),
        (None, "It is slow."),
        (None, ""),
    ],
)
def test_a_claim_is_read_as_a_topic_and_its_value(expected, text):
    assert expected == statement(text)


@pytest.mark.parametrize(("a", "b"), CONFLICTS)
def test_claims_that_cannot_both_hold_conflict(a, b):
    assert conflict(statement(a), statement(b))
    assert conflict(statement(b), statement(a))


@pytest.mark.parametrize(("a", "b"), NO_CONFLICTS)
def test_claims_that_can_both_hold_do_not_conflict(a, b):
    one, other = statement(a), statement(b)

    assert one is None or other is None or not conflict(one, other)


@pytest.mark.parametrize(("old", "new"), SUCCESSIONS)
def test_a_succession_takes_the_place_of_what_it_says_is_gone(old, new):
    assert succeeds(statement(new), statement(old))
    assert not succeeds(statement(old), statement(new))


@pytest.mark.parametrize(("old", "new"), NO_SUCCESSIONS)
def test_what_did_not_happen_or_happened_to_another_succeeds_nothing(old, new):
    said = statement(new)

    assert said is None or not succeeds(said, statement(old))


@pytest.mark.parametrize(
    ("expected", "text"),
    [
        (True, "No, it is 45 s."),
        (True, "No. The port is 9090."),
        (True, "Actually, orders uses PostgreSQL 16, not 15."),
        (True, "That's wrong, we never deploy on Fridays."),
        (True, "Sorry, I meant 45 s."),
        (True, "I was wrong about the port: it is 9090."),
        (True, "Correction: tokens expire after 15 minutes."),
        (False, "No service may own two databases."),
        (False, "Nobody deploys on Fridays."),
        (False, "Notes are kept in the wiki."),
        (False, "Wait for the deploy to finish."),
        (False, "Update the docs after a release."),
    ],
)
def test_a_correction_is_told_from_a_sentence_that_begins_alike(expected, text):
    assert expected == corrects(text)


@given(st.text())
def test_no_statement_conflicts_with_itself(text):
    said = statement(text)

    assert said is None or not conflict(said, said)


@pytest.mark.parametrize(
    "piece",
    ["we moved from a to b ", "a is ", "x of ", "not but ", "no, ", "retries #1 times ", ", ", "( ",
     "sends mail with ", "is kept for 3 s ", "instead of ", "from to ", "moved ", "a", "was by "],
)  # fmt: skip
def test_hostile_texts_are_read_in_linear_time(piece):
    def read(text):
        statement(text)
        corrects(text)

    assert_linear(read, piece, small=250, large=2_000)
    read(piece * (1_000_000 // len(piece)))
