"""What goes with a handoff: only what its sender may read, and for as long as it may be read."""

from datetime import UTC, datetime

import pytest

from handing import ADA, BEN, NOW, SETTINGS, crew, handed, kept, late, pooled, record
from knowwhy.errors import BadInput, NotAllowed, NotFound
from knowwhy.maas import agents, handoffs
from knowwhy.retrieval.context.handoff_context import pack_handoff
from knowwhy.tables.agents import audit_rows, handed_over, registries
from knowwhy.tables.agents.lending import lent_memory
from knowwhy.tables.write import queue, table
from knowwhy.types import Asker

pytestmark = pytest.mark.usefixtures("store")


def test_memories_and_records_that_its_sender_may_read_go_with_it():
    planner, coder = crew()
    mine, ours = kept(1, "We pay in euros."), kept(2, "The shop opens at 9.", user_id=None)
    kafka, anywhere = record("adr-1", "shop"), record("adr-2")

    given = handed(planner, coder, memory_keys=[mine, ours, mine], record_keys=[kafka, anywhere])

    assert ((mine, ours), (kafka, anywhere)) == (given.memory_keys, given.record_keys)


def test_what_its_sender_may_not_read_does_not_exist():
    planner, coder = crew()
    theirs = kept(1, "Ben likes tea.", user_id="ben")
    elsewhere = kept(2, "Everybody's, elsewhere.", user_id=None, project="depot")
    gone = kept(3, "No longer.", status="retracted")
    over = kept(4, "Until then.", valid_until=NOW)
    record("adr-1", "depot")

    for key in (theirs, elsewhere, "m-none"):
        with pytest.raises(NotFound, match=f"You have no memory '{key}'"):
            handed(planner, coder, memory_keys=[key])
    for key, status in ((gone, "retracted"), (over, "expired")):
        with pytest.raises(BadInput, match=f"{key} is {status}"):
            handed(planner, coder, memory_keys=[key])
    for key in ("adr-1", "adr-9"):
        with pytest.raises(NotFound, match=f"No record is called '{key}'"):
            handed(planner, coder, record_keys=[key])


def test_who_may_not_read_memories_hands_none_over():
    planner = agents.register(ADA, SETTINGS, "P", "human", capabilities=["handoff_initiate"]).key
    _, coder = crew()
    mine = kept(1, "We pay in euros.")

    with pytest.raises(NotAllowed, match="lacks memory_read"):
        handed(planner, coder, memory_keys=[mine])


def carried(owner="ben", project="shop"):
    return handed_over.carried(Asker(owner, project), datetime.now(UTC))


def lent():
    """A memory of one owner that was handed to an agent of another one."""
    planner, coder = crew(to=BEN)
    pooled((planner, "ada"), (coder, "ben"))
    told = {"raw_source": "Ada said so.", "session_id": "s1", "verified_by": "ada"}
    key = kept(1, "We pay in euros.", verified_at=NOW, turn_key="t1", **told)
    return planner, coder, key, handed(planner, coder, memory_keys=[key])


def test_what_was_handed_over_is_readable_and_tells_nothing_else_of_its_owner():
    _, coder, key, given = lent()

    assert {key: "We pay in euros."} == {k: one.content for k, one in carried().items()}
    handoffs.accept(BEN, SETTINGS, coder, given.key)
    seen = carried()[key]
    assert not any(word in repr(seen) for word in ("'ada'", "Ada said", "s1", "t1", "shop"))
    assert {} == carried("eve")


def test_what_is_everybodys_in_one_project_tells_elsewhere_what_it_says_and_no_more():
    planner, coder = crew(to=BEN)
    pooled((planner, "ada"), (coder, "ben"))
    told = {"user_id": None, "session_id": "s1", "raw_source": "Ada said so."}
    here, anywhere = kept(1, "We pay in euros.", **told), kept(2, "We ship.", project=None, **told)
    handed(planner, coder, memory_keys=[here, anywhere])

    seen = carried(project="depot")

    assert ("We pay in euros.", None, None) == (
        seen[here].content,
        seen[here].session_id,
        seen[here].project,
    )
    assert "s1" == seen[anywhere].session_id


@pytest.mark.parametrize("length", [256, 257])
def test_owners_whose_long_names_begin_alike_are_not_the_same(length):
    long = f"{length}".ljust(length + 1, "b")  # what was noted of one is not of another length
    shorter, one, other = (Asker(long[:end], "shop") for end in (length - 1, length, length + 1))
    planner = agents.register(one, SETTINGS, "Planner", "human").key
    coder = agents.register(one, SETTINGS, "Coder", "human").key
    key = kept(1, "We pay in euros.", user_id=one.user_id)
    handed(planner, coder, memory_keys=[key], asker=one)

    for who, theirs in ((shorter, []), (one, [planner, coder]), (other, [])):
        assert theirs == [agent.key for agent in agents.of(who)]
        assert bool(theirs) == bool(audit_rows.acts(user_id=who.user_id, most=10))
        assert bool(theirs) == bool(carried(who.user_id))


