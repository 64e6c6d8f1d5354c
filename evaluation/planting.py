"""A store of memories with planted duplicates, contradictions, ends and traps, and what became of
them in a night."""

import hashlib
import json
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

SEED = 20261118
COPIES, CLASHES, ENDED = 0.15, 0.05, 0.10  # of all memories
TRAPS = 200  # pairs that look like copies
FIRST = datetime(2025, 1, 1, tzinfo=UTC)
AT_ONCE = 500  # rows of one insert
SHARED = 0.5  # of all memories are everybody's of one project: one large scope

# What a claim says of {name}, the same in other words, and with {value} what contradicts it.
CLAIMS = (
    ("The {name} timeout is {value} s", "The timeout of {name} is {value} s"),
    ("The {name} cache lifetime is {value} min", "The lifetime of the {name} cache is {value} min"),
    ("The {name} port is {value}", "The port of {name} is {value}"),
    ("{name} stores its invoices in S3 for the auditors", "For the auditors {name} stores its "
     "invoices in S3"),
    ("{name} was written by a contractor in Lisbon", "A contractor in Lisbon wrote {name}"),
    ("We use Redis for the sessions of {name}", "Redis is used for the sessions of {name}"),
    ("The {name} dashboard is shown on the big screen in the kitchen",
     "The dashboard of {name} is shown on the big screen in the kitchen"),
    ("{name} sends a mail to the customer after every purchase",
     "After every purchase {name} sends a mail to the customer"),
)  # fmt: skip
ELSEWHERE = 2  # of each three traps the last is the same words, in another scope
VALUED = 3  # of them have a value that can be another one
# Pairs that contradict each other: the newer one ends the older.
CONTRARY = (
    ("{name} writes 40 reports a night", "{name} writes 400 reports a night"),
    ("{name} checks every address", "{name} does not check every address"),
    ("{name} allows uploads of guests", "{name} forbids uploads of guests"),
    ("The US team owns {name}", "The IT team owns {name}"),
)
# Pairs that must not become one, whatever their vectors say.
LOOKALIKES = (
    *CONTRARY,
    ("{name} runs version 2.4.1 of the client", "{name} runs version 2.4.2 of the client"),
    ("✅ {name} exports its invoices", "❌ {name} exports its invoices"),
    ("The load of {name} goes ↑ at night", "The load of {name} goes ↓ at night"),
    ("Events flow {name} ← billing", "Events flow {name} → billing"),
    ("{name} opens if beta && admin", "{name} opens if beta || admin"),
    ("{name} retries if the queue is >= 40 % full", "{name} retries if the queue is > 40 % full"),
    ("{name} supports Python 3.11+", "{name} supports Python 3.11"),
    ("{name} pins lodash to ~4.17.0", "{name} pins lodash to ^4.17.0"),
    ("The US team looks after {name}", "The team looks after {name}"),
    ("Peter reviews every change of {name}", "Peters reviews every change of {name}"),
    ("{name} is restored from the last backup", "{name} is restored from the live backup"),
)
_SYLLABLES = """
ba ce di fo gu ha je ki lo mu na pe qi ro su ta ve wi xo zu
"""
SYLLABLES = _SYLLABLES.split()


@dataclass(slots=True)
class Planted:
    """What was planted: keys of memories, and of pairs the one that comes first."""

    copies: list[tuple[str, str]] = field(default_factory=list)
    clashes: list[tuple[str, str]] = field(default_factory=list)
    traps: list[tuple[str, str]] = field(default_factory=list)
    contrary: list[tuple[str, str]] = field(default_factory=list)  # of the traps
    ended: list[str] = field(default_factory=list)
    count: int = 0


