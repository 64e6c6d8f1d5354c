"""The index on disk: whole, private to its owner, and never another's."""

import fcntl
from datetime import UTC, datetime

import pytest

from knowwhy.retrieval.words import snapshot
from knowwhy.retrieval.words.okapi import Document, Index
from knowwhy.retrieval.words.snapshot import Seen, Snapshot
from knowwhy.tables.touched import Label

WRITTEN = datetime(2026, 3, 1, 12, 30, 15, 123457, UTC)


def kept(*texts: str) -> Snapshot:
    index = Index()
    index.put(
        Document((f"k{n}", 0), "project:p" if n % 2 else "global", text, Label("records", "adr"))
        for n, text in enumerate(texts)
    )
    records = {f"k{n}": WRITTEN for n in range(len(texts))}
    return Snapshot("table", {"records": Seen(7, WRITTEN, records)}, index.packed())


@pytest.mark.parametrize(
    "texts", [(), ("",), ("Redis holds sessions.", "Ünïcode 漢字", "redis " * 300)]
)
def test_what_is_saved_is_read_again(tmp_path, texts):
    expected = kept(*texts)

    assert snapshot.save(tmp_path, expected)

    found = snapshot.load(tmp_path, "table")
    assert expected.seen == found.seen
    for question in ("redis", "sessions 漢字"):
        assert Index.of(expected.state).best(question, 9) == Index.of(found.state).best(question, 9)
    assert Label("records", "adr") in found.state.labels or not texts


def test_a_later_snapshot_takes_the_place_of_an_earlier_longer_one(tmp_path):
    snapshot.save(tmp_path, kept(*(f"word{n} " * 20 for n in range(50))))

    snapshot.save(tmp_path, kept("one"))

    assert ["one"] == snapshot.load(tmp_path, "table").state.words
    assert [snapshot.FILE] == [file.name for file in tmp_path.iterdir()]


def test_two_processes_do_not_write_it_at_once(tmp_path):
    snapshot.save(tmp_path, kept("first"))
    with (tmp_path / f"{snapshot.FILE}.fresh").open("w") as other:
        fcntl.flock(other, fcntl.LOCK_EX)

        assert not snapshot.save(tmp_path, kept("second"))

    assert ["first"] == snapshot.load(tmp_path, "table").state.words
    assert snapshot.save(tmp_path, kept("third"))  # what the other left half written is overwritten
    assert ["third"] == snapshot.load(tmp_path, "table").state.words


def test_every_cut_and_flipped_file_is_refused_and_none_is_misread(tmp_path):
    expected = kept("Redis holds sessions.", "Kafka carries events.")
    snapshot.save(tmp_path, expected)
    file = tmp_path / snapshot.FILE
    whole = file.read_bytes()

    for place in range(0, len(whole), 41):
        file.write_bytes(whole[:place])
        assert snapshot.load(tmp_path, "table") is None
        file.write_bytes(whole[:place] + bytes([whole[place] ^ 255]) + whole[place + 1 :])
        found = snapshot.load(tmp_path, "table")
        assert found is None or found.state.words == expected.state.words


def test_no_folder_gives_no_snapshot_and_no_error(tmp_path):
    assert not snapshot.save(tmp_path / "nowhere", kept("one"))
    assert snapshot.load(tmp_path / "nowhere", "table") is None
