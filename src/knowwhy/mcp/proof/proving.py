"""Proves a server from outside: started as a client does, every tool called, every leg seen."""

import json
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from secrets import choice
from typing import Any

import anyio
import anyio.to_thread
import psutil
from mcp import Client

from knowwhy.errors import Error
from knowwhy.mcp.prompts import PROMPTS
from knowwhy.mcp.proof.proof_calls import AFTER, LEGS, STEPS, Known
from knowwhy.mcp.proof.proof_client import (
    BROKEN,
    PROGRAM,
    USER,
    Outcome,
    Unanswered,
    connected,
    short,
    taken,
)
from knowwhy.mcp.proof.proof_hints import false_hints, read_only, watched
from knowwhy.mcp.proof.proof_http import asked_over_http
from knowwhy.mcp.proof.proof_place import Place, processes_of
from knowwhy.mcp.resources import ROOT
from knowwhy.mcp.toolbox.registry import ALL, DEFAULT, MOST_DEFAULT
from knowwhy.tables.homes import home

LETTERS = "abcdefghijklmnopqrstuvwxyz"
CANARY = 10  # letters, which no word and no other canary has
COMMAND_SECONDS = 300  # that a command may take
MOST_RECALLS = "1000"
COUNTS = ("vectors", "memory vectors", "turn vectors", "word index", "graph")  # of doctor
BAD = ("fault", "alarm")  # states that doctor finds; a home this new has none of them
DATABASE = "postgres"
LONG = "ingest"  # the tool that must tell how far it is
ASKED = "Half a transfer was booked on one account."  # given to each prompt
QUOTED = "INC-2024-01"  # what each of them must put beside it
RESOURCES = {  # and words that they must have
    f"{ROOT}recent_decisions": "Try bookings again",
    f"{ROOT}active_incidents": "Half a transfer",
    f"{ROOT}conventions": "Names of lamps",
    f"{ROOT}dependency_graph": "DEPENDS_ON",
    f"{ROOT}item/ADR-2": "both halves of a transfer",
}

Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Wire:
    """One thing that was proved: whole, or broken, with what was expected and what came."""

    what: str
    is_whole: bool
    expected: str
    came: str


@dataclass
class Proof:
    """What has been seen so far."""

    place: Place
    tell: Tell
    wires: list[Wire] = field(default_factory=list)
    calls: dict[str, list[Outcome]] = field(default_factory=lambda: defaultdict(list))
    listed: dict[str, list[str]] = field(default_factory=dict)  # tools, of each profile
    found: list[str] = field(default_factory=list)  # tools that find_tools names
    quiet: set[str] = field(default_factory=set)  # tools that were seen to write nothing

    def note(self, what: str, is_whole: bool, expected: str, came: str) -> None:
        """Notes a wire."""
        self.wires.append(Wire(what, is_whole, expected, came))


async def prove(place: Place, tell: Tell) -> list[Wire]:
    """Proves a server in a place; gives every wire, whole or broken."""
    proof = Proof(place, tell)
    first, second = _known(1), _known(2)

    async def by_default(client: Client) -> None:
        await _call_all(proof, client, DEFAULT, first)
        await _attach(proof, client)
        proof.found = await _named_by_find_tools(client)

    async def after_a_restart(client: Client) -> None:
        await _recall(proof, client, first)
        await _call_all(proof, client, ALL, second)

    tell("calling every tool of a server with the default profile")
    await _served(proof, DEFAULT, by_default)
    tell("reading what was said")
    await _command(proof, "extract", "--json")
    tell("calling every tool of a server with the full profile, started anew")
    await _served(proof, ALL, after_a_restart)
    tell("looking at the legs and the counts")
    proof.wires += [*_tools(proof), *_seen(proof)]
    proof.wires += await _legs(proof, first)
    await _over_http(proof, first)
    proof.wires += await _counts(proof)
    await _stopped(proof)
    return proof.wires


def _known(number: int) -> Known:
    word = "".join(choice(LETTERS) for _ in range(CANARY))
    return Known({"n": str(number), "canary": word})


async def _served(proof: Proof, profile: str, work: Callable[[Client], Awaitable[None]]) -> None:
    """Starts a server, works with it, leaves it, and looks whether it has gone."""
    what, place, begun = f"server, {profile} profile", proof.place, time.monotonic()
    wanted = "a server that starts, answers and goes when its client goes"
    try:
        async with connected(place, profile) as client:
            started = time.monotonic() - begun
            await work(client)
    except (*BROKEN, Unanswered) as error:
        proof.note(what, False, wanted, f"{short(_innermost(error))}. {_last_words(place)}")
        return
    left = [p for p in processes_of(place.folder) if DATABASE not in p.name()]
    came = f"answered after {started:.1f} s; {len(left)} processes are left of it"
    proof.note(what, not left, wanted, came)


