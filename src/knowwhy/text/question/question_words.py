"""How questions ask for relations: the verbs, adjectives and nouns for each of them."""

from collections import defaultdict
from dataclasses import dataclass

from knowwhy.text.relating.relation_words import INVERSE, ONE_WAY, PEOPLE, relation_of
from knowwhy.types import Step

# "S <verb> O" says that S has this relation to O. The first word of a phrase is inflected.
VERBS: dict[str, str] = {
    "REFERENCES": (
        "cite, mention, reference, refer to, link to, point to, name, quote, allude to,"
        " make reference to, make mention of"
    ),
    "RELATES_TO": "relate to, complement, inform",
    "IMPLEMENTS": "implement, realize, realise, fulfil, fulfill, satisfy",
    "DEPENDS_ON": (
        "depend on, depend upon, require, need, rely on, rely upon, wait for, presuppose,"
        " rest on, hinge on"
    ),
    "REQUIRED_BY": "block",
    "EXTENDS": (
        "extend, build on, build upon, refine, elaborate, derive from, specialize, stem from,"
        " follow from"
    ),
    "SUPERSEDES": (
        "supersede, supercede, replace, obsolete, deprecate, succeed, retire, supplant,"
        " take the place of, make obsolete, take over from"
    ),
    "AMENDS": "amend, update, modify, revise, clarify, correct",
    "CONFLICTS_WITH": "conflict with, contradict",
    "VALIDATES": "validate, verify, confirm",
    "USES": "use, consume",
    "CALLS": "call, invoke",
    "CONFIGURES": "configure",
    "OWNED_BY": "belong to",
    "OWNS": "own, maintain, lead, steward, look after",
    "AUTHORED": (
        "write, author, propose, create, draft, co-author, coauthor, co-write, champion, report"
    ),
    "APPROVED": "approve, accept, ratify, decide, decide on, sign off, sign off on, endorse",
    "REVIEWED": "review, shepherd",
    "SPONSORED": "sponsor",
    "RESPONDED_TO": "respond to, handle, work on",
    "TOOK_PART": ("take part in, participate in, contribute to, work on, join in"),
    "CAUSED": "cause, trigger, lead to, result in, introduce",
    "RESOLVES": "resolve, fix, mitigate, remediate, address, close",
    "IMPORTS": "import, include, pull in",
    "AFFECTS": "affect, impact, hit, touch, apply to, involve, concern",
}

# "S is <adjective> O" says that S has this relation to O.
ADJECTIVES: dict[str, str] = {
    "DEPENDS_ON": "dependent on, dependent upon, reliant on, contingent on, blocked by",
    "TOOK_PART": "involved in, party to",
    "OWNS": "responsible for, accountable for, in charge of, on the hook for",
    "DELEGATED_TO": "delegated to, assigned for decision to",
    "OWNED_BY": "assigned to",
    "EXTENDS": "based on, based upon, built on top of, derived from, built on, built upon",
    "RELATES_TO": "related to, connected to, associated with, similar to",
    "CONFLICTS_WITH": "incompatible with, in conflict with, at odds with",
    "SUPERSEDED_BY": "obsolete because of, deprecated in favor of, deprecated in favour of",
}

# "the <noun> of X": X has this relation to the noun.
NOUNS: dict[str, str] = {
    "SUPERSEDED_BY": "successor, replacement, superseder",
    "SUPERSEDES": "predecessor, forerunner",
    "DEPENDS_ON": "dependency, requirement, prerequisite, prereq, pre-requisite",
    "REQUIRED_BY": "dependent, dependant, blast radius, impact radius",
    "REFERENCES": "reference, citation",
    "REFERENCED_BY": "backlink",
    "EXTENDS": "basis, foundation",
    "EXTENDED_BY": "extension, refinement",
    "AMENDED_BY": "amendment, update, revision, erratum",
    "IMPLEMENTED_BY": "implementation",
    "USED_BY": "user, consumer",
    "CALLED_BY": "caller",
    "CALLS": "callee",
    "IMPORTS": "import",
    "IMPORTED_BY": "importer",
    "HAD_INCIDENT": "incident, outage, postmortem, post-mortem",
    "OWNED_BY": (
        "owner, maintainer, steward, lead, assignee, dri, arbiter, code owner, codeowner,"
        " owning team, responsible team"
    ),
    "AUTHORED_BY": (
        "author, writer, proposer, creator, champion, drafter, editor, co-author, coauthor,"
        " reporter"
    ),
    "APPROVED_BY": "approver, decider, decision maker, decision-maker, endorser",
    "REVIEWED_BY": "reviewer, shepherd, review manager",
    "SPONSORED_BY": "sponsor",
    "DELEGATED_TO": "delegate",
    "RESPONDED_BY": "responder, commander, incident commander, incident manager, incident lead",
    "CAUSED_BY": "cause, root cause, trigger",
    "RESOLVED_BY": "fix, resolution, remedy",
    "CONFLICTS_WITH": "conflict",
}

