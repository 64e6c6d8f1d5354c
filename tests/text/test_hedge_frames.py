"""Phrases that doubt a whole claim, by how they are built, and phrases that only look like them."""

import pytest

from knowwhy.text.doubt.hedges import hedges
from pace import assert_linear

POSSIBLE = """
It is possible that the queue loses jobs on a restart.
It's possible the queue loses jobs.
It is quite conceivable that the queue loses jobs.
It seems plausible that the queue loses jobs.
That's entirely possible: it's plausible the proxy buffers uploads.
A plausible cause is the proxy.
One possible explanation is the buffer of the proxy.
It is not out of the question that the proxy buffers uploads.
It's not impossible that the proxy buffers uploads.
There is a real possibility that the replica lags.
Hypothetically the proxy buffers uploads.
Could've been the proxy that buffered uploads.
May-be the proxy buffers uploads.
"""
GUESSED = """
If I had to guess, the replica lags behind by a second.
If we had to bet, it is the replica.
Chances are the replica lags.
Chances are good that the replica lags.
Odds are it is the replica.
The odds are high that the replica lags.
My money is on the replica.
Anyone's guess where the replica runs.
It's a coin flip whether the replica answers.
I have a feeling the scheduler skips Sundays.
We've got a nagging feeling that the scheduler skips Sundays.
Something tells me the scheduler skips Sundays.
My gut says the scheduler is slow.
I wouldn't be surprised if the scheduler skips Sundays.
The prevailing theory is that the scheduler skips Sundays.
"""
NAMED_A_GUESS = """
Hypothesis: the scheduler skips Sundays.
As a theory: the scheduler skips Sundays.
It's only a theory, the scheduler skips Sundays.
The scheduler skips Sundays; that is merely a guess.
Our best theory so far is that the scheduler skips Sundays.
Thinking out loud, the scheduler skips Sundays.
A stab in the dark: the scheduler skips Sundays.
An unconfirmed report says the scheduler skips Sundays.
Call it a hunch, the scheduler skips Sundays.
It is a wild theory of mine that the scheduler skips Sundays.
Untested idea: the scheduler skips Sundays.
"""
SUPPOSED = """
Let's say the scheduler skips Sundays.
Suppose the scheduler skips Sundays; then the gap is explained.
What if the scheduler skips Sundays?
I could imagine that the scheduler skips Sundays.
Could it be that the scheduler skips Sundays?
The main suspect is the scheduler.
Suspect number one: the scheduler.
It isn't beyond the realm of possibility that the scheduler skips Sundays.
"""
ODDS = """
I'm 80% sure that the scheduler skips Sundays.
60 percent confident: the scheduler skips Sundays.
There is a 30% chance that the scheduler skips Sundays.
There's an outside chance that the scheduler skips Sundays.
I'd put it at 70/30 that the scheduler skips Sundays.
It's fifty-fifty whether the scheduler runs.
Ten to one it is the scheduler.
"""
UNPROVEN = """
No proof, but the scheduler skips Sundays.
We have no evidence for it yet, but the scheduler skips Sundays.
The scheduler skips Sundays, though nobody has proof.
Nobody has verified it, yet the scheduler skips Sundays.
There is no telling if the scheduler skips Sundays.
It would not shock me if the scheduler skips Sundays.
I'm not entirely convinced, but the scheduler skips Sundays.
No one has ruled out the scheduler.
A fault of the scheduler cannot be ruled out.
It is an open question whether the scheduler runs.
A fault of the scheduler is conceivable.
"""
UNCERTAIN = """
We can't be certain the importer reads every file.
We cannot really be sure that the importer reads every file.
Can't rule out a race in the importer.
We can't rule the importer out.
Nobody can say for sure where the importer stops.
I'm not positive that the importer restarts.
The importer reads every file (unconfirmed).
The importer skips files (not yet verified).
This is unverified: the importer reads every file.
Unconfirmed: the importer skips files.
The importer skips files, but unconfirmed.
The importer skips files; this is still unproven.
"""
NOT_EXCLUDED = """
I wouldn't rule out a race in the scheduler.
I would hardly rule a race out.
I'd not rule out a race in the scheduler.
I wouldnt rule out a race.
We don't rule out a race in the scheduler.
We have not yet ruled out the proxy.
I wouldn't put it past the scheduler to skip Sundays.
I wouldn't swear to it, but the port is 8080.
"""
KNOWN_SO_FAR = """
As far as I can make out the replica lags.
As far as anyone can tell the replica lags.
As far as we've been told, the replica lags.
As best I can reconstruct it, the replica lags.
From what I've heard the replica lags.
The replica lags, from what we can gather.
I'm told the replica lags.
We've been assured that the replica lags.
The replica lags, or so I'm told.
The replica lags, or so we've been told.
The replica lags, or so everyone says.
"""
ONE_ACCOUNT = """
One explanation is that the replica lags.
Another explanation for the gap is a lagging replica.
One possible reading is that the replica lags.
It would appear the replica lags.
It'd appear that the replica lags.
The replica, it appears, lags.
I kinda think the replica lags.
We sorta assume the replica lags.
I honestly believe the replica lags.
One would think the replica lags.
The replica, one would think, lags by a second.
The replica lags, you'd think.
I'd have assumed the replica lags.
"""
HEARSAY = """
The cache is believed to be warm after a deploy.
The cache is suspected to be cold.
The outage is thought to come from the cache.
The outage was thought to be caused by the cache.
The cache is presumed to be the culprit.
The supplier is said to be closing.
The supplier is rumoured to be closing down.
The cache is thought by Priya to be cold.
It is rumored that the cache moves to another region.
"""
RESERVED = """
The cache holds 40 entries, unless I'm mistaken.
Unless we are wrong, the cache holds 40 entries.
If memory serves, the cache holds 40 entries.
Correct me if I'm wrong, the cache holds 40 entries.
I could be wrong, the cache holds 40 entries.
Don't quote me on this, the cache holds 40 entries.
We haven't verified this, the cache is cleared nightly.
I'm inclined to think the cache is cleared nightly.
We have reason to believe the cache is cleared nightly.
The culprit, I fear, is the cache.
I would say the cache is cleared nightly.
Our best estimate is that the cache holds 40 entries.
All signs point to the cache.
Assumption: the cache holds 40 entries.
Our working assumption is that the cache holds 40 entries.
Let's assume the cache holds 40 entries.
It is safe to assume the cache holds 40 entries.
Assuming the docs are right, the cache holds 40 entries.
We feel that the cache is too small.
If you ask me, the cache is too small.
My read is that the cache is too small.
There are signs that the cache is too small.
It stands to reason that the cache is too small.
The team suspects the cache.
It's thought that the cache is cold.
The cache looks to be too small.
It looks suspiciously like the cache.
TBD: the cache is cleared nightly.
The cache could lose entries.
"""
MARKED = """
The fault is "maybe" in the token check of the gateway.
The fault is `maybe` in the token check of the gateway.
The fault “might” be in the token check of the gateway.
We "think" the fault is in the token check of the gateway.
The gateway is 'probably' too slow for the upload of the videos.
The fault is in the token check of the gateway, "perhaps".
"""
NO_DOUBT = """
It is not possible to restart the importer by hand.
It is possible to pass --dry-run twice.
It's possible for admins to export all users.
It is possible only with a token.
It is impossible to run two importers.
The format makes it possible that two jobs run at once.
Possible values are red and green.
All possible states are listed in states.py.
The maybe() function is defined in core.
The Maybe type is used in core.
Maybe<T> wraps the result of a lookup.
Priya is a thought leader in our guild.
We picked Mongo in 2019 because it was believed to scale better.
A transaction is said to be committed when two replicas have it.
Unverified emails cannot log in.
An unconfirmed order expires after one day.
Orders that are not confirmed within an hour are cancelled.
The odds are stored in the table bets.
The odds service listens on port 8080.
Clients cannot confirm an order twice.
The scheduler rules out two runs at once.
The linter cannot exclude generated files.
The theory section of the docs is generated.
Hypothetical documents are embedded before the search.
The value is not positive after a refund.
We rebuilt the impression pipeline in March.
All traffic points to the new cluster.
The column holds the reason, and the docs say so.
The hypothesis library generates our property tests.
The suspect flag of a payment is set by the fraud job.
The jury app is written in Go.
Open questions go to the board on Fridays.
My read replica is in Oslo.
Nobody could log in until the fix.
We moved the cache so that pods could share it.
We have no proof of delivery for texts, so receipts go by mail.
A 70% canary runs before a full release.
The 50/50 split of the test is made at the edge.
Let's always squash before merging.
We cannot be sure of the order of messages, so consumers are idempotent.
The tests of the theory module live under tests/theory.
A release is 100% sure to be signed.
We rule out races with a lock.
The linter does not rule out tabs.
We do not exclude tests from coverage.
The explanation is in ADR-5.
One explanation page is linked from the portal.
One reason is that consumers need replay.
The form would appear twice.
It would appear a second time on the invoice.
It appears twice on the invoice.
The banner appears in the header.
We roll back as far as the last checkpoint.
The price is computed from what we store.
We were told to use Postgres.
The user is informed that the parcel is late.
Some kind of queue keeps the order.
You would expect 404 for a missing parcel.
"""
MENTIONED = """
The column has the values "yes", "no" and "maybe".
The third state is "maybe".
The button "Maybe later" closes the dialog of the app.
The message "not sure" closes the dialog of the app.
The function `maybe` returns the first value.
`maybe` is a keyword of our language.
We use the `maybe` decorator for flaky tests.
The status `unconfirmed` is shown in grey.
The relay is "at most once" by design.
"""


