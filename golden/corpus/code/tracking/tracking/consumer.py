"""Consumer of tracking.scan.v2: stores scans, and never stands still for one of them.

Three times a single bad event stopped a partition (INC-2024-02, INC-2025-04, INC-2025-05). The
dead-letter topic below was an action item of the first and came with the third, 16 months later.
"""

import os
import time
from typing import Any

import psycopg
from halmkit.events import Consumer, Event, Producer
from halmkit.logging import get_logger
from halmkit.metrics import gauge

from tracking import storage
from tracking.scans import BadScan, read

log = get_logger("tracking")

TOPIC = "tracking.scan.v2"
DEAD_TOPIC = "tracking.scan.dead"
ATTEMPTS = 5  # WAY-906 and the convention for consumers
PAUSE_SECONDS = 0.5
LAG_PAGE_SECONDS = 300  # WAY-905: a page per partition, the sum hides a single one


def take(
    connection: psycopg.Connection[Any], dead: Producer, event: Event, depots: frozenset[str]
) -> None:
    """Store one event, or put it aside after five failures."""
    for attempt in range(1, ATTEMPTS + 1):
        try:
            storage.store(connection, read(event.value, depots))
            return
        except BadScan as error:
            put_aside(dead, event, str(error))
            return
        except psycopg.OperationalError as error:
            connection.rollback()
            log.warn("scan_not_stored", attempt=attempt, exc=type(error).__name__)
            time.sleep(PAUSE_SECONDS * attempt)
    put_aside(dead, event, "not stored in five attempts")


def put_aside(dead: Producer, event: Event, reason: str) -> None:
    """Send an event to the dead-letter topic with where it came from."""
    dead.send(
        DEAD_TOPIC,
        key=event.key,
        value=event.raw,
        headers={
            "reason": reason,
            "partition": str(event.partition),
            "offset": str(event.offset),
        },
    )
    dead.flush()
    log.error("scan_put_aside", reason=reason, partition=event.partition, offset=event.offset)


def main() -> None:
    """Consume for ever and report the lag of each partition."""
    dead = Producer(os.environ["KAFKA_SERVERS"], acks="all")
    with psycopg.connect(os.environ["TRACKING_DSN"]) as connection:
        depots = storage.depots(connection)
        for event in Consumer(TOPIC, group="tracking"):
            take(connection, dead, event, depots)
            gauge("lag_seconds", event.age_seconds, partition=event.partition)


if __name__ == "__main__":
    main()
