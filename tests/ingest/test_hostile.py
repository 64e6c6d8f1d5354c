"""Names, places and texts that somebody chose to do harm, or that a file system allows."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from knowwhy.ingest.files import find
from knowwhy.tables import queries

RUN = [sys.executable, "-c", "from knowwhy.cli import main; main()"]
TOKEN = "ghp_" + "NqVw3xYz8aBcDeFg1HiJ" + "2kLm4nOp6qRs"
GOOD = "# 7. Use PostgreSQL\n\nWe keep orders in it.\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "given"
    made.mkdir()
    (made / "good.md").write_text(GOOD)
    return made


def everything() -> str:
    rows = [(record, queries.links()) for record in queries.records(retired=True)]
    return str(rows) + str(queries.passages())


def test_a_secret_in_a_file_name_reaches_no_table_and_no_output(knowwhy, folder):
    (folder / f"deploy-{TOKEN}.md").write_text("Some words without a heading.\n")
    (folder / f"empty-{TOKEN}.md").write_text("")

    done = knowwhy("ingest", "document", folder)
    listed = knowwhy("list", "--json")

    assert "2 added" in done.out
    body = TOKEN[4:]
    for text in (everything(), done.out + done.err, listed.out):
        assert body not in text
        assert body.lower() not in text.lower()
    assert "2 unchanged" in knowwhy("ingest", "document", folder).out


@pytest.mark.parametrize(
    "field",
    [
        "id",
        "kind",
        "title",
        "service",
        "project",
        "path",
        "label",
        "status",
        "commit",
        "text",
        "retired",
    ],
)
def test_a_secret_in_any_field_of_a_line_is_not_stored(knowwhy, tmp_path, field):
    line = {"id": "a", "kind": "note", "text": "Words.", field: f"see {TOKEN} here"}
    (tmp_path / "a.jsonl").write_text(json.dumps(line) + "\n")

    done = knowwhy("ingest", "jsonl", tmp_path / "a.jsonl")

    assert "1 added" in done.out
    assert TOKEN[4:].lower() not in everything().lower()
    assert TOKEN[4:] not in knowwhy("export", "-").out


def test_ids_that_differ_only_in_a_secret_stay_two_records(knowwhy, tmp_path):
    other = TOKEN[:-4] + "wXyZ"
    lines = [{"id": f"key {token}", "kind": "note", "text": token} for token in (TOKEN, other)]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))

    assert "2 added" in knowwhy("ingest", "jsonl", tmp_path / "a.jsonl").out
    assert "2 unchanged" in knowwhy("ingest", "jsonl", tmp_path / "a.jsonl").out


def test_a_secret_in_a_told_incident_is_in_neither_key_nor_text(knowwhy):
    summary = f"password=Tr0ub4dor-Horse9x and {TOKEN} leaked. Then more."
    done = knowwhy("ingest", "incident", "--summary", summary)

    assert "1 added" in done.out
    for text in (done.out.lower(), everything().lower()):
        assert "tr0ub4dor" not in text
        assert TOKEN[4:].lower() not in text


def test_a_file_name_that_is_not_utf8_is_named_and_the_rest_goes_in(knowwhy, folder):
    with open(os.fsencode(folder) + b"/bad\xff.md", "w") as file:
        file.write(GOOD)

    done = knowwhy("ingest", "adr", folder)

    assert "1 added" in done.out
    assert "has a name not in UTF-8" in done.err


def test_an_argument_that_is_not_utf8_or_empty_is_refused():
    for argument, words in ((b"\xff", "not in UTF-8"), (b"", "An argument is empty")):
        command = [os.fsencode(word) for word in RUN] + [b"show", argument]
        done = subprocess.run(command, capture_output=True)
        assert 1 == done.returncode
        assert words in done.stderr.decode()


def test_a_file_name_with_line_breaks_and_colours_is_one_harmless_line(knowwhy, folder):
    (folder / "evil\x1b[31m\nrefused fake.md").write_text("")

    done = knowwhy("ingest", "adr", folder)

    assert 1 == len(done.err.splitlines())
    assert "\x1b" not in done.err


def test_control_characters_in_a_text_do_not_reach_the_terminal(knowwhy, folder):
    (folder / "a.md").write_text("# Ti\x1b[2Jtle\n\nWords \x1b]0;owned\x07 here.\n")
    knowwhy("ingest", "document", folder)

    for command in (("list",), ("search", "Words here"), ("show", "given/a.md")):
        assert "\x1b" not in knowwhy(*command).out


def test_a_very_deep_folder_is_read_to_its_end(folder):
    here = os.getcwd()
    os.chdir(folder)
    try:
        for _ in range(1100):
            os.mkdir("d")
            os.chdir("d")
        Path("deep.md").write_text(GOOD)
    finally:
        os.chdir(here)

    found = list(find(folder, "document"))
    subprocess.run(["rm", "-rf", str(folder / "d")], check=True)  # too deep for shutil

    assert found[0].name == "given/good.md" or found[-1].name == "given/good.md"
    assert 2 == len(found)


def test_a_folder_that_may_not_be_read_is_named_for_an_ordinary_user(folder):
    (folder / "locked").mkdir()
    (folder / "locked" / "secret.md").write_text(GOOD)
    (folder / "locked").chmod(0o444)
    top = Path(tempfile.gettempdir())
    for above in (folder, *folder.parents):
        if top in above.parents:
            above.chmod(0o755)
    code = (
        "import os, sys; from pathlib import Path; from knowwhy.ingest.files import find\n"
        "if os.geteuid() == 0: os.setuid(65534)\n"
        "for item in find(Path(sys.argv[1]), 'adr'): print(item)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(folder)], capture_output=True, text=True)

    assert 0 == done.returncode, done.stderr
    assert "good.md" in done.stdout
    assert "may not be read" in done.stdout


def test_a_link_to_something_hidden_is_named(folder):
    (folder / ".hidden").mkdir()
    (folder / ".hidden" / "h.md").write_text(GOOD)
    (folder / "seen.md").symlink_to(".hidden/h.md")

    assert ["is a link to something hidden; it was not followed"] == [
        item.why for item in find(folder, "document") if hasattr(item, "why")
    ]


def test_a_folder_reached_through_a_link_holds_the_same_records(knowwhy, folder):
    (folder.parent / "link").symlink_to(folder)
    knowwhy("ingest", "adr", folder)

    assert "1 unchanged" in knowwhy("ingest", "adr", folder.parent / "link").out


def test_a_path_with_dots_retires_like_any_other(knowwhy, folder):
    (folder / "other.md").write_text("# Other\n\nWords.\n")
    dotted = folder / ".." / "given"
    knowwhy("ingest", "adr", dotted)
    (folder / "other.md").unlink()

    assert "1 unchanged, 1 retired" in knowwhy("ingest", "adr", dotted).out


def test_a_file_or_folder_that_was_ingested_and_is_gone_is_retired(knowwhy, folder):
    knowwhy("ingest", "adr", folder)
    (folder / "good.md").unlink()
    done = knowwhy("ingest", "adr", folder / "good.md")

    assert 0 == done.code
    assert "1 retired" in done.out


def test_an_unrelated_file_does_not_overwrite_a_retired_record(knowwhy, tmp_path):
    for repository, subject in (("one", "Kafka"), ("two", "Redis")):
        made = tmp_path / repository / "adr"
        made.mkdir(parents=True)
        (made / "0002-other.md").write_text(f"# 2. Use {subject}\n\nBecause.\n")
        assert "1 added" in knowwhy("ingest", "adr", made).out
        (made / "0002-other.md").unlink()
        assert "1 retired" in knowwhy("ingest", "adr", made).out

    kept = [json.loads(line)["title"] for line in knowwhy("export", "-").out.splitlines()]
    assert 2 == len(kept)
    assert any("Kafka" in title for title in kept)


def test_dates_are_those_of_the_document_in_every_time_zone(knowwhy, folder):
    (folder / "dated.md").write_text("# 9. Dated\n\nDate: 2024-05-01\n\n## Status\n\nAccepted\n")
    knowwhy("ingest", "adr", folder)
    for zone in ("America/New_York", "Asia/Tokyo"):
        environ = {**os.environ, "TZ": zone}
        listed = subprocess.run([*RUN, "list"], env=environ, capture_output=True, text=True)
        assert "2024-05-01" in listed.stdout, listed.stderr
        rows = subprocess.run([*RUN, "list", "--json"], env=environ, capture_output=True, text=True)
        days = {row["occurred_at"] for row in json.loads(rows.stdout)}
        assert "2024-05-01T00:00:00+00:00" in days


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_a_narrow_terminal_encoding_is_no_error(knowwhy, folder, encoding):
    (folder / "wide.md").write_text("# Wide 漢字 – “quoted”\n\nWords 漢字.\n")
    knowwhy("ingest", "document", folder)
    for command in (["list"], ["search", "Words"], ["show", "given/wide.md"]):
        environ = {**os.environ, "PYTHONIOENCODING": encoding}
        done = subprocess.run([*RUN, *command], env=environ, capture_output=True)
        assert 0 == done.returncode, done.stderr


def test_output_that_cannot_be_written_is_one_line(knowwhy, folder):
    knowwhy("ingest", "adr", folder)
    with open("/dev/full", "w") as full:
        done = subprocess.run([*RUN, "list"], stdout=full, stderr=subprocess.PIPE, text=True)

    assert 1 == done.returncode
    assert "knowwhy: the output cannot be written: No space left on device.\n" == done.stderr


def test_export_keeps_links_modes_and_devices(knowwhy, folder, tmp_path):
    knowwhy("ingest", "adr", folder)
    real, link = tmp_path / "real.jsonl", tmp_path / "link.jsonl"
    real.write_text("old")
    real.chmod(0o600)
    link.symlink_to(real)

    assert 0 == knowwhy("export", link).code
    assert link.is_symlink()
    assert 0o600 == real.stat().st_mode & 0o777
    assert "good.md" in real.read_text()
    assert 0 == knowwhy("export", "/dev/null").code
    assert Path("/dev/null").is_char_device()
    assert "cannot be written: Is a directory" in knowwhy("export", tmp_path).err
