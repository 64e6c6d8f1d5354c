"""Searches of one sort of knowledge, each of which an agent needs a right for."""

from knowwhy.config import Settings
from knowwhy.maas.acting import Agent, Deed, act
from knowwhy.types import SOURCES, Asker

# the search: what an agent needs for it, and the kinds of records and memories that it finds
SORTS = {
    "search_code_kb": ("kb_search", ("code",)),
    "search_decisions": ("decision_read", ("adr", "decision")),
    "search_incidents": ("incident_read", ("incident",)),
}


RECORDS = ("records",)  # what is searched for who may not read memories

Allowed = tuple[tuple[str, ...], tuple[str, ...]]  # kinds, and sources


def allowed(what: str, asker: Asker, settings: Settings, agent_id: str) -> Allowed:
    """Notes that an agent searches, if it may; gives what it may find: which kinds, in what."""
    needs, kinds = SORTS[what]

    def decide(agent: Agent) -> Deed:
        return Deed(result=SOURCES if "memory_read" in agent.capabilities else RECORDS)

    sources = act(what, asker, settings, decide, agent_id=agent_id, needs=needs)
    return kinds, sources
