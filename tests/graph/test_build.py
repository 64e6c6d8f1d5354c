import random

import networkx as nx
import pytest
from made import edges_of, graph_of, link, record

from pace import assert_linear


@pytest.mark.parametrize(
    ("target", "facts"),
    [
        ("ADR-5", {"label": "ADR-5"}),
        ("adr 005", {"label": "ADR-5"}),
        ("ORG-ADR-MS-4", {"label": "ORG-ADR-MS-4"}),
        ("other", {}),
        ("Use managed Kafka", {"title": "Use `managed` kafka"}),
        ("docs/adr/0005-x.md", {"path": "docs/adr/0005-x.md"}),
        ("0005-x.md", {"path": "docs/adr/0005-x.md"}),
        ("../adr/0005-x.md", {"path": "docs/adr/0005-x.md"}),
        ("../adr/0005-x.html", {"path": "docs/adr/0005-x.md"}),
        ("/docs/adr/0005-x.md", {"path": "docs/adr/0005-x.md"}),
        ("../adr/0005-x.md?raw=true#why", {"path": "docs/adr/0005-x.md"}),
        ("docs/adr/0005%20x.md", {"path": "docs/adr/0005 x.md"}),
    ],
)
def test_a_target_is_found_by_label_key_title_and_path(target, facts):
    own = record("own", link("SUPERSEDES", target, "path" if "." in target else "record"),
                 path="docs/notes/own.md")  # fmt: skip

    assert {("own", "SUPERSEDES", "other")} == edges_of(graph_of(own, record("other", **facts)))


def test_a_link_to_a_hosted_file_is_a_link_to_its_record():
    hosted = link("REFERENCES", "https://code.example/a/b/blob/main/docs/adr/5-x.md#why", "url")

    graph = graph_of(record("own", hosted), record("other", path="docs/adr/5-x.md"))

    assert {("own", "REFERENCES", "other")} == edges_of(graph)


def test_a_file_that_every_folder_has_is_found_by_its_path_only():
    own = record("own", link("REFERENCES", "../b/README.md", "path"), path="x/a/doc.md")

    graph = graph_of(own, record("other", path="y/README.md"))

    assert {("own", "REFERENCES", "unknown:../b/README.md")} == edges_of(graph)


@pytest.mark.parametrize(
    ("own", "nearest"),
    [
        ({"project": "p"}, "p::a"),
        ({"project": "q"}, "q::a"),
        ({"project": "q", "service": "billing"}, "q::b"),
        ({"project": "z"}, None),
        ({}, None),
    ],
)
def test_of_records_with_one_label_the_nearest_is_meant(own, nearest):
    graph = graph_of(
        record("own", "SUPERSEDES ADR-5", **own),
        record("p::a", label="ADR-5", project="p"),
        record("q::a", label="ADR-5", project="q", service="orders"),
        *([record("q::b", label="ADR-5", project="q", service="billing")] if own.get("service")
          else []),
    )  # fmt: skip

    assert ("own", "SUPERSEDES", nearest or "unknown:ADR-5") in edges_of(graph)


@pytest.mark.parametrize(
    ("own", "other", "is_found"),
    [
        ("p", "p", True),
        ("p", "q", False),
        ("p", None, False),
        (None, "p", False),
        (None, None, True),
    ],
)
@pytest.mark.parametrize(
    "target",
    [
        link("SUPERSEDES", "ADR-5"),
        link("SUPERSEDES", "q::other"),
        link("SUPERSEDES", "Use managed Kafka"),
        link("SUPERSEDES", "docs/adr/5-x.md", "path"),
        link("SUPERSEDES", "https://code.example/a/b/blob/main/docs/adr/5-x.md", "url"),
    ],
)  # fmt: skip
def test_a_record_means_records_of_its_own_project_only(target, own, other, is_found):
    graph = graph_of(
        record("own", target, project=own),
        record("q::other", label="ADR-5", title="Use managed Kafka", path="docs/adr/5-x.md",
               project=other),
    )  # fmt: skip

    assert is_found == (("own", "SUPERSEDES", "q::other") in edges_of(graph))


@pytest.mark.parametrize("other", ["service:queuex", "person:jane doe", "team:core", "unknown:X-1"])
def test_a_record_whose_key_is_the_id_of_another_node_hides_it_not(other):
    links = (
        link("USES", "queuex", "service"),
        link("AUTHORED_BY", "Jane Doe", "person"),
        link("OWNED_BY", "core team", "team"),
        link("REFERENCES", "X-1"),
        link("RELATES_TO", "page"),
    )
    plain = graph_of(record("a", *links), record("page", title="Some page"))
    graph = graph_of(record("a", *links), record("page", title="Some page"))

    graph.apply({other: record(other, title="Some record", label="OWN-1")})
    assert "Some record" == graph.net.nodes[other]["title"]
    apart = graph.net.nodes[f"~{other}"]
    assert plain.net.nodes[other] == apart
    assert {(head if head != other else f"~{head}") for *_, head in edges_of(plain)} == {
        head for *_, head in edges_of(graph)
    }
    graph.apply({other: None})
    assert nx.utils.graphs_equal(plain.net, graph.net)


