"""Several processes that want the same: each handoff goes to one, and no limit is passed."""

import os
import subprocess
import sys

from evaluation import racing
from evaluation.benches.handoffs import race
from knowwhy.config import Settings
from knowwhy.maas import agents
from knowwhy.tables.agents import registries
from knowwhy.types import Asker

HANDOFFS, RACERS = 15, 3  # `python -m evaluation.bench handoffs` has 200 and 8
LIMIT, TRIES = 5, 4  # open sessions, and how many each process tries to start
STARTING = f"""
import sys
from contextlib import suppress
from knowwhy.config import Settings
from knowwhy.errors import RegistryFull
from knowwhy.maas import agents
from knowwhy.tables.connect import connect
from knowwhy.types import Asker

settings = Settings.from_environ()
connect(settings)
print("ready", flush=True)
sys.stdin.readline()
begun = []
for _ in range({TRIES}):
    with suppress(RegistryFull):
        begun.append(agents.start_session(Asker("racer"), settings, sys.argv[1]))
print(len(begun), flush=True)
"""


def test_of_several_processes_that_accept_at_once_one_does(store, tmp_path):
    prepared = racing.prepare(HANDOFFS)

    ended, _ = race(prepared, RACERS, tmp_path, dict(os.environ))

    assert HANDOFFS == sum(len(one["won"]) for one in ended)
    assert {0} == set(racing.outcome(prepared, ended).values())


def test_several_processes_together_pass_no_limit(store):
    agent = agents.register(Asker("racer"), Settings(), "Coder", "human").key
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    given = {**os.environ, "KNOWWHY_MAX_AGENT_SESSIONS": str(LIMIT)}
    command = [sys.executable, "-c", STARTING, agent]
    racers = [subprocess.Popen(command, env=given, **pipes) for _ in range(RACERS)]

    assert ["ready\n"] * RACERS == [racer.stdout.readline() for racer in racers]
    for racer in racers:
        print(file=racer.stdin, flush=True)
    begun = [int(racer.communicate(timeout=60)[0]) for racer in racers]

    assert LIMIT == sum(begun)
    assert LIMIT == registries.count("agent_sessions", agent_id=agent, ended_at=None)
