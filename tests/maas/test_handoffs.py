"""Handing work over: to whom, who may take which step, and for how long."""

from dataclasses import replace
from datetime import timedelta

import pytest

from handing import ADA, BEN, SETTINGS, crew, handed, late, pooled
from knowwhy.errors import BadInput, HandoffsFull, IllegalStep, NotAllowed, NotFound
from knowwhy.maas import agents, handoffs
from knowwhy.tables.agents import audit_rows, registries

pytestmark = pytest.mark.usefixtures("store")


def test_a_task_goes_from_one_agent_to_another_and_its_result_comes_back():
    planner, coder = crew()

    given = handed(planner, coder, context="It is on the old host.")

    assert [given] == handoffs.received(ADA, SETTINGS, coder)
    assert ("pending", "Planner", "Coder") == (given.state, given.sender.name, given.receiver.name)
    assert timedelta(days=1) == given.expires_at - given.created_at
    assert "accepted" == handoffs.accept(ADA, SETTINGS, coder, given.key).state
    assert [] == handoffs.received(ADA, SETTINGS, coder)
    done = handoffs.complete(ADA, SETTINGS, coder, given.key, "It is moved.")
    assert ("completed", "It is moved.") == (done.state, done.result)
    assert [done] == handoffs.sent(ADA, SETTINGS, planner)
    assert done == handoffs.look_up(ADA, SETTINGS, planner, given.key)


@pytest.mark.parametrize(
    ("first", "then", "said"),
    [
        ([], handoffs.complete, "is pending; from there only accept or reject leads on"),
        ([], handoffs.fail, "is pending; from there only accept or reject leads on"),
        ([handoffs.accept], handoffs.accept, "is accepted; from there only complete or fail"),
        ([handoffs.accept], handoffs.reject, "is accepted; from there only complete or fail"),
        ([handoffs.reject], handoffs.accept, "is rejected; from there nothing leads on"),
        ([handoffs.accept, handoffs.complete], handoffs.fail, "is completed; from there nothing"),
        ([handoffs.accept, handoffs.fail], handoffs.complete, "is failed; from there nothing"),
        ([late], handoffs.accept, "is expired; from there nothing leads on"),
    ],
)
def test_an_illegal_step_is_refused_with_the_legal_ones_named(first, then, said):
    planner, coder = crew()
    given = handed(planner, coder)
    for step in first:
        step(given) if step is late else step(ADA, SETTINGS, coder, given.key)
    before = registries.one("handoffs", given.key)

    with pytest.raises(IllegalStep, match=said):
        then(ADA, SETTINGS, coder, given.key)

    assert before == registries.one("handoffs", given.key)
    assert "illegal_step" == audit_rows.acts(most=1)[0].reason


def test_what_nobody_took_in_its_time_has_expired_for_every_reader_though_no_row_says_so():
    planner, coder = crew()
    given = handed(planner, coder)
    late(given)

    assert [] == handoffs.received(ADA, SETTINGS, coder)
    assert ["expired"] == [one.state for one in handoffs.sent(ADA, SETTINGS, planner)]
    assert [given.key] == [one.key for one in handoffs.received(ADA, SETTINGS, coder, "expired")]
    assert [] == handoffs.sent(ADA, SETTINGS, planner, "pending")
    assert "expired" == handoffs.look_up(ADA, SETTINGS, coder, given.key).state
    assert "pending" == registries.one("handoffs", given.key)["state"]


def test_what_was_accepted_may_be_completed_after_its_time():
    planner, coder = crew()
    given = handed(planner, coder)
    handoffs.accept(ADA, SETTINGS, coder, given.key)
    late(given)

    assert "completed" == handoffs.complete(ADA, SETTINGS, coder, given.key).state


def test_who_shares_a_pool_can_be_handed_a_task_and_is_told_no_name_of_its_owner():
    planner, coder = crew(to=BEN)
    pooled((planner, "ada"), (coder, "ben"))

    given = handed(planner, coder)

    [seen] = handoffs.received(BEN, SETTINGS, coder)
    assert given == seen
    assert "ada" not in repr(seen)
    assert "ben" not in repr(given)


