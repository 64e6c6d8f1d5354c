"""Tools that take in what stands in files, as jobs, and what somebody tells."""

from collections.abc import Callable
from pathlib import Path as Folder
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from knowwhy.errors import BadInput
from knowwhy.mcp.arguments import shown
from knowwhy.mcp.caller import Caller
from knowwhy.mcp.jobs import CANCELLED, ENDED, FAILED, STOPPING, WAITING, Job
from knowwhy.mcp.toolbox.given import Path, Service
from knowwhy.mcp.toolbox.registry import Said
from knowwhy.text.characters import one_line, without_unseen

if TYPE_CHECKING:
    from knowwhy.ingest.files import Tracked

SHOWN_REFUSED = 10  # files in a text; the data names up to a hundred
MOST_REFUSED = 100
WAITED_SHARE = 0.8  # of the time of a call over HTTP; a job outlives the call that waits for it
MOST_WHAT = 200  # characters of what a job says that it does

Wait = Annotated[
    float,
    Field(ge=0, le=600, description="Seconds to wait; after them it goes on as a job."),
]


def ingest(
    caller: Caller,
    path: Path = ".",
    kind: Annotated[
        Literal["auto", "code", "adr", "incident", "meeting", "document", "conversation", "jsonl"],
        Field(description="auto: the whole repository, each file as what it is."),
    ] = "auto",
    service: Service = None,
    wait_seconds: Wait = 20,
) -> Said:
    """Take in a repository, folder or file, so that it can be found; unchanged files are skipped.

    Use it when files are new or have changed, and when search finds nothing in a new repository.
    Long work goes on as a job: see job_status and cancel_job by run_tool. Not for what stands in no
    file (remember, ingest_incident).
    """
    work = _sync(caller, path, service) if kind == "auto" else _files(caller, kind, path, service)
    return _begun(caller, f"ingest {kind} {path}", work, wait_seconds)


def ingest_code(
    caller: Caller, path: Path = ".", service: Service = None, wait_seconds: Wait = 20
) -> Said:
    """Take in the source code under a path, as git lists it.

    Use it when only code is new or has changed. Not for a whole repository with its documents
    (ingest).
    """
    return _begun(
        caller, f"ingest code {path}", _files(caller, "code", path, service), wait_seconds
    )


def ingest_adr(
    caller: Caller, path: Path, service: Service = None, wait_seconds: Wait = 20
) -> Said:
    """Take in architecture decision records: a file or a folder of them.

    Use it after you have written or changed one. Not for a decision that stands in no file
    (remember).
    """
    return _begun(caller, f"ingest adr {path}", _files(caller, "adr", path, service), wait_seconds)


def ingest_incident(
    caller: Caller,
    summary: Annotated[
        str,
        Field(
            min_length=1,
            max_length=20_000,
            description="What happened.",
            examples=["Rate limiter misconfigured: logins failed for 40 minutes."],
        ),
    ],
    severity: Annotated[
        str | None,
        Field(
            max_length=40, description="SEV-1 to SEV-4, P1 to P5, critical, …", examples=["SEV-2"]
        ),
    ] = None,
    lessons: Annotated[
        str | None,
        Field(
            max_length=20_000, description="What was learned.", examples=["Load-test limits first."]
        ),
    ] = None,
    service: Service = None,
) -> Said:
    """Keep an incident that is told, with its severity and lessons.

    Use it when there is no file. The same summary with other lessons takes the place of what was
    told. Not for a post-mortem in a file (ingest).
    """
    from knowwhy.ingest.incidents.told import ingest_told_incident

    key, done = ingest_told_incident(summary, severity, lessons, _how(caller, service))
    if done.refused:
        raise BadInput(f"The incident was not kept: {done.refused[0].why}.")
    from knowwhy.mcp.rendered import data_block

    state = "unchanged" if done.unchanged else "kept"
    text = data_block(f"The incident is {state} as the record", key)
    return Said(text, {"key": key, **done.as_json()})


