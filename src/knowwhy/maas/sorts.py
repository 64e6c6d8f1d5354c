"""Searches of one sort of knowledge, each of which an agent needs a right for."""

from knowwhy.config import Settings
from knowwhy.maas.acting import Deed, act
from knowwhy.types import Asker

# the search: what an agent needs for it, and the kinds of records and memories that it finds
SORTS = {
    "search_code_kb": ("kb_search", ("code",)),
    "search_decisions": ("decision_read", ("adr", "decision")),
    "search_incidents": ("incident_read", ("incident",)),
}


def allowed(what: str, asker: Asker, settings: Settings, agent_id: str) -> tuple[str, ...]:
    """Notes that an agent searches, if it may; gives the kinds that it may find."""
    needs, kinds = SORTS[what]
    act(what, asker, settings, lambda agent: Deed(), agent_id=agent_id, needs=needs)
    return kinds
