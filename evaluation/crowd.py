"""Assistants at work on one memory at once: what each of them writes must be found, and stay.

Every write has a word of its own that nothing else has. The writer's next search must find it, and
so must those of its user's other assistants; another user's must never be shown it. At the end the
tables themselves are read, each row of them.
"""

import itertools
import json
import random
import re
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evaluation.assistants import text_of
from evaluation.homes import ROOT
from knowwhy.mcp.answers import ALL_DATA

MARK = "zq"  # begins the words of users; none of the golden corpus does
TOLD = "zi"  # begins the words of incidents, which everybody may see
LIMIT = 10  # hits asked for
DELIVERY = (
    "label printer", "parcel scanner", "sorting belt", "cold store", "route planner", "van lock",
    "customs form", "return desk", "night shift", "loading ramp", "price table", "driver app",
    "weight sensor", "pickup locker", "invoice run", "address book", "fuel card", "map service",
)  # fmt: skip
DOES = (
    "restarts after", "is checked before", "waits for", "is paused during", "writes a log of",
    "may not start without", "sends a mail about", "keeps a copy of", "is tested with", "ends",
)  # fmt: skip
REASONS = (
    "the auditors asked for it", "a power cut lost the queue", "the old cable was too short",
    "two teams share the key", "the vendor bills by the hour", "rain had reached the socket",
    "the battery lasts six hours", "its clock drifts by a minute", "the licence names one host",
)  # fmt: skip

# Reads the tables themselves, row by row, and not by what searches.
STORED = """
import json
from knowwhy.config import Settings
from knowwhy.tables.connect import connect
from knowwhy.tables.write import table
connect(Settings.from_environ())
def rows(name, *columns):
    source = table(name)
    return list(source.select(**{c: getattr(source, c) for c in columns}).collect())
print(json.dumps({
    "memories": rows("memories", "key", "content", "user_id", "status"),
    "turns": rows("turns", "key", "content", "user_id"),
    "records": rows("records", "key", "content"),
    "recalls": rows("recalls", "key", "user_id"),
}))
"""


@dataclass(frozen=True, slots=True)
class Wrote:
    """One write, as the tables must have it at the end."""

    table: str
    key: str
    word: str
    user: str | None
    status: str | None = None


