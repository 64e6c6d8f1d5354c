"""Claims that a turn of a conversation makes, read by rules."""

from knowwhy.types import Fact


def facts(content: str, context: str | None, role: str | None) -> list[Fact]:
    """Reads the claims that a turn makes."""
    return []
