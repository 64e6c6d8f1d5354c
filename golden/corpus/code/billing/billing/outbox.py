"""The outbox of billing (ADR-0020): the same pattern as in orders, from halmkit.

A pod was moved between the commit of an invoice and its event, and 1,127 invoices were never sent
(INC-2022-03). Since then the event is a row in the same transaction.
"""

import os
from typing import Any

from halmkit.events import Producer
from halmkit.outbox import Relay, insert
from sqlalchemy.orm import Session

TOPIC = "billing.invoice.v1"  # JSON; the move to Avro (billing.invoice.v2) is LED-470

POLL_SECONDS = 1.0  # ADR-0020: nobody minds 600 ms with an invoice
BATCH_ROWS = 500
RELAY_LOCK = 7_020  # number of the advisory lock


def invoice_line_written(session: Session, invoice_id: str, line: dict[str, Any]) -> None:
    """Put the event of an invoice line into the outbox, in the caller's transaction."""
    insert(session, topic=TOPIC, key=invoice_id, payload={"kind": "line", **line})


def invoice_closed(session: Session, invoice_id: str, merchant_id: str, total: str) -> None:
    """Put the event of a complete invoice into the outbox; notify sends the e-mail."""
    payload = {
        "kind": "closed",
        "invoice_id": invoice_id,
        "merchant_id": merchant_id,
        "total": total,
    }
    insert(session, topic=TOPIC, key=invoice_id, payload=payload)


def main() -> None:
    """Relay for ever, through the pool that the API uses."""
    Relay(
        dsn=os.environ["BILLING_DSN"],
        producer=Producer(os.environ["KAFKA_SERVERS"], acks="all"),
        lock=RELAY_LOCK,
        poll_seconds=POLL_SECONDS,
        batch_rows=BATCH_ROWS,
    ).run()


if __name__ == "__main__":
    main()
