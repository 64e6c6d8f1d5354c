"""Homes as kills, crashes and copies leave them."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest
import sqlalchemy as sql

from knowwhy.config import Settings
from knowwhy.errors import HomeUnusable, StoreBusy, WrongPython
from knowwhy.tables.homes import home, postgres

# Opens a home in a process of its own: a process can open one home only.
OPEN = """
import sys
from pathlib import Path
from knowwhy.config import Settings
from knowwhy.tables.connect import connect
from knowwhy.tables import queries
connect(Settings(home=Path(sys.argv[1]), embedder="wordhash"))
print(queries.counts()["records"])
"""


def start(folder: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", OPEN, str(folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def open_in_a_process(folder: Path) -> str:
    process = start(folder)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    return out


def make_pgdata(folder: Path, *, initialised: bool) -> Path:
    pgdata = folder / home.PGDATA
    (pgdata / "global").mkdir(parents=True)
    if initialised:
        (pgdata / "global" / "pg_control").write_text("a control file")
    return pgdata


def pid_file(pgdata: Path, pid: int, named: Path | None = None) -> Path:
    file = pgdata / "postmaster.pid"
    lines = [str(pid), str(named or pgdata), "1700000000", "5432", str(pgdata), "", "1 2", "ready"]
    file.write_text("\n".join(lines) + "\n")
    return file


def test_a_first_start_makes_a_home_that_is_marked_finished_and_says_nothing_on_stdout(home_folder):
    out = open_in_a_process(home_folder)

    assert "0\n" == out
    assert home.read_mark(home_folder, home.FINISHED) == home.made_with()
    assert not (home_folder / home.STARTING).exists()


@pytest.mark.slow
def test_a_home_killed_during_its_first_start_starts_again(home_folder):
    dice = random.Random(20)
    for _ in range(5):
        shutil.rmtree(home_folder, ignore_errors=True)
        process = start(home_folder)
        time.sleep(dice.uniform(0.8, 3.5))
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()

        assert "0\n" == open_in_a_process(home_folder)
        home.stop(home_folder)


def test_an_unfinished_first_start_is_rebuilt(tmp_path):
    pgdata = make_pgdata(tmp_path, initialised=True)
    (tmp_path / home.STARTING).write_text("")

    home.prepare(tmp_path)

    assert not pgdata.exists()
    assert [] == list(tmp_path.glob("pgdata.unfinished-*"))


def test_an_unfinished_start_that_could_hold_somebodys_tables_is_kept_aside(tmp_path):
    pgdata = make_pgdata(tmp_path, initialised=True)
    (pgdata / "base" / "16384").mkdir(parents=True)
    (tmp_path / home.STARTING).write_text("")

    home.prepare(tmp_path)

    assert not pgdata.exists()
    assert 1 == len(list(tmp_path.glob("pgdata.unfinished-*/base/16384")))


def test_a_database_whose_making_was_killed_is_made_again(tmp_path):
    pgdata = make_pgdata(tmp_path, initialised=True)
    pid_file(pgdata, -4242)

    home.prepare(tmp_path)

    assert not pgdata.exists()
    assert (tmp_path / home.STARTING).exists()


def test_tables_that_somebody_made_after_a_failed_first_start_stay(home_folder):
    """The first start fails after the database is up; a notebook then puts a table into it."""
    environ = {**os.environ, "PIXELTABLE_HOME": str(home_folder), "KNOWWHY_EMBEDDER": "/nowhere"}
    command = [sys.executable, "-c", "from knowwhy.cli import main; main()", "status"]
    failed = subprocess.run(command, env=environ, capture_output=True, text=True)
    assert 1 == failed.returncode
    notebook = (
        "import pixeltable as pxt;"
        "t = pxt.create_table('mine', {'x': pxt.Int}, if_exists='ignore');"
        "t.insert([{'x': 7}]); print(t.count())"
    )
    look = [sys.executable, "-c", notebook]
    made = subprocess.run(look, env=environ, capture_output=True, text=True)
    assert "1" == made.stdout.split()[-1], made.stderr

    assert "0\n" == open_in_a_process(home_folder)

    again = subprocess.run(look, env=environ, capture_output=True, text=True)
    assert "2" == again.stdout.split()[-1], again.stderr


@pytest.mark.parametrize("marked", [True, False])
def test_a_database_that_may_hold_data_is_never_touched(tmp_path, marked):
    pgdata = make_pgdata(tmp_path, initialised=True)
    if marked:
        home.mark_finished(tmp_path, home.FINISHED)
        (tmp_path / home.STARTING).write_text("")

    home.prepare(tmp_path)

    assert (pgdata / "global" / "pg_control").exists()


@pytest.mark.parametrize("pid", [os.getpid(), -77, 4_000_000], ids=["ours", "initdb", "nobody"])
def test_a_pid_file_that_no_server_of_this_home_wrote_is_removed(tmp_path, pid):
    pgdata = make_pgdata(tmp_path, initialised=True)
    home.mark_finished(tmp_path, home.FINISHED)
    file = pid_file(pgdata, pid)

    home.prepare(tmp_path)

    assert not file.exists()


def test_a_copied_home_does_not_attach_to_the_server_of_the_original(home_folder):
    open_in_a_process(home_folder)
    copy = home_folder.with_name("copy")
    shutil.copytree(home_folder, copy, ignore=shutil.ignore_patterns(".s.PGSQL*"))
    original = home.server(home_folder / home.PGDATA)

    home.prepare(copy)

    assert original is not None
    assert original.is_running()
    assert not (copy / home.PGDATA / "postmaster.pid").exists()


@contextmanager
def rewritten(file, text, seconds=None):
    """Gives a pid file another text, for a while or as long as the test looks at it."""
    before = file.read_text()
    file.write_text(text)
    back = threading.Timer(seconds or 0, file.write_text, [before])
    if seconds is not None:
        back.start()
    try:
        yield
    finally:
        back.cancel()
        if seconds is not None:
            back.join()
        file.write_text(before)


def test_a_server_that_is_still_writing_its_pid_file_is_waited_for(home_folder):
    open_in_a_process(home_folder)
    pgdata = (home_folder / home.PGDATA).resolve()
    file, running = pgdata / home.PID, home.server(pgdata)
    whole = file.read_text().splitlines(keepends=True)
    for lines in (0, 1, 2, 4, 6):
        with rewritten(file, "".join(whole[:lines]), seconds=0.1):
            home.prepare(home_folder)
        if lines >= home.SOCKET_LINE:  # it is known by now, and not yet where its socket is
            with rewritten(file, "".join(whole[:lines]), seconds=0.1):
                postgres.start(pgdata)
        assert file.exists()
        assert running == home.server(pgdata)


def test_a_server_whose_words_cannot_be_read_is_left_alone(home_folder, monkeypatch):
    open_in_a_process(home_folder)
    pgdata = home_folder / home.PGDATA
    with monkeypatch.context() as unreadable:
        unreadable.setattr(psutil.Process, "cmdline", lambda process: [])
        home.prepare(home_folder)
        home.stop_servers_of(pgdata)
        with pytest.raises(StoreBusy, match="cannot be seen whether"):
            home.stop(home_folder)

    assert (pgdata / home.PID).exists()
    running = home.server(pgdata)
    assert running is not None
    assert running.is_running()


def test_a_server_that_only_others_see_is_left_alone(home_folder):
    open_in_a_process(home_folder)
    pgdata = home_folder / home.PGDATA
    file, running = pgdata / home.PID, home.server(pgdata)
    elsewhere = "\n".join(["4000000", *file.read_text().splitlines()[1:], ""])
    with (
        rewritten(file, elsewhere),
        pytest.raises(HomeUnusable, match="cannot be seen from here, number 4000000"),
    ):
        home.prepare(home_folder)

    assert running == home.server(pgdata)


def test_who_stops_a_server_waits_for_who_starts_it(home_folder):
    open_in_a_process(home_folder)
    home.stop(home_folder)
    opening = start(home_folder)
    while not (home_folder / home.PGDATA / home.PID).exists():
        time.sleep(0.001)

    home.stop(home_folder)

    assert "does not start" not in opening.communicate(timeout=120)[1]


def test_who_starts_a_server_that_another_process_starts_already_waits_for_that(home_folder):
    open_in_a_process(home_folder)
    pgdata = (home_folder / home.PGDATA).resolve()
    file, running = pgdata / "postmaster.pid", home.server(pgdata)
    starting = "".join(file.read_text().splitlines(keepends=True)[:-1])

    with rewritten(file, starting, seconds=3):
        postgres._run(pgdata, postgres._account())

    assert running == home.server(pgdata)


def test_a_server_whose_socket_only_others_see_goes_on(home_folder):
    place = home_folder / "far" / "x".ljust(90, "x")
    place.parent.mkdir(parents=True)
    open_in_a_process(place)
    pgdata = (place / home.PGDATA).resolve()
    running, sockets = home.server(pgdata), Path(home.socket_folder(pgdata))
    assert sockets != pgdata
    hidden = sockets.rename(sockets.with_name(f"{sockets.name}-of-others"))
    try:
        with pytest.raises(HomeUnusable, match=f"process {running.pid} .* cannot be seen"):
            postgres.start(pgdata)
    finally:
        hidden.rename(sockets)

    assert running == home.server(pgdata)
    assert "0\n" == open_in_a_process(place)


def test_a_broken_list_of_handles_is_removed(tmp_path):
    pgdata = make_pgdata(tmp_path, initialised=True)
    home.mark_finished(tmp_path, home.FINISHED)
    (pgdata / ".handle_pids.json").write_text("[12, 1")

    home.prepare(tmp_path)

    assert not (pgdata / ".handle_pids.json").exists()


def test_another_minor_python_is_refused_with_what_to_do(tmp_path):
    mark = {**home.made_with(), "python": "3.99.1"}
    (tmp_path / home.FINISHED).write_text(json.dumps(mark))

    with pytest.raises(WrongPython, match=r"made with Python 3\.99\.1.*knowwhy export"):
        home.check_versions(tmp_path, home.FINISHED)


def test_another_patch_of_the_same_python_is_fine(tmp_path):
    minor = ".".join(home.made_with()["python"].split(".")[:2])
    (tmp_path / home.FINISHED).write_text(json.dumps({**home.made_with(), "python": f"{minor}.99"}))

    assert None is home.check_versions(tmp_path, home.FINISHED)


def test_a_newer_pixeltable_is_refused(tmp_path):
    (tmp_path / home.FINISHED).write_text(json.dumps({**home.made_with(), "pixeltable": "99.0.0"}))

    with pytest.raises(HomeUnusable, match=r"99\.0\.0"):
        home.check_versions(tmp_path, home.FINISHED)


def test_a_home_that_cannot_be_written_says_so(tmp_path):
    (tmp_path / "file").write_text("")

    with pytest.raises(HomeUnusable, match="set PIXELTABLE_HOME"), home.locked(tmp_path / "file"):
        pass


@pytest.mark.parametrize("name", ["a\nb", "/".join(["x" * 200] * 5)])
def test_a_path_that_postgres_cannot_be_started_in_says_so(tmp_path, name):
    with pytest.raises(HomeUnusable, match="Set PIXELTABLE_HOME to another folder"):
        home.check_place(tmp_path / name)


@pytest.mark.parametrize("name", ["a b", 'a\'s "$HOME" `x` \\', "日誌, 100%&?#@", "x" * 120])
def test_a_home_may_have_any_name_that_can_be_printed(home_folder, name):
    assert "0\n" == open_in_a_process(home_folder / name)
    home.stop(home_folder / name)
    assert "0\n" == open_in_a_process(home_folder / name)


@pytest.mark.parametrize("text", ["[]", "{}", '{"python": 3}', "{"])
def test_a_broken_mark_says_what_to_write(tmp_path, text):
    (tmp_path / home.FINISHED).write_text(text)

    with pytest.raises(HomeUnusable, match="cannot be read; restore it"):
        home.check_versions(tmp_path, home.FINISHED)


def test_only_the_newest_logs_are_kept(tmp_path):
    (tmp_path / "logs").mkdir()
    for number in range(home.LOGS_KEPT + 5):
        (tmp_path / "logs" / f"2026{number:04}.log").write_text("")

    home.prune_logs(tmp_path)

    kept = sorted(file.name for file in (tmp_path / "logs").iterdir())
    assert home.LOGS_KEPT == len(kept)
    assert "20260005.log" == kept[0]


def test_settings_name_the_variable_that_has_a_bad_value():
    with pytest.raises(Exception, match="KNOWWHY_THREADS is 'many'"):
        Settings.from_environ({"KNOWWHY_THREADS": "many"})


def test_a_server_that_the_store_started_goes_on_when_its_home_is_closed_to_others(home_folder):
    environ = {**os.environ, "PIXELTABLE_HOME": str(home_folder)}
    notebook = "import pixeltable as pxt; pxt.init()"
    home_folder.mkdir()
    subprocess.run([sys.executable, "-c", notebook], env=environ, check=True, capture_output=True)
    before = home.server(home_folder / home.PGDATA)

    status = [sys.executable, "-m", "knowwhy", "status"]
    subprocess.run(status, env=environ, check=True, capture_output=True)
    uri = postgres.Server(home.socket_folder(home_folder / home.PGDATA)).get_uri(driver="psycopg")
    with sql.create_engine(uri, isolation_level="AUTOCOMMIT").connect() as connection:
        connection.exec_driver_sql("CHECKPOINT")
        assert 1 == connection.scalar(sql.text("SELECT 1"))

    assert before == home.server(home_folder / home.PGDATA)
    assert 0 == home_folder.stat().st_mode & 0o066
    home.stop(home_folder)
    subprocess.run(status, env=environ, check=True, capture_output=True)
    assert home_folder.stat().st_mode & 0o777 in (0o700, 0o710)
