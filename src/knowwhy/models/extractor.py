"""What reads facts out of texts, and the version that is stored beside what it read."""

from knowwhy.errors import BadInput
from knowwhy.text.facts import facts
from knowwhy.types import Fact

# Raised when readers or extraction change: every source is then read again at its next ingest.
VERSIONS = {"rules": "rules_v1"}


def extractor_version(name: str) -> str:
    """Gives the version of an extractor."""
    if name not in VERSIONS:
        raise BadInput(f"There is no extractor {name!r}; set KNOWWHY_EXTRACTOR to rules.")
    return VERSIONS[name]


def read_facts(content: str, context: str | None, role: str | None, version: str) -> list[Fact]:
    """Reads the claims of a turn with the extractor of a version."""
    return facts(content, context, role)
