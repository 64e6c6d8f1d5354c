"""Questions read as walks, with the names in them given."""

import random
import re
from datetime import UTC, datetime

import pytest

from knowwhy.text.question.question_words import VERB_WAYS, singular
from knowwhy.text.question.questions import Named, read_question, reading, wider
from knowwhy.types import Chain, Step

FAMILIES = frozenset(("adr", "kep", "rfc", "spec", "incident", "document"))
NAMES = {
    r"(?:ADR|KEP|RFC|SPEC)-\d+": "record",
    r"Ann Holt|Bo Lind": "person",
    r"sig-node|Team Blue": "team",
    r"\b(?:auth|billing)\b": "service",
    r"app/\w+\.py": "record",
}
SUPERSEDES, IMPORTS = ("SUPERSEDES",), ("IMPORTS",)
NEEDS = ("DEPENDS_ON", "IMPORTS", "USES", "CALLS")
AUTHORED_BY, APPROVED_BY = ("AUTHORED_BY",), ("APPROVED_BY",)


def named(text: str) -> list[Named]:
    return [
        Named(m.start(), m.end(), (m[0],), type_)
        for pattern, type_ in NAMES.items()
        for m in re.finditer(pattern, text)
    ]


def read(text: str) -> Chain | None:
    return read_question(text, named(text), FAMILIES, ("in review",))


STEPS = [
    ("What superseded ADR-1?", [(SUPERSEDES, False)]),
    ("What did ADR-2 supersede?", [(SUPERSEDES, True)]),
    ("Which ADR has ADR-2 superseded?", [(SUPERSEDES, True)]),
    ("Which ADR was superseded by ADR-2?", [(SUPERSEDES, True)]),
    ("Which ADR was ADR-1 superseded by?", [(SUPERSEDES, False)]),
    ("By which ADR was ADR-1 replaced?", [(SUPERSEDES, False)]),
    ("the successor of the successor of ADR-1", [(SUPERSEDES, False), (SUPERSEDES, False)]),
    ("What does ADR-1 need?", [(NEEDS, True)]),
    ("What is needed by ADR-1?", [(NEEDS, True)]),
    ("What is ADR-1 based on?", [(("EXTENDS", "AMENDS"), True)]),
    ("Which ADRs are prerequisites of ADR-1?", [(NEEDS, True)]),
    ("ADRs dependent on ADR-1", [(NEEDS, False)]),
    ("Who wrote ADR-1?", [(AUTHORED_BY, True)]),
    ("Who is ADR-1's author?", [(AUTHORED_BY, True)]),
    ("Which ADRs by Ann Holt are there?", [(AUTHORED_BY, False)]),
    ("What did Ann Holt author?", [(AUTHORED_BY, False)]),
    ("Ann Holt's ADRs", [(AUTHORED_BY, False)]),
    ("Who is in charge of billing?", [(("OWNED_BY",), True)]),
    ("What is Team Blue responsible for?", [(("OWNED_BY",), False)]),
    ("Which RFCs have the same author as RFC-1?", [(AUTHORED_BY, True), (AUTHORED_BY, False)]),
    ("RFCs by the same author as RFC-1", [(AUTHORED_BY, True), (AUTHORED_BY, False)]),
    ("RFCs reviewed by the same people as RFC-1",
     [(("REVIEWED_BY",), True), (("REVIEWED_BY",), False)]),
    ("KEPs with Ann Holt as approver", [(APPROVED_BY, False)]),
    ("KEPs whose approver wrote RFC-1", [(AUTHORED_BY, True), (APPROVED_BY, False)]),
    ("Which KEPs were approved by an author of the KEP that replaced KEP-1?",
     [(SUPERSEDES, False), (AUTHORED_BY, True), (APPROVED_BY, False)]),
    ("Which modules import app/a.py?", [(IMPORTS, False)]),
    ("What does app/a.py import?", [(IMPORTS, True)]),
]  # fmt: skip


@pytest.mark.parametrize(("question", "steps"), STEPS)
def test_relations_are_read_outward_from_the_name(question, steps):
    chain = read(question)

    assert chain is not None
    assert steps == [(step.relations, step.forward) for step in chain.steps]


KEPT = [
    ("Which accepted ADRs did Ann Holt write?", {"statuses": ("accepted",), "kinds": ("adr",)}),
    ("Which ADRs by Ann Holt are final or active?", {"statuses": ("final", "active")}),
    ("Which ADRs by Ann Holt have the status withdrawn?", {"statuses": ("withdrawn",)}),
    ("ADRs by Ann Holt from 2014",
     {"after": datetime(2014, 1, 1, tzinfo=UTC), "before": datetime(2015, 1, 1, tzinfo=UTC)}),
    ("ADRs by Ann Holt from 2014 on",
     {"after": datetime(2014, 1, 1, tzinfo=UTC), "before": None}),
    ("Which ADRs did Ann Holt write before 2014?",
     {"after": None, "before": datetime(2014, 1, 1, tzinfo=UTC)}),
    ("Which ADRs did Ann Holt write after 2014?",
     {"after": datetime(2015, 1, 1, tzinfo=UTC), "before": None}),
    ("Which ADRs by Ann Holt were created in March 2014?",
     {"after": datetime(2014, 3, 1, tzinfo=UTC), "before": datetime(2014, 4, 1, tzinfo=UTC)}),
    ("Which ADRs did Ann Holt write between 2012 and 2014?",
     {"after": datetime(2012, 1, 1, tzinfo=UTC), "before": datetime(2015, 1, 1, tzinfo=UTC)}),
    ("Which ADRs did Ann Holt write in the second half of 2014?",
     {"after": datetime(2014, 7, 1, tzinfo=UTC), "before": datetime(2015, 1, 1, tzinfo=UTC)}),
    ("Which incidents of billing happened in March?", {"month": 3, "kinds": ("incident",)}),
    ("What is the earliest ADR by Ann Holt?", {"order": "first"}),
    ("Which ADRs other than ADR-2 cite ADR-1?", {"other_than": ("ADR-2",)}),
    ("Which other ADRs cite ADR-1?", {"other_than": ("ADR-1",)}),
    ("Which ADRs require ADR-1 and were written by Ann Holt?", {"people": ("Ann Holt",)}),
    ("Which proposals cite ADR-1?", {"kinds": ()}),
    ("Which ADRs cite ADR-1 or ADR-2?", {"anchors": ("ADR-1", "ADR-2")}),
]  # fmt: skip