@dataclass(slots=True)
class Journal:
    """What all of them did."""

    took: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    faults: list[str] = field(default_factory=list)
    wrote: dict[str, Wrote] = field(default_factory=dict)
    steady: dict[str | None, list[Wrote]] = field(default_factory=lambda: defaultdict(list))
    judged: Counter[str] = field(default_factory=Counter)
    recalls: dict[str, str] = field(default_factory=dict)  # users by the keys of their searches
    run: str = field(default_factory=lambda: _letters(time.time_ns() // 1_000_000))

    def fault(self, text: str) -> None:
        """Notes what should not have happened."""
        self.faults.append(" ".join(text.split())[:300])


class Failed(Exception):
    """A call that gave no answer; it is in the journal."""


class Assistant:
    """One client with its user, a name of letters, doing this and that until the time is over."""

    def __init__(
        self, client: Any, user: str, number: int, journal: Journal, questions: Sequence[str]
    ) -> None:
        self.client = client
        self.user = user
        self.journal = journal
        self._questions = questions
        self._name = f"{user}q{journal.run}q{_letters(number)}"
        self._words = map(_letters, itertools.count())
        self._dice = random.Random(number)
        self._is_alone = True

    async def work(self, until: float, least: int = 1, *, is_alone: bool = True) -> None:
        """Goes through all that it can do again and again; whoever is not alone sets no task."""
        self._is_alone = is_alone
        for round_number in itertools.count():
            doings = list(DOINGS)
            self._dice.shuffle(doings)
            for doing in doings:
                if round_number >= least and time.monotonic() > until:
                    return
                try:
                    await doing(self)
                except Failed:
                    continue

    async def call(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        """Calls a tool; gives its data, notes its time and what was wrong."""
        began = time.perf_counter()
        try:
            answer = await self.client.call_tool(tool, arguments, meta={ALL_DATA: True})
        except Exception as error:  # whatever it is, the others go on and it is told at the end
            self.journal.fault(f"{tool} of {self.user}: {type(error).__name__}: {error}")
            raise Failed from error
        name = str(arguments["name"]) if tool == "run_tool" else tool
        self.journal.took[name].append((time.perf_counter() - began) * 1000)
        if answer.is_error:
            self.journal.fault(f"{name} of {self.user}: {text_of(answer)}")
            raise Failed
        data: dict[str, Any] = answer.structured_content or {}
        self._check_whose(name, text_of(answer) + json.dumps(data))
        if "recall" in data:
            self.journal.recalls[data["recall"]] = self.user
        return data

    async def run(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        """Calls a tool that is not listed."""
        return await self.call("run_tool", name=tool, arguments=arguments)

    def word(self, mark: str = MARK) -> str:
        """Makes a word that nothing has yet; a user's own begins with the user."""
        return f"{mark}{self._name}q{next(self._words)}"

    async def says(self, word: str) -> dict[str, Any]:
        """Remembers something of a word, as its user's own saying."""
        return await self.call("remember", text=self.claim(word), said_by="user")

    def claim(self, word: str) -> str:
        """Says something of a word that was not said before."""
        what, does, other = (self._dice.choice(some) for some in (DELIVERY, DOES, DELIVERY))
        return f"The {what} {word} {does} the {other}, because {self._dice.choice(REASONS)}."

    def question(self) -> str:
        """Gives one of the questions."""
        return self._dice.choice(self._questions)

    def some(self, found: Sequence[Wrote]) -> Wrote | None:
        """Gives one of several, the last ones more often."""
        return self._dice.choice(found[-self._dice.randint(1, len(found)) :]) if found else None

    async def finds(self, wrote: Wrote, tool: str = "recall") -> None:
        """Searches for what was written, which must be found."""
        data = await self.call(tool, query=f"What is {wrote.word}?", limit=LIMIT)
        if not _shows(data, wrote):
            shown = [hit["key"] for hit in data["hits"]]
            self.journal.fault(f"{tool} of {self.user} did not find {wrote}, but {shown}")

    def keep(self, data: Mapping[str, Any], word: str, *, is_steady: bool = False) -> Wrote:
        """Notes a memory as it was judged."""
        wrote = Wrote("memories", data["key"], word, self.user, data["status"])
        self.journal.judged[str(wrote.status)] += 1
        self._note(wrote, is_steady=is_steady and wrote.status == "active")
        return wrote

    def note(self, table: str, key: str, word: str, user: str | None) -> Wrote:
        """Notes a write that is not judged."""
        wrote = Wrote(table, key, word, user)
        self._note(wrote, is_steady=True)
        return wrote

    def _note(self, wrote: Wrote, *, is_steady: bool) -> None:
        self.journal.wrote[wrote.key] = wrote
        if is_steady:
            self.journal.steady[wrote.user].append(wrote)

    def _check_whose(self, tool: str, told: str) -> None:
        """Looks for words of other users in an answer."""
        for user in set(re.findall(rf"\b{MARK}([a-z]+?)q{self.journal.run}q", told)):
            if user != self.user:
                self.journal.fault(f"{tool} showed {self.user} something of {user}")


async def remembers(one: Assistant) -> None:
    """Remembers something and recalls it."""
    word = one.word()
    kept = one.keep(await one.says(word), word, is_steady=True)
    if kept.status == "active":
        await one.finds(kept)


async def changes(one: Assistant) -> None:
    """Remembers something, says it anew, takes it back; each time the next search knows."""
    word, new = one.word(), one.word()
    old = one.keep(await one.says(word), word)
    if old.status != "active":
        return
    told = await one.run("update_memory", key=old.key, value=one.claim(new), said_by="user")
    kept = one.keep(told, new)
    if kept.status != "active":
        return
    await one.finds(kept)
    _became(one, old, "superseded")
    await _is_gone(one, old)
    await one.run("invalidate_memory", key=kept.key, reason="It was an exercise.")
    _became(one, kept, "retracted")
    await _is_gone(one, kept)


async def says(one: Assistant) -> None:
    """Says something in a conversation, recalls it, and reads the conversation back."""
    word = one.word()
    told = await one.run("add_turn", text=f"By the way, {one.claim(word)}", session=one._name)
    wrote = one.note("turns", told["key"], word, one.user)
    await one.finds(wrote)
    back = await one.run("get_history", session=one._name, limit=5)
    if wrote.key not in [turn["key"] for turn in back["turns"]]:
        one.journal.fault(f"get_history of {one.user} did not give {wrote}")


async def tells(one: Assistant) -> None:
    """Tells of an incident, which everybody's next search finds."""
    word = one.word(TOLD)
    summary = f"Outage of the {word}: {one.claim(word)}"
    told = await one.run("ingest_incident", summary=summary, severity="SEV-2")
    await one.finds(one.note("records", told["key"], word, None), "semantic_search")


async def works(one: Assistant) -> None:
    """Sets its task and gets it back."""
    if not one._is_alone:
        await one.call("get_task_context")
        return
    task = f"Replace the {one.word()}"
    await one.call("set_task_context", task=task)
    found = (await one.call("get_task_context"))["task"]
    if found is None or found["task"] != task:
        one.journal.fault(f"get_task_context of {one.user} gave {found}, not {task!r}")


async def looks(one: Assistant) -> None:
    """Looks for what another assistant of its user, or anybody, has written."""
    for whose, tool in ((one.user, "recall"), (None, "semantic_search")):
        wrote = one.some(one.journal.steady[whose])
        if wrote is not None:
            await one.finds(wrote, tool)


async def asks(one: Assistant) -> None:
    """Asks a question about the records and goes on from its hits."""
    found = await one.call("semantic_search", query=one.question())
    for hit in found["hits"][:1]:
        if hit["is"] == "record":
            await one.call("get", key=hit["key"])
            await one.call("why", key=hit["key"])
            await one.call("graph", node=hit["key"])
        await one.run("get_context", query=one.question(), tokens=800)


async def reads(one: Assistant) -> None:
    """Reads one of its memories, and what there is in all."""
    wrote = one.some([w for w in one.journal.steady[one.user] if w.table == "memories"])
    if wrote is not None:
        data = await one.call("get", key=wrote.key)
        if wrote.word not in data["text"]:
            one.journal.fault(f"get of {one.user} gave {data['text']!r} for {wrote}")
    await one.run("list_memories", limit=20)
    await one.call("find_tools", query="how many records are there")
    await one.run("statistics")


DOINGS: tuple[Callable[[Assistant], Awaitable[None]], ...] = (
    remembers, remembers, changes, says, tells, works, looks, looks, asks, reads,
)  # fmt: skip


def stored_faults(journal: Journal, where: Mapping[str, str]) -> list[str]:
    """Compares every row of the tables with what was written: what is lost, changed or doubled."""
    done = subprocess.run(
        [sys.executable, "-c", STORED], env=dict(where), cwd=ROOT, capture_output=True, text=True
    )
    if done.returncode:
        raise SystemExit(f"the tables could not be read:\n{done.stderr}")
    return compared(journal, json.loads(done.stdout.splitlines()[-1]))


def compared(journal: Journal, stored: Mapping[str, Sequence[Mapping[str, Any]]]) -> list[str]:
    """Names each write that is not in the tables once, as it was answered."""
    faults = []
    rows = {(table, row["key"]): row for table, found in stored.items() for row in found}
    times = Counter((table, row["key"]) for table, found in stored.items() for row in found)
    text = {t: Counter(w for r in found for w in _marked(r)) for t, found in stored.items()}
    for wrote in journal.wrote.values():
        row = rows.get((wrote.table, wrote.key))
        if row is None or times[wrote.table, wrote.key] != 1:
            faults.append(f"{wrote} is stored {times[wrote.table, wrote.key]} times")
        elif (wrote.user, wrote.status) != (row.get("user_id"), row.get("status")):
            faults.append(f"{wrote} is stored as {row.get('user_id')}, {row.get('status')}")
        elif wrote.word not in row["content"] or text[wrote.table][wrote.word] != 1:
            faults.append(f"the word of {wrote} is in {text[wrote.table][wrote.word]} rows")
    for key, user in journal.recalls.items():
        row = rows.get(("recalls", key))
        if row is None or row["user_id"] != user:
            faults.append(f"the search {key} of {user} is noted as {row}")
    return faults


def used_log(log: Path) -> list[str]:
    """Gives what servers complained of."""
    lines = log.read_text("utf-8", "replace").splitlines()
    return [f"log: {line[:300]}" for line in lines if re.search(r"Traceback|ERROR|Error\b", line)]


def _marked(row: Mapping[str, Any]) -> set[str]:
    return set(re.findall(rf"\b(?:{MARK}|{TOLD})[a-z]+", row.get("content") or ""))


def _shows(data: Mapping[str, Any], wrote: Wrote) -> bool:
    """Tells whether a hit says it; what was learned from a turn may stand for the turn."""
    exact = wrote.table != "turns"
    hits = [hit for hit in data["hits"] if hit["key"] == wrote.key or not exact]
    return any(wrote.word in hit["text"] for hit in hits)


async def _is_gone(one: Assistant, wrote: Wrote) -> None:
    data = await one.call("recall", query=f"What is {wrote.word}?", limit=LIMIT)
    if _shows(data, wrote):
        one.journal.fault(f"recall of {one.user} still gave {wrote}")


def _became(one: Assistant, wrote: Wrote, status: str) -> None:
    changed = Wrote(wrote.table, wrote.key, wrote.word, wrote.user, status)
    one.journal.wrote[wrote.key] = changed


def _letters(number: int) -> str:
    """Writes a number in letters, of which the tokenizer makes one word."""
    digits = []
    while True:
        number, digit = divmod(number, 16)
        digits.append("bcdfghjklmnprtvx"[digit])
        if not number:
            return "".join(reversed(digits))