def test_what_was_accepted_in_time_is_readable_until_it_is_done():
    _, coder, key, given = lent()
    handoffs.accept(BEN, SETTINGS, coder, given.key)
    late(given)
    shown = handoffs.look_up(BEN, SETTINGS, coder, given.key)

    assert [key] == list(carried())
    assert "We pay in euros." in pack_handoff(BEN, shown, 600, datetime.now(UTC)).text
    handoffs.complete(BEN, SETTINGS, coder, given.key)
    assert {} == carried()


def test_what_was_handed_over_is_opened_by_its_key_while_it_may_be_read(knowwhy):
    _, coder, key, given = lent()
    eve = Asker("eve", "shop")

    found = lent_memory(BEN, key, datetime.now(UTC))
    opened = knowwhy("provenance", key, "--user", "ben", "--project", "shop")

    assert ("We pay in euros.", ()) == (found.memory.content, found.pools)
    assert not any(word in repr(found) for word in ("'ada'", "Ada said", "s1", "t1", "shop"))
    assert (0, True) == (opened.code, "We pay in euros." in opened.out)
    handoffs.reject(BEN, SETTINGS, coder, given.key)
    for who in (BEN, eve):
        with pytest.raises(NotFound, match=f"You have no memory '{key}'"):
            lent_memory(who, key, datetime.now(UTC))


SAYS = {  # by what an agent needs to read it
    "memory_read": ["We pay in euros."],
    "kb_search": ["Beans are counted at noon.", "Minutes of the pump crew."],
    "decision_read": ["Kafka carries the ledger."],
    "incident_read": ["Gate 4 was flooded."],
}


@pytest.mark.parametrize("may", [(), *((one,) for one in SAYS), tuple(SAYS)])
def test_its_receiver_is_shown_what_its_capabilities_let_it_read_and_told_what_is_left_out(may):
    planner, _ = crew()
    may_receive = ["handoff_receive", *may]
    coder = agents.register(ADA, SETTINGS, "Coder", "human", capabilities=may_receive).key
    key = kept(1, SAYS["memory_read"][0])
    records = [
        record("pump.py", kind="code", content=SAYS["kb_search"][0]),
        record("minutes", kind="meeting", content=SAYS["kb_search"][1]),
        record("adr-1", kind="adr", content=SAYS["decision_read"][0]),
        record("inc-4", kind="incident", content=SAYS["incident_read"][0]),
    ]
    given = handed(planner, coder, memory_keys=[key], record_keys=records)

    shown = handoffs.accept(ADA, SETTINGS, coder, given.key)
    packed = pack_handoff(ADA, shown, 2_000, datetime.now(UTC))

    assert {text for one in may for text in SAYS[one]} == {
        text for texts in SAYS.values() for text in texts if text in packed.text
    }
    lacks = [one for one in SAYS if one not in may]
    number = sum(len(SAYS[one]) for one in lacks)
    told = f"{number} of what goes with it are left out, for want of {', '.join(lacks)}."
    assert bool(lacks) == (told in packed.text) == ("left out" in packed.text)
    assert number == len([item for item in packed.items if item.key and not item.packed])


def rejected(planner, coder, key, given):
    handoffs.reject(BEN, SETTINGS, coder, given.key)


def completed(planner, coder, key, given):
    handoffs.accept(BEN, SETTINGS, coder, given.key)
    handoffs.complete(BEN, SETTINGS, coder, given.key)


def retracted(planner, coder, key, given):
    change(key, status="retracted")


def run_out(planner, coder, key, given):
    change(key, valid_until=NOW)


def given_away(planner, coder, key, given):
    change(key, user_id="eve")


def overdue(planner, coder, key, given):
    late(given)


def its_sender_gone(planner, coder, key, given):
    agents.deactivate(ADA, planner)


def its_receiver_gone(planner, coder, key, given):
    agents.deactivate(BEN, coder)


def its_receiver_blind(planner, coder, key, given):
    registries.carry_out(registries.changed("agents", coder, capabilities=["handoff_receive"]))


def change(key, **to):
    with queue("memories"):
        table("memories").batch_update([{"key": key, **to}])


@pytest.mark.parametrize(
    "how",
    [
        rejected,
        completed,
        retracted,
        run_out,
        given_away,
        overdue,
        its_sender_gone,
        its_receiver_gone,
        its_receiver_blind,
    ],
)
def test_it_is_readable_no_longer_at_once(how):
    planner, coder, key, given = lent()
    assert [key] == list(carried())

    how(planner, coder, key, given)

    assert {} == carried()
