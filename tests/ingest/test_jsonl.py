"""JSON lines in and out."""

import io
import json
from pathlib import Path

from knowwhy.ingest.folder import ingest_files
from knowwhy.ingest.jsonl import export_jsonl, ingest_jsonl
from knowwhy.ingest.load import Taking
from knowwhy.tables import queries, touched, write

CORPUS = Path(__file__).parents[2] / "golden" / "corpus"

LINES = [
    {
        "id": "PEP-1",
        "kind": "decision-record",
        "text": "PEP: 1\nTitle: Purpose\nStatus: Active\n\nX.",
    },
    {
        "id": "a/b",
        "kind": "note",
        "title": "A note",
        "text": "Text with äöü and 漢字.\n",
        "service": "orders",
        "project": "p",
        "occurred_at": "2024-03-12T10:00:00+00:00",
        "metadata": {
            "path": "notes/a.md",
            "deep": {"list": [1, 2.5, None, True]},
            "title": "other",
        },
    },
    {"id": "x::y", "kind": "note", "text": "An id with colons."},
]


def write_lines(path, lines):
    path.write_text("\n".join(json.dumps(line) for line in lines) + "\n")
    return path


def ingest(path, **more):
    done = ingest_jsonl([path], Taking("wordhash", 10, **more)).as_json()
    return {name: value for name, value in done.items() if value}


def exported() -> list[dict]:
    out = io.StringIO()
    export_jsonl(out)
    return [json.loads(line) for line in out.getvalue().splitlines()]


def test_what_goes_in_comes_out(store, tmp_path):
    assert {"added": 3} == ingest(write_lines(tmp_path / "a.jsonl", LINES))

    out = {line["id"]: line for line in exported()}
    for line in LINES:
        assert line.items() <= out[line["id"]].items()


def test_the_second_time_nothing_is_written(store, tmp_path):
    path = write_lines(tmp_path / "a.jsonl", LINES)
    ingest(path)
    version = touched.stamp("records")

    assert {"unchanged": 3} == ingest(path)
    assert version == touched.stamp("records")


def test_a_changed_line_replaces_its_record_and_the_others_stay(store, tmp_path):
    path = write_lines(tmp_path / "a.jsonl", LINES)
    ingest(path)
    changed = [*LINES[:2], {**LINES[2], "text": "Other words."}]

    assert {"updated": 1, "unchanged": 2} == ingest(write_lines(path, changed))
    assert "Other words." == queries.record("::x::y").draft.content


def test_lines_that_a_file_no_longer_has_stay(store, tmp_path):
    path = write_lines(tmp_path / "a.jsonl", LINES)
    ingest(path)

    assert {"unchanged": 1} == ingest(write_lines(path, LINES[:1]))
    assert 3 == len(list(queries.records()))


def test_two_ids_with_one_text_stay_two_records(store, tmp_path):
    twins = [{"id": name, "kind": "note", "text": "The same text."} for name in ("a", "b")]

    assert {"added": 2} == ingest(write_lines(tmp_path / "a.jsonl", twins))


def test_what_a_text_says_of_itself_is_read_by_its_kind(store, tmp_path):
    ingest(write_lines(tmp_path / "a.jsonl", LINES))

    draft = queries.record("PEP-1").draft
    assert "Purpose" == draft.title
    assert "active" == draft.status
    assert "PEP-1" == draft.label


def test_service_and_project_of_the_command_fill_what_a_line_leaves_out(store, tmp_path):
    ingest(write_lines(tmp_path / "a.jsonl", LINES), service="s", project="q")

    found = {record.draft.id: record.draft for record in queries.records()}
    assert {"q::PEP-1", "p::a/b", "q::x::y"} == set(found)
    assert "orders" == found["p::a/b"].service
    assert "s" == found["q::PEP-1"].service


def test_an_export_taken_in_elsewhere_exports_the_same_bytes(store, tmp_path):
    for kind, folder in (("adr", "adr"), ("incident", "incidents"), ("document", "docs")):
        ingest_files(kind, [CORPUS / folder], Taking("wordhash", 10))
    first_decision = CORPUS / "adr" / "0001-record-architecture-decisions.md"
    gone = {"adr/0001-record-architecture-decisions.md": str(first_decision)}
    assert 1 == write.retire_records(gone, "its file is gone")
    first = io.StringIO()
    count = export_jsonl(first)

    write.table("records").delete()
    (tmp_path / "all.jsonl").write_text(first.getvalue())
    assert {"added": count} == ingest(tmp_path / "all.jsonl")

    second = io.StringIO()
    export_jsonl(second)
    assert first.getvalue() == second.getvalue()


def test_an_export_is_ordered_by_key(store, tmp_path):
    ingest(write_lines(tmp_path / "a.jsonl", [LINES[1], LINES[0]]))

    keys = [record.draft.id for record in queries.records(retired=True)]
    assert sorted(keys) == keys


def test_an_export_has_the_same_bytes_whatever_the_order_of_ingest(store, tmp_path):
    ingest(write_lines(tmp_path / "a.jsonl", LINES))
    first = exported()
    write.table("records").delete()

    ingest(write_lines(tmp_path / "b.jsonl", LINES[::-1]))

    assert first == exported()


def test_secrets_in_metadata_and_titles_are_not_stored(store, tmp_path):
    secret = "sk-ant-" + "api03-" + "aB3dE5gH7jK9mN1pQ3sT5vX7zA9cE1gI3kM5oQ7"
    line = {
        "id": "a",
        "kind": "note",
        "title": f"Use {secret}",
        "text": f"export ANTHROPIC_API_KEY={secret}",
        "metadata": {"deep": [{"password": "hunter2-correct-horse"}, secret]},
    }
    ingest(write_lines(tmp_path / "a.jsonl", [line]))

    stored = str(exported())
    assert secret not in stored
    assert "hunter2" not in stored
