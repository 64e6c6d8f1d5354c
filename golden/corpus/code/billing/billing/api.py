"""HTTP endpoints of billing-api: prices, charges, preview."""

import os
from datetime import date
from decimal import Decimal
from typing import Annotated, Any
from uuid import UUID

from fastapi import FastAPI, Header, Response
from halmkit.auth import KeySource, merchant_of
from halmkit.database import transaction
from halmkit.errors import Problem
from halmkit.http import endpoint_timeout
from halmkit.service import serve

from billing import idempotency, prices
from billing.outbox import invoice_line_written
from billing.sluicepay import PaymentRefused, PaymentUnknown, Sluicepay

KEY_CACHE_SECONDS = 24 * 3600  # ADR-0014: the night run must not depend on auth being up
PREVIEW_TIMEOUT_SECONDS = 3.0  # the exception of ADR-0043 for the invoice preview

DSN = os.environ["BILLING_DSN"]
keys = KeySource(os.environ["AUTH_URL"], cache_seconds=KEY_CACHE_SECONDS)
sluicepay = Sluicepay(os.environ["SLUICEPAY_URL"], os.environ["SLUICEPAY_CREDENTIALS"])
app = FastAPI(title="billing")

Bearer = Annotated[str, Header(alias="Authorization")]


@app.get("/v1/prices")
def price(merchant: str, product: str, weight_class: str, day: date) -> dict[str, str]:
    """Give the price of a product; orders asks on every booking."""
    with transaction(DSN) as session:
        found = prices.price(session, merchant, product, weight_class, day)
    return {"amount": str(found.amount), "currency": "EUR", "price_list": found.price_list}


@app.post("/v1/charges")
def charge(
    body: dict[str, Any],
    bearer: Bearer,
    out: Response,
    key: Annotated[str | None, Header(alias="Idempotency-Key")] = None,
) -> dict[str, Any]:
    """Collect a payment, once for its key (ADR-0041)."""
    merchant_id = merchant_of(keys, bearer)
    with transaction(DSN) as session:
        answer, replayed = idempotency.once(
            session, merchant_id, key, body, lambda checked: collect(session, checked, body)
        )
    if replayed:
        out.headers["Idempotent-Replay"] = "true"
    return answer


def collect(session: Any, key: UUID, body: dict[str, Any]) -> dict[str, Any]:
    """Charge at Sluicepay and write the line."""
    try:
        receipt = sluicepay.charge(key, body["account"], Decimal(body["amount"]), "EUR")
    except PaymentRefused as error:
        raise Problem(409, "payment_refused", str(error)) from error
    except PaymentUnknown as error:
        raise Problem(503, "payment_unknown", "ask again with the same key") from error
    line = {"kind": "payment", "amount": str(-receipt.amount), "payment_id": receipt.payment_id}
    invoice_line_written(session, body["invoice_id"], line)
    return line


@app.get("/v1/invoices/preview")
@endpoint_timeout(PREVIEW_TIMEOUT_SECONDS, reason="ADR-0043")
def preview(bearer: Bearer) -> dict[str, str]:
    """Sum up the open invoice of a merchant; slow for the large ones."""
    merchant_id = merchant_of(keys, bearer)
    with transaction(DSN) as session:
        total = prices.open_total(session, merchant_id)
    return {"merchant_id": merchant_id, "total": str(total)}


if __name__ == "__main__":
    serve(app)
