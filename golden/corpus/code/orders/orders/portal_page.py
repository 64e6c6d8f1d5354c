"""The shipment page of the merchant portal in one answer (ADR-0016).

The portal used to make 14 calls; GraphQL was rejected and this endpoint was made in its place.
If a third page like this comes, we make a portal service.
"""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

from halmkit.http import HttpClient, HttpError
from halmkit.metrics import count
from sqlalchemy import text
from sqlalchemy.orm import Session

from orders.settings import Settings

CALLS_AT_ONCE = 2  # tracking and billing, side by side; target p95 of the page: 1.2 s


class PortalPage:
    """Composes the page from orders, tracking and billing."""

    def __init__(self, settings: Settings) -> None:
        """Open clients with the timeouts of halmkit (ADR-0043)."""
        self.tracking = HttpClient(settings.tracking_url)
        self.billing = HttpClient(settings.billing_url)
        self.pool = ThreadPoolExecutor(CALLS_AT_ONCE)

    def page(self, session: Session, parcel_id: str) -> dict[str, Any]:
        """Give shipment, status and price; a part that is away is null, and counted."""
        status = self.pool.submit(part, self.tracking, f"/v2/parcels/{parcel_id}", "tracking")
        lines = self.pool.submit(part, self.billing, f"/v1/invoice-lines/{parcel_id}", "billing")
        shipment = session.execute(
            text("SELECT parcel_id, depot, delivery_day, state FROM shipment WHERE parcel_id = :p"),
            {"p": parcel_id},
        ).one()
        return {
            "shipment": dict(shipment._mapping),
            "status": status.result(),
            "invoice": lines.result(),
        }


def part(client: HttpClient, path: str, name: str) -> dict[str, Any] | None:
    """Fetch a part of the page; a fallback must count itself (lesson of INC-2024-05)."""
    try:
        answer: dict[str, Any] = client.get(path).json()
    except HttpError:
        count("portal_page_part_missing", part=name)
        return None
    return answer
