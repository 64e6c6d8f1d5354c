from made import ALL, graph_of, link, record

from knowwhy.graph.twins import same_thing
from knowwhy.types import Filters

GRAPH = graph_of(
    record("page", link("AFFECTS", "auth", "service", "header:Service"), title="Service: auth",
           project="red"),
    record("outage", link("AFFECTS", "auth", "service"), title="Keys expired", project="blue"),
    record("other", "REFERENCES page"),
)  # fmt: skip


def test_a_service_and_its_page_are_one_thing():
    assert ["page", "service:auth"] == same_thing(GRAPH, "page", ALL)
    assert ["service:auth", "page"] == same_thing(GRAPH, "service:auth", ALL)


def test_any_other_node_is_only_itself():
    assert ["outage"] == same_thing(GRAPH, "outage", ALL)
    assert ["other"] == same_thing(GRAPH, "other", ALL)


def test_a_page_that_the_asker_may_not_see_is_not_there():
    assert ["service:auth"] == same_thing(GRAPH, "service:auth", Filters(project="blue"))
