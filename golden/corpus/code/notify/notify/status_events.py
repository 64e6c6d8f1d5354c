"""Tells the others what became of a message, on the topic notify.message.v1."""

from datetime import UTC, datetime

from halmkit.events import Producer
from sqlalchemy import text
from sqlalchemy.orm import Session

from notify.messages import Message
from notify.providers import Report

TOPIC = "notify.message.v1"


def record(session: Session, producer: Producer, message: Message, report: Report) -> None:
    """Write the send log, commit, then publish.

    Found by ARC-14 in 2022 as one of the two dual writes of notify. The status page of support is
    the only reader; if the process dies between the two, a line is missing there.
    """
    session.execute(
        text(
            "INSERT INTO send_log (message_id, parcel_id, kind, report, at)"
            " VALUES (:message, :parcel, :kind, :report, :at)"
        ),
        {
            "message": message.message_id,
            "parcel": message.parcel_id,
            "kind": message.kind,
            "report": report,
            "at": datetime.now(UTC),
        },
    )
    session.commit()
    producer.send(
        TOPIC,
        key=message.parcel_id,
        value={"message_id": message.message_id, "report": report},
    )
