"""What gets in, how it changes, and who waits."""

import inspect
import subprocess
import sys
import threading
from datetime import UTC, datetime

import numpy as np
import pytest

from knowwhy import models
from knowwhy.tables import queries, touched, udfs, write
from knowwhy.tables.schema import DIRECTORY
from knowwhy.types import Draft, Filters
from queued import wait_until_queued

ADDRESSES = {
    "embed": "(text: str, model: str)",
    "search_text": "(title: str | None, heading: str | None, text: str)",
    "scope": "(user_id: str | None, project: str | None)",
    "links": "(content: str, kind: str, label: str | None, path: str | None, "
    "metadata: dict[str, typing.Any] | None)",
    "entities": "(content: str, kind: str)",
    "citations": "(content: str)",
}


def draft(key: str, content: str = "Redis holds sessions.", **more: object) -> Draft:
    given = {"kind": "document", "title": "Title", "content_hash": f"{key}{content}{more}"}
    return Draft(id=key, content=content, **{**given, **more})


def put(*drafts: Draft) -> None:
    batch = write.prepare(drafts, "wordhash")
    write.put_records(batch)
    write.release(batch)


def vectors_agree_with_texts() -> bool:
    passages = write.table("passages")
    vector = passages.search_text.embedding(idx=models.tag("wordhash"))
    rows = passages.select(text=passages.search_text, vector=vector).collect()
    made = models.embed([row["text"] for row in rows], "wordhash")
    return np.allclose(made, np.array([row["vector"] for row in rows]), atol=1e-3)


def nearest_key(question: str, filters: Filters | None = None) -> str:
    vector = models.embed_query(question, "wordhash")
    found = queries.nearest(vector, 1, filters or Filters(), "wordhash")
    return found[0][0][0]


def test_addresses_of_functions_that_databases_store_have_not_moved():
    found = {
        name: str(inspect.signature(getattr(udfs, name).py_fn)).split(" ->")[0]
        for name in ADDRESSES
    }

    assert ADDRESSES == found
    assert "knowwhy.tables.udfs.cut_passages" == udfs.cut_passages.fqn
    assert "knowwhy" == DIRECTORY


def test_a_written_record_is_found_by_its_meaning_at_once(store):
    put(draft("a", "Redis holds sessions."), draft("b", "Kafka carries events."))

    assert "a" == nearest_key("what holds sessions")
    assert (2, 0) == queries.unindexed("wordhash")


def test_changed_content_changes_passages_and_vectors(store):
    put(draft("a", "Redis holds sessions.\n\n# Second\n\nMore words here."), draft("b", "Kafka."))

    put(draft("a", "PostgreSQL holds orders."))

    assert "a" == nearest_key("PostgreSQL orders")
    assert ["a", "b"] == sorted({passage.key for passage in queries.passages()})
    assert "Redis" not in " ".join(passage.text for passage in queries.passages())
    assert vectors_agree_with_texts()


def test_a_changed_title_changes_the_vectors(store):
    put(draft("a", "One fact.", title="Sessions"))

    put(draft("a", "One fact.", title="Invoices"))

    assert "Invoices" in queries.passages()[0].search_text
    assert vectors_agree_with_texts()


def test_derived_columns_follow_the_content(store):
    put(draft("a", "# A\n\n## Depends on\n\n- ADR-5\n"))
    before = {(edge.relation, edge.target) for edge in queries.record("a").links}

    put(draft("a", "# A\n\n## Supersedes\n\n- ADR-6\n"))

    after = {(edge.relation, edge.target) for edge in queries.record("a").links}
    assert ("DEPENDS_ON", "ADR-5") in before
    assert ("SUPERSEDES", "ADR-6") in after
    assert ("DEPENDS_ON", "ADR-5") not in after


DERIVED = ("scope", "citations")


def test_memories_that_are_not_refused_have_vectors_that_follow_their_text(store):
    now = datetime.now(UTC)
    memories, found = write.table("memories"), write.table("memory_vectors")
    common = dict.fromkeys(
        name
        for name in memories.columns()
        if name not in (*DERIVED, "words", "hedges", "tier", "evidence")
    )
    row = {**common, "kind": "fact", "created_at": now, "touched_at": now}
    memories.insert(
        [
            {**row, "key": "m1", "content": "We use tabs.", "status": "active"},
            {**row, "key": "m2", "content": "We use spaces.", "status": "refused"},
        ]
    )
    assert ["m1"] == [r["key"] for r in found.select(found.key).collect()]

    memories.batch_update([{"key": "m1", "content": "We deploy on Mondays."}])

    vector = found.search_text.embedding(idx=models.tag("wordhash"))
    kept = found.select(vector=vector).collect()[0]["vector"]
    made = models.embed(["We deploy on Mondays."], "wordhash")[0]
    assert np.allclose(made, kept, atol=1e-3)


def test_the_same_batch_twice_changes_nothing(store):
    put(draft("a"), draft("b"))
    version = touched.stamp("records")

    put(draft("a"), draft("b"))

    assert version == touched.stamp("records")