# A word also covers what says the same of another kind of record: a module depends by importing.
_NEEDS = ("DEPENDS_ON", "IMPORTS", "USES", "CALLS")
_POINTS = (
    "REFERENCES",
    "RELATES_TO",
    "DEPENDS_ON",
    "EXTENDS",
    "IMPLEMENTS",
    "SUPERSEDES",
    "AMENDS",
)
TOOK_PART = "TOOK_PART"  # in any role; no record states it by this name
COVERS: dict[str, tuple[str, ...]] = {
    "DEPENDS_ON": _NEEDS,
    "USES": ("USES", "DEPENDS_ON", "CALLS"),
    "CALLS": ("CALLS", "USES"),
    "REFERENCES": (*_POINTS, "CONFLICTS_WITH", "RESOLVES", "CAUSED_BY", "AFFECTS"),
    "RELATES_TO": ("RELATES_TO", "REFERENCES"),
    "HAD_INCIDENT": ("HAD_INCIDENT", "AFFECTED_BY"),
    "AFFECTS": ("AFFECTS", "INCIDENT_OF"),
    "AMENDS": ("AMENDS", "EXTENDS"),
    "EXTENDS": ("EXTENDS", "AMENDS"),
    TOOK_PART: (
        "AUTHORED", "APPROVED", "REVIEWED", "SPONSORED", "DELEGATED_BY", "RESPONDED_TO",
    ),
}  # fmt: skip
SHAKEN = (*_NEEDS, "EXTENDS", "IMPLEMENTS", "AFFECTED_BY")  # who feels a change in what these name
# Where nothing was stated so exactly, what a record points to is the next best reading.
WIDER: dict[str, tuple[str, ...]] = {
    "DEPENDS_ON": (*_NEEDS, "EXTENDS", "IMPLEMENTS", "REFERENCES", "RELATES_TO"),
    "EXTENDS": ("EXTENDS", "AMENDS", "DEPENDS_ON", "REFERENCES", "RELATES_TO"),
    "IMPLEMENTS": ("IMPLEMENTS", "EXTENDS", "REFERENCES", "RELATES_TO"),
    "RESOLVED_BY": ("RESOLVED_BY", "REFERENCES", "RELATES_TO"),
    "CAUSED_BY": ("CAUSED_BY", "REFERENCES", "RELATES_TO"),
}

_IRREGULAR = {
    "write": ("wrote", "written"), "co-write": ("co-wrote", "co-written"),
    "build": ("built", "built"), "make": ("made", "made"),
    "take": ("took", "taken"), "lead": ("led", "led"), "rely": ("relied", "relied"),
    "hit": ("hit", "hit"), "refer": ("referred", "referred"), "quote": ("quoted", "quoted"),
}  # fmt: skip
_DOUBLED = {"refer": "referring", "hit": "hitting"}

Ways = tuple[tuple[str, tuple[str, ...], str], ...]  # relation, what follows, form


@dataclass(frozen=True, slots=True)
class Reading:
    """How a step reads in English, along its relation and against it."""

    along: str
    against: str


def _forms(base: str) -> dict[str, str]:
    """Return the forms of a verb: each word with base, third, past, part or ing."""
    stem = base[:-1] if base.endswith("e") else base
    past = f"{stem}ed"
    ends_in_y = base.endswith("y") and base[-2] not in "aeiou"
    if ends_in_y:
        past = f"{base[:-1]}ied"
    third = f"{base[:-1]}ies" if ends_in_y else f"{base}{'es' if base[-1] in 'sxh' else 's'}"
    simple, part = _IRREGULAR.get(base, (past, past))
    ing = _DOUBLED.get(base, f"{stem}ing")
    return {base: "base", third: "third", simple: "past", part: "part", ing: "ing"}


