"""Bad input: one clear line each, nothing else is lost, nothing outside is read."""

import json
import os
import subprocess
from pathlib import Path

import pytest

GOOD = "# 7. Use PostgreSQL\n\n## Status\n\nAccepted\n"
OUTSIDE = "the text outside that nobody may read"


def as_root() -> bool:
    return os.geteuid() == 0


def link(path: Path, target: object) -> None:
    path.symlink_to(str(target))


def deep(levels: int) -> str:
    return "[" * levels + "]" * levels


# name: (command, file name, what makes it, words of the line that names it)
FILES = {
    "empty": ("adr", "bad.md", lambda p: p.write_text(""), "is empty"),
    "only blanks": ("adr", "bad.md", lambda p: p.write_text(" \n\t\n"), "is empty"),
    "binary": ("document", "bad.md", lambda p: p.write_bytes(b"\x89PNG\0\0\1"), "is binary"),
    "latin-1": ("document", "bad.txt", lambda p: p.write_bytes(b"caf\xe9 au lait"), "not in UTF-8"),
    "cut utf-8": ("document", "bad.md", lambda p: p.write_bytes("…".encode()[:2]), "not in UTF-8"),
    "too large": (
        "document",
        "bad.md",
        lambda p: p.write_bytes(b"x" * 10_000_001),
        "larger than 10",
    ),
    "broken yaml": ("incident", "bad.yaml", lambda p: p.write_text("a: [b\nc: }"), "YAML"),
    "yaml that is a list": ("incident", "bad.yaml", lambda p: p.write_text("- a\n- b\n"), ""),
    "yaml bomb": (
        "incident",
        "bad.yaml",
        lambda p: p.write_text(
            "a: &a [x, x]\n"
            + "".join(
                f"{c}: &{c} [*{p_}, *{p_}]\n" for p_, c in zip("abcdefgh", "bcdefghi", strict=True)
            )
        ),
        "",
    ),
    "broken json": ("incident", "bad.json", lambda p: p.write_text('{"a": '), "JSON"),
    "json too deep": ("incident", "bad.json", lambda p: p.write_text(deep(100_000)), ""),
    "cyclic link": (
        "document",
        "bad.md",
        lambda p: link(p, "bad.md"),
        "leads nowhere or to itself",
    ),
    "dangling link": ("document", "bad.md", lambda p: link(p, "nowhere"), "leads nowhere"),
    "link to outside": (
        "document",
        "bad.md",
        lambda p: link(p, p.parents[1] / "outside.md"),
        "out of the given folder",
    ),
    "link with dots": (
        "document",
        "bad.md",
        lambda p: link(p, "../outside.md"),
        "out of the given folder",
    ),
    "folder link to outside": (
        "document",
        "bad",
        lambda p: link(p, p.parents[1]),
        "out of the given folder",
    ),
    "fifo": ("document", "bad.md", lambda p: os.mkfifo(p), "not a regular file"),
}

LINES = {
    "not json": ("{", "is not JSON"),
    "not an object": ("[1, 2]", "is not a JSON object"),
    "no id": ('{"kind": "adr", "text": "x"}', "no 'id'"),
    "id that is a number": ('{"id": 5, "kind": "adr", "text": "x"}', "no 'id'"),
    "blank id": ('{"id": " ", "kind": "adr", "text": "x"}', "no 'id'"),
    "long id": (json.dumps({"id": "i" * 300, "kind": "adr", "text": "x"}), "longer than 200"),
    "no kind": ('{"id": "a", "text": "x"}', "no 'kind'"),
    "no text": ('{"id": "a", "kind": "adr"}', "no 'text'"),
    "blank text": ('{"id": "a", "kind": "adr", "text": " "}', "no 'text'"),
    "title that is a list": ('{"id": "a", "kind": "adr", "text": "x", "title": []}', "'title'"),
    "unknown field": ('{"id": "a", "kind": "adr", "text": "x", "colour": 1}', "'colour'"),
    "metadata that is text": (
        '{"id": "a", "kind": "adr", "text": "x", "metadata": "m"}',
        "metadata",
    ),
    "path with dots": (
        '{"id": "a", "kind": "adr", "text": "x", "metadata": {"path": "../../outside.md"}}',
        "leads out of its source",
    ),
    "a date that is none": (
        '{"id": "a", "kind": "adr", "text": "x", "occurred_at": "soon"}',
        "not a date",
    ),
    "NUL": ('{"id": "a", "kind": "adr", "text": "x\\u0000y"}', "NUL"),
    "NUL in metadata": (
        '{"id": "a", "kind": "adr", "text": "x", "metadata": {"k": "\\u0000"}}',
        "NUL",
    ),
    "half a surrogate": ('{"id": "a", "kind": "adr", "text": "x \\ud800"}', "surrogate"),
    "not a number": (
        '{"id": "a", "kind": "adr", "text": "x", "metadata": {"k": NaN}}',
        "not finite",
    ),
    "too deep": (
        '{"id": "a", "kind": "adr", "text": "x", "metadata": {"k": ' + deep(200) + "}}",
        "deep",
    ),
    "far too deep": (
        '{"id": "a", "kind": "adr", "text": "x", "metadata": ' + deep(50_000) + "}",
        "deep",
    ),
    "project with colons": ('{"id": "a", "kind": "adr", "text": "x", "project": "p::q"}', "'::'"),
}


