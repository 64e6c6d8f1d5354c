"""Clients of the SMS providers Beltaway and Kvikkly."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from halmkit.http import HttpClient, HttpError

from notify.messages import Message


class Report(StrEnum):
    """Delivery reports of both providers, mapped to one set (ADR-0030)."""

    ACCEPTED = "accepted"
    DELIVERED = "delivered"
    REFUSED = "refused"
    THROTTLED = "throttled"


class Provider(Protocol):
    """Something that sends texts."""

    name: str
    per_second: int

    def send(self, message: Message) -> Report:
        """Hand a text over."""
        ...


@dataclass(slots=True)
class Beltaway:
    """The first provider; 90 % of the texts go here."""

    http: HttpClient
    name: str = "beltaway"
    per_second: int = 250

    def send(self, message: Message) -> Report:
        """Hand a text over; 202 is a promise and no delivery, see WAY-762."""
        try:
            self.http.post("/sms", json={"to": message.address, "body": message.text})
        except HttpError as error:
            return Report.THROTTLED if error.status == 429 else Report.REFUSED
        return Report.ACCEPTED


@dataclass(slots=True)
class Kvikkly:
    """The second provider; 10 % at all times, all when Beltaway fails."""

    http: HttpClient
    name: str = "kvikkly"
    # 60 a second were too few on Black Friday 2024 (INC-2024-09); the contract says 200 since
    # December 2024, and the peak needs 140.
    per_second: int = 200

    def send(self, message: Message) -> Report:
        """Hand a text over."""
        body = {"msisdn": message.address, "content": message.text, "ref": message.message_id}
        try:
            state = self.http.post("/v3/messages", json=body).json()["state"]
        except HttpError as error:
            return Report.THROTTLED if error.status == 429 else Report.REFUSED
        return Report.DELIVERED if state == "D" else Report.ACCEPTED


STATES_OF_BELTAWAY = {
    "DELIVRD": Report.DELIVERED,
    "UNDELIV": Report.REFUSED,
    "REJECTD": Report.REFUSED,
    "ENROUTE": Report.ACCEPTED,
}
