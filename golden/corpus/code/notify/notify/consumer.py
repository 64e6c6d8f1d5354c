"""Reads scans and bookings and sends what follows from them."""

import os
import uuid
from datetime import UTC, datetime, timedelta
from typing import Any

from halmkit.database import session_of
from halmkit.events import Consumer, Event, Producer
from halmkit.logging import get_logger
from halmkit.mail import MailRelay
from halmkit.metrics import count
from sqlalchemy.orm import Session

from notify import preferences, status_events
from notify.messages import Channel, Kind, Message
from notify.providers import Report
from notify.sms import SmsSender, from_environment
from notify.templates import render

log = get_logger("notify")

ATTEMPTS = 5  # then to <topic>.dead
WINDOW = timedelta(hours=2)
TRACKING_URL = "https://track.halmwick.example/"

KINDS = {
    "registered": Kind.ANNOUNCED,
    "out_for_delivery": Kind.OUT_FOR_DELIVERY,
    "delivered": Kind.DELIVERED,
    "missed": Kind.MISSED,
}


class MissingWindow(Exception):
    """A parcel is out for delivery and its event has no window."""


def window(scan: dict[str, Any]) -> tuple[str, str]:
    """Give begin and end of the delivery window.

    A missing field is an error since INC-2024-06, when tracking renamed eta to delivery_eta and
    118,000 receivers heard nothing because we took that for "no window".
    """
    eta = scan.get("delivery_eta")
    if eta is None:
        count("delivery_eta_missing")
        raise MissingWindow(scan["parcel_id"])
    start = datetime.fromisoformat(eta)
    return start.strftime("%H:%M"), (start + WINDOW).strftime("%H:%M")


def message_for(session: Session, event: Event) -> Message | None:
    """Make the message of a scan, if there is one and the receiver wants it."""
    scan = event.value
    kind = KINDS.get(scan["kind"])
    if kind is None:
        return None
    wish = preferences.preference(session, scan["parcel_id"], kind)
    if wish is None:
        return None
    values = {
        "parcel_id": scan["parcel_id"],
        "tracking_url": TRACKING_URL + scan["parcel_id"],
    }
    if kind is Kind.OUT_FOR_DELIVERY:
        values["window_start"], values["window_end"] = window(scan)
    return Message(
        message_id=str(uuid.uuid5(uuid.NAMESPACE_OID, event.event_id)),
        parcel_id=scan["parcel_id"],
        kind=kind,
        channel=wish.channel,
        address=wish.address,
        language=wish.language,
        text=render(kind, wish.language, values),
        created_at=datetime.now(UTC),
    )


def deliver(message: Message, sms: SmsSender, mail: MailRelay) -> Report:
    """Send a message by its channel."""
    if message.channel is Channel.SMS:
        return sms.send(message)
    mail.send(message.address, message.text)
    return Report.ACCEPTED


def main() -> None:
    """Consume for ever."""
    sms = from_environment()
    mail = MailRelay(os.environ["MAIL_RELAY"])
    producer = Producer(os.environ["KAFKA_SERVERS"], acks="all")
    for event in Consumer("tracking.scan.v2", group="notify", attempts=ATTEMPTS):
        with session_of(os.environ["NOTIFY_DSN"]) as session:
            message = message_for(session, event)
            if message is not None:
                report = deliver(message, sms, mail)
                status_events.record(session, producer, message, report)


if __name__ == "__main__":
    main()
