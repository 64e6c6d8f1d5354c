"""What a question that asks for everything is given: a page of what its asker may see."""

from knowwhy.text.question.bulk import asks_for_everything

PAGE = 10  # hits; as many as a context is packed from
NOTE = (
    f"this asks for everything, so it is answered by a page: at most {PAGE} of what you may see; "
    "ask about something"
)


def at_most(question: str, k: int) -> int:
    """Gives how many hits a question is given of those that were asked for."""
    return min(k, PAGE) if asks_for_everything(question) else k
