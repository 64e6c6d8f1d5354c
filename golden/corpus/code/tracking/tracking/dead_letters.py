"""Looks at the dead letters of scans and replays them once their cause is fixed."""

import argparse
import json
import os
from collections.abc import Iterator

from halmkit.events import Consumer, Event, Producer
from halmkit.logging import get_logger

from tracking.consumer import DEAD_TOPIC, TOPIC

log = get_logger("tracking")


def letters(partition: int, first: int) -> Iterator[Event]:
    """Give the dead letters that came from a partition, from an offset on."""
    for event in Consumer(DEAD_TOPIC, group=None, until_end=True):
        if int(event.headers["partition"]) == partition and int(event.headers["offset"]) >= first:
            yield event


def replay(partition: int, first: int) -> int:
    """Send dead letters to their topic again, unchanged and in their old order."""
    producer = Producer(os.environ["KAFKA_SERVERS"], acks="all")
    count = 0
    for event in letters(partition, first):
        producer.send(TOPIC, key=event.key, value=event.raw, headers={"replayed": "1"})
        count += 1
    producer.flush()
    log.info("dead_letters_replayed", partition=partition, count=count)
    return count


def reasons(partition: int) -> dict[str, int]:
    """Count why the letters of a partition are dead."""
    counts: dict[str, int] = {}
    for event in letters(partition, 0):
        reason = event.headers["reason"]
        counts[reason] = counts.get(reason, 0) + 1
    return counts


def main() -> None:
    """Replay, or count the reasons."""
    parser = argparse.ArgumentParser(prog="tracking.dead_letters")
    parser.add_argument("command", choices=["reasons", "replay"])
    parser.add_argument("--partition", type=int, required=True)
    parser.add_argument("--from", dest="first", type=int, default=0)
    arguments = parser.parse_args()
    if arguments.command == "replay":
        replay(arguments.partition, arguments.first)
    else:
        log.info("dead_letter_reasons", counts=json.dumps(reasons(arguments.partition)))


if __name__ == "__main__":
    main()
