"""How well a claim is supported: what decides whether it comes in."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from knowwhy.text.hedges import Hedge
from knowwhy.types import Citation, Json

ACCEPT, REVIEW, REFUSE = 1, 2, 3


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
    return Verdict(REVIEW, "it names no source")


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
        "confidence": "medium",
        "cited": list(cited),
    }
