from dataclasses import replace

import pytest

from knowwhy.errors import BadInput, NotAllowed, NotFound, PoolFull
from knowwhy.maas import agents, membership, pools, shared
from knowwhy.tables.agents import audit_rows, registries
from knowwhy.types import Asker
from lenders import ADA, BEN, EVE, SETTINGS, SHOP, a_memory, a_pool, an_agent, invited, joined, kept

pytestmark = pytest.mark.usefixtures("store")


def seats(owner, agent):
    found = pools.seats(owner, SETTINGS, agent.key)
    return [(seat.name, seat.permission, seat.state, seat.members) for seat in found]


def test_who_makes_a_pool_is_its_admin():
    planner = an_agent(ADA)

    pool = a_pool(ADA, planner)

    assert [("Payments", "admin", "member", 1)] == seats(ADA, planner)
    assert {planner.key} == pools.admins(pool)


def test_who_is_invited_joins_with_what_it_was_permitted():
    planner, coder = an_agent(ADA), an_agent(BEN)
    pool = a_pool(ADA, planner)

    invited(ADA, planner, pool, coder, "write")
    assert [("Payments", "write", "invited", 1)] == seats(BEN, coder)
    joined(BEN, coder, pool)

    assert [("Payments", "write", "member", 2)] == seats(BEN, coder)


ENTERS = {  # scope: who may join without an invitation
    "agent-private": set(),
    "user": {"own"},
    "project": {"own", "same project"},
    "team": {"own"},
    "global": {"own", "same project", "elsewhere"},
}


@pytest.mark.parametrize("scope", ENTERS)
def test_a_scope_says_who_may_join_without_an_invitation(scope):
    maker = an_agent(ADA, max_scope="global")
    pool = a_pool(ADA, maker, scope)
    there = {
        "own": (ADA, an_agent(ADA, max_scope="global")),
        "same project": (BEN, an_agent(BEN, max_scope="global")),
        "elsewhere": (EVE, an_agent(Asker("eve", "git.example/other"), max_scope="global")),
    }

    for name, (owner, agent) in there.items():
        if name in ENTERS[scope]:
            joined(owner, agent, pool)
            continue
        with pytest.raises(NotFound, match="no pool of that id"):
            joined(owner, agent, pool)


def test_what_may_not_be_joined_is_said_as_of_what_is_not_there():
    pool, stranger = a_pool(ADA, an_agent(ADA)), an_agent(EVE)

    said = []
    for named in (pool.key, "p-" + "0" * 32, "no id"):
        with pytest.raises(NotFound) as refused:
            membership.join(EVE, SETTINGS, stranger.key, named)
        said.append(str(refused.value))

    assert 1 == len(set(said))


@pytest.mark.parametrize(("scope", "is_told"), [("user", False), ("team", True)])
def test_another_owners_agent_is_invited_only_where_it_can_be(scope, is_told):
    planner, coder = an_agent(ADA), an_agent(BEN)
    pool = a_pool(ADA, planner, scope)
    if is_told:
        invited(ADA, planner, pool, coder)
        return
    with pytest.raises(NotFound, match="no active agent of that id"):
        invited(ADA, planner, pool, coder)


def test_a_pool_wider_than_an_agent_may_read_is_neither_made_nor_joined():
    narrow, wide = an_agent(ADA, max_scope="user"), an_agent(ADA)
    with pytest.raises(NotAllowed, match="widest scope is user"):
        a_pool(ADA, narrow)

    pool = a_pool(ADA, wide)
    with pytest.raises(NotAllowed, match="A team pool is wider"):
        joined(ADA, narrow, pool)


def test_a_pool_of_a_project_needs_one():
    nowhere = Asker("ada")
    with pytest.raises(BadInput, match="made in a project"):
        a_pool(nowhere, an_agent(nowhere), "project")


