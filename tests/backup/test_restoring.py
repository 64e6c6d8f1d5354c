"""A backup restored on another home, and the files that are refused with nothing changed."""

import fcntl
import hashlib
import json
import os
import shutil
import stat
import subprocess
import sys
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from knowwhy.backup import canaries
from knowwhy.errors import BadInput, HomeUnusable
from knowwhy.retrieval.legs import CANDIDATES
from knowwhy.tables.homes import dumping, unfinished
from knowwhy.tables.schema import base_tables
from knowwhy.tables.write import put_turns
from knowwhy.types import Turn

ADR = "# 7. Use PostgreSQL for orders\n\n## Decision\n\nOrders are kept in PostgreSQL 16.\n"
WORDLESS = ("👍", "…", "?!", "to the")  # turns that no search finds by their words
Members = dict[str, bytes]


@pytest.fixture(scope="module")
def made(opened, tmp_path_factory) -> Path:
    """Gives a backup of a home with a record, a memory, a turn and four that say nothing."""
    from knowwhy.cli import run
    from knowwhy.tables.write import table

    for name in base_tables(opened.embedder):
        table(name).delete()
    folder = tmp_path_factory.mktemp("made")
    (folder / "0007-orders.md").write_text(ADR)
    assert 0 == run(["ingest", "adr", str(folder / "0007-orders.md")])
    assert 0 == run(["remember", "Redis 7 keeps the sessions (ADR-8).", "--user", "ada"])
    assert 0 == run(["say", "The pigeon loft is closed.", "--user", "ada"])
    for wordless in WORDLESS:
        assert 0 == run(["say", wordless, "--user", "ada"])
    assert 0 == run(["backup", str(folder / "b.zip")])
    return folder / "b.zip"


@pytest.fixture
def backup(made, tmp_path) -> Path:
    """Gives the backup as a file of the test's own."""
    return Path(shutil.copy2(made, tmp_path / "b.zip"))


