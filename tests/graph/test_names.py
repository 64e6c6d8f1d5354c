import pytest
from made import ALL, graph_of, link, record

from knowwhy.graph.names import mentions
from knowwhy.types import Filters
from pace import assert_linear

CORPUS = graph_of(
    record("pep/484", link("AUTHORED_BY", "Guido van Rossum", "person"), label="PEP-484",
           title="Type Hints", kind="proposal"),
    record("adr/5", link("OWNED_BY", "Platform Team", "team"), label="ADR-5",
           title="ADR 5: Use Kafka as the event backbone", path="docs/adr/0005-kafka.md"),
    record("adr/6", "REFERENCES RFC-2119", label="ADR-6", path="docs/adr/0006-cache.md",
           title="Cache routing quotes in Redis"),
    record("spec", link("AFFECTS", "checkout-service", "service"), label="SPEC-37",
           title="Signal delivery \"at-most once\" (v2)"),
    record("shop.cart.models", link("IMPORTS", "requests", "module", "import:1"),
           title="shop/cart/models.py", kind="code", path="shop/cart/models.py"),
    record("init", title="shop/cart/__init__.py", kind="code", path="shop/cart/__init__.py"),
    record("two", title="__findattr__()", label="PEP-231"),
    record("inc", label="INC-2024-3", title="Retry storm", kind="incident"),
)  # fmt: skip


def found(text, graph=CORPUS, filters=ALL):
    return [(m.nodes, m.how, text[m.start : m.end]) for m in mentions(text, graph, filters)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("what is PEP 484?", (("pep/484",), "id", "PEP 484")),
        ("what is pep484?", (("pep/484",), "id", "pep484")),
        ("what is PEP-0484's status", (("pep/484",), "id", "PEP-0484")),
        ("is adr 005 final?", (("adr/5",), "id", "adr 005")),
        ("SPEC-037 §3 says", (("spec",), "id", "SPEC-037 §3")),
        ("after inc-2024-03", (("inc",), "id", "inc-2024-03")),
        ("who cites RFC 2119?", (("unknown:RFC-2119",), "id", "RFC 2119")),
        ("what does shop.cart.models import", (("shop.cart.models",), "id", "shop.cart.models")),
        ("who wrote Type Hints?", (("pep/484",), "title", "Type Hints")),
        ('the PEP "type hints"', (("pep/484",), "title", "type hints")),
        ('the PEP "__findattr__()"?', (("two",), "title", "__findattr__()")),
        ('"Signal delivery "at-most once" (v2)" has', (("spec",), "title",
         'Signal delivery "at-most once" (v2)')),
        ("docs/adr/0005-kafka.md", (("adr/5",), "path", "docs/adr/0005-kafka.md")),
        ("see adr/0005-kafka.md.", (("adr/5",), "path", "adr/0005-kafka.md")),
        ("what is in cart/models.py?", (("shop.cart.models",), "path", "cart/models.py")),
        ("who uses shop.cart?", (("init",), "path", "shop.cart")),
        ("shop.cart.models.Cart", (("shop.cart.models",), "path", "shop.cart.models.Cart")),
        ("what of caching routing quotes?", (("adr/6",), "part", "caching routing quotes")),
        ("who approved the Kafka decision?", (("adr/5",), "part", "Kafka")),
        ("What did guido van rossum write?", (("person:guido van rossum",), "name",
         "guido van rossum")),
        ("Guido van Rossum's PEPs", (("person:guido van rossum",), "name", "Guido van Rossum's")),
        ("what did Rossum write?", (("person:guido van rossum",), "part", "Rossum")),
        ("what does the platform team own?", (("team:platform",), "name", "platform team")),
        ("what affects the checkout service?", (("service:checkout",), "name", "checkout service")),
        ("which modules import `requests`?", (("module:requests",), "id", "requests")),
    ],
)  # fmt: skip
def test_a_question_names_a_node(text, expected):
    assert [expected] == found(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "what is the storm of retries about?",
        "PEP 485 and ADR-7",
        "in 5 days, version 2.0",
        "use the event",
        "what did rossum write?",
        "models.pyc",
        "?!§ # - ...",
    ],
)
def test_other_words_name_nothing(text):
    assert [] == found(text)


