"""Price of a shipment from billing.

In August 2022 this file retried at once and for ever, and brought ``billing`` and us down for
88 minutes (INC-2022-02). It has no retry of its own since: ``halmkit.http`` has the timeout of
800 ms, the two attempts and the retry budget of 10 % (ADR-0043).
"""

from dataclasses import dataclass
from decimal import Decimal

from halmkit.errors import Problem
from halmkit.http import CircuitOpen, HttpClient, HttpError

from orders.settings import Settings


@dataclass(frozen=True, slots=True)
class Price:
    """What a shipment costs its merchant, without tax."""

    amount: Decimal
    currency: str
    price_list: str


class PricingClient:
    """Asks billing for prices."""

    def __init__(self, settings: Settings) -> None:
        """Open a client with the defaults of halmkit."""
        self.http = HttpClient(settings.billing_url)

    def price(self, merchant_id: str, product: str, weight_class: str, day: str) -> Price:
        """Give the price of a product on a day, or 503 if billing cannot say."""
        params = {
            "merchant": merchant_id,
            "product": product,
            "weight_class": weight_class,
            "day": day,
        }
        try:
            answer = self.http.get("/v1/prices", params=params).json()
        except (CircuitOpen, HttpError) as error:
            raise Problem(503, "price_unavailable", "no price at the moment") from error
        return Price(Decimal(answer["amount"]), answer["currency"], answer["price_list"])
