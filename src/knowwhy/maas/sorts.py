"""Searches of one sort of knowledge, each of which an agent needs a right for."""

from dataclasses import replace

from knowwhy.config import Settings
from knowwhy.maas.acting import Agent, Deed, act
from knowwhy.types import SOURCES, Asker, Filters

# the search: what an agent needs for it, and the kinds of records and memories that it finds
SORTS = {
    "search_code_kb": ("kb_search", ("code",)),
    "search_decisions": ("decision_read", ("adr", "decision")),
    "search_incidents": ("incident_read", ("incident",)),
}
NEEDED = {kind: needs for needs, kinds in SORTS.values() for kind in kinds}
READS_THE_REST = "kb_search"  # records of no such kind: documents, meetings and the like
RECORDS = ("records",)  # what is searched for who may not read memories


def needed_for(kind: str) -> str:
    """Names the capability that an agent needs to read a record of some kind."""
    return NEEDED.get(kind, READS_THE_REST)


def allowed(
    what: str, asker: Asker, settings: Settings, agent_id: str, filters: Filters
) -> Filters:
    """Notes that an agent searches, if it may; limits the search to what that agent may find."""
    needs, kinds = SORTS[what]

    def decide(agent: Agent) -> Deed:
        sources = SOURCES if "memory_read" in agent.capabilities else RECORDS
        its = replace(filters, kinds=kinds, sources=sources, lent_to=agent.key)
        return Deed(result=its)

    limited: Filters = act(what, asker, settings, decide, agent_id=agent_id, needs=needs)
    return limited
