"""Where a decision stands: its status in one word, its date, and its relations to others."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from knowwhy.text.formats.naming import FAMILY, label_of_path, split_heading
from knowwhy.text.pages.forms import WRITTEN, form_of
from knowwhy.text.pages.markdown import links, plain
from knowwhy.text.relating.relation_words import OF_CHANGES, RELATIONS
from knowwhy.text.times import find_time
from knowwhy.text.tokens import find_ids

MAX_STATEMENT = 80  # characters of a line in which its status stands; the rest explains it
MAX_STATUS_WORDS = 4  # words of a status that is not known
MAX_STATES = 2  # states in one line; more are a template that nobody filled in
MAX_LINES = 200  # lines of a status section; the longest real history met has 30

STATES = {
    "proposed": "proposed|proposal|pending",
    "draft": "draft|wip|work in progress",
    "review": "(?:in|under) (?:review|discussion)|review|rfc",
    "accepted": "accepted|approved?|adopted|agreed|ratified|decided",
    "active": "active",
    "provisional": "provisional",
    "implementable": "implementable",
    "implemented": "implemented|done|completed?",
    "final": "final",
    "rejected": "rejected|declined|denied",
    "withdrawn": "withdrawn|abandoned|cancell?ed",
    "deferred": "deferred|postponed|on hold|stagnant",
    "deprecated": "deprecated|obsolete|retired",
    "superseded": "super[sc]eded|replaced|obsoleted",
    "amended": "amended",
}
ENDED = frozenset(("rejected", "withdrawn", "deprecated", "superseded"))  # beats what came before
BETWEEN_RECORDS = (
    *("SUPERSEDED_BY", "SUPERSEDES", "AMENDED_BY", "AMENDS", "DEPENDS_ON", "REQUIRED_BY"),
    *("EXTENDED_BY", "EXTENDS", "IMPLEMENTED_BY", "IMPLEMENTS", "CONFLICTS_WITH"),
    *("RELATES_TO", "REFERENCES"),
)
_TOO_COMMON = frozenset(  # words that stand in a status without pointing at anything
    (
        *("by", "see", "links", "needs", "depends", "required", "dependencies", "superseded"),
        *("superceded", "related", "blocked by", "updates", "implemented in", "relations"),
    )
)
_PHRASES = {
    phrase.replace("supersed", "super[sc]ed"): name
    for name in BETWEEN_RECORDS
    for phrase in RELATIONS[name]
    if phrase not in _TOO_COMMON
}
_RELATION = re.compile(
    "|".join(
        rf"\b(?P<r{at}>{phrase})\b"
        for at, phrase in enumerate(sorted(_PHRASES, key=len, reverse=True))
    ),
    re.I,
)
_NAMES = [_PHRASES[phrase] for phrase in sorted(_PHRASES, key=len, reverse=True)]
_STATE = re.compile("|".join(rf"\b(?P<{name}>{words})\b" for name, words in STATES.items()), re.I)
_CHOICE = re.compile(
    r"[*_`]{0,3}[{\[<][^{}\[\]<>|]{1,60}\|"
)  # {proposed | accepted}: nobody has chosen
_EITHER = re.compile(rf"(?:{_STATE.pattern})\s{{0,3}}\|".replace("?P<", "?P<e_"), re.I)
_STRUCK = re.compile(r"~~[^~\n]{1,300}~~")
_UNCHECKED = re.compile(r"\s*(?:[-*+]\s+)?\[ \]")
_BULLET = re.compile(r"^\s*(?:(?:[-*+>]|\d{1,3}[.)]|\[[xX]\])\s+)+")
_DATED = re.compile(r"\s*[*_\[(]{0,3}\d{4}-\d{1,2}-\d{1,2}")
_ROLE = re.compile(r":[\w:.-]{1,40}:`([^`<>\n]{1,200}?)\s*(?:<[^`\n]{0,200}>)?`")
_TRACKER = re.compile(  # where issues and changes are kept, and no records
    r"(?:^|/)(?:issues?|pulls?|pull-requests|merge_requests|commits?|browse|tickets?|discussions)/",
    re.I,
)
_NUMBER = re.compile(r"(?<![\w.#/-])#?0*(\d{1,5})(?![\w%/]|\.\d|-\d)", re.A)
_LETTER = re.compile(r"[^\W\d_]")
_NOTHING = frozenset(("", "n/a", "na", "none", "-", "tbd", "tba", "no", "nothing", "null"))


@dataclass(frozen=True, slots=True)
class Standing:
    """The state of a decision and when it came to be so."""

    state: str | None
    since: datetime | None = None
    is_weak: bool = False  # what another record or a change did, beside which any state counts


def standing(text: str) -> Standing:
    """Read the last state that a status text gives."""
    found = [state for line in _statements(text) if (state := _state_of(line))]
    if found and all(state.since and not state.is_weak for state in found):
        return max(found, key=lambda state: state.since.timestamp() if state.since else 0)
    strong = [state for state in found if not state.is_weak]
    if found:
        return (strong or found)[-1]
    return Standing(_unknown_state(text))


def stated_relations(text: str, family: str = FAMILY) -> list[dict[str, str]]:
    """Read the relations that the lines of a text state in words: Supersedes ADR-3."""
    found = []
    for line in _statements(text):
        matches = list(_RELATION.finditer(line))
        ends = [*(match.start() for match in matches[1:]), len(line)]
        for match, end in zip(matches, ends, strict=False):
            name = _NAMES[int((match.lastgroup or "r0")[1:])]
            found += related(name, line[match.end() : end], family, may_be_bare=True)
    return found


def related(
    relation: str, text: str, family: str = FAMILY, *, may_be_bare: bool = False
) -> list[dict[str, str]]:
    """Pair one relation with each record that a text names."""
    found = targets(text, family, may_be_bare=may_be_bare, are_issues=relation in OF_CHANGES)
    named = dict.fromkeys(found)
    return [{"relation": relation, "target": target} for target in named]


def targets(
    text: str, family: str = FAMILY, *, may_be_bare: bool = False, are_issues: bool = False
) -> Iterator[str]:
    """Name the records that a text points at: by link, by id, by number or by title.

    What is implemented is so by changes: there #4 is one of those.
    """
    if plain(text).strip(" .:()").lower() in _NOTHING:
        return
    linked = links(text)
    labels = [label for link in linked if (label := _linked_label(link.text, link.target, family))]
    rest = _without(text, [(link.start, link.end) for link in linked])
    labels += [label for label, *_ in find_ids(rest)]
    labels += [label for path in _paths(rest) if (label := label_of_path(path, family))]
    if labels:
        yield from labels
        return
    yield from (link.target for link in linked if "://" not in link.target)
    yield from (path for path in _paths(rest) if form_of(path) in WRITTEN)
    titles = [match[1].strip() for match in _ROLE.finditer(rest)]
    yield from titles
    if may_be_bare and not linked and not titles:
        yield from _bare_numbers(re.sub(r"#\d{1,18}", " ", rest) if are_issues else rest, family)


def _paths(text: str) -> Iterator[str]:
    """Name the paths of a text: /keps/sig-node/1287-in-place-update."""
    words = (word.strip("`'\"<>()[],;/ ") for word in text.split())
    found = (word for word in words if "/" in word and ":" not in word)
    yield from (
        word.removeprefix("./") for word in found if _LETTER.search(word.rpartition("/")[2])
    )


def _bare_numbers(text: str, family: str) -> Iterator[str]:
    written = text.lstrip(" :-*_")
    if written[:1].isdigit() or written[:1] == "#":
        listed = re.split(r"[,;&]|\band\b", written.split("\n")[0][:MAX_STATEMENT])
        numbers = [_NUMBER.match(part.strip()) for part in listed]
        yield from (f"{family}-{int(number[1])}" for number in numbers if number)


def _linked_label(text: str, target: str, family: str = FAMILY) -> str | None:
    named = next((label for label, *_ in find_ids(text)), None)
    is_outside = "://" in target or _TRACKER.search(target) is not None
    of_path = None if is_outside else label_of_path(target.split("#")[0], family)
    numbered, _ = split_heading(text)
    return named or of_path or (None if _TRACKER.search(target) else numbered)


def _statements(text: str) -> Iterable[str]:
    """Give the lines of a status text, joined where prose was only wrapped."""
    lines: list[str] = []
    fresh = True
    for raw in _STRUCK.sub("", text).splitlines()[:MAX_LINES]:
        if not raw.strip() or _UNCHECKED.match(raw):
            fresh = True
            continue
        line = _BULLET.sub("", raw).strip()
        starts = _RELATION.match(line) or _STATE.match(line.lstrip("*_")) or _DATED.match(line)
        if fresh or starts or _BULLET.match(raw) or not lines:
            lines.append(line)
        else:
            lines[-1] += f" {line}"
        fresh = False
    return lines


def _state_of(line: str) -> Standing | None:
    words = plain(_ROLE.sub(r"\1", line))[:MAX_STATEMENT]
    if _CHOICE.match(words):
        return None
    relation = _RELATION.search(words)
    own = words[: relation.end()] if relation else words
    names = [str(match.lastgroup) for match in _STATE.finditer(own)]
    names = [name for name in names if not (relation and name == relation[0].lower())]
    if len(set(names)) > 1 and _EITHER.search(own):
        return None  # without the braces, which are taken off a value that stands alone in them
    if not names or len(set(names)) > MAX_STATES:
        return None
    ended = [name for name in names if name in ENDED]
    state = (ended or names)[-1 if ended else 0]
    is_by = state == "implemented" and relation is not None and relation.start() == 0
    return Standing(state, find_time(line), is_weak=is_by or state == "amended")


def _unknown_state(text: str) -> str | None:
    lines = [line for line in _statements(text) if not _RELATION.match(line)]
    words = plain(lines[0]) if lines else ""
    if words[:1] == "{" and words[-1] == "}" and len(words.split()) <= MAX_STATUS_WORDS:
        words = words.strip("{} ")  # what stood between them in a template was filled in
    if not words or words[0] in "{[<" or "|" in words:
        return None
    first = re.split(r"[.,;:(–—/]|\s-\s", words)[0]
    written = re.sub(r"[^\w\s'/-]", "", first).strip().lower()
    is_status = written not in _NOTHING and len(written.split()) <= MAX_STATUS_WORDS
    return written if is_status and not written.isdigit() and not _NUMBER.match(written) else None


def _without(text: str, spans: list[tuple[int, int]]) -> str:
    for start, end in reversed(spans):
        text = f"{text[:start]} {text[end:]}"
    return text