def test_only_an_admin_invites_permits_removes_and_archives():
    planner, coder, third = an_agent(ADA), an_agent(BEN), an_agent(EVE)
    pool = a_pool(ADA, planner)
    invited(ADA, planner, pool, coder, "write")
    joined(BEN, coder, pool)

    for act in (
        lambda: invited(BEN, coder, pool, third),
        lambda: membership.permit(BEN, SETTINGS, coder.key, pool.key, planner.key, "read"),
        lambda: membership.remove(BEN, SETTINGS, coder.key, pool.key, planner.key),
        lambda: pools.archive(BEN, SETTINGS, coder.key, pool.key),
    ):
        with pytest.raises(NotAllowed, match="may write in the pool, and this needs admin"):
            act()

    membership.permit(ADA, SETTINGS, planner.key, pool.key, coder.key, "admin")
    invited(BEN, coder, pool, third)


def test_who_was_removed_comes_back_only_when_invited_again():
    planner, coder = an_agent(ADA), an_agent(BEN)
    pool = a_pool(ADA, planner, "project")
    joined(BEN, coder, pool)

    membership.remove(ADA, SETTINGS, planner.key, pool.key, coder.key)

    with pytest.raises(NotFound, match="no pool of that id"):
        joined(BEN, coder, pool)
    invited(ADA, planner, pool, coder)
    joined(BEN, coder, pool)


def test_the_only_admin_stays_while_others_are_there():
    planner, coder = an_agent(ADA), an_agent(BEN)
    pool = a_pool(ADA, planner)
    invited(ADA, planner, pool, coder)
    joined(BEN, coder, pool)

    with pytest.raises(NotAllowed, match="only admin"):
        membership.leave(ADA, SETTINGS, planner.key, pool.key)
    with pytest.raises(NotAllowed, match="only admin"):
        membership.permit(ADA, SETTINGS, planner.key, pool.key, planner.key, "read")
    with pytest.raises(BadInput, match="leaves a pool by itself"):
        membership.remove(ADA, SETTINGS, planner.key, pool.key, planner.key)

    membership.leave(BEN, SETTINGS, coder.key, pool.key)
    membership.leave(ADA, SETTINGS, planner.key, pool.key)
    assert "archived" == registries.one("pools", pool.key)["state"]


def test_a_pool_whose_admins_are_gone_is_its_owners():
    planner, coder, heir = an_agent(ADA), an_agent(BEN), an_agent(ADA)
    pool = a_pool(ADA, planner)
    invited(ADA, planner, pool, coder, "write")
    joined(BEN, coder, pool)
    agents.deactivate(ADA, planner.key)

    with pytest.raises(NotAllowed):
        pools.archive(BEN, SETTINGS, coder.key, pool.key)
    pools.archive(ADA, SETTINGS, heir.key, pool.key)

    with pytest.raises(NotFound, match="was archived"):
        joined(BEN, coder, pool)
    with pytest.raises(NotFound, match="no pool of that id"):
        joined(EVE, an_agent(EVE), pool)


def test_who_could_not_act_as_an_admin_is_made_none():
    planner, heir = an_agent(ADA), an_agent(ADA)
    reviewer = agents.register(BEN, SETTINGS, "Reviewer", "reviewer")
    pool = a_pool(ADA, planner)

    with pytest.raises(NotAllowed, match="An admin of a pool needs memory_write"):
        invited(ADA, planner, pool, reviewer, "admin")
    invited(ADA, planner, pool, reviewer)
    joined(BEN, reviewer, pool)
    with pytest.raises(NotAllowed, match="An admin of a pool needs memory_write"):
        membership.permit(ADA, SETTINGS, planner.key, pool.key, reviewer.key, "admin")
    with pytest.raises(NotAllowed, match="only admin"):
        membership.leave(ADA, SETTINGS, planner.key, pool.key)

    able = {"capabilities": ["memory_read"]}  # as it may stand in homes of before
    registries.carry_out(registries.changed("agents", planner.key, **able))
    pools.archive(ADA, SETTINGS, heir.key, pool.key)


