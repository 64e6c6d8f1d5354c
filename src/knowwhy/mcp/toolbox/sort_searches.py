"""Tools by which an agent searches one sort of knowledge, if its capabilities allow that."""

from typing import Annotated

from pydantic import Field

from knowwhy.mcp.caller import Caller
from knowwhy.mcp.toolbox.given import AgentId, Question, Service
from knowwhy.mcp.toolbox.registry import Said

Hits = Annotated[int, Field(ge=1, le=20, description="Hits at most.")]


def search_code_kb(
    caller: Caller, agent_id: AgentId, query: Question, limit: Hits = 5, service: Service = None
) -> Said:
    """Find code by meaning and words, in the name of an agent of yours.

    Use it where an agent may search only what its capabilities allow, and each search is noted.
    Not for your own questions (semantic_search).
    """
    return _searched("search_code_kb", caller, agent_id, query, limit, service)


def search_decisions(
    caller: Caller, agent_id: AgentId, query: Question, limit: Hits = 5, service: Service = None
) -> Said:
    """Find decisions, recorded and, where it reads memories, remembered, for an agent of yours.

    Use it where an agent may search only what its capabilities allow, and each search is noted.
    Not for your own questions (semantic_search).
    """
    return _searched("search_decisions", caller, agent_id, query, limit, service)


def search_incidents(
    caller: Caller, agent_id: AgentId, query: Question, limit: Hits = 5, service: Service = None
) -> Said:
    """Find incidents, in the name of an agent of yours.

    Use it where an agent may search only what its capabilities allow, and each search is noted.
    Not for your own questions (semantic_search).
    """
    return _searched("search_incidents", caller, agent_id, query, limit, service)


def _searched(
    what: str, caller: Caller, agent_id: str, query: str, limit: int, service: str | None
) -> Said:
    """Searches as anybody does, once it is noted that the agent may."""
    from knowwhy.maas.sorts import allowed
    from knowwhy.mcp.asked import asked, found

    given = caller.filters(service=service)
    filters = allowed(what, caller.asker, caller.settings, agent_id, given)
    return found(caller, asked(caller, query, limit, filters), filters, agent_id)
