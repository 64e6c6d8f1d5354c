"""Other users of the machine: none is in another's way, and none reaches another's memory."""

import os
import pwd
import shutil
import stat
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from knowwhy.tables.homes import home
from test_demo import DEMO, checkout

PACKAGES = [path for path in sys.path if path and not path.startswith(sys.base_prefix)]
LONG = 150  # characters of a path that holds no socket
# What a stranger tries: to enter the folders, to read the files, to be let in by the database.
STRANGER = """
import os, socket, sys
reached = []
for path in sys.argv[1:]:
    try:
        os.listdir(path) if os.path.isdir(path) else open(path).read()
        reached.append(path)
    except OSError:
        pass
    for place in (path, path + "/.s.PGSQL.5432"):
        try:
            with socket.socket(socket.AF_UNIX) as door:
                door.connect(place)
            reached.append(place)
        except OSError:
            pass
print(reached)
"""


def needs_root() -> None:
    if os.geteuid() != 0 or shutil.which("useradd") is None:
        pytest.skip("only root can be several users of the machine")


@pytest.fixture(scope="module")
def users() -> Iterator[list[pwd.struct_passwd]]:
    """Makes three users of the machine, who are gone afterwards."""
    needs_root()
    names = [f"knowwhy-{uuid.uuid4().hex[:8]}" for _ in range(3)]
    try:
        for name in names:
            subprocess.run(["useradd", "--no-create-home", name], check=True, capture_output=True)
        yield [pwd.getpwnam(name) for name in names]
    finally:
        for name in names:
            subprocess.run(["userdel", name], check=False, capture_output=True)


@pytest.fixture
def folders(users) -> Iterator[list[Path]]:
    """Gives each of two users a folder of their own in a place that everybody may enter."""
    place = Path(tempfile.mkdtemp(prefix="knowwhy-users-"))
    place.chmod(0o755)
    found = []
    for user in users[:2]:
        folder = place / user.pw_name
        folder.mkdir(mode=0o755)
        os.chown(folder, user.pw_uid, user.pw_gid)
        found.append(folder)
    yield found
    for pgdata in place.rglob("pgdata"):
        home.stop(pgdata.parent)
    shutil.rmtree(place, ignore_errors=True)


