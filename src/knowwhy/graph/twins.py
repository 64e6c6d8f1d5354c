"""A service and the record that is about it: to a question they are one thing."""

from knowwhy.graph.build import Graph
from knowwhy.graph.nodes import SERVICE, service_name, type_of
from knowwhy.graph.stated import service_of
from knowwhy.types import Filters


def same_thing(graph: Graph, node: str, filters: Filters) -> list[str]:
    """Returns a node with its page or with its service, as far as the asker may see them."""
    with graph.lock:
        if record := graph.records.get(node):
            subject = service_of(record.draft)
            others = [_service(graph, subject)] if subject else []
        elif type_of(node) == SERVICE:
            pages = {other for _, other, forward in graph.around(node, filters) if not forward}
            others = [page for page in sorted(pages) if _is_about(graph, page, node)]
        else:
            others = []
        return [node, *(other for other in others if graph.sees(other, filters))]


def _is_about(graph: Graph, page: str, service: str) -> bool:
    record = graph.records.get(page)
    subject = service_of(record.draft) if record else None
    return subject is not None and service == _service(graph, subject)


def _service(graph: Graph, name: str) -> str:
    return graph.apart(f"{SERVICE}:{service_name(name)}")