def test_a_retired_record_leaves_every_search_and_is_kept(store):
    put(draft("a", "Redis holds sessions.", source="/a"), draft("b", "Kafka carries events."))

    assert 1 == write.retire_records({"a": "/a"}, "its file is gone")

    assert "b" == nearest_key("Redis sessions")
    assert ["b"] == [passage.key for passage in queries.passages()]
    kept = queries.record("a").draft
    assert "its file is gone" == kept.retired_why
    assert kept.retired_at is not None


def test_a_record_that_moved_meanwhile_is_not_retired(store):
    put(draft("a", source="/new"))

    assert 0 == write.retire_records({"a": "/old"}, "its file is gone")
    assert queries.record("a").draft.retired_at is None


def test_two_files_that_would_share_a_key_keep_apart(store, tmp_path):
    first, second = tmp_path / "a.md", tmp_path / "b.md"
    first.write_text("x")

    put(draft("adr/0001.md", "One.", title="One", source=str(first)))
    put(draft("adr/0001.md", "Two.", title="Two", source=str(second)))
    first.unlink()
    put(draft("adr/0001.md", "Three.", title="Three", source=str(tmp_path / "c.md")))

    keys = sorted({passage.key for passage in queries.passages()})
    assert 3 == len(keys)
    assert "adr/0001.md" == keys[0]
    assert all(key.startswith("adr/0001.md~") for key in keys[1:])


def test_a_file_of_another_repository_of_one_name_is_called_by_the_folder_above(store, tmp_path):
    shop, bank, other = (tmp_path / name / "api" / "adr" / "1.md" for name in ("shop", "bank", "b"))
    for file in (shop, bank, other):
        file.parent.mkdir(parents=True)
        file.write_text("x")
    put(draft("api/adr/1.md", "One.", title="One", source=str(shop)))
    put(draft("api/adr/1.md", "Two.", title="Two", source=str(bank)))
    put(draft("p::api/adr/1.md", "Three.", title="Three", source=str(shop)))
    put(draft("p::api/adr/1.md", "Four.", title="Four", source=str(other)))

    keys = sorted({passage.key for passage in queries.passages()})
    assert ["api/adr/1.md", "bank/api/adr/1.md", "p::api/adr/1.md", "p::b/api/adr/1.md"] == [
        key.partition("~")[0] for key in keys
    ]


def test_a_file_that_moved_and_was_edited_stays_its_record_by_its_title(store, tmp_path):
    put(draft("adr/0001.md", "One.", title="One", source=str(tmp_path / "gone.md")))

    put(draft("adr/0001.md", "One and more.", title="One", source=str(tmp_path / "new.md")))

    assert ["adr/0001.md"] == [passage.key for passage in queries.passages()]


def test_a_line_without_a_file_keeps_the_file_that_a_record_came_from(store, tmp_path):
    put(draft("adr/0001.md", "One.", source=str(tmp_path / "a.md")))

    put(draft("adr/0001.md", "Two."))

    assert str(tmp_path / "a.md") == queries.record("adr/0001.md").draft.source


def test_filters_are_applied_inside_the_vector_search(store):
    put(
        *(
            draft(f"a{n}", f"Redis holds sessions {n}.", service="auth", project="q")
            for n in range(60)
        ),
        draft("other", "Invoices are sent by night.", service="billing", project="p"),
    )

    assert "other" == nearest_key("Redis holds sessions", Filters(service="billing"))
    assert "other" == nearest_key("Redis holds sessions", Filters(project="p"))
    assert [] == queries.nearest(
        models.embed_query("Redis", "wordhash"), 5, Filters(kinds=("adr",)), "wordhash"
    )


def test_a_search_returns_as_many_as_exist_however_few_the_filter_keeps(store):
    put(*(draft(f"k{n}", f"Fact {n} about redis.", service=f"s{n % 50}") for n in range(500)))

    found = queries.nearest(
        models.embed_query("redis", "wordhash"), 10, Filters(service="s7"), "wordhash"
    )

    assert 10 == len(found)
    assert {f"k{n}" for n in range(7, 500, 50)} == {key for (key, _), _ in found}


def test_a_record_is_found_by_label_and_path_when_only_one_has_it(store):
    put(draft("a", label="ADR-5", path="adr/5.md"), draft("b", label="ADR-6"))

    assert "a" == queries.record("ADR-5").draft.id
    assert "a" == queries.record("adr/5.md").draft.id


def test_an_ambiguous_name_lists_the_keys(store):
    put(draft("p::x", label="ADR-5"), draft("q::x", label="ADR-5"))

    with pytest.raises(Exception, match="names 2 records: 'p::x', 'q::x'"):
        queries.record("ADR-5")


def test_writers_take_turns_in_the_order_they_came(store):
    order: list[int] = []
    arrived = [threading.Event() for _ in range(4)]

    def stand(number: int) -> None:
        arrived[number].set()
        with write.queue("records"):
            order.append(number)

    with write.queue("records"):
        threads = []
        for number in range(4):
            thread = threading.Thread(target=stand, args=(number,))
            thread.start()
            threads.append(thread)
            arrived[number].wait()
            wait_until_queued(number + 1)
    for thread in threads:
        thread.join()

    assert [0, 1, 2, 3] == order


def test_a_notebook_sees_the_tables_in_the_users_own_home(store):
    put(draft("a"))
    code = "import pixeltable as pxt; print(pxt.get_table('knowwhy/records').count())"

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert "1" == done.stdout.strip().splitlines()[-1]