def somebody_elses(planner, coder):
    pass


def in_another_pool(planner, coder):
    pooled((planner, "ada"))
    pooled((coder, "ben"))


def in_an_archived_pool(planner, coder):
    registries.carry_out(
        registries.changed("pools", pooled((planner, "ada"), (coder, "ben")), state="archived")
    )


def invited_only(planner, coder):
    pool = pooled((planner, "ada"), (coder, "ben"))
    registries.carry_out(registries.changed("members", f"{pool} {coder}", state="invited"))


def left_the_pool(planner, coder):
    pool = pooled((planner, "ada"), (coder, "ben"))
    registries.carry_out(registries.changed("members", f"{pool} {planner}", state="left"))


def deactivated(planner, coder):
    pooled((planner, "ada"), (coder, "ben"))
    agents.deactivate(BEN, coder)


def without_the_capability(planner, coder):
    pooled((planner, "ada"), (coder, "ben"))
    registries.carry_out(registries.changed("agents", coder, capabilities=["memory_read"]))


@pytest.mark.parametrize(
    "how",
    [
        somebody_elses,
        in_another_pool,
        in_an_archived_pool,
        invited_only,
        left_the_pool,
        deactivated,
        without_the_capability,
    ],
)
def test_who_cannot_be_handed_anything_does_not_exist(how):
    planner, coder = crew(to=BEN)
    how(planner, coder)

    said = []
    for unreachable in (coder, "a-" + "0" * 32, "nobody"):
        with pytest.raises(NotFound) as refused:
            handed(planner, unreachable)
        said.append(str(refused.value))

    assert 1 == len(set(said))
    assert [] == registries.find("handoffs")


def test_only_its_two_agents_know_of_a_handoff_and_only_the_receiver_takes_steps():
    planner, coder = crew()
    other = agents.register(ADA, SETTINGS, "Other", "human").key
    stranger = agents.register(BEN, SETTINGS, "Stranger", "human").key
    given = handed(planner, coder)

    said = set()
    for asker, agent in ((ADA, planner), (ADA, other), (BEN, stranger)):
        for key in (given.key, "h-" + "0" * 32, "x"):
            with pytest.raises(NotFound) as refused:
                handoffs.accept(asker, SETTINGS, agent, key)
            said.add(str(refused.value))
    for asker, agent in ((ADA, other), (BEN, stranger)):
        with pytest.raises(NotFound) as refused:
            handoffs.look_up(asker, SETTINGS, agent, given.key)
        said.add(str(refused.value))
        assert [] == handoffs.received(asker, SETTINGS, agent)
        assert [] == handoffs.sent(asker, SETTINGS, agent)
    assert 1 == len(said)
    with pytest.raises(NotFound, match="No agent of yours"):
        handoffs.accept(BEN, SETTINGS, coder, given.key)


def test_who_lacks_the_capability_may_not():
    planner, coder = crew()
    silent = agents.register(ADA, SETTINGS, "Silent", "human", capabilities=["memory_read"]).key
    given = handed(planner, coder)

    with pytest.raises(NotAllowed, match="lacks handoff_initiate"):
        handed(silent, coder)
    with pytest.raises(NotAllowed, match="lacks handoff_receive"):
        handoffs.accept(ADA, SETTINGS, silent, given.key)
    with pytest.raises(NotAllowed, match="lacks handoff_receive"):
        handoffs.received(ADA, SETTINGS, silent)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"task": " "}, "needs a task"),
        ({"task": "x" * 2_001}, "task of a handoff has 2,001 characters; 2,000 are allowed"),
        ({"task": "a\0b"}, "task of a handoff holds a NUL"),
        ({"context": "x" * 20_001}, "context of a handoff has 20,001"),
        ({"memory_keys": [f"m-{n}" for n in range(51)]}, "At most 50 memories"),
        ({"record_keys": [f"r-{n}" for n in range(51)]}, "At most 50 records"),
        ({"ttl": timedelta(seconds=59)}, "from 1 minute to 30 days"),
        ({"ttl": timedelta(days=30, seconds=1)}, "from 1 minute to 30 days"),
        ({"receiver": None}, "not to itself"),
    ],
)
def test_what_is_wrong_with_a_handoff_is_said(change, said):
    planner, coder = crew()
    given = {"receiver": coder, **change}

    with pytest.raises(BadInput, match=said):
        handed(planner, given.pop("receiver") or planner, **given)


