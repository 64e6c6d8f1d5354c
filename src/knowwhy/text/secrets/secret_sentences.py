"""The secrets that a sentence tells: "the passphrase for the relay was changed to …"."""

import re
from collections.abc import Iterator
from itertools import islice

from knowwhy.text.patterns import regex
from knowwhy.text.secrets.secret_names import KEYS, PASSWORDS
from knowwhy.text.secrets.secret_shapes import Span, looks_drawn
from knowwhy.text.secrets.secret_values import (
    KEEPERS,
    SHORTEST_KEY,
    Promise,
    Setting,
    is_scrambled,
    is_secret,
    is_told_phrase,
    is_vendor_key,
)

REACH = 120  # characters from the name of a secret to its value, some fifteen words
ABOUT_WIDTH = 40  # characters before a name that say what the sentence is about
MOST_SAID = 6  # words of being or becoming that are tried after one name
SHORTEST_DRAWN = 10  # characters of letters alone that no word has in this mix of cases

_NAMED = regex(rf"\b(?:(?P<password>{PASSWORDS})|(?P<key>{KEYS}))(?![\w-])", re.I)
# Between a name and its value: what it is for, where it is, since when.
_FOLLOWED = regex(
    r"\s{1,3}(?:(?:for|of|to|on|in|at|from|into|behind|by|with|we|i|you|they|that|which|used|now"
    r"|here|there|currently|today|again|has|have|had|is|was|are|were|will|got|gets|should|must|can"
    r"|für|von|vom|zu|zum|zur|auf|im|der|des|ist|lautet|war|wurde|pour|de|du|des|est|para|del|do"
    r"|da|es|é|è|voor|van|till|är|on)\b)|\s{0,3}\("
)
_SAYS = regex(
    r"(?<![\w-])(?:is|was|from|are|were|be|being|to|into|now|as|reads?|equals|becomes?|became|ist|lautet"
    r"|war|auf|est|es|é|è|är)(?:\s{1,3}(?:now|set|still|currently|again|to|as|jetzt|nun))?"
    r"\s{0,2}:?\s{1,3}|[:=→]\s{1,3}|->\s{1,3}|\)\s{1,3}"
)
_VALUE = regex(r"[\"'`“‘„(«*]{0,3}([^\s\"'`“”‘’<>,;()«»|]{8,512})")
# Right behind a name: an arrow, a dash, a bracket or a comma, and at most a word of being.
_POINTS = regex(
    r"\s{0,3}(?:-{1,2}>|[→⇒➜—–]|\s-{1,2}\s|\(|,\s)\s{0,3}"
    r"(?:(?:(?:which|that)\s)?(?:is|was|now|currently|still|formerly|i\.e\.|aktuell|jetzt|derzeit"
    r"|actuellement|ahora)\s{0,2}:?\s{1,3})?"
)
_QUOTED_PHRASE = regex(r"[\"'`“„«]([^\"'`“”„«»\n]{12,120})[\"'`”“»]")
# "The rule for a password is …" tells of the rule.
_ABOUT_IT = regex(
    r"\b(?:for|of|about|in|on|für|von|über|pour|de|para|sobre|voor)\s(?:\w{1,12}\s){0,2}\Z", re.I
)
_TAIL = ".!?:*"
_QUOTES = tuple("\"'`“”‘’„«»")
_SENTENCE_END = regex(r"[.!?]\s|[\n{}]|\",|\\n")

_LOGIN = regex(
    r"\b(?:log ?in|logins?|log on|sign ?in|credentials?|creds|account|user(?: ?name)?|zugang)"
    r"(?:\s(?:is|are|as|with|to|for|via|using|data|:))?(?:\s[\w.-]{1,30}(?:\s?:)?)?\s?[:=]?\s{1,3}"
    r"[\"'`(]?(?P<user>[A-Za-z][\w.@+-]{1,60})\s?[/:|]\s?(?P<value>[^\s\"'`<>,;()|/]{8,200})",
    re.I,
)
_LOGIN_WITH = regex(
    r"\b(?:log(?:ged)?[ -]?(?:in|on)|sign(?:ed)?[ -]?in|connect(?:ed)?|authenticated?|melde(?:t|n)?"
    r"|anmelden|einloggen|connecte[rz]?|conecta|inicia sesión)(?:\s[\w./'-]{1,30}){0,4}?"
    r"\s(?:as|als|en tant que|como)\s(?:(?:the |den |el )?(?:user |account )?[\w.@+-]{1,60})"
    r"\s(?:with|using|and|mit|und|avec|et|con|y|com|e)\s(?P<value>[\"'`“„«*]{0,2}[^\s\"'`“”]{8,200})",
    re.I,
)
_LOGINS = frozenset(("admin", "administrator", "root", "postgres", "sa", "guest", "sysadmin"))
# A capital before "key" is a vendor's, unless what it names keeps data under keys.
_VENDOR = regex(r"\b(?P<name>[A-Z][A-Za-z\d.]{2,30})(?: [Aa][Pp][Ii])? keys?(?![\w-])")
_FOR_VENDOR = regex(r"\bkeys? (?:for|of|to|from) (?:the )?(?P<name>[A-Z][A-Za-z\d.]{2,30})\b")
_BESIDE = regex(r"\s{0,2}[:=]?\s{1,3}")


