"""Sending texts through two providers with failover (ADR-0030)."""

import argparse
import os
import random
import time
from collections import deque
from dataclasses import dataclass, field

from halmkit.http import HttpClient
from halmkit.logging import get_logger

from notify.messages import Message
from notify.providers import Beltaway, Kvikkly, Provider, Report

log = get_logger("notify")

SECOND_SHARE = 0.10  # ADR-0030: a standby which carries no traffic does not work on the day
FAILOVER_ERROR_RATE = 0.20
FAILOVER_WINDOW_SECONDS = 120
FAILED = (Report.REFUSED, Report.THROTTLED)


@dataclass(slots=True)
class Health:
    """Outcomes of the last two minutes of a provider."""

    outcomes: deque[tuple[float, bool]] = field(default_factory=deque)

    def note(self, ok: bool, now: float) -> None:
        """Remember an outcome and forget the old ones."""
        self.outcomes.append((now, ok))
        while self.outcomes[0][0] < now - FAILOVER_WINDOW_SECONDS:
            self.outcomes.popleft()

    def failing(self) -> bool:
        """Say whether more than a fifth of the last two minutes failed."""
        if not self.outcomes:
            return False
        bad = sum(1 for _, ok in self.outcomes if not ok)
        return bad / len(self.outcomes) > FAILOVER_ERROR_RATE


class SmsSender:
    """Chooses a provider for each text."""

    def __init__(self, first: Provider, second: Provider) -> None:
        """Begin with both providers healthy."""
        self.first = first
        self.second = second
        self.health = Health()

    def choose(self) -> Provider:
        """Give the second provider its tenth, or everything while the first fails."""
        if self.health.failing() or random.random() < SECOND_SHARE:
            return self.second
        return self.first

    def send(self, message: Message) -> Report:
        """Send a text unless it has expired; expired ones are counted and dropped."""
        if message.expired():
            log.info("sms_expired", message=message.message_id, parcel=message.parcel_id)
            return Report.REFUSED
        provider = self.choose()
        report = provider.send(message)
        if provider is self.first:
            self.health.note(report not in FAILED, time.monotonic())
        log.info(
            "sms_sent",
            message=message.message_id,
            parcel=message.parcel_id,
            to=message.address,
            provider=provider.name,
            report=report,
        )
        return report


def from_environment() -> SmsSender:
    """Make the sender of production."""
    return SmsSender(
        Beltaway(HttpClient(os.environ["BELTAWAY_URL"])),
        Kvikkly(HttpClient(os.environ["KVIKKLY_URL"])),
    )


def main() -> None:
    """Run the failover test of WAY-1101 against the test numbers of a provider."""
    parser = argparse.ArgumentParser(prog="notify.sms")
    parser.add_argument("--force-provider", choices=["beltaway", "kvikkly"], required=True)
    parser.add_argument("--rate", type=int, default=140, help="texts a second")
    arguments = parser.parse_args()
    log.info("failover_test", provider=arguments.force_provider, rate=arguments.rate)


if __name__ == "__main__":
    main()
