"""Commands that care for the home: init, status, doctor, stop."""

import os
import platform
from collections.abc import Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

import click

from knowwhy.cli.extract import learner
from knowwhy.cli.looks import say, say_led
from knowwhy.cli.opening import open_home, print_json, tell_if_new
from knowwhy.config import Settings
from knowwhy.errors import BadInput, StoreBusy

JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON; see `knowwhy docs json`.")
MEGABYTE = 1_000_000  # bytes
NAMES = 10  # columns of what a line is about


@click.command("init")
def init_command() -> None:
    """Make the home and prepare the models.

    The first question is then answered as fast as the next ones.
    """
    settings = Settings.from_environ()
    tell_if_new(settings)
    embedder = open_home(settings)
    from knowwhy import models

    models.embed_query("ready", embedder)  # exports the model once, for all later processes
    usable, note = models.fallback_reranker(settings.reranker)
    click.echo(f"home      {settings.home}")
    click.echo(f"embedder  {embedder} ({models.tag(embedder)})")
    click.echo(f"reranker  {usable} ({note or models.tag(usable)})")


@click.command("status")
@JSON
def status_command(as_json: bool) -> int:
    """Tell what the home holds and what is next.

    Exits with 1 when there is an alarm; `knowwhy docs CODE` says what to do about it.
    """
    settings = Settings.from_environ()
    tell_if_new(settings)
    how = learner(settings, keeping=True)
    embedder = how.embedder
    from knowwhy import models, reembed
    from knowwhy.grounding import worker
    from knowwhy.health import alarms
    from knowwhy.tables import queries
    from knowwhy.tables.homes import storage

    found = alarms.standing(settings, embedder, datetime.now(UTC))
    counts, learning = queries.counts(), worker.standing(how)
    told = {
        "home": str(settings.home),
        "database": "external" if settings.database else "embedded",
        "embedder": embedder,
        "vectors": models.tag(embedder),
        "reembed": reembed.standing(),
        "extractor": how.version,
        **counts,
        "to_read": learning.turns,
        "to_judge": learning.facts,
        "given_up": learning.failed,
        "put_aside": [f"{key}: {why}" for key, why in learning.put_aside.items()] or None,
        "waits": learning.problem,
        "disk_mb": round(storage.on_disk() / MEGABYTE, 1),
        "python": platform.python_version(),
    }
    if as_json:
        print_json({**told, "alarms": [asdict(alarm) for alarm in found]})
        return 1 if found else 0
    _print_status(told)
    for alarm in found:
        say(f"{'alarm':<{NAMES}}{alarm.code}: {alarm.text}", after=" " * NAMES, fg="red")
        say(f"run: {alarm.run}", " " * NAMES)
    if not found:
        say(f"{'next':<{NAMES}}{_next(told)}", after=" " * NAMES)
    return 1 if found else 0


def _print_status(told: Mapping[str, Any]) -> None:
    """Says in words what a home holds."""
    kinds = ", ".join(f"{count:,} {kind}" for kind, count in told["kinds"].items())
    elsewhere = " and a Postgres of yours" if told["database"] == "external" else ""
    retired = f", and {told['retired']:,} that are retired" if told["retired"] else ""
    kept = ", ".join(
        f"{told[name]:,} {name if told[name] != 1 else one}"
        for name, one in (("passages", "passage"), ("turns", "turn"), ("memories", "memory"))
    )
    lines = {
        "home": f"{told['home']}{elsewhere}",
        "records": (f"{told['records']:,}: {kinds}" if kinds else "none yet") + retired,
        "beside": f"{kept}; asked {told['recalls']:,} time{'s' * (told['recalls'] != 1)}",
        "learning": _learning(told),
        "waits": told["waits"],
        "model": f"{told['embedder']} ({told['vectors']})",
        "disk": f"{told['disk_mb']:,} MB, with the database",
    }
    if begun := told["reembed"]:
        lines["reembed"] = f"to {begun['to']}, at {begun['state']}, since {begun['since']}"
    for name, value in lines.items():
        if value:
            say(f"{name:<{NAMES}}{value}", after=" " * NAMES)
    for stopped in told["put_aside"] or ():
        say(f"{'put aside':<{NAMES}}{stopped}", after=" " * NAMES)


