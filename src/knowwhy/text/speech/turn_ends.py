"""The end of a turn, which is what the next one answers."""

CONTEXT_CHARS = 600  # characters of the turn before; a question stands in its last sentences
ELLIPSIS = "…"


def turn_end(content: str) -> str:
    """Gives the end of a turn, which the next one answers."""
    if len(content) <= CONTEXT_CHARS:
        return content
    end = content[-CONTEXT_CHARS:]
    return f"{ELLIPSIS} {end.split(maxsplit=1)[-1]}"


def as_context(who: str, content: str) -> str:
    """Gives a turn as the context of the next one in its session, with who said it."""
    return f"{who}: {turn_end(content)}"
