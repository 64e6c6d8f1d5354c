"""How well a claim is supported: what decides whether it comes in."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from knowwhy.text.claims.gist import content
from knowwhy.text.claims.outside import is_outside
from knowwhy.text.claims.terms import undisguised, words
from knowwhy.text.doubt.hedges import Hedge, hedges
from knowwhy.text.patterns import regex
from knowwhy.text.relating.citations import citations
from knowwhy.text.suspicious import suspicion
from knowwhy.types import Citation, Json

ACCEPT, REVIEW, REFUSE = 1, 2, 3

SURE_FROM = 0.8  # of an extractor's confidence from 0 to 1: the explicit patterns give more
DOUBTED_BELOW = 0.5  # the same; it holds the claim for less likely than not
MIN_DECISION = 3  # words that say something, beside an actor or a reason
MIN_BARE_DECISION = 5  # the same, without either
CHECKED = ("record", "commit")  # what a citation names that must exist if an assistant names it
# Begin what `check_failed` tells of a claim that could be checked: a finding that the tier which
# the store derives is not given by itself.
OF_SUBJECT = "Its subject"  # in a memorule's subject
OF_CONFIDENCE = "It is not held for sure"  # in how sure its extractor, or who says it, is
SAID_IN = "conversation:"  # begins a source that is no document
SHOWN = 80  # characters of what a reason repeats
MAX_READ = 20_000  # characters that are looked through for orders and questions

_TEXTS = r"(?:instructions?|rules?|prompts?|messages?|guidelines?|policies|directions?)"
_CLAIM = (
    r"(?:this|that|it|these|them|everything|the following|(?:the|this|that|all|every|each|any|my)"
    r"\s+(?:claim|memory|memories|statement|fact|note|message|text|entry|row)s?)"
)
_TRUSTED = r"(?:verified|approved|trusted|accepted|active|confirmed|true|safe|tier\s?(?:1|one))"
_ADDRESSED = regex(
    rf"\b(?:ignore|disregard|forget|override)\s+(?:\w+\s+){{0,2}}?(?:previous|prior|above|earlier"
    rf"|preceding|foregoing|your|all\s+(?:the|of|other))\s+(?:\w+\s+){{0,2}}?{_TEXTS}\b"
    rf"|\b(?:ignore|disregard|forget)\s+(?:\w+\s+){{0,2}}?{_TEXTS}\s+(?:above|before)\b"
    rf"|\b(?:mark|treat|store|accept|approve|classify|flag|record|save|rate|count|consider)\s+"
    rf"{_CLAIM}\s+(?:as\s+(?:\w+\s+){{0,2}}?{_TRUSTED}|without\s+(?:a\s+)?(?:review|check))"
    rf"|\b(?:accept|approve|store)\s+without\s+(?:a\s+)?(?:review|check)"
    rf"|\b{_CLAIM}\s+(?:is|was|has)\s+(?:\w+\s+){{0,2}}?(?:approved|verified|tier\s?1)\b"
    r"|\btier\s{0,9}[:=]\s{0,9}(?:1|one)\b|\bverified\s{0,9}[:=]\s{0,9}(?:true|yes)\b"
    r"|\b(?:new|your)\s+system\s+prompt\b|^\W{0,8}system\s{0,9}:"
    r"|<\s{0,9}/\s{0,9}(?:system|context|instructions?|memory|memories|document)\s{0,9}>",
    re.IGNORECASE,
)
_REASON = regex(
    r"\b(?:because|since|so that|so we|in order to|due to|thanks to|to (?:avoid|reduce|prevent|stop"
    r"|keep|save|make|allow|get|simplify|improve|support|cut|meet|be able)"
    r"|as (?:it|we|they|the|our)|for (?:its|their|the|better|more)|after (?:the|we|inc)"
    r"|given (?:that|the|our)|reasons?|why|otherwise|instead of|rather than|over)\b|[;→]| [-–—] ",
    re.IGNORECASE,
)
# "It was decided that …": that somebody did so is all it says.
_ADVERB = r"(?: now| finally| also| just| already| since)?"
_NOBODYS = regex(
    r"\W{0,3}(?:(?:so|then|now|finally|also|and),? )?"
    rf"(?:(?:it|this)(?:'s| is| was| has| had){_ADVERB}(?: been)?{_ADVERB}"
    r" (?:decided|agreed|settled|resolved|concluded)\b"
    r"|there (?:is|was) (?:an? )?(?:\w+ )?(?:agreement|consensus|decision)\b"
    rf"|(?:the|a|our) (?:final )?decision(?: is| was| has){_ADVERB}(?: been)?{_ADVERB}"
    r" (?:made|taken|final|to|that)\b)",
    re.IGNORECASE,
)
_ACTOR = regex(
    r"(?i:\b(?:we|i|us|our|team|board|meeting|council|group|everyone|cto|ceo|lead|manager)\b)"
    r"|\b(?!(?:It|This|That|There|What|Was|Has|Is|Been|As)\b)"
    r"[A-Z][a-zà-ÿ]+ (?:\w+ )?(?:decided|chose|agreed|approved|picked|selected|settled)\b"
)


@dataclass(frozen=True, slots=True)
class Findings:
    """Everything about a claim that its tier depends on."""

    kind: str
    content: str
    said_by: str | None
    source: str | None
    extractor_version: str | None
    resolved: tuple[str, ...]
    copy_of: str | None
    conflicts_with: str | None
    check_failed: str | None
    hedges: tuple[Hedge, ...]
    citations: tuple[Citation, ...]


@dataclass(frozen=True, slots=True)
class Verdict:
    """A tier, and the reason in one sentence."""

    tier: int
    why: str


def judge(findings: Findings) -> Verdict:
    """Gives a claim's tier and the reason for it."""
    if findings.check_failed and findings.check_failed.startswith((OF_SUBJECT, OF_CONFIDENCE)):
        return Verdict(REVIEW, findings.check_failed)
    if findings.check_failed:
        return Verdict(REVIEW, f"It could not be checked: {findings.check_failed.rstrip('.')}.")
    return _refused(findings) or _unfit(findings) or _supported(findings) or _by_speaker(findings)


