"""What is to be sent to whom, and until when it is worth sending."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum


class Kind(StrEnum):
    """The messages that a receiver can get."""

    ANNOUNCED = "announced"
    OUT_FOR_DELIVERY = "out_for_delivery"
    DELIVERED = "delivered"
    MISSED = "missed"


class Channel(StrEnum):
    """The ways to a receiver."""

    SMS = "sms"
    EMAIL = "email"


# 51,000 texts with a window long past were sent when Beltaway came back (INC-2023-06, WAY-761).
# A delivery window is worthless after an hour; the other messages keep for a day.
LIFE = {
    Kind.ANNOUNCED: timedelta(hours=24),
    Kind.OUT_FOR_DELIVERY: timedelta(minutes=60),
    Kind.DELIVERED: timedelta(hours=24),
    Kind.MISSED: timedelta(hours=24),
}


@dataclass(frozen=True, slots=True)
class Message:
    """One message to one receiver."""

    message_id: str
    parcel_id: str
    kind: Kind
    channel: Channel
    address: str
    language: str
    text: str
    created_at: datetime

    def expired(self, now: datetime | None = None) -> bool:
        """Say whether it is too late to send this."""
        return (now or datetime.now(UTC)) > self.created_at + LIFE[self.kind]
