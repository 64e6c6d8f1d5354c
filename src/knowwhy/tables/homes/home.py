"""The folder of an embedded database: started, finished, copied, or left behind by a kill."""

import contextlib
import fcntl
import json
import os
import platform
import shutil
import signal
import socket
import stat
import time
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.metadata import version
from pathlib import Path

import psutil

from knowwhy.errors import HomeUnusable, StoreBusy, WrongPython

FINISHED = "knowwhy.json"  # written once the tables exist; a home that has it is never rebuilt
FINISHED_ELSEWHERE = "knowwhy-external.json"  # the same, when the tables are in another Postgres
STARTING = "knowwhy.starting"  # written before a first start; alone, it means the start was killed
LOCK = "knowwhy.lock"
PGDATA = "pgdata"
LOCK_WAIT_SECONDS = 120  # a first start takes about 3 s; a slow disk many times that
SERVER_WAIT_SECONDS = 60  # crash recovery of a large home
LOGS = "logs"
LOGS_KEPT = 60  # Pixeltable writes three files a start and removes none: twenty starts
FIRST_OWN_DATABASE = 16384  # Postgres numbers those that it did not bring itself from here
PID = "postmaster.pid"  # in the database's folder: Postgres writes it when it starts
DATA_LINE, PORT_LINE, SOCKET_LINE, READY_LINE = 1, 3, 4, 7  # of it; the last is the server's state
PROGRAMS = ("postgres", "initdb")  # that write to a database's folder
LOOK_AGAIN_SECONDS = 0.2  # between two looks at what another process may be writing
LOOKS = 10
IN_NO_GROUP = 0o011  # what lets a server in that kept root's group, whatever group a folder has
LONGEST_DATA = 900  # bytes of the database's path; Postgres names files in it with 1,023 at most


@contextlib.contextmanager
def locked(home: Path) -> Iterator[None]:
    """Lets one process at a time open a home."""
    try:
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = (home / LOCK).open("a")
    except OSError as error:
        raise HomeUnusable(
            f"The home {home} cannot be written ({error.strerror}); set PIXELTABLE_HOME to a "
            "folder of yours."
        ) from None
    with lock:
        deadline = time.monotonic() + LOCK_WAIT_SECONDS
        while not _try_lock(lock.fileno()):
            if time.monotonic() > deadline:
                raise StoreBusy(f"Another process has been opening {home} for too long; try again.")
            time.sleep(0.05)
        yield


def _try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@cache  # looking for an installed package reads folders
def made_with() -> dict[str, str]:
    """Names the versions that a home depends on."""
    return {
        "python": platform.python_version(),
        "pixeltable": version("pixeltable"),
        "knowwhy": version("knowwhy"),
    }


def check_versions(home: Path, mark: str) -> None:
    """Refuses a home that another minor Python or a newer Pixeltable made."""
    made = read_mark(home, mark)
    if made is None:
        return
    here = made_with()
    if numbers(made["python"])[:2] != numbers(here["python"])[:2]:
        raise WrongPython(
            f"The home {home} was made with Python {made['python']}, this is {here['python']}. Use "
            f"Python {'.'.join(made['python'].split('.')[:2])}, or `knowwhy export --all` there "
            "and `knowwhy import` here into a new home (set PIXELTABLE_HOME)."
        )
    if numbers(made["pixeltable"]) > numbers(here["pixeltable"]):
        raise HomeUnusable(
            f"The home {home} was last opened with pixeltable {made['pixeltable']}, which older "
            f"versions cannot read (this is {here['pixeltable']}). Install that version."
        )


def check_place(home: Path) -> None:
    """Refuses a path that the embedded Postgres cannot be started in."""
    data = str(home / PGDATA)
    if not data.isprintable():
        why = "has a character in its path that cannot be printed"
    elif len(os.fsencode(data)) > LONGEST_DATA:
        why = f"has a path of more than {LONGEST_DATA} bytes"
    else:
        return
    raise HomeUnusable(
        f"The embedded database cannot start in {str(home)[:200]!r}, which {why}. Set "
        "PIXELTABLE_HOME to another folder."
    )