def unfit_subject(subject: str | None) -> str | None:
    """Says what keeps a memorule from coming in by itself for its subject, or nothing."""
    if not subject:
        return None
    if gives_orders(subject):
        return f"{OF_SUBJECT} gives orders to whoever reads or judges it."
    doubts = hedges(undisguised(subject))
    return f"{OF_SUBJECT} is in doubt: it says “{_shown(doubts[0].text)}”." if doubts else None


def doubted(confidence: float | None) -> str | None:
    """Says what keeps a claim from coming in by itself for its low confidence, or nothing."""
    if confidence is None or confidence >= DOUBTED_BELOW:
        return None
    return f"{OF_CONFIDENCE}: its confidence is {confidence:.2g}, below {DOUBTED_BELOW:g}."


def evidence(
    content: str,
    source: str | None,
    captured: datetime,
    valid_until: datetime | None,
    confidence: float | None,
    tier: int,
    cited: Sequence[str],
) -> Json:
    """Gives the evidence object of a claim."""
    return {
        "claim": content,
        "source": source,
        "captured_at": captured.astimezone(UTC).isoformat(),
        "valid_until": valid_until and valid_until.astimezone(UTC).isoformat(),
        "confidence": _grade(confidence, tier, bool(cited)),
        "cited": list(cited),
    }


def _grade(confidence: float | None, tier: int, is_cited: bool) -> str:
    """Says how sure a claim is: accepted ones are, unless their extractor was not."""
    if tier == REFUSE or (confidence is not None and confidence < DOUBTED_BELOW):
        return "low"
    is_sure = confidence is None or confidence >= SURE_FROM
    return "high" if tier == ACCEPT and (is_sure or is_cited) else "medium"


def _refused(findings: Findings) -> Verdict | None:
    if strong := [hedge for hedge in _doubts(findings) if hedge.strong]:
        return Verdict(REFUSE, f"It is speculation: it says “{_shown(strong[0].text)}”.")
    if findings.copy_of:
        return Verdict(REFUSE, f"It says the same as {findings.copy_of}, which is kept already.")
    if findings.conflicts_with:
        return Verdict(REFUSE, f"It contradicts {findings.conflicts_with}, which is kept.")
    return None


