"""What somebody must look at: each alarm has a code, and runbooks/<code>.md says what to do."""

import shlex
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from knowwhy import models, reembed
from knowwhy.config import Settings
from knowwhy.grounding import worker
from knowwhy.grounding.learn import Learner
from knowwhy.health import look
from knowwhy.janitor import keeping
from knowwhy.tables import connect, queries
from knowwhy.tables.kept import nights, waiting
from knowwhy.tables.kept.nights import CUT_OFF, FAILED, FINISHED, STOPPED, Run
from knowwhy.tables.only_one import is_taken
from knowwhy.tables.vectors.vector_index import is_leftover
from knowwhy.types import Alarm

WAITED = timedelta(hours=24)  # that turns may wait to be read; a server reads them in seconds
CHANGING = timedelta(hours=24)  # that a change of the model may take; of 100,000 texts it is hours
NIGHT = timedelta(hours=36)  # from the end of one night run to the next: a day, and half of one
THROUGH = timedelta(days=7)  # that nights may stop before their end: a budget, or others at work
RUNS = 30  # whole nights that are looked at


def standing(settings: Settings, embedder: str, now: datetime) -> list[Alarm]:
    """Gives every alarm of a home, each code at most once; it looks and changes nothing."""
    how = Learner(embedder, settings.extractor, settings.extractor_model, settings.daily_dollars)
    changed = connect.other_model(settings.embedder)
    found = [
        *([of_model(changed)] if changed else []),
        *_reembedding(now),
        *_vectors(embedder),
        *look.standing(),
        *keeping.standing(),
        *_learning(how, now),
        *_contradictions(),
        *_night(now),
    ]
    return list({alarm.code: alarm for alarm in reversed(found)}.values())[::-1]


def of_model(text: str) -> Alarm:
    """Makes the alarm of a home whose vectors another model has made than the one that is set."""
    return Alarm("embedder-changed", text, "knowwhy reembed")


def _reembedding(now: datetime) -> Iterator[Alarm]:
    """Tells of a change of the model that nobody brings to its end."""
    begun = reembed.standing()
    if begun is not None and not begun["running"]:
        begun = reembed.standing()  # who has just ended it has noted so by now
    if begun is None:
        return
    since = datetime.fromisoformat(begun["since"])
    if not begun["running"]:
        why = "no process is at it"
    elif now - since > CHANGING:
        why = f"a process is at it for {(now - since) // timedelta(hours=1)} hours"
    else:
        return
    text = (
        f"The change of the model to {begun['to']}, begun {_day(since)}, is at {begun['state']} "
        f"and not finished: {why}."
    )
    yield Alarm("reembed-unfinished", text, f"knowwhy reembed --to {shlex.quote(begun['to'])}")


def unusable_indexes() -> list[str]:
    """Names the indexes that no search can use; what somebody is building now is none of them."""
    broken = queries.invalid_indexes()
    if any(is_leftover(name) for name in broken) and any(map(is_taken, (look.PART, reembed.PART))):
        return [name for name in broken if not is_leftover(name)]
    return broken


def _vectors(embedder: str) -> Iterator[Alarm]:
    rows, missing = queries.unindexed(embedder)
    if missing:
        text = f"{missing} of {rows} passages have no vector: no search by meaning finds them."
        yield Alarm("vectors-missing", text, "knowwhy doctor")
    broken = unusable_indexes()
    if broken:
        text = f"{len(broken)} indexes are not valid ({broken[0]} is one): no search uses them."
        yield Alarm("index-invalid", text, "knowwhy health")


def _learning(how: Learner, now: datetime) -> Iterator[Alarm]:
    """Tells what the worker that learns from conversations does not get done."""
    at = worker.standing(how)
    cap, today = how.daily_dollars, now.astimezone(UTC).date().isoformat()
    is_refused = at.problem_code == "budget_spent" and (at.problem_at or "").startswith(today)
    if models.is_paid(how.version) and (is_refused or (cap and at.spent_today >= cap)):
        text = f"${at.spent_today:.2f} of the ${cap:.2f} a day are spent; {at.turns} turns wait."
        yield Alarm("spend-cap-reached", text, "knowwhy extract --status")
    since = waiting.waiting_since(how.version, now) if at.turns else None
    if since is not None and now - since > WAITED:
        hours = (now - since) // timedelta(hours=1)
        text = f"{at.turns} turns wait to be learned from, the first of them for {hours} hours."
        yield Alarm("backlog-growing", text, "knowwhy extract")
    if at.failed:
        text = f"{at.failed} turns could not be read and are given up."
        yield Alarm("turns-given-up", text, "knowwhy extract --again")


def _contradictions() -> Iterator[Alarm]:
    found = waiting.undecided()
    if found is not None:
        pair = f"{found.one} and {found.other} are a pair"
        text = f"{found.pairs} memories contradict one that stands too ({pair})."
        whose = "--everybody" if found.user_id is None else f"--user {shlex.quote(found.user_id)}"
        where = "" if found.project is None else f" --project {shlex.quote(found.project)}"
        yield Alarm("contradictions-waiting", text, f"knowwhy review conflicts {whose}{where}")


def _night(now: datetime) -> Iterator[Alarm]:
    """Tells whether the night shift has failed, or has not come."""
    runs = nights.nights(RUNS)
    last = nights.seen(runs[0]) if runs else None
    if last is not None and last.state in (FAILED, CUT_OFF):
        text = f"The night run {last.key} of {_day(last.at)} {_ended(last)}."
        yield Alarm("nightly-failed", text, "knowwhy nightly")
    whole = [run.ended_at or run.at for run in runs if run.state in (FINISHED, STOPPED)]
    since = max(whole, default=None) or waiting.first_kept()
    if since is not None and now - since > NIGHT:
        told = "has ended since" if whole else "has ended at all; the first of what is kept came"
        text = f"No night run {told} {_day(since)} ({(now - since).days} days)."
        yield Alarm("nightly-overdue", text, "knowwhy nightly")
    elif last is not None and (came := nights.came_through()) and now - came > THROUGH:
        text = (
            f"No night run has come through all its steps since {_day(came)} "
            f"({(now - came).days} days); the last one {_left(last)}."
        )
        yield Alarm("nightly-overdue", text, "knowwhy nightly")


def _ended(run: Run) -> str:
    failed = [report["name"] for report in run.reports if report.get("failed")]
    if failed:
        return f"failed in {', '.join(failed)}"
    return "was cut off" if run.state == CUT_OFF else "was ended by an error"


def _left(last: Run) -> str:
    left = [report["name"] for report in last.reports if not report["finished"]]
    return f"stopped in {left[0]}" if left else f"is {last.state}"


def _day(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
