"""The one tokenizer for indexing and for questions, and the rule for what an id is."""

import re
import threading
import unicodedata
from functools import lru_cache
from itertools import chain

from Stemmer import Stemmer

from knowwhy.text.patterns import regex
from knowwhy.text.relating.record_words import DASHED_RECORDS, NOT_RECORDS

STEM_CACHE = 1 << 17  # words; the vocabulary of 14 MB of technical prose is about half of it
PIECE_CACHE = 1 << 17  # pieces as written; the same

# Only words that no technical question turns on; negations and modal verbs stay.
_STOPS = """
a an the of to in on at by is are was were be been and as it its this that these those for with from
"""
STOP_WORDS = frozenset(_STOPS.split())

# Letters with the marks that Python's \w leaves out of Hebrew, Arabic, Indic and Thai words.
_W = r"[\w\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0900-\u0963\u0966-\u0eff]"
_PIECE = regex(
    r"[A-Za-z]{2,10}(?:[ \n]?#|[ \n]|:`)\d{1,10}(?:[.-]\d{1,10}){0,4}(?!\w)"  # ADR 5, :pep:`484`
    r"|[A-Za-z](?:\+\+|\#)(?!\w)"  # c++, c#
    r"|§\s?\d{1,5}(?:\.\d{1,5}){0,5}"
    r"|\#\d{1,10}(?!\w)"
    r"|\d{1,3}(?:,\d{3}){1,6}(?![\w,])"  # 1,000
    rf"|{_W}{{1,64}}(?:(?:[.'’/-]|::){_W}{{1,64}}){{0,31}}"
)
_PART = regex(r"[A-Z]{2,}s(?![A-Za-z])|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+(?:\.\d+)*|[^\W\d_A-Za-z]+")
_ID_PIECE = regex(
    r"([A-Za-z]{2,10})(?:([ \n]?\#|[ \n]|:`)|[_-])?(\d+(?:\.\d+)*(?:-\d+)*)(?![A-Za-z_\d])"
)
_VERSION = regex(r"([vV]?)(\d+(?:\.\d+)+|(?<=[vV])\d+)")
_NUMBERS = regex(r"\d+(?:-\d+)*")
_MARKS = regex(r"[\u0300-\u036f]+")
_LETTERS = {"ł": "l", "Ł": "L", "ø": "o", "Ø": "O", "đ": "d", "Đ": "D", "ı": "i", "ð": "d"}
_LIGATURES = {"ß": "ss", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "þ": "th"}
_UNDECOMPOSED = str.maketrans(_LETTERS | _LIGATURES)
# Scripts written without spaces, and Korean, whose endings a bigram forgives.
_UNSPACED = regex(
    r"([\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]+)"
)
_LATIN = regex(r"[A-Za-z\d_./'#§-]")
_CONTRACTED = regex(r"'(?:s|re|ve|ll|d|m)$", re.IGNORECASE)
_NEGATED = {"won't": "will", "can't": "can", "shan't": "shall"}
LOWER_PREFIX = 6  # letters; "adr 5" may be an id in a question, "minutes 5" hardly

_stemmer = Stemmer("english", 0)  # keeps no words: `stem` does
_stemming = threading.Lock()  # the stemmer keeps its word in itself


def tokens(text: str) -> list[str]:
    """Return the tokens of a text: stems, whole identifiers with their parts, canonical ids."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    return list(chain.from_iterable(map(_expand, _PIECE.findall(text))))


def least_tokens(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the tokens that every text has that holds this one, and those of its whole names.

    What stands in a longer name, as Bucket does in store.Bucket, has no token of its own there,
    but those of its parts.
    """
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    least: set[str] = set()
    wholes: set[str] = set()
    for piece in _PIECE.findall(text):
        every = frozenset(_expand(piece))
        parts = every & {_part(part) for part in _PART.findall(piece)}
        least |= parts or every
        wholes |= every - parts
    return frozenset(least), frozenset(wholes)


@lru_cache(maxsize=STEM_CACHE)
def stem(word: str) -> str:
    """Return the English stem of one lower-case word."""
    with _stemming:
        return str(_stemmer.stemWord(word))


