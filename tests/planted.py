"""A store in which everybody has rows with a word of their own, and what an asker may see of it."""

import hashlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import cache

from knowwhy import telemetry
from knowwhy.grounding import checkpoints
from knowwhy.tables.kept import memories
from knowwhy.tables.talk import extractions
from knowwhy.tables.talk.extractions import Reading
from knowwhy.tables.write import prepare, put_records, put_turns, queue
from knowwhy.types import Asker, Change, Draft, Memory, Recall, Turn

USERS = ("ann", "ann/project:x", "project:x", None)  # some are spelled like another's scope
PROJECTS = ("x", 'x/y: "z"', "ünï 码 ' %_\\", None)
STARTED = datetime(2024, 3, 1, 12, tzinfo=UTC)
NOW = STARTED + timedelta(days=30)
GONE = STARTED + timedelta(days=1)  # when what has expired did
VERSION = "rules-test"
TABLES = ("records", "turns", "extractions", "memories", "changes", "checkpoints", "recalls")
SHARED_TEXT = "Kafka carries every event."  # says the same in every scope
TOPIC = "store:sessions"
NAMED_ALIKE = "common"  # a checkpoint of this name is everybody's own
KINDS = {"rule": "memorule", "old": "decision", "new": "decision"}  # of memories; others are facts
UNUSED = "zorbyiq"  # spelled like the canaries, and nobody's


@dataclass(frozen=True)
class Place:
    """Whose rows these are, and the word that stands in each of them."""

    user: str | None
    project: str | None
    canary: str

    @property
    def asker(self) -> Asker:
        return Asker(self.user, self.project)

    def key(self, name: str) -> str:
        return f"m-{self.digits(name)[:20]}"

    def digits(self, name: str) -> str:
        return hashlib.sha256(f"{self.canary} {name}".encode()).hexdigest()[:32]

    @property
    def keys(self) -> frozenset[str]:
        """Every key that names something of it."""
        return keys_of(self)


@cache
def keys_of(place: Place) -> frozenset[str]:
    """Gives the keys of all rows of a place."""
    found = {memory.key for memory in memories_of(place)}
    return frozenset(found | {turn.key for turn in turns_of(place)} | {place.digits("recall")})


PLACES = tuple(
    Place(user, project, f"zorb{'abcdefghijklmnop'[number]}iq")
    for number, (user, project) in enumerate((u, p) for u in USERS for p in PROJECTS)
)
RECORDS = {project: f"virk{'abcd'[n]}oz" for n, project in enumerate(PROJECTS)}


def is_visible(asker: Asker, place: Place) -> bool:
    """Says it again in other words than the code: own and shared rows, none of another project."""
    is_own = place.user is not None and place.user == asker.user_id
    if place.user is not None and not is_own:
        return False
    if place.project is None:
        return True
    return is_own if asker.project is None else place.project == asker.project


def seen_by(asker: Asker) -> list[Place]:
    return [place for place in PLACES if is_visible(asker, place)]


def hidden_from(asker: Asker) -> list[Place]:
    return [place for place in PLACES if not is_visible(asker, place)]


def memories_of(place: Place) -> list[Memory]:
    """Gives memories of a place in every status."""
    word = place.canary
    end = f"Superseded by {place.key('new')}: “Bento sends {word}.”"
    rule = {"memorule_kind": "convention", "subject": f"Log {word}", "certainty": "observed"}
    told = [
        ("fact", f"Redis holds the sessions of {word}.", {"topic": TOPIC, "service": "billing"}),
        ("shared", SHARED_TEXT, {}),
        ("guess", f"Redis may hold the carts of {word}.", {"status": "pending"}),
        ("refused", f"Redis forgets {word}.", {"status": "refused", "why": f"No {word}."}),
        ("old", f"Resend sends mail to {word}.", {"status": "superseded", "why": end}),
        ("new", f"Bento sends mail to {word}.", {"supersedes": place.key("old")}),
        ("wrong", f"Redis is {word}.", {"status": "retracted", "why": f"Not {word}."}),
        ("past", f"Redis was for {word}.", {"expires_at": GONE}),
        ("rule", f"Log {word} as one line.", rule | {"applies_to": {"scope": "project"}}),
        ("read", f"Redis is read by {word}.", {"turn_key": place.digits("turn")}),
    ]
    return [_memory(place, name, text, **more) for name, text, more in told]


def _memory(place: Place, name: str, text: str, **more: object) -> Memory:
    word = place.canary
    given = {
        "kind": KINDS.get(name, "fact"),
        "status": "active",
        "session_id": f"s {word}",
        "source": f"conversation:{word}",
        "raw_source": f"{word} said so.",
        "evidence_signal": f"signal {word}",
        **more,
    }
    names = {"key": place.key(name), "user_id": place.user, "project": place.project}
    return Memory(content=text, created_at=STARTED, touched_at=STARTED, **names, **given)


def turns_of(place: Place) -> list[Turn]:
    """Gives a turn that was read, one that was not, and one that has expired."""
    word = place.canary
    texts = {
        "turn": f"We keep sessions of {word} in Redis.",
        "unread": f"Redis is slow for {word}.",
        "late": f"Redis was fast for {word}.",
    }
    return [
        Turn(
            place.digits(name),
            place.user,
            place.project,
            f"s {word}",
            "user",
            f"Speaker {word}",
            text,
            f"assistant: What of {word}?",
            STARTED,
            GONE if name == "late" else None,
        )
        for name, text in texts.items()
    ]


def plant(places: Sequence[Place]) -> None:
    """Stores the rows of some places, and changes some of them after their checkpoints."""
    plant_rows(places)
    for place in places:
        if place.user or place.project:
            for name in (f"state {place.canary}", NAMED_ALIKE):
                checkpoints.create(place.asker, name)
    _approve(places)


def plant_rows(places: Sequence[Place], without: Collection[str] = ()) -> None:
    """Stores the memories, turns and recalls of some places, but for memories with these keys."""
    all_rows = [memory for place in places for memory in memories_of(place)]
    rows = [memory for memory in all_rows if memory.key not in without]
    with queue("memories"):
        memories.put(rows, [Change(row.key, "added", row.why, row.user_id) for row in rows])
    turns = [turn for place in places for turn in turns_of(place)]
    put_turns(turns)
    read = [turn for turn in turns if "slow" not in turn.content]
    extractions.put([Reading(turn, VERSION, 1) for turn in read], "wordhash")
    telemetry.store([_recall(place) for place in places])


def plant_records() -> None:
    """Stores a record of each project; records are nobody's own."""
    drafts = [
        Draft(
            f"adr-{word}", "adr", f"Sessions of {word}", f"Redis holds them for {word}.",
            project=project, service="billing", content_hash=word,
        )
        for project, word in RECORDS.items()
    ]  # fmt: skip
    put_records(prepare(drafts, "wordhash"))


def _recall(place: Place) -> Recall:
    keys = (place.key("fact"), place.digits("turn"))
    return Recall(
        f"Why {place.canary}?",
        keys,
        120,
        ranks={key: {"bm25": 1} for key in keys},
        user_id=place.user,
        project=place.project,
        session_id=f"s {place.canary}",
        key=place.digits("recall"),
        at=NOW,
    )


def _approve(places: Sequence[Place]) -> None:
    """Lets a person vouch for a memory of each place."""
    stored = memories.held(place.key("fact") for place in places)
    over = [
        replace(stored[place.key("fact")], verified_at=NOW, verified_by=f"judge {place.canary}")
        for place in places
    ]
    with queue("memories"):
        memories.update(over, [Change(m.key, "approved", None, m.verified_by) for m in over])