def test_beside_the_word_for_a_record_a_service_s_name_means_the_record():
    graph = graph_of(record("adr", link("USES", "kafka", "service"), title="Use managed Kafka"))

    assert [(("adr",), "part", "Kafka")] == found("who made the Kafka decision?", graph)
    assert [(("service:kafka",), "name", "Kafka")] == found("what uses Kafka?", graph)


def test_an_owner_of_one_name_is_found_as_a_team():
    graph = graph_of(record("a", link("OWNED_BY", "Keystone", "person")))

    assert [(("person:keystone",), "name", "Team Keystone")] == found(
        "what of Team Keystone", graph
    )


def test_several_are_found_in_order_and_none_overlap():
    text = "PEP 484, ADR-5 and Guido van Rossum"

    assert ["pep/484", "adr/5", "person:guido van rossum"] == [n[0] for n, _, _ in found(text)]


def test_a_longer_title_wins_over_one_that_it_begins_with():
    graph = graph_of(record("a", title="Package metadata"), record("b", title="Package metadata 2"))

    assert [(("b",), "title", "package metadata 2")] == found("package metadata 2", graph)
    assert [(("a",), "title", "Package metadata")] == found('"Package metadata"', graph)


def test_a_quoted_title_is_not_one_that_only_begins_so():
    graph = graph_of(record("a", title="Package metadata"))

    assert [] == found('the ADR "Package metadata for dragons"', graph)


def test_a_part_that_fits_two_titles_names_neither():
    graph = graph_of(
        record("a", title="Use Kafka for tracking events"),
        record("b", title="Use Kafka for billing events"),
    )

    assert [] == found("the Kafka events decision", graph)


def test_two_records_of_one_label_are_both_named():
    graph = graph_of(record("p::a", label="ADR-5", project="p"), record("q::a", label="ADR-5",
                     project="q"))  # fmt: skip

    assert [(("p::a", "q::a"), "id", "ADR-5")] == found("ADR-5", graph)
    assert [(("p::a",), "id", "ADR-5")] == found("ADR-5", graph, Filters(project="p"))


def test_what_the_asker_may_not_see_is_not_found_by_any_name():
    graph = graph_of(
        record("q::a", link("AUTHORED_BY", "Ann Smith", "person"),
               link("AFFECTS", "checkout", "service"), label="ADR-5", project="q",
               path="docs/x.md", title="Use managed Kafka"),
        record("p::b", project="p"),
    )  # fmt: skip
    text = "ADR-5, docs/x.md, use managed kafka, Ann Smith, checkout"

    assert [] == found(text, graph, Filters(project="p"))
    assert 5 == len(found(text, graph))


def test_names_follow_a_change_of_the_graph():
    graph = graph_of(record("a", title="Use managed Kafka"))
    assert [] != found("use managed Kafka", graph)

    graph.apply({"a": record("a", title="Use something else")})

    assert [] == found("use managed Kafka", graph)


@pytest.mark.parametrize(
    "piece", ["A-1 ", "ADR-5 ", "a.b/", "'\"", "PEP 1, ", "use kafka ", "§", "#1-"]
)
def test_a_hostile_text_is_read_in_linear_time(piece):
    assert_linear(lambda text: mentions(text, CORPUS, ALL), piece)


def billing(count):
    graph = graph_of(
        *(record(f"k{n}", title=f"Billing {n % 70} rule {n} holds") for n in range(count))
    )
    mentions("billing", graph, ALL)
    return "billing " * (count // 20), graph


def test_a_question_that_repeats_the_first_word_of_many_titles_is_read_in_linear_time():
    question, graph = billing(1_000)

    assert [] == found(question, graph)
    assert [(("k71",), "title", "billing 1 rule 71 holds")] == found(
        "Why billing 1 rule 71 holds?", graph
    )
    assert_linear(lambda given: mentions(*given, ALL), billing, small=625, large=5_000)


def test_a_person_is_named_beside_a_record_whose_key_is_the_person_s_id():
    graph = graph_of(
        record("a", link("AUTHORED_BY", "Jane Doe", "person")),
        record("person:jane doe", title="Some other page"),
    )

    assert [(("~person:jane doe",), "name", "Jane Doe")] == found("What did Jane Doe do", graph)
    assert [(("person:jane doe",), "title", "some other page")] == found("some other page", graph)
