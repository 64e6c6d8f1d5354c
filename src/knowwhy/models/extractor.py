"""What reads facts out of texts, and the version that is stored beside what it read."""

import threading
from collections import Counter
from collections.abc import Sequence

from knowwhy.errors import BadInput, ModelUnavailable
from knowwhy.models import claude
from knowwhy.text.speech.facts import facts
from knowwhy.types import Fact

# Raised when readers or extraction change: every source is then read again at its next ingest.
VERSIONS = {"rules": "rules_v5"}
PAID = "anthropic"

Text = tuple[str, str | None, str | None, str]  # content, context, role, version

_lock = threading.Lock()
_read: dict[Text, tuple[Fact, ...]] = {}
_wanted: Counter[Text] = Counter()


def extractor_version(name: str, model: str = claude.MODEL) -> str:
    """Gives the version of an extractor; of a paid one the model and what it is told make it."""
    if name == PAID:
        return claude.version(model)
    if name not in VERSIONS:
        raise BadInput(
            f"There is no extractor {name!r}; set KNOWWHY_EXTRACTOR to rules or to {PAID}."
        )
    return VERSIONS[name]


def is_paid(version: str) -> bool:
    """Tells whether reading with a version costs money."""
    return version.startswith(f"{PAID}:")


def read_facts(content: str, context: str | None, role: str | None, version: str) -> list[Fact]:
    """Gives the claims of a turn that were read ahead of its insert; rules may read them now."""
    ahead = _read.get((content, context, role, version))
    if ahead is not None:
        return list(ahead)
    if is_paid(version):  # a table's lock is held, and nobody has looked at the price
        raise ModelUnavailable(f"The facts of {version} have to be read before they are written.")
    return facts(content, context, role)


def prime_facts(
    content: str, context: str | None, role: str | None, version: str, found: Sequence[Fact]
) -> None:
    """Keeps what was read of a turn until it has been written and released."""
    with _lock:
        _read[content, context, role, version] = tuple(found)
        _wanted[content, context, role, version] += 1


def release_facts(content: str, context: str | None, role: str | None, version: str) -> None:
    """Forgets what one `prime_facts` of the same turn has kept."""
    text = (content, context, role, version)
    with _lock:
        _wanted[text] -= 1
        if _wanted[text] <= 0:
            del _wanted[text]
            _read.pop(text, None)
