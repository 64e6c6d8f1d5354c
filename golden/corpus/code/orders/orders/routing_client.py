"""Delivery day and depot from the service routing.

``routing`` needs no user token; it knows us by our identity in the mesh (ADR-0037). Quotes are
computed each night, there is no cache here any more (ADR-0024 is deprecated, INC-2024-07).
"""

import random
import time
from dataclasses import dataclass
from datetime import date

from halmkit.flags import enabled
from halmkit.http import HttpClient, HttpError
from halmkit.logging import get_logger

from orders.settings import Settings

log = get_logger("orders")

# ADR-0018: at most three attempts, exponential backoff from 100 ms with full jitter.
ATTEMPTS = 3
FIRST_PAUSE_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class Quote:
    """When a parcel will be delivered, and from which depot."""

    depot: str
    delivery_day: date


class RoutingClient:
    """Asks routing for quotes."""

    def __init__(self, settings: Settings) -> None:
        """Open a client with the timeouts of halmkit."""
        self.http = HttpClient(settings.routing_url)

    def quote(self, postcode: str, product: str, weight_class: str) -> Quote:
        """Ask for one quote; a failure after the last attempt goes to the caller."""
        params = {"postcode": postcode, "product": product, "weight_class": weight_class}
        for attempt in range(1, ATTEMPTS + 1):
            try:
                answer = self.http.get("/v1/quotes", params=params).json()
                return Quote(answer["depot"], date.fromisoformat(answer["delivery_day"]))
            except HttpError as error:
                if attempt == ATTEMPTS or not enabled("orders-retry", default=True):
                    raise
                log.warn("routing_retry", attempt=attempt, status=error.status)
                pause(attempt)
        raise AssertionError("not reached: the last attempt returns or raises")


def pause(attempt: int) -> None:
    """Wait with full jitter before the next attempt."""
    time.sleep(random.uniform(0, FIRST_PAUSE_SECONDS * 2 ** (attempt - 1)))