def _learning(told: Mapping[str, Any]) -> str:
    """Says what of the conversations is still to be read or judged."""
    counts = (
        (told["to_read"], "turns to read"),
        (told["to_judge"], "facts to judge"),
        (told["given_up"], "turns given up"),
    )
    return ", ".join(f"{count:,} {what}" for count, what in counts if count)


def _next(told: Mapping[str, Any]) -> str:
    """Says what somebody can do next with a home as it is."""
    from knowwhy.retrieval.narrowed import EMPTY

    if not told["records"] and not told["memories"] and not told["turns"]:
        return EMPTY
    if told["to_read"] and not told["waits"]:
        return "`knowwhy extract` learns from what was said; a server does it by itself"
    return "`knowwhy search why kafka` asks; `knowwhy connect` lets an assistant ask"


@click.command("doctor")
@click.option(
    "--prove", is_flag=True, help="Prove the server instead, on a scratch home; takes a minute."
)
@JSON
def doctor_command(prove: bool, as_json: bool) -> int:
    """Check everything; say what mends it.

    Home, tables, models and indexes are looked at. Exits with 1 when there is a fault or an
    alarm; a note is none. What to do about an alarm says `knowwhy docs CODE`.

    --prove starts `serve` as an assistant does, with your settings but on a home and a repository
    that it makes in a temporary folder. It calls every tool with real arguments, recalls what it
    has told another server, looks what each leg of a search has found, and compares rows with
    vectors and with the word index. It prints each wire as ok, or as broken with what was expected
    and what came, and exits with 0 only when all are ok. Your own home is at most asked for its
    embedder; nothing stays of the folder and its processes, after Ctrl-C neither.
    """
    settings = Settings.from_environ()
    if prove:
        from knowwhy.cli.proof import print_proof

        return print_proof(settings, os.environ, as_json=as_json)
    from knowwhy.health.examine import examine

    findings = examine(settings, has_key="ANTHROPIC_API_KEY" in os.environ)
    if as_json:
        print_json([asdict(finding) for finding in findings])
    else:
        for finding in findings:
            state, colour = f"{finding.state:<6}", COLOURS[finding.state]
            say_led(state, f"{finding.what}: {finding.text}", {"fg": colour})
            if finding.run:
                say(f"run: {finding.run}", " " * 6)
    return 1 if any(finding.state in ("fault", "alarm") for finding in findings) else 0


@click.command("stop")
@click.option("--now", is_flag=True, help="Also when other processes use it: what they do fails.")
@JSON
def stop_command(now: bool, as_json: bool) -> None:
    """End the home's database.

    Else it runs on when no command does. The next command that needs it starts it again.
    Processes that use it, such as `knowwhy serve`, are named, and it is not ended under them
    unless you say --now: what they are at fails then, and what was written stays.
    """
    settings = Settings.from_environ()
    if settings.database is not None:
        raise BadInput(
            "The tables are in a Postgres of yours (PIXELTABLE_DB_CONNECT_STR), which is not ended "
            "from here."
        )
    from knowwhy.tables.homes import ending, home

    if not os.path.exists(settings.home / home.PGDATA):
        raise BadInput(f"There is no memory in {settings.home}; set PIXELTABLE_HOME to its home.")
    done = ending.end(settings.home, under_others=now)
    if not done.has_ended and done.users:
        raise StoreBusy(
            f"The database of {settings.home} is used by {'; '.join(done.users)}. End that first, "
            "or give `knowwhy stop --now`."
        )
    if as_json:
        print_json({"home": str(settings.home), **asdict(done)})
    elif done.has_ended:
        click.echo(f"The database of {settings.home} has ended.")
    else:
        click.echo(f"The database of {settings.home} was not running.")


COLOURS = {"ok": "green", "note": "yellow", "fault": "red", "alarm": "red"}
