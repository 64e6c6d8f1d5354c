"""What a question is taken for."""

from datetime import UTC, datetime

import pytest

from knowwhy.graph.build import build_graph
from knowwhy.retrieval.understand import classify, understand
from knowwhy.types import Draft, Edge, Filters, Record
from pace import assert_linear

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def record(key: str, title: str = "", project: str | None = None, *links: Edge) -> Record:
    draft = Draft(id=key, kind="adr", title=title or key, content="", label=key, project=project)
    return Record(draft, links, NOW, NOW)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How did we deploy before we had Kubernetes?", "historical"),
        ("What was the timeout rule in March 2024?", "historical"),
        ("Which logging format did we use in early 2022?", "historical"),
        ("What did we send mail with before?", "historical"),
        ("What did we send mail with before, and why did we move?", "historical"),
        ("What did Bento replace?", "historical"),
        ("What was used before Bento?", "historical"),
        ("Why did we move from Resend to Bento?", "decision"),
        ("Why did we reject MongoDB?", "decision"),
        ("What were the alternatives to Kafka?", "decision"),
        ("Who approved the move to Azure?", "decision"),
        ("Which message broker do we use today?", "current_state"),
        ("What is our branching model?", "current_state"),
        ("How does the outbox relay talk to Kafka?", "architectural"),
        ("Which components make up the ingest pipeline?", "architectural"),
        ("How many messages did RabbitMQ lose?", "factual"),
        ("When did Melanie paint a sunrise?", "factual"),
        ("As described in that document, keys are kept for a day in each region.", "citing"),
        ("The launcher of that RFC is preserved and will not install anything.", "citing"),
        ("A bad rule made all of the routers crash within a minute.", "other"),
        ("kafka retention", "other"),
        ("", "other"),
    ],
)
def test_a_question_has_the_class_of_its_words(question, expected):
    assert expected == classify(question)


def test_a_relational_question_says_how_it_was_read():
    graph = build_graph(
        [
            record("ADR-1"),
            record("ADR-2", "", None, Edge("SUPERSEDES", "ADR-1", "record", "header:Supersedes")),
        ]
    )

    understood = understand("What replaced ADR-1?", graph, Filters())

    assert "relational" == understood.question_class
    assert "records that supersede ADR-1" == understood.reading
    assert ("ADR-1",) == understood.chain.anchors


def test_of_two_records_with_one_title_the_one_with_an_answer_is_meant():
    replaced = Edge("SUPERSEDES", "ADR-1", "record", "header:Supersedes")
    graph = build_graph(
        [record("ADR-1", "Frame layout"), record("ADR-2", "Frame layout", None, replaced)]
    )

    first = understand('What replaced "Frame layout"?', graph, Filters())
    second = understand('What did "Frame layout" replace?', graph, Filters())
    neither = understand('Who wrote "Frame layout"?', graph, Filters())

    assert ("ADR-1",) == first.chain.anchors
    assert ("ADR-2",) == second.chain.anchors
    assert neither.chain is None


def test_what_an_asker_may_not_see_is_not_understood():
    secret = record("red::ADR-7", "Fast access disk (FAD)", "red")
    graph = build_graph([secret, record("blue::ADR-8", "Something else", "blue")])

    seen = understand("What replaced the FAD of ADR-7?", graph, Filters(project="red"))
    unseen = understand("What replaced the FAD of ADR-7?", graph, Filters(project="blue"))

    assert ("What replaced the Fast access disk of ADR-7?",) == seen.variants
    assert () == unseen.variants == unseen.mentions


def test_a_name_that_nothing_in_the_graph_has_asks_for_no_walk():
    graph = build_graph([record("ADR-1")])

    assert understand("What replaced ADR-999?", graph, Filters()).chain is None


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What does the outbox decision depend on?", "ADR-3"),
        ("What does the outbox decision for billing depend on?", "ADR-3"),
        ("Who approved the choice of Kafka for events?", "ADR-2"),
        ("Which decision requires the move to Kafka?", "ADR-2"),
        ("Who approved our decision on feature flags?", "ADR-1"),
        ("Who approved the decision?", None),
        ("Who approved the garden decision?", None),
        ("Who approved the use decision?", None),
    ],
)
def test_a_record_may_be_described_by_words_of_its_title(question, expected):
    titles = ("Feature flags with Unleash", "Use Kafka for all events", "Use an outbox in billing")
    graph = build_graph([record(f"ADR-{n}", title) for n, title in enumerate(titles, 1)])

    chain = understand(question, graph, Filters()).chain

    assert expected == (chain and chain.anchors[0])


def test_a_description_that_fits_two_records_names_neither():
    graph = build_graph([record("ADR-1", "Use Kafka for events"), record("ADR-2", "Leave Kafka")])

    assert understand("Who approved the Kafka decision?", graph, Filters()).chain is None


@pytest.mark.parametrize(
    "unit", ["which ", "the decision of ", "the author of ADR-1 ", "(", "that ADR-1 ", "A", "'s "]
)
def test_a_hostile_question_is_understood_in_linear_time(unit):
    graph = build_graph([record("ADR-1"), record("ADR-2")])

    assert understand((unit * 2_000)[:2_000], graph, Filters()).chain is None
    assert_linear(
        lambda question: understand(question, graph, Filters()), unit, small=250, large=2_000
    )
