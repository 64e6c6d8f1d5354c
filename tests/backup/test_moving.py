"""Everything exported and taken in again: nothing of anybody's is lost."""

import json
import os
import stat
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from knowwhy.tables import tasks, write
from knowwhy.tables.agents import bearers
from knowwhy.tables.homes import whole
from knowwhy.tables.talk import extractions, spends
from knowwhy.tables.talk.extractions import Reading
from knowwhy.tables.write import table
from knowwhy.types import Asker, Fact, Repository, Turn

ADR = "# 7. Use PostgreSQL for orders\n\n## Decision\n\nOrders are kept in PostgreSQL 16.\n"
NOW = datetime(2026, 3, 4, 5, 6, 7, 891, tzinfo=UTC)
PAID = "anthropic:some-model:1"  # nobody may be asked to pay again for what was read with it


@pytest.fixture
def filled(knowwhy, store, tmp_path) -> Path:
    """Fills every table that people fill, and exports all."""
    (tmp_path / "0007-orders.md").write_text(ADR)
    assert 0 == knowwhy("ingest", "adr", tmp_path / "0007-orders.md", "--project", "shop").code
    assert 0 == knowwhy("remember", "We use Redis 7 for sessions (ADR-8).", "--user", "ada").code
    made = json.loads(
        knowwhy("remember", "We use npm for the page.", "--user", "bob", "--json").out
    )
    assert 0 == knowwhy("update", made["key"], "We use pnpm for the page.", "--user", "bob").code
    assert 0 == knowwhy("search", "Where are orders kept?").code
    turns = [
        Turn(f"t{n}", "ada", None, "s", "user", None, f"I like café {n}.", None, NOW)
        for n in range(2)
    ]
    write.put_turns(turns)
    fact = Fact(0, "preference", "Ada likes café 0.", "I like café 0.", 0.75)
    extractions.put([Reading(turns[0], PAID, 1, (fact,))], store.embedder)
    extractions.put([Reading(turns[1], "rules_v2", 3, (), "it was too long")], store.embedder)
    bearers.add("ada", "laptop")
    tasks.put_task(Asker("ada"), "shop", "move the orders", {"files": ["a.py", {"b": 1.5}]})
    spends.reserve("some-model", 12, 1.0, NOW)
    write.put_repository(Repository("r", "/r", None, "c0ffee", "h", ("x.md",), NOW))
    from knowwhy import telemetry

    telemetry.flush()
    file = tmp_path / "all.jsonl"
    assert 0 == knowwhy("export", "--all", file).code
    return file


def rows_of(file: Path) -> Counter[str]:
    return Counter(json.loads(line).get("table") for line in file.read_text().splitlines())


def test_all_that_was_exported_is_taken_in_as_it_was(filled, knowwhy, store, tmp_path):
    before = filled.read_bytes()
    for name in whole.columns(store.embedder):
        table(name).delete()

    first = knowwhy("import", filled, "--with-tokens")
    again = knowwhy("import", filled, "--with-tokens")
    exported = knowwhy("export", "--all", tmp_path / "again.jsonl")
    found = knowwhy("search", "Where are orders kept?", "--project", "shop")
    recalled = knowwhy("recall", "Which package manager for the page?", "--user", "bob")

    counts = rows_of(filled)
    held = ("records", "turns", "extractions", "memories", "changes", "spends", "recalls",
            "repositories", "tasks", "tokens")  # fmt: skip
    assert [] == [name for name in held if not counts[name]]
    assert (0, 0, 0) == (first.code, again.code, exported.code), first.err
    assert f"{counts.total() - 1} added, 0 unchanged, 0 left as they are here\n" == first.out
    assert again.out.startswith(f"0 added, {counts.total() - 1} unchanged, 0 left")
    assert before == (tmp_path / "again.jsonl").read_bytes()
    assert "Orders are kept in PostgreSQL 16." in found.out
    assert "pnpm" in recalled.out


def test_tokens_are_taken_in_only_where_that_is_asked_for(filled, knowwhy, store):
    for name in whole.columns(store.embedder):
        table(name).delete()

    taken = knowwhy("import", filled)
    told = json.loads(knowwhy("import", filled, "--json").out)
    without = bearers.bearers()
    asked = knowwhy("import", filled, "--with-tokens")

    assert "1 tokens for HTTP were left out" in taken.err
    assert "--with-tokens" in taken.err
    assert {"left_out": 1} == told["tokens"]
    assert [] == without
    assert (asked.out.split(",")[0], asked.err) == ("1 added", "")
    assert ["laptop"] == [bearer.name for bearer in bearers.bearers()]