def cases(*families):
    return [line for family in families for line in family.strip().splitlines()]


STRONG = (POSSIBLE, GUESSED, NAMED_A_GUESS, SUPPOSED, ODDS, UNPROVEN, UNCERTAIN, NOT_EXCLUDED)


@pytest.mark.parametrize("text", cases(*STRONG))
def test_a_phrase_that_makes_a_claim_a_guess_is_strong(text):
    assert any(hedge.strong for hedge in hedges(text))


@pytest.mark.parametrize("text", cases(HEARSAY, RESERVED, KNOWN_SO_FAR, ONE_ACCOUNT))
def test_what_others_hold_and_what_is_said_with_reserve_is_doubt(text):
    assert hedges(text)


@pytest.mark.parametrize("text", cases(MARKED))
def test_marks_around_a_word_do_not_hide_the_doubt_in_it(text):
    assert hedges(text)


@pytest.mark.parametrize("text", cases(NO_DOUBT))
def test_abilities_names_and_states_are_no_doubt(text):
    assert [] == hedges(text)


@pytest.mark.parametrize("text", cases(MENTIONED))
def test_a_word_that_is_only_spoken_of_is_no_doubt(text):
    assert [] == hedges(text)


@pytest.mark.parametrize(
    "part",
    [
        *("it is possible ", "is believed to be ", "rule a a a a ", "(unverified ", "'a' ", ", "),
        *("i wouldn't rule a a ", "as far as i can ", ", so we have been ", "one theory of a a "),
        *("i kind of rather ", "it would appear the a ", "one would have "),
    ],
)
def test_a_long_run_of_beginnings_is_read_in_linear_time(part):
    assert_linear(hedges, part)
