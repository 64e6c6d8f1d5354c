"""Who wants what: channel and language of a receiver."""

from dataclasses import dataclass

from sqlalchemy import text
from sqlalchemy.orm import Session

from notify.messages import Channel, Kind

DEFAULT_LANGUAGE = {"NL": "nl", "BE": "nl", "DE": "de"}  # Belgium: French is asked for at booking


@dataclass(frozen=True, slots=True)
class Preference:
    """How a receiver wants to hear of a parcel."""

    channel: Channel
    address: str
    language: str


def preference(session: Session, parcel_id: str, kind: Kind) -> Preference | None:
    """Look up how to reach the receiver of a parcel; None if they want no such message.

    31 % of the receivers give no e-mail address, therefore e-mail is no fallback for SMS
    (ADR-0030).
    """
    row = session.execute(
        text(
            "SELECT channel, address, language, country FROM preference"
            " WHERE parcel_id = :parcel AND :kind <> ALL(muted)"
        ),
        {"parcel": parcel_id, "kind": kind},
    ).one_or_none()
    if row is None:
        return None
    language = row.language or DEFAULT_LANGUAGE.get(row.country, "en")
    return Preference(Channel(row.channel), row.address, language)


def store(session: Session, parcel_id: str, preference: Preference, country: str) -> None:
    """Keep what came with the booking; rebuilt by replaying orders.shipment.v2 from the start."""
    session.execute(
        text(
            "INSERT INTO preference (parcel_id, channel, address, language, country)"
            " VALUES (:parcel, :channel, :address, :language, :country)"
            " ON CONFLICT (parcel_id) DO UPDATE SET channel = :channel, address = :address"
        ),
        {
            "parcel": parcel_id,
            "channel": preference.channel,
            "address": preference.address,
            "language": preference.language,
            "country": country,
        },
    )
