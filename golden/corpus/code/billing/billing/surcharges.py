"""Consumer of tracking.scan.v2: weight corrections and repeat deliveries become surcharges."""

import os
from decimal import Decimal
from typing import Any

from halmkit.database import transaction
from halmkit.events import Consumer, Event
from halmkit.logging import get_logger
from sqlalchemy import text
from sqlalchemy.orm import Session

from billing.outbox import invoice_line_written

log = get_logger("billing")

ATTEMPTS = 5  # then to tracking.scan.v2.billing.dead (convention for consumers)
REPEAT_DELIVERY = Decimal("2.40")  # euro for the third visit
FREE_VISITS = 2


def handle(session: Session, event: Event) -> None:
    """Book the surcharge of one scan; events seen before are dropped by their event_id."""
    if not first_time(session, event.event_id):
        return
    scan = event.value
    if scan["kind"] == "weighed" and scan["weight_class"] != scan["booked_weight_class"]:
        charge(session, scan, "weight_correction", weight_difference(session, scan))
    if scan["kind"] == "missed" and scan["visit"] > FREE_VISITS:
        charge(session, scan, "repeat_delivery", REPEAT_DELIVERY)


def first_time(session: Session, event_id: str) -> bool:
    """Remember an event; delivery is at least once (ADR-0015)."""
    inserted = session.execute(
        text("INSERT INTO seen_event (event_id) VALUES (:id) ON CONFLICT DO NOTHING"),
        {"id": event_id},
    )
    return bool(inserted.rowcount)


def weight_difference(session: Session, scan: dict[str, Any]) -> Decimal:
    """Give the difference in price between the booked and the real weight class."""
    amount = session.execute(
        text("SELECT price_of(:m, :p, :real) - price_of(:m, :p, :booked)"),
        {
            "m": scan["merchant_id"],
            "p": scan["product"],
            "real": scan["weight_class"],
            "booked": scan["booked_weight_class"],
        },
    ).scalar_one()
    return Decimal(amount)


def charge(session: Session, scan: dict[str, Any], kind: str, amount: Decimal) -> None:
    """Write the line and its event in one transaction."""
    line = {"parcel_id": scan["parcel_id"], "kind": kind, "amount": str(amount)}
    invoice_id = session.execute(
        text("SELECT open_invoice(:merchant)"), {"merchant": scan["merchant_id"]}
    ).scalar_one()
    session.execute(
        text(
            "INSERT INTO invoice_line (invoice_id, parcel_id, kind, amount)"
            " VALUES (:invoice, :parcel_id, :kind, :amount)"
        ),
        {"invoice": invoice_id, **line},
    )
    invoice_line_written(session, invoice_id, line)
    log.info("surcharge_booked", **line)


def main() -> None:
    """Consume for ever, each event in a transaction of its own."""
    consumer = Consumer("tracking.scan.v2", group="billing", attempts=ATTEMPTS)
    for event in consumer:
        with transaction(os.environ["BILLING_DSN"]) as session:
            handle(session, event)


if __name__ == "__main__":
    main()
