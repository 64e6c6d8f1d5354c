import inspect
import json
import subprocess
import sys
from dataclasses import dataclass, field
from types import SimpleNamespace

import pytest

from evaluation import report, run, sets
from evaluation.homes import ROOT
from evaluation.sets import EvaluationSet, Question
from evaluation.ways import QUALITY, WHOLE, Asked, How, abstained, ask

DOCS = [
    ("a", "Redis keeps the sessions of the shop.", "shop"),
    ("b", "Redis keeps the sessions of the office.", "office"),
    ("c", "Sessions in Redis end after a day.", "shop"),
    ("d", "Invoices are made on Monday night.", "shop"),
]
QUERIES = [
    {"id": "1", "text": "redis sessions", "relevant": ["b"], "hop": 1, "group": "office"},
    {"id": "2", "text": "redis sessions", "relevant": ["c"], "group": "shop", "exclude": ["a"]},
    {"id": "3", "text": "invoices on monday", "relevant": ["d"], "group": "shop", "tpl": "when"},
]


@pytest.fixture
def folder(tmp_path):
    """Writes a set with groups, so that only its own may be searched."""
    for name, rows in (
        (
            "docs",
            [
                {"id": name, "kind": "note", "text": text, "metadata": {"group": group}}
                for name, text, group in DOCS
            ],
        ),
        ("queries", QUERIES),
    ):
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return tmp_path


def test_only_the_group_of_a_question_is_searched_and_excluded_ids_are_dropped(folder, store):
    given = sets.read_set(folder)
    assert 4 == sets.ingest(given, store.embedder).added
    how = How(given, store.embedder, "none")
    found = run.ask_all(given.questions, (WHOLE,), how)[WHOLE]
    assert ("b",) == found["1"].ranked
    assert "c" == found["2"].ranked[0]
    assert {"c", "d"} >= set(found["2"].ranked)
    assert "d" == found["3"].ranked[0]


def test_a_second_ingest_of_a_set_embeds_nothing(folder, store):
    given = sets.read_set(folder)
    sets.ingest(given, store.embedder)
    again = sets.ingest(given, store.embedder)
    assert (0, 4) == (again.added + again.updated, again.unchanged)


def test_each_leg_and_all_together_answer(folder, store):
    given = sets.read_set(folder)
    sets.ingest(given, store.embedder)
    found = run.ask_all(given.questions, QUALITY, How(given, store.embedder, "none"))
    assert {"bm25", "vector", "rrf", "all"} <= set(found)
    assert all("d" == answers["3"].ranked[0] for way, answers in found.items() if way != "graph")


def test_a_folder_that_is_no_set_is_refused(tmp_path):
    with pytest.raises(SystemExit, match=r"neither docs\.jsonl"):
        sets.read_set(tmp_path)


@pytest.mark.slow
def test_the_command_prints_a_table_and_writes_the_ranking_of_the_whole(folder):
    out = folder / "run.jsonl"
    options = ["--limit", "2", "--legs", "bm25,all", "--embedder", "wordhash", "--reranker", "none"]
    done = subprocess.run(
        [sys.executable, "-m", "evaluation.run", folder, "--out", out, *options],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert 0 == done.returncode, done.stderr
    lines = done.stdout.splitlines()
    assert 4 == json.loads(lines[0])["added"]
    assert ["P@5", "R@5", "R@10", "hit@5", "MRR@10", "nDCG@10", "p50", "ms", "p95", "ms"] == (
        lines[1].split()
    )
    assert ["bm25", "all"] == [line.split()[0] for line in lines[2:4]]
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert ["1", "2"] == [row["id"] for row in rows]
    assert ["b"] == rows[0]["ranked"]


@dataclass
class Search:
    """Answers with what it was given, and remembers how it was asked."""

    names: tuple[str, ...]
    calls: list[dict] = field(default_factory=list)

    def offering(self, *keywords):
        """Gives a search that takes these keywords besides the oldest ones."""

        def search(question, **given):
            self.calls.append(given)
            hits = [SimpleNamespace(passage=SimpleNamespace(key=n), said=None) for n in self.names]
            return SimpleNamespace(hits=hits, knows=True, milliseconds={"bm25": 2.5})

        parameters = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY)
            for name in ("question", "embedder", "reranker", "k", "filters", *keywords)
        ]
        search.__signature__ = inspect.Signature(parameters)
        return search


QUESTION = Question("q", "why", frozenset({"x"}), exclude=frozenset({"y"}))
GROUPED = EvaluationSet(ROOT, (), {"g::x": "x", "g::y": "y"})


@pytest.mark.parametrize(
    ("way", "offered", "expected"),
    [
        ("bm25", ["legs", "rerank"], {"legs": ("bm25",), "rerank": "none"}),
        ("rrf", ["rerank"], {"rerank": "none"}),
        ("all", [], {}),
        ("all", ["exclude"], {"exclude": ("g::y",)}),
        ("deep", ["rerank"], {"rerank": "deep"}),
        ("deep", ["legs"], None),
    ],
)
def test_a_way_is_asked_for_by_the_keywords_that_search_takes(way, offered, expected):
    search = Search(("g::x", "g::y", "z"))
    asked = ask(QUESTION, way, How(GROUPED, "e", "own", search.offering(*offered)))
    if expected is None:
        assert asked is None
        return
    assert ("x", "z") == asked.ranked
    assert {"bm25": 2.5} == asked.steps
    [call] = search.calls
    assert expected == {n: call[n] for n in ("legs", "rerank", "exclude") if n in call}
    assert ("own", 11) == (call["reranker"], call["k"])


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ({"hits": (), "knows": True}, True),
        ({"hits": ("h",), "knows": False}, True),
        ({"hits": ("h",), "knows": True}, False),
    ],
)
def test_an_answer_abstains_when_it_says_so_or_has_no_hits(answer, expected):
    assert expected == abstained(SimpleNamespace(**answer))


def test_a_recorded_run_names_its_circumstances(tmp_path, monkeypatch):
    monkeypatch.setattr(report, "RESULTS", tmp_path)
    found = {WHOLE: {"q": Asked(("x",), 3.0, False)}}
    file = report.record("mine", [QUESTION], found, {"embedder": "e"})
    kept = json.loads(file.read_text())
    assert {"date", "commit", "cores", "load", "settings", "figures"} <= set(kept)
    assert 1.0 == kept["figures"][WHOLE]["R@10"]
    assert 3.0 == kept["figures"][WHOLE]["p95 ms"]