def members_of(file: Path) -> Members:
    with zipfile.ZipFile(file) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def write(file: Path, members: Members, *, sealed: bool = False) -> None:
    """Writes a backup of members; `sealed` lets the manifest name what they are now."""
    if sealed:
        manifest = json.loads(members["manifest.json"])
        manifest["members"] = {
            name: {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
            for name, data in members.items()
            if name != "manifest.json"
        }
        members = members | {"manifest.json": json.dumps(manifest).encode()}
    with zipfile.ZipFile(file, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)


def run(home: Path, *arguments: object) -> "subprocess.CompletedProcess[str]":
    """Runs a command in a process of its own, which can open another home."""
    command = [sys.executable, "-m", "knowwhy", *map(str, arguments)]
    environ = {**os.environ, "PIXELTABLE_HOME": str(home)}
    return subprocess.run(command, env=environ, capture_output=True, text=True, timeout=180)


def test_a_backup_is_restored_with_all_that_is_in_it_and_goes_on(backup, home_folder):
    restored = run(home_folder, "restore", backup, "--json")
    told = json.loads(restored.stdout)
    found = run(home_folder, "search", "Where are orders kept?", "--json")
    recalled = run(home_folder, "recall", "What keeps the sessions?", "--user", "ada", "--json")
    added = run(home_folder, "remember", "We use Kafka 3 for the events (ADR-9).", "--user", "ada")
    doctor = run(home_folder, "doctor")
    again = run(home_folder, "restore", backup)

    assert (0, "") == (restored.returncode, restored.stderr)
    assert {"tried": 3, "problems": []} == told["canaries"]
    assert (1, 1, 5) == tuple(told["counts"][name] for name in ("records", "memories", "turns"))
    assert "Orders are kept in PostgreSQL 16." in found.stdout
    assert "Redis 7 keeps the sessions" in recalled.stdout
    assert 0 == added.returncode, added.stderr
    assert 0 == doctor.returncode, doctor.stdout
    assert (1, True) == (again.returncode, "never overwritten" in again.stderr)


def test_the_rows_that_are_searched_for_are_the_newest_ones_with_words(backup):
    told = json.loads(members_of(backup)["manifest.json"])["canaries"]

    assert {"records": 1, "memories": 1, "turns": 1} == {n: len(keys) for n, keys in told.items()}


def test_rows_without_words_are_gone_past_as_far_as_it_takes(knowwhy, store):
    said = ["The pigeon loft is closed.", "Show me everything.", *WORDLESS * 20]
    said[40:40] = ["The ferry sails at noon.", "The mill grinds at night."]
    at = datetime.now(UTC)
    turns = [
        Turn(f"t{n:03}", "ada", None, "s", "user", None, text, None, at)
        for n, text in enumerate(said)
    ]
    for start in range(0, len(turns), 2):  # what is written later is newer
        put_turns(turns[start : start + 2])

    with dumping.moment(base_tables(store.embedder)) as moment:
        chosen = moment.canaries["turns"]

    assert {"t041", "t040", "t000"} == set(chosen)
    assert (3, []) == canaries.look({"turns": chosen}, store.embedder)


def test_a_backup_of_before_may_name_rows_without_words_and_copies_of_others(knowwhy, store):
    at = datetime.now(UTC)
    said = ["👍", "OK!", *["ok"] * (2 * CANDIDATES)]
    put_turns(
        [
            Turn(f"t{n}", "ada", None, "s", "user", None, text, None, at)
            for n, text in enumerate(said)
        ]
    )

    assert (1, []) == canaries.look({"turns": ["t0", "t1"]}, store.embedder)


def test_only_its_owner_may_read_a_backup(backup):
    assert 0o600 == stat.S_IMODE(backup.stat().st_mode)


def test_a_backup_replaces_a_backup_and_nothing_else(backup, knowwhy, tmp_path):
    other = tmp_path / "thesis.txt"
    other.write_text("years of work")

    refused, again = knowwhy("backup", other), knowwhy("backup", backup)

    assert (1, 0) == (refused.code, again.code)
    assert "years of work" == other.read_text()
    assert [] == list(tmp_path.glob("*.part"))


def test_a_backup_that_another_one_finishes_at_that_moment_is_not_emptied(
    backup, knowwhy, monkeypatch
):
    whole = backup.read_bytes()
    part = backup.with_name(f"{backup.name}.part")
    part.write_bytes(whole)
    lock = fcntl.flock

    def lock_once_it_is_done(file, how):
        if part.exists() and os.path.samestat(
            os.stat(file if isinstance(file, int) else file.fileno()), part.stat()
        ):
            part.replace(backup)
        lock(file, how)

    monkeypatch.setattr(fcntl, "flock", lock_once_it_is_done)
    refused = knowwhy("backup", backup)
    monkeypatch.undo()

    assert (1, 1) == (refused.code, len(refused.err.splitlines()))
    assert whole == backup.read_bytes()


def test_a_backup_that_cannot_be_written_is_refused_with_a_sentence(knowwhy, tmp_path):
    ran = knowwhy("backup", tmp_path / "no" / "such" / "b.zip")

    assert (1, 1) == (ran.code, len(ran.err.splitlines()))


def test_a_backup_does_not_go_into_its_own_home(knowwhy):
    home = Path(os.environ["PIXELTABLE_HOME"])

    assert "belongs elsewhere" in knowwhy("backup", home / "media" / "b.zip").err


def test_a_backup_of_no_home_is_refused_and_makes_none(knowwhy, tmp_path, monkeypatch):
    monkeypatch.setenv("PIXELTABLE_HOME", str(tmp_path / "nowhere"))

    ran = knowwhy("backup", tmp_path / "b.zip")

    assert (1, False) == (ran.code, (tmp_path / "nowhere").exists())


def test_another_postgres_is_backed_up_by_its_own_tools(knowwhy, tmp_path, monkeypatch):
    monkeypatch.setenv("PIXELTABLE_DB_CONNECT_STR", "postgresql+psycopg://x@localhost/y")

    assert "pg_dump" in knowwhy("backup", tmp_path / "b.zip").err
    assert "pg_restore" in knowwhy("restore", tmp_path / "b.zip").err


def manifest_with(members: Members, **told: object) -> Members:
    manifest = json.loads(members["manifest.json"])
    return members | {"manifest.json": json.dumps({**manifest, **told}).encode()}


def newer(members: Members, name: str) -> Members:
    versions = json.loads(members["manifest.json"])["versions"]
    return manifest_with(members, versions={**versions, name: "99.0"})


CHANGED: list[tuple[str, Callable[[Members], Members], bool, str]] = [
    ("of a newer form", lambda m: manifest_with(m, format=2), False, "newer"),
    ("of a newer knowwhy", lambda m: newer(m, "knowwhy"), False, "newer"),
    ("of a newer pixeltable", lambda m: newer(m, "pixeltable"), False, "newer"),
    ("of a newer Postgres", lambda m: newer(m, "postgres"), False, "newer"),
    ("of another Python", lambda m: newer(m, "python"), False, "Python 99.0"),
    ("of another model", lambda m: manifest_with(m, embedder="minilm"), False, "unset it"),
    ("without a database", lambda m: {"manifest.json": m["manifest.json"]}, False, "no backup"),
    ("without a manifest", lambda m: {"database.dump": b"PGDMP"}, False, "no backup"),
    ("with a manifest of noise", lambda m: m | {"manifest.json": b"[1, 2"}, False, "damaged"),
    ("with a deep manifest", lambda m: m | {"manifest.json": b"[" * 99_999}, False, "damaged"),
    ("with an odd manifest", lambda m: manifest_with(m, rows=[]), False, "damaged"),
    ("with an odd database", lambda m: manifest_with(m, database="x; DROP"), False, "damaged"),
    ("with a changed byte", lambda m: m | {"database.dump": m["database.dump"][:-1] + b"?"},
     False, "damaged"),
    ("with a short dump", lambda m: m | {"database.dump": m["database.dump"][:99]}, True, "dump"),
    ("with another dump", lambda m: m | {"database.dump": b"DROP TABLE x;"}, True, "no dump"),
    ("with one file more", lambda m: m | {"files/media/x": b"x"}, False, "damaged"),
    ("that climbs", lambda m: m | {"files/../../evil": b"x"}, True, "no backup does"),
    ("that climbs in media", lambda m: m | {"files/media/../../evil": b"x"}, True, "no backup"),
    ("with an absolute path", lambda m: m | {"/etc/cron.d/evil": b"x"}, True, "no backup does"),
    ("with another path", lambda m: m | {"files/pgdata/pg_hba.conf": b"x"}, True, "no backup"),
    ("with a folder as settings", lambda m: m | {"files/config.toml/x": b"x"}, True, "no backup"),
]  # fmt: skip


@pytest.mark.parametrize(("what", "change", "sealed", "said"), CHANGED, ids=[c[0] for c in CHANGED])
def test_a_file_that_is_no_backup_of_ours_is_refused_with_nothing_changed(
    backup, knowwhy, tmp_path, monkeypatch, what, change, sealed, said
):
    evil, home = tmp_path / "evil.zip", tmp_path / "deep" / "er" / "home"
    write(evil, change(members_of(backup)), sealed=sealed)
    before = sorted(tmp_path.rglob("*"))
    monkeypatch.setenv("PIXELTABLE_HOME", str(home))

    ran = knowwhy("restore", evil)

    assert (1, 1, "") == (ran.code, len(ran.err.splitlines()), ran.out), what
    assert said in ran.err
    assert "Traceback" not in ran.err
    assert before == sorted(tmp_path.rglob("*"))


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9, 0.999])
def test_a_file_that_was_cut_off_is_refused(backup, knowwhy, tmp_path, monkeypatch, share):
    cut = tmp_path / "cut.zip"
    cut.write_bytes(backup.read_bytes()[: int(backup.stat().st_size * share)])
    monkeypatch.setenv("PIXELTABLE_HOME", str(tmp_path / "home"))

    ran = knowwhy("restore", cut)

    assert (1, 1) == (ran.code, len(ran.err.splitlines()))
    assert not (tmp_path / "home").exists()


