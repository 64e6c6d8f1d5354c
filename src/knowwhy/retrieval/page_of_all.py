"""What a question that asks for everything is given: a page of what its asker may see."""

from knowwhy.text.question.bulk import asks_for_everything

PAGE = 10  # hits; as many as a context is packed from
NOTE = (
    f"this asks for everything, so it is answered by a page: at most {PAGE} of what you may see; "
    "ask about something"
)
OF_POOLS = f"what pools lend is answered by a page: at most {PAGE}; ask about something else too"


def at_most(question: str, k: int, *, lent_only: bool) -> int:
    """Gives how many hits a question is given of those that were asked for.

    Of what others have lent it is never more than a page, however it is asked.
    """
    return min(k, PAGE) if lent_only or asks_for_everything(question) else k


def notes_on(question: str, hits: int, *, lent_only: bool) -> list[str]:
    """Says why a question was given no more than a page."""
    if asks_for_everything(question):
        return [NOTE]
    return [OF_POOLS] if lent_only and hits >= PAGE else []
