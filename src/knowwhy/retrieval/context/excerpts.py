"""What is shown of a hit, the same through every door: the words that answer, in their own form."""

from knowwhy.retrieval.context.compress import WIDTH, excerpt
from knowwhy.retrieval.context.provenance import below_title
from knowwhy.retrieval.hits import Hit
from knowwhy.retrieval.search import Answer
from knowwhy.text.formats.headers import front_matter_end
from knowwhy.text.pages.chunks import COLUMN, head_end
from knowwhy.text.pages.passages import CODE
from knowwhy.text.patterns import regex
from knowwhy.text.question.answer_forms import forms_of, words_asked
from knowwhy.text.sentences import first_heading
from knowwhy.text.tokens import tokens
from knowwhy.types import Passage

_ANCHOR = regex(r"(?m)^\[[^\]\n]{1,80}\]:[ \t]*#\S{0,120}[ \t]*\n?")  # a heading's own, unseen
LINES = (12, 8, 8)  # of the first hits, which a newcomer reads
LINES_AFTER = 5  # of each one behind them
MAIN = 2 / 3  # of the lines, for the best passage where another one answers too
FEWEST = 2  # lines that a second passage is worth showing in


def excerpts(answer: Answer) -> list[str]:
    """Gives what is shown of each hit of an answer."""
    return [excerpt_of(answer.question, hit, place) for place, hit in enumerate(answer.hits)]


def excerpt_of(question: str, hit: Hit, place: int) -> str:
    """Gives what is shown of the hit at a place, from 0 on, of a second passage too."""
    most = LINES[place] if place < len(LINES) else LINES_AFTER
    is_code = hit.passage.kind == CODE
    text = body(hit.passage, question)
    if not hit.beside or place >= len(LINES):
        return excerpt(question, text, most, code=is_code)
    first = excerpt(question, text, round(most * MAIN), code=is_code)
    left = most - lines_of(first) - 1
    if left < FEWEST:
        return first
    second = excerpt(question, body(hit.beside[0], question), left, code=is_code)
    return f"{first}\n{apart(hit.passage, hit.beside[0])}\n{second}"


def lines_of(text: str) -> int:
    """Counts the lines that a text takes as it is shown."""
    return sum(max(1, -(-len(line) // WIDTH)) for line in text.splitlines())


def apart(passage: Passage, other: Passage) -> str:
    """Returns the line between two passages of a record: that something is left out, and where."""
    heading = below_title(other.heading, other.title)
    same = not heading or other.heading == passage.heading
    return "…" if same else f"… › {heading}"


def body(passage: Passage, question: str = "") -> str:
    """Gives a passage's words without what stands above them: the heading, and a front matter.

    Rows that were cut from their table come with its header.
    """
    text = passage.text.strip("\n").rstrip()
    if passage.kind == CODE:
        return text
    text = _without_head(_ANCHOR.sub("", text).strip("\n") or text, passage, question)
    heading, end = first_heading(text)
    named = (below_title(passage.heading, passage.title).rsplit(" > ", 1)[-1], passage.title)
    rest = text[end:].strip("\n")
    whole = rest if rest and heading and heading in named else text
    return _with_columns(whole, passage)


def _without_head(text: str, passage: Passage, question: str) -> str:
    """Leaves out a record's head, whose facts stand beside the hit, unless it alone answers."""
    end = head_end(text) if passage.pos == 0 else 0
    front = front_matter_end(text)
    if not end or (not front and any(form.heads is None for form in forms_of(question))):
        return text
    asked = words_asked(question)
    only = asked.intersection(tokens(text[:end])).difference(
        tokens(text[end:]), tokens(passage.title)
    )
    return text if only else text[end:]


def _with_columns(text: str, passage: Passage) -> str:
    columns = passage.heading.rsplit(" > ", 1)[-1].split(COLUMN)
    if len(columns) < 2 or not text.lstrip().startswith("|"):
        return text
    first = text.lstrip().partition("\n")[0]
    if all(column in first for column in columns):
        return text
    rule = "|---" * len(columns)
    return f"| {COLUMN.join(columns)} |\n{rule}|\n{text}"