def as_user(
    user: pwd.struct_passwd, command: list[str], folder: Path, **environ: str
) -> "subprocess.Popen[str]":
    """Starts a program as another user, whose home a folder is."""
    given = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "KNOWWHY_EMBEDDER": "wordhash",
        "KNOWWHY_RERANKER": "none",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPATH": os.pathsep.join(PACKAGES),
        **environ,
    }
    return subprocess.Popen(
        command,
        env=given,
        cwd="/",
        user=user.pw_uid,
        group=user.pw_gid,
        extra_groups=[],
        umask=0o022,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.fixture(scope="module")
def python(users) -> str:
    """Gives a Python with these packages that other users of the machine may start."""
    system = shutil.which(f"python{sys.version_info[0]}.{sys.version_info[1]}", path="/usr/bin")
    for found in filter(None, (sys.executable, system)):
        try:
            with as_user(
                users[0], [found, "-c", "import knowwhy.cli, pixeltable"], Path("/")
            ) as one:
                one.communicate(timeout=120)
        except PermissionError:
            continue
        if one.returncode == 0:
            return found
    pytest.skip("other users may not read this Python and its packages")


def far_down(folder: Path) -> Path:
    """Gives the path of a home that is too long to hold a socket."""
    return folder / "x".ljust(LONG - len(str(folder)) - len("//home"), "x") / "home"


def reached_by(user: pwd.struct_passwd, python: str, paths: list[Path]) -> str:
    command = [python, "-c", STRANGER, *map(str, paths)]
    with as_user(user, command, Path("/")) as tried:
        out, err = tried.communicate(timeout=60)
    assert 0 == tried.returncode, err
    return out.strip()


def doors_of(folder: Path) -> list[Path]:
    """Names everything by which a home could be come to."""
    sockets = Path(home.socket_folder(folder / home.PGDATA))
    inside = [path for path in folder.rglob("*") if not path.is_socket()]
    return [folder, sockets.parent, sockets, *inside]


@pytest.mark.parametrize("where", ["short", "long"])
def test_two_users_at_once_have_memories_that_a_third_does_not_reach(users, python, folders, where):
    homes = [far_down(folder) if where == "long" else folder / "h" for folder in folders]
    say = [python, "-m", "knowwhy", "say", "The pigeon loft is closed.", "--user", "u"]
    begun = [
        as_user(user, say, folder, PIXELTABLE_HOME=str(place))
        for user, folder, place in zip(users, folders, homes, strict=False)
    ]
    told = [process.communicate(timeout=300) for process in begun]

    assert [0, 0] == [process.returncode for process in begun], told
    for place, owner, other in zip(homes, users, reversed(users[:2]), strict=False):
        server = home.server(place / home.PGDATA)
        assert server is not None
        assert owner.pw_uid == server.uids().real
        assert [] == server.net_connections("inet")
        for stranger in (users[2], other):
            assert "[]" == reached_by(stranger, python, doors_of(place))


@pytest.mark.model
@pytest.mark.slow
def test_two_users_run_the_demo_at_once_far_down_and_a_third_reaches_neither(
    users, python, folders
):
    models, places, begun = Path("~/.cache/knowwhy").expanduser(), [], []
    for user, folder in zip(users, folders, strict=False):
        place = checkout(far_down(folder), python)
        assert len(str(place)) == LONG
        if models.exists():  # exported once, which takes longer than the demo
            shutil.copytree(models, folder / ".cache" / "knowwhy")
        subprocess.run(["chown", "-hR", str(user.pw_uid), folder], check=True)
        begun.append(as_user(user, [*DEMO[:1], "-C", str(place), *DEMO[1:]], folder))
        places.append(place / ".demo-home")
    told = [process.communicate(timeout=1_200) for process in begun]

    assert [0, 0] == [process.returncode for process in begun], told
    for place, (out, _) in zip(places, told, strict=True):
        assert "Use Kafka as the event backbone" in out
        assert "[]" == reached_by(users[2], python, doors_of(place))


def test_the_memory_of_root_is_reached_by_no_other_user(users, python, home_folder):
    home_folder.parent.chmod(0o700)
    for place in (home_folder, far_down(home_folder.parent)):
        run = subprocess.run(
            [sys.executable, "-m", "knowwhy", "say", "The loft is closed.", "--user", "u"],
            env={**os.environ, "PIXELTABLE_HOME": str(place)},
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert 0 == run.returncode, run.stderr

        assert "[]" == reached_by(users[0], python, doors_of(place))
        assert 0 == stat.S_IMODE(home_folder.parent.stat().st_mode) & 0o007
        home.stop(place)


def test_a_folder_that_somebody_else_has_put_there_is_not_used(users, python, folders):
    """The runtime folders' names can be foreseen; whoever makes them first gains nothing."""
    mine = folders[0]
    temporary = Path(tempfile.mkdtemp(prefix="knowwhy-tmp-"))
    temporary.chmod(0o1777)
    trap = temporary / f"knowwhy-run-{users[0].pw_uid}"
    trap.mkdir()
    os.chown(trap, users[1].pw_uid, users[1].pw_gid)
    mine.chmod(0o755)
    say = [python, "-m", "knowwhy", "say", "Closed.", "--user", "u"]
    place = far_down(mine)
    without_room = mine / "y".ljust(90, "y")  # a home of the user in which no socket fits either
    given = {"HOME": str(without_room), "TMPDIR": str(temporary), "PIXELTABLE_HOME": str(place)}
    with as_user(users[0], say, mine, **given) as tried:
        _, err = tried.communicate(timeout=300)
    shutil.rmtree(temporary, ignore_errors=True)

    assert 1 == tried.returncode
    assert "somebody else's" in err
    assert "PIXELTABLE_HOME to a shorter path" in err
    assert "Traceback" not in err


def test_a_home_that_an_older_version_left_open_is_closed(home_folder):
    def run(*words: str) -> "subprocess.CompletedProcess[str]":
        environ = {**os.environ, "PIXELTABLE_HOME": str(home_folder)}
        return subprocess.run(
            [sys.executable, "-m", "knowwhy", *words],
            env=environ,
            capture_output=True,
            text=True,
            umask=0o022,
            timeout=300,
        )

    assert 0 == run("say", "The loft is closed.", "--user", "u").returncode
    made = open_to_others(home_folder)
    for path in (home_folder, home_folder / "logs"):
        path.chmod(0o755)
    for path in (home_folder / "config.toml", *home_folder.glob("logs/*")):
        path.chmod(0o644)
    assert len(open_to_others(home_folder)) > len(made)

    done = run("say", "It opens at noon.", "--user", "u")

    assert 0 == done.returncode, done.stderr
    assert [] == made
    assert [] == open_to_others(home_folder)


def open_to_others(folder: Path) -> list[Path]:
    """Lists what others may read or enter; as root the database's own user may come through."""
    return [
        path
        for path in (folder, *folder.iterdir(), *folder.glob("logs/*"))
        if stat.S_IMODE(path.lstat().st_mode) & (0o067 if path == folder else 0o077)
        and not stat.S_ISSOCK(path.lstat().st_mode)
    ]


def test_no_file_of_the_store_is_left_where_everybody_writes(home_folder):
    far = far_down(home_folder.parent)
    with tempfile.TemporaryDirectory() as temporary:
        done = subprocess.run(
            [sys.executable, "-m", "knowwhy", "say", "Closed.", "--user", "u"],
            env={**os.environ, "PIXELTABLE_HOME": str(far), "TMPDIR": temporary},
            capture_output=True,
            text=True,
            timeout=300,
        )
        left = [path.name for path in Path(temporary).iterdir()]

    assert 0 == done.returncode, done.stderr
    assert [] == [name for name in left if not name.startswith("knowwhy-run-")]
