"""Processes that race for the same handoffs: who takes which, and what is stored of it."""

import json
import random
import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

from knowwhy.config import Settings
from knowwhy.errors import IllegalStep
from knowwhy.maas import agents, handoffs
from knowwhy.tables.agents import audit_rows, registries
from knowwhy.tables.connect import connect
from knowwhy.types import Asker

OWNER = Asker("racer", "races")
LIMITS = replace(Settings(), acts_a_minute=1_000_000, max_handoffs=1_000_000)
GO_AFTER = 0.01  # seconds between two looks for the start


def prepare(count: int) -> dict[str, Any]:
    """Hands so many tasks to one agent; gives its id and theirs, and where the audit stands."""
    began = audit_rows.faults()[0]
    sender = agents.register(OWNER, LIMITS, "Sender", "orchestrator").key
    receiver = agents.register(OWNER, LIMITS, "Receiver", "orchestrator").key
    keys = [
        handoffs.initiate(OWNER, LIMITS, sender, receiver, f"Task {number}.").key
        for number in range(count)
    ]
    return {"receiver": receiver, "keys": keys, "began": began}


def take_all(receiver: str, keys: list[str], seed: int) -> dict[str, Any]:
    """Tries to accept each task, in an order of its own, and completes those that it got."""
    won, waits = [], []
    for key in random.Random(seed).sample(keys, len(keys)):
        began = time.monotonic()
        try:
            handoffs.accept(OWNER, LIMITS, receiver, key)
        except IllegalStep:
            continue
        finally:
            waits.append(time.monotonic() - began)
        won.append(key)
        handoffs.complete(OWNER, LIMITS, receiver, key, f"Done by {seed}.")
    return {"won": won, "waits": waits}


def outcome(prepared: dict[str, Any], ended: list[dict[str, Any]]) -> dict[str, int]:
    """Counts what is wrong with the handoffs and with the audit after a race: all must be 0."""
    keys = set(prepared["keys"])
    won = Counter(key for one in ended for key in one["won"])
    rows = {row["key"]: row for row in registries.find("handoffs", to_agent=prepared["receiver"])}
    results = {key: f"Done by {n}." for n, one in enumerate(ended) for key in one["won"]}
    done = Counter(
        row["target"]
        for row in registries.find("audit", agent_id=prepared["receiver"], act="accept_handoff")
        if row["outcome"] == "done"
    )
    acts = 2 + len(keys) + len(ended) * len(keys) + sum(won.values())
    whole, broken = audit_rows.faults()
    return {
        "without exactly one winner": sum(won[key] != 1 for key in keys),
        "lost or strange rows": len(keys ^ set(rows)),
        "not completed by the winner": sum(
            (rows[key]["state"], rows[key]["result"]) != ("completed", results.get(key))
            for key in keys & set(rows)
        ),
        "without exactly one acceptance in the audit": sum(done[key] != 1 for key in keys),
        "acts without a row, or rows without an act": abs(whole - prepared["began"] - acts),
        "breaks of the chain": len(broken),
    }


def main() -> None:
    """Runs one part of a race in a home: `prepare`, `take` or `outcome`."""
    part, given = sys.argv[1], json.loads(sys.argv[2])
    connect(Settings.from_environ())
    if part == "prepare":
        print(json.dumps(prepare(given)))
    elif part == "take":
        prepared = json.loads(Path(given["prepared"]).read_text())
        print("ready", flush=True)
        while not Path(given["go"]).exists():
            time.sleep(GO_AFTER)
        print(json.dumps(take_all(prepared["receiver"], prepared["keys"], given["seed"])))
    else:
        read = [json.loads(Path(file).read_text()) for file in given]
        print(json.dumps(outcome(read[0], read[1])))


if __name__ == "__main__":
    main()