@lru_cache(maxsize=PIECE_CACHE)
def _expand(piece: str) -> tuple[str, ...]:
    """Return the tokens of one piece as written."""
    if piece.isascii():
        return _expand_word(piece)
    found: list[str] = []
    for run in _UNSPACED.split(piece):
        if _UNSPACED.match(run):
            found += [run[i : i + 2] for i in range(max(1, len(run) - 1))]
        elif folded := _fold(run):
            found += _expand_folded(folded)
    return tuple(found)


def _expand_folded(run: str) -> tuple[str, ...]:
    return _expand_word(run) if _LATIN.search(run) else (run.casefold(),)


def _fold(text: str) -> str:
    plain = _MARKS.sub("", unicodedata.normalize("NFD", text.translate(_UNDECOMPOSED)))
    return unicodedata.normalize("NFC", plain).replace("’", "'")


def _expand_word(piece: str) -> tuple[str, ...]:
    if piece[0] == "#":
        return (piece, _number(piece[1:]))
    if piece[0] == "§":
        return ("".join(piece.split()),)
    if piece[-1] in "#+":
        return (piece.lower(),)
    if "'" in piece:
        return _expand_contraction(piece)
    if "/" in piece:
        below = chain.from_iterable(_expand_word(p) for p in piece.split("/") if p)
        return tuple(dict.fromkeys((piece.lower(), *below)))
    return _expand_name(piece)


def _expand_contraction(piece: str) -> tuple[str, ...]:
    low = piece.lower()
    if low.endswith("n't"):
        return (*_expand_word(_NEGATED.get(low, low[:-3]) or "not"), "not")
    bare = _CONTRACTED.sub("", piece)
    if "'" not in bare:
        return _expand_word(bare)
    parts = [p for p in bare.split("'") if p]
    below = chain.from_iterable(_expand_word(p) for p in parts if len(p) > 1)
    return tuple(dict.fromkeys((stem(bare.lower().replace("'", "")), *below)))


def _expand_name(piece: str) -> tuple[str, ...]:
    if piece[0].isdigit() and (number := _expand_number(piece)):
        return number
    if version := _VERSION.fullmatch(piece):
        return _expand_version(*version.groups())
    parts = _PART.findall(piece)
    if parts == [piece]:
        return _plain(piece)
    known = _ID_PIECE.match(piece)
    wholes = [_id_token(known), _part(known[1])] if known else []
    if not known or known.end() < len(piece):
        wholes.append(_whole(piece))
    has_numbers = bool(known) or not piece.isalnum()  # the 8 of k8s says nothing alone
    below = [_part(p) for p in parts if has_numbers or not p[0].isdigit()]
    return tuple(dict.fromkeys(t for t in (*wholes, *below) if t))


def _expand_number(piece: str) -> tuple[str, ...]:
    plain = piece.replace(",", "")
    if not _NUMBERS.fullmatch(plain):
        return ()
    head = plain.split("-")[0]
    return (_number(head),) if head == plain else (plain, _number(head))


def _plain(word: str) -> tuple[str, ...]:
    low = word.lower()
    if low in STOP_WORDS and not (word.isupper() and len(word) > 1):
        return ()
    return (stem(low),)


def _part(part: str) -> str:
    if part[0].isdigit():
        return _number(part)
    low = part.lower()
    return "" if len(low) == 1 or low in STOP_WORDS else stem(low)


def _whole(piece: str) -> str:
    return stem(piece.lower()) if piece.isalpha() else piece.lower()


def _number(digits: str) -> str:
    return digits if "." in digits else digits.lstrip("0") or "0"


def _expand_version(mark: str, number: str) -> tuple[str, ...]:
    short = ".".join(number.split(".")[:2])
    whole = (f"v{number}",) if mark else ()
    return tuple(dict.fromkeys((*whole, number, short)))


def _id_token(known: re.Match[str]) -> str:
    """Return the canonical whole of an id piece, or nothing for prose such as "after 5"."""
    word, spaced, numbers = known.groups()
    is_prose = word.islower() and len(word) > LOWER_PREFIX
    if spaced in (" ", "\n") and (word.lower() in STOP_WORDS or is_prose):
        return ""
    return f"{word.lower()}-{_canonical_numbers(numbers)}"


