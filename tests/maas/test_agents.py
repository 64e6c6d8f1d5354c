import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta

import pytest

from knowwhy.config import Settings
from knowwhy.errors import BadInput, NotAllowed, NotFound, RegistryFull, TooManyActs
from knowwhy.maas import acting, agents
from knowwhy.tables.agents import audit_rows, registries
from knowwhy.types import Asker

ADA, BEN = Asker("ada", "git.example/shop"), Asker("ben", "git.example/shop")
SETTINGS = Settings()

pytestmark = pytest.mark.usefixtures("store")


def test_an_agent_is_found_by_its_owner_and_by_nobody_else():
    coder = agents.register(ADA, SETTINGS, "Coder", "coding_assistant")

    assert re.fullmatch("a-[0-9a-f]{32}", coder.key)
    assert coder == agents.look_up(ADA, coder.key)
    assert [coder] == agents.of(ADA)
    assert [] == agents.of(BEN)
    with pytest.raises(NotFound, match="No agent of yours"):
        agents.look_up(BEN, coder.key)


@pytest.mark.parametrize("type", agents.TYPES)
def test_a_type_has_capabilities_of_its_own(type):
    made = agents.register(ADA, SETTINGS, "One", type)

    assert agents.DEFAULTS[type] == made.capabilities
    assert "memory_read" in made.capabilities


def test_capabilities_are_what_the_owner_says():
    made = agents.register(ADA, SETTINGS, "Reader", "human", capabilities=["memory_read"])

    assert ("memory_read",) == agents.look_up(ADA, made.key).capabilities


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"type": "robot"}, "type of an agent must be one of human"),
        ({"name": " "}, "name of an agent must be one line"),
        ({"name": "x" * 201}, "of 1 to 200 characters"),
        ({"name": "\u200d"}, "name of an agent holds nothing that can be seen"),
        ({"name": "Ada\u202e"}, r"agent holds the character U\+202E \(RIGHT-TO-LEFT OVERRIDE\)"),
        ({"name": "Ada\x1b[0m"}, r"agent holds the character U\+001B, which does not belong"),
        ({"capabilities": ["fly"]}, "no capability 'fly'"),
        ({"max_scope": "galaxy"}, "widest scope of an agent must be one of agent-private"),
    ],
)
def test_what_is_wrong_with_an_agent_is_said(change, said):
    given = {"name": "Coder", "type": "coding_assistant", **change}

    with pytest.raises(BadInput, match=said):
        agents.register(ADA, SETTINGS, **given)

    (act,) = audit_rows.acts(most=1)
    assert ("register_agent", "refused", "bad_input") == (act.act, act.outcome, act.reason)


def test_who_is_nobody_has_no_agents():
    with pytest.raises(BadInput, match="An agent has an owner"):
        agents.register(Asker(), SETTINGS, "Coder", "human")


def test_a_secret_in_a_name_is_not_kept():
    made = agents.register(ADA, SETTINGS, "bot AKIAIOSFODNN7EXAMPLA", "service")

    assert "AKIAIOSFODNN7EXAMPLA" not in registries.one("agents", made.key)["name"]


def test_one_agent_more_than_allowed_is_refused_and_none_is_pushed_out():
    limits = replace(SETTINGS, max_agents=2)
    first, second = (agents.register(ADA, limits, name, "human") for name in ("One", "Two"))

    with pytest.raises(RegistryFull, match=r"2 active agents.*KNOWWHY_MAX_AGENTS"):
        agents.register(ADA, limits, "Three", "human")

    assert [first, second] == agents.of(ADA)
    agents.register(BEN, limits, "Another's", "human")
    agents.deactivate(ADA, first.key)
    agents.register(ADA, limits, "Three", "human")


def test_a_deactivated_agent_may_do_nothing_and_is_still_known():
    coder = agents.register(ADA, SETTINGS, "Coder", "human")
    session = agents.start_session(ADA, SETTINGS, coder.key)

    agents.deactivate(ADA, coder.key)

    assert registries.one("agent_sessions", session)["ended_at"] is not None
    assert [] == agents.of(ADA)
    assert [coder.key] == [agent.key for agent in agents.of(ADA, inactive=True)]
    with pytest.raises(NotAllowed, match="was deactivated"):
        agents.start_session(ADA, SETTINGS, coder.key)


def test_a_session_ends_once():
    coder = agents.register(ADA, SETTINGS, "Coder", "human")
    session = agents.start_session(ADA, SETTINGS, coder.key)

    agents.end_session(ADA, SETTINGS, coder.key, session)

    with pytest.raises(NotFound, match="no open session"):
        agents.end_session(ADA, SETTINGS, coder.key, session)


def test_one_open_session_more_than_allowed_is_refused():
    limits = replace(SETTINGS, max_agent_sessions=1)
    coder = agents.register(ADA, limits, "Coder", "human")
    session = agents.start_session(ADA, limits, coder.key)

    with pytest.raises(RegistryFull, match="KNOWWHY_MAX_AGENT_SESSIONS"):
        agents.start_session(ADA, limits, coder.key)

    agents.end_session(ADA, limits, coder.key, session)
    agents.start_session(ADA, limits, coder.key)


def test_its_owner_finds_the_sessions_that_an_agent_has_not_ended():
    coder = agents.register(ADA, SETTINGS, "Coder", "human")
    first, second, third = (agents.start_session(ADA, SETTINGS, coder.key) for _ in range(3))
    agents.end_session(ADA, SETTINGS, coder.key, second)

    assert [first, third] == [one.key for one in agents.open_sessions(ADA, coder.key)]
    with pytest.raises(NotFound, match="No agent of yours"):
        agents.open_sessions(BEN, coder.key)


