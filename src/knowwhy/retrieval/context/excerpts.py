"""What is shown of a hit, the same through every door: the words that answer, in their own form."""

from knowwhy.retrieval.context.compress import WIDTH, excerpt
from knowwhy.retrieval.context.provenance import below_title
from knowwhy.retrieval.hits import Hit
from knowwhy.retrieval.search import Answer
from knowwhy.text.pages.chunks import COLUMN
from knowwhy.text.pages.passages import CODE
from knowwhy.text.patterns import regex
from knowwhy.text.question.answer_forms import without_head
from knowwhy.text.sentences import first_heading
from knowwhy.types import Passage

_ANCHOR = regex(r"(?m)^\[[^\]\n]{1,80}\]:[ \t]*#\S{0,120}[ \t]*\n?")  # a heading's own, unseen
_FENCE = regex(r"(?m)^[ \t]{0,80}(?:`{3,}|~{3,})")
_MARKDOWN = regex(r"[ \t]{0,80}(?:[-*+•>|][ \t]|\d{1,9}[.)][ \t]|#{1,6}[ \t]|!?\[|<?https?://)")
_NAME, _REST = r"[A-Za-z_$][\w.$:]{0,200}", r"[^\n]{0,400}"
# What neither prose nor lists are: a line that opens or closes, calls, sets, declares, comments.
_CODE_LINE = regex(
    rf"[ \t]{{0,80}}(?:(?:\*/|#include\b{_REST}|{_REST}\{{|[\]\)}}{{,;]{{1,20}}"
    rf"|@{_NAME}(?:\({_REST}\))?|{_REST}[=:(]{_REST}\}}[\)\]]{{0,9}}[,;]?|{_REST}(?:=|\w\(){_REST};"
    rf"|(?:return|import)\b{_REST};"
    rf"|(?:(?:assert|await|raise|throw|yield)[ \t])?{_NAME}\({_REST}[\),\(]"
    rf"|{_NAME}(?:, {_NAME}){{0,9}}[ \t]{{0,9}}(?::|[-+*/|])?=[ \t]{{0,9}}\S{_REST}"
    rf"|(?:async )?(?:func|def|fn|class|interface)[ \t]\w{{1,200}}[ \t]?[\(<:]{_REST}"
    rf"|(?:var|const|let|type)[ \t]{_REST}[ \t]={_REST}|from[ \t][\w.]{{1,200}}[ \t]import\b{_REST}"
    rf"|(?:import|package|return)[ \t]{_NAME}|return[ \t]{_REST}[\(=\[\"]{_REST}"
    rf"|(?:if|elif|while)\b{_REST}(?:[=<>]|\w[\(_.\[]\w){_REST}:"
    rf"|for[ \t]{_NAME}[ \t]in[ \t]{_REST}:|(?:else|try|finally):)[ \t\r]{{0,80}}\Z|//|/\*)"
)
CODED = 0.6  # of its lines, from which on a piece without a fence is code
LINES = (20, 8, 8)  # of the first hits, which a newcomer reads: a screen with their heads
LINES_AFTER = 5  # of each one behind them
MAIN = 2 / 3  # of the lines that are left, for the next passage where another one answers too
FEWEST = 2  # lines that another passage is worth showing in


def excerpts(answer: Answer) -> list[str]:
    """Gives what is shown of each hit of an answer."""
    return [excerpt_of(answer.question, hit, place) for place, hit in enumerate(answer.hits)]


def excerpt_of(question: str, hit: Hit, place: int) -> str:
    """Gives what is shown of the hit at a place, from 0 on, of other passages that answer too."""
    left = LINES[place] if place < len(LINES) else LINES_AFTER
    is_code = hit.passage.kind == CODE
    beside = hit.beside[: len(hit.beside) if place < len(LINES) else 0]
    shown: list[str] = []
    for at, passage in enumerate((hit.passage, *beside)):
        most = round(left * MAIN) if at < len(beside) else left
        if shown and most < FEWEST:
            break
        text = excerpt(question, body(passage, question), most, code=is_code)
        shown += [apart(hit.passage, passage), text] if shown else [text]
        left -= lines_of(text) + 1
    return "\n".join(shown)


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
    text = _ANCHOR.sub("", text).strip("\n") or text
    text = without_head(text, question, passage.title) if passage.pos == 0 else text
    heading, end = first_heading(text)
    named = (below_title(passage.heading, passage.title).rsplit(" > ", 1)[-1], passage.title)
    rest = text[end:].strip("\n")
    whole = rest if rest and heading and heading in named else text
    shown = _with_columns(whole, passage)
    return _opened(shown) if passage.pos > 0 else shown  # no block was open before a beginning


def _opened(text: str) -> str:
    """Opens the fence of a piece that was cut out of a block of code."""
    before = text[: fence.start()] if (fence := _FENCE.search(text)) else text
    lines = [line for line in before.splitlines() if line.strip()]
    coded = sum(_is_code(line) for line in lines)
    return f"```\n{text}" if lines and coded >= CODED * len(lines) else text


def _is_code(line: str) -> bool:
    """Tells a line of code from one of a list, a link or a sentence."""
    return not _MARKDOWN.match(line) and _CODE_LINE.match(line) is not None


def _with_columns(text: str, passage: Passage) -> str:
    columns = passage.heading.rsplit(" > ", 1)[-1].split(COLUMN)
    if len(columns) < 2 or not text.lstrip().startswith("|"):
        return text
    first = text.lstrip().partition("\n")[0]
    if all(column in first for column in columns):
        return text
    rule = "|---" * len(columns)
    return f"| {COLUMN.join(columns)} |\n{rule}|\n{text}"