async def _call_all(proof: Proof, client: Client, profile: str, known: Known) -> None:
    tools = (await client.list_tools()).tools
    listed = [tool.name for tool in tools]
    proof.listed[profile] = listed
    false = ", ".join(false_hints(tools))
    right = "of each tool what the registry says that it does"
    proof.note(f"hints, {profile} profile", not false, right, false or f"{len(tools)} right")
    quiet = read_only(tools)
    for step in STEPS:
        call = partial(taken, client, step, known, listed)
        done = await (_quietly(proof, step.tool, call) if step.tool in quiet else call())
        proof.calls[step.tool].append(done)


async def _quietly(proof: Proof, tool: str, call: Callable[[], Awaitable[Outcome]]) -> Outcome:
    """Calls a tool that says that it only reads, and looks whether a table moves."""
    done, moved = await watched(proof.place, call)
    if moved:
        what, wanted = f"read-only {tool}", "no table to move but those of recalls and of acts"
        proof.note(what, False, wanted, f"{', '.join(moved)} moved")
    elif moved is not None:
        proof.quiet.add(tool)
    return done


async def _named_by_find_tools(client: Client) -> list[str]:
    found = await client.call_tool("find_tools", {}, meta=PROGRAM)
    data = found.structured_content or {}
    return [str(tool["name"]) for tool in data.get("tools", ())]


async def _recall(proof: Proof, client: Client, known: Known) -> None:
    """Asks a server that was started anew for what another one was told."""
    listed = [tool.name for tool in (await client.list_tools()).tools]
    for step in AFTER:
        done = await taken(client, step, known, listed)
        what = "the task" if step.keep is None else step.keep[1].removeprefix("asked_")
        came = done.came or f"given by {step.tool}, with the canary {known.words['canary']}"
        proof.note(f"after a restart, {what}", done.is_good, done.expected, came)


async def _attach(proof: Proof, client: Client) -> None:
    """Reads every resource and gets every prompt; each must have words of the repository."""

    async def read(uri: str) -> str:
        contents = (await client.read_resource(uri)).contents
        return "\n".join(getattr(part, "text", "") for part in contents)

    async def written(name: str) -> str:
        argument = PROMPTS[name].argument if name in PROMPTS else "text"
        got = await client.get_prompt(name, {argument: ASKED})
        return "\n".join(getattr(message.content, "text", "") for message in got.messages)

    uris = [str(resource.uri) for resource in (await client.list_resources()).resources]
    names = [prompt.name for prompt in (await client.list_prompts()).prompts]
    for uri in dict.fromkeys([*RESOURCES, *uris]):
        await _has(proof, f"resource {uri}", read(uri), RESOURCES.get(uri))
    for name in dict.fromkeys([*PROMPTS, *names]):
        await _has(proof, f"prompt {name}", written(name), QUOTED)


async def _has(proof: Proof, what: str, text: Awaitable[str], words: str | None) -> None:
    try:
        found = await text
    except BROKEN as error:
        proof.note(what, False, f"a text with {words!r}", short(str(error)))
        return
    if words is None:
        proof.note(what, False, "words for it in knowwhy.mcp.proof.proving", "none are known")
        return
    came = f"{len(found):,} characters" if words in found else short(found) or "no text"
    proof.note(what, words in found, f"a text with {words!r}", came)


def _tools(proof: Proof) -> Iterator[Wire]:
    """Compares the lists of tools, and sums up what became of each tool's calls."""
    default, whole = (proof.listed.get(profile, []) for profile in (DEFAULT, ALL))
    named = list(dict.fromkeys([*whole, *default, *proof.found]))
    is_good = 0 < len(default) <= MOST_DEFAULT and set(default) <= set(whole)
    came = f"{len(default)} of the {len(whole)} in the full profile"
    yield Wire("tools/list", is_good, f"1 to {MOST_DEFAULT} tools, all in the full profile", came)
    unfound = sorted(set(named) - set(proof.found))
    came = f"without {', '.join(unfound)}" if unfound else f"all {len(named)}"
    yield Wire("find_tools", bool(named) and not unfound, "the name of every tool", came)
    for name in named:
        if name not in proof.calls:
            yield Wire(
                f"tool {name}",
                False,
                "real arguments for it in knowwhy.mcp.proof.proof_calls",
                "none, so it was never called",
            )
    for name, outcomes in proof.calls.items():
        yield from _tool(name, outcomes, is_listed=name in named)


def _seen(proof: Proof) -> Iterator[Wire]:
    """Says what was seen beside the answers: how far work was, and tables that stood still."""
    told = sum(one.told for one in proof.calls.get(LONG, ()))
    wanted = "one notification of how far of how much it is, at least"
    yield Wire(f"progress of {LONG}", told > 0, wanted, f"{told} notifications")
    came = f"{len(proof.quiet)} tools moved no table"
    yield Wire("read-only tools", bool(proof.quiet), "tools that were watched", came)


