"""Ids as a hand types them: the first characters stand for one where no other one begins so.

Agents and pools are called by their names too. Only what the asker may see counts, so that what is
typed tells nothing of another's.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from knowwhy.errors import BadInput, NotFound
from knowwhy.tables import queries
from knowwhy.tables.agents import registries
from knowwhy.tables.kept.memories import keys_begun
from knowwhy.tables.talk.turns import safe_name
from knowwhy.text.nearest import begins_id, did_you_mean
from knowwhy.types import Asker

MOST_NAMED = 5  # ids that an error names
MOST_SHOWN = 80  # characters of a name that nothing has
AGENT, POOL = "agent", "pool"
NAMED = {  # arguments that take an agent or a pool, which have names
    **dict.fromkeys(("agent", "agent_id", "other_agent", "to", "to_agent"), AGENT),
    "pool": POOL,
}
TAKING_IDS = frozenset(
    {*NAMED, "key", "keys", "one", "other", "memories", "memory_keys", "handoff"}
)
DIGITS = {"m": 20, "a": 32, "p": 32, "h": 32}  # of an id, by the letter that it begins with
_TYPED = re.compile(r"([maph])-([0-9a-f]{2,32})", re.IGNORECASE)

Ids = dict[str, str]  # what an asker's things are called, by their ids


def whole_ids(asker: Asker, given: Mapping[str, Any]) -> dict[str, Any]:
    """Gives arguments with whole ids in the place of names, and of such as were only begun."""
    return {name: _whole(asker, name, value) for name, value in given.items()}


def are_typed(given: Mapping[str, Any]) -> bool:
    """Tells whether any of the arguments needs a look: whole ids do not."""
    return any(
        _is_open(name, one)
        for name, value in given.items()
        for one in (value if isinstance(value, list | tuple) else (value,))
    )


def _is_open(argument: str, value: Any) -> bool:
    """Tells whether an argument may be the beginning of an id, or a name."""
    if argument not in TAKING_IDS or not isinstance(value, str):
        return False
    found = _TYPED.fullmatch(value)
    if found is None:
        return argument in NAMED and bool(value.strip())
    return len(found[2]) < DIGITS[found[1].lower()]


def one_begun(typed: str, ids: Iterable[str]) -> str:
    """Gives the one of some ids that begins with what was typed; without one, what was typed."""
    found = sorted({one for one in ids if begins_id(one, typed)})
    if len(found) > 1 and typed not in found:
        more = f" and {len(found) - MOST_NAMED} more" if len(found) > MOST_NAMED else ""
        named = ", ".join(found[:MOST_NAMED])
        raise BadInput(f"{typed} begins {len(found)} ids: {named}{more}. Give more of one.")
    return found[0] if len(found) == 1 else typed


def _whole(asker: Asker, argument: str, value: Any) -> Any:
    if isinstance(value, list | tuple):
        return type(value)(_whole(asker, argument, one) for one in value)
    if not _is_open(argument, value):
        return value
    if _TYPED.fullmatch(value) is None:
        return _called(value.strip(), NAMED[argument], _AS_NAMED[NAMED[argument]](asker))
    typed = value.lower()
    if typed[0] == "m" and queries.is_record(value, project=asker.project):
        return value
    return one_begun(typed, _BEGUN[typed[0]](asker, typed))


def _called(name: str, what: str, ids: Ids) -> str:
    """Finds the one that has a name; without one that is like it, gives what was written."""
    found = sorted(key for key, called in ids.items() if called == name)
    if len(found) > 1:
        raise BadInput(f"{len(found)} {what}s are called {name!r}; give the id of one: {found[0]}.")
    if not found and (said := did_you_mean(name, ids.values())):
        raise NotFound(f"No {what} of yours is called {name[:MOST_SHOWN]!r}{said}")
    return found[0] if found else name


def _agents(asker: Asker, **which: Any) -> Ids:
    if asker.user_id is None:
        return {}
    rows = registries.find("agents", user_id=safe_name(asker.user_id), **which)
    return {row["key"]: row["name"] for row in rows}


def _pools(asker: Asker) -> Ids:
    """Gives the open pools that agents of the asker are in or invited to."""
    own = list(_agents(asker))
    seats = registries.find("members", agent_id=own, state=("member", "invited")) if own else []
    keys = list({row["pool"] for row in seats})
    rows = registries.find("pools", key=keys, state="open") if keys else []
    return {row["key"]: row["name"] for row in rows}


def _handoffs(asker: Asker) -> list[str]:
    if not (own := list(_agents(asker))):
        return []
    sent = registries.find("handoffs", from_agent=own)
    return [row["key"] for row in (*sent, *registries.find("handoffs", to_agent=own))]


_AS_NAMED: Mapping[str, Callable[[Asker], Ids]] = {
    AGENT: lambda asker: _agents(asker, is_active=True),  # a name is free again when one is gone
    POOL: _pools,
}
_BEGUN: Mapping[str, Callable[[Asker, str], Iterable[str]]] = {
    "m": keys_begun,
    "a": lambda asker, typed: _agents(asker),
    "p": lambda asker, typed: _pools(asker),
    "h": lambda asker, typed: _handoffs(asker),
}
