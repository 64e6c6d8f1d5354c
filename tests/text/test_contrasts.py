"""What was and what is, in ordinary words: what is gone makes way, what still holds stays."""

import pytest

from knowwhy.text.claims.clauses import says_newly
from knowwhy.text.claims.contrasts import read_contrast
from knowwhy.text.claims.topics import conflict, statement, succeeds
from pace import assert_linear

MAIL, CI, OWNER = "We send mail with Resend.", "CI runs on Jenkins.", "Billing is owned by Alice."
CACHE, SESSIONS = "We use Redis for caching.", "Sessions are stored in Redis."
FREEZE, TIMEOUT = "The deploy freeze is on Friday.", "The API timeout is 30 s."
TOKENS = "Access tokens live for 15 minutes."
GONE = [
    (MAIL, "Mail is now sent with Bento, no longer with Resend."),
    (MAIL, "We send mail with Bento now, no longer with Resend."),
    (MAIL, "We send mail with Bento, not with Resend anymore."),
    (MAIL, "Since May mail is sent with Bento and no longer with Resend."),
    (MAIL, "We used to send mail with Resend, now we use Bento."),
    (MAIL, "We used to send mail with Resend, but now it is Bento."),
    (MAIL, "We used to send mail with Resend; now we use Bento."),
    (MAIL, "We used to use Resend for mail, these days we use Bento."),
    (MAIL, "As of today it's Bento instead of Resend for mail."),
    (MAIL, "From now on it is Bento instead of Resend for mail."),
    (MAIL, "Mail was sent with Resend until May, now it is sent with Bento."),
    (MAIL, "We sent mail with Resend until March, since then with Bento."),
    (MAIL, "We don't send mail with Resend anymore, now we use Bento."),
    (MAIL, "We no longer send mail with Resend, we use Bento."),
    (MAIL, "Resend no longer sends our mail, Bento does."),
    (MAIL, "Bento took over mail from Resend."),
    (MAIL, "Our mail provider is Bento now, no longer Resend."),
    (MAIL, "Our mail provider used to be Resend, now it is Bento."),
    (CI, "Our CI runs on GitHub Actions now, no longer on Jenkins."),
    (CI, "CI runs on Buildkite now, not on Jenkins anymore."),
    (CI, "CI used to run on Jenkins, now it runs on Buildkite."),
    (CI, "Our CI was Jenkins until March, now it is GitHub Actions."),
    (CI, "CI no longer runs on Jenkins but on Buildkite."),
    (OWNER, "Billing is now owned by Bob, no longer by Alice."),
    (OWNER, "Bob took over billing from Alice."),
    (OWNER, "Alice handed billing over to Bob."),
    (OWNER, "Alice handed over billing to Bob last week."),
    (OWNER, "Alice used to own billing, now Bob does."),
    (OWNER, "Alice was the owner of billing until May, now Bob is."),
    (OWNER, "Alice no longer owns billing, Bob does."),
    (OWNER, "Bob owns billing now, Alice no longer does."),
    (OWNER, "Alice is no longer responsible for billing, Bob is."),
    (CACHE, "Redis is no longer used for caching, Valkey is."),
    (CACHE, "Redis is not used for caching anymore, Valkey is."),
    (CACHE, "We no longer use Redis for caching, now it's Valkey."),
    (CACHE, "Valkey took over caching from Redis."),
    (CACHE, "We used to use Redis for caching and now use Valkey."),
    (CACHE, "For caching, we use Valkey now, no longer Redis."),
    (SESSIONS, "Sessions are stored in Valkey now instead of Redis."),
    (SESSIONS, "Sessions are stored in Valkey now, no longer in Redis."),
    (SESSIONS, "Sessions used to be stored in Redis, now they are stored in Valkey."),
    (SESSIONS, "We store sessions in Valkey instead of in Redis."),
    (FREEZE, "The deploy freeze is on Thursday now, no longer on Friday."),
    (FREEZE, "The deploy freeze used to be on Friday, now it is on Thursday."),
    (FREEZE, "The deploy freeze is on Thursday instead of Friday."),
    (TIMEOUT, "The API timeout is 45 s now, no longer 30 s."),
    (TIMEOUT, "The API timeout used to be 30 s, now it is 45 s."),
    (TIMEOUT, "The API timeout was 30 s until May, now it is 45 s."),
    ("We deploy with Jenkins.", "We used to deploy with Jenkins, now we deploy with Buildkite."),
]
STAYS = [
    (MAIL, "Mail is sent with Bento in staging, no longer with Resend."),
    (MAIL, "Newsletters are sent with Bento now, no longer with Resend."),
    (MAIL, "We used to send mail with Resend, now we might use Bento."),
    (MAIL, "We plan to send mail with Bento, no longer with Resend."),
    (MAIL, "Should mail be sent with Bento, no longer with Resend?"),
    (MAIL, "If fees rise, mail is sent with Bento, no longer with Resend."),
    (MAIL, "Soon mail will be sent with Bento, no longer with Resend."),
    (MAIL, "Acme used to send mail with Resend, now they use Bento."),
    (MAIL, "Acme no longer sends mail with Resend, they use Bento."),
    (MAIL, "We used to send mail with Mailgun, now we use Resend."),
    (MAIL, "We used to send newsletters with Resend, now we use Bento."),
    (MAIL, "We used to send mail with Resend, now we use Bento for newsletters."),
    (MAIL, "It is Bento instead of Resend."),
    (MAIL, "Mail is sent with Bento, no longer with Resend, but only in Brazil."),
    (MAIL, "Mail is sent with Bento temporarily, no longer with Resend."),
    (MAIL, "The invoice mail is sent with Bento now, no longer with Resend."),
    (CI, "The portal's CI runs on Buildkite now, no longer on Jenkins."),
    (CI, "CI runs on Jenkins, no longer on every push."),
    (OWNER, "Shipping is now owned by Bob, no longer by Alice."),
    (OWNER, "Bob took over shipping from Alice."),
    (OWNER, "Bob might take over billing from Alice."),
    (OWNER, "Bob will take over billing from Alice."),
    (OWNER, "Bob almost took over billing from Alice."),
    (OWNER, "Alice took over billing from Bob."),
    (OWNER, "Lunch took over the afternoon from work."),
    (CACHE, "Redis is no longer used for queueing, Kafka is."),
    (CACHE, "Redis is no longer used for caching in staging, Valkey is."),
    (CACHE, "Redis is no longer used for caching by Acme, Valkey is."),
    (CACHE, "Valkey took over caching from Redis in the sandbox."),
    (CACHE, "Valkey took over queueing from Redis."),
    (CACHE, "We use Redis for caching, no longer guessing about misses."),
    (SESSIONS, "Carts are stored in Valkey now instead of Redis."),
    (SESSIONS, "Sessions are stored in Valkey now instead of memory."),
    (FREEZE, "The code freeze is on Thursday now, no longer on Friday."),
    (FREEZE, "The deploy freeze is on Thursday this week, no longer on Friday."),
    (TOKENS, "Access tokens live for 3 days, no longer than that."),
    (TOKENS, "Access tokens live no longer than 3 days."),
    ("We guess sizes.", "We no longer guess."),
    (MAIL, "We no longer guess."),
    (MAIL, "Mail used to be slow, now it is fast."),
    ("We deploy with Jenkins.", "We used to deploy with Ansible, now we deploy with Buildkite."),
]


