"""The secrets that stand right behind their name: "password … works", "Grafana: admin / …"."""

import re
from collections.abc import Iterator

from knowwhy.text.patterns import regex
from knowwhy.text.secrets.secret_names import KEYS, PASSWORDS
from knowwhy.text.secrets.secret_shapes import Span, looks_drawn
from knowwhy.text.secrets.secret_values import (
    CURSORS,
    DESCRIBED,
    SHORTEST_KEY,
    TECHNICAL,
    Promise,
    Setting,
    is_scrambled,
    is_secret,
)

SHORTEST_HEX = 32  # digits; shorter ones are commits and colours
SHORTEST_DRAWN = 10  # characters of letters alone that no word has in this mix of cases
BEFORE = 24  # characters before a name in which the word stands that says which one it is

_NAMED = regex(
    rf"(?<![\w-])(?:(?P<password>{PASSWORDS})|(?P<key>{KEYS}))\s{{1,3}}"
    r"(?:(?:is|was|ist|war|lautet|est|es|é|är)(?:\s(?:now|still|currently|again|jetzt|nun))?\s{1,3})?"
    r"(?P<quote>[\"'`“„«*]{0,2})(?P<value>[^\s\"'`“”„<>,;()«»|]{8,512})",
    re.I,
)
_TAIL = ".!?:*"
# A password ends its sentence, or something is said of it; "password reset2fa flow" goes on.
_SAID_OF_IT = regex(
    r"[\"'`”»*]{0,2}(?:[.!?,;:)\]]|\s{0,3}(?:[\r\n]|\Z)"
    r"|\s{1,3}(?:is|was|are|for|on|at|to|in|from|of|and|or|but|which|that|since|until|as|here|now"
    r"|still|again|no\slonger|everywhere|works?|worked|does|did|has|had|will|should|must|can|opens?"
    r"|unlocks?|gets?|lets?|logs?|expires?|expired|changed|stands|remains|fits|holds|ist|war|für|bei"
    r"|auf|gilt|funktioniert|geht|und|est|pour|sur|marche|es|para|en|funciona|voor|werkt)\b)",
    re.I,
)
_WORD_AND_DIGITS = regex(r"(?P<word>[A-Z]?[a-z]{3,19})\d{1,4}")
_MAIL = regex(r"[\w.+-]+@[\w-]+\.[\w.-]+")
_SIGNS = frozenset("!#$%^&*+?~")
# Words with a number that are no password beside that name: "password policy2025".
_NUMBERED_WORDS = """
policy policies rotation version release phase level form page table rule rules hash hashes store
service sprint ticket issue model module auth login step manager vault prompt column index test
draft chapter section appendix figure table quarter week year node host server client shard slot
requirement requirements guideline guidelines standard standards audit checklist training docs flow
strength length field reset
"""
_NUMBERED = frozenset(_NUMBERED_WORDS.split())
_WORD_BEFORE = regex(r"(?<![A-Za-z])([A-Za-z]+)[ -]\Z")

_LOGINS = frozenset(
    ("admin", "administrator", "root", "postgres", "sa", "guest", "sysadmin", "superuser")
)
_PAIR = regex(
    r"(?<![\w/.-])(?P<place>[A-Za-z][\w.-]{1,30})\s?(?::|->|→)\s{1,3}[\"'`(*]{0,2}"
    r"(?P<user>[A-Za-z][\w.@+-]{1,60})(?P<between>\s{0,2}/\s{0,2})"
    r"(?P<value>[^\s\"'`<>,;()|/]{8,200})"
)
_LISTS_WORDS = """
role roles user users group groups team teams access path paths route routes page pages tag tags
permission permissions scope scopes owner owners member members see file files folder folders
"""
_LISTS = frozenset(_LISTS_WORDS.split())


def neighbouring_secrets(text: str) -> Iterator[Span]:
    """Yields the values that stand right behind a password, a key or a login of a service."""
    for named in _NAMED.finditer(text):
        start, end = _bare(text, named)
        said = text[start:end]
        if named["password"] is None:
            if _is_key(said) and not _is_cursor(text, named.start()):
                yield Span(start, end, "token")
        elif _is_drawn(said) or (_is_told(said) and _SAID_OF_IT.match(text, end)):
            yield Span(start, end, "password")
    for pair in _PAIR.finditer(text):
        start, end = _bare(text, pair)
        if pair["place"].lower() not in _LISTS and _is_login(pair, text[start:end]):
            yield Span(start, end, "password")


def _bare(text: str, found: re.Match[str]) -> tuple[int, int]:
    """Takes the end of the sentence from a value that no quotation mark closes."""
    start, end = found.span("value")
    if text[start - 1] in "\"'`“„«" and text[end : end + 1] in ('"', "'", "`", "”", "“", "»"):
        return start, end
    return start, start + len(text[start:end].rstrip(_TAIL))


def _is_key(value: str) -> bool:
    if value.isalnum() and all(sign in "0123456789abcdefABCDEF" for sign in value):
        return len(value) >= SHORTEST_HEX and is_secret(value, Promise.KEY, Setting.PROSE)
    return is_secret(value, Promise.KEY, Setting.PROSE) and is_scrambled(value)


def _is_cursor(text: str, start: int) -> bool:
    """Tells the token of a page of answers, which opens nothing."""
    before = _WORD_BEFORE.search(text, max(0, start - BEFORE), start)
    return before is not None and before[1].lower() in CURSORS


def _is_drawn(value: str) -> bool:
    """Tells what was drawn by lot, whatever goes on behind it."""
    if is_scrambled(value):
        return is_secret(value, Promise.PASSWORD, Setting.PROSE)
    is_mixed = value.isalpha() and looks_drawn(value, SHORTEST_DRAWN)
    return is_mixed and is_secret(value, Promise.PASSWORD, Setting.LOOSE)


def _is_told(value: str) -> bool:
    """Tells what people choose: a word and a number, or letters, digits and marks."""
    if len(value) < SHORTEST_KEY or _MAIL.fullmatch(value) or TECHNICAL.search(value):
        return False
    numbered = _WORD_AND_DIGITS.fullmatch(value)
    if numbered is not None:
        word = numbered["word"].lower()
        is_chosen = word not in _NUMBERED and DESCRIBED.fullmatch(word) is None
        return is_chosen and is_secret(value, Promise.PASSWORD, Setting.LOOSE)
    digits = sum(sign.isdigit() for sign in value)
    has_all = digits and any(sign.isalpha() for sign in value) and (_SIGNS & set(value))
    return bool(has_all) and is_secret(value, Promise.PASSWORD, Setting.PROSE)


def _is_login(pair: re.Match[str], value: str) -> bool:
    """Tells a login from a path and from two alternatives, which have no blanks or no number."""
    is_apart = pair["between"].startswith(" ")
    if pair["user"].lower() in _LOGINS:
        return _is_drawn(value) or (is_apart and _is_told(value))
    return is_apart and pair["user"].islower() and is_scrambled(value) and _is_drawn(value)
