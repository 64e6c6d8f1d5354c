"""The one vocabulary of relations: their names, their inverses and the words that mean them."""

from collections.abc import Iterator
from functools import lru_cache

from knowwhy.text.patterns import regex

# Each name with the headings, header keys and verbs that mean it, as its author would write them.
RELATIONS: dict[str, tuple[str, ...]] = {
    "REFERENCES": (
        "references", "refs", "refers to", "cites", "citations", "see", "see also", "related",
        "related work", "links", "further reading", "bibliography", "footnotes", "mentions",
        "more information", "resources", "external links",
    ),
    "REFERENCED_BY": ("referenced by", "cited by", "mentioned by", "backlinks", "linked by"),
    "RELATES_TO": (
        "related to", "relates to", "relationships", "relations", "informs", "informed by",
        "complements", "complemented by", "connected to", "similar to",
        "associated with",
    ),
    "IMPLEMENTS": ("implements", "realizes", "realises", "fulfills", "fulfils", "satisfies"),
    "IMPLEMENTED_BY": ("implemented by", "implemented in", "realized by", "realised by"),
    "DEPENDS_ON": (
        "depends on", "depends", "dependencies", "dependent on", "requires", "required", "needs",
        "prerequisites", "prereqs", "pre requisites", "blocked by", "relies on", "required with",
        "upstream", "upstream services", "waits for",
    ),
    "REQUIRED_BY": (
        "required by", "needed by", "dependents", "dependency of", "blocks", "depended on by",
        "relied on by", "prerequisite of", "prerequisite for", "downstream",
        "downstream services",
    ),
    "EXTENDS": (
        "extends", "builds on", "builds upon", "based on", "refines", "derived from",
        "derives from", "elaborates", "specializes",
    ),
    "EXTENDED_BY": ("extended by", "refined by", "elaborated by", "elaborated in"),
    "SUPERSEDES": (
        "supersedes", "supercedes", "superseding", "replaces", "replacing", "obsoletes",
        "replacement for", "supersession of", "deprecates",
    ),
    "SUPERSEDED_BY": (
        "superseded by", "superceded by", "superseded", "superceded", "superseded in",
        "replaced by", "replaced with", "obsoleted by", "deprecated by", "deprecated in favor of",
        "deprecated in favour of", "in favor of", "in favour of",
    ),
    "AMENDS": ("amends", "updates", "modifies", "clarifies", "corrects", "revises"),
    "AMENDED_BY": ("amended by", "updated by", "modified by", "clarified by", "revised by"),
    "CONFLICTS_WITH": ("conflicts with", "contradicts", "incompatible with"),
    "VALIDATES": ("validates", "verifies", "confirms"),
    "VALIDATED_BY": ("validated by", "verified by", "confirmed by"),
    "USES": ("uses", "using", "consumes"),
    "USED_BY": ("used by", "consumed by", "consumers"),
    "CALLS": ("calls", "invokes"),
    "CALLED_BY": ("called by", "invoked by", "callers"),
    "CONFIGURES": ("configures",),
    "CONFIGURED_BY": ("configured by",),
    "HAD_INCIDENT": ("had incident", "incidents", "past incidents", "previous incidents"),
    "INCIDENT_OF": ("incident of", "incident in"),
    "OWNED_BY": (
        "owned by", "owner", "code owners", "codeowners", "owning team", "team", "maintainers",
        "maintained by", "dri", "responsible", "responsible team", "accountable", "stewards",
        "point of contact", "assignees", "assigned to", "arbiter", "lead",
    ),
    "OWNS": ("owns", "maintains"),
    "AUTHORED_BY": (
        "authored by", "authors", "written by", "created by", "proposed by", "proposer", "champion",
        "drafted by", "reported by", "reporter", "editor", "by",
    ),
    "AUTHORED": ("authored", "wrote"),
    "APPROVED_BY": (
        "approved by", "approvers", "deciders", "decided by", "decision makers", "decision maker",
        "decision owner", "accepted by", "signed off by", "ratified by", "acked by",
        "endorsed by", "endorsers",
    ),
    "APPROVED": ("approved",),
    "REVIEWED_BY": (
        "reviewed by", "reviewers", "consulted", "review by", "shepherds", "review manager",
    ),
    "REVIEWED": ("reviewed",),
    "SPONSORED_BY": ("sponsored by", "sponsors"),
    "SPONSORED": ("sponsored",),
    "DELEGATED_TO": ("delegated to", "delegates"),
    "DELEGATED_BY": ("delegated by",),
    "RESPONDED_BY": (
        "responded by", "responders", "incident commander", "incident manager", "on call", "oncall",
        "incident lead", "communications lead", "handled by",
    ),
    "RESPONDED_TO": ("responded to",),
    "CAUSED_BY": ("caused by", "triggered by", "introduced by", "introduced in", "root cause in"),
    "CAUSED": ("caused", "causes", "triggered", "led to", "resulted in"),
    "RESOLVED_BY": (
        "resolved by", "fixed by", "fixed in", "mitigated by", "resolved in", "remediated by",
    ),
    "RESOLVES": ("resolves", "fixes", "closes", "addresses", "mitigates"),
    "IMPORTS": ("imports", "includes"),
    "IMPORTED_BY": ("imported by", "included by"),
    "AFFECTS": (
        "affects", "services", "service", "affected services", "impacted services", "affected",
        "impacted", "components", "affected components", "affected systems", "impacted systems",
        "affected files", "affected paths", "applies to",
    ),
    "AFFECTED_BY": ("affected by", "impacted by"),
}  # fmt: skip

