"""What is said where nothing that was found answers: the same at every door."""

from knowwhy.retrieval.hits import Hit
from knowwhy.retrieval.search import Answer
from knowwhy.text.characters import one_line

NOTHING = "Nothing that is stored answers this question"
NEAREST = 3  # records that are named where nothing answers
MOST_NAMES = 4  # that are called unknown in a sentence; the data have all


def silence(answer: Answer) -> str:
    """Says that nothing answers, and which names of the question nothing speaks of."""
    if not answer.unknown:
        return f"{NOTHING}."
    return f"{NOTHING}: nothing here speaks of {_joined(answer.unknown)}."


def nearest(answer: Answer) -> str:
    """Names the best of what was found though it does not answer, and why; nothing without it."""
    if not answer.hits:
        return ""
    named = "; ".join(map(_named, answer.hits[:NEAREST]))
    why = (
        f"say nothing of {_joined(answer.unknown, 'or')}"
        if answer.unknown
        else "are about something else"
    )
    return f"The nearest, which {why}: {named}"


def _named(hit: Hit) -> str:
    passage = hit.passage
    is_untitled = passage.title in ("", passage.key)
    return one_line(f"[{passage.key}]" if is_untitled else f"{passage.title} [{passage.key}]")


def _joined(names: tuple[str, ...], last: str = "and") -> str:
    *others, final = map(one_line, names[:MOST_NAMES])
    return f"{', '.join(others)} {last} {final}" if others else final
