"""An incident that somebody tells, without a file."""

import hashlib
import re
from dataclasses import replace
from datetime import UTC, datetime

from knowwhy.ingest.folder import record_key
from knowwhy.ingest.incidents.incident import incident_from_fields
from knowwhy.ingest.load import Summary, Taking, fingerprint, load, untold
from knowwhy.tables import queries
from knowwhy.text.characters import check_text
from knowwhy.text.secrets.redact import redact_json

SLUG_WORDS = 8  # enough to recognise an incident by its key


def ingest_told_incident(
    summary: str, severity: str | None, lessons: str | None, how: Taking
) -> tuple[str, Summary]:
    """Stores an incident told in words; the same words again are the same record."""
    for text in (summary, lessons):
        if text is not None:
            check_text(text)
    content_hash = fingerprint(summary, severity, lessons, how.service, how.project)
    told = incident_from_fields(
        summary, severity, lessons, service=how.service, occurred_at=datetime.now(UTC)
    )
    title, _ = redact_json([told.title, told.content])
    slug = "-".join(re.findall(r"[a-z0-9]+", title.lower())[:SLUG_WORDS])
    digest = hashlib.sha256(summary.encode()).hexdigest()[:6]
    name = "/".join(part for part in (how.service, "incident", f"{slug}-{digest}") if part)
    draft = replace(
        told, id=record_key(name, how.project), project=how.project, content_hash=content_hash
    )
    done = Summary()
    known = {record.key: record for record in queries.known_records()}
    before = known.get(draft.id)
    if before is not None and before.says(None, content_hash):
        done.unchanged = 1
    else:
        load([(draft.id, draft)], how.embedder, done, untold)
    return draft.id, done
