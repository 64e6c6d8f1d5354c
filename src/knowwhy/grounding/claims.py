"""What wants to become a memory: bounded, without secrets, before anything judges it."""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from uuid import uuid4

from knowwhy.errors import BadFields
from knowwhy.tables.talk.turns import safe_name
from knowwhy.text.pages.passages import search_text
from knowwhy.text.secrets.redact import redact_json
from knowwhy.types import SPEAKER, Json

KINDS = ("preference", "fact", "decision", "correction", "procedure", "memorule", "note")
ANCHORS = ("correction", "memorule")  # kinds that others are held against
SPEAKERS = ("user", "assistant", "import")
MOST_CONTENT = 4_000  # characters of a claim: what is longer is a document
MOST_RULE = 20_000  # characters of a memorule's body, a long page
MOST_RAW = 50_000  # characters of what a claim was read from: as long as a turn can be
MOST_SOURCE = 2_000  # characters; the longest URL that is read in a text
MOST_NAME = 200  # characters of a user, a project, a session, a service …
MOST_METADATA = 10_000  # characters as JSON
DEEPEST_METADATA = 8  # levels
MOST_PLACES = 20  # entries of applies_to
KEY_DIGITS = 20  # hexadecimal; 80 bits do not meet by chance

_UNUSABLE = re.compile("[\x00\ud800-\udfff]")  # what no column can hold


@dataclass(frozen=True, slots=True)
class Claim:
    """Something that somebody wants to be remembered."""

    content: str
    kind: str = "note"
    user_id: str | None = None  # whose it is to be; None for everybody's
    project: str | None = None
    service: str | None = None
    session_id: str | None = None
    agent_id: str | None = None
    source: str | None = None
    raw_source: str | None = None
    turn_key: str | None = None
    fact_number: int | None = None
    said_by: str | None = None
    confidence: float | None = None
    extractor_version: str | None = None
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    expires_at: datetime | None = None
    memorule_kind: str | None = None
    subject: str | None = None
    applies_to: Mapping[str, str] = field(default_factory=dict)
    certainty: str | None = None
    evidence_signal: str | None = None
    persona: str | None = None  # in which role its writer speaks; noted with the change only
    by: str | None = None  # who writes it, when that is not its owner; noted with the change only
    metadata: Mapping[str, Json] = field(default_factory=dict)
    verified_by: str | None = None  # who has seen to it that it is true
    verified_via: str | None = None  # through whom it came that its user says it
    unchecked: str | None = None  # what could not be checked of it before it came here
    replaces: str | None = None  # key of the memory that its user corrects by it
    key: str | None = None  # None: made of the turn, else by chance

    @property
    def text(self) -> str:
        """What is compared with other claims: the subject of a memorule, and the content."""
        return search_text(self.subject, None, self.content)


NAMES = (
    "kind", "service", "session_id", "agent_id", "turn_key", "extractor_version", "memorule_kind",
    "certainty", "evidence_signal", "persona", "by", "verified_by", "verified_via", "subject",
    "replaces", "key",
)  # fmt: skip
MOMENTS = ("valid_from", "valid_until", "expires_at")


def is_owners(claim: Claim) -> bool:
    """Tells whether its own user says a claim: where several speak, whoever has the user's name."""
    speaker = claim.metadata.get(SPEAKER)
    if claim.said_by != "user" or speaker is None or claim.user_id is None:
        return claim.said_by == "user"
    return is_one_name(str(speaker), claim.user_id)


def is_one_name(one: str, other: str) -> bool:
    """Tells whether two names are one: `ada.byron` in an account, "Ada Byron" in a chat."""
    plain = ["".join(sign for sign in name.casefold() if sign.isalnum()) for name in (one, other)]
    return plain[0] == plain[1]


def fact_key(turn_key: str, extractor_version: str, number: int) -> str:
    """Gives the key of the memory that a fact of a turn becomes."""
    made_of = f"{turn_key}\n{extractor_version}\n{number}"
    return f"m-{hashlib.sha256(made_of.encode()).hexdigest()[:KEY_DIGITS]}"


