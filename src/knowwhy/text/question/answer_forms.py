"""What an answer is known by: the words that a question turns on, and the form that it has."""

from collections.abc import Set
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from re import Pattern

from knowwhy.text.formats.headers import front_matter_end
from knowwhy.text.pages.chunks import head_end
from knowwhy.text.patterns import regex
from knowwhy.text.question.question_grammar_words import SMALL_WORDS
from knowwhy.text.tokens import STOP_WORDS, tokens

MOST_LOOKED_AT = 40  # places in a text; a passage has fewer


@dataclass(frozen=True, slots=True)
class AnswerForm:
    """Words that ask, with the words of a sentence and of a heading that answer."""

    asks: Pattern[str]
    says: Pattern[str]
    heads: Pattern[str] | None = None  # headings, by a word that they have

    def is_in(self, text: str, asked: Set[str]) -> bool:
        """Tells whether a text has it in words that are not the question's own."""
        found = (tokens(one[0]) for one in islice(self.says.finditer(text), MOST_LOOKED_AT))
        return any(not words or any(word not in asked for word in words) for words in found)


_DECIDES = AnswerForm(
    regex(
        r"(?i)\b(?:what|which|how)\b.{0,80}\b(?:decid|decision|cho[so]s?e|choice|select|adopt"
        r"|agree|conclu|settle|pick)\w*"
    ),
    regex(
        r"(?i)\b(?:chosen option|(?:we|was|were|is|has been|have) (?:\w+ )?"
        r"(?:decid|cho[so]|select|adopt|agree|use|will|go)\w*)\b"
    ),
    regex(r"(?i)\b(?:decisions?|decided|outcome|conclusion|resolution|solution|proposal)\b"),
)
_FORMS = (
    AnswerForm(
        regex(
            r"(?i)\bwhy\b|\breasons?\b|\brationale\b|\bcaus(?:ed?|es)\b|\bmotivat\w+"
            r"|\bwhat (?:led|made|speaks|spoke)\b|\bjustif\w+"
        ),
        regex(
            r"(?i)\b(?:because|since|so that|so as to|due to|reasons?|caused?|in order to"
            r"|therefore|thus|hence|given that|given the|as a result|rather than|instead of"
            r"|(?:we|was|were|is|have|has|been) (?:decid|cho[so]|select|opt|prefer)\w*"
            r"|chosen option|outcome|allows? us|(?:can|could|would)(?: not|n't) \w+"
            r"|to (?:avoid|ensure|reduce|prevent|allow|enable|keep))\b"
        ),
        regex(
            r"(?i)\b(?:decisions?|decided|outcome|rationale|reason\w*|why|justification|motivation"
            r"|root|causes?|conclusion|resolution|drivers?|contributing|argument\w*|trigger)\b"
        ),
    ),
    _DECIDES,
    AnswerForm(
        regex(
            r"(?i)\bwho(?:m|se)?\b|\bwhich (?:\w+ )?(?:person|people|team|maintainers?|owners?)\b"
        ),
        regex(r"\b[A-Z][a-z'’-]+ (?:[A-Z]\. )?[A-Z][\w'’-]+|(?<!\w)@\w[\w-]{1,38}"),
    ),
    AnswerForm(
        regex(r"(?i)\bwhen\b|\bwhat (?:date|day|year|month|time)\b|\bsince when\b|\buntil when\b"),
        regex(r"\b(?:19|20)\d\d\b|\b\d{1,2}:\d\d\b"),
        regex(r"(?i)\b(?:date|time|timeline|when|history|changelog|schedule|stats?)\b"),
    ),
    AnswerForm(
        regex(
            r"(?i)\bhow (?:many|much|long|often|old|big|large|fast)\b|\blimits?\b|\btimeouts?\b"
            r"|\b(?:default|maximum|minimum|size|port|percentage|number of|version)\b"
        ),
        regex(r"\d"),
    ),
)


def forms_of(question: str, *, is_called: bool = False) -> list[AnswerForm]:
    """Gives the forms of the answers to a question; many a question has none.

    One that calls a record by its name and asks for nothing more wants what that decides.
    """
    found = [form for form in _FORMS if form.asks.search(question)]
    return found or ([_DECIDES] if is_called else [])


def words_asked(question: str) -> frozenset[str]:
    """Gives the stems that a question turns on: without those that only ask, unless all do."""
    asked = frozenset(tokens(question)) - STOP_WORDS
    return asked - _small() or asked


def without_head(text: str, question: str, title: str) -> str:
    """Leaves out the head that a record's first piece begins with, unless that answers itself.

    What it states stands beside the hit.
    """
    front, end = front_matter_end(text), head_end(text)
    if not end or _is_only_above(text, end, question, title):
        return text
    asked = words_asked(question)
    answers = any(form.is_in(text[front:end], asked) for form in forms_of(question))
    return text[front:].strip("\n") if answers else text[end:]


def without_front_matter(text: str, question: str) -> str:
    """Leaves out of a record's front matter the lines that neither are asked for nor answer."""
    end = front_matter_end(text)
    rest = text[end:].strip("\n")
    if not end or not rest:
        return text
    asked, forms = words_asked(question), forms_of(question)
    kept = [
        line
        for line in text[:end].splitlines()
        if asked.intersection(tokens(line)) or any(form.is_in(line, asked) for form in forms)
    ]
    return "\n".join([*kept, rest])


def _is_only_above(text: str, end: int, question: str, title: str) -> bool:
    """Tells whether a word that is asked for stands above a place and nowhere below it."""
    above = words_asked(question).intersection(tokens(text[:end]))
    return bool(above.difference(tokens(text[end:]), tokens(title)))


@lru_cache(maxsize=1)
def _small() -> frozenset[str]:
    return frozenset(token for word in SMALL_WORDS for token in tokens(word))
