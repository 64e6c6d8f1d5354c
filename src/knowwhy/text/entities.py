"""The things that a text names: services, dependencies, apis, patterns, configuration, people."""

import re
from collections.abc import Iterator
from itertools import pairwise

from knowwhy.text.known_names import COMMON_WORDS, CONTEXT, KNOWN
from knowwhy.text.patterns import regex
from knowwhy.text.relating.owners import people, teams
from knowwhy.types import Entity

Found = tuple[int, Entity]  # where it starts, and what it is

MAX_WORD = 80  # characters; a longer run is data, not a name
_JOINTS = str.maketrans("-/", "  ")
_NAMES = {name.translate(_JOINTS): meaning for name, meaning in KNOWN.items()}
_NAMES |= {f"{name}s": meaning for name, meaning in _NAMES.items() if meaning[1] == "pattern"}
# Each first word of a known name, with the length in words of the longest name it opens.
_OPENERS: dict[str, int] = {}
for _name in _NAMES:
    _first, _length = _name.split()[0], len(_name.split())
    _OPENERS[_first] = max(_length, _OPENERS.get(_first, 0))

_URL = regex(r"(?:https?|ftp)://[^\s<>\"'`]{1,2000}")
_WORD = regex(r"[A-Za-z]\w*(?:[.-]\w+)*(?:\+\+|#(?!\w))?")
_SENTENCE_START = regex(r"(?:^|[.!?:\n]|\n[^\w\n]{1,8})[\"'(*_\s]{0,20}$")
MAX_GAP = 12  # characters between two words of one name; a wrapped line with its indentation
MIN_SERVICE = 5  # characters; the shortest service name met is "a-api"
MAX_PARTS = 5  # parts of a dashed service name; a longer one is a heading's anchor
SENTENCE_REACH = 12  # characters before a word that show whether it opens a sentence

# The last part of a service's name, and the first parts that make it a description instead.
_ENDINGS = """
api service svc server worker gateway backend frontend daemon consumer producer scheduler processor
dispatcher ingester indexer controller operator exporter cron bff
"""
_SERVICE_ENDINGS = frozenset(_ENDINGS.split())
_PLAIN = """
a affected air all and another any app application async aws backend background based best between
both c central civil class client cloud common core cross current custom customer customer-facing
dedicated default degraded dependent different distributed downstream each emergency end entire
every existing external faulty field first following for full full-time given global good great head
high hosted http impacted in individual internal legacy limited live local lock low mail main
managed many micro military monolithic multi my name named native network new next no non of off old
one online open or original other our own particular per platform post pre previous primary private
production proper public quality real regular relevant remote respective rest running same second
secondary secret self server side single small specific stable stateless support system target test
the their these third this those two type unavailable underlying upstream user various web web-based
well which whole your
"""
_DESCRIPTIONS = frozenset(_PLAIN.split())
_JOINING = frozenset(("a", "an", "and", "as", "of", "or", "the", "to"))  # "denial-of-service"
_THE_SERVICE = regex(r"\b[Tt]he ((?:[A-Za-z][\w-]{1,30} )?[A-Za-z][\w-]{1,30}) (?:micro)?service\b")

_METHOD = regex(r"\b(GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)[ \t]{1,4}`{0,2}(/[\w{}:.$/-]{1,200})")
_ROUTE = regex(
    r"(?<![\w./}:-])/(?:api|rest|graphql|internal|v\d{1,2})(?:/[\w{}:.$-]{1,60}){0,12}(?![\w/])"
)
_REMOTE_CALL = regex(r"\b([A-Z][A-Za-z0-9]{1,40}(?:Service|Svc|API))[./]([A-Z][A-Za-z0-9]{1,40})\b")

_SETTING_WORDS = """
age attempts backoff batch buffer cache capacity concurrency connections count cpu debug delay
depth disable disabled enable enabled heap host interval keepalive level limit limits log max memory
min mode parallelism period percent pool port quota rate ratio replicas retention retries retry size
threads threshold timeout ttl url window workers
"""
_SETTINGS = frozenset(_SETTING_WORDS.split())
_ROOTS = frozenset(
    ("app", "config", "feature", "features", "flags", "logging", "management", "settings", "spring")
)
_FLAG = regex(r"(?<![\w-])--[a-z][a-z0-9]{0,30}(?:-[a-z0-9]{1,30}){0,8}(?==|(?![\w-]))")
_SETTING = regex(
    r"(?<![\w./$-])([a-z][A-Za-z0-9]{0,40}(?:[._-][A-Za-z][A-Za-z0-9]{0,40}){0,8})[\"'`]{0,2}"
    r"(?:: ?|=| = )(?:\d|true\b|false\b|on\b|off\b|[\"'])"
)
_DOTTED = regex(
    rf"(?<![\w./@-])(?:{'|'.join(sorted(_ROOTS))})(?:\.[a-z][A-Za-z0-9_-]{{0,40}}){{2,8}}(?![\w(/])"
)
_CAMEL = regex(r"(?<=[a-z0-9])(?=[A-Z])")
_PART = regex(r"[._-]")


