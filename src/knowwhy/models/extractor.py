"""What reads facts out of texts, and the version that is stored beside what it read."""

from knowwhy.errors import BadInput

# Raised when readers or extraction change: every source is then read again at its next ingest.
VERSIONS = {"rules": "rules_v2"}


def extractor_version(name: str) -> str:
    """Gives the version of an extractor."""
    if name not in VERSIONS:
        raise BadInput(f"There is no extractor {name!r}; set KNOWWHY_EXTRACTOR to rules.")
    return VERSIONS[name]