def _tool(name: str, outcomes: Sequence[Outcome], *, is_listed: bool) -> Iterator[Wire]:
    bad = [one for one in outcomes if not one.is_good]
    for one in bad:
        yield Wire(f"tool {name}, {one.how}", False, one.expected, one.came)
    if not is_listed:
        yield Wire(f"tool {name}", False, "its name in tools/list of the full profile", "none")
    elif not bad:
        ways = dict.fromkeys(one.how for one in outcomes)
        told = [
            f"{way}: " + ", ".join(f"{o.milliseconds:.0f}" for o in outcomes if o.how == way)
            for way in ways
        ]
        yield Wire(f"tool {name}", True, "answers", f"{'; '.join(told)} ms")


async def _legs(proof: Proof, known: Known) -> list[Wire]:
    """Looks up in the rows that searches left which leg has found what."""
    rows = await _command(proof, "recalls", "--json", "--user", USER, "--limit", MOST_RECALLS)
    ranks = {row["key"]: row["ranks"] for row in rows or ()}
    return [_leg(leg, of, known, asked, target, ranks) for leg, of, asked, target in LEGS]


def _leg(
    leg: str, of: str, known: Known, asked: str, target: str, ranks: Mapping[str, Any]
) -> Wire:
    what = f"leg {leg}, {of}"
    key, recall = known.words.get(target), known.words.get(asked)
    expected = f"{key or target} among what the {leg} leg found"
    if key is None or recall is None:
        return Wire(what, False, expected, "no search that could have found it")
    if recall not in ranks:
        return Wire(what, False, expected, f"no row of recalls for the search {recall}")
    found = {name: legs[leg] for name, legs in ranks[recall].items() if leg in legs}
    if key in found:
        return Wire(what, True, expected, f"{key} at rank {found[key]}")
    said = f"; the search said: {known.notes[asked]}" if known.notes.get(asked) else ""
    others = f"{len(found)} others" if found else "nothing"
    return Wire(what, False, expected, f"{others}{said}")


async def _over_http(proof: Proof, known: Known) -> None:
    """Asks a server over HTTP for what a user told the one that an assistant starts."""
    proof.tell("asking a server over HTTP")
    made = await _command(proof, "token", "add", USER, "--json")
    if made is None:
        return
    what, asked = "server over HTTP", AFTER[1]
    try:
        done = await asked_over_http(proof.place, made["token"], asked, known)
    except (*BROKEN, Unanswered, Error) as error:
        wanted = "a server that starts, answers a token only and ends when told to"
        proof.note(what, False, wanted, short(_innermost(error)))
        return
    proof.note(what, done.is_good, done.expected, done.came or f"{asked.tool} answers a token only")


async def _stopped(proof: Proof) -> None:
    """Stops the home; then no process is left of all that was started, its database included."""
    what, wanted = "processes, the home stopped", "none"
    try:
        await anyio.to_thread.run_sync(home.stop, proof.place.home)
    except (psutil.Error, OSError) as error:
        proof.note(what, False, wanted, f"the database does not stop: {short(str(error))}")
        return
    left = processes_of(proof.place.folder)
    came = ", ".join(f"{process.pid} {process.name()}" for process in left) or "none"
    proof.note(what, not left, wanted, came)


async def _counts(proof: Proof) -> list[Wire]:
    """Lets doctor look at the home: rows against vectors, postings and nodes."""
    found = await _command(proof, "doctor", "--json", codes=(0, 1)) or []
    wires = [
        Wire(f"home: {one['what']}", one["state"] not in BAD, f"no {one['state']}", one["text"])
        for one in found
    ]
    missing = [name for name in COUNTS if name not in {one["what"] for one in found}]
    return [*wires, *(Wire(f"home: {n}", False, "a count", "doctor gave none") for n in missing)]


async def _command(proof: Proof, *words: str, codes: tuple[int, ...] = (0,)) -> Any:
    """Runs a command on the home of the proof and reads its JSON; what is wrong is noted."""
    place, what = proof.place, f"knowwhy {words[0]}"
    came = f"no end in {COMMAND_SECONDS} s"
    with anyio.move_on_after(COMMAND_SECONDS):
        done = await anyio.run_process([*place.command, *words], env=place.environment, check=False)
        said = done.stderr.decode(errors="replace").strip().splitlines() or ["it said nothing"]
        came = f"exit code {done.returncode}; its last words: {short(said[-1])}"
        if done.returncode in codes:
            with suppress(ValueError):
                return json.loads(done.stdout)
    proof.note(what, False, f"JSON and the exit code {' or '.join(map(str, codes))}", came)
    return None


def _innermost(error: BaseException) -> str:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def _last_words(place: Place) -> str:
    """Gives the end of what a server wrote to stderr."""
    written = place.log.read_text(encoding="utf-8", errors="replace").strip()
    return f"Its last words: {short(written.splitlines()[-1])}" if written else "It said nothing."