def cleaned(claim: Claim) -> Claim:
    """Gives a claim without secrets and with a key; names every field that is out of bounds."""
    found = {name: why for name, why in _wrong(claim).items() if why}
    if found:
        raise BadFields("This cannot be remembered", found)
    told = {
        "content": claim.content.strip(),
        "source": claim.source,
        "raw_source": claim.raw_source,
        "subject": claim.subject and claim.subject.strip(),
        "evidence_signal": claim.evidence_signal,
        "applies_to": dict(claim.applies_to),
        "metadata": dict(claim.metadata),
    }
    return replace(
        claim,
        **redact_json(told),
        user_id=safe_name(claim.user_id),
        project=safe_name(claim.project),
        service=safe_name(claim.service),
        session_id=safe_name(claim.session_id),
        agent_id=safe_name(claim.agent_id),
        persona=safe_name(claim.persona),
        by=safe_name(claim.by),
        verified_by=safe_name(claim.verified_by),
        key=claim.key or _key(claim),
    )


def _key(claim: Claim) -> str:
    if claim.turn_key is None or claim.extractor_version is None or claim.fact_number is None:
        return f"m-{uuid4().hex[:KEY_DIGITS]}"
    return fact_key(claim.turn_key, claim.extractor_version, claim.fact_number)


def _wrong(claim: Claim) -> dict[str, str | None]:
    """Says what is wrong with each field."""
    longest = MOST_RULE if claim.kind == "memorule" else MOST_CONTENT
    wrong = {
        "content": _not_a_text(claim.content, longest),
        "raw_source": claim.raw_source and _not_a_text(claim.raw_source, MOST_RAW),
        "source": claim.source and _not_a_text(claim.source, MOST_SOURCE),
        "user_id": _not_a_name(claim.user_id),
        "project": _not_a_name(claim.project),
        **{name: _not_a_name(getattr(claim, name)) for name in NAMES},
        **{name: _not_a_moment(getattr(claim, name)) for name in MOMENTS},
    }
    if claim.kind not in KINDS:
        wrong["kind"] = f"must be one of {', '.join(KINDS)}"
    if claim.said_by is not None and claim.said_by not in SPEAKERS:
        wrong["said_by"] = f"must be one of {', '.join(SPEAKERS)}"
    if claim.confidence is not None and not 0 <= claim.confidence <= 1:
        wrong["confidence"] = "must be from 0 to 1"
    wrong["applies_to"] = _not_places(claim.applies_to)
    wrong["metadata"] = _not_metadata(claim.metadata)
    return wrong


def _not_a_text(value: object, longest: int) -> str | None:
    if not isinstance(value, str) or not value.strip():
        return "must say something"
    if len(value) > longest:
        return f"has {len(value):,} characters; {longest:,} are the most"
    if _UNUSABLE.search(value):
        return "has characters that cannot be stored"
    return None


def _not_a_name(value: object) -> str | None:
    return None if value is None else _not_a_text(value, MOST_NAME)


def _not_a_moment(value: datetime | None) -> str | None:
    is_vague = value is not None and value.tzinfo is None
    return "must say its time zone" if is_vague else None


def _not_places(value: Mapping[str, str]) -> str | None:
    if len(value) > MOST_PLACES:
        return f"has {len(value):,} entries; {MOST_PLACES} are the most"
    texts = [text for entry in value.items() for text in entry]
    return next((why for text in texts if (why := _not_a_text(text, MOST_NAME))), None)


def _not_metadata(value: Mapping[str, Json]) -> str | None:
    if _depth(value) > DEEPEST_METADATA:
        return f"is nested deeper than {DEEPEST_METADATA} levels"
    try:
        text = json.dumps(value, allow_nan=False, ensure_ascii=False)
    except (TypeError, ValueError):
        return "must be JSON"
    if len(text) > MOST_METADATA:
        return f"has {len(text):,} characters as JSON; {MOST_METADATA:,} are the most"
    return "has characters that cannot be stored" if _unusable_json(text) else None


def _unusable_json(text: str) -> bool:
    return "\\u0000" in text or _UNUSABLE.search(text) is not None


def _depth(value: Json) -> int:
    """Counts levels, and stops counting where they are too many."""
    level: Sequence[Json] = [value]
    depth = 0
    while level and depth <= DEEPEST_METADATA + 1:
        depth += 1
        level = [
            part
            for item in level
            if isinstance(item, Mapping | list | tuple)
            for part in (item.values() if isinstance(item, Mapping) else item)
        ]
    return depth - 1
