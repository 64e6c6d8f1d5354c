"""Booking and cancelling: one transaction for the shipment, its key and its event."""

import uuid
from datetime import UTC, datetime
from typing import Any

from halmkit.errors import Problem
from halmkit.logging import get_logger
from sqlalchemy import text
from sqlalchemy.orm import Session

from orders import outbox
from orders.idempotency import Answer, once
from orders.pricing_client import PricingClient
from orders.routing_client import RoutingClient

log = get_logger("orders")

OPEN_STATES = ("booked", "labelled")  # the partial index covers these, 3 % of all rows (ADR-0007)


class Bookings:
    """Books and cancels shipments."""

    def __init__(self, routing: RoutingClient, pricing: PricingClient) -> None:
        """Keep the two neighbours which a booking needs.

        The call to ``auth`` for contract flags, which cost us 47 minutes in INC-2024-03, is gone
        since MAN-811; the flags come with the token.
        """
        self.routing = routing
        self.pricing = pricing

    def book(
        self,
        session: Session,
        merchant_id: str,
        key: str | None,
        body: dict[str, Any],
        version: int,
    ) -> Answer:
        """Book a shipment once for its key; the key is required from /v2 on."""
        return once(
            session,
            merchant_id,
            key,
            body,
            lambda: self._book(session, merchant_id, body),
            required=version >= 2,
        )

    def _book(self, session: Session, merchant_id: str, body: dict[str, Any]) -> Answer:
        quote = self.routing.quote(body["postcode"], body["product"], body["weight_class"])
        price = self.pricing.price(
            merchant_id, body["product"], body["weight_class"], quote.delivery_day.isoformat()
        )
        parcel_id = next_parcel_id(session)
        session.execute(
            text(
                "INSERT INTO shipment (parcel_id, merchant_id, depot, delivery_day, amount, state)"
                " VALUES (:parcel, :merchant, :depot, :day, :amount, 'booked')"
            ),
            {
                "parcel": parcel_id,
                "merchant": merchant_id,
                "depot": quote.depot,
                "day": quote.delivery_day,
                "amount": price.amount,
            },
        )
        publish(session, parcel_id, "booked", merchant_id)
        log.info("shipment_booked", shipment=parcel_id, merchant=merchant_id, depot=quote.depot)
        return Answer(201, {"parcel_id": parcel_id, "delivery_day": quote.delivery_day.isoformat()})

    def cancel(self, session: Session, merchant_id: str, parcel_id: str) -> Answer:
        """Cancel a shipment that has not left the merchant."""
        cancelled = session.execute(
            text(
                "UPDATE shipment SET state = 'cancelled'"
                " WHERE parcel_id = :parcel AND merchant_id = :merchant AND state = ANY(:open)"
            ),
            {"parcel": parcel_id, "merchant": merchant_id, "open": list(OPEN_STATES)},
        )
        if cancelled.rowcount == 0:
            raise Problem(409, "not_cancellable", "the parcel is on its way or unknown")
        publish(session, parcel_id, "cancelled", merchant_id)
        return Answer(200, {"parcel_id": parcel_id, "state": "cancelled"})


def next_parcel_id(session: Session) -> str:
    """Draw the next HW number: HW and eight digits."""
    number = session.execute(text("SELECT nextval('parcel_number')")).scalar_one()
    return f"HW{number:08d}"


def publish(session: Session, parcel_id: str, kind: str, merchant_id: str) -> None:
    """Put the event into the outbox, never to Kafka from here (ADR-0015)."""
    payload = {
        "kind": kind,
        "parcel_id": parcel_id,
        "merchant_id": merchant_id,
        "at": datetime.now(UTC).isoformat(),
    }
    outbox.append(session, str(uuid.uuid4()), parcel_id, payload)
