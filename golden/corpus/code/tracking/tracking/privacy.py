"""The nightly check of ADR-0034: no personal data older than 90 days.

The side table scan_event_personal drops its own chunks. This job looks whether that happened and
clears what lies elsewhere.
"""

import os
from datetime import timedelta
from typing import Any

import psycopg
from halmkit.logging import get_logger

log = get_logger("tracking")

PERSONAL_LIFE = timedelta(days=90)  # ADR-0034; claims can be made within 60 days of delivery

# In side table: receiver_name, signature_ref. The position of the drop is a column of scan_event
# and goes with the event, after 13 months.
PERSONAL_FIELDS = ("receiver_name", "signature_ref")


def overdue(connection: psycopg.Connection[Any]) -> int:
    """Count rows of the side table which should be gone."""
    row = connection.execute(
        "SELECT count(*) FROM scan_event_personal WHERE scanned_at < now() - %s",
        (PERSONAL_LIFE + timedelta(days=1),),
    ).fetchone()
    return int(row[0]) if row else 0


def clear_extra(connection: psycopg.Connection[Any]) -> int:
    """Remove personal fields which a new kind of scanner put into extra."""
    cleared = connection.execute(
        "UPDATE scan_event SET extra = extra - %s::text[]"
        " WHERE scanned_at BETWEEN now() - interval '13 days' AND now() - interval '12 days'"
        " AND extra ?| %s::text[]",
        (list(PERSONAL_FIELDS), list(PERSONAL_FIELDS)),
    )
    return cleared.rowcount


def main() -> int:
    """Run the check; rows overdue make the job fail, and a failed job makes a ticket (BED-456)."""
    with psycopg.connect(os.environ["TRACKING_DSN"]) as connection:
        cleared = clear_extra(connection)
        late = overdue(connection)
    log.info("privacy_checked", cleared=cleared, overdue=late)
    return 1 if late else 0


if __name__ == "__main__":
    raise SystemExit(main())