@pytest.mark.parametrize(("old", "new"), GONE)
def test_what_is_told_to_be_gone_makes_way(old, new):
    assert succeeds(statement(new), statement(old))
    assert not succeeds(statement(old), statement(new))


@pytest.mark.parametrize(("old", "new"), STAYS)
def test_what_is_of_another_thing_partly_so_or_not_so_yet_leaves_what_is_kept(old, new):
    said = statement(new)

    assert said is None or not succeeds(said, statement(old))


def test_what_is_exchanged_twice_makes_way_again():
    first = statement("Sessions are stored in Valkey now instead of Redis.")
    second = statement("Sessions are stored in Dragonfly now, no longer in Valkey.")

    assert succeeds(second, first)
    assert not succeeds(first, second)


def test_no_longer_than_is_a_bound_and_ends_nothing():
    said = statement("Access tokens live no longer than 15 minutes.")

    assert said is None or said.replaced is None
    assert conflict(statement(TOKENS), statement("Access tokens live for 3 days, no longer."))


@pytest.mark.parametrize(
    ("expected", "text"),
    [
        (True, "We now send mail with Bento."),
        (True, "Now we use Bento for mail."),
        (True, "We use Bento for mail now."),
        (True, "These days we use Bento for mail."),
        (True, "From now on we use Bento for mail."),
        (True, "As of today we use Bento for mail."),
        (True, "Since March we send mail with Bento."),
        (True, "Starting today we send mail with Bento."),
        (False, "Now, the timeout is 45 s."),
        (False, "For now we use Bento for mail."),
        (False, "Until now we used Bento for mail."),
        (False, "We use Bento for mail right now."),
        (False, "We will now use Bento for mail."),
        (False, "We might use Bento for mail now."),
        (False, "Do we now use Bento for mail?"),
        (False, "Backups run now and then."),
        (False, "We send mail with Bento."),
    ],
)
def test_what_has_come_to_be_so_is_told_from_what_is_so(expected, text):
    assert expected == says_newly(text)


@pytest.mark.parametrize(
    "piece",
    ["we used to a, now we b ", "a is no longer used for b, c is ", "no longer with a ", "x , now ",
     "a took over b from c ", "instead of in a ", "now ", "was until ", "a", ", ", "and but so "],
)  # fmt: skip
def test_hostile_texts_are_held_against_each_other_in_linear_time(piece):
    def read(text):
        statement(text)
        says_newly(text)
        read_contrast(text, frozenset())

    assert_linear(read, piece, small=250, large=2_000)
    read(piece * (1_000_000 // len(piece)))
