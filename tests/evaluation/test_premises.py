"""Twins of questions: what is swapped in them, and for what."""

import json

from evaluation.premises import names_of, twins_of
from evaluation.sets import read_set

OURS = (
    "We left RabbitMQ because it lost messages, so Kafka took over, as Wen Zhao asked. See ADR-12.",
    "Later Kafka was rented, as Wen Zhao wrote, and `billing` reads from Kafka. See ADR-12.",
    "The service `billing` waits for Kafka, which Wen Zhao runs. See ADR-13.",
    "Nobody else needs `billing`, and the lag is a matter of the network.",
    "Nothing was decided about the depot.",
    "The scanner has firmware of its own.",
    "Labels are printed by night.",
    "Invoices are sent by day.",
    "Parcels are weighed in decagrams.",
    "Routes are solved at once.",
    "Quotes grow stale in an hour.",
    "Alarms ring at two.",
)
THEIRS = (
    *(f"It is {word} Pulsar that Ada Byron likes, and `loyalty` needs it." for word in "abc"),
    *(f"Something else is told on page {number}." for number in range(9)),
)
QUESTIONS = {
    "q1": "Why did we rent Kafka?",
    "q2": "What did Wen Zhao ask for?",
    "q3": "What does billing wait for?",
    "q4": "What does ADR-12 say?",
    "q5": "Which code calls billing/api/charges.py?",
    "q6": "Why do alarms ring?",
    "q7": "Why was nothing decided about Kafka?",
}


def write(folder, texts, questions=()):
    folder.mkdir()
    docs = [{"id": f"d{n}", "kind": "note", "text": text} for n, text in enumerate(texts)]
    asked = [
        {"id": id, "text": text, "relevant": [] if id == "q7" else ["d1"]} for id, text in questions
    ]
    for name, rows in (("docs", docs), ("queries", asked)):
        lines = "".join(f"{json.dumps(row)}\n" for row in rows)
        (folder / f"{name}.jsonl").write_text(lines)
    return folder


def test_each_name_is_swapped_for_a_stranger_of_its_kind(tmp_path):
    ours = write(tmp_path / "ours", OURS, QUESTIONS.items())
    theirs = write(tmp_path / "theirs", THEIRS)
    own = names_of(ours)
    twins = twins_of(read_set(ours), own, [names_of(theirs)])
    texts = {twin.question.id: twin.twin.text for twin in twins}

    assert texts["q1"] in {f"Why did we rent {name}?" for name in ("Pulsar", "Byron")}
    assert "What did Ada Byron ask for?" == texts["q2"]
    assert "What does loyalty wait for?" == texts["q3"]
    assert texts["q4"].startswith("What does ADR-")
    assert texts["q5"] in {f"Which code calls billing/api/{n}.py?" for n in ("pulsar", "byron")}
    assert {"q1", "q2", "q3", "q4", "q5"} == set(texts)


def test_a_twin_has_no_answer_and_always_the_same_half_and_text(tmp_path):
    ours = write(tmp_path / "ours", OURS, QUESTIONS.items())
    theirs = write(tmp_path / "theirs", THEIRS)
    once, again = (twins_of(read_set(ours), names_of(ours), [names_of(theirs)]) for _ in range(2))

    assert once == again
    assert all(not twin.twin.relevant for twin in once)
    assert {twin.half for twin in once} <= {"seen", "held"}
    for twin in once:
        words = set(twin.twin.text.split()) - set(twin.question.text.split())
        assert words
        assert not any(word.strip("?").lower() in names_of(ours).text for word in words)
