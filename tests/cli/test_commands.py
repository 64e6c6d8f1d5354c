"""Every command as a person and a program meet it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

CORPUS = Path(__file__).parents[2] / "golden" / "corpus"
COMMANDS = (
    "init",
    "ingest",
    "sync",
    "search",
    "context",
    "show",
    "graph",
    "list",
    "history",
    "remember",
    "memories",
    "update",
    "retract",
    "review",
    "provenance",
    "recalls",
    "export",
    "status",
    "doctor",
)
RUN = [sys.executable, "-c", "from knowwhy.cli import main; main()"]


def shell(*arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*RUN, *arguments], capture_output=True, text=True, env={**os.environ, **environ}
    )


@pytest.fixture
def filled(knowwhy):
    knowwhy("ingest", "adr", CORPUS / "adr")
    knowwhy("ingest", "incident", CORPUS / "incidents")
    return knowwhy


def test_help_names_every_command_and_loads_nothing_heavy():
    code = (
        "import sys; from knowwhy.cli import run; run(['--help']);"
        "heavy = {'pixeltable', 'numpy', 'onnxruntime', 'rich', 'torch'} & set(sys.modules);"
        "print(sorted(heavy))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    for command in COMMANDS:
        assert f"  {command} " in done.stdout
    assert "[]" == done.stdout.splitlines()[-1]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(knowwhy, command):
    done = knowwhy(command, "--help")

    assert 0 == done.code
    assert f"Usage: knowwhy {command}" in done.out


def test_search_cites_where_each_answer_stands(filled):
    done = filled("search", "Why did we move from RabbitMQ to Kafka?", "--k", "3")

    assert 0 == done.code
    assert "[adr/0012-use-kafka-as-event-backbone.md:" in done.out
    assert "Use Kafka as the event backbone" in done.out


def test_search_as_json_is_the_same_answer_for_programs(filled):
    done = filled(
        "search", "Kafka event backbone", "--json", "--explain", "--kind", "adr", "--k", "2"
    )

    answer = json.loads(done.out)
    assert 2 == len(answer["hits"])
    hit = answer["hits"][0]
    assert "adr" == hit["kind"]
    assert hit["first_line"] <= hit["last_line"]
    assert {"bm25", "vector", "graph"} >= set(hit["ranks"]) == set(hit["parts"])
    assert {"bm25", "vector", "graph"} == set(answer["legs"]) == set(answer["weights"])
    assert answer["knows"]


def test_search_in_an_empty_home_says_that_nothing_is_known(knowwhy):
    done = knowwhy("search", "anything")

    assert 0 == done.code
    assert "Nothing that is stored answers this question" in done.out


def test_show_gives_a_record_by_key_label_or_path_with_links_both_ways(filled):
    for name in ("ADR-12", "adr/0012-use-kafka-as-event-backbone.md"):
        shown = json.loads(filled("show", name, "--json").out)
        assert "Use Kafka as the event backbone" == shown["title"]
        assert "superseded" == shown["status"]
        assert shown["text"].startswith("---")
        assert any("0033" in row["key"] for row in shown["linked_from"])
        assert {"relation", "target", "target_type", "origin"} == set(shown["links"][0])
    text = filled("show", "ADR-12").out
    assert "Linked from" in text


def test_show_of_an_unknown_key_says_what_to_do(knowwhy):
    done = knowwhy("show", "ADR-999")

    assert 1 == done.code
    assert "knowwhy: No record is called 'ADR-999'. `knowwhy list` shows the keys.\n" == done.err


def test_list_as_json_is_one_array_of_all_records(filled):
    rows = json.loads(filled("list", "--json").out)

    assert 71 == len(rows)
    assert sorted(row["key"] for row in rows) == [row["key"] for row in rows]
    assert {"adr", "incident"} == {row["kind"] for row in rows}


def test_list_can_be_limited_to_a_kind_and_a_number(filled):
    rows = json.loads(filled("list", "--json", "--kind", "incident", "--limit", "3").out)

    assert ["incident"] * 3 == [row["kind"] for row in rows]
    assert "adr/0001" in filled("list").out


def test_export_to_a_file_and_to_stdout_are_the_same_bytes(filled, tmp_path):
    file = tmp_path / "all.jsonl"
    assert 0 == filled("export", file).code

    assert file.read_text() == filled("export", "-").out
    assert [file] == list(tmp_path.iterdir())


def test_export_to_a_place_that_cannot_be_written_says_so(filled, tmp_path):
    done = filled("export", tmp_path / "missing" / "all.jsonl")

    assert 1 == done.code
    assert "cannot be written: No such file or directory." in done.err


def test_status_counts_what_the_home_holds(filled):
    told = json.loads(filled("status", "--json").out)

    assert {"adr": 43, "incident": 28} == told["kinds"]
    assert 71 == told["records"]
    assert told["passages"] >= told["records"]
    assert "wordhash" == told["embedder"]


def test_doctor_finds_nothing_wrong_with_a_good_home(filled):
    done = filled("doctor", "--json")

    found = {finding["what"]: finding["state"] for finding in json.loads(done.out)}
    assert 0 == done.code
    assert "fault" not in found.values()
    assert {"home", "tables", "file server", "vectors", "words", "database"} <= set(found)
    assert "note" == found["Anthropic key"]


def test_doctor_names_missing_vectors_and_what_to_run(filled):
    from pixeltable.env import Env

    from knowwhy.tables.write import table

    passages = table("passages")
    version = passages._tbl_version.get()
    column = next(iter(version.idxs_by_name.values())).val_col.store_name()
    name = version.store_tbl.sa_tbl.name
    engine = Env.get().engine.execution_options(isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.exec_driver_sql(f"UPDATE {name} SET {column} = NULL")

    done = filled("doctor")

    assert 1 == done.code
    assert "have no vector." in done.out
    assert "run: knowwhy export" in done.out


def test_an_incident_can_be_told_without_a_file(knowwhy):
    told = ("--summary", "The cache was full. Orders failed.", "--severity", "sev2")
    done = knowwhy(
        "ingest", "incident", *told, "--lessons", "Alert at 80 %.", "--service", "orders"
    )

    assert 0 == done.code
    key = done.out.splitlines()[-1].removeprefix("key: ")
    shown = json.loads(knowwhy("show", key, "--json").out)
    assert "SEV-2" == shown["metadata"]["severity"]
    assert "Alert at 80 %." in shown["text"]
    assert (
        "1 unchanged"
        in knowwhy(
            "ingest", "incident", *told, "--lessons", "Alert at 80 %.", "--service", "orders"
        ).out
    )


def test_an_incident_that_is_told_again_with_other_lessons_takes_the_place_of_the_first(knowwhy):
    told = ("ingest", "incident", "--summary", "The scales stood still for an hour.")
    first = knowwhy(*told, "--lessons", "Weigh by hand.")
    again = knowwhy(*told, "--lessons", "Keep a spare belt.")

    key = again.out.splitlines()[-1].removeprefix("key: ")
    text = json.loads(knowwhy("show", key, "--json").out)["text"]
    assert first.out.splitlines()[-1] == again.out.splitlines()[-1]
    assert "Keep a spare belt." in text
    assert "Weigh by hand." not in text


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["ingest", "incident"], "Give a file or folder, or tell the incident with --summary."),
        (["ingest", "incident", "--summary", "x", "--severity", "awful"], "awful"),
        (["ingest", "incident", "a.md", "--summary", "x"], "Give files or --summary, not both."),
        (["search", " "], "The question is empty."),
        (["list", "--limit", "0"], "--limit must be at least 1."),
    ],
)
def test_a_command_that_cannot_be_done_says_why_in_one_line(knowwhy, arguments, words):
    done = knowwhy(*arguments)

    assert 1 == done.code
    assert words in done.err
    assert 1 == len(done.err.strip().splitlines())


@pytest.mark.parametrize("arguments", [["nonsense"], ["search"], ["search", "x", "--k", "many"]])
def test_a_command_line_that_is_wrong_is_a_usage_error(knowwhy, arguments):
    done = knowwhy(*arguments)

    assert 2 == done.code
    assert "Error:" in done.err


def test_a_bad_setting_is_told_without_a_traceback():
    done = shell("status", KNOWWHY_THREADS="many")

    assert 1 == done.returncode
    assert (
        "knowwhy: KNOWWHY_THREADS is 'many'; it must be a whole number above zero.\n" == done.stderr
    )


def test_every_command_makes_a_missing_home_by_itself_and_keeps_stdout_clean(home_folder):
    done = shell("list", "--json", PIXELTABLE_HOME=str(home_folder))

    assert 0 == done.returncode, done.stderr
    assert [] == json.loads(done.stdout)
    assert "" == done.stderr


def test_a_reader_that_goes_away_is_not_an_error(filled, tmp_path):
    done = subprocess.run(
        f"{sys.executable} -c 'from knowwhy.cli import main; main()' export - | head -c 10",
        shell=True,
        capture_output=True,
        text=True,
    )

    assert "" == done.stderr
    assert 10 == len(done.stdout)