def keep_private(home: Path) -> None:
    """Closes a home to all but its owner: what is told to it is nobody else's.

    Files of others in it stay as they are, and so does a folder that everybody may write to, as
    the one for temporary files is.
    """
    close(home, but=entered_by(home))
    for path in (*home.iterdir(), *(home / LOGS).glob("*")):
        if path.name != PGDATA:
            close(path)


def entered_by(home: Path) -> int:
    """Gives the right by which whom the database runs as comes into a home of somebody else's.

    That is its own group's; a server that the store has started by itself is in no group.
    """
    with contextlib.suppress(FileNotFoundError):
        at_home, data = home.stat(), (home / PGDATA).stat()
        if data.st_uid != at_home.st_uid:
            if is_in_no_group(home / PGDATA):
                return IN_NO_GROUP
            return 0o010 if at_home.st_gid == data.st_gid else 0
    return 0


def is_in_no_group(pgdata: Path) -> bool:
    """Tells whether a running server lacks the group that its folder has.

    It would end at its next checkpoint if only that group could come in.
    """
    process = server(pgdata)
    with contextlib.suppress(psutil.Error, FileNotFoundError):
        return process is not None and process.gids().effective != pgdata.stat().st_gid
    return False


def close(path: Path, but: int = 0) -> None:
    """Takes the rights of all others from a folder or file of ours, but for those that are kept."""
    with contextlib.suppress(FileNotFoundError, PermissionError):
        about = path.lstat()
        is_kept = stat.S_ISDIR(about.st_mode) or stat.S_ISREG(about.st_mode)
        if is_kept and about.st_uid == os.geteuid() and not about.st_mode & stat.S_ISVTX:
            path.chmod(about.st_mode & (0o700 | but))


def numbers(version_text: str) -> tuple[int, ...]:
    """Gives a version in a form that can be compared."""
    return tuple(int(part) for part in version_text.split(".") if part.isdecimal())