def test_a_record_whose_key_looks_like_a_service_is_none():
    graph = graph_of(
        record("inc", "AFFECTS service:orders", kind="incident", service="auth"),
        record("service:orders"),
    )

    assert {
        ("inc", "AFFECTS", "service:orders"),
        ("inc", "AFFECTS", "service:auth"),
        ("service:auth", "HAD_INCIDENT", "inc"),
    } == edges_of(graph)


def test_a_relation_and_its_inverse_are_one_edge_that_both_records_state():
    graph = graph_of(
        record("new", link("SUPERSEDES", "ADR-1", origin="header:Replaces"), label="ADR-2"),
        record("old", link("SUPERSEDED_BY", "ADR-2", origin="header:Superseded-By"), label="ADR-1"),
    )

    assert {("new", "SUPERSEDES", "old")} == edges_of(graph)
    stated = graph.net["new"]["old"]["SUPERSEDES"]["stated"]
    assert (("new", "header:Replaces"), ("old", "header:Superseded-By")) == stated


def test_a_symmetrical_relation_is_one_edge_whoever_states_it():
    one = graph_of(record("a", "RELATES_TO b"), record("b", "RELATES_TO a"))
    other = graph_of(record("a"), record("b", "RELATES_TO a"))

    assert {("a", "RELATES_TO", "b")} == edges_of(one) == edges_of(other)


@pytest.mark.parametrize(
    ("written", "same"),
    [
        ("Guido van Rossum <guido@python.example>", True),
        ("guido VAN rossum", True),
        ("G. van Rossum", True),
        ("Guido Rossum", True),
        ("Just van Rossum", False),
        ("Guido", False),
        ("@gvanrossum", False),
    ],
)
def test_a_person_is_one_node_however_the_name_is_written(written, same):
    graph = graph_of(
        record("a", link("AUTHORED_BY", "Guido van Rossum", "person")),
        record("b", authors=(written,)),
    )

    assert same == (set(graph.net["a"]) == set(graph.net["b"]))


def test_accents_make_no_other_person():
    graph = graph_of(record("a", authors=("Łukasz Langa",)), record("b", authors=("Lukasz Langa",)))

    assert ["person:lukasz langa"] == list(graph.net["b"])


def test_initials_that_fit_two_people_stay_apart():
    graph = graph_of(
        record("a", authors=("Ann Marie Smith",)),
        record("b", authors=("Anton Smith",)),
        record("c", authors=("A. Smith",)),
    )

    assert ["person:a smith"] == list(graph.net["c"])


def test_the_names_of_one_project_tell_nothing_about_another():
    graph = graph_of(
        record("p::a", authors=("Ann Smith",), project="p"),
        record("q::b", authors=("A. Smith",), project="q"),
    )

    assert ["person:a smith"] == list(graph.net["q::b"])


def test_authors_are_not_added_to_people_whom_the_text_names_in_another_part():
    graph = graph_of(
        record("a", link("APPROVED_BY", "Ann Smith", "person"), authors=("Ann Smith", "Bo Dahl"))
    )

    assert {
        ("a", "APPROVED_BY", "person:ann smith"),
        ("a", "AUTHORED_BY", "person:bo dahl"),
    } == edges_of(graph)


def test_an_incident_happened_to_its_service_and_to_those_that_it_affected():
    graph = graph_of(
        record("inc", link("AFFECTS", "orders-service", "service"), kind="incident", service="auth")
    )

    assert {
        ("inc", "AFFECTS", "service:orders"),
        ("inc", "AFFECTS", "service:auth"),
        ("service:orders", "HAD_INCIDENT", "inc"),
        ("service:auth", "HAD_INCIDENT", "inc"),
    } == edges_of(graph)


def test_a_service_depends_on_what_its_records_say_it_depends_on():
    graph = graph_of(
        record("a", link("DEPENDS_ON", "auth", "service"), kind="readme", service="orders"),
        record("b", link("REQUIRED_BY", "portal", "service"), kind="service", title="Orders"),
    )

    assert {
        ("service:orders", "DEPENDS_ON", "service:auth"),
        ("service:portal", "DEPENDS_ON", "service:orders"),
    } == {edge for edge in edges_of(graph) if all(end.startswith("service:") for end in edge[::2])}


@pytest.mark.parametrize(
    "facts",
    [
        {"kind": "service", "title": "Orders"},
        {"title": "Service: orders"},
        {"title": "orders", "service": "orders-service"},
    ],
)
def test_what_a_page_about_a_service_says_holds_for_the_service(facts):
    graph = graph_of(
        record("page", link("OWNED_BY", "Manifest team", "team"), "HAD_INCIDENT INC-1",
               "DEPENDS_ON ADR-5", link("USES", "kafka", "service"), **facts),
        record("inc", label="INC-1"),
    )  # fmt: skip

    assert {
        ("service:orders", "OWNED_BY", "team:manifest"),
        ("service:orders", "HAD_INCIDENT", "inc"),
        ("service:orders", "USES", "service:kafka"),
    } == {edge for edge in edges_of(graph) if edge[0] == "service:orders"}


