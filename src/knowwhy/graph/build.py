"""One graph of what the records state; changing what changed gives what a rebuild would."""

import threading
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import networkx as nx

from knowwhy.graph import nodes
from knowwhy.graph.modules import Modules
from knowwhy.graph.register import Name, Register, id_name, names_of, people_of
from knowwhy.graph.stated import Statement, statements
from knowwhy.types import LEVELS, Draft, Filters, Record

Stated = tuple[tuple[str, str], ...]  # keys of the records that state an edge, each with its origin
SHOWN = ("label", "title", "kind", "status", "project", "service", "path", "occurred_at", "authors")


@dataclass(slots=True)
class Graph:
    """Records, people, teams and services, and what the records state between them."""

    net: Any = field(default_factory=nx.MultiDiGraph)
    records: dict[str, Record] = field(default_factory=dict)
    version: int = 0  # moves with every change; the key of what is derived from the graph
    lock: threading.RLock = field(default_factory=threading.RLock)
    derived: dict[Any, Any] = field(default_factory=dict)  # of this version only
    _drafts: dict[str, Draft] = field(default_factory=dict)
    _register: Register = field(default_factory=Register)
    _modules: Modules = field(default_factory=Modules)
    _stated: dict[str, list[Statement]] = field(default_factory=dict)
    _asked: dict[str, set[Name]] = field(default_factory=dict)
    _written: dict[str, Counter[str]] = field(default_factory=dict)  # how nodes are named

    def apply(self, changes: Mapping[str, Record | None]) -> int:
        """Takes in new and changed records, and takes out those that are None now."""
        with self.lock:
            real = {key: now for key, now in changes.items() if self.records.get(key) != now}
            if not real:
                return 0
            again = self._rename(real) | self.records.keys() & real.keys()
            renamed: set[str] = set()
            for key in again | real.keys():
                renamed |= self._unstate(key)
            for key in again:
                renamed |= self._state(key)
            self._tidy(renamed)
            self.version += 1
            self.derived.clear()
            return len(real)

    def sees(self, node: str, filters: Filters) -> bool:
        """Tells whether an asker may see a node: a record itself, others through a record."""
        if node not in self.net:
            return False
        if record := self.records.get(node):
            return filters.within(record.draft.project)
        return any(True for _ in self.around(node, filters))

    def passes(self, key: str, filters: Filters) -> bool:
        """Tells whether a record is one that a search with these filters may give."""
        if key not in self.records or not self.sees(key, filters):
            return False
        draft, kinds, service = self._drafts[key], filters.kinds, filters.service
        return (
            (kinds is None or draft.kind in kinds)
            and (service is None or draft.service == service)
            and filters.dated.holds(draft.occurred_at)
        )

    def around(self, node: str, filters: Filters) -> Iterable[tuple[str, str, bool]]:
        """Yields a node's edges that the asker may see: relation, other node, whether forward."""
        for _, other, relation, by in self.net.out_edges(node, keys=True, data="stated"):
            if self._may_pass(other, by, filters):
                yield relation, other, True
        for other, _, relation, by in self.net.in_edges(node, keys=True, data="stated"):
            if self._may_pass(other, by, filters):
                yield relation, other, False

    def edges(
        self, filters: Filters, node: str | None = None
    ) -> Iterator[tuple[str, str, str, Stated]]:
        """Yields the edges that the asker may see, of a node or all, with who states them to them.

        What only records of another project state is no edge, and nobody is told who else states
        what records of the own project do.
        """
        net, how = self.net, {"keys": True, "data": "stated"}
        own = (node,) if node is not None else None
        beside = net.in_edges(own, **how) if own else ()
        for tail, head, relation, stated in chain(net.out_edges(own, **how), beside):
            told = tuple(by for by in stated if self._is_within(by[0], filters))
            if told and self._is_within(tail, filters) and self._is_within(head, filters):
                yield tail, head, relation, told

    def title(self, node: str, filters: Filters) -> str:
        """Returns what a node is called: no record as most of those that the asker may see name it.

        Another project may know a person by an address, or a service by another spelling.
        """
        if node not in self.net:  # a package, which is only what is in it
            return nodes.name_of(node)
        if node in self.records or filters.project is None:
            title: str = self.net.nodes[node]["title"]
            return title
        stating = {by for *_, stated in self.edges(filters, node) for by, _ in stated}
        written = (w for by in stating for s in self._stated[by] for w in s.written)
        return _commonest(Counter(text for named, text in written if named == node), node)

    def families(self, filters: Filters) -> frozenset[str]:
        """Returns the kinds and the families of labels that the asker may see, in lower case."""
        drafts = self._seen(filters)
        return frozenset(
            {d.kind.lower() for d in drafts} | {family(d.label) for d in drafts} - {""}
        )

    def statuses(self, filters: Filters) -> frozenset[str]:
        """Returns the statuses and levels that the asker may see, in lower case."""
        return frozenset(state.lower() for draft in self._seen(filters) for state in states(draft))

    def called(self, name: str) -> list[str]:
        """Returns the records that have a name as their label or key."""
        with self.lock:
            return sorted(self._register.leads.get(id_name(name), ()))

    def apart(self, node: str) -> str:
        """Returns the id of a node that is no record: another one where it is a record's key."""
        with self.lock:
            return self._register.apart(node)

    def _seen(self, filters: Filters) -> list[Draft]:
        with self.lock:
            return [draft for draft in self._drafts.values() if filters.within(draft.project)]

    def _may_pass(self, node: str, stated: Iterable[tuple[str, str]], filters: Filters) -> bool:
        if filters.project is None:
            return True
        is_within = self._is_within(node, filters)
        return is_within and any(self._is_within(by, filters) for by, _ in stated)

    def _is_within(self, node: str, filters: Filters) -> bool:
        """Tells whether a node is no record of a project that is hidden from the asker."""
        draft = self._drafts.get(node)
        return draft is None or filters.within(draft.project)

    def _rename(self, changes: Mapping[str, Record | None]) -> set[str]:
        """Brings names in line with changed records; gives every record to be read again."""
        before: dict[Name, frozenset[str]] = {}
        moved: set[Name] = set()
        pairs = [(key, self.records.get(key), now) for key, now in changes.items()]
        for key, was, now in pairs:
            for record in (was, now):
                for name, _ in people_of(record) if record else ():
                    before.setdefault(name, frozenset(self._register.people.get(name, ())))
            if _identity(was) != _identity(now):
                moved |= {name for r in (was, now) if r for name in names_of(r.draft)}
            self._replace(key, was, now)
        people = self._register.people
        moved |= {name for name, who in before.items() if who != frozenset(people.get(name, ()))}
        asking = (self._register.asked.get(name, ()) for name in moved)
        again = {key for keys in asking for key in keys} | self._modules.update(pairs)
        return again & self.records.keys()

    def _replace(self, key: str, was: Record | None, now: Record | None) -> None:
        if was:
            self._register.remove(was)
            del self.records[key], self._drafts[key]
        if now:
            self._register.add(now)
            self.records[key], self._drafts[key] = now, now.draft

    def _unstate(self, key: str) -> set[str]:
        """Takes out what a record stated; an edge goes with the last record that states it."""
        self._register.forget(key, self._asked.pop(key, ()))
        touched: set[str] = set()
        for s in self._stated.pop(key, ()):
            data = self.net[s.tail][s.head][s.relation]
            data["stated"] = tuple(by for by in data["stated"] if by != (key, s.origin))
            if not data["stated"]:
                self.net.remove_edge(s.tail, s.head, s.relation)
            for node, text in s.written:
                self._written[node][text] -= 1
            touched |= {s.tail, s.head}
        if key in self.net:
            touched.add(key)
        return touched

    def _state(self, key: str) -> set[str]:
        """Puts in what a record states now."""
        record = self.records[key]
        self.net.add_node(key, **_shown(record.draft))
        imported = self._modules.meant.get(key, {})
        found, asked = statements(record, self._drafts, self._register, imported)
        self._stated[key], self._asked[key] = found, asked
        self._register.ask(key, asked)
        touched: set[str] = set()
        for s in found:
            self._put(s, (key, s.origin))
            touched |= {s.tail, s.head}
        return touched

    def _put(self, s: Statement, by: tuple[str, str]) -> None:
        if self.net.has_edge(s.tail, s.head, s.relation):
            data = self.net[s.tail][s.head][s.relation]
            data["stated"] = tuple(sorted({*data["stated"], by}))
        else:
            self.net.add_edge(s.tail, s.head, s.relation, stated=(by,))
        for node, text in s.written:
            self._written.setdefault(node, Counter())[text] += 1

    def _tidy(self, touched: set[str]) -> None:
        """Drops nodes that nothing states any more, and names the others as most records do."""
        for node in touched:
            if node in self.records or node not in self.net:
                continue
            if not self.net.degree(node):
                self.net.remove_node(node)
                self._written.pop(node, None)
                continue
            names = self._written.get(node, Counter())
            title = _commonest(names, node)
            self.net.nodes[node].clear()
            self.net.nodes[node].update(type=nodes.type_of(node), title=title)


def build_graph(records: Iterable[Record]) -> Graph:
    """Builds the graph of records that stand in memory."""
    graph = Graph()
    graph.apply({record.draft.id: record for record in records})
    return graph


def family(label: str | None) -> str:
    """Returns the family of a label in lower case: adr for ADR-5."""
    return label.rpartition("-")[0].lower() if label else ""


def _commonest(names: Counter[str], node: str) -> str:
    return max(names, key=lambda name: (names[name], name), default=node)


def _identity(record: Record | None) -> tuple[Any, ...] | None:
    """Returns what other records' targets are resolved by."""
    if record is None:
        return None
    draft = record.draft
    return draft.label, draft.path, draft.title, draft.project, draft.service


def _shown(draft: Draft) -> dict[str, Any]:
    shown = {name: getattr(draft, name) for name in SHOWN}
    return {"type": nodes.RECORD, "states": states(draft)} | shown


def states(draft: Draft) -> tuple[str, ...]:
    """Returns what a record says it is: its status, and how severe or urgent it is."""
    said = (draft.status, *(draft.metadata.get(name) for name in LEVELS))
    return tuple(dict.fromkeys(state for state in said if isinstance(state, str) and state))