@pytest.fixture
def around(tmp_path: Path) -> Path:
    (tmp_path / "outside.md").write_text(OUTSIDE)
    inside = tmp_path / "given"
    inside.mkdir()
    return inside


BROKEN_HEADS = {
    "---\ntitle: [Use Kafka\nstatus: accepted\n---\n": "YAML",
    "---\ntitle: Use Kafka\nstatus: accepted\n": "no line --- at its end",
    "---\n\ttitle: Use Kafka\n\tstatus: accepted\n---\n": "line 2",
    "---\nstatus: accepted\n   title: Use Kafka\n---\n": "line 3",
    "+++\ntitle = Use Kafka\nstatus = accepted\n+++\n": "TOML",
}


@pytest.mark.parametrize("kind", ["adr", "incident", "meeting", "document"])
def test_a_broken_head_costs_nothing_of_the_text_and_is_told(knowwhy, around, kind):
    for number, head in enumerate(BROKEN_HEADS):
        text = f"{head}\n# Use Kafka\n\nIt keeps what was sent, {number}.\n"
        (around / f"000{number}-bad.md").write_text(text)

    done = knowwhy("ingest", kind, around)

    assert 0 == done.code, done.err
    assert "5 added" in done.out
    notes = sorted(line for line in done.err.splitlines() if line.startswith("note"))
    for number, (note, why) in enumerate(zip(notes, BROKEN_HEADS.values(), strict=True)):
        assert note.startswith(f"note given/000{number}-bad.md: ")
        assert why in note
        assert f"It keeps what was sent, {number}." in stored_text()
    records = json.loads(knowwhy("list", "--json").out)
    assert all("Use Kafka" in record["title"] for record in records)
    assert kind == "meeting" or {"accepted"} == {record["status"] for record in records}


NO_TITLES = [
    '---\ntitle: "broken\nstatus: accepted\n---\n',
    "---\ntitle: 'broken\nstatus: accepted\n---\n",
    "---\ntitle: [broken\nstatus: accepted\n---\n",
    '+++\ntitle = "broken\nstatus = "accepted"\n+++\n',
    '+++\ntitle = broken"\nstatus = "accepted"\n+++\n',
    "---\ntitle: {{ page.title }}\nstatus: accepted\n---\n",
    '---\ntitle: "{{ page.title }}"\nstatus: accepted\n---\n',
    "---\ntitle: <%= title %>\nstatus: accepted\n---\n",
    "---\ntitle: ${title}\nstatus: accepted\n---\n",
    "Title: {{ page.title }}\nStatus: accepted\n\n",
]


@pytest.mark.parametrize("kind", ["adr", "incident", "meeting", "document"])
def test_half_a_title_or_one_still_to_be_filled_in_gives_way_to_the_heading(knowwhy, around, kind):
    for number, head in enumerate(NO_TITLES):
        (around / f"000{number}-bad.md").write_text(f"{head}\n# Use Kafka\n\nIt keeps {number}.\n")
    whole = '---\ntitle: "Say \\"no\\" to Redis"\nstatus: accepted\n---\n\n# Use Kafka\n\nSo.\n'
    (around / "whole.md").write_text(whole)

    assert 0 == knowwhy("ingest", kind, around).code

    records = {r["path"]: r for r in json.loads(knowwhy("list", "--json").out)}
    assert 'Say "no" to Redis' == records.pop("given/whole.md")["title"]
    assert {"Use Kafka"} == {record["title"] for record in records.values()}
    assert len(NO_TITLES) == len(records)
    assert kind == "meeting" or {"accepted"} == {record["status"] for record in records.values()}


