"""Memories as a night meets them, and the night through its command."""

import json
from datetime import UTC, datetime, timedelta

from knowwhy import models
from knowwhy.grounding.rivals import read
from knowwhy.tables.kept import memories
from knowwhy.tables.write import queue
from knowwhy.types import Change, Memory

LONG_AGO = datetime(2025, 3, 1, tzinfo=UTC)


def told(number, content, day=0, **more):
    at = more.pop("created_at", LONG_AGO + timedelta(days=day))
    given = {"kind": "fact", "user_id": "ann", "project": "shop", "status": "active", **more}
    topic = read(content)
    return Memory(
        key=f"m-{number:020x}",
        content=content,
        created_at=at,
        touched_at=at,
        topic=topic.topic if topic else None,
        **given,
    )


def kept(*given):
    texts = [memory.content for memory in given]
    models.prime(texts, "wordhash")
    with queue("memories"):
        memories.put(given, [Change(memory.key, "added") for memory in given])
    models.release(texts, "wordhash")
    return [memory.key for memory in given]


def now_of(*keys):
    held = memories.held(keys)
    return [held[key] for key in keys]


def ran(knowwhy, *options):
    done = knowwhy("nightly", "--json", *options)
    told = json.loads(done.out)
    assert done.code == bool(told["alarms"]), done.err  # of memories this old, and of pairs
    return told


def steps(run):
    return {report["name"]: report for report in run["reports"]}
