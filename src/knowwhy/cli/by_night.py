"""The night shift at the command line: run, listed, undone."""

import math
from collections.abc import Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from knowwhy.cli.looks import say, short
from knowwhy.cli.opening import open_home, open_memories, print_json, stop_if_asked
from knowwhy.cli.progress import Course
from knowwhy.config import Settings
from knowwhy.errors import BadInput

if TYPE_CHECKING:
    from knowwhy.tables.kept.nights import Run

MOST_RUNS = 20  # listed
MOST_BEGUN = 1_000  # whose keys may be given by their first characters: three years of nights
SAID = {  # of each step: what it counts, one and several; what became of it, and would become
    "expire": ("memory", "memories", "expired", "would expire"),
    "merge": ("memory", "memories", "merged into others", "would be merged into others"),
    "contradictions": (
        *("contradiction", "contradictions"),
        *("settled or flagged", "would be settled or flagged"),
    ),
    "access": ("search", "searches", "counted", "would be counted"),
    "handoffs": ("handoff", "handoffs", "expired", "would expire"),
    "keeping": ("table or file", "tables and files", "tidied", "would be tidied"),
    "health": (
        "measurement",
        "measurements",
        "made of the search",
        "made of the search, and none is kept",
    ),
    "undo": ("memory", "memories", "put back", "would be put back"),
}
JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON; see `knowwhy docs json`.")


@click.command("nightly")
@click.option("--dry-run", is_flag=True, help="Only tell what would be done; writes nothing.")
@click.option("--only", metavar="STEP", help="Run one step alone.")
@click.option(
    "--budget",
    type=float,
    metavar="SECONDS",
    help="Stop between two pages when so much time has passed; the next run goes on.",
)
@click.option("--undo", metavar="RUN", help="Put back what a run did to memories.")
@click.option("--runs", "listing", is_flag=True, help="List the last runs.")
@JSON
def nightly_command(
    dry_run: bool,
    only: str | None,
    budget: float | None,
    undo: str | None,
    listing: bool,
    as_json: bool,
) -> int:
    """Keep the memories true; undo a run.

    What is over expires, doubles are merged, contradictions are settled. Meant for cron. Killed
    at any moment, the next run goes on; two never run at once. Exits with 1 when something
    needs a look. What was changed since a run is not put back with it, and the accesses that it
    counted stay counted.
    """
    if listing and (dry_run or only or undo or budget is not None):
        raise BadInput("--runs goes with --json only.")
    if budget is not None and not 0 <= budget < math.inf:
        raise BadInput(f"--budget is {budget:g}; it must be a number of seconds, 0 or more.")
    if undo and (only or budget is not None):
        raise BadInput("--undo goes with --dry-run and --json only.")
    settings = Settings.from_environ()
    embedder = (open_home if dry_run or listing else open_memories)(settings, keeping=True)
    if listing:
        return _list(as_json)
    from knowwhy import nightly
    from knowwhy.janitor import judging
    from knowwhy.maas.typed_ids import one_begun
    from knowwhy.tables.kept.nights import FAILED, runs
    from knowwhy.tables.vectors.holders import embedder as model_of_now

    undo = undo and one_begun(undo, (run.key for run in runs(MOST_BEGUN)))
    judge = judging.chosen(settings.judge, settings.judge_model, settings.daily_dollars)
    now, steps = datetime.now(UTC), 1 if undo else len(nightly.chosen(only))
    course = Course("nightly", "steps", steps, {} if undo else _seconds())
    asked = nightly.Asked(dry_run, only, budget, judge, stop_if_asked, course)
    try:
        how = embedder, now, asked
        done = nightly.undo(undo, *how) if undo else nightly.run(*how)
    finally:
        course.clear()
    standing = _standing(done, settings, model_of_now())  # the home may have changed it
    if as_json:
        print_json({**run_as_json(done), "dry_run": dry_run, "alarms": standing})
    else:
        _print(done, dry_run=dry_run)
        for alarm in standing:
            say(f"{alarm['code']}: {alarm['text']}", fg="red")
            say(f"run: {alarm['run']}", "  ")
    return 1 if standing or done.state == FAILED else 0