def test_of_another_owners_agent_that_is_only_invited_its_id_is_shown():
    planner, coder, own = an_agent(ADA, "Planner"), an_agent(BEN, "Zilla"), an_agent(ADA, "Own")
    pool = a_pool(ADA, planner)
    for agent in (coder, own):
        invited(ADA, planner, pool, agent)

    def shown():
        found = membership.companions(ADA, SETTINGS, planner.key, pool.key)
        return {one.agent_id: (one.name, one.type, one.is_active) for one in found}

    assert (None, None, None) == shown()[coder.key]
    assert ("Own", "human", True) == shown()[own.key]
    joined(BEN, coder, pool)
    assert ("Zilla", "human", True) == shown()[coder.key]


def test_members_are_shown_without_whose_they_are():
    planner, coder = an_agent(ADA, "Planner"), an_agent(BEN, "Coder")
    pool = a_pool(ADA, planner)
    invited(ADA, planner, pool, coder)
    joined(BEN, coder, pool)

    found = membership.companions(BEN, SETTINGS, coder.key, pool.key)

    assert [("Planner", "admin", "member"), ("Coder", "read", "member")] == [
        (one.name, one.permission, one.state) for one in found
    ]
    assert "'ada'" not in repr(found)


def test_what_an_agent_lacks_it_cannot_do():
    reader = an_agent(ADA, capabilities=["memory_read"])
    writer = an_agent(ADA, capabilities=["memory_write"])
    with pytest.raises(NotAllowed, match="lacks memory_write"):
        a_pool(ADA, reader)

    pool = a_pool(ADA, writer)
    with pytest.raises(NotAllowed, match="lacks memory_read"):
        joined(ADA, writer, pool)


def test_every_limit_is_refused_at_its_edge_and_nothing_is_pushed_out():
    limits = replace(SETTINGS, max_pools=1, max_members=2, max_shared=1)
    planner, coder, third = an_agent(ADA), an_agent(BEN), an_agent(ADA)
    rows = [a_memory(number, f"We use Redis {number}.", ADA) for number in (1, 2)]
    kept(*rows)

    pool = pools.create(ADA, limits, planner.key, "One")
    with pytest.raises(PoolFull, match="KNOWWHY_MAX_POOLS"):
        pools.create(ADA, limits, planner.key, "Two")

    membership.invite(ADA, limits, planner.key, pool.key, coder.key)
    with pytest.raises(PoolFull, match="KNOWWHY_MAX_MEMBERS"):
        membership.join(ADA, limits, third.key, pool.key)
    with pytest.raises(PoolFull, match="KNOWWHY_MAX_MEMBERS"):
        membership.invite(ADA, limits, planner.key, pool.key, third.key)
    membership.join(BEN, limits, coder.key, pool.key)  # had a place already

    shared.share(ADA, limits, planner.key, pool.key, rows[0].key)
    shared.share(ADA, limits, planner.key, pool.key, rows[0].key)  # is shared already
    with pytest.raises(PoolFull, match="KNOWWHY_MAX_SHARED"):
        shared.share(ADA, limits, planner.key, pool.key, rows[1].key)
    shared.withdraw(ADA, limits, planner.key, pool.key, rows[0].key)
    shared.share(ADA, limits, planner.key, pool.key, rows[1].key)

    pools.archive(ADA, limits, planner.key, pool.key)
    pools.create(ADA, limits, planner.key, "Two")