def read_mark(home: Path, mark: str) -> dict[str, str] | None:
    """Reads what a finished home says of its making; None when it is not finished."""
    try:
        made = json.loads((home / mark).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except ValueError:
        made = None
    if isinstance(made, dict) and all(isinstance(made.get(name), str) for name in made_with()):
        return made
    raise HomeUnusable(
        f"{home / mark} cannot be read; restore it from a backup, or write "
        f"{json.dumps(made_with())} into it if nothing else is wrong with the home."
    )


def mark_finished(home: Path, mark: str) -> None:
    """Marks a home as complete: from now on it is never rebuilt."""
    made = read_mark(home, mark)
    here = made_with()
    wanted = here if made is None else {**here, "python": made["python"]}
    if made != wanted:
        fresh = home / f"{mark}.{os.getpid()}"
        with fresh.open("w", encoding="utf-8") as file:
            json.dump(wanted, file)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(home / mark)


def prepare(home: Path) -> None:
    """Makes a home that can be started out of whatever a kill, a crash or a copy left."""
    pgdata = home / PGDATA
    starting = (home / STARTING).exists() and read_mark(home, FINISHED) is None
    if pgdata.exists() and (starting or _never_initialised(home)):
        _set_aside(pgdata)
    if not pgdata.exists():
        (home / STARTING).write_text("a first start is under way", encoding="utf-8")
    else:
        _settle_server(pgdata)


def started(home: Path) -> None:
    """Notes that the database is complete: from now on somebody's tables may be in it."""
    (home / STARTING).unlink(missing_ok=True)


def _set_aside(pgdata: Path) -> None:
    """Clears the place of an unfinished database; one that could hold somebody's tables is kept."""
    stop_servers_of(pgdata)
    databases = [int(f.name) for f in (pgdata / "base").glob("*") if f.name.isdecimal()]
    if any(number >= FIRST_OWN_DATABASE for number in databases):
        pgdata.rename(pgdata.with_name(f"{PGDATA}.unfinished-{time.time_ns()}"))
    else:
        shutil.rmtree(pgdata, ignore_errors=True)


def _never_initialised(home: Path) -> bool:
    """Tells whether initdb was killed: it leaves no control file, or its own negative pid."""
    pgdata = home / PGDATA
    pid = _server_pid(pgdata)
    by_initdb = pid is not None and pid < 0 and read_mark(home, FINISHED) is None
    return by_initdb or not (pgdata / "global" / "pg_control").exists()


def _settle_server(pgdata: Path) -> None:
    """Removes a pid file that no server of this folder wrote; waits for one that is starting."""
    handles = pgdata / ".handle_pids.json"
    with contextlib.suppress(FileNotFoundError):
        try:
            json.loads(handles.read_text(encoding="utf-8"))
        except ValueError:
            handles.unlink()
    for _ in range(LOOKS):
        if not (pgdata / PID).exists():
            return
        if server(pgdata) is not None:
            wait_until_ready(pgdata)
            return
        if _is_left_behind(pgdata):
            (pgdata / PID).unlink(missing_ok=True)
            return
    raise StoreBusy(f"The database in {pgdata} is being started; try again in a minute.")


def _is_left_behind(pgdata: Path) -> bool:
    """Tells whether no server stands behind a pid file, which one that starts is still writing.

    A server whose pid file goes ends itself at once, so it is looked at twice.
    """
    before = _pid_lines(pgdata)
    time.sleep(LOOK_AGAIN_SECONDS)
    if server(pgdata) is not None or _pid_lines(pgdata) != before:
        return False
    if _is_for(before, pgdata) and _answers(before):
        raise HomeUnusable(
            f"The database in {pgdata} is served by a process that cannot be seen from here, "
            f"number {before[0]} of another container perhaps; nothing was changed. Use the home "
            "from there, or end that process."
        )
    return True


def _answers(lines: Sequence[str]) -> bool:
    """Tells whether somebody takes connections where a pid file says that its server does."""
    if len(lines) <= SOCKET_LINE or not lines[SOCKET_LINE].strip():
        return False
    place = Path(lines[SOCKET_LINE].strip()) / f".s.PGSQL.{lines[PORT_LINE].strip()}"
    with socket.socket(socket.AF_UNIX) as probe, contextlib.suppress(OSError):
        probe.settimeout(1)
        probe.connect(str(place))
        return True
    return False


def wait_until_ready(pgdata: Path) -> None:
    """Waits for a server that is starting; where there is none, for nothing."""
    deadline = time.monotonic() + SERVER_WAIT_SECONDS
    while server(pgdata) is not None and not is_ready(pgdata):
        if time.monotonic() > deadline:
            raise StoreBusy(f"The database in {pgdata} is still starting; try again in a minute.")
        time.sleep(0.1)


def _pid_lines(pgdata: Path) -> list[str]:
    try:
        return (pgdata / PID).read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except FileNotFoundError:
        return []


def _is_for(lines: Sequence[str], pgdata: Path) -> bool:
    return len(lines) > DATA_LINE and Path(lines[DATA_LINE]).resolve() == pgdata.resolve()


def _server_pid(pgdata: Path) -> int | None:
    return _pid_in(_pid_lines(pgdata))


def _pid_in(lines: Sequence[str]) -> int | None:
    first = "".join(lines[:1]).strip()
    return int(first) if first.lstrip("-").isdecimal() else None


def socket_folder(pgdata: Path) -> str:
    """Gives the folder of the running server's socket."""
    lines = _pid_lines(pgdata)
    folder = lines[SOCKET_LINE].strip() if len(lines) > SOCKET_LINE else ""
    if not folder:  # it is named once the server is about to take connections
        raise StoreBusy(f"The database in {pgdata} is starting or ending; try again in a minute.")
    return folder


def is_ready(pgdata: Path) -> bool:
    """Tells whether the server takes connections; where there is none, nothing is waited for."""
    lines = _pid_lines(pgdata)
    return not lines or (len(lines) > READY_LINE and lines[READY_LINE].strip() == "ready")


def server(pgdata: Path) -> psutil.Process | None:
    """Finds the running Postgres of this folder; a copied or stale pid file names another.

    One whose words cannot be read is taken for it: what is not known to be over goes on.
    """
    lines = _pid_lines(pgdata)
    pid = _pid_in(lines)
    if pid is None or pid <= 0 or not _is_for(lines, pgdata):
        return None
    try:
        process = psutil.Process(pid)
        return None if _serves(process, pgdata) is False else process
    except psutil.NoSuchProcess:
        return None


def _serves(process: psutil.Process, pgdata: Path) -> bool | None:
    """Tells whether a process is the Postgres of a folder, or makes its database.

    None where that cannot be seen.
    """
    try:
        command = process.cmdline()
        if not command and process.status() == psutil.STATUS_ZOMBIE:
            return False
    except psutil.ZombieProcess:
        return False
    except psutil.AccessDenied:
        command = []
    if not any(command):  # the system does not tell, or not now: it has no memory for it
        return None if process.name().startswith("postgres") else False
    words = {str(Path(word).resolve()) for word in command[1:] if word.startswith("/")}
    return any(name in command[0] for name in PROGRAMS) and str(pgdata.resolve()) in words


def stop_servers_of(pgdata: Path) -> None:
    """Ends what a killed start left running in a folder that is about to go."""
    for process in psutil.process_iter(["name"]):
        with contextlib.suppress(psutil.NoSuchProcess):
            if process.info["name"] in PROGRAMS and _serves(process, pgdata) is True:
                process.kill()
                process.wait(timeout=10)


def stop(home: Path) -> None:
    """Stops the embedded server of a home, which outlives every process that used it.

    One that is just starting is waited for: who starts it would take its end for a failure.
    """
    wait_until_ready(home / PGDATA)
    process = server(home / PGDATA)
    if process is None:
        return
    try:
        folder = Path(socket_folder(home / PGDATA))
        _check_serves(process, home / PGDATA)
        process.send_signal(signal.SIGINT)  # Postgres's fast shutdown
    except (StoreBusy, psutil.NoSuchProcess):
        if server(home / PGDATA) is None:  # it has ended by itself
            return
        raise
    deadline = time.monotonic() + SERVER_WAIT_SECONDS
    while server(home / PGDATA) == process:
        if time.monotonic() > deadline:
            raise StoreBusy(f"The database in {home} does not end; try again in a minute.")
        time.sleep(0.02)
    with contextlib.suppress(psutil.TimeoutExpired):  # nobody may take note of its end
        process.wait(timeout=1)
    if folder != (home / PGDATA).resolve():
        with contextlib.suppress(OSError):  # what it was made for has gone
            folder.rmdir()


def _check_serves(process: psutil.Process, pgdata: Path) -> None:
    """Refuses to end a process that may be another's."""
    for _ in range(LOOKS):
        if _serves(process, pgdata) is True:
            return
        time.sleep(LOOK_AGAIN_SECONDS)
    raise StoreBusy(
        f"It cannot be seen whether process {process.pid} is the database in {pgdata}; it was not "
        "ended. Try again in a minute."
    )


def prune_logs(home: Path) -> None:
    """Removes all but the newest of the log files that each start adds."""
    by_age = sorted((home / LOGS).glob("*.log"), key=lambda file: file.name, reverse=True)
    for file in by_age[LOGS_KEPT:]:
        file.unlink(missing_ok=True)