def _unfit(findings: Findings) -> Verdict | None:
    """Finds what is no claim, whoever says it and whatever it cites."""
    if gives_orders(findings.content):
        return Verdict(REVIEW, "It gives orders to whoever reads or judges it.")
    if _asks(findings.content):
        return Verdict(REVIEW, "It asks rather than says something.")
    return None


def gives_orders(text: str) -> bool:
    """Tells whether a text speaks to whoever reads or judges it, as if that one had to obey."""
    plain = undisguised(text[:MAX_READ])
    return _ADDRESSED.search(plain) is not None or suspicion(plain) is not None


def _supported(findings: Findings) -> Verdict | None:
    """Accepts what names a source that exists; keeps back what it names in vain or only supposes.

    A record stands for what it says, not for what somebody supposes and puts its name behind.
    """
    there = {target.casefold() for target in findings.resolved}
    cited = _cited(findings)
    missing = [c.target for c in cited if c.kind in CHECKED and c.target.casefold() not in there]
    if missing and findings.said_by != "user":
        return Verdict(REVIEW, f"It cites {_shown(missing[0])}, which was not found.")
    if weak := _doubts(findings):
        return Verdict(REVIEW, f"It is not put as certain: it says “{_shown(weak[0].text)}”.")
    if found := [c.target for c in cited if c.target.casefold() in there]:
        return Verdict(ACCEPT, f"It cites {_shown(found[0])}.")
    if findings.source and findings.source.casefold() in there:
        return Verdict(ACCEPT, f"It comes from {_shown(findings.source)}.")
    url = next((c.target for c in cited if c.kind == "url"), None)
    if url and findings.said_by in ("user", "import"):
        return Verdict(ACCEPT, f"It cites {_shown(url)}.")
    return None


def _by_speaker(findings: Findings) -> Verdict:
    """Judges a claim without a source that could be looked up by who made it."""
    if findings.said_by != "user":
        who = {"assistant": "An assistant", "import": "An import"}.get(findings.said_by or "")
        return Verdict(REVIEW, f"{who or 'Somebody unknown'} says it and names no source for it.")
    if is_outside(findings.content):
        return Verdict(REVIEW, "It is about somebody else's system and names no source for it.")
    if findings.kind == "decision" or _NOBODYS.match(findings.content):
        if _has_context(findings.content):
            return Verdict(ACCEPT, "A user tells of a decision and its circumstances.")
        return Verdict(REVIEW, "It tells of a decision, but not who took it or why.")
    return Verdict(ACCEPT, "A user says it of their own project.")


def _doubts(findings: Findings) -> list[Hedge]:
    """Gives the words of doubt, also those that were written so as not to be found."""
    plain = undisguised(findings.content)
    return [*findings.hedges, *(hedges(plain) if plain != findings.content else ())]


def _cited(findings: Findings) -> list[Citation]:
    """Gives what a claim points to, in its words and by its source."""
    source = findings.source or ""
    of_source = [] if source.startswith(SAID_IN) else citations(source)
    return [*findings.citations, *of_source]


def _asks(text: str) -> bool:
    plain = text.strip()[-MAX_READ:].rstrip("\"'”’)* ")
    return plain.endswith("?") and not re.search(r"[.!;]\s", plain)


def _has_context(text: str) -> bool:
    said = len(content(words(text[:MAX_READ])))
    reasons = [match[0].lower() for match in _REASON.finditer(text[:MAX_READ])]
    if _NOBODYS.match(text):  # "the offer for the portal" is no reason
        reasons = [reason for reason in reasons if not reason.startswith(("for the", "over"))]
    is_told = bool(_ACTOR.search(text) or reasons or citations(text))
    if not is_told and _NOBODYS.match(text):
        return False
    return said >= (MIN_DECISION if is_told else MIN_BARE_DECISION)


def _shown(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= SHOWN else f"{flat[: SHOWN - 1]}…"