def entities(text: str) -> list[Entity]:
    """Return what a text names, once each, in the order of first appearance."""
    plain = _URL.sub(" ", text)
    readers = (_words, _services, _apis, _settings, teams, people)
    found = [entity for reader in readers for entity in reader(plain)]
    found.sort(key=lambda pair: pair[0])
    named: dict[tuple[str, str], Entity] = {}
    for _, entity in found:
        named.setdefault((entity.name, entity.type), entity)
    return list(named.values())


def _words(text: str) -> Iterator[Found]:
    """Yield what single words and known phrases name, in one walk over the words."""
    matches = [m for m in _WORD.finditer(text) if m.end() - m.start() <= MAX_WORD]
    lows = [m[0].lower() for m in matches]
    for i, low in enumerate(lows):
        word, start = matches[i][0], matches[i].start()
        if low in _OPENERS or ("-" in low and low.split("-")[0] in _OPENERS):
            yield from _known(text, matches, lows, i)
        if "_" in word:
            if word.isupper() and "_" in word.strip("_") and "." not in word:
                yield start, Entity(word.strip("_"), "config", word)
        elif text[start - 1 : start] != "#" and (name := _service_name(word, low)):
            yield start, Entity(name, "service", word)


def _known(text: str, matches: list[re.Match[str]], lows: list[str], i: int) -> Iterator[Found]:
    """Yield the longest known name that starts at a word."""
    first = matches[i]
    for length in range(_OPENERS[lows[i].split("-")[0]], 0, -1):
        key = " ".join(lows[i : i + length]).translate(_JOINTS)
        meaning = _NAMES.get(key)
        last = matches[min(i + length, len(matches)) - 1]
        if meaning is None or not _is_joined(matches[i : i + length]):
            continue
        if key not in COMMON_WORDS or _is_product(text, first, lows[i + 1 : i + 2]):
            yield first.start(), Entity(*meaning, text[first.start() : last.end()])
        return


def _is_joined(words: list[re.Match[str]]) -> bool:
    text = words[0].string
    gaps = (text[a.end() : b.start()] for a, b in pairwise(words))
    return all(not gap.strip(" \t\n/-") and len(gap) <= MAX_GAP for gap in gaps)


def _is_product(text: str, word: re.Match[str], following: list[str]) -> bool:
    """Tell a product from the common word it is named after: "Go", "the envoy proxy", `salt`."""
    if text[word.start() - 1 : word.start()] == "`" == text[word.end() : word.end() + 1]:
        return True
    if following and following[0] in CONTEXT:
        return True
    before = text[max(0, word.start() - SENTENCE_REACH) : word.start()]
    opens = word.start() == 0 or bool(_SENTENCE_START.search(before))
    return word[0][0].isupper() and not word[0].isupper() and not opens


def _service_name(word: str, low: str) -> str | None:
    if "." in word or len(word) < MIN_SERVICE:
        return None
    if "-" in word:
        parts = low.split("-")
        is_service = word == low and parts[-1] in _SERVICE_ENDINGS and len(parts) <= MAX_PARTS
        is_prose = parts[0] in _DESCRIPTIONS or not _JOINING.isdisjoint(parts)
        return low if is_service and not is_prose else None
    if not low.endswith(("service", "svc")) or word[1:].islower() or word.isupper():
        return None
    name = _CAMEL.sub("-", word).lower()
    return name if "-" in name and name.split("-")[0] not in _DESCRIPTIONS else None


def _services(text: str) -> Iterator[Found]:
    """Yield the services that prose calls so: "the checkout service"."""
    for match in _THE_SERVICE.finditer(text):
        words = match[1].lower().split()
        named = words[1:] if words[0] in _DESCRIPTIONS else words
        if named and not _DESCRIPTIONS.intersection(named) and named[-1] not in KNOWN:
            yield match.start(1), Entity("-".join((*named, "service")), "service", match[0])


def _apis(text: str) -> Iterator[Found]:
    covered = set()
    for match in _METHOD.finditer(text):
        covered.add(match.start(2))
        path = match[2].rstrip(".:/") or "/"
        yield match.start(), Entity(f"{match[1]} {path}", "api", match[0])
    for match in _ROUTE.finditer(text):
        path = match[0].rstrip(".:/")
        if match.start() not in covered and (path.count("/") > 1 or path == "/graphql"):
            yield match.start(), Entity(path, "api", match[0])
    for match in _REMOTE_CALL.finditer(text):
        yield match.start(), Entity(f"{match[1]}.{match[2]}", "api", match[0])


def _settings(text: str) -> Iterator[Found]:
    for match in _FLAG.finditer(text):
        if "-" in match[0][2:] or text[match.end() : match.end() + 1] == "=":
            yield match.start(), Entity(match[0], "config", match[0])
    for match in _SETTING.finditer(text):
        parts = _PART.split(_CAMEL.sub("-", match[1]).lower())
        if len(parts) > 1 and _SETTINGS.intersection(parts):
            yield match.start(), Entity(match[1], "config", match[1])
    for match in _DOTTED.finditer(text):
        yield match.start(), Entity(match[0], "config", match[0])