def job_status(
    caller: Caller,
    job: Annotated[
        str | None,
        Field(max_length=40, description="Left out: all of yours.", examples=["j-3f2c1ab0"]),
    ] = None,
    wait_seconds: Wait = 0,
) -> Said:
    """Tell how far a job is, whether it has finished, and what it gave.

    Use it for an ingest that went on in the background. Not for what is stored by now (statistics).
    """
    from knowwhy.mcp.rendered import NOTE, listed

    jobs = caller.serving.jobs
    if job is not None:
        return _said(_waited(caller, jobs.find(caller.asker, job), wait_seconds))
    found = jobs.of(caller.asker)
    text = listed(f"{len(found)} jobs:", map(_entry, found), "There are no jobs.")
    return Said(text, {"note": NOTE, "jobs": [one.as_json() for one in found]})


def cancel_job(
    caller: Caller, job: Annotated[str, Field(min_length=1, max_length=40, examples=["j-3f2c1ab0"])]
) -> Said:
    """Stop a job; what it has taken in stays, and the same call goes on from there.

    Use it when an ingest takes too long or reads the wrong folder. Not for how far it is
    (job_status).
    """
    stopped = caller.serving.jobs.cancel(caller.asker, job)
    return _said(_waited(caller, stopped, 5.0))


Work = Callable[[Job], dict[str, Any]]


def _how(
    caller: Caller, service: str | None, job: Job | None = None, only: "Tracked | None" = None
) -> Any:
    from knowwhy.ingest.load import Taking

    settings, project = caller.settings, caller.serving.project
    how = Taking(
        caller.embedder,
        settings.max_file_mb,
        service=service,
        project=project,
        is_bound=project is not None,
        only=only,
    )
    if job is None:
        return how
    from dataclasses import replace

    return replace(how, progress=job.advance)


def _sync(caller: Caller, path: str, service: str | None) -> Work:
    """Gives the work of taking in a repository, or a file as what its repository takes it for."""
    root = caller.file(path)
    only = _only(caller, path, root)
    if not root.exists():
        raise BadInput(f"{shown(path)} does not exist.")
    if not root.is_dir():
        raise BadInput(f"{shown(path)} is a file; say its kind, or give a folder.")

    def work(job: Job) -> dict[str, Any]:
        from knowwhy.ingest.syncing.sync_plan import plan_sync
        from knowwhy.ingest.syncing.sync_run import run_sync

        plan = plan_sync(root, _how(caller, service, only=only))
        job.total = len(plan.look)
        return run_sync(plan, job.advance).as_json()

    return work


def _files(caller: Caller, kind: str, path: str, service: str | None) -> Work:
    place = caller.file(path)
    only = _only(caller, path, place)
    if not place.exists():
        raise BadInput(f"{shown(path)} does not exist.")

    def work(job: Job) -> dict[str, Any]:
        done: dict[str, Any] = _take(caller, kind, place, service, job, only).as_json()
        return done

    return work


def _only(caller: Caller, path: str, place: Folder) -> "Tracked | None":
    """Gives the files that a caller over HTTP may have: those that git tracks.

    What it ignores or has not been told of (secrets, private notes, settings of the machine) is not
    for everybody who has a token, and whether it is there is not told either.
    """
    if caller.serving.is_local:
        return None
    from knowwhy.ingest.syncing.worktree import tracked_in

    within = next(root for root in caller.serving.roots if place.is_relative_to(root))
    found = tracked_in(place, within)
    if found is None:
        raise BadInput(
            "That path is in no git repository, and over HTTP only what git tracks is taken in. "
            "A person takes in other files at the server's machine."
        )
    if not found.reaches(place):
        raise BadInput(
            f"git tracks nothing at {shown(path)}, and over HTTP only what git tracks is taken in. "
            "Add it to the repository, or let a person take it in at the server's machine."
        )
    return found


def _take(
    caller: Caller,
    kind: str,
    place: Folder,
    service: str | None,
    job: Job,
    only: "Tracked | None",
) -> Any:
    """Takes in files of one kind as the command line does."""
    how = _how(caller, service, job, only)
    if kind == "code":
        from knowwhy.ingest import code

        listing = code.list_code([place], only)
        job.total = len(listing.files)
        return code.ingest_code(listing, [place], how)
    if kind == "jsonl":
        from knowwhy.ingest.jsonl import ingest_jsonl

        job.total = place.stat().st_size
        return ingest_jsonl([place], how)
    if kind == "conversation":
        return _hear(caller, place, job, only)
    from knowwhy.ingest.folder import count_files, ingest_files

    job.total = count_files(kind, [place], only)
    return ingest_files(kind, [place], how)


