"""The word index follows the tables, whoever writes them, and starts from its snapshot."""

import inspect
import subprocess
import sys
import threading

import numpy as np
import pytest
from rank_bm25 import BM25Okapi

from knowwhy.retrieval.words import bm25, snapshot
from knowwhy.tables import queries, touched, write
from knowwhy.text.tokens import tokens
from knowwhy.types import Draft, Filters


def draft(key: str, content: str, **more: object) -> Draft:
    given = {"kind": "document", "title": key, "content_hash": f"{content}{more}"}
    return Draft(id=key, content=content, **{**given, **more})


def put(*drafts: Draft) -> None:
    write.put_records(write.prepare(drafts, "wordhash"))


def ask(question: str, k: int = 10, **filters: object) -> list[str]:
    found = bm25.current().search(question, Filters(**filters), k)
    return [passage.key for passage, _ in found]


@pytest.fixture
def fresh(store, monkeypatch):
    """Forgets the index and its snapshot, as a new process would on a new home."""
    (touched.folder() / snapshot.FILE).unlink(missing_ok=True)
    monkeypatch.setattr(bm25, "_kept", [])


def begin_again(monkeypatch):
    monkeypatch.setattr(bm25, "_kept", [])


def test_scores_equal_okapi_built_on_the_passages_of_the_project(store):
    put(
        *(draft(f"a{n}", f"Redis holds sessions {n} of {n % 3}.", project="p") for n in range(9)),
        draft("b", "# One\n\nKafka carries events.\n\n# Two\n\nRedis too.", project="p"),
        draft("c", "Redis Redis Redis sessions elsewhere.", project="q"),
    )
    passages = queries.passages(Filters(project="p"))
    reference = BM25Okapi([tokens(passage.search_text) for passage in passages])
    expected = {
        (passage.key, passage.pos): score
        for passage, score in zip(passages, reference.get_scores(tokens("redis")), strict=True)
        if set(tokens("redis")) & set(tokens(passage.search_text))
    }

    found = dict(bm25.current().best("redis", Filters(project="p"), 100))

    assert expected.keys() == found.keys()
    assert np.allclose([expected[p] for p in found], list(found.values()), rtol=0, atol=1e-9)


def test_what_is_added_changed_retired_or_deleted_is_so_in_the_next_search(fresh):
    put(draft("a", "Redis holds sessions.", source="/a"), draft("b", "Kafka carries events."))
    assert ["a"] == ask("redis")

    put(draft("a", "PostgreSQL holds orders.", source="/a"), draft("c", "Redis keeps counters."))
    assert ["c"] == ask("redis")
    assert ["a"] == ask("postgresql")

    write.retire_records({"a": "/a"}, "its file is gone")
    assert [] == ask("postgresql")

    records = write.table("records")
    records.delete(where=records.key == "c")
    assert [] == ask("redis")
    assert ["b"] == ask("kafka")
    assert 1 == len(bm25.current().index)


def test_a_changed_title_or_status_shows_in_the_hit(store):
    put(draft("a", "Redis holds sessions.", status="proposed"))
    ask("redis")

    put(draft("a", "Redis holds sessions.", status="accepted", title="Sessions"))

    passage, _ = bm25.current().search("redis", Filters(), 1)[0]
    assert ("Sessions", "accepted") == (passage.title, passage.status)
    assert passage.search_text.startswith("Sessions")


def test_only_records_touched_since_are_read(store, monkeypatch):
    put(*(draft(f"k{n}", f"Fact {n} about redis.") for n in range(20)))
    ask("redis")
    read = []
    inner = touched.pieces
    monkeypatch.setattr(touched, "pieces", lambda keys: read.extend(keys) or inner(keys))

    put(draft("k7", "Fact 7 about kafka."), draft("new", "Kafka is new."))

    assert {"k7", "new"} == set(ask("kafka"))
    assert ["k7", "new"] == sorted(read)


WRITER = """
from knowwhy.config import Settings
from knowwhy.tables import write
from knowwhy.tables.connect import connect
from knowwhy.types import Draft

connect(Settings.from_environ())
draft = Draft(id="theirs", kind="document", title="Theirs", content="Terraform describes clusters.")
write.put_records(write.prepare([draft], "wordhash"))
"""


def test_what_another_process_wrote_is_found_by_the_next_search(store):
    put(draft("ours", "Redis holds sessions."))
    assert [] == ask("terraform")

    subprocess.run([sys.executable, "-c", WRITER], check=True, capture_output=True)

    assert ["theirs"] == ask("terraform")


