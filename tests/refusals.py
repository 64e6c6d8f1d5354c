"""Acts on what an agent may know nothing of, each as a probe tries it."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from inquiries import SETTINGS, Probe
from knowwhy.grounding import lifecycle
from knowwhy.maas import agents, handoffs, membership, pools, shared

REFUSALS: dict[str, Callable[[Probe], Any]] = {
    "join": lambda p: membership.join(p.asker, SETTINGS, p.agent, p.pool),
    "leave": lambda p: membership.leave(p.asker, SETTINGS, p.agent, p.pool),
    "invite": lambda p: membership.invite(p.asker, SETTINGS, p.agent, p.pool, p.other),
    "permit": lambda p: membership.permit(p.asker, SETTINGS, p.agent, p.pool, p.other, "read"),
    "remove": lambda p: membership.remove(p.asker, SETTINGS, p.agent, p.pool, p.other),
    "archive": lambda p: pools.archive(p.asker, SETTINGS, p.agent, p.pool),
    "share": lambda p: shared.share(p.asker, SETTINGS, p.agent, p.pool, p.memory),
    "withdraw": lambda p: shared.withdraw(p.asker, SETTINGS, p.agent, p.pool, p.memory),
    "initiate": lambda p: handoffs.initiate(p.asker, SETTINGS, p.agent, p.other, "Do it."),
    "accept": lambda p: handoffs.accept(p.asker, SETTINGS, p.agent, p.handoff),
    "reject": lambda p: handoffs.reject(p.asker, SETTINGS, p.agent, p.handoff, "No."),
    "complete": lambda p: handoffs.complete(p.asker, SETTINGS, p.agent, p.handoff, "Done."),
    "fail": lambda p: handoffs.fail(p.asker, SETTINGS, p.agent, p.handoff, "No."),
    "deactivate": lambda p: agents.deactivate(p.asker, p.other),
    "begin": lambda p: agents.start_session(p.asker, SETTINGS, p.other),
    "retract": lambda p: lifecycle.retract(p.asker, p.memory, "No.", now=datetime.now(UTC)),
}
