"""Turns read again by another version of an extractor: what people decided stays decided."""

from datetime import UTC, datetime

from knowwhy.grounding import lifecycle
from knowwhy.grounding.worker import Worker
from learning import ANN, KAFKA, kept, learner, say
from stand_in import fact, message, said


def test_another_version_reads_again_on_demand_only_and_keeps_what_people_decided(api):
    for text in (KAFKA, "We deploy on Fridays.", "Alerts go to the pager."):
        say(text, session=text)
    Worker(learner()).run()
    by_content = dict(kept("content", "key"))
    lifecycle.retract(ANN, by_content[KAFKA], "It was Pulsar.", now=datetime.now(UTC))
    newer = learner(model="claude-haiku-5-5")
    assert Worker(newer).run().is_idle

    done = Worker(newer, again=True).run()

    assert (3, 3) == (done.turns, done.facts)
    state = {
        (c, v): (s, copy)
        for c, v, s, copy in kept("content", "extractor_version", "status", "copy_of")
    }
    assert "retracted" == state[KAFKA, learner().version][0]
    for content, key in by_content.items():
        assert ("refused", key) == state[content, newer.version]
    assert Worker(newer, again=True).run().is_idle


def test_what_people_decided_holds_for_a_version_that_says_it_in_other_words(api):
    cache, retries, staging = (
        "We keep the cache in Redis.",
        "Billing retries five times.",
        "The Stripe API allows 77 calls a second.",
    )
    for text in (cache, retries, staging):
        say(text, session=text)
    Worker(learner()).run()
    keys = dict(kept("content", "key"))
    now = datetime.now(UTC)
    lifecycle.retract(ANN, keys[cache], "It was Pulsar.", now=now)
    otherwise = {
        cache: "Redis holds what the project caches.",
        retries: "Five attempts are made by billing.",
        staging: "Of Stripe 77 requests pass each second.",
    }
    api.always = lambda body: message({"facts": [fact(otherwise[said(body)], quote=said(body))]})

    Worker(learner(model="claude-haiku-5-5"), again=True).run()

    state = {c: (s, copy) for c, s, copy in kept("content", "status", "copy_of")}
    assert ("refused", keys[cache]) == state[otherwise[cache]]
    assert {"active", "pending"} >= {state[otherwise[text]][0] for text in (retries, staging)}
