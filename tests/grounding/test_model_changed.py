"""A claim that waits for its turn while the home changes to the vectors of another model."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest

from knowwhy.grounding.admit import admit
from knowwhy.grounding.claims import Claim
from knowwhy.tables.kept.memories import ACTIVE, REFUSED
from knowwhy.tables.schema import HOLDERS
from knowwhy.tables.vectors import holders, switch
from knowwhy.tables.write import queue
from queued import wait_until_queued

NOON = datetime(2026, 3, 14, 12, 0, tzinfo=UTC)
KEPT = "We deploy on Fridays."
REWORDED = "We do get to deploy on Fridays."  # a cosine of .82 by its words, .96 by its meaning


def say(text):
    claim = Claim(text, kind="fact", user_id="ann", project="shop", said_by="user")
    return admit([claim], embedder="wordhash", now=NOON)[0]


def build(embedder):
    """Builds the views of another model beside those that are searched, while nobody writes."""
    for view in HOLDERS:
        switch.build(view, embedder)
        switch.densify(view)


def drop_others():
    for name in (*switch.standing(holders.GONE), *switch.standing(holders.NEXT)):
        switch.drop(name)


@pytest.fixture
def back_to_wordhash(store):
    yield
    drop_others()
    if holders.embedder() != "wordhash":
        build("wordhash")
        switch.switch()
        drop_others()


def test_by_its_words_it_is_another_claim(store):
    say(KEPT)

    assert ACTIVE == say(REWORDED).status


@pytest.mark.model
def test_a_claim_that_waited_for_a_change_of_the_model_is_judged_by_the_new_one(back_to_wordhash):
    kept = say(KEPT)
    build("bge-small")
    with ThreadPoolExecutor(1) as pool:
        with queue("memories"):
            waits = pool.submit(say, REWORDED)
            wait_until_queued(1)
            switch.switch()
        said = waits.result()

    assert (REFUSED, kept.key) == (said.status, said.copy_of)
