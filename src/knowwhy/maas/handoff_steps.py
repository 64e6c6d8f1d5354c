"""Which step of a handoff leads where, and when its time is over: decided without the store."""

from collections.abc import Mapping
from datetime import datetime

from knowwhy.errors import IllegalStep
from knowwhy.tables.agents.handed_over import ACCEPTED, EXPIRED, PENDING

REJECTED, COMPLETED, FAILED = "rejected", "completed", "failed"
STATES = (PENDING, ACCEPTED, REJECTED, EXPIRED, COMPLETED, FAILED)
ACCEPT, REJECT, COMPLETE, FAIL = "accept", "reject", "complete", "fail"
STEPS: Mapping[str, Mapping[str, str]] = {  # that the receiver takes; only time leads to EXPIRED
    PENDING: {ACCEPT: ACCEPTED, REJECT: REJECTED},
    ACCEPTED: {COMPLETE: COMPLETED, FAIL: FAILED},
}


def state_at(state: str, expires_at: datetime, now: datetime) -> str:
    """Gives the state at a moment: what nobody took in its time has expired, whatever is stored."""
    return EXPIRED if state == PENDING and expires_at <= now else state


def state_after(state: str, step: str, expires_at: datetime, now: datetime) -> str:
    """Gives the state that a step leads to, or names the steps that lead on."""
    standing = state_at(state, expires_at, now)
    legal = STEPS.get(standing, {})
    if step in legal:
        return legal[step]
    on = f"only {' or '.join(legal)} leads on" if legal else "nothing leads on"
    raise IllegalStep(f"That handoff is {standing}; from there {on}.")
