"""What paid models have cost: noted before each call, so that no crash hides a price."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from uuid import uuid4

import sqlalchemy as sql

from knowwhy.errors import BudgetSpent, ModelBusy, ModelUnavailable
from knowwhy.models.claude_call import Usage
from knowwhy.tables import direct
from knowwhy.tables.failures import translated
from knowwhy.tables.write import queue, table

MICRO = 1_000_000  # of a dollar


@contextmanager
def paying(
    model: str, most: int, daily_dollars: float, now: datetime
) -> Iterator[Callable[[Usage], None]]:
    """Notes what a call may cost, then what it did cost, as it is told; refuses beyond the cap.

    Of a call that the service refused nothing is charged; of one that nobody knows the end of, all.
    """
    noted = reserve(model, most, daily_dollars, now)

    def told(used: Usage) -> None:
        settle(noted, used.tokens_in, used.tokens_out, used.micro_dollars)

    try:
        yield told
    except ModelUnavailable as error:
        if not (isinstance(error, ModelBusy) and error.cost):
            settle(noted, 0, 0, 0)
        raise


def reserve(model: str, most: int, daily_dollars: float, now: datetime) -> str:
    """Notes what a call can cost at most and gives the key of the note; refuses beyond the cap."""
    with translated("looking at what was spent"), queue("spends"):
        spent = spent_micro_dollars(now)
        if spent + most > daily_dollars * MICRO:
            raise BudgetSpent(
                f"${spent / MICRO:.4f} of the ${daily_dollars:.2f} a day are spent, and the next "
                f"call may cost ${most / MICRO:.4f}. What waits is read after 00:00 UTC; "
                "KNOWWHY_DAILY_DOLLARS allows more."
            )
        key = f"s-{uuid4().hex}"
        row = {"tokens_in": 0, "tokens_out": 0, "micro_dollars": most, "at": now}
        table("spends").insert([{"key": key, "day": day_of(now), "model": model, **row}])
    return key


def settle(key: str, tokens_in: int, tokens_out: int, micro_dollars: int) -> None:
    """Puts what a call has cost in the place of what it could have cost."""
    told = {"tokens_in": tokens_in, "tokens_out": tokens_out, "micro_dollars": micro_dollars}
    with translated("noting what was spent"), queue("spends"):
        table("spends").batch_update([{"key": key, **told}])


def spent_micro_dollars(now: datetime) -> int:
    """Gives what has been spent on the day of a moment, in millionths of a dollar."""
    spends = direct.live_rows("spends")
    total = sql.func.coalesce(sql.func.sum(spends.c.micro_dollars), 0)
    today = sql.select(total.label("total")).where(spends.c.day_indexed == sql.bindparam("day"))
    return int(direct.select("adding up what was spent", today, day=day_of(now))[0]["total"])


def day_of(now: datetime) -> str:
    """Names the day of a moment, by UTC."""
    return now.astimezone(UTC).date().isoformat()
