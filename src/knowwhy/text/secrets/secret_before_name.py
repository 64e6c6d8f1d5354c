"""The secrets that stand before their name: "… is the password of the relay", "… as the token"."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from knowwhy.text.patterns import regex
from knowwhy.text.secrets.secret_names import KEYS, PASSWORDS
from knowwhy.text.secrets.secret_shapes import Span
from knowwhy.text.secrets.secret_values import (
    Promise,
    Setting,
    is_scrambled,
    is_secret,
    is_told_phrase,
)

WINDOW = 300  # characters before a name, in which the value has to begin
MOST_WORDS = 10  # between a value and its name: "is now to be used as the new root"
MOST_FILLERS = 4  # of them the ones right before the name, which anything may be: "the old relay"

_NAMED = regex(rf"\b(?:(?P<password>{PASSWORDS})|(?P<key>{KEYS}))(?![\w-])", re.I)
# Nothing of which the name is only a part: a password hash, a token store.
_STANDS_ALONE = regex(
    r"[ \t]{0,2}(?:[.!?,;:)\]}\"*`”’»]|'(?!\w)|[\r\n]|\Z)"
    r"|\s{1,3}(?:for|of|to|on|in|at|from|into|behind|until|since|now|here|there|again|today|and|but"
    r"|or|when|if|that|which|we|i|you|they|everyone|für|von|vom|zum|zur|auf|im|der|des|bis|pour|de"
    r"|du|sur|para|del|da|do|dos|voor|van|op|till|för|på|dla|do)\b",
    re.I,
)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_LINKS = _words(
    "is was are were as = ist war als est était comme es era como é è come är var som jako to"
)
_FOR = _words("for für pour para voor för")
_USES = _words(
    "use used uses using enter enters entered type typed try set choose chose chosen put give take "
    "verwende verwenden nimm nutze benutze utilise utilisez usa use gebruik använd"
)
_HELPERS = _words(
    "now currently still again also once only no longer not be been being used set chosen given "
    "kept serves serve served works acts should must can may will shall has have had is was jetzt "
    "nun aktuell maintenant toujours ahora agora nu"
)
_ARTICLES = _words(
    "the a an our my your their its his her this that new old das die der unser mein le la les l "
    "notre mon el los nuestra o os nossa het de ons"
)
_BREAKS = _words("of for with in by at from about and or than into on über von pour sobre avec")
_FILLER = regex(r"[^\W\d][\w'’-]{0,24}")
_AROUND = "\"'`“”‘’„«»(),;[]*"
_PHRASE = regex(r"[\"“„«`']([^\"'“”„«»`\n]{12,120})[\"”“»`']\Z")


class _Word(NamedTuple):
    start: int
    end: int
    text: str


def forenamed_secrets(text: str) -> Iterator[Span]:
    """Yields the values that are called a password or a key after they are given."""
    for named in _NAMED.finditer(text):
        if _STANDS_ALONE.match(text, named.end()) is None:
            continue
        is_password = named["password"] is not None
        before = list(_words_before(text, named.start()))
        at = _value_at(before, is_password)
        if at is not None:
            span = _span(text, before[at].start, before[at].end, is_password)
            if span is not None:
                yield span


def _words_before(text: str, place: int) -> Iterator[_Word]:
    """Gives the words before a place, the nearest one first."""
    floor = max(0, place - WINDOW)
    window = text[floor:place]
    end = len(window)
    for word in reversed(window.rsplit(None, MOST_WORDS)[-MOST_WORDS:]):
        start = window.rfind(word, 0, end)
        if start > 0 or floor == 0:  # else the window cuts it
            yield _Word(floor + start, floor + start + len(word), word)
        end = start


def _value_at(before: list[_Word], is_password: bool) -> int | None:
    """Gives which word, counted back from the name, the sentence calls by the name."""
    for at, word in enumerate(before[: MOST_FILLERS + 1]):
        bare = word.text.strip(_AROUND).lower()
        if bare in _LINKS:
            return _past_helpers(before, at + 1)
        if bare in _FOR and is_password:
            used = at + 2 < len(before) and before[at + 2].text.lower().strip(_AROUND) in _USES
            return at + 1 if used else None
        if at and _is_apposed(word, before[at - 1]):
            return at
        if bare in _BREAKS or _FILLER.fullmatch(bare) is None:
            return None
    return None


def _is_apposed(word: _Word, following: _Word) -> bool:
    """Tells "…, the password" and "… (the password"."""
    if following.text.strip(_AROUND).lower() not in _ARTICLES:
        return False
    return word.text[-1] == "," or following.text[0] == "("


def _past_helpers(before: list[_Word], at: int) -> int | None:
    """Skips back over "should now be used" to what is said to be it."""
    while at < len(before) and before[at].text.lower() in _HELPERS:
        at += 1
    return at if at < len(before) else None


def _span(text: str, start: int, end: int, is_password: bool) -> Span | None:
    phrase = _PHRASE.search(text, max(0, end - WINDOW), end) if is_password else None
    if phrase is not None and is_told_phrase(phrase[1]):
        return Span(*phrase.span(1), "password")
    said = text[start:end]
    start += len(said) - len(said.lstrip(_AROUND))
    said = said.strip(_AROUND)
    promise = Promise.PASSWORD if is_password else Promise.KEY
    if is_scrambled(said) and is_secret(said, promise, Setting.PROSE):
        return Span(start, start + len(said), "password" if is_password else "token")
    return None
