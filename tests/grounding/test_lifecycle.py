"""A memory from being told to being taken back, and what is known of it afterwards."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from knowwhy.errors import BadFields, BadInput, NotFound
from knowwhy.grounding import lifecycle, review
from knowwhy.grounding.memorules import CERTAINTIES, KINDS
from knowwhy.grounding.origin import provenance
from knowwhy.grounding.remember import remember
from knowwhy.tables.kept import memories
from knowwhy.tables.write import put_turns
from knowwhy.types import Asker, Turn

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
ANN, BOB = Asker("ann"), Asker("bob")
FACT = "The billing worker drains its queue nightly."
OTHER = "The billing worker drains its queue hourly."
RULE = {
    "memorule_kind": "convention",
    "subject": "Log as JSON",
    "applies_to": {"scope": "project", "persona": "reviewer"},
}
BODY = "Every service logs one JSON object a line."


def tell(text=FACT, asker=ANN, now=NOW, **given):
    return remember(text, asker=asker, embedder="wordhash", now=now, **given)


def update(asker, key, text, **given):
    return lifecycle.update(asker, key, text, embedder="wordhash", now=NOW, **given)


def retract(asker, key, why="It is wrong.", now=NOW):
    return lifecycle.retract(asker, key, why, now=now)


def restore(asker, key, now=NOW):
    return lifecycle.restore(asker, key, "A mistake.", embedder="wordhash", now=now)


def status(key, asker=ANN, now=NOW):
    return memories.memory(asker, key, now=now).status


def whats(key, asker=ANN):
    return [change.what for change in memories.changes_of(asker, key)]


@pytest.mark.usefixtures("store")
class Test:
    """Every test here writes to the store."""

    def test_what_a_user_says_is_kept_with_all_that_is_known_of_it(self):
        kept = tell(
            asker=Asker("ann", "orders"),
            service="billing",
            session="s-1",
            source="ADR-5",
            confidence=0.5,
            ttl=timedelta(days=2),
            valid_until=NOW + timedelta(days=9),
        )

        stored = memories.memory(ANN, kept.key, now=NOW)
        assert replace(kept, touched_at=stored.touched_at) == stored
        assert ("active", "ann", "orders", "billing", "s-1", "ADR-5", "user", 0.5) == (
            *(kept.status, kept.user_id, kept.project, kept.service, kept.session_id),
            *(kept.source, kept.said_by, kept.confidence),
        )
        assert (NOW + timedelta(days=2), NOW + timedelta(days=9)) == (
            kept.expires_at,
            kept.valid_until,
        )

    @pytest.mark.parametrize(
        ("given", "named"),
        [
            ({"kind": "rumour"}, "kind"),
            ({"kind": "note", "subject": "Log as JSON"}, "kind"),
            ({"said_by": "nobody"}, "said_by"),
            ({"confidence": 1.5}, "confidence"),
            ({"confidence": float("nan")}, "confidence"),
            ({"ttl": timedelta(0)}, "ttl"),
            ({"ttl": timedelta(days=36_501)}, "ttl"),
            ({"ttl": timedelta(1), "expires_at": NOW + timedelta(2)}, "ttl"),
            ({"expires_at": NOW}, "expires_at"),
            ({"valid_until": NOW - timedelta(1)}, "valid_until"),
            ({"valid_until": datetime(2027, 1, 1)}, "valid_until"),
            ({"source": "s" * 2_001}, "source"),
            ({"service": "s" * 201}, "service"),
            ({"text": "x" * 4_001}, "content"),
            ({"text": " "}, "content"),
            ({"kind": "memorule"}, "memorule_kind"),
        ],
    )
    def test_what_cannot_be_meant_is_named_and_nothing_is_stored(self, given, named):
        with pytest.raises(BadFields) as refused:
            tell(**given)

        assert named in refused.value.fields
        assert [] == memories.memories(ANN, statuses=memories.STATUSES, now=NOW)

    @pytest.mark.parametrize("certainty", CERTAINTIES)
    @pytest.mark.parametrize("kind", KINDS)
    def test_every_memorule_is_kept_and_leaves_its_audit_event(self, kind, certainty):
        kept = tell(
            BODY,
            **{**RULE, "memorule_kind": kind},
            certainty=certainty,
            session="s-1",
            persona="architect",
            evidence_signal="signal-7",
        )

        assert ("memorule", "active", BODY) == (kept.kind, kept.status, kept.content)
        assert (kind, certainty, "signal-7") == (
            *(kept.memorule_kind, kept.certainty),
            kept.evidence_signal,
        )
        assert RULE["applies_to"] == kept.applies_to
        written = memories.memory(ANN, kept.key, now=NOW).touched_at
        (event,) = memories.changes_of(ANN, kept.key)
        assert (kept.key, "added", "s-1", "architect", "signal-7", written) == (
            *(event.memory_key, event.what, event.session_id, event.persona),
            *(event.evidence_signal, event.at),
        )

    def test_a_new_version_of_a_memorule_leaves_its_audit_event_too(self):
        old = tell(BODY, **RULE, evidence_signal="signal-7")

        new = update(ANN, old.key, f"{BODY} Always.", session="s-2", persona="reviewer")

        event = memories.changes_of(ANN, new.key)[-1]
        assert ("added", "s-2", "reviewer", "signal-7") == (
            *(event.what, event.session_id, event.persona),
            event.evidence_signal,
        )

    def test_an_update_supersedes_and_keeps_the_old_version(self):
        old = tell(service="billing", asker=Asker("ann", "orders"), expires_at=NOW + timedelta(9))

        new = update(ANN, old.key, OTHER)

        assert ("active", "superseded") == (new.status, status(old.key))
        assert (old.key, "billing", "orders") == (new.supersedes, new.service, new.project)
        assert old.expires_at == new.expires_at
        assert new.key in memories.memory(ANN, old.key).why
        assert (["added", "superseded"], ["added"]) == (whats(old.key), whats(new.key))

    def test_an_updated_memorule_stays_one_and_is_checked_as_one(self):
        old = tell(BODY, **RULE)

        with pytest.raises(BadFields, match="body must have at least 10 characters"):
            update(ANN, old.key, "As JSON.")
        new = update(ANN, old.key, f"{BODY} Always.")

        assert ("memorule", "Log as JSON", "convention") == (
            new.kind,
            new.subject,
            new.memorule_kind,
        )
        assert old.applies_to == new.applies_to

    def test_an_update_that_is_refused_leaves_the_old_version_active(self):
        old, kept = tell(), tell("Invoices are archived after ninety days.")

        new = update(ANN, old.key, "Invoices are archived after ninety days.")

        assert ("refused", kept.key) == (new.status, new.copy_of)
        assert "active" == status(old.key)

    def test_an_update_that_says_the_same_is_none(self):
        old = tell()

        with pytest.raises(BadInput, match="says exactly that already"):
            update(ANN, old.key, FACT.replace(" ", "  "))

    def test_what_is_retracted_is_kept_with_the_reason(self):
        key = tell().key

        done = retract(ANN, key, "It was a joke.")

        assert ("retracted", "It was a joke.") == (done.status, done.why)
        assert [] == memories.memories(ANN, now=NOW)
        change = memories.changes_of(ANN, key)[-1]
        assert ("retracted", "It was a joke.", "ann") == (change.what, change.why, change.by)
        assert {"status": "active"} == {k: v for k, v in change.before.items() if k == "status"}

    def test_what_has_gone_can_neither_be_retracted_nor_updated(self):
        key = tell().key
        retract(ANN, key)

        with pytest.raises(BadInput, match="is retracted; there is nothing to take back"):
            retract(ANN, key)
        with pytest.raises(BadInput, match="is retracted; only what is active or waits"):
            update(ANN, key, OTHER)

    def test_what_was_retracted_comes_back_as_it_was(self):
        before = memories.memory(ANN, tell().key, now=NOW)
        retract(ANN, before.key)

        after = restore(ANN, before.key)

        assert replace(before, touched_at=after.touched_at) == after
        assert ["added", "retracted", "restored"] == whats(before.key)

    def test_what_waited_waits_again(self):
        key = tell(said_by="assistant").key
        retract(ANN, key)

        assert "pending" == restore(ANN, key).status

    def test_what_was_rejected_waits_again_and_is_found_again(self):
        key = tell(said_by="assistant").key
        review.reject(ANN, key, "It is wrong.", now=NOW)

        assert "pending" == restore(ANN, key).status
        assert key == tell(said_by="assistant").copy_of

    def test_what_was_superseded_comes_back_once_its_successor_is_gone(self):
        old = tell()
        new = update(ANN, old.key, OTHER)

        with pytest.raises(BadInput, match=f"{new.key} stands in the place of {old.key}"):
            restore(ANN, old.key)
        retract(ANN, new.key)

        back = restore(ANN, old.key)
        assert ("active", None) == (back.status, back.valid_until)

    def test_what_was_superseded_can_be_taken_back_and_is_superseded_again_when_restored(self):
        old = tell()
        new = update(ANN, old.key, OTHER)

        assert "retracted" == retract(ANN, old.key).status
        assert "superseded" == restore(ANN, old.key).status
        assert "active" == status(new.key)

    def test_what_would_be_there_twice_does_not_come_back(self):
        old = tell()
        retract(ANN, old.key)
        again = tell()
        assert "active" == again.status

        with pytest.raises(BadInput, match=f"{old.key} says the same as {again.key}"):
            restore(ANN, old.key)
        assert "retracted" == status(old.key)

    def test_what_never_went_cannot_come_back(self):
        key = tell().key
        refused = tell()
        assert ("refused", key) == (refused.status, refused.copy_of)

        for memory in (key, refused.key):
            with pytest.raises(BadInput, match="there is nothing to restore"):
                restore(ANN, memory)

    def test_what_has_expired_is_not_served_and_cannot_come_back(self):
        key = tell(ttl=timedelta(hours=1)).key
        retracted = tell("Invoices are archived.", ttl=timedelta(hours=1)).key
        retract(ANN, retracted)
        later = NOW + timedelta(hours=2)

        assert "expired" == status(key, now=later)
        assert [] == memories.memories(ANN, now=later)
        with pytest.raises(BadInput, match="has expired"):
            restore(ANN, retracted, now=later)

    def test_of_what_was_to_be_forgotten_no_words_are_shown_though_somebody_asks_for_it(self):
        short = {"ttl": timedelta(hours=1)}
        rule = tell(BODY, **RULE, **short)
        taken = tell("Invoices are archived.", **short)
        replaced = tell(**short)
        new = update(ANN, replaced.key, OTHER)
        retract(ANN, taken.key)
        later = NOW + timedelta(hours=2)

        listed = memories.memories(ANN, statuses=memories.STATUSES, now=later)
        found = [provenance(ANN, memory.key, now=later) for memory in listed]

        assert {rule.key, taken.key, replaced.key, new.key} == {memory.key for memory in listed}
        for words in ("Invoices", "JSON", "drains"):
            assert words not in str(listed)
            assert words not in str(found)
            assert words not in str(retract(ANN, replaced.key, now=later))
            assert words not in str(restore(ANN, replaced.key, now=later))

    def test_another_users_memory_is_like_one_that_nobody_has(self):
        key = tell().key

        for step in (
            lambda k: update(BOB, k, OTHER),
            lambda k: retract(BOB, k),
            lambda k: restore(BOB, k),
            lambda k: provenance(BOB, k, now=NOW),
        ):
            told = []
            for wrong in (key, "m-" + "0" * 20):
                with pytest.raises(NotFound) as refused:
                    step(wrong)
                told.append(str(refused.value).replace(wrong, "KEY"))
            assert told[0] == told[1]
        assert (["added"], "active") == (whats(key), status(key))

    def test_an_everybodys_memory_says_who_changed_it(self):
        key = tell(asker=Asker()).key

        new = update(BOB, key, OTHER)
        retract(ANN, new.key)

        assert (None, "retracted") == (new.user_id, status(new.key))
        assert ["bob", "ann"] == [change.by for change in memories.changes_of(BOB, new.key)]

    def test_provenance_tells_the_whole_chain_from_any_version(self):
        texts = [FACT, OTHER, f"{OTHER} Since May.", f"{OTHER} Since June 12."]
        keys = [tell().key]
        for text in texts[1:]:
            keys.append(update(ANN, keys[-1], text).key)  # each from the last

        for place, key in enumerate(keys):
            found = provenance(ANN, key, now=NOW)
            assert keys[:place][::-1] == [memory.key for memory in found.earlier]
            assert keys[place + 1 :] == [memory.key for memory in found.later]

    def test_provenance_shows_source_tier_evidence_turn_and_changes(self):
        turn = Turn("t-1", "ann", None, "s-1", "user", None, FACT, None, NOW)
        put_turns([turn])
        waiting = tell(said_by="assistant", source="conversation:s-1")
        new = review.correct(ANN, waiting.key, OTHER, embedder="wordhash", now=NOW)

        found = provenance(ANN, new.key, now=NOW)

        assert new == found.memory
        assert found.tier in (1, 2, 3)
        assert (OTHER, "conversation:s-1") == (found.evidence["claim"], found.evidence["source"])
        assert ["added", "corrected"] == [change.what for change in found.changes]
        assert [waiting.key] == [memory.key for memory in found.earlier]

    def test_provenance_shows_the_turn_only_while_it_lives(self):
        from knowwhy.grounding.admit import admit
        from knowwhy.grounding.claims import Claim

        over = NOW + timedelta(hours=1)
        put_turns([Turn("t-1", "ann", None, "s-1", "user", None, FACT, None, NOW, over)])
        claim = Claim(
            FACT,
            user_id="ann",
            said_by="user",
            turn_key="t-1",
            fact_number=0,
            extractor_version="rules 1",
            raw_source=FACT,
        )
        key = admit([claim], embedder="wordhash", now=NOW)[0].key

        found = provenance(ANN, key, now=NOW)
        assert ("t-1", FACT, "rules 1") == (
            found.turn.key,
            found.memory.raw_source,
            found.memory.extractor_version,
        )
        assert None is provenance(ANN, key, now=over).turn
