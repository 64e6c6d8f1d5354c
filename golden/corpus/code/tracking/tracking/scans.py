"""A scan: reading its raw form from eleven kinds of scanners, checking, storing."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

MAX_FUTURE = timedelta(
    days=1
)  # WAY-907: an event of the year 2204 stopped a partition (INC-2024-02)


class BadScan(ValueError):
    """A scan which we cannot take; the text says why."""


@dataclass(frozen=True, slots=True)
class Scan:
    """The nine fields that every event has, and the rest."""

    parcel_id: str
    scanned_at: datetime
    scanner_id: str
    event_id: str
    kind: str
    depot_id: str
    merchant_id: str
    visit: int | None
    delivery_eta: datetime | None
    extra: dict[str, Any]


def seconds(value: Any) -> datetime:
    """Read seconds since 1970."""
    return datetime.fromtimestamp(int(value), UTC)


def milliseconds(value: Any) -> datetime:
    """Read milliseconds since 1970."""
    return datetime.fromtimestamp(int(value) / 1000, UTC)


def compact(value: Any) -> datetime:
    """Read 20251006T174210Z."""
    return datetime.strptime(str(value), "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)


# 71 % of the time of ingest was a chain of five formats tried one after the other. Choosing by the
# type of scanner made five pods of fourteen, and a rewrite in Rust unnecessary (ADR-0027).
TIME_FORMAT: dict[str, Callable[[Any], datetime]] = {
    "zebra": milliseconds,
    "honeywell": seconds,
    "app": datetime.fromisoformat,
    "belt": compact,
    "locker": datetime.fromisoformat,
}


def read(raw: dict[str, Any], depots: frozenset[str]) -> Scan:
    """Make a scan of its raw form, or raise BadScan."""
    try:
        scanned_at = TIME_FORMAT[raw["scanner_type"]](raw["time"])
        scan = Scan(
            parcel_id=raw["parcel"],
            scanned_at=scanned_at,
            scanner_id=raw["scanner"],
            event_id=raw["event_id"],
            kind=raw["kind"],
            depot_id=raw["depot"].upper(),  # Lelystad sent lower case (INC-2025-05)
            merchant_id=raw["merchant"],
            visit=raw.get("visit"),
            delivery_eta=optional_time(raw.get("delivery_eta")),
            extra=raw.get("extra", {}),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise BadScan(f"unreadable: {error}") from error
    check(scan, depots)
    return scan


def optional_time(value: Any) -> datetime | None:
    """Read a time that need not be there."""
    return None if value is None else datetime.fromisoformat(value)


def check(scan: Scan, depots: frozenset[str]) -> None:
    """Refuse what has stopped a partition before."""
    if scan.scanned_at > datetime.now(UTC) + MAX_FUTURE:
        raise BadScan(f"in the future: {scan.scanned_at.isoformat()}")
    if scan.depot_id not in depots:
        raise BadScan(f"unknown depot: {scan.depot_id}")  # WAY-1240
