"""What was to be forgotten is, also where something else has taken its place meanwhile."""

from datetime import UTC, datetime, timedelta

import pytest

from knowwhy.grounding.remember import remember
from knowwhy.retrieval.search import search
from knowwhy.retrieval.words import bm25
from knowwhy.tables import recallable
from knowwhy.tables.talk.said import MOST_NAME
from knowwhy.tables.talk.turns import safe_name
from knowwhy.types import Asker, Filters

ANN = Asker("ann")
OLD, NEW = "We send mail with Resend.", "We moved from Resend to Bento for sending mail."
PAST = "What did we send mail with before, and why did we move?"
HOUR = timedelta(hours=1)
QUERY_LEGS = (("bm25",), ("vector",), ("bm25", "vector", "graph"))


def tell(text, **given):
    now = datetime.now(UTC)
    return remember(text, asker=ANN, embedder="wordhash", now=now, **given)


def ask(question, legs):
    filters = Filters(asker=ANN)
    given = {"embedder": "wordhash", "reranker": "none", "filters": filters, "legs": legs}
    return search(question, **given).hits


@pytest.fixture
def clock(monkeypatch):
    """Moves the clock of every part of a search on."""
    from knowwhy.retrieval import legs

    class Later(datetime):
        by = timedelta()

        @classmethod
        def now(cls, tz=None):
            return datetime.now(tz) + cls.by

    for module in (legs, bm25):
        monkeypatch.setattr(module, "datetime", Later)
    return Later


@pytest.mark.parametrize("legs", QUERY_LEGS)
def test_what_was_superseded_is_the_past_only_until_it_was_to_be_forgotten(store, clock, legs):
    old, new = tell(OLD, ttl=HOUR), tell(NEW)
    assert {old.key, new.key} == {hit.passage.key for hit in ask(PAST, legs)}

    clock.by = 2 * HOUR

    assert [new.key] == [hit.passage.key for hit in ask(PAST, legs)]


@pytest.mark.parametrize("legs", QUERY_LEGS)
def test_what_is_to_be_forgotten_does_not_live_on_beside_what_took_its_place(store, clock, legs):
    tell(OLD, ttl=HOUR)
    tell(NEW)

    for hours in (0, 2):
        clock.by = hours * HOUR
        assert OLD not in repr(ask("What do we send mail with?", legs))


def test_what_took_the_place_of_something_lasting_shows_it(store):
    old, new = tell(OLD), tell(NEW)

    assert {old.key} == recallable.replaced_by([old.key], ANN).keys()
    assert {} == recallable.replaced_by([old.key], Asker("bob"))
    assert [OLD] == [hit.replaces for hit in ask("What do we send mail with?", ("bm25",))]
    assert new.supersedes == old.key


def test_a_service_whose_name_holds_a_secret_is_found_by_that_name(store):
    service = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"
    kept = tell("The gateway sends its mail nightly.", service=service)
    assert service not in repr(kept)

    for legs in (("bm25",), ("vector",)):
        filters = Filters(asker=ANN, service=service)
        given = {"embedder": "wordhash", "reranker": "none", "filters": filters, "legs": legs}
        assert [kept.key] == [hit.passage.key for hit in search("mail", **given).hits]


def test_a_name_of_nothing_but_secrets_stays_within_its_bound(store):
    name = " ".join(f"AKIA{number:04}ABCDEFGHIJ12" for number in range(9))

    stored = safe_name(name)

    assert len(stored) <= MOST_NAME
    assert stored == safe_name(stored)
    assert "AKIA" not in stored
    assert stored != safe_name(name.replace("J12", "J13"))