def told_secrets(text: str) -> Iterator[Span]:
    """Yields the values that sentences give to a password, a key or a login."""
    for named in _NAMED.finditer(text):
        promise = Promise.PASSWORD if named["password"] else Promise.KEY
        if _FOLLOWED.match(text, named.end()):
            yield from _told(text, named, promise)
        yield from _pointed_at(text, named.end(), promise)
    for login in _LOGIN.finditer(text):
        start, end = _bare(text, *login.span("value"))
        said = text[start:end]
        if _is_password(said) and (login["user"].lower() in _LOGINS or _is_shuffled(said)):
            yield Span(start, end, "password")
    for login in _LOGIN_WITH.finditer(text):
        value = _VALUE.match(text, login.start("value"))
        if value is not None and _is_like_no_name(text[slice(*_bare(text, *value.span(1)))]):
            yield Span(*_bare(text, *value.span(1)), "password")
    for pattern in (_VENDOR, _FOR_VENDOR):
        for vendor in pattern.finditer(text):
            if vendor["name"].lower() not in KEEPERS:
                yield from _vendor_key(text, vendor.end())


def _told(text: str, named: re.Match[str], promise: Promise) -> Iterator[Span]:
    """Yields the values that one sentence says a name to have, the old one and the new one."""
    after = named.end()
    for says in islice(_SAYS.finditer(text, after, _reach(text, after)), MOST_SAID):
        phrases = _phrase_at(text, says.end()) if promise is Promise.PASSWORD else ()
        yield from (span for span in phrases if not _is_about_it(text, named.start()))
        value = _VALUE.match(text, says.end())
        if value is None:
            continue
        span = _bare(text, *value.span(1))
        said = text[slice(*span)]
        is_told = _is_password(said) if promise is Promise.PASSWORD else _is_key(said)
        if is_told:
            yield Span(*span, "password" if promise is Promise.PASSWORD else "token")


def _is_about_it(text: str, start: int) -> bool:
    return _ABOUT_IT.search(text, max(0, start - ABOUT_WIDTH), start) is not None


def _phrase_at(text: str, start: int) -> Iterator[Span]:
    """Yields the quoted words at a place if they are a passphrase."""
    phrase = _QUOTED_PHRASE.match(text, start)
    if phrase is not None and is_told_phrase(phrase[1]):
        yield Span(*phrase.span(1), "password")


def _pointed_at(text: str, after: int, promise: Promise) -> Iterator[Span]:
    """Yields what an arrow, brackets or commas give to a name, if it is like no other word."""
    points = _POINTS.match(text, after)
    if points is None:
        return
    if promise is Promise.PASSWORD and points[0][0] not in ",(":  # those may be of a call
        yield from _phrase_at(text, points.end())
    value = _VALUE.match(text, points.end())
    if value is None:
        return
    span = _bare(text, *value.span(1))
    said = text[slice(*span)]
    if _is_like_no_name(said, promise):
        yield Span(*span, "password" if promise is Promise.PASSWORD else "token")


def _reach(text: str, after: int) -> int:
    """Gives where the sentence ends in which a value may follow."""
    end = _SENTENCE_END.search(text, after, after + REACH)
    return end.start() if end else min(len(text), after + REACH)


def _vendor_key(text: str, after: int) -> Iterator[Span]:
    """Yields what stands right behind a vendor's key, or is said to be it."""
    starts = [beside.end()] if (beside := _BESIDE.match(text, after)) else []
    said = islice(_SAYS.finditer(text, after, _reach(text, after)), MOST_SAID)
    starts += [says.end() for says in said]
    for start in starts:
        value = _VALUE.match(text, start)
        if value is None:
            continue
        span = _bare(text, *value.span(1))
        if is_vendor_key(text[slice(*span)]):
            yield Span(*span, "api-key")
            return


def _bare(text: str, start: int, end: int) -> tuple[int, int]:
    """Takes the end of the sentence from a value that no quotation mark closes."""
    if text[start - 1 : start] in _QUOTES and text[end : end + 1] in _QUOTES:
        return start, end
    return start, start + len(text[start:end].rstrip(_TAIL))


def _is_password(value: str) -> bool:
    if is_secret(value, Promise.PASSWORD, Setting.PROSE):
        return True
    return looks_drawn(value, SHORTEST_DRAWN) and is_secret(value, Promise.PASSWORD, Setting.LOOSE)


def _is_key(value: str) -> bool:
    return len(value) >= SHORTEST_KEY and is_secret(value, Promise.KEY, Setting.PROSE)


def _is_like_no_name(value: str, promise: Promise = Promise.PASSWORD) -> bool:
    return is_scrambled(value) and is_secret(value, promise, Setting.PROSE)


def _is_shuffled(value: str) -> bool:
    """Tells letters of both cases and digits in turns, or marks among them, from a path."""
    if any(mark in value for mark in "!@#$%^&*+?~"):
        return True
    kinds = (str.isupper, str.islower, str.isdigit)
    return all(any(map(kind, value)) for kind in kinds) and looks_drawn(value, SHORTEST_KEY)
