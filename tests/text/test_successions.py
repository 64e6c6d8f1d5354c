"""What a change takes the place of: all of one thing, and nothing that still holds."""

import pytest

from knowwhy.text.claims.topics import conflict, statement, succeeds

KEPT = "We use Stripe for payments."
ALL_OF_IT = [
    "We moved from Stripe to Adyen.",
    "We moved from Stripe to Adyen, and it was easy.",
    "We moved from Stripe to Adyen, in May.",
    "We moved from Stripe to Adyen for lower fees.",
    "We moved from Stripe to Adyen for cost reasons.",
    "We fully moved from Stripe to Adyen.",
    "We moved back from Stripe to Adyen.",
    "We moved from Stripe to Adyen on Monday.",
    "We moved from Stripe to Adyen in production.",
    "We moved from Stripe to Adyen everywhere (see ADR-7).",
    "Two weeks ago we moved from Stripe to Adyen.",
    "Last month, we moved from Stripe to Adyen.",
    "In May we replaced Stripe with Adyen.",
    "We replaced the old Stripe integration with Adyen.",
    "Adyen replaced Stripe.",
    "Adyen has taken over from Stripe.",
    "Adyen took the place of Stripe last year.",
    "Stripe gave way to Adyen.",
    "Stripe was ditched for Adyen.",
    "We dropped Stripe for Adyen.",
    "We left Stripe for Adyen last week.",
    "Payments: Stripe -> Adyen",
    "Payments: Stripe → Adyen.",
    "Payment provider: Stripe => Adyen",
    "Since May we take payments with Adyen rather than Stripe.",
    "As of 2025-03-01 we use Adyen for payments instead of Stripe.",
    "Since last week, we take payments with Adyen, not Stripe.",
    "Instead of Stripe we use Adyen.",
    "Payments go through Adyen instead of Stripe.",
    "Since the spring we take payments with Adyen rather than Stripe.",
    "Adyen has fully replaced Stripe as our payment provider.",
    "Payment provider changed: Stripe -> Adyen",
]
PART_OF_IT = [
    "We moved from Stripe to Adyen in Brazil.",
    "We moved from Stripe to Adyen in the sandbox.",
    "We moved from Stripe to Adyen on the feature branch.",
    "We moved from Stripe to Adyen for the EU tenants.",
    "We moved from Stripe to Adyen for refunds only.",
    "We moved from Stripe to Adyen for a week.",
    "We moved from Stripe to Adyen (Brazil only).",
    "We moved from Stripe to Adyen, but only in Brazil.",
    "We moved from Stripe to Adyen, at least in Brazil.",
    "We moved from Stripe to Adyen, as a test.",
    "We moved from Stripe to Adyen temporarily.",
    "As an experiment we moved from Stripe to Adyen.",
    "In a demo we use Adyen instead of Stripe.",
    "Some teams moved from Stripe to Adyen.",
    "A customer moved from Stripe to Adyen.",
    "We moved from Stripe to Adyen, but invoices stay on Stripe.",
    "We use Adyen rather than Stripe for refunds only.",
    "Adyen replaced Stripe in the sandbox.",
    "Adyen replaced Stripe for refunds.",
    "Adyen replaced Stripe as our SMS provider.",
    "Payments go through Adyen instead of Stripe in staging.",
    "Payments in staging: Stripe -> Adyen",
    "We moved from Stripe to Adyen apart from refunds.",
]
UNDONE = [
    "We moved from Stripe to Adyen but moved back to Stripe.",
    "We moved from Stripe to Adyen, then back to Stripe.",
    "We moved from Stripe to Adyen and back again.",
    "Adyen replaced Stripe, then Stripe replaced Adyen.",
    "We moved from Stripe to Adyen; that was rolled back.",
    "We moved from Stripe to Adyen. A week later we went back.",
    "We moved from Stripe to Adyen, but it was reverted.",
    "We moved from Stripe to Adyen in May and returned in June.",
]
OTHER_THINGS = [
    "We renamed the branch from Stripe to Adyen.",
    "We changed the label from Stripe to Adyen.",
    "We replaced the Stripe logo with the Adyen logo.",
    "We swapped the Stripe mug for an Adyen mug.",
    "We replaced the Stripe mock with an Adyen mock.",
    "Adyen replaced the Stripe webhook.",
    "Invoices: Stripe -> Kafka",
    "Flow: Stripe -> Adyen",
    "Search: Stripe -> Adyen",
    "We dropped Stripe for two days.",
    "We dropped Stripe for EU customers.",
    "Adyen has not replaced Stripe.",
    "Adyen might replace Stripe.",
    "Did Adyen replace Stripe?",
]


