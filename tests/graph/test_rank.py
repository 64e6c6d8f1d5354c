from itertools import pairwise

from made import ALL, graph_of, link, record

from knowwhy.graph.rank import pagerank
from knowwhy.text.relating.relations import edges
from knowwhy.types import Filters

LINE = graph_of(*(record(f"k{n}", f"DEPENDS_ON k{n + 1}") for n in range(6)), record("k6"))


def order(graph, *seeds, filters=ALL, k=10):
    return [key for key, _ in pagerank(graph, dict.fromkeys(seeds, 1.0), filters, k)]


def test_each_hop_counts_for_less_and_far_ones_for_nothing():
    found = pagerank(LINE, {"k0": 2.0}, ALL, 10)

    assert ["k0", "k1", "k2", "k3"] == [key for key, _ in found]
    assert all(one > other > 0 for (_, one), (_, other) in pairwise(found))


def test_scores_are_shares_of_one_whatever_the_seeds_weigh():
    one, other = (pagerank(LINE, {"k2": w, "k4": w}, ALL, 10) for w in (1.0, 7.0))

    assert one == other
    assert sum(score for _, score in one) <= 1.0


def test_a_record_that_two_seeds_lead_to_stands_before_one_that_only_one_leads_to():
    graph = graph_of(record("a", "REFERENCES x", "REFERENCES y"), record("b", "REFERENCES y"),
                     record("x"), record("y"))  # fmt: skip

    assert ["y", "x"] == order(graph, "a", "b")[2:]


def test_a_strong_relation_leads_farther_than_a_weak_one():
    graph = graph_of(record("a", "RELATES_TO x", "SUPERSEDES y"), record("x"), record("y"))

    assert ["a", "y", "x"] == order(graph, "a")


def test_a_prolific_author_does_not_flood_the_ranking():
    ann = link("AUTHORED_BY", "Ann Smith", "person")
    graph = graph_of(
        record("a", "REFERENCES x", ann), record("x"), *(record(f"k{n}", ann) for n in range(50))
    )

    assert ["a", "x"] == order(graph, "a", k=2)
    scores = dict(pagerank(graph, {"a": 1.0}, ALL, 100))
    assert scores["x"] > 10 * sum(score for key, score in scores.items() if key[0] == "k")


def test_nothing_is_ranked_through_what_the_asker_may_not_see():
    graph = graph_of(
        record("p::a", "DEPENDS_ON q::b", project="p"),
        record("q::b", "DEPENDS_ON p::c", project="q"),
        record("p::c", project="p"),
    )

    assert ["p::a"] == order(graph, "p::a", "q::b", filters=Filters(project="p"))


def test_kind_and_service_limit_what_is_given_and_not_the_way():
    graph = graph_of(record("a", "DEPENDS_ON b"), record("b", "DEPENDS_ON c"),
                     record("c", kind="incident", service="auth"))  # fmt: skip

    assert ["c"] == order(graph, "a", filters=Filters(kinds=("incident",)))
    assert ["c"] == order(graph, "a", filters=Filters(service="auth"))


def test_without_a_seed_that_is_known_there_is_no_ranking():
    assert [] == order(LINE, "elsewhere")
    assert [] == pagerank(LINE, {"k0": 0.0}, ALL, 5)


def test_what_a_text_only_refers_to_is_near_it():
    text = "# SPEC-054 Port\n\n## References\n\n- SPEC-037 §3\n- SPEC-034\n- SPEC-044, SPEC-052\n"
    graph = graph_of(
        record("port", *edges(text, {"label": "SPEC-54"}), label="SPEC-54"),
        *(record(f"spec-{n}", label=f"SPEC-{n}") for n in (34, 37, 44, 52, 60)),
    )

    assert ["spec-34", "spec-37", "spec-44", "spec-52"] == order(graph, "port")[1:]