_PAIRED = """
REFERENCES REFERENCED_BY IMPLEMENTS IMPLEMENTED_BY DEPENDS_ON REQUIRED_BY EXTENDS EXTENDED_BY
SUPERSEDES SUPERSEDED_BY AMENDS AMENDED_BY VALIDATES VALIDATED_BY USES USED_BY CALLS CALLED_BY
CONFIGURES CONFIGURED_BY HAD_INCIDENT INCIDENT_OF OWNED_BY OWNS AUTHORED_BY AUTHORED
APPROVED_BY APPROVED REVIEWED_BY REVIEWED SPONSORED_BY SPONSORED DELEGATED_TO DELEGATED_BY
RESPONDED_BY RESPONDED_TO CAUSED_BY CAUSED RESOLVED_BY RESOLVES IMPORTS IMPORTED_BY
AFFECTS AFFECTED_BY
"""
_PAIRS = _PAIRED.split()
ONE_WAY = dict(zip(_PAIRS[::2], _PAIRS[1::2], strict=True))
_BOTH_WAYS = {"RELATES_TO": "RELATES_TO", "CONFLICTS_WITH": "CONFLICTS_WITH"}
INVERSE: dict[str, str] = ONE_WAY | {b: a for a, b in ONE_WAY.items()} | _BOTH_WAYS

PEOPLE = frozenset(
    ("OWNED_BY", "AUTHORED_BY", "APPROVED_BY", "REVIEWED_BY", "SPONSORED_BY", "DELEGATED_TO",
     "RESPONDED_BY")
)  # fmt: skip
# Their targets without an id are services and dependencies, not titles of records.
SERVICES = frozenset(
    ("AFFECTS", "AFFECTED_BY", "DEPENDS_ON", "REQUIRED_BY", "USES", "USED_BY", "CALLS", "CALLED_BY",
     "CONFIGURES", "CONFIGURED_BY")
)  # fmt: skip

# Their targets without an id are titles of records; what else is written there is prose.
TITLED = frozenset(
    ("SUPERSEDES", "SUPERSEDED_BY", "AMENDS", "AMENDED_BY", "EXTENDS", "EXTENDED_BY", "IMPLEMENTS",
     "IMPLEMENTED_BY")
)  # fmt: skip

OF_CHANGES = frozenset(("IMPLEMENTS", "IMPLEMENTED_BY"))  # in them #4 is a change or an issue

# Beside a relation they only say what kind of thing is related: "Related ADRs".
_NOUN_LIST = """
adr decision record spec specification doc document documentation link issue ticket pr item
rfc pep oep proposal incident postmortem reading material page file task story other additional the
"""
_NOUNS = frozenset(_NOUN_LIST.split())
_FIRST = {
    "owning": "OWNED_BY",
    "related": "REFERENCES",
    "affected": "AFFECTS",
    "impacted": "AFFECTS",
}
_LAST = {
    "author": "AUTHORED_BY", "owner": "OWNED_BY", "maintainer": "OWNED_BY",
    "approver": "APPROVED_BY", "reviewer": "REVIEWED_BY", "sponsor": "SPONSORED_BY",
    "delegate": "DELEGATED_TO",
    "responder": "RESPONDED_BY", "team": "OWNED_BY", "dependency": "DEPENDS_ON",
    "reference": "REFERENCES",
}  # fmt: skip
# As a header key they relate; as a heading they are as likely to be about something else.
_KEYS_ONLY_LIST = """
update service component team lead by address import include use call required need applies to
"""
_KEYS_ONLY = frozenset(_KEYS_ONLY_LIST.split())
MAX_WORDS = 5  # words; a longer heading is a sentence about something else

MAX_PHRASE = 60  # characters; five long words

_CAMEL = regex(r"(?<=[a-z])(?=[A-Z])")
_WORD = regex(r"[a-z]+")
_EITHER = regex(r"(?:(?<!\s)\s+)?[/,&|]\s*|(?<!\s)\s+(?:and|or)\s+")


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    return word[:-1] if word.endswith("s") and not word.endswith("ss") and len(word) > 3 else word


def _words(text: str) -> list[str]:
    plain = _CAMEL.sub(" ", text.replace("(s)", "")).lower()
    return [_singular(word) for word in _WORD.findall(plain)]


_MEANINGS = {
    " ".join(_words(phrase)): name for name, phrases in RELATIONS.items() for phrase in phrases
}


@lru_cache(maxsize=1 << 14)  # headings and keys; they repeat over a whole corpus
def relation_of(words: str) -> str | None:
    """Return the relation that a heading, a key or a verb means, or None."""
    if words in RELATIONS:
        return words
    for part in _parts(words):
        if found := _meaning(part) or _LAST.get(part[-1]):
            return found
    return None


@lru_cache(maxsize=1 << 14)
def relation_of_heading(words: str) -> str | None:
    """Return the relation that all of a heading means, or None: headings also name subjects."""
    for part in _parts(words):
        if (found := _meaning(part)) and " ".join(part) not in _KEYS_ONLY:
            return found
    return None


def _parts(text: str) -> Iterator[list[str]]:
    """Yield the words of a text, then of each of its alternatives: "Complements / Informs"."""
    if len(text) <= MAX_PHRASE:
        parts = (_words(part) for part in (text, *_EITHER.split(text)[:3]))
        yield from (part for part in parts if 0 < len(part) <= MAX_WORDS)


def _meaning(words: list[str]) -> str | None:
    without = " ".join(word for word in words if word not in _NOUNS)
    return _MEANINGS.get(" ".join(words)) or _MEANINGS.get(without) or _FIRST.get(words[0])
