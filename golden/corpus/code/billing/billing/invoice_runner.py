"""The job invoice-runner: weekly and monthly invoices, at 01:30.

It stopped half-way on 2024-09-10 and nobody saw it for 31 hours, as the error was in a file which
the log search does not read (INC-2024-08).
"""

import argparse
import os
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from halmkit.database import transaction
from sqlalchemy import text
from sqlalchemy.orm import Session

from billing import outbox

# TODO(LED-404): halmkit.logging. The formatter below is the one of 2021 (ADR-0009).
LOG_FILE = Path("/var/log/halmwick/invoice-runner.log")

LINES_AT_ONCE = 5_000  # LED-402: a merchant with 190,000 parcels a week must not be in memory whole


def log(level: str, msg: str, **fields: Any) -> None:
    """Append a line of key=value pairs to the log file."""
    pairs = {
        "ts": datetime.now(UTC).isoformat(timespec="seconds"),
        "level": level,
        "svc": "billing",
        "msg": f'"{msg}"',
        **fields,
    }
    with LOG_FILE.open("a") as out:
        out.write(" ".join(f"{key}={value}" for key, value in pairs.items()) + "\n")


def merchants(session: Session, period: str) -> list[str]:
    """List the merchants with open invoices of a period."""
    return list(
        session.execute(
            text("SELECT merchant_id FROM invoice WHERE period = :period AND state = 'open'"),
            {"period": period},
        ).scalars()
    )


def amounts(session: Session, merchant_id: str, period: str) -> Iterator[Decimal]:
    """Stream the amounts of a merchant's lines."""
    rows = session.execute(
        text(
            "SELECT amount FROM invoice_line JOIN invoice USING (invoice_id)"
            " WHERE merchant_id = :merchant AND period = :period"
        ).execution_options(yield_per=LINES_AT_ONCE),
        {"merchant": merchant_id, "period": period},
    )
    yield from rows.scalars()


def close(session: Session, merchant_id: str, period: str) -> None:
    """Close a merchant's invoice and put its event into the outbox (ADR-0020)."""
    total = sum(amounts(session, merchant_id, period), Decimal(0))
    invoice_id = session.execute(
        text(
            "UPDATE invoice SET state = 'closed', total = :total"
            " WHERE merchant_id = :merchant AND period = :period RETURNING invoice_id"
        ),
        {"total": total, "merchant": merchant_id, "period": period},
    ).scalar_one()
    outbox.invoice_closed(session, invoice_id, merchant_id, str(total))


def run(period: str) -> int:
    """Close all open invoices of a period; one failure does not stop the others."""
    dsn = os.environ["BILLING_DSN"]
    with transaction(dsn) as session:
        todo = merchants(session, period)
    log("info", "run started", period=period, merchants=len(todo))
    failed = 0
    for merchant_id in todo:
        try:
            with transaction(dsn) as session:
                close(session, merchant_id, period)
        except Exception as error:  # noqa: BLE001 - the next merchant's invoice must be made
            failed += 1
            log("error", "invoice failed", merchant=merchant_id, reason=type(error).__name__)
    log("info", "run ended", period=period, failed=failed)
    return 1 if failed else 0


def main() -> None:
    """Read the period from the command line and run."""
    parser = argparse.ArgumentParser(prog="invoice-runner")
    parser.add_argument("period", help="such as 2025-W41 or 2025-10")
    sys.exit(run(parser.parse_args().period))


if __name__ == "__main__":
    main()