@pytest.mark.parametrize("keeps", [1, 10, 25])
def test_a_filter_gives_k_passages_whenever_k_exist(store, keeps):
    put(
        *(
            draft(
                f"k{n}",
                f"Fact {n} about redis and {'kafka ' * (n % 7)}.",
                service=f"s{n % (100 // keeps)}",
                project="p" if n % 5 else None,
                kind="adr" if n % 3 else "incident",
            )
            for n in range(1000)
        )
    )
    wanted = [n for n in range(1000) if n % (100 // keeps) == 0]

    assert {f"k{n}" for n in wanted} == set(ask("redis", 1000, service="s0"))
    assert 10 == len(ask("redis kafka", 10, service="s0"))
    assert {f"k{n}" for n in wanted if n % 3} == set(
        ask("redis", 1000, service="s0", project="p", kinds=("adr",))
    )


def test_a_new_process_starts_from_the_snapshot_and_reads_only_what_it_does_not_know(
    fresh, monkeypatch
):
    monkeypatch.setattr(bm25, "SAVE_AT_LEAST", 5)
    put(*(draft(f"k{n}", f"Fact {n} about redis.", source=f"/{n}") for n in range(40)))
    ask("redis")
    assert (touched.folder() / snapshot.FILE).exists()

    put(draft("k7", "Fact 7 about kafka."))
    write.retire_records({"k8": "/8"}, "gone")
    begin_again(monkeypatch)
    read = []
    inner = touched.pieces
    monkeypatch.setattr(touched, "pieces", lambda keys: read.extend(keys) or inner(keys))

    assert ["k7"] == ask("kafka")
    assert {f"k{n}" for n in range(40)} - {"k7", "k8"} == set(ask("redis", 100))
    assert ["k7"] == read


def test_a_snapshot_of_the_same_state_is_used_without_reading_a_passage(fresh, monkeypatch):
    monkeypatch.setattr(bm25, "SAVE_AT_LEAST", 5)
    put(*(draft(f"k{n}", f"Fact {n} about redis and kafka.") for n in range(10)))
    expected = bm25.current().best("redis 3", Filters(), 10)

    begin_again(monkeypatch)
    monkeypatch.setattr(touched, "pieces", None)
    monkeypatch.setattr(touched, "live_rows", None)

    assert expected == bm25.current().best("redis 3", Filters(), 10)


@pytest.mark.parametrize("damage", [b"", b"PK\x03\x04 not a zip", None])
def test_a_snapshot_that_cannot_be_read_is_made_anew(fresh, monkeypatch, damage):
    monkeypatch.setattr(bm25, "SAVE_AT_LEAST", 5)
    put(*(draft(f"k{n}", f"Fact {n} about redis.") for n in range(10)))
    ask("redis")
    file = touched.folder() / snapshot.FILE
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) // 2] if damage is None else damage)

    begin_again(monkeypatch)

    assert 10 == len(ask("redis"))
    assert whole == file.read_bytes()


def test_a_snapshot_of_another_table_or_tokenizer_is_not_used(fresh, monkeypatch):
    monkeypatch.setattr(bm25, "SAVE_AT_LEAST", 5)
    put(*(draft(f"k{n}", f"Fact {n} about redis.") for n in range(10)))
    ask("redis")
    table = bm25.current().table
    assert snapshot.load(touched.folder(), table) is not None

    assert snapshot.load(touched.folder(), "another") is None
    monkeypatch.setattr(snapshot, "maker", lambda: "another")
    assert snapshot.load(touched.folder(), table) is None


def test_a_home_that_cannot_be_written_is_searched_all_the_same(fresh, monkeypatch, tmp_path):
    monkeypatch.setattr(bm25, "SAVE_AT_LEAST", 5)
    monkeypatch.setattr(touched, "folder", lambda: tmp_path / "nowhere")
    put(*(draft(f"k{n}", f"Fact {n} about redis.") for n in range(10)))

    assert 10 == len(ask("redis"))


def test_a_snapshot_is_read_by_its_owner_only(fresh, monkeypatch):
    monkeypatch.setattr(bm25, "SAVE_AT_LEAST", 1)
    put(draft("a", "Redis holds sessions."))
    ask("redis")

    assert 0o600 == (touched.folder() / snapshot.FILE).stat().st_mode & 0o777


def test_a_hit_is_read_once_while_it_stands_still(store, monkeypatch):
    put(draft("a", "Redis holds sessions."))
    expected = bm25.current().search("redis", Filters(), 5)
    asked = []
    inner = touched.passages_at
    monkeypatch.setattr(touched, "passages_at", lambda p: asked.extend(p) or inner(p))

    assert expected == bm25.current().search("redis", Filters(), 5)
    assert [] == asked


def test_many_threads_may_ask_while_one_writes(store):
    put(draft("k0", "Redis holds sessions."))
    failed, done = [], threading.Event()

    def keep_asking() -> None:
        while not done.is_set():
            try:
                assert "k0" in ask("redis")
            except BaseException as error:
                failed.append(error)
                raise

    threads = [threading.Thread(target=keep_asking) for _ in range(3)]
    for thread in threads:
        thread.start()
    for number in range(1, 6):
        put(draft(f"k{number}", "Redis again."), draft("k0", f"Redis, version {number}."))
    done.set()
    for thread in threads:
        thread.join()

    assert [] == failed
    assert {f"k{n}" for n in range(6)} == set(ask("redis"))


def test_the_scope_of_a_record_is_the_one_that_the_tables_store():
    from knowwhy.tables import udfs

    assert "project:p" == touched.scope_of("p")
    assert "global" == touched.scope_of(None)
    assert ["user_id", "project"] == list(inspect.signature(udfs.scope.py_fn).parameters)
