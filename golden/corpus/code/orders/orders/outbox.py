"""The relay of the transactional outbox (ADR-0015).

``orders`` writes an event into the table ``outbox`` in the transaction of the shipment. This
process reads the table in order of ``id``, publishes to Kafka and deletes what Kafka has
acknowledged. Delivery is at least once; consumers drop what they know by ``event_id``.

When Kafka stood still for three and a half hours (INC-2024-01), nothing was lost: the rows waited.
"""

import json
import time
from typing import Any

import psycopg
from halmkit.events import Producer
from halmkit.logging import get_logger
from sqlalchemy import text
from sqlalchemy.orm import Session

from orders.settings import Settings

log = get_logger("orders")

POLL_SECONDS = 0.2  # ADR-0015: 150 ms more delay on average is what we pay
BATCH_ROWS = 500  # ADR-0015
RELAY_LOCK = 7_015  # number of the advisory lock; one relay is active, the others wait

TOPIC = "orders.shipment.v2"  # Avro since November 2024 (ADR-0036)


def append(session: Session, event_id: str, parcel_id: str, payload: dict[str, Any]) -> None:
    """Write an event beside the data it tells of, in the caller's transaction."""
    session.execute(
        text(
            "INSERT INTO outbox (event_id, topic, key, payload)"
            " VALUES (:event, :topic, :key, :payload)"
        ),
        {"event": event_id, "topic": TOPIC, "key": parcel_id, "payload": json.dumps(payload)},
    )


def run(settings: Settings) -> None:
    """Relay for ever.

    The connection goes to PostgreSQL directly and not through PgBouncer, because an advisory lock
    does not survive a pool in transaction mode (ADR-0031).
    """
    producer = Producer(settings.kafka_servers, acks="all")
    with psycopg.connect(settings.direct_dsn, autocommit=True) as connection:
        connection.execute("SELECT pg_advisory_lock(%s)", (RELAY_LOCK,))
        log.info("relay_started", batch=BATCH_ROWS)
        while True:
            if relay_batch(connection, producer) < BATCH_ROWS:
                time.sleep(POLL_SECONDS)


def relay_batch(connection: psycopg.Connection[Any], producer: Producer) -> int:
    """Publish the oldest rows and delete them after the acknowledgement of all of them."""
    rows = connection.execute(
        "SELECT id, topic, key, payload, event_id FROM outbox ORDER BY id LIMIT %s", (BATCH_ROWS,)
    ).fetchall()
    for _, topic, key, payload, event_id in rows:
        producer.send(topic, key=key, value=payload, headers={"event_id": event_id})
    producer.flush()  # raises if one of them was refused; then no row is deleted
    if rows:
        connection.execute("DELETE FROM outbox WHERE id <= %s", (rows[-1][0],))
        log.info("outbox_relayed", rows=len(rows), last_id=rows[-1][0])
    return len(rows)
