"""The secrets of a document wherever else they stand in it, without the name that told them."""

from collections.abc import Iterator
from enum import IntEnum
from itertools import islice
from urllib.parse import quote

from knowwhy.text.known_names import KNOWN
from knowwhy.text.patterns import regex
from knowwhy.text.secrets.secret_shapes import CLASS_NAME, PIECE, Span, looks_drawn
from knowwhy.text.secrets.secret_values import (
    DESCRIBED,
    NAMING,
    SHORTEST_KEY,
    SHORTEST_WORD_PASSWORD,
    is_stand_in,
)

SHORTEST_REPEATED = 5  # characters; shorter ones stand in other words by chance
SHORTEST_NUMBER = 6  # digits; years, ports and most counts have fewer
SHORTEST_DRAWN = 16  # characters that no longer word has by chance
LONGEST_REPEATED = 4_096  # characters; longer ones are blocks, which their form gives away
MEAN_PIECE = 4  # letters; the words of names have more
MANIFESTS = "kubernetes-secret"
MOST_SOUGHT = 1_000  # secrets sought one by one; of those beyond it whole words are found

Told = dict[str, str]  # the secrets of a document that were told so far, each with its kind

_LOGINS = frozenset(("admin", "administrator", "root", "guest", "sysadmin", "superuser", "user"))
_LEET = str.maketrans("4@03$5", "aaoess")
_NUMBERED = regex(r"([A-Za-z]+)[-_.]?\d{1,2}(?:\.\d{1,3}){0,2}")
_PIECE = regex(r"[^\s\"'`“”‘’<>,;(){}\[\]|=&?]+")
_EDGES = ".:!*_~/\\@#"
_SENTENCE_ENDS = ".,:;"  # where a secret ends its sentence they may be taken for its last sign
_QUOTES = frozenset("\"'`“”‘’«»")
_ESCAPES = ("\\n", "\\r", "\\t")


class Reach(IntEnum):
    """Where a secret is believed to be meant, from nowhere to everywhere."""

    NOWHERE = 0  # admin, 5432: the text has the same word for other things
    QUOTED = 1  # swordfish, redis7: a word like others, but not alone between quotes
    WORD = 2  # hunter2, 839201: as a word of its own
    ANYWHERE = 3  # drawn by lot, so that chance does not make it again


def learn(told: Told, secret: str, kind: str) -> None:
    """Notes a secret by which other places of the same document are redacted."""
    if kind == MANIFESTS and not looks_drawn(secret, SHORTEST_KEY):
        return  # it holds names of hosts and users too
    bare = secret.rstrip(_SENTENCE_ENDS)
    for form in (secret, bare, quote(bare, safe="")):  # the last as addresses write it
        if form not in told and _reach(form) is not Reach.NOWHERE:
            told[form] = kind


def repeated_secrets(text: str, told: Told) -> Iterator[Span]:
    """Yields every place of a text at which a told secret stands again."""
    for secret, kind in islice(told.items(), MOST_SOUGHT):
        if secret in text:
            yield from _places(text, secret, kind)
    if len(told) > MOST_SOUGHT:
        for piece in _PIECE.finditer(text):
            word = piece[0].strip(_EDGES)
            if word in told:
                start = piece.start() + piece[0].index(word)
                yield Span(start, start + len(word), told[word])


def _places(text: str, secret: str, kind: str) -> Iterator[Span]:
    reach = _reach(secret)
    start = text.find(secret)
    while start != -1:
        end = start + len(secret)
        if _is_meant(text, start, end, reach):
            yield Span(start, end, kind)
        start = text.find(secret, end)


def _is_meant(text: str, start: int, end: int, reach: Reach) -> bool:
    if reach is Reach.ANYWHERE:
        return True
    before, after = text[start - 1 : start] if start else "", text[end : end + 1]
    if reach is Reach.QUOTED:
        return before in _QUOTES and after in _QUOTES
    is_begun = not _is_of_word(before) or text[max(0, start - 2) : start] in _ESCAPES
    return is_begun and not _is_of_word(after)


def _is_of_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def _reach(secret: str) -> Reach:
    """Says where a secret is sought: the commoner its form, the fewer the places."""
    if not SHORTEST_REPEATED <= len(secret) <= LONGEST_REPEATED or "\n" in secret:
        return Reach.NOWHERE
    if is_stand_in(secret) or _spells_its_name(secret):
        return Reach.NOWHERE
    if len(secret) >= SHORTEST_DRAWN and looks_drawn(secret):
        return Reach.ANYWHERE
    if secret.isdigit():
        return Reach.WORD if len(secret) >= SHORTEST_NUMBER else Reach.NOWHERE
    numbered = _NUMBERED.fullmatch(secret)
    if numbered is not None:
        return Reach.QUOTED if _is_common(numbered[1].lower()) else Reach.WORD
    if secret.isalpha():
        return _reach_of_letters(secret)
    return Reach.WORD


def _reach_of_letters(secret: str) -> Reach:
    if looks_drawn(secret, SHORTEST_KEY) or _has_short_pieces(secret):
        return Reach.WORD
    is_short = len(secret) < SHORTEST_WORD_PASSWORD
    if is_short or _is_common(secret.lower()) or CLASS_NAME.fullmatch(secret):
        return Reach.NOWHERE
    return Reach.QUOTED


def _spells_its_name(secret: str) -> bool:
    """Whether a secret is `p4ssw0rd` and the like, which texts have as an example too."""
    return secret.lower().translate(_LEET).rstrip("0123456789!") in NAMING


def _has_short_pieces(secret: str) -> bool:
    """Whether many letters change their case as no name of words does: vydNbuRsBaGjywzf."""
    return len(secret) >= SHORTEST_DRAWN and len(secret) < MEAN_PIECE * len(PIECE.findall(secret))


def _is_common(word: str) -> bool:
    """Whether a word is the name of a product, a login or a part of a form."""
    return word in KNOWN or word in _LOGINS or DESCRIBED.fullmatch(word) is not None