def test_the_longest_of_everything_is_taken():
    planner, coder = crew()

    given = handed(planner, coder, "x" * 2_000, context="y" * 20_000, ttl=timedelta(minutes=1))

    assert (2_000, 20_000) == (len(given.task), len(given.context))
    handoffs.accept(ADA, SETTINGS, coder, given.key)
    with pytest.raises(BadInput, match="result of a handoff has 20,001"):
        handoffs.complete(ADA, SETTINGS, coder, given.key, "z" * 20_001)
    assert "accepted" == registries.one("handoffs", given.key)["state"]


def test_no_secret_is_kept():
    planner, coder = crew()
    secret = "AKIAIOSFODNN7EXAMPLA"

    given = handed(planner, coder, f"Use {secret}.", context=f"key {secret}")
    handoffs.accept(ADA, SETTINGS, coder, given.key)
    handoffs.fail(ADA, SETTINGS, coder, given.key, f"{secret} is refused.")

    row = registries.one("handoffs", given.key)
    assert secret not in str(row)
    assert "is refused." in row["why"]


def test_one_handoff_more_than_may_wait_is_refused_and_none_is_pushed_out():
    limits = replace(SETTINGS, max_handoffs=2)
    planner, coder = crew()
    first, second = (handoffs.initiate(ADA, limits, planner, coder, "Do it.") for _ in range(2))

    with pytest.raises(HandoffsFull, match="2 handoffs wait for that agent"):
        handoffs.initiate(ADA, limits, planner, coder, "One more.")

    assert [first, second] == handoffs.received(ADA, limits, coder)
    late(first)  # what has expired waits no more, before any night
    handoffs.initiate(ADA, limits, planner, coder, "One more.")
    with pytest.raises(HandoffsFull):
        handoffs.initiate(ADA, limits, planner, coder, "Two more.")
    handoffs.accept(ADA, limits, coder, second.key)
    handoffs.initiate(ADA, limits, planner, coder, "Two more.")


def test_every_act_with_handoffs_is_one_row_without_a_word_of_them():
    planner, coder = crew()
    before = audit_rows.faults()[0]

    given = handed(planner, coder, "Gladys moves the ledger.")
    handoffs.received(ADA, SETTINGS, coder)
    handoffs.look_up(ADA, SETTINGS, coder, given.key)
    handoffs.accept(ADA, SETTINGS, coder, given.key)
    handoffs.fail(ADA, SETTINGS, coder, given.key, "Gladys is ill.")
    handoffs.sent(ADA, SETTINGS, planner)
    with pytest.raises(BadInput):
        handed(planner, coder, " ")

    noted = audit_rows.acts(most=7)
    assert before + 7 == audit_rows.faults()[0]
    assert [
        (planner, "initiate_handoff", given.key, "done", None),
        (coder, "get_pending_handoffs", None, "done", None),
        (coder, "get_handoff", given.key, "done", None),
        (coder, "accept_handoff", given.key, "done", None),
        (coder, "fail_handoff", given.key, "done", None),
        (planner, "get_sent_handoffs", None, "done", None),
        (planner, "initiate_handoff", coder, "refused", "bad_input"),
    ] == [(a.agent_id, a.act, a.target, a.outcome, a.reason) for a in noted]
    assert "Gladys" not in str(registries.find("audit"))