def plant(count: int) -> tuple[list[dict[str, Any]], Planted]:
    """Gives the fields of memories, and what is among them."""
    dice = random.Random(SEED)
    rows: list[dict[str, Any]] = []
    planted = Planted()
    users = max(2, count // 200)

    def add(text: str, scope: tuple[str | None, str], day: int, **more: Any) -> str:
        number = len(rows)
        key = f"m-{hashlib.sha256(f'{SEED} {number}'.encode()).hexdigest()[:20]}"
        at = FIRST + timedelta(days=day, seconds=number)
        given = {"key": key, "content": text, "user_id": scope[0], "project": scope[1]}
        told = {"source": f"note {number}", "confidence": dice.randint(50, 99) / 100}
        rows.append({**given, **told, "created_at": at, **more})
        return key

    def scope() -> tuple[str | None, str]:
        shared = dice.random() < SHARED
        return (None, "shop") if shared else (f"user{dice.randrange(users)}", "shop")

    names = _names()
    traps = min(TRAPS, count // 10)
    for number in range(traps):
        one, other = LOOKALIKES[(number - number // 3) % len(LOOKALIKES)]
        name, where = next(names), scope()
        if number % 3 == ELSEWHERE:  # somebody else's, or of another project
            elsewhere = (f"other{number}", "shop") if number % 2 else (where[0], "mill")
            pair = [add(one.format(name=name), w, 0) for w in (where, elsewhere)]
        else:
            pair = [add(text.format(name=name), where, 0) for text in (one, other)]
            if (one, other) in CONTRARY:
                planted.contrary.append((pair[0], pair[1]))
        planted.traps.append((pair[0], pair[1]))
    while len(rows) < count:
        name, where = next(names), scope()
        shape = dice.randrange(len(CLAIMS))
        said, reworded = CLAIMS[shape]
        value = dice.randint(2_000, 9_000)
        share = len(rows) / count
        filled = {"name": name, "value": value}
        if len(planted.copies) < COPIES * count * min(1.0, share + 0.1):
            original = add(said.format(**filled), where, 1)
            copy = reworded if dice.random() < 0.7 else f"{said}."
            planted.copies.append((original, add(copy.format(**filled), where, 5)))
        elif len(planted.clashes) < CLASHES * count * min(1.0, share + 0.1):
            said = CLAIMS[dice.randrange(VALUED)][0]
            old = add(said.format(**filled), where, 1)
            other = said.format(name=name, value=value + 1)
            planted.clashes.append((old, add(other, where, 9)))
        elif len(planted.ended) < ENDED * count * min(1.0, share + 0.1):
            end = dice.choice(("expires_at", "valid_until"))
            at = FIRST + timedelta(days=dice.randint(10, 100))
            planted.ended.append(add(said.format(**filled), where, 1, **{end: at}))
        else:
            add(said.format(**filled), where, 1)
    planted.count = len(rows)
    return rows, planted


def fill(count: int, told: Path) -> None:
    """Fills the home of the settings, and notes what was planted."""
    from knowwhy import models
    from knowwhy.config import Settings
    from knowwhy.grounding.rivals import read
    from knowwhy.tables.connect import connect
    from knowwhy.tables.kept import memories
    from knowwhy.tables.write import analyze, queue
    from knowwhy.types import Change, Memory

    embedder = connect(Settings.from_environ()).embedder
    rows, planted = plant(count)
    for start in range(0, len(rows), AT_ONCE):
        page = rows[start : start + AT_ONCE]
        texts = [row["content"] for row in page]
        models.prime(texts, embedder)
        found = []
        for row in page:
            said = read(row["content"])
            topic = said.topic if said else None
            more = {"kind": "fact", "status": "active", "touched_at": row["created_at"]}
            found.append(Memory(**row, **more, topic=topic))
        with queue("memories"):
            memories.put(found, [Change(memory.key, "added") for memory in found])
        models.release(texts, embedder)
    analyze(len(rows))
    told.write_text(json.dumps(asdict(planted)))


def state() -> dict[str, dict[str, Any]]:
    """Gives every memory of the home as it is, but for when it was written."""
    from knowwhy.config import Settings
    from knowwhy.tables.connect import connect
    from knowwhy.tables.kept.memories import read_rows
    from knowwhy.tables.write import table

    connect(Settings.from_environ())
    source = table("memories")
    found = {}
    for page in _key_pages(source):
        for memory, _ in read_rows(source, source.where(source.key.isin(page))):
            row = asdict(memory)
            del row["touched_at"]
            found[memory.key] = json.loads(json.dumps(row, default=str))
    return found


def _key_pages(source: Any) -> Iterator[list[str]]:
    keys = sorted(row["key"] for row in source.select(key=source.key).collect())
    for start in range(0, len(keys), 2_000):
        yield keys[start : start + 2_000]


def faults(planted: dict[str, Any], found: dict[str, dict[str, Any]]) -> dict[str, str]:
    """Compares what was planted with what there is after the night."""
    statuses = {key: row["status"] for key, row in found.items()}
    into = {k: _into(r) for k, r in found.items() if (r["why"] or "").endswith("says the same.")}
    left = sum(statuses[a] == statuses[b] == "active" for a, b in planted["copies"])
    trapped = sum(into.get(a) == b or into.get(b) == a for a, b in planted["traps"])
    copies = {frozenset(pair) for pair in planted["copies"]}
    wrong = sum(frozenset((key, other)) not in copies for key, other in into.items())
    lost = sum(not _reachable(key, into, found) for key in into)
    lost += planted["count"] - len(found)
    settled = sum(
        statuses[old] == "superseded" and found[old]["conflicts_with"] == new
        for old, new in planted["clashes"]
    )
    ended = sum(statuses[key] == "expired" for key in planted["ended"])
    counts = Counter(statuses.values())
    return {
        "duplicates left": f"{left} of {len(planted['copies'])} "
        f"({left / max(1, len(planted['copies'])):.2%})",
        "traps merged": f"{trapped} of {len(planted['traps'])}",
        "merged that were no copies": str(wrong),
        "originals that cannot be reached": str(lost),
        "ended for no reason": str(_ended_for_nothing(planted, statuses)),
        "contradictions settled and flagged": f"{settled} of {len(planted['clashes'])}",
        "expired": f"{ended} of {len(planted['ended'])}",
        "states": ", ".join(f"{count} {status}" for status, count in sorted(counts.items())),
    }


def _ended_for_nothing(planted: dict[str, Any], statuses: dict[str, str]) -> int:
    """Counts what holds no more though nothing was planted that ends it."""
    ended = {key for key, status in statuses.items() if status != "active"}
    both = sum({one, other} <= ended for one, other in planted["copies"])
    copies = {key for pair in planted["copies"] for key in pair}
    olds = {old for old, _ in (*planted["clashes"], *planted["contrary"])}
    return both + len(ended - copies - olds - set(planted["ended"]))


def _into(row: dict[str, Any]) -> str:
    return str(row["why"]).removeprefix("Superseded by ").split(":", 1)[0]


def _reachable(key: str, into: dict[str, str], found: dict[str, dict[str, Any]]) -> bool:
    """Tells whether a memory that stays names one that went into it, and that has its source."""
    stays = into[key]
    if stays not in found or not found[key]["content"]:
        return False
    named = [one["key"] for one in found[stays]["metadata"].get("merged", ())]
    return key in named or len(named) >= 50


def _names() -> Iterator[str]:
    """Gives names that are spelled differently and mean nothing."""
    number = 0
    while True:
        digits, rest = [], number
        for _ in range(4):
            rest, digit = divmod(rest, len(SYLLABLES))
            digits.append(SYLLABLES[digit])
        yield "".join(digits)
        number += 7  # one after another they would be too much alike


def chosen(keys: Sequence[str], count: int) -> list[str]:
    """Gives some of many keys, always the same."""
    return random.Random(SEED).sample(list(keys), min(count, len(keys)))
