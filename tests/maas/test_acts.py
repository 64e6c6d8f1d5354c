"""An act and its row of the audit: both are there, or neither is."""

import os
import subprocess
import sys

import pytest

from knowwhy.config import Settings
from knowwhy.errors import StoreFailed
from knowwhy.maas import agents
from knowwhy.tables import direct
from knowwhy.tables.agents import audit_rows, registries
from knowwhy.types import Asker

ADA = Asker("ada")
WHO = {"user_id": "ada", "agent_id": None, "target": None, "outcome": "done"}
# Ends where the row of the audit has been inserted and the other has not.
KILLED = """
import os, signal
from knowwhy.config import Settings
from knowwhy.tables.agents import audit_rows, registries
from knowwhy.tables.connect import connect

class Deadly(tuple):
    def __iter__(self):
        os.kill(os.getpid(), signal.SIGKILL)

connect(Settings.from_environ())
who = {"user_id": "ada", "agent_id": None, "target": None, "outcome": "done"}
with registries.acting():
    registries.carry_out(
        audit_rows.noting("create_pool", **who),
        registries.Write("pools", Deadly(), is_new=True),
    )
"""


def counts():
    return direct.count("audit"), direct.count("pools"), direct.count("agents")


def goes_on(before):
    """Acts once more, and looks at the chain."""
    agents.register(ADA, Settings(), "Planner", "human")
    assert (before[0] + 1, before[1], before[2] + 1) == counts()
    assert (before[0] + 1, []) == audit_rows.broken()


def test_what_the_store_refuses_is_not_noted(store):
    agents.register(ADA, Settings(), "Planner", "human")
    before = counts()

    pool = registries.added("pools", {"key": "p", "created_at": "no time"})

    with pytest.raises(StoreFailed), registries.acting():
        registries.carry_out(audit_rows.noting("create_pool", **WHO), pool)

    assert before == counts()
    goes_on(before)


def test_what_is_killed_between_its_two_rows_leaves_neither(store):
    agents.register(ADA, Settings(), "Planner", "human")
    before = counts()

    done = subprocess.run([sys.executable, "-c", KILLED], env=dict(os.environ), timeout=300)

    assert -9 == done.returncode
    assert before == counts()
    goes_on(before)
