"""The texts in which candidates are read again: with what they need to be understood."""

from collections.abc import Mapping

from knowwhy.retrieval.legs import Found, Stage
from knowwhy.tables.recallable import SPOKEN
from knowwhy.text.pages.passages import CODE, in_context
from knowwhy.text.question.answer_forms import without_front_matter
from knowwhy.types import Memory, Passage, Turn

LONGEST_TURN = 1_000  # characters; of a longer one a fact says better what it is about


def texts_of(known: Mapping[str, Passage], stage: Stage, found: Found) -> dict[str, str]:
    """Gives each candidate's text: a fact within its turn, a memory with what it replaced."""
    said = {key: m for key in known if isinstance(m := found.said.get(key), Memory)}
    of = {key: m.turn_key for key, m in said.items() if m.turn_key and not m.verified_at}
    turns = stage.words.said((turn, SPOKEN) for turn in of.values())
    texts = {
        key: _within(turns.get((of.get(key, ""), SPOKEN))) or alone(passage, stage.asking.question)
        for key, passage in known.items()
    }
    return {
        key: "\n".join(filter(None, (text, found.before.get(key)))) for key, text in texts.items()
    }


def _within(turn: object) -> str | None:
    """Gives a turn as it is read, where that is short."""
    if not isinstance(turn, Turn) or len(turn.content) > LONGEST_TURN:
        return None
    return in_context(turn.context, 0, turn.content)


def alone(passage: Passage, question: str) -> str:
    """Gives a passage as it is read by itself: under its title and headings.

    Lines of a front matter that are not asked for read like no answer, whatever stands below.
    """
    whole = in_context(passage.context, passage.pos, passage.search_text)
    if passage.pos != 0 or passage.kind == CODE or not passage.text:
        return whole
    rest = without_front_matter(passage.text, question)
    return whole.replace(passage.text, rest) if rest != passage.text else whole
