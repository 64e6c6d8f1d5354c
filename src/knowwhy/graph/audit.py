"""The whole edge set at a glance, to be looked at before it is relied on."""

from collections import Counter
from dataclasses import dataclass

from knowwhy.graph.build import Graph, build_graph
from knowwhy.graph.modules import FROM_IMPORT
from knowwhy.graph.near import EVERYTHING, Tie
from knowwhy.graph.nodes import UNKNOWN, name_of
from knowwhy.types import Filters


@dataclass(frozen=True, slots=True)
class Unresolved:
    """A target that no record could be found for, and who names it."""

    target: str
    stated: tuple[tuple[str, str], ...]  # key of the record, origin
    called_so: tuple[str, ...]  # records of its project that are called so, none the nearest


@dataclass(frozen=True, slots=True)
class Audit:
    """What the graph holds, and what is doubtful in it."""

    nodes: dict[str, int]  # by type
    edges: dict[str, dict[str, int]]  # statements by relation, then by origin
    unresolved: tuple[Unresolved, ...]
    self_loops: tuple[Tie, ...]
    duplicates: tuple[Tie, ...]  # edges that several places state
    without_edges: tuple[str, ...]  # records that state nothing and of which nothing is stated


def audit(whole: Graph, seeing: Filters = EVERYTHING) -> Audit:
    """Counts nodes and edges, and lists what is unresolved, circular, stated twice or missing."""
    graph = whole if seeing.project is None else _of_project(whole, seeing)
    with graph.lock:
        ties = [
            Tie(1, tail, relation, head, stated)
            for tail, head, relation, stated in graph.net.edges(keys=True, data="stated")
        ]
        types = Counter(facts["type"] for _, facts in graph.net.nodes(data=True))
        alone = sorted(key for key in graph.records if not graph.net.degree(key))
        unresolved = _unresolved(graph)
    ties.sort(key=lambda tie: (tie.relation, tie.tail, tie.head))
    return Audit(
        nodes=dict(sorted(types.items())),
        edges=_counts(ties),
        unresolved=unresolved,
        self_loops=tuple(tie for tie in ties if tie.tail == tie.head),
        duplicates=tuple(tie for tie in ties if len(tie.stated) > 1),
        without_edges=tuple(alone),
    )


def _of_project(whole: Graph, seeing: Filters) -> Graph:
    """Builds the graph that there would be if nothing of another project were stored."""
    with whole.lock:
        own = [one for one in whole.records.values() if seeing.within(one.draft.project)]
    return build_graph(own)


def _counts(ties: list[Tie]) -> dict[str, dict[str, int]]:
    counts: dict[str, Counter[str]] = {}
    for tie in ties:
        origins = (origin for _, origin in tie.stated)
        counts.setdefault(tie.relation, Counter()).update(
            "import" if origin.startswith(FROM_IMPORT) else origin for origin in origins
        )
    return {name: dict(count.most_common()) for name, count in counts.items()}


def _unresolved(graph: Graph) -> tuple[Unresolved, ...]:
    found = []
    for node, facts in graph.net.nodes(data=True):
        if facts["type"] == UNKNOWN:
            ins = graph.net.in_edges(node, data="stated")
            outs = graph.net.out_edges(node, data="stated")
            stated = sorted({by for *_, stated in (*ins, *outs) for by in stated})
            projects = {graph.records[by].draft.project for by, _ in stated}
            called = [
                key
                for key in graph.called(name_of(node))
                if graph.records[key].draft.project in projects
            ]
            found.append(Unresolved(facts["title"], tuple(stated), tuple(called)))
    return tuple(sorted(found, key=lambda u: (-len(u.stated), u.target)))
