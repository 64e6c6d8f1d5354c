import json
from collections import Counter
from pathlib import Path

import pytest

GOLDEN = Path(__file__).parents[2] / "golden"
QUESTIONS = [json.loads(line) for line in (GOLDEN / "questions.jsonl").read_text().splitlines()]
AT_LEAST = {
    "factual": 20,
    "why": 15,
    "multi-hop": 12,
    "temporal": 12,
    "current-state": 12,
    "negative": 15,
    "id": 6,
    "when": 5,
    "who": 5,
    "relation": 5,
    "code": 5,
    "time": 5,
    "false-premise": 12,
}
NOTHING = ("negative", "false-premise")


def test_there_are_enough_questions_of_every_class():
    classes = Counter(question["class"] for question in QUESTIONS)
    assert 80 <= len(QUESTIONS)
    assert set(AT_LEAST) == set(classes)
    assert {} == {name: count for name, count in classes.items() if count < AT_LEAST[name]}


def test_no_question_comes_twice():
    for name in ("id", "text"):
        values = [question[name] for question in QUESTIONS]
        assert len(values) == len(set(values))


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question["id"])
def test_question_says_what_answers_it(question):
    assert set(question) <= {"id", "text", "class", "answers", "cite"}
    assert (question["class"] in NOTHING) == (question["answers"] == [])
    assert len(question["answers"]) == len(set(question["answers"]))
    assert question.get("cite") in [None, *question["answers"]]
    for key in question["answers"]:
        assert (GOLDEN / "corpus" / key).is_file(), key


@pytest.mark.slow
def test_every_answer_is_the_key_of_an_ingested_record(store):
    from evaluation.sets import ingest, read_set
    from knowwhy.tables import queries

    given = read_set(GOLDEN)
    assert [] == ingest(given, store.embedder).refused
    keys = [record.key for record in queries.known_records() if record.retired_at is None]
    answers = {key for question in QUESTIONS for key in question["answers"]}
    assert set() == answers - {given.ids.get(key, key) for key in keys}