def test_an_import_points_to_the_record_of_its_module():
    graph = graph_of(
        record("shop/a.py", link("IMPORTS", "shop.b:price", "module", "import:1"),
               link("IMPORTS", "os", "module", "import:2:lazy"),
               link("IMPORTS", "shop.b:tax", "module", "import:9"),
               kind="code", path="shop/a.py"),
        record("shop/b.py", kind="code", path="shop/b.py"),
        record("init", kind="code", path="shop/__init__.py"),
    )  # fmt: skip

    assert {
        ("shop/a.py", "IMPORTS", "shop/b.py"),
        ("shop/a.py", "IMPORTS", "module:os"),
    } == edges_of(graph)


def test_an_import_of_a_package_points_to_each_of_its_files():
    graph = graph_of(
        record("main", link("IMPORTS", "x.example/app/store", "module", "import:1"),
               kind="code", path="app/cmd/main.go"),
        record("one", kind="code", path="app/store/one.go"),
        record("two", kind="code", path="app/store/two.go"),
    )  # fmt: skip

    assert {("main", "IMPORTS", "one"), ("main", "IMPORTS", "two")} == edges_of(graph)


def test_an_edge_goes_with_the_last_text_that_states_it():
    graph = graph_of(record("a", "SUPERSEDES b"), record("b", "SUPERSEDED_BY a"))

    graph.apply({"a": record("a")})
    assert {("a", "SUPERSEDES", "b")} == edges_of(graph)
    graph.apply({"b": record("b")})
    assert set() == edges_of(graph)


def test_a_target_resolves_once_it_appears_and_no_longer_when_it_goes():
    graph = graph_of(record("a", "DEPENDS_ON ADR-5"))
    assert {("a", "DEPENDS_ON", "unknown:ADR-5")} == edges_of(graph)

    graph.apply({"b": record("b", label="ADR-5")})
    assert {("a", "DEPENDS_ON", "b")} == edges_of(graph)
    assert "unknown:ADR-5" not in graph.net

    graph.apply({"b": None})
    assert {("a", "DEPENDS_ON", "unknown:ADR-5")} == edges_of(graph)


def test_what_has_not_changed_moves_no_version():
    graph = graph_of(record("a"))
    before = graph.version

    assert 0 == graph.apply({"a": record("a"), "gone": None})
    assert before == graph.version


@pytest.mark.slow
def referring(count):
    chance = random.Random(5)
    return [
        record(f"k{n}", *(f"REFERENCES ADR-{chance.randrange(count)}" for _ in range(20)),
               label=f"ADR-{n}", authors=(f"Ann{n % 300} Smith{n % 100}",), path=f"d/{n}.md")
        for n in range(count)
    ]  # fmt: skip


@pytest.mark.slow
def test_thousands_of_records_are_built_in_linear_time():
    assert_linear(lambda records: graph_of(*records), referring, small=625, large=5_000)


@pytest.mark.slow
def test_records_of_a_graph_are_changed_in_linear_time():
    def change(graph):
        for n in range(len(graph.records) // 25):
            graph.apply({f"k{n}": record(f"k{n}", "REFERENCES ADR-1", label=f"ADR-{n}")})

    assert_linear(change, lambda count: graph_of(*referring(count)), small=625, large=5_000)


@pytest.mark.parametrize(
    ("written", "label", "path", "expected"),
    [
        ("MADR-94", "ADR-94", "docs/madr/0094-a.md", True),
        ("ADR-94", "SHOP-ADR-94", "docs/madr/0094-a.md", True),
        ("RFC-94", "ADR-94", "docs/madr/0094-a.md", False),
        ("MADR-95", "ADR-94", "docs/madr/0094-a.md", False),
        ("MADR-94", "ADR-94", "other/0094-a.md", False),
        ("MADR-94", "ADR-94", "docs/madr/0094-a/README.md", True),
    ],
)
def test_two_spellings_of_a_family_are_one_within_a_folder(written, label, path, expected):
    one = record("one", f"SUPERSEDES {written}", label="ADR-1", path="docs/madr/0001-b.md")
    other = record("other", label=label, path=path)

    found = {
        head for _, relation, head in edges_of(graph_of(one, other)) if relation == "SUPERSEDES"
    }

    assert ({"other"} if expected else {f"unknown:{written}"}) == found


def test_a_record_that_calls_itself_by_another_spelling_points_at_nothing():
    one = record("one", "REFERENCES MADR-1", label="ADR-1", path="docs/madr/0001-b.md")

    assert set() == edges_of(graph_of(one))