def test_checkpoints_are_gone_back_to_where_they_were_taken_in(knowwhy, store, tmp_path):
    def key_of(text, user):
        return json.loads(knowwhy("remember", text, "--user", user, "--json").out)["key"]

    assert 0 == knowwhy("checkpoint", "create", "nothing yet", "--user", "ada").code
    first, bobs = key_of("We use npm for the page.", "ada"), key_of("Bob likes green tea.", "bob")
    assert 0 == knowwhy("checkpoint", "create", "with npm", "--user", "ada").code
    assert 0 == knowwhy("update", first, "We use pnpm for the page.", "--user", "ada").code
    second = key_of("We deploy on Fridays.", "ada")
    file, again = tmp_path / "all.jsonl", tmp_path / "again.jsonl"
    assert 0 == knowwhy("export", "--all", file).code
    before = knowwhy("checkpoint", "diff", "with npm", "--user", "ada", "--json").out
    for name in ("nothing yet", "with npm"):
        assert 0 == knowwhy("checkpoint", "delete", name, "--user", "ada").code
    for name in whole.columns(store.embedder):
        table(name).delete()

    taken = [knowwhy("import", file) for _ in range(2)]
    assert 0 == taken[0].code, taken[0].err
    assert 0 == knowwhy("export", "--all", again).code
    told = knowwhy("checkpoint", "diff", "with npm", "--user", "ada", "--json").out
    gone_back = knowwhy("checkpoint", "rollback", "with npm", "--user", "ada")
    listed = knowwhy("memories", "--user", "ada").out
    emptied = knowwhy("checkpoint", "rollback", "nothing yet", "--user", "ada")

    assert [0, 0, 0, 0] == [ran.code for ran in (*taken, gone_back, emptied)], gone_back.err
    assert taken[1].out.startswith("0 added, ")
    assert file.read_bytes() == again.read_bytes()
    assert Counter({"checkpoint_memories": 1, "checkpoints": 2}) == Counter(
        {name: n for name, n in rows_of(file).items() if name and name.startswith("checkpoint")}
    )
    assert bobs not in "".join(
        line for line in file.read_text().splitlines() if '"checkpoint_memories"' in line
    )
    assert (before, True) == (told, first in told and second in told)
    assert ("npm for the page" in listed, "Fridays" in listed) == (True, False)
    assert "pnpm" not in listed
    assert "We use" not in knowwhy("memories", "--user", "ada").out
    assert "green tea" in knowwhy("memories", "--user", "bob").out


def test_what_was_done_to_a_memory_is_still_told(filled, knowwhy, store):
    key = next(
        row["row"]["key"]
        for row in map(json.loads, filled.read_text().splitlines())
        if row.get("table") == "memories" and row["row"]["status"] == "superseded"
    )
    before = knowwhy("provenance", key, "--user", "bob", "--json").out
    for name in whole.columns(store.embedder):
        table(name).delete()
    knowwhy("import", filled)

    assert before == knowwhy("provenance", key, "--user", "bob", "--json").out
    assert 2 == before.count('"what"')


def test_only_its_owner_may_read_an_export_of_everything(filled, knowwhy, tmp_path):
    (tmp_path / "open.jsonl").write_text("")
    os.chmod(tmp_path / "open.jsonl", 0o644)
    knowwhy("export", "--all", tmp_path / "open.jsonl")

    modes = [stat.S_IMODE(f.stat().st_mode) for f in (filled, tmp_path / "open.jsonl")]
    assert [0o600, 0o600] == modes


def test_a_row_that_is_another_one_here_stays(filled, knowwhy, store):
    later = (NOW + timedelta(days=1)).isoformat()
    filled.write_text(filled.read_text().replace('"c0ffee"', f'"{later}"'))

    ran = knowwhy("import", filled)

    assert ran.out.endswith(", 1 left as they are here\n")
    assert ["c0ffee"] == [r["commit"] for r in table("repositories").select().collect()]


LONG = "x" * 257
BROKEN = [
    ("cut off", lambda lines: lines[:-1], "cut off"),
    ("cut in a line", lambda lines: [*lines[:-1], lines[-1][:20]], "no row of a table"),
    ("without its head", lambda lines: lines[1:], "export --all"),
    ("empty", lambda lines: [], "export --all"),
    ("newer", lambda lines: [lines[0].replace('"format": 1', '"format": 2'), *lines[1:]], "form 2"),
    ("with a row twice", lambda lines: [*lines, lines[-1]], "was there before"),
    ("of another table", lambda lines: [*lines, '{"table": "x", "row": {}}'], "no row of a table"),
    ("with another column", lambda lines: [*lines, '{"table": "turns", "row": {"x": 1}}'],
     "no column 'x'"),
    ("without a key", lambda lines: [*lines, '{"table": "turns", "row": {}}'], "turns.key is not"),
    ("with a wrong time", lambda lines: [line.replace('"at": "2026', '"at": "20_6')
                                         for line in lines], "not of the type Timestamp"),
    ("with a name too long", lambda lines: [line.replace('"status": "', f'"status": "{LONG}')
                                            for line in lines], "memories.status is longer than"),
    ("deep", lambda lines: [*lines, "[" * 100_000], "no row of a table"),
]  # fmt: skip


@pytest.mark.parametrize(("what", "change", "said"), BROKEN, ids=[b[0] for b in BROKEN])
def test_a_file_with_a_fault_changes_nothing(filled, knowwhy, store, what, change, said):
    filled.write_text("\n".join(change(filled.read_text().splitlines())))
    for name in whole.columns(store.embedder):
        table(name).delete()

    ran = knowwhy("import", filled)

    assert (1, 1) == (ran.code, len(ran.err.splitlines())), ran.err
    assert said in ran.err
    assert [0] == sorted({table(name).count() for name in whole.columns(store.embedder)})
