"""Memorules: rules for how to work, each with whom and where it holds."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from knowwhy.errors import BadFields, BadInput
from knowwhy.tables.kept import memories
from knowwhy.text.characters import check_text
from knowwhy.types import Asker, Memory

MEMORULE = "memorule"  # the kind of memory that a memorule is
KINDS = ("behavioral_rule", "feedback", "preference", "correction", "convention")
CERTAINTIES = ("observed", "inferred", "asserted")  # the weightiest first
INFERRED = CERTAINTIES[1]  # what a memorule is when nobody says
ASSERTED = CERTAINTIES[2]  # by the user
PLACES = ("persona", "surface", "specialization", "scope")  # what a memorule can hold for
SCOPES = ("global", "org", "project", "persona")
EVERYWHERE = SCOPES[0]

LEAST_SUBJECT = 4  # characters; a shorter one names no rule
LEAST_BODY = 10  # characters; a shorter one says nothing to follow
MOST_SUBJECT = 200  # characters: one line
MOST_BODY = 20_000  # characters: a long page; what is longer is a document
MOST_NAME = 200  # characters of a persona, a surface, a signal


@dataclass(frozen=True, slots=True)
class Memorule:
    """A rule whose every field was checked."""

    memorule_kind: str
    subject: str
    body: str
    applies_to: Mapping[str, str]
    certainty: str = INFERRED
    evidence_signal: str | None = None


def memorule(
    memorule_kind: str | None,
    subject: str | None,
    body: str | None,
    applies_to: Mapping[str, str] | None,
    certainty: str | None = None,
    evidence_signal: str | None = None,
) -> Memorule:
    """Checks every field of a memorule and names all that are wrong at once."""
    wrong = {
        "memorule_kind": _not_one_of(memorule_kind, KINDS),
        "subject": _not_a_text(subject, LEAST_SUBJECT, MOST_SUBJECT),
        "body": _not_a_text(body, LEAST_BODY, MOST_BODY),
        **_misapplied(applies_to),
        "certainty": certainty and _not_one_of(certainty, CERTAINTIES),
        "evidence_signal": evidence_signal and _not_a_text(evidence_signal, 1, MOST_NAME),
    }
    found = {name: why for name, why in wrong.items() if why}
    if found:
        raise BadFields("The memorule cannot be kept", found)
    return Memorule(
        memorule_kind=str(memorule_kind),
        subject=str(subject).strip(),
        body=str(body).strip(),
        applies_to={name: value.strip() for name, value in (applies_to or {}).items()},
        certainty=certainty or INFERRED,
        evidence_signal=evidence_signal and evidence_signal.strip(),
    )


def ranked(memorules: Iterable[Memory], context: Mapping[str, str]) -> list[Memory]:
    """Orders memorules by how well they apply where the asker is.

    First come those that name most of the asker's persona, surface, specialization and scope, then
    those that hold everywhere, then those for what the asker does not name, at the end those for
    another one. Of equals the narrower comes first: one that does not hold everywhere, one of the
    user, project and service before everybody's; then the more certain, then the newer.
    """
    return sorted(memorules, key=lambda rule: _rank(rule, context))


def applying(
    asker: Asker, context: Mapping[str, str], limit: int, *, now: datetime
) -> list[Memory]:
    """Gives the memorules that an asker sees, first those that apply best where they are."""
    wrong = _misapplied(context)
    found = {name: why for name, why in wrong.items() if why}
    if found:
        raise BadFields("Nothing can be looked for there", found)
    most = memories.MOST_MEMORIES
    if not 1 <= limit <= most:
        raise BadInput(f"The limit is {limit}; it must be from 1 to {most:,}.")
    rules = memories.memories(asker, kinds=(MEMORULE,), limit=most, now=now)
    return ranked(rules, context)[:limit]


def overlap(applies_to: Mapping[str, str], context: Mapping[str, str]) -> tuple[int, int]:
    """Counts what a memorule and a context agree on, and what they differ in.

    What holds everywhere agrees with no place more than with another.
    """
    here = {name: value.strip().casefold() for name, value in context.items()}
    agreed = differing = 0
    for name, value in applies_to.items():
        wanted = value.strip().casefold()
        if (name, wanted) == ("scope", EVERYWHERE):
            continue
        if here.get(name) == wanted:
            agreed += 1
        elif name in here:
            differing += 1
    return agreed, differing


def _rank(
    rule: Memory, context: Mapping[str, str]
) -> tuple[bool, int, bool, bool, int, int, float, str]:
    agreed, differing = overlap(rule.applies_to, context)
    everywhere = rule.applies_to.get("scope", "").strip().casefold() == EVERYWHERE
    unsure = not agreed and not everywhere
    wide = [rule.user_id, rule.project, rule.service].count(None)
    known = rule.certainty in CERTAINTIES
    weight = CERTAINTIES.index(str(rule.certainty)) if known else len(CERTAINTIES)
    newer = -rule.created_at.timestamp()
    places = differing > 0, differing - agreed, unsure, everywhere
    return *places, wide, weight, newer, rule.key


def _misapplied(applies_to: Mapping[str, str] | None) -> dict[str, str | None]:
    """Says what is wrong with whom a memorule is for."""
    if not applies_to:
        return {"applies_to": f"needs at least one of {', '.join(PLACES)}"}
    wrong: dict[str, str | None] = {}
    for name, value in applies_to.items():
        if name not in PLACES:
            wrong["applies_to"] = f"can name only {', '.join(PLACES)}"
        elif name == "scope":
            wrong["applies_to.scope"] = _not_one_of(value, SCOPES)
        else:
            wrong[f"applies_to.{name}"] = _not_a_text(value, 1, MOST_NAME)
    return wrong


def _not_one_of(value: str | None, words: tuple[str, ...]) -> str | None:
    return None if value in words else f"must be one of {', '.join(words)}"


def _not_a_text(value: str | None, least: int, most: int) -> str | None:
    if not isinstance(value, str):
        return "is missing" if value is None else "is not a text"
    try:
        check_text(value)
    except BadInput as refused:
        return str(refused)
    if len(value.strip()) < least:
        return f"must have at least {least} characters"
    return f"must have at most {most:,} characters" if len(value.strip()) > most else None
