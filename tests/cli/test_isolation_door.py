"""At the command line, too, nobody finds anything of another, in what is printed or in JSON."""

import itertools
import random
import re

import pytest

from knowwhy import telemetry
from knowwhy.tables.kept import memories
from knowwhy.tables.kept.memories import STATUSES
from knowwhy.types import Asker

SEED = 20_260_301
PROBES = 60
OWNERS = [(user, project) for user in ("ann", "ann/project:x") for project in ("x", 'x/y: "z" ü')]
WORDS = dict(zip(OWNERS, ("zorbaiq", "zorbbiq", "zorbciq", "zorbdiq"), strict=True))
NOBODYS = "m-0123456789abcdef0123"  # a key that no memory has
KEY = re.compile(r"\b(?:[mkc]-[0-9a-f]{20}|[0-9a-f]{32})\b")


def who(owner):
    user, project = owner
    return ("--user", user, "--project", project)


@pytest.fixture
def filled(knowwhy):
    """Lets everybody tell, say, ask and keep something; gives the command line and their keys."""
    keys = {}
    for owner, word in WORDS.items():
        told = [
            knowwhy("remember", f"The {word} worker drains its queue nightly.", *who(owner)),
            knowwhy(
                "remember", f"Redis holds carts of {word}.", "--said-by", "assistant", *who(owner)
            ),
            knowwhy("say", f"We keep sessions of {word} in Redis.", "--session", word, *who(owner)),
            knowwhy("checkpoint", "create", f"state {word}", *who(owner)),
            knowwhy("checkpoint", "create", "common", *who(owner)),
            knowwhy("recall", f"Where is {word}?", *who(owner)),
        ]
        assert {0, 3} >= {done.code for done in told}, [done.err for done in told]
        keys[owner] = set(KEY.findall("".join(done.out for done in told[:4])))
        kept = memories.memories(Asker(*owner), statuses=STATUSES)
        keys[owner] |= {memory.key for memory in kept}
    telemetry.flush()
    return knowwhy, keys


READS = {  # what is asked, given the word and a key of another
    "search": lambda word, key: ("search", "What drains the queue of Redis?"),
    "recall": lambda word, key: ("recall", "What is in the queue?", "--explain"),
    "context": lambda word, key: ("context", "What drains the queue of Redis?"),
    "memories": lambda word, key: ("memories", "--status", "active", "--status", "pending"),
    "memories of a session": lambda word, key: ("memories", "--session", word),
    "review": lambda word, key: ("review", "list"),
    "review history": lambda word, key: ("review", "history"),
    "provenance": lambda word, key: ("provenance", key),
    "update": lambda word, key: ("update", key, "Redis holds nothing."),
    "retract": lambda word, key: ("retract", key, "--why", "No."),
    "restore": lambda word, key: ("retract", key, "--undo", "--why", "No."),
    "approve": lambda word, key: ("review", "approve", key),
    "reject": lambda word, key: ("review", "reject", key, "--why", "No."),
    "history": lambda word, key: ("history",),
    "history of a session": lambda word, key: ("history", "--session", word),
    "history by words": lambda word, key: ("history", "--words", word),
    "checkpoints": lambda word, key: ("checkpoint", "list"),
    "diff": lambda word, key: ("checkpoint", "diff", f"state {word}"),
    "rollback": lambda word, key: ("checkpoint", "rollback", f"state {word}"),
    "delete": lambda word, key: ("checkpoint", "delete", f"state {word}"),
    "recalls": lambda word, key: ("recalls",),
}
NAMING = {  # of another's it must be said what is said of nobody's
    *("memories of a session", "provenance", "update", "retract", "restore", "approve", "reject"),
    *("history of a session", "history by words", "diff", "rollback", "delete"),
}
OF_ALL = (("extract", "--status"), ("status",), ("doctor",))  # of the home: they name nobody


def test_no_probe_at_the_command_line_finds_anything_of_another(filled):
    knowwhy, keys = filled
    chance = random.Random(SEED)
    reads = itertools.islice(itertools.cycle(sorted(READS)), PROBES)
    for read in reads:
        owner, other = chance.sample(OWNERS, 2)
        word, key = WORDS[other], chance.choice(sorted(k for k in keys[other] if k[0] == "m"))
        as_json = ("--json",) if chance.random() < 0.5 else ()
        done = knowwhy(*READS[read](word, key), *who(owner), *as_json)
        shown = done.out + done.err
        if read in NAMING:
            blind = knowwhy(*READS[read]("zorbyiq", NOBODYS), *who(owner), *as_json)
            unnamed = shown.replace(word, "zorbyiq").replace(key, NOBODYS)
            assert (blind.code, blind.out + blind.err) == (done.code, unnamed), (read, owner, other)
            continue
        hidden = {k for whose in OWNERS if whose != owner for k in keys[whose]}
        words = {w for whose, w in WORDS.items() if whose != owner}
        assert set() == set(KEY.findall(shown)) & hidden, (read, owner, other)
        assert [] == [w for w in words if w in shown], (read, owner, other)
    for command in OF_ALL:
        shown = knowwhy(*command).out
        assert [] == [word for word in WORDS.values() if word in shown], command
    for owner in OWNERS:
        assert 2 == len(memories.memories(Asker(*owner), statuses=("active", "pending")))
