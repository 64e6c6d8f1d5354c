"""The tables by which several agents share memories and hand work over."""

# mypy: ignore-errors
# a model's body is read by a metaclass that type checkers do not follow

from typing import Any

import pixeltable as pxt


def declare(base: Any) -> None:
    """Declares the registries: each row says whose it is, and each change is a row of `audit`."""

    class Agents(base, name="agents"):
        """One agent: a program or person that acts for its owner."""

        key = pxt.Column(type=pxt.String, primary_key=True)
        user_id: pxt.String
        name: pxt.String
        type: pxt.String
        capabilities: pxt.Json
        max_scope: pxt.String
        project: pxt.String | None
        is_active: pxt.Bool
        created_at: pxt.Timestamp
        touched_at: pxt.Timestamp

    class AgentSessions(base, name="agent_sessions"):
        """One time that an agent was at work."""

        key = pxt.Column(type=pxt.String, primary_key=True)
        agent_id: pxt.String
        user_id: pxt.String
        started_at: pxt.Timestamp
        ended_at: pxt.Timestamp | None

    class Pools(base, name="pools"):
        """One circle of agents that lend each other memories."""

        key = pxt.Column(type=pxt.String, primary_key=True)
        name: pxt.String
        agent_id: pxt.String
        user_id: pxt.String
        scope: pxt.String
        project: pxt.String | None
        state: pxt.String
        created_at: pxt.Timestamp
        touched_at: pxt.Timestamp

    class Members(base, name="members"):
        """What one agent may do in one pool."""

        key = pxt.Column(type=pxt.String, primary_key=True)
        pool: pxt.String
        agent_id: pxt.String
        user_id: pxt.String
        permission: pxt.String
        state: pxt.String
        by: pxt.String
        created_at: pxt.Timestamp
        touched_at: pxt.Timestamp

    class Shares(base, name="shares"):
        """One memory that a pool lends to its members, by reference."""

        key = pxt.Column(type=pxt.String, primary_key=True)
        pool: pxt.String
        memory_key: pxt.String
        agent_id: pxt.String
        user_id: pxt.String
        state: pxt.String
        created_at: pxt.Timestamp
        touched_at: pxt.Timestamp

    class Handoffs(base, name="handoffs"):
        """One task that an agent hands to another, with what belongs to it."""

        key = pxt.Column(type=pxt.String, primary_key=True)
        from_agent: pxt.String
        from_user: pxt.String
        to_agent: pxt.String
        to_user: pxt.String
        task: pxt.String
        context: pxt.String | None
        memory_keys: pxt.Json
        record_keys: pxt.Json
        state: pxt.String
        why: pxt.String | None
        result: pxt.String | None
        expires_at: pxt.Timestamp
        created_at: pxt.Timestamp
        touched_at: pxt.Timestamp

    class Audit(base, name="audit"):
        """One act of an agent or its owner; rows are only added, each with a hash of all before."""

        key = pxt.Column(type=pxt.String, primary_key=True)
        number: pxt.Int
        user_id: pxt.String | None
        agent_id: pxt.String | None
        act: pxt.String
        target: pxt.String | None
        outcome: pxt.String
        reason: pxt.String | None
        at: pxt.Timestamp
        before: pxt.String
        hash: pxt.String