@pytest.mark.parametrize(("question", "expected"), KEPT)
def test_what_narrows_an_answer_is_kept(question, expected):
    chain = read(question)

    assert chain is not None
    assert expected == {name: getattr(chain, name) for name in expected}


@pytest.mark.parametrize(
    ("question", "hops"),
    [
        ("Which modules depend on app/a.py?", 1),
        ("Which modules depend on app/a.py, directly or transitively?", None),
        ("Which modules transitively depend on app/a.py?", None),
        ("What depends, directly or indirectly, on app/a.py?", None),
        ("Which modules import app/a.py directly?", 1),
        ("Which modules import app/a.py directly or through one intermediate module?", 2),
        ("If app/a.py changes, which modules are affected within three steps?", 3),
    ],
)
def test_how_far_a_question_asks_is_read(question, hops):
    chain = read(question)

    assert chain is not None
    assert hops == chain.steps[-1].hops


@pytest.mark.parametrize(
    "question",
    [
        "ADR-1 is obsolete: what should be read instead?",
        "ADR-1 is no help",
        "I am reading ADR-1. Which ADR replaced it?",
        "Which ADR should I use instead of ADR-1?",
    ],
)
def test_what_an_earlier_sentence_names_can_be_asked_about(question):
    expected = None if "no help" in question else (Step(SUPERSEDES, forward=False),)

    chain = read(question)

    assert expected == (chain and chain.steps)


def test_records_can_be_asked_for_by_status_or_time_alone():
    expected = Chain((), (), kinds=("adr",), statuses=("rejected",))

    assert expected == read("Which ADRs were rejected?") == read("Which ADRs did we reject?")


@pytest.mark.parametrize(
    "question",
    [
        "",
        "ADR-1",
        "Ann Holt",
        "Which ADRs are there?",
        "Why did ADR-2 replace ADR-1?",
        "How does ADR-1 depend on ADR-2?",
        "When was ADR-1 approved?",
        "Is ADR-1 superseded by ADR-2?",
        "Which ADRs do not depend on ADR-1?",
        "What does ADR-1 say about the authors of ADR-2?",
        "Which ADRs did ADR-1 write?",
        "Who is the author of Ann Holt?",
        "Which gardens does ADR-1 water?",
        "Which ADRs require both ADR-1 and something that nobody knows?",
        "ADR-1 was written by Ann Holt, and it replaced ADR-2 after a long discussion.",
        "It was superseded by that document (see ADR-1) in most of the places that matter.",
    ],
)
def test_what_is_no_relational_question_has_no_walk(question):
    assert read(question) is None


def test_a_name_for_two_things_makes_a_question_unclear():
    text = "What replaced Thing?"

    assert None is read_question(text, [Named(14, 19, ("A", "B"), "record")], FAMILIES)


def test_a_wider_walk_also_follows_plain_references():
    chain = read("What does SPEC-54 depend on?")

    assert chain is not None
    assert "REFERENCES" in wider(chain).steps[0].relations
    assert wider(read("Who wrote ADR-1?")) is None


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What replaced ADR-1?", "records that supersede ADR-1"),
        ("Who wrote the ADR that replaced ADR-1?", "authors of records that supersede ADR-1"),
        ("What imports app/a.py transitively?",
         "modules that import app/a.py (at any distance)"),
        ("Which accepted ADRs cite ADR-1?",
         "records that cite ADR-1 [kind adr, status accepted]"),
        ("What breaks if app/a.py changes?", "what a change of app/a.py affects"),
        ("Which ADRs did Ann Holt take part in?",
         "records in which Ann Holt took part [kind adr]"),
    ],
)  # fmt: skip
def test_a_walk_reads_as_english(question, expected):
    chain = read(question)

    assert chain is not None
    assert expected == reading(chain, {})


@pytest.mark.parametrize(
    ("plural", "expected"),
    [("dependencies", "dependency"), ("addresses", "address"), ("basis", "basis"),
     ("specs", "spec"), ("process", "process")],
)  # fmt: skip
def test_nouns_are_made_singular(plural, expected):
    assert expected == singular(plural)


def test_any_words_in_any_order_are_read():
    words = [*sorted(VERB_WAYS), "which", "that", "the", "of", "by", "ADR-1", "Ann Holt", "ADRs"]
    words += ["same", "as", "whose", "is", "was", "on", "and", "or", "it", "if", ",", ":"] * 8
    dice = random.Random(7)
    texts = [" ".join(dice.choices(words, k=85)) for _ in range(100)]
    texts += ["which ADRs that " * 120, "the author of " * 140 + "ADR-1", "ADR-1's author" * 99]

    for text in texts:
        read_question(text, named(text), FAMILIES)
