"""The sentences of a message as their writer says them, without what only leads up to them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from knowwhy.text.patterns import regex
from knowwhy.text.sentences import pieces
from knowwhy.text.speech.spoken import spoken

SHORT_LINE = 50  # characters; a shorter line was ended on purpose, a longer one may be wrapped
MOST_LEADS = 6  # words and labels taken off the front of one sentence
LONGEST = 700  # characters; a longer sentence is no sentence, and nobody could check it
LABEL_WORDS = 7  # words before a colon that only say what comes: "Some background on pricing:"

_APOSTROPHE = str.maketrans("’‘", "''")
_STOP = regex(
    r"(?<![.!?:]\s\d)(?<!\be\.g)(?<!\bi\.e)(?<!\bcf)(?<!\bvs)(?<!\betc)(?<!\bapprox)(?<!\.\.)"
    r"[.!?]{1,3}[\"')\]]?\s+(?=\S)|\s(?=[:;]-?[)D(](?:\s|$))"
)
_ITEM = regex(r"\s*(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?")
_LEADS = regex(
    r"(?:[*_]{1,3})?(?:(?:ok(?:ay)?|k|so|well|h+m+|ah+|oh|yea+h?|yep|yes|right|sure|good|nice|cool"
    r"|great"
    r"|thanks|thx|lol|ha(?:ha)+|fyi|btw|anyways?|also|and|but|then|morning|good morning|hi|hey"
    r"|hello"
    r"|honestly|to be honest|tbh|actually|basically|see|look|obviously|of course|sorry|by the way"
    r"|just so you know|for context|first(?:ly)?|second(?:ly)?|third(?:ly)?|finally|lastly|ugh"
    r"|wait|got it|understood|perfect|agreed|indeed|again|in fact|fact is|ps|so basically"
    r"|great question|sounds good|hmm+ ok)\b[,.!:…-]*"
    r"|(?:please )?(?:note|remember|keep in mind|be aware|bear in mind)(?: that|:)"
    r"|you (?:have to|should|need to|must) know that|(?:the )?(?:thing|problem|point|catch) is that"
    r"|(?:it )?turns out(?: that)?|that's because|because|i found(?: it| out)?(?: that|:)"
    r"|it's worth (?:noting|knowing) that|worth knowing:)\s+",
    re.I,
)
_LABEL = regex(r"[^\n:`\"?.!]{2,60}:\s+(?=\S)")
_SAYS = regex(
    r"\b(?:is|are|was|were|has|have|had|uses?|runs?|does|do|don't|keeps?|takes?|goes|comes?|works?"
    r"|gets?"
    r"|needs?|lives?|stores?|reads?|depends?|can|cannot|can't|will|must)\b",
    re.I,
)
_KEPT_LABEL = regex(
    r"(?:for|in|when|whenever|before|after|if|on|with|about) |.*\b(?:decision|decided|rule|outcome"
    r"|convention|policy|process"
    r"|procedure|steps|how|way|workflow|preference|reason|to)\b",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of a message; `core` is what is left of it without its leads."""

    start: int  # of the core, in the message
    end: int
    core: str
    whole: str  # with its leads
    block: int  # sentences of one paragraph or item have one number
    is_item: bool
    is_heading: bool

    @property
    def low(self) -> str:
        """Gives the core in small letters, on one line."""
        return " ".join(self.core.lower().split())


def said_sentences(message: str) -> list[Sentence]:
    """Cuts what the writer of a message says into sentences."""
    text = spoken(message).translate(_APOSTROPHE)
    found = []
    for piece in pieces(text):
        item = _ITEM.match(text, piece.start, piece.end)
        begin = item.end() if item else piece.start
        for start, end in _cut(text, begin, piece.end):
            if text[start:end].strip():
                is_item = item is not None
                found.append(_sentence(text, start, end, (piece.block, is_item, piece.is_heading)))
    return found


def _sentence(text: str, start: int, end: int, where: tuple[int, bool, bool]) -> Sentence:
    begin = _core(text, start, end)
    core = text[begin:end]
    return Sentence(begin, end, core, text[start:end], *where)


def _cut(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yields the spans of sentences, also where one begins with a small letter or a new line."""
    begin = start
    for line_start, line_end in _ended_lines(text, start, end):
        begin = line_start
        for stop in _STOP.finditer(text, line_start, line_end):
            yield begin, stop.start() + len(stop[0].rstrip())
            begin = stop.end()
        yield begin, line_start + len(text[line_start:line_end].rstrip())


def _ended_lines(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yields lines, joined to the next where they only look wrapped."""
    begin = start
    for newline in re.finditer(r"\n", text[start:end]):
        at = start + newline.start()
        line = text[max(begin, text.rfind("\n", begin, at) + 1) : at].rstrip()
        following = text[at + 1 : at + 80].lstrip()
        wrapped = len(line) > SHORT_LINE or line.endswith((",", ";", "(", "-", " and", " or"))
        if not wrapped or (following[:1].isupper() and line.endswith((".", "!", "?", ":"))):
            yield begin, at
            begin = at + 1
    yield begin, end


def _core(text: str, start: int, end: int) -> int:
    """Finds where a sentence begins to say something."""
    begin = start
    for _ in range(MOST_LEADS):
        while begin < end and text[begin].isspace():
            begin += 1
        lead = _LEADS.match(text, begin, end) or _bare_label(text, begin, end)
        if not lead:
            break
        begin = lead.end()
    return begin


def _bare_label(text: str, begin: int, end: int) -> re.Match[str] | None:
    """Finds a label that is no part of the claim, as who speaks or "For the record:"."""
    label = _LABEL.match(text, begin, end)
    if not label or len(label[0].split()) > LABEL_WORDS:
        return None
    if label[0].lower().startswith(("for the record", "for the file", "for your info")):
        return label
    return None if _KEPT_LABEL.match(label[0]) or _SAYS.search(label[0]) else label