def test_what_is_shared_is_ones_own_or_everybodys_and_active():
    planner, coder = an_agent(ADA), an_agent(BEN)
    pool = a_pool(ADA, planner)
    rows = [
        a_memory(1, "Ada chose Redis.", ADA),
        a_memory(2, "Everybody uses Redis.", Asker(None, SHOP)),
        a_memory(3, "Redis may go.", ADA, status="pending"),
        a_memory(4, "Ben chose Redis.", BEN),
    ]
    kept(*rows)

    for row in rows[:2]:
        shared.share(ADA, SETTINGS, planner.key, pool.key, row.key)
    with pytest.raises(BadInput, match="is pending; only what is active"):
        shared.share(ADA, SETTINGS, planner.key, pool.key, rows[2].key)
    with pytest.raises(NotFound, match="You have no memory"):
        shared.share(ADA, SETTINGS, planner.key, pool.key, rows[3].key)
    invited(ADA, planner, pool, coder)
    joined(BEN, coder, pool)
    with pytest.raises(NotAllowed, match="this needs write"):
        shared.share(BEN, SETTINGS, coder.key, pool.key, rows[3].key)


def test_what_was_shared_is_withdrawn_by_its_owner_or_by_an_admin_who_may():
    planner, coder, third = an_agent(ADA), an_agent(BEN), an_agent(EVE)
    gentle = an_agent(ADA, capabilities=["memory_read", "memory_write"])
    pool = a_pool(ADA, planner)
    for owner, agent, permission in ((BEN, coder, "write"), (EVE, third, "write")):
        invited(ADA, planner, pool, agent, permission)
        joined(owner, agent, pool)
    joined(ADA, gentle, pool)
    membership.permit(ADA, SETTINGS, planner.key, pool.key, gentle.key, "admin")
    row = a_memory(1, "Ben chose Redis.", BEN)
    kept(row)
    shared.share(BEN, SETTINGS, coder.key, pool.key, row.key)

    with pytest.raises(NotAllowed, match="this needs admin"):
        shared.withdraw(EVE, SETTINGS, third.key, pool.key, row.key)
    with pytest.raises(NotAllowed, match="lacks memory_retract"):
        shared.withdraw(ADA, SETTINGS, gentle.key, pool.key, row.key)
    shared.withdraw(ADA, SETTINGS, planner.key, pool.key, row.key)
    with pytest.raises(NotFound, match="lends no memory"):
        shared.withdraw(ADA, SETTINGS, planner.key, pool.key, row.key)

    shared.share(BEN, SETTINGS, coder.key, pool.key, row.key)
    membership.leave(BEN, SETTINGS, coder.key, pool.key)
    shared.withdraw(BEN, SETTINGS, coder.key, pool.key, row.key)


def test_acts_with_pools_are_noted_with_what_they_were_done_to():
    planner, stranger = an_agent(ADA), an_agent(EVE)
    row = a_memory(1, "Ada chose Redis.", ADA)
    kept(row)

    pool = a_pool(ADA, planner)
    shared.share(ADA, SETTINGS, planner.key, pool.key, row.key)
    pools.seats(ADA, SETTINGS, planner.key)
    shared.may_query(ADA, SETTINGS, planner.key)
    with pytest.raises(NotFound):
        membership.join(EVE, SETTINGS, stranger.key, "my password is hunter2")
    for asked in (
        lambda: pools.create(ADA, SETTINGS, planner.key, "Two", "galaxy"),
        lambda: membership.invite(ADA, SETTINGS, planner.key, pool.key, stranger.key, "rule"),
        lambda: membership.permit(ADA, SETTINGS, planner.key, pool.key, stranger.key, "rule"),
    ):
        with pytest.raises(BadInput, match="must be one of"):
            asked()

    assert [
        ("create_pool", pool.key, "done", None),
        ("share_memory", f"{pool.key}:{row.key}", "done", None),
        ("get_pools", None, "done", None),
        ("query_shared", None, "done", None),
        ("join_pool", None, "refused", "not_found"),
        ("create_pool", None, "refused", "bad_input"),
        ("invite_to_pool", pool.key, "refused", "bad_input"),
        ("permit_in_pool", pool.key, "refused", "bad_input"),
    ] == [(a.act, a.target, a.outcome, a.reason) for a in audit_rows.acts(most=8)]