def test_who_acts_too_often_waits():
    limits = replace(SETTINGS, acts_a_minute=3)
    coder = agents.register(ADA, limits, "Coder", "human")
    for _ in range(3):
        agents.start_session(ADA, limits, coder.key)

    with pytest.raises(TooManyActs, match="3 times within a minute"):
        agents.start_session(ADA, limits, coder.key)


def test_of_the_tries_of_a_runaway_agent_one_a_minute_is_noted(monkeypatch):
    limits = replace(SETTINGS, acts_a_minute=3)
    coder, other = (agents.register(ADA, limits, name, "human").key for name in ("Coder", "Other"))
    for _ in range(3):
        agents.start_session(ADA, limits, coder)
    rows, _ = audit_rows.broken()

    for _ in range(5):
        with pytest.raises(TooManyActs, match="3 times within a minute"):
            agents.start_session(ADA, limits, coder)
    (noted,) = audit_rows.acts(most=1)

    assert (rows + 1, []) == audit_rows.broken()
    assert (coder, "start_session", "refused", "too_many_acts") == (
        noted.agent_id,
        noted.act,
        noted.outcome,
        noted.reason,
    )
    with pytest.raises(NotFound):
        agents.start_session(BEN, limits, coder)  # to others it does not exist, runaway or not
    agents.start_session(ADA, limits, other)
    monkeypatch.setattr(acting, "MINUTE", timedelta(0))
    agents.start_session(ADA, limits, coder)
    assert (rows + 4, []) == audit_rows.broken()


def test_a_runaway_agent_is_refused_without_a_turn_in_the_queue_of_acts():
    limits = replace(SETTINGS, acts_a_minute=1)
    coder = agents.register(ADA, limits, "Coder", "human").key
    agents.start_session(ADA, limits, coder)
    with pytest.raises(TooManyActs):
        agents.start_session(ADA, limits, coder)

    with registries.acting(), ThreadPoolExecutor(1) as elsewhere:
        tried = elsewhere.submit(agents.start_session, ADA, limits, coder)
        refused = tried.exception()  # one that queues ends as StoreBusy

    assert isinstance(refused, TooManyActs)


def test_every_act_is_noted_with_how_it_ended_and_without_what_was_written():
    coder = agents.register(ADA, SETTINGS, "Gladys", "human")
    session = agents.start_session(ADA, SETTINGS, coder.key)
    with pytest.raises(NotFound):
        agents.deactivate(BEN, coder.key)

    noted = audit_rows.acts(most=3)

    assert [
        ("ada", None, "register_agent", coder.key, "done", None),
        ("ada", coder.key, "start_session", session, "done", None),
        ("ben", None, "deactivate_agent", coder.key, "refused", "not_found"),
    ] == [(a.user_id, a.agent_id, a.act, a.target, a.outcome, a.reason) for a in noted]
    assert "Gladys" not in str(registries.find("audit"))


def test_a_stranger_who_knows_its_id_neither_uses_up_an_agents_acts_nor_is_noted_as_it():
    limits = replace(SETTINGS, acts_a_minute=3)
    coder = agents.register(ADA, limits, "Coder", "human")
    for _ in range(3):
        with pytest.raises(NotFound):
            agents.start_session(Asker("eva"), limits, coder.key)

    agents.start_session(ADA, limits, coder.key)

    assert [("eva", None)] * 3 + [("ada", coder.key)] == [
        (act.user_id, act.agent_id) for act in audit_rows.acts(most=4)
    ]


def test_tries_by_agents_that_are_not_ones_own_are_limited_as_those_of_one_agent(monkeypatch):
    limits = replace(SETTINGS, acts_a_minute=3)
    zoe, kim = Asker("zoe"), Asker("kim")  # whom no other test refuses anything in this minute
    own, anothers = (agents.register(who, limits, "Coder", "human").key for who in (zoe, kim))
    ids = [anothers, "nobody", *(f"a-{number:032x}" for number in range(8))]
    rows, _ = audit_rows.broken()

    for refused, tried in zip([NotFound] * 3 + [TooManyActs] * 7, ids, strict=True):
        with pytest.raises(refused):
            agents.start_session(zoe, limits, tried)
    (noted,) = audit_rows.acts(most=1)

    assert (rows + 4, []) == audit_rows.broken()
    assert ("zoe", None, "too_many_acts") == (noted.user_id, noted.agent_id, noted.reason)
    agents.start_session(zoe, limits, own)  # neither its owner's acts nor another's are used up
    agents.start_session(kim, limits, anothers)
    with pytest.raises(NotFound):
        agents.start_session(kim, limits, own)
    monkeypatch.setattr(acting, "MINUTE", timedelta(0))
    with pytest.raises(NotFound):
        agents.start_session(zoe, limits, ids[-1])


def test_who_goes_on_trying_others_agents_is_refused_without_a_turn_in_the_queue_of_acts():
    limits = replace(SETTINGS, acts_a_minute=1)
    lea = Asker("lea")
    for refused in (NotFound, TooManyActs):
        with pytest.raises(refused):
            agents.start_session(lea, limits, "a-" + "0" * 32)

    with registries.acting(), ThreadPoolExecutor(1) as elsewhere:
        tried = elsewhere.submit(agents.start_session, lea, limits, "a-" + "1" * 32)
        refused = tried.exception()

    assert isinstance(refused, TooManyActs)


@pytest.mark.parametrize(
    "name",
    ["\U0001f469\u200d\U0001f4bb Ada's coder", "نام\u200cها عامل", "क्\u200dष सहायक", "Zoë Ünï 码"],
)
def test_a_name_is_kept_in_whatever_script_it_is_written(name):
    made = agents.register(ADA, SETTINGS, name, "human")

    assert name == agents.look_up(ADA, made.key).name