@pytest.mark.parametrize("new", ALL_OF_IT)
def test_a_change_of_all_of_a_thing_supersedes_it(new):
    assert succeeds(statement(new), statement(KEPT))
    assert not succeeds(statement(KEPT), statement(new))


@pytest.mark.parametrize("new", PART_OF_IT + UNDONE + OTHER_THINGS)
def test_a_change_in_part_undone_or_of_another_thing_leaves_what_is_kept(new):
    said, kept = statement(new), statement(KEPT)

    assert said is None or not succeeds(said, kept)
    assert said is None or not conflict(said, kept)


@pytest.mark.parametrize(
    ("expected", "old", "new"),
    [
        (True, "The API timeout is 30 s.", "Timeout of the API: 30 s -> 45 s"),
        (True, "The default branch is master.", "Default branch: master -> main"),
        (True, "CI runs on Jenkins.", "CI: Jenkins -> Buildkite"),
        (True, "Production runs Ubuntu 22.04.", "We moved production from Ubuntu to Debian 12."),
        (True, "We indent with tabs.", "We indent with spaces instead of tabs."),
        (False, "orders uses MySQL.", "In staging orders moved from MySQL to PostgreSQL."),
        (False, "Priya owns billing.", "Jonas replaced Priya."),
        (False, "We use Redis for caching.", "We replaced Redis with Kafka as our queue."),
        (False, "We send transactional mail with Postmark.", "We send newsletters with Bento."),
    ],
)  # fmt: skip
def test_a_change_supersedes_only_what_is_of_the_same_thing(expected, old, new):
    assert expected == succeeds(statement(new), statement(old))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("We deploy with Jenkins.", "We switched from Jenkins to GitLab CI."),
        ("We deploy to Heroku.", "We moved from Heroku to Fly.io."),
        ("We run the API on Heroku dynos.", "We moved from Heroku to Fly.io."),
        ("We track issues in Jira.", "We moved from Jira to Linear."),
        ("We host our site on Netlify.", "We moved from Netlify to Vercel."),
        ("Logs go to Splunk.", "We moved from Splunk to Loki."),
        ("Resend sends our mail.", "We moved from Resend to Bento."),
        ("Our mail is sent by Resend.", "We moved from Resend to Bento."),
    ],
)
def test_what_is_done_with_something_ends_when_all_have_left_it(old, new):
    assert succeeds(statement(new), statement(old))
    assert not succeeds(statement(old), statement(new))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("We hold a workshop on Kafka.", "We moved from Kafka to NATS."),
        ("We compete with Heroku.", "We moved from Heroku to Fly.io."),
        ("We can deploy to Heroku.", "We moved from Heroku to Fly.io."),
        ("We deployed to Heroku.", "We moved from Heroku to Fly.io."),
        ("We never deploy to Heroku.", "We moved from Heroku to Fly.io."),
        ("We deploy to Heroku.", "Billing moved from Heroku to Fly.io."),
        ("We deploy to Heroku.", "In staging we moved from Heroku to Fly.io."),
        ("We deploy to Heroku.", "We plan to move from Heroku to Fly.io."),
        ("We send mail with Resend.", "We moved from Mailgun to Bento."),
        ("Customers deploy to Heroku.", "We moved from Heroku to Fly.io."),
        ("The Heroku bill is paid by Ann.", "We moved from Heroku to Fly.io."),
        ("Ann knows Jenkins well.", "We moved from Jenkins to GitLab CI."),
    ],
)
def test_what_is_no_practice_of_ones_own_with_it_stays(old, new):
    said, kept = statement(new), statement(old)

    assert said is None or kept is None or not succeeds(said, kept)
