"""HTTP endpoints of orders; the major version is the first path segment (ADR-0011)."""

from collections.abc import Iterator
from typing import Annotated, Any

from fastapi import Depends, FastAPI, Header, Response
from halmkit.http import HttpClient
from halmkit.service import serve
from sqlalchemy import create_engine
from sqlalchemy.orm import Session

from orders.idempotency import Answer
from orders.labels import render_batch
from orders.portal_page import PortalPage
from orders.pricing_client import PricingClient
from orders.routing_client import RoutingClient
from orders.security import KeyCache, claims
from orders.settings import from_environment
from orders.shipments import Bookings

V1_SUNSET = "Wed, 31 Dec 2025 00:00:00 GMT"  # /v2 was announced on 2024-12-02 (ADR-0011)

settings = from_environment()
# Server-side prepared statements must be off behind PgBouncer (ADR-0031).
engine = create_engine(
    settings.pooled_dsn,
    pool_size=settings.pool_size,
    connect_args={"prepare_threshold": None},
)
keys = KeyCache(HttpClient(settings.auth_url))
bookings = Bookings(RoutingClient(settings), PricingClient(settings))
portal = PortalPage(settings)
app = FastAPI(title="orders")


def session() -> Iterator[Session]:
    """Open a transaction for a request; it is committed when the endpoint returns."""
    with Session(engine) as opened, opened.begin():
        yield opened


def merchant(authorization: Annotated[str, Header()]) -> str:
    """Take the merchant id from the token."""
    found = claims(keys, authorization.removeprefix("Bearer "))
    return str(found["merchant_id"])


Db = Annotated[Session, Depends(session)]
Merchant = Annotated[str, Depends(merchant)]
Key = Annotated[str | None, Header(alias="Idempotency-Key")]


@app.post("/v1/shipments")
def book_v1(body: dict[str, Any], db: Db, who: Merchant, out: Response, key: Key = None) -> Any:
    """Book in the old way: a key is welcome and not required."""
    out.headers["Sunset"] = V1_SUNSET
    return sent(bookings.book(db, who, key, body, version=1), out)


@app.post("/v2/shipments")
def book_v2(body: dict[str, Any], db: Db, who: Merchant, out: Response, key: Key = None) -> Any:
    """Book a shipment."""
    return sent(bookings.book(db, who, key, body, version=2), out)


@app.post("/v2/shipments/{parcel_id}/cancel")
def cancel(parcel_id: str, db: Db, who: Merchant, out: Response) -> Any:
    """Cancel a shipment; doing it twice answers 409 and does no harm."""
    return sent(bookings.cancel(db, who, parcel_id), out)


@app.post("/v2/labels/batch")
def labels(body: list[tuple[str, str, int]], who: Merchant) -> list[str]:
    """Print up to 500 labels."""
    return [label.zpl for label in render_batch(body)]


@app.get("/v1/portal/shipment-page")
def shipment_page(parcel_id: str, db: Db, who: Merchant) -> dict[str, Any]:
    """Compose the shipment page of the portal."""
    return portal.page(db, parcel_id)


def sent(answer: Answer, out: Response) -> dict[str, Any]:
    """Copy status and headers of an answer to the response."""
    out.status_code = answer.status
    out.headers.update(answer.headers)
    return answer.body


if __name__ == "__main__":
    serve(app)