def stored_text() -> str:
    from knowwhy.tables import queries

    return " ".join(record.draft.content for record in queries.records())


@pytest.mark.parametrize("name", FILES)
def test_a_bad_file_is_named_and_the_rest_goes_in(knowwhy, around, name):
    kind, file, make, words = FILES[name]
    (around / "good.md").write_text(GOOD)
    make(around / file)

    done = knowwhy("ingest", kind, around)

    assert 1 == done.code
    lines = [line for line in done.err.splitlines() if line.startswith("refused")]
    assert 1 == len(lines), done.err
    assert lines[0].startswith(f"refused given/{file}: ")
    assert words in lines[0]
    assert "Traceback" not in done.err
    assert "1 added" in done.out
    assert OUTSIDE not in stored_text()


@pytest.mark.parametrize("name", LINES)
def test_a_bad_line_is_named_and_the_rest_goes_in(knowwhy, around, name):
    line, words = LINES[name]
    file = around / "records.jsonl"
    good = '{"id": "good-%d", "kind": "adr", "text": "Use PostgreSQL."}'
    file.write_text("\n".join([good % 1, line, good % 2]) + "\n")

    done = knowwhy("ingest", "jsonl", file)

    assert 1 == done.code
    lines = [line for line in done.err.splitlines() if line.startswith("refused")]
    assert 1 == len(lines), done.err
    assert lines[0].startswith("refused records.jsonl:2: ")
    assert words in lines[0]
    assert "2 added" in done.out
    assert OUTSIDE not in stored_text()


def test_a_line_of_fifty_megabytes_is_named_and_the_rest_goes_in(knowwhy, around):
    file = around / "records.jsonl"
    good = b'{"id": "good-%d", "kind": "adr", "text": "Use PostgreSQL."}\n'
    huge = b'{"id": "huge", "kind": "adr", "text": "' + b"x" * 50_000_000 + b'"}\n'
    file.write_bytes(good % 1 + huge + good % 2)

    done = knowwhy("ingest", "jsonl", file)

    assert 1 == done.code
    assert "refused records.jsonl:2: is longer than 10 MB" in done.err
    assert "2 added" in done.out


def test_an_id_that_comes_twice_is_named(knowwhy, around):
    file = around / "records.jsonl"
    file.write_text(
        '{"id": "a", "kind": "k", "text": "one"}\n{"id": "a", "kind": "k", "text": "two"}\n'
    )

    done = knowwhy("ingest", "jsonl", file)

    assert "refused records.jsonl:2: its id was already given at records.jsonl:1" in done.err
    assert "1 added" in done.out


@pytest.mark.parametrize("given", ["missing.jsonl", "."])
def test_a_path_that_is_no_file_is_named(knowwhy, around, given):
    done = knowwhy("ingest", "jsonl", around / given)

    assert 1 == done.code
    assert "refused" in done.err


def test_a_folder_that_does_not_exist_is_named(knowwhy, around):
    done = knowwhy("ingest", "adr", around / "missing")

    assert 1 == done.code
    assert f"refused {around / 'missing'}: does not exist" in done.err


def test_a_folder_without_files_of_the_kind_is_named(knowwhy, around):
    done = knowwhy("ingest", "adr", around)

    assert 1 == done.code
    assert "holds no files to read as adr" in done.err


@pytest.mark.skipif(as_root(), reason="root may read everything; the next test covers root")
def test_a_file_without_permission_is_named(knowwhy, around):
    (around / "good.md").write_text(GOOD)
    (around / "bad.md").write_text("x")
    (around / "bad.md").chmod(0)

    done = knowwhy("ingest", "adr", around)

    assert "refused given/bad.md: may not be read" in done.err


@pytest.mark.skipif(not as_root(), reason="needs root, to become somebody who may not read")
def test_a_file_without_permission_is_named_for_an_ordinary_user(around):
    bad = around / "bad.md"
    bad.write_text("x")
    bad.chmod(0)
    code = (
        "import os, sys; from pathlib import Path; from knowwhy.errors import BadInput;"
        "from knowwhy.ingest.files import read; os.setuid(65534)\n"
        "try: read(Path(sys.argv[1]), 1)\n"
        "except BadInput as error: print(error)"
    )
    for folder in (around, around.parent, around.parent.parent, around.parent.parent.parent):
        folder.chmod(0o755)

    done = subprocess.run(
        [os.sys.executable, "-c", code, str(bad)], capture_output=True, text=True, check=True
    )

    assert "may not be read\n" == done.stdout
