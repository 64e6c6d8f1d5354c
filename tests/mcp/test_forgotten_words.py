"""No tool that reads and no resource shows words that were to be forgotten by now."""

import json
import time
from collections import defaultdict
from datetime import UTC, datetime, timedelta

import pytest
from calls import CALLS, filled
from mcp.shared.exceptions import MCPError
from wire import over_stdio

from knowwhy.grounding.remember import remember
from knowwhy.mcp.resources import LISTS, ROOT
from knowwhy.mcp.server import TOOLS
from knowwhy.mcp.toolbox.registry import READS
from knowwhy.types import Asker

WORD = "marzipan"
QUESTION = "Which worker drains its queue nightly?"
LASTING = timedelta(seconds=20)  # from the start: as long as it takes to hand it around
HELD, GONE, SAID_ANEW, WAITS = "held", "gone", "said anew", "waits"
READERS = [name for name, tool in TOOLS.items() if tool.does == READS]


def kept(until):
    """Gives the keys of memories whose words are to be forgotten, told so that each is itself."""
    texts = {
        HELD: f"The {WORD} worker drains its queue nightly.",
        GONE: f"The {WORD} scale of hall 3 weighs up to 800 kg.",
        SAID_ANEW: f"The {WORD} lift of the north shaft carries 12 people.",
        WAITS: f"The {WORD} sieve needs new mesh.",
    }
    now = datetime.now(UTC)
    how = {"asker": Asker("ann"), "embedder": "wordhash", "now": now, "expires_at": until}
    return {
        name: remember(text, said_by="assistant" if name == WAITS else "user", **how).key
        for name, text in texts.items()
    }


def handed_around(ann, bob, keys):
    """Lends and hands over one memory, changes the others; gives what calls need to name it all."""
    coder = ann.ok("register_agent", name="Coder", type="coding_assistant").data["agent_id"]
    taker = bob.ok("register_agent", name="Taker", type="coding_assistant").data["agent_id"]
    pool = ann.ok("create_pool", agent_id=coder, name="Kitchen").data["pool"]
    inside = {"agent_id": coder, "pool": pool}
    ann.ok("invite_to_pool", **inside, other_agent=taker)
    bob.ok("join_pool", agent_id=taker, pool=pool)
    ann.ok("share_memory_to_scope", **inside, key=keys[HELD])
    given = {"agent_id": coder, "to_agent": taker, "task": "Bake.", "memory_keys": [keys[HELD]]}
    handoff = ann.ok("initiate_handoff", **given).data["handoff"]
    bob.ok("accept_handoff", agent_id=taker, handoff=handoff)
    ann.ok("create_checkpoint", name="before")
    ann.ok("invalidate_memory", key=keys[GONE], reason="Sold.")
    newer = f"The {WORD} lift of the north shaft carries 9 people."
    anew = ann.ok("update_memory", key=keys[SAID_ANEW], value=newer, said_by="user")
    ann.ok("reject_pending_memory", keys=[keys[WAITS]], why="Torn out.")
    keys["new"] = anew.data["key"]
    assert WORD in ann.ok("get", key=keys["new"]).text
    assert WORD in bob.ok("get", key=keys[HELD]).text
    known = {"pool": pool, "handoff": handoff, "name": "before", "n": "1"}
    return {"ann": {**known, "agent_id": coder}, "bob": {**known, "agent_id": taker}}


def answers(assistant, known, keys):
    """Gives what every reading tool and resource answers, errors too, for each of the keys."""
    for key in keys.values():
        there = defaultdict(lambda key=key: key, known)
        for name in READERS:
            arguments = filled(CALLS[name].arguments, there)
            if "key" in arguments:
                arguments["key"] = key
            if "query" in arguments:
                arguments["query"] = QUESTION
            if "statuses" in arguments:
                arguments["statuses"] = ["active", "refused", "superseded", "expired", "retracted"]
            got = assistant.call(name, **arguments)
            yield name, got.text + json.dumps(got.data, default=str)
        for uri in [*LISTS, f"item/{key}"]:
            try:
                (part,) = assistant.ask("read_resource", ROOT + uri).contents
                yield uri, part.text
            except MCPError as refused:
                yield uri, str(refused)


@pytest.mark.usefixtures("store")
def test_no_tool_that_reads_and_no_resource_shows_the_words():
    with (
        over_stdio("--user", "ann", "--profile", "all") as ann,
        over_stdio("--user", "bob", "--profile", "all") as bob,
    ):
        ann.ok("statistics")
        bob.ok("statistics")
        until = datetime.now(UTC) + LASTING
        keys = kept(until)
        known = handed_around(ann, bob, keys)
        time.sleep(max(0.0, (until - datetime.now(UTC)).total_seconds()))

        told = [*answers(ann, known["ann"], keys), *answers(bob, known["bob"], keys)]

    assert [] == sorted({name for name, text in told if WORD in text})
    assert any(keys[GONE] in text and "[forgotten]" in text for _, text in told)