def _verb_table() -> dict[str, Ways]:
    table: dict[str, list[tuple[str, tuple[str, ...], str]]] = defaultdict(list)
    for relation, phrases in VERBS.items():
        for phrase in phrases.split(","):
            first, *rest = phrase.split()
            for word, form in _forms(first).items():
                table[word].append((relation, tuple(rest), form))
    return {word: tuple(sorted(ways, key=lambda w: -len(w[1]))) for word, ways in table.items()}


def _phrase_table(phrases_of: dict[str, str]) -> dict[str, Ways]:
    table: dict[str, list[tuple[str, tuple[str, ...], str]]] = defaultdict(list)
    for relation, phrases in phrases_of.items():
        for phrase in phrases.split(","):
            first, *rest = phrase.split()
            table[first].append((relation, tuple(rest), ""))
    return {word: tuple(sorted(ways, key=lambda w: -len(w[1]))) for word, ways in table.items()}


VERB_WAYS = _verb_table()
ADJECTIVE_WAYS = _phrase_table(ADJECTIVES)
NOUN_WAYS = _phrase_table(NOUNS)


def singular(word: str) -> str:
    """Return the singular of a lower-case noun, which is itself for most that are none."""
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    if word.endswith(("sses", "xes", "ches", "shes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us", "is")) else word


def role(phrase: str) -> str | None:
    """Return the relation of a noun for people that only the keys of headers know, or None."""
    *first, last = phrase.split() or [""]
    found = relation_of(" ".join((*first, last.rpartition("-")[2])))
    is_noun = bool(first) or last.endswith(("r", "rs", "d", "ds", "e", "es"))
    return found if found in PEOPLE and is_noun else None


def step(relation: str, forward: bool) -> Step:
    """Return the step from a thing along a word's relation, or against it."""
    if relation in _BACKWARD and relation not in COVERS:
        plain = INVERSE[relation]
        return Step(COVERS.get(plain, (plain,)), not forward)
    return Step(COVERS.get(relation, (relation,)), forward)


_BACKWARD = frozenset(ONE_WAY.values())
READINGS = {
    "TOOK_PART": Reading("records in which {} took part", "who took part in {}"),
    "SHAKEN": Reading("what {} would change", "what a change of {} affects"),
    "REFERENCES": Reading("records cited by {}", "records that cite {}"),
    "RELATES_TO": Reading("records related to {}", "records related to {}"),
    "IMPLEMENTS": Reading("what is implemented by {}", "what implements {}"),
    "DEPENDS_ON": Reading("what is required by {}", "what depends on {}"),
    "EXTENDS": Reading("records extended by {}", "records that extend {}"),
    "SUPERSEDES": Reading("records superseded by {}", "records that supersede {}"),
    "AMENDS": Reading("records amended by {}", "records that amend {}"),
    "CONFLICTS_WITH": Reading("what conflicts with {}", "what conflicts with {}"),
    "VALIDATES": Reading("what is validated by {}", "what validates {}"),
    "USES": Reading("what is used by {}", "what uses {}"),
    "CALLS": Reading("what is called by {}", "what calls {}"),
    "CONFIGURES": Reading("what is configured by {}", "what configures {}"),
    "HAD_INCIDENT": Reading("incidents of {}", "what had the incident {}"),
    "OWNED_BY": Reading("owners of {}", "what is owned by {}"),
    "AUTHORED_BY": Reading("authors of {}", "records written by {}"),
    "APPROVED_BY": Reading("approvers of {}", "records approved by {}"),
    "REVIEWED_BY": Reading("reviewers of {}", "records reviewed by {}"),
    "SPONSORED_BY": Reading("sponsors of {}", "records sponsored by {}"),
    "DELEGATED_TO": Reading("delegates of {}", "records delegated to {}"),
    "RESPONDED_BY": Reading("responders to {}", "incidents handled by {}"),
    "CAUSED_BY": Reading("causes of {}", "what was caused by {}"),
    "RESOLVED_BY": Reading("what resolved {}", "what was resolved by {}"),
    "IMPORTS": Reading("modules imported by {}", "modules that import {}"),
    "AFFECTS": Reading("what is affected by {}", "what affects {}"),
}


def reading_of(step: Step) -> tuple[Reading, bool]:
    """Return how a step reads, and whether along that relation."""
    for name, relations in (("SHAKEN", SHAKEN), (TOOK_PART, COVERS[TOOK_PART])):
        if step.relations == relations:
            return READINGS[name], step.forward
    relation = step.relations[0]
    if relation in READINGS:
        return READINGS[relation], step.forward
    return READINGS[INVERSE[relation]], not step.forward
