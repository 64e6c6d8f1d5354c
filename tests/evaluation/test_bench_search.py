import itertools
import json

from evaluation.benches import search
from evaluation.homes import ROOT
from knowwhy.text.pages.passages import cut


def read(file):
    return [json.loads(line) for line in file.read_text().splitlines()]


def test_each_part_adds_what_its_size_lacks_and_no_document_comes_twice(tmp_path):
    questions = search._write_parts(tmp_path, [], [300, 900])
    small, more = read(tmp_path / "300.jsonl"), read(tmp_path / "900.jsonl")
    ids = [line["id"] for line in (*small, *more)]
    assert len(ids) == len(set(ids))
    assert 300 <= passages(small) < 400
    assert 900 <= passages([*small, *more]) < 1000
    asked = json.loads(questions.read_text())
    golden = {line["text"] for line in read(ROOT / "golden" / "questions.jsonl")}
    assert search.ASKED == sum(text in golden for text in asked)
    assert search.ASKED < len(asked) == len(set(asked))


def passages(lines):
    return sum(len(cut(line["text"], line["kind"], None)) for line in lines)


def test_documents_given_as_files_are_taken_in_their_order(tmp_path):
    file = tmp_path / "docs.jsonl"
    rows = [{"id": str(n), "kind": "note", "text": f"Note {n}.", "metadata": {}} for n in range(3)]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    search._write_parts(tmp_path, [file], [2])
    assert [
        {"id": "0", "kind": "note", "text": "Note 0."},
        {"id": "1", "kind": "note", "text": "Note 1."},
    ] == read(tmp_path / "2.jsonl")


def test_copies_never_end_and_have_texts_of_their_own():
    line = {"id": "a", "kind": "note", "text": "# Head\n\nOne two three four five six seven."}
    first = list(itertools.islice(search.endless([line]), 4))
    assert ["a", "1/a", "2/a", "3/a"] == [copy["id"] for copy in first]
    assert 4 == len({copy["text"] for copy in first})


def test_times_are_told_as_multiples_of_the_models_own():
    assert (
        "p50     6.0 ms, p95    11.4 ms:   3.0 and   5.7 embeddings,   0.6 and   1.1 passes"
    ) == search._told([0.0, 6.0, 12.0], 2.0, 10.0)
