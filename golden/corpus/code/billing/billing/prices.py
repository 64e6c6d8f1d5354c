"""Price of a product on a day: price list, surcharges, weight correction."""

from dataclasses import dataclass
from datetime import date
from decimal import ROUND_HALF_UP, Decimal

from halmkit.errors import Problem
from sqlalchemy import text
from sqlalchemy.orm import Session

CENT = Decimal("0.01")
PEAK_SURCHARGE = Decimal("0.35")  # euro a parcel, 1 November to 31 December

# The index price_list_valid_from makes this a lookup of 2 ms. A release forgot it on 2022-08-23
# and the retries of orders did the rest (INC-2022-02). The plan is checked in CI (LED-233).
PRICE_QUERY = text(
    "SELECT name, amount FROM price_list JOIN price USING (price_list_id)"
    " WHERE merchant_id = :merchant AND product = :product AND weight_class = :weight"
    " AND valid_from <= :day ORDER BY valid_from DESC LIMIT 1"
)


@dataclass(frozen=True, slots=True)
class Price:
    """A price and how it came about, for the dispute desk."""

    amount: Decimal
    price_list: str
    surcharges: tuple[tuple[str, Decimal], ...]


def price(session: Session, merchant: str, product: str, weight: str, day: date) -> Price:
    """Give the price of a parcel on a day.

    Only the result is stored with the invoice line. Which list and which surcharge applied has to
    be worked out again in a dispute, 25 minutes each; see the proposal ADR-0038.
    """
    found = session.execute(
        PRICE_QUERY, {"merchant": merchant, "product": product, "weight": weight, "day": day}
    ).one_or_none()
    if found is None:
        raise Problem(422, "no_price", f"no price of {product} {weight} on {day}")
    surcharges = tuple(surcharges_on(day))
    total = found.amount + sum((amount for _, amount in surcharges), Decimal(0))
    return Price(total.quantize(CENT, ROUND_HALF_UP), found.name, surcharges)


def surcharges_on(day: date) -> list[tuple[str, Decimal]]:
    """List the surcharges of a day."""
    return [("peak", PEAK_SURCHARGE)] if day.month in (11, 12) else []


def open_total(session: Session, merchant_id: str) -> Decimal:
    """Sum up what a merchant has not been invoiced yet."""
    total = session.execute(
        text(
            "SELECT coalesce(sum(amount), 0) FROM invoice_line JOIN invoice USING (invoice_id)"
            " WHERE merchant_id = :merchant AND state = 'open'"
        ),
        {"merchant": merchant_id},
    ).scalar_one()
    return Decimal(total)