def test_a_link_in_the_file_is_refused(backup, knowwhy, tmp_path, monkeypatch):
    evil, link = tmp_path / "evil.zip", zipfile.ZipInfo("files/media/link")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    members = members_of(backup)
    write(evil, members | {"files/media/link": b"/etc/passwd"}, sealed=True)
    manifest = members_of(evil)["manifest.json"]
    with zipfile.ZipFile(evil, "w") as archive:
        for name, data in (members | {"manifest.json": manifest}).items():
            archive.writestr(name, data)
        archive.writestr(link, b"/etc/passwd")
    monkeypatch.setenv("PIXELTABLE_HOME", str(tmp_path / "home"))

    assert "no plain file" in knowwhy("restore", evil).err
    assert not (tmp_path / "home").exists()


def test_a_name_that_is_there_twice_is_refused(backup, knowwhy, tmp_path, monkeypatch):
    with (
        pytest.warns(UserWarning, match="Duplicate"),
        zipfile.ZipFile(backup, "a") as archive,
    ):
        archive.writestr("database.dump", b"PGDMP of somebody else")
    monkeypatch.setenv("PIXELTABLE_HOME", str(tmp_path / "home"))

    assert "does not hold what its manifest names" in knowwhy("restore", backup).err


def test_a_database_with_a_program_in_it_is_refused(store, knowwhy, tmp_path, monkeypatch):
    import sqlalchemy as sql
    from pixeltable.env import Env

    engine = Env.get().engine.execution_options(isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(sql.text("CREATE FUNCTION evil() RETURNS int LANGUAGE sql RETURN 1"))
        try:
            assert 0 == knowwhy("backup", tmp_path / "b.zip").code
        finally:
            connection.execute(sql.text("DROP FUNCTION evil()"))
    monkeypatch.setenv("PIXELTABLE_HOME", str(tmp_path / "home"))

    assert "FUNCTION" in knowwhy("restore", tmp_path / "b.zip").err
    assert not (tmp_path / "home").exists()


OLD_FORM = "UPDATE systeminfo SET md = jsonb_set(md, '{schema_version}', '15')"
OF_NOW = "UPDATE systeminfo SET md = jsonb_set(md, '{schema_version}', '56')"
PICKLED = """
UPDATE dirs SET additional_md = '{"columns": [{"value_expr": {
    "_classpath": "pixeltable.func.callable_function.CallableFunction",
    "name": "evil", "binary": "gASVIQ=="}}]}'
"""
PLANTED = {
    "metadata of long ago": (OLD_FORM, OF_NOW, "of another form (15"),
    "a pickled function": (PICKLED, "UPDATE dirs SET additional_md = '{}'", "program of its own"),
}


@pytest.mark.parametrize("what", PLANTED)
def test_a_database_that_would_have_its_pickles_read_is_refused(
    store, knowwhy, home_folder, tmp_path, what
):
    import sqlalchemy as sql
    from pixeltable.env import Env

    plant, take_out, said = PLANTED[what]
    engine = Env.get().engine.execution_options(isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(sql.text(plant.replace(":", "\\:")))
        try:
            kept = knowwhy("backup", tmp_path / "b.zip")
        finally:
            connection.execute(sql.text(take_out))
    assert 0 == kept.code, kept.err

    ran = run(home_folder, "restore", tmp_path / "b.zip")

    assert (1, 1) == (ran.returncode, len(ran.stderr.splitlines())), ran.stderr
    assert said in ran.stderr
    assert not (home_folder / "pgdata").exists()


def test_a_turn_whose_memory_was_taken_back_is_no_fault_of_a_backup(
    knowwhy, store, home_folder, tmp_path
):
    assert 0 == knowwhy("say", "We keep the sessions in Redis 7.", "--user", "ada").code
    assert 0 == knowwhy("extract", "--user", "ada").code
    key = json.loads(knowwhy("memories", "--user", "ada", "--json").out)[0]["key"]
    assert 0 == knowwhy("retract", key, "--why", "No longer.", "--user", "ada").code
    assert 0 == knowwhy("backup", tmp_path / "b.zip").code

    restored = run(home_folder, "restore", tmp_path / "b.zip")

    assert (0, "") == (restored.returncode, restored.stderr)


def test_a_dump_whose_tables_are_programs_gets_no_rights(backup, home_folder, tmp_path):
    evil, proof = tmp_path / "evil.zip", home_folder.parent / "proof"
    members = members_of(backup)
    dump = members["database.dump"]
    begin = dump.index(b"CREATE TABLE public.dirs")
    end = dump.index(b");\n", begin) + 3
    planted = f"COPY (SELECT 1) TO PROGRAM 'touch {proof}';\n".encode()
    assert len(planted) <= end - begin
    changed = dump[:begin] + planted.ljust(end - begin) + dump[end:]
    write(evil, members | {"database.dump": changed}, sealed=True)

    ran = run(home_folder, "restore", evil)

    assert (1, 1) == (ran.returncode, len(ran.stderr.splitlines())), ran.stderr
    assert not proof.exists()
    assert not (home_folder / "pgdata").exists()
    assert not (home_folder / unfinished.MARK).exists()


def test_a_home_that_is_half_restored_is_recognised_and_restored_again(backup, home_folder):
    home_folder.mkdir()
    (home_folder / "pgdata").mkdir()
    (home_folder / "pgdata" / "PG_VERSION").write_text("16\n")
    (home_folder / unfinished.MARK).write_text(json.dumps({"names": ["config.toml"]}))
    (home_folder / "config.toml").write_text("half")
    (home_folder / "knowwhy-words.cache").write_text("of another life")

    status = run(home_folder, "status")
    restored = run(home_folder, "restore", backup)

    assert (1, True) == (status.returncode, "is not whole" in status.stderr)
    assert (0, "") == (restored.returncode, restored.stderr)
    assert not (home_folder / unfinished.MARK).exists()
    assert 0 == run(home_folder, "status").returncode


def test_files_that_are_in_the_way_are_not_overwritten(tmp_path):
    (tmp_path / "config.toml").write_text("mine")

    with pytest.raises(HomeUnusable, match="there already"):
        unfinished.check_free(tmp_path, ["config.toml"])


def test_two_restores_into_one_home_do_not_meet(tmp_path):
    from knowwhy.errors import StoreBusy

    with (
        unfinished.begun(tmp_path, []),
        pytest.raises(StoreBusy, match="is restoring"),
        unfinished.begun(tmp_path, []),
    ):
        pass


def test_a_restore_that_fails_takes_back_what_it_did(tmp_path):
    def restore() -> None:
        with unfinished.begun(tmp_path, ["media"]):
            (tmp_path / "media").mkdir()
            (tmp_path / "pgdata").mkdir()
            raise BadInput("no")

    with pytest.raises(BadInput):
        restore()

    assert [] == list(tmp_path.iterdir())