def _seconds() -> dict[str, int]:
    """Gives how long each step took the last time that a run was whole, in milliseconds."""
    from knowwhy.tables.kept.nights import FINISHED, nights

    for run in nights(MOST_RUNS):
        if run.state == FINISHED:
            return {report["name"]: round(1_000 * report["seconds"]) for report in run.reports}
    return {}


def _standing(done: "Run", settings: Settings, embedder: str) -> list[dict[str, Any]]:
    """Gives the alarms of the steps, and those that stand in the home after them."""
    from knowwhy.health.alarms import standing

    found = [asdict(alarm) for alarm in standing(settings, embedder, datetime.now(UTC))]
    codes = {alarm["code"] for alarm in found}
    of_steps = [alarm for report in done.reports for alarm in report["alarms"]]
    return [*(alarm for alarm in of_steps if alarm["code"] not in codes), *found]


def run_as_json(run: "Run") -> dict[str, Any]:
    """Gives a run in the stable form of docs/json.md."""
    told = asdict(run)
    del told["cursors"], told["touched_at"]
    moments = {name: run_time and run_time.isoformat() for name, run_time in _moments(run)}
    return told | moments


def _moments(run: "Run") -> list[tuple[str, datetime | None]]:
    return [("at", run.at.astimezone(UTC)), ("ended_at", run.ended_at)]


def _list(as_json: bool) -> int:
    from knowwhy.cli.memory_pages import moment
    from knowwhy.tables.kept.nights import runs, seen

    found = [seen(run) for run in runs(MOST_RUNS)]
    if as_json:
        print_json([run_as_json(run) for run in found])
        return 0
    for run in found:
        did = ", ".join(f"{report['name']} {report['done']}" for report in run.reports)
        what = f"undoes {run.undoes}" if run.undoes else did or "nothing"
        say(f"{run.key}  {moment(run.at)}  {run.state:<9} {what}")
    if not found:
        click.echo("The night shift has not run yet.")
    return 0


def _print(run: "Run", *, dry_run: bool) -> None:
    """Says in sentences what the steps did and why; those that had nothing to do at the end."""
    seconds = sum(report["seconds"] for report in run.reports)
    ran = f"{len(run.reports)} step{'s' * (len(run.reports) != 1)} in {seconds:.0f} s"
    say("A dry run: nothing was written." if dry_run else f"Run {run.key}: {run.state}, {ran}.")
    idle = [report["name"] for report in run.reports if _is_idle(report)]
    for report in run.reports:
        if not _is_idle(report):
            _print_step(report, dry_run=dry_run)
    if idle:
        say(f"Nothing to do for {', '.join(idle)}.")


def _is_idle(report: Mapping[str, Any]) -> bool:
    is_whole = report["finished"] and not (report["failed"] or report["skipped"])
    return bool(is_whole and not (report["done"] or report["notes"]))


def _print_step(report: Mapping[str, Any], *, dry_run: bool) -> None:
    from knowwhy.janitor.night import MOST_CHANGES

    left = "" if report["finished"] else ", not finished: the next run goes on"
    left = ", FAILED: the next run goes on" if report["failed"] else left
    left = ", skipped: the next run does it" if report["skipped"] else left
    say(f"{_sentence(report, dry_run=dry_run)}{left or '.'}")
    for change in report["changes"]:
        say(f"{change['what']} {short(change['key'])}: {change['why']}", "  ")
    if report["done"] > len(report["changes"]) == MOST_CHANGES:
        say("… and more; `knowwhy provenance KEY` tells what was done to a memory.", "  ")
    for note in report["notes"]:
        say(note, "  ")


def _sentence(report: Mapping[str, Any], *, dry_run: bool) -> str:
    """Says what a step did in words; one that nobody has words for by its name."""
    count, name = report["done"], report["name"]
    if name not in SAID:
        return f"{name}: {count or 'nothing done'}"
    one, several, did, would = SAID[name]
    done = would if dry_run else did
    return f"{count:,} {one if count == 1 else several} {done}" if count else f"No {one} {done}"