def _hear(caller: Caller, place: Folder, job: Job, only: "Tracked | None") -> Any:
    """Takes in chats as the caller's own, whatever they say.

    On this machine the repository in which each was held is its project, else that of the server;
    who calls from another machine, or is bound to a project, has only one.
    """
    from knowwhy.ingest.chat import chat_files
    from knowwhy.ingest.chat.places import Places
    from knowwhy.ingest.chat.turning import Whose

    job.total = chat_files.count_chats([place], only)
    own, serving = caller.asker.project, caller.serving
    is_free = serving.is_local and serving.project is None
    whose = Whose(user=caller.asker.user_id, project=None if is_free else own)
    places = Places(own, by_name=False) if is_free else None
    size = caller.settings.max_file_mb
    how = chat_files.Hearing(size, whose, None, job.advance, places=places, only=only)
    return chat_files.ingest_chats([place], how)


def _begun(caller: Caller, what: str, work: Work, wait: float) -> Said:
    seen = without_unseen(one_line(what))[:MOST_WHAT]
    job = caller.serving.jobs.begin(seen, caller.asker, work)
    return _said(_waited(caller, job, wait))


def _waited(caller: Caller, job: Job, wait: float) -> Job:
    """Waits for a job, telling how far it is; a caller who has gone stops it."""

    def tell() -> None:
        caller.tell(job.done, job.total, f"{job.what} is {_standing(job)}")
        if caller.stopped.is_set():
            jobs.cancel(job.asker, job.key)

    jobs = caller.serving.jobs
    if not caller.serving.is_local:
        wait = min(wait, WAITED_SHARE * caller.settings.call_seconds)
    jobs.watch(job, wait, tell)
    return job


def _said(job: Job) -> Said:
    if job.state == FAILED and job.error is not None:
        raise job.error
    from knowwhy.mcp.rendered import NOTE, data_block

    told = job.as_json()
    if job.result is None:
        return Said(_line(job), told)
    refused = _refused(job.result)
    told["result"] = {**job.result, "refused": refused[:MOST_REFUSED]}
    lines = [f"{one['where']}: {one['why']}" for one in refused[:SHOWN_REFUSED]]
    head = f"{_line(job)} {_counts(job.result)}"
    return Said(
        data_block(f"{head} Refused:", "\n".join(lines)) if lines else head, told | {"note": NOTE}
    )


def _refused(result: Any) -> list[Any]:
    inner = [one for kind in result.get("kinds", {}).values() for one in kind.get("refused", [])]
    return [*result.get("refused", []), *inner]


def _counts(result: Any) -> str:
    groups = result.get("kinds") or {"": result}
    told = []
    for kind, summary in groups.items():
        counts = [f"{n} {name}" for name, n in summary.items() if isinstance(n, int) and n]
        told.append(f"{kind} {', '.join(counts) or 'nothing new'}".strip())
    return "; ".join(told) + "."


def _line(job: Job) -> str:
    if job.state in ENDED:
        ended = "was cancelled; what it took in stays" if job.state == CANCELLED else job.state
        return f"{job.key}: {ended}."
    return f"{job.key} is {_standing(job)}; see job_status."


def _entry(job: Job) -> tuple[str, str]:
    """Gives a job as an entry of a list, with what it was asked to do and why it failed."""
    failed = f"\n{job.error}" if job.error is not None else ""
    return _line(job), f"{job.what}{failed}"


def _standing(job: Job) -> str:
    """Says how far a job is that has not ended."""
    if job.state == WAITING:
        return "waiting until the jobs before it have ended"
    state = "being stopped" if job.told_state == STOPPING else job.state
    return f"{state}, {job.done} of {job.total}" if job.total else f"{state}, {job.done}"
