"""Every page that a newcomer meets, in terminals of 60, 80 and 140 columns."""

import json
import re
from pathlib import Path

import pytest
from terminals import shown

from knowwhy.cli.looks import cells, fitted, wrapped

GOLDEN = Path(__file__).parents[2] / "golden" / "corpus"
WIDTHS = (60, 80, 140)
ANN = ("--user", "ann")
PAGES = {  # by name: what is typed
    "help": ("--help",),
    "list": ("list",),
    "list of a kind": ("list", "--kind", "incident", "--limit", "5"),
    "a record that is not there": ("show", "adr/0012-use-kafka-as-event-bone.md"),
    "status": ("status",),
    "memories": ("memories", *ANN),
    "review": ("review", *ANN),
    "review history": ("review", "history", *ANN),
    "graph": ("graph", "ADR-12"),
    "graph audit": ("graph", "--audit"),
    "history": ("history", *ANN),
    "recalls": ("recalls", *ANN),
    "nightly": ("nightly", "--only", "expire"),
    "nightly runs": ("nightly", "--runs"),
    "doctor": ("doctor",),
    "connect": ("connect",),
    "checkpoints": ("checkpoint", "list", *ANN),
    "docs": ("docs",),
    "an unknown service": ("recall", "kafka", "--service", "paymnts", *ANN),
    "a wrong kind": ("list", "--kind", "adrs"),
}


@pytest.fixture(scope="module")
def filled(opened):
    """Fills the home once: nothing here changes what is shown."""
    from knowwhy import telemetry
    from knowwhy.cli import run
    from knowwhy.tables.write import table

    telemetry.flush()
    for name in ("records", "turns", "memories", "changes", "checkpoints", "recalls"):
        table(name).delete()
    for command in (
        ("ingest", "adr", GOLDEN / "adr"),
        ("ingest", "incident", GOLDEN / "incidents"),
        ("ingest", "conversation", GOLDEN / "conversations", *ANN),
        ("remember", "We deploy on Tuesdays because support is fully staffed.", *ANN),
        ("remember", "We might move the jobs to Bento.", "--said-by", "assistant", *ANN),
        ("checkpoint", "create", "before the move", *ANN),
        ("search", "why kafka", *ANN),
    ):
        run([str(word) for word in command])
    telemetry.flush()


def longest_word(line: str) -> int:
    return max((cells(word) for word in line.split()), default=0)


@pytest.mark.parametrize("columns", WIDTHS)
@pytest.mark.parametrize("page", PAGES)
def test_no_line_of_a_page_is_wider_than_the_terminal(filled, monkeypatch, page, columns):
    """A word that is wider stays whole on a line of its own: keys are never broken."""
    seen = shown(monkeypatch, columns, *PAGES[page])

    lines = (seen.out + seen.err).splitlines()
    indents = [len(line) - len(line.lstrip()) for line in lines]
    room = [max(columns, i + longest_word(line)) for i, line in zip(indents, lines, strict=True)]
    assert lines
    assert [] == [line for line, r in zip(lines, room, strict=True) if cells(line) > r]


@pytest.mark.parametrize("columns", WIDTHS)
def test_no_page_breaks_a_key(filled, monkeypatch, columns):
    from knowwhy.tables import queries

    keys = [record.draft.id for record in queries.records()]
    listed, tied = (
        shown(monkeypatch, columns, "list").out,
        shown(monkeypatch, columns, "graph", "ADR-12").out,
    )

    assert [] == [key for key in keys if not re.search(rf"^{re.escape(key)}(\s|$)", listed, re.M)]
    parts = re.findall(r"[\w./-]*adr/[\w./-]+", tied)
    assert parts
    assert [] == [part for part in parts if part.rstrip(".") not in keys]


def test_a_list_in_a_pipe_is_one_line_a_record_with_whole_titles(filled, capsys):
    from knowwhy.cli import run

    capsys.readouterr()
    run(["list", "--kind", "adr"])
    lines = capsys.readouterr().out.splitlines()

    assert 43 == len(lines)
    assert {4} == {line.count("\t") for line in lines}


def test_ids_are_short_for_a_person_and_whole_for_a_program(filled, monkeypatch, capsys):
    from knowwhy.cli import run

    capsys.readouterr()
    run(["memories", *ANN, "--json"])
    keys = [memory["key"] for memory in json.loads(capsys.readouterr().out)]
    seen = shown(monkeypatch, 80, "memories", *ANN).out

    assert keys
    for key in keys:
        assert (True, False) == (key[:10] in seen, key in seen)
        assert 0 == shown(monkeypatch, 80, "provenance", key[:10], *ANN).code


def test_letters_that_take_two_columns_are_counted_as_two():
    assert "決定…" == fitted("決定を記録する", 6)
    assert ["決定 を", "    記録"] == wrapped("決定 を 記録", 8)
    assert "…md" == fitted("docs/adr/0001-record.md", 3, keep_end=True)
