"""Words of doubt that only describe: what may happen to a system, and who or what is uncertain."""

import re

from knowwhy.text.patterns import regex

NEAR = 80  # characters before and after a word in which what it belongs to stands

# "when the network may", but not "if the job fails it may": what is doubted there is said of "it".
_NOUNS = (
    r"(?:(?:an?|the|its?|their|our|any|some|every|each|one|no|another)\s+(?!is\b|has\b)[\w-]+"
    r"(?:\s+(?!(?:an?|the|its?|their|our|this|that|there|we|they|i|is|are|was|were|has|have)\b)"
    r"[\w-]+)?|it|they|you|(?!(?:this|that|there|we|i)\b)[\w-]+)"
)
_CONDITION = regex(
    r"(?:^|[\s(])(?:when|whenever|wherever|if|unless|check(?:s|ing)?\s+whether|in\s+case|as\s+long\s+as|while)\s+"
    rf"{_NOUNS}\s+$",
    re.I,
)
_OPENER_WORDS = """
when whenever wherever if unless whether case as while
"""
_OPENERS, _RELATIVES = frozenset(_OPENER_WORDS.split()), frozenset(("that", "which", "who"))
_REACH = 5  # words back to what opens the clause
# What makes the clause the guess itself: "it crashes when the pool might be full".
_GUESSED = regex(
    r"(?:\b(?:happen|occur|appear|fail|crash|break|leak|start|began|begin|hang|stall|die)\w{0,3}"
    r"(?:\s+(?:only|mostly|often|again))?|\b(?:is|was|knows?|wonders?|unclear|sure|ask|says?|said))"
    r"\s+(?:when|whenever|if|while)\s+[^.;:,!?]*$",
    re.I,
)
_FOR_THOSE = regex(
    r"\b(?:for|against|(?:validat|sanitis|sanitiz|escap|handl)(?:e|es|ing)"
    r"|(?:check|reject|skip|filter|accept|guard)(?:s|ing)?)\s+(?:(?:all|any|those|the\s+few|every|each)\s+)?"
    r"(?:(?!(?:an?|the|this|that|our|my|its)\b)[\w-]+\s+){0,2}[\w-]*\w{2}s\s+(?:that|which|who)\s+$",
    re.I,
)
_OF_A_CAUSE = regex(
    r"\s+(?:(?:also|well|just|still)\s+)?(?:have\b|be\s+(?:caused|due|related|because|why|wrong)\b"
    r"|come\b|stem\b|explain\b|cause\b)",
    re.I,
)

_PEOPLE = (
    r"(?:customers|users|readers|reviewers|callers|visitors|clients|members|people|players|buyers"
    r"|patients|students|candidates|employees|guests|learners|shoppers)"
)
_THINGS = r"(?!(?:is|was|has|this|its|as|us|thus|always|does)\b)[a-z-]*[a-z]{2}s\b"
_ARE = r"\s+(?:are|were|go|get|must|should|have\s+to|need)\b"
_BEGINS = regex(r"(?:^|[.!?;:,(\n]|\b(?:and|but|so|or|yet|now|still))\s{0,20}$", re.I)
_SAID_OF = regex(
    r"(?:'m|'s|'re|\b(?:am|is|are|was|were|be|been|being|feels?|felt|remains?|remained|seems?"
    r"|seemed|sounds?|looks?|not|very|quite|too|so|bit|little|rather|really|pretty|somewhat|unsure|i|we|[a-z]+ly))\s+$",
    re.I,
)
_OF_PEOPLE, _OF_THINGS = regex(rf"\s+{_PEOPLE}{_ARE}"), regex(rf"\s+{_THINGS}{_ARE}")
_ATTRIBUTE = regex(rf"\s+{_THINGS}")


def describes(text: str, start: int, end: int) -> bool:
    """Tells "may" and "might" of a condition of a system from a guess of the speaker."""
    before, after = text[max(0, start - NEAR) : start], text[end : end + NEAR]
    if _OF_A_CAUSE.match(after):
        return False
    last = before.lower().replace("(", " ").split()[-_REACH:]
    if last and last[-1] in _RELATIVES:
        return _FOR_THOSE.search(before) is not None
    is_condition = not _OPENERS.isdisjoint(last) and _CONDITION.search(before) is not None
    return is_condition and _GUESSED.search(before) is None


def is_attribute(text: str, start: int, end: int) -> bool:
    """Tells "unsure customers are routed" from "unsure whether it runs"."""
    before, after = text[max(0, start - NEAR) : start], text[end : end + NEAR]
    if not _BEGINS.search(before):
        return _SAID_OF.search(before) is None and _ATTRIBUTE.match(after) is not None
    told = _OF_PEOPLE if text[start:end].lower() == "unsure" else _OF_THINGS
    return told.match(after) is not None
