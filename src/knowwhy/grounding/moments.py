"""When a memory came to hold, and when it was said last: what is told of it, else when it came."""

from datetime import datetime

from knowwhy.tables.kept.peers import SAID_LAST, Peer, read_moment
from knowwhy.types import Memory


def began(one: Peer | Memory) -> datetime:
    """Gives the moment from which a memory holds."""
    return one.valid_from or one.created_at


def said_last(one: Peer | Memory) -> datetime:
    """Gives the moment at which a memory, or what was merged into it, was said last."""
    told = read_moment(one.metadata.get(SAID_LAST)) if isinstance(one, Memory) else one.said_last
    return max(began(one), told) if told else began(one)
