"""The secrets of a document wherever else they stand in it, without the name that told them."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import IntEnum
from itertools import islice
from typing import NamedTuple
from urllib.parse import quote, unquote

from knowwhy.text.known_names import KNOWN
from knowwhy.text.patterns import regex
from knowwhy.text.secrets.secret_shapes import CLASS_NAME, PIECE, Source, Span, looks_drawn
from knowwhy.text.secrets.secret_values import (
    DESCRIBED,
    NAMING,
    SHORTEST_KEY,
    SHORTEST_WORD_PASSWORD,
    WORDS,
    Promise,
    is_stand_in,
    promise_of,
)

SHORTEST_REPEATED = 5  # characters; shorter ones stand in other words by chance
SHORTEST_NUMBER = 6  # digits; years, ports and most counts have fewer
SHORTEST_DRAWN = 16  # characters that no longer word has by chance
LONGEST_REPEATED = 4_096  # characters; longer ones are blocks, which their form gives away
MEAN_PIECE = 4  # letters; the words of names have more
MANIFESTS = "kubernetes-secret"
MOST_SOUGHT = 1_000  # secrets sought one by one; of those beyond it whole words are found
LONG_WORDS = 12  # letters of one case; most words that are as long end as nouns and adverbs do
MOST_MENTIONS = 10  # of a secret of letters in one text, which has a word that is more common
NAME_WIDTH = 80  # characters before a value that say what it is given to
PATH_WIDTH = 200  # characters on each side that make a path with it
MOST_PLACES = 200  # of a word that are looked at for what else it is

_LOGINS = frozenset(("admin", "administrator", "root", "guest", "sysadmin", "superuser", "user"))
_LEET = str.maketrans("4@03$5", "aaoess")
_NUMBERED = regex(r"([A-Za-z]+)[-_.]?\d{1,2}(?:\.\d{1,3}){0,2}")
_PIECE = regex(r"[^\s\"'`“”‘’<>,;(){}\[\]|=&?]+")
_EDGES = ".:!*_~/\\@#"
_SENTENCE_ENDS = ".,:;"  # where a secret ends its sentence they may be taken for its last sign
_QUOTES = frozenset("\"'`“”‘’«»")
_ESCAPES = ("\\n", "\\r", "\\t")


# What ends with such letters is a word by itself rather than several in one.
_WORD_ENDS = regex(
    r"(?i)\w+(?:[tsc]ions?|ments?|ness(?:es)?|it(?:y|ies)|ings?|ally|[ai]bl[ey]|[ae]nces?|[ae]ncy|ives?"
    r"|ively|tures?|ships?|[iu]sts?|isms?|olog(?:y|ies)|i[sz](?:e|es|ed|ers?)|at(?:ed|es?|ors?)|less"
    r"|fully|ical|ional|ious(?:ly)?|ungen|ung|keit|heit|schaft)"
)
_PIECES = regex(
    r"(?:[A-Z]?[a-z]+|[A-Z]+)(?:[-_.](?:[A-Z]?[a-z]+|[A-Z]+))+(?:[-_.]?\d{1,2})?"  # parcels-api-2
)
_GIVEN_TO = regex(  # with no blank and no quote behind a colon it is of user:password
    r"([\w-]{1,40})(?:[\"'\])]{1,2}[ \t]{0,8}:[ \t]{0,8}"
    r"|[\"'\])]{0,2}[ \t]{0,8}(?::[ \t]{1,8}|:?=>?[ \t]{0,8}))"
    r"[\"'`]?\Z|(?<!\S)-{1,2}([\w-]{1,40})[ \t]{1,3}[\"']?\Z"
)
_KEY_LEAD = regex(r"[ \t>]{0,80}[\"']?")
_KEY_END = regex(r"[\"']?:[ \t]{0,20}(?:\r?\n|\Z|\{)")
_HEADING = regex(r"[ \t>]{0,20}#{1,6}[ \t]")
_OF_NAMES = """
name names user username login owner db database dbname schema image container service host hostname
server app application project repo repository namespace module package role bucket queue topic
title id slug label branch domain cluster component team environment file path tenant volume
network
"""
_NAMES = frozenset(_OF_NAMES.split())


class Reach(IntEnum):
    """Where a secret is believed to be meant, from nowhere to everywhere."""

    NOWHERE = 0  # admin, 5432: the text has the same word for other things
    QUOTED = 1  # swordfish, redis7: a word like others, but not alone between quotes
    WORD = 2  # hunter2, 839201: as a word of its own
    ANYWHERE = 3  # drawn by lot, so that chance does not make it again


class Known(NamedTuple):
    """What is known of a secret: its kind, and where it is sought."""

    kind: str
    reach: Reach


@dataclass(frozen=True, slots=True)
class Told:
    """The secrets of a document that were told so far, and those that are names in it too."""

    secrets: dict[str, Known] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)


def learn(told: Told, secret: str, kind: str, source: Source) -> None:
    """Notes a secret by which other places of the same document are redacted."""
    if source is Source.GUESSED:
        return
    if kind == MANIFESTS and not looks_drawn(secret, SHORTEST_KEY):
        return  # it holds names of hosts and users too
    bare = secret.rstrip(_SENTENCE_ENDS)
    # The last two are as addresses write it, and as it is where an address has told it.
    for form in (secret, bare, quote(bare, safe=""), unquote(bare)):
        if form not in told.secrets and (reach := _reach(form, source)) is not Reach.NOWHERE:
            told.secrets[form] = Known(kind, reach)


def learn_name(told: Told, name: str, value: str) -> None:
    """Notes a value that a document gives to a user, a database and the like."""
    if _is_of_words(value) and _is_name(name):
        told.names.add(value)


def repeated_secrets(text: str, told: Told) -> Iterator[Span]:
    """Yields every place of a text at which a told secret stands again."""
    for secret, known in islice(told.secrets.items(), MOST_SOUGHT):
        if secret in text and not _is_name_too(text, secret, told):
            yield from _places(text, secret, known)
    if len(told.secrets) > MOST_SOUGHT:
        for piece in _PIECE.finditer(text):
            word = piece[0].strip(_EDGES)
            found = told.secrets.get(word)
            if found is not None and found.reach >= Reach.WORD and word not in told.names:
                start = piece.start() + piece[0].index(word)
                yield Span(start, start + len(word), found.kind)


def _places(text: str, secret: str, known: Known) -> Iterator[Span]:
    start = text.find(secret)
    while start != -1:
        end = start + len(secret)
        if _is_meant(text, start, end, known.reach):
            yield Span(start, end, known.kind)
        start = text.find(secret, end)


def _is_name_too(text: str, secret: str, told: Told) -> bool:
    """Whether a secret of words is the name of something in the same document."""
    if not _is_of_words(secret):
        return False
    if secret not in told.names:
        places = list(islice(_starts(text, secret), MOST_PLACES))
        mentions = sum(_is_mentioned(text, start) for start in places)
        if mentions > MOST_MENTIONS or any(_is_named(text, secret, start) for start in places):
            told.names.add(secret)
    return secret in told.names


def _starts(text: str, word: str) -> Iterator[int]:
    start = text.find(word)
    while start != -1:
        end = start + len(word)
        if not (_is_of_word(text[start - 1 : start]) or _is_of_word(text[end : end + 1])):
            yield start
        start = text.find(word, end)


def _is_mentioned(text: str, start: int) -> bool:
    """Whether a word stands among others rather than behind a sign that gives it to a name."""
    before = text[max(0, start - 3) : start]
    return before[-1:].isspace() and before.rstrip(" ")[-1:] not in (":", "=", ">")


def _is_named(text: str, word: str, start: int) -> bool:
    """Whether a word is given to a name that is no secret, or stands in a heading or a path."""
    end = start + len(word)
    before = text[max(0, start - PATH_WIDTH) : start]
    line = before.rpartition("\n")[2]
    given = _GIVEN_TO.search(line[-NAME_WIDTH:])
    if _HEADING.match(line) or (given is not None and _is_name(given[1] or given[2])):
        return True
    if _KEY_LEAD.fullmatch(line) and _KEY_END.match(text, end):
        return True
    if "/" not in (text[start - 1 : start], text[end : end + 1]):
        return False
    lead = line.split()[-1] if line and not line[-1].isspace() else ""
    after = (text[end : end + PATH_WIDTH].split(None, 1) or [""])[0]
    path = lead.lstrip("\"'`([<") + word + ("" if text[end : end + 1].isspace() else after)
    if "@" in path or (word.isalpha() and "://" in path and "/" not in after):
        return False  # the last part of an address may be what opens it
    return path.startswith(("/", "./", "../", "~/")) or path.count("/") > 1


def _is_name(name: str) -> bool:
    words = WORDS.findall(name)
    is_listed = bool(words) and words[-1].lower() in _NAMES
    return is_listed and promise_of(name) is Promise.NOTHING


def _is_of_words(secret: str) -> bool:
    if secret.isalpha():
        return not _is_shuffled(secret)
    return _PIECES.fullmatch(secret) is not None


def _is_shuffled(letters: str) -> bool:
    return looks_drawn(letters, SHORTEST_KEY) or _has_short_pieces(letters)


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


def _reach(secret: str, source: Source) -> Reach:
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
        return _reach_of_letters(secret, source)
    return Reach.QUOTED if _PIECES.fullmatch(secret) else Reach.WORD


def _reach_of_letters(secret: str, source: Source) -> Reach:
    if _is_shuffled(secret):
        return Reach.WORD
    is_short = len(secret) < SHORTEST_WORD_PASSWORD
    if is_short or _is_common(secret.lower()) or CLASS_NAME.fullmatch(secret):
        return Reach.NOWHERE
    is_long = len(secret) >= LONG_WORDS and (secret.islower() or secret.isupper())
    is_several = is_long and _WORD_ENDS.fullmatch(secret) is None
    return Reach.WORD if source is Source.GIVEN and is_several else Reach.QUOTED


def _spells_its_name(secret: str) -> bool:
    """Whether a secret is `p4ssw0rd` and the like, which texts have as an example too."""
    return secret.lower().translate(_LEET).rstrip("0123456789!") in NAMING


def _has_short_pieces(secret: str) -> bool:
    """Whether many letters change their case as no name of words does: vydNbuRsBaGjywzf."""
    return len(secret) >= SHORTEST_DRAWN and len(secret) < MEAN_PIECE * len(PIECE.findall(secret))


def _is_common(word: str) -> bool:
    """Whether a word is the name of a product, a login or a part of a form."""
    return word in KNOWN or word in _LOGINS or DESCRIBED.fullmatch(word) is not None