def _canonical_numbers(numbers: str) -> str:
    return "-".join(_number(n) for n in numbers.split("-"))


_END = r"(?![\w%]|[.,]\d|\.x|-\d)"  # not 2.1, 50%, 2.x
_SPACE = r"(?:[ \t]|\n[ \t]{0,12})"  # prose wraps between the two halves of an id
_ID = regex(
    r"(?<![\w-])(?:"
    r"(?P<dashed>[A-Z]{2}[A-Z0-9]{0,8}(?:-[A-Z]{2,10})?)[-_](?P<n1>\d{1,10}(?:-\d{1,10}){0,3})"
    rf"|(?P<spaced>[A-Z]{{2,10}})(?P<many>s?)(?:{_SPACE}?\#[ ]?|{_SPACE})"
    r"(?P<n2>\d{1,10}(?:-\d{1,10})?)"
    r"|(?P<glued>[A-Z]{3,10})(?P<n3>\d{3,10})"  # not NAME2
    rf"){_END}"
    r"|(?<!\w):(?P<role>[A-Za-z]{2,10}):`(?:[^`<\n]{0,80}<)?(?P<n4>\d{1,10})(?:\#[\w-]{1,80})?>?`"
)
_MORE = regex(
    rf"(?:,{_SPACE}?|{_SPACE}?&{_SPACE}?|,?{_SPACE}(?:and|or){_SPACE}|/)\#?(\d{{1,10}}){_END}"
)
_MORE_SLASHED = regex(rf"/(\d{{1,10}}){_END}")
_LOOSE_ID = regex(
    r"[\[(]?\s*([A-Za-z]{2}[A-Za-z0-9]{0,8}(?:-[A-Za-z]{2,10})?)"
    r"(\s?[-_#\s]\s?\#?)(\d{1,10}(?:-\d{1,10}){0,3})"
    r"(?:\s*§\s*[\d.]{1,20})?\s*[\])]?"
)
_GLUED_ID = regex(r"[\[(]?\s*([A-Za-z]{2,6})()(\d{1,10})\s*[\])]?")


def canonical_id(text: str) -> str | None:
    """Return the canonical form of a text that is one record id, such as ADR-5."""
    if len(text) > 80:  # characters; no id is as long, and no pattern need look
        return None
    found = _LOOSE_ID.fullmatch(text.strip()) or _GLUED_ID.fullmatch(text.strip())
    return _record(found[1], found[3], found[2].startswith("-")) if found else None


def find_ids(text: str) -> list[tuple[str, int, int]]:
    """Return the record ids that prose names, as (canonical, start, end) in order."""
    found: list[tuple[str, int, int]] = []
    for match in _ID.finditer(text):
        word = match["dashed"] or match["spaced"] or match["glued"] or match["role"]
        number = match["n1"] or match["n2"] or match["n3"] or match["n4"]
        record = _record(word, number, bool(match["dashed"]))
        if record:
            found.append((record, match.start(), match.end()))
            found += _further(text, match, word)
    return found


def _further(text: str, first: re.Match[str], word: str) -> list[tuple[str, int, int]]:
    """Return the ids of a list that names its family once: "ADRs 5, 6 and 7", "ADR-20/21"."""
    found = []
    more = _MORE if first["many"] else _MORE_SLASHED
    following = more.match(text, first.end())
    while following:
        found.append((f"{word.upper()}-{_number(following[1])}", *following.span(1)))
        following = more.match(text, following.end())
    return found


def _record(word: str, numbers: str, is_dashed: bool) -> str | None:
    if any(_names_no_record(part, is_dashed) for part in word.lower().split("-")):
        return None
    return f"{word.upper()}-{_canonical_numbers(numbers)}"


def _names_no_record(word: str, is_dashed: bool) -> bool:
    if is_dashed and word in DASHED_RECORDS:
        return False
    bare = word.rstrip("0123456789")
    has_year = len(word) - len(bare) == 4  # digits; PM2021-005 is a family, SHA2-256 is not
    return (word if has_year else bare) in NOT_RECORDS
