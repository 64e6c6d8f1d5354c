"""What nodes and relations are called, however a text writes them."""

import re
import unicodedata
from functools import lru_cache

from knowwhy.text.relating.relation_words import INVERSE, RELATIONS

RECORD, PERSON, TEAM, SERVICE = "record", "person", "team", "service"
ISSUE, URL, MODULE, UNKNOWN = "issue", "url", "module", "unknown"
OTHERS = frozenset((PERSON, TEAM, SERVICE, ISSUE, URL, MODULE, UNKNOWN))  # all but records
APART = "~"  # put before the id of a node that is the key of a record: ~person:ann smith
NO_ANSWERS = frozenset((ISSUE, URL, MODULE, UNKNOWN))  # what a walk passes through and never gives

_PLACE = {name: place for place, name in enumerate(RELATIONS)}
# Of each pair the name that the vocabulary gives first: SUPERSEDES, never SUPERSEDED_BY.
CANONICAL = {name: min(name, other, key=_PLACE.__getitem__) for name, other in INVERSE.items()}
SYMMETRICAL = frozenset(name for name, other in INVERSE.items() if name == other)

FOLDED = 1 << 16  # texts; names and titles repeat over a corpus
_LETTERS = str.maketrans("łŁøØđĐı", "lloodDi") | {ord("ß"): "ss", ord("'"): None, ord("’"): None}
_WORD = re.compile(r"[^\W_]+")
_ADDRESS = re.compile(r"[<(][^<>()]{0,200}[>)]")
_MAIL = re.compile(r"[^\s@]{1,64}@[^\s@/]{1,200}\.[^\s@/]{1,64}")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_TEAM_WORDS = frozenset(("team", "teams", "the", "squad", "guild"))
_SERVICE_WORDS = frozenset(("the", "service", "svc", "microservice"))


def type_of(node: str) -> str:
    """Returns what a node that is no record is: the person of person:ann smith."""
    return node.lstrip(APART).partition(":")[0]


def name_of(node: str) -> str:
    """Returns the name in the id of a node that is no record."""
    return node.lstrip(APART).partition(":")[2]


@lru_cache(maxsize=FOLDED)
def fold(text: str) -> str:
    """Returns a text without case, accents and apostrophes."""
    spread = unicodedata.normalize("NFKD", text.translate(_LETTERS))
    return "".join(c for c in spread if not unicodedata.combining(c)).casefold()


@lru_cache(maxsize=FOLDED)
def words(text: str) -> tuple[str, ...]:
    """Returns the folded words of a text; a name or title is compared by them."""
    return tuple(_WORD.findall(fold(text)))


def person_name(text: str) -> str:
    """Returns a person's name without address, case, accents and the mark of a handle."""
    written = _ADDRESS.sub(" ", text).strip() or text.strip("<>() ")
    if written.startswith("@"):
        return written.casefold().removeprefix("@")
    if _MAIL.fullmatch(written):
        return written.casefold()
    return " ".join(words(written)) or written.casefold()


def team_name(text: str) -> str:
    """Returns a team's name without the word team and without its organisation's handle."""
    return " ".join(_without(words(text.rpartition("/")[2]), _TEAM_WORDS)) or text.casefold()


def service_name(text: str) -> str:
    """Returns a service's name with dashes and without the word service."""
    return "-".join(_without(words(_CAMEL.sub(" ", text)), _SERVICE_WORDS)) or text.casefold()


def initials(name: str) -> tuple[str, str] | None:
    """Returns what a person's name shares with its short forms: first letter and last word."""
    parts = name.split()
    return (parts[0][0], parts[-1]) if len(parts) > 1 else None


def is_short_for(short: str, full: str) -> bool:
    """Tells whether a name is another one with words left out or cut to their initials."""
    first, *middle = short.split()[:-1]
    full_first, *full_middle = full.split()[:-1]
    if len(short) >= len(full) or not _agree(first, full_first):
        return False
    rest = iter(full_middle)
    return all(any(_agree(word, other) for other in rest) for word in middle)


def _agree(word: str, full: str) -> bool:
    return word == full or (len(word) == 1 and full.startswith(word))


def _without(parts: tuple[str, ...], dropped: frozenset[str]) -> tuple[str, ...]:
    return tuple(part for part in parts if part not in dropped) or parts
