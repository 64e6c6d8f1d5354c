"""What one record states, as edges between nodes: its links, its authors and its service."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from knowwhy.graph import nodes
from knowwhy.graph.modules import FROM_IMPORT, Imported
from knowwhy.graph.register import BESIDE, Name, Register, lookups, nearest, node_name
from knowwhy.text.relating.relation_words import PEOPLE
from knowwhy.text.tokens import canonical_id
from knowwhy.types import Draft, Edge, Record

FROM_AUTHORS, FROM_SERVICE = "field:authors", "field:service"
INCIDENT_WORDS = ("incident", "postmortem", "post-mortem", "outage")  # in a record's free kind
SERVICE_KINDS = frozenset(("service", "component", "system"))  # records that are about one service
_TITLED = re.compile(r"(service|component|system)\s?[:–—-]\s?(\S.*)", re.IGNORECASE)
BETWEEN_SERVICES = frozenset(("DEPENDS_ON", "USES", "CALLS"))
OF_A_SERVICE = BETWEEN_SERVICES | {"OWNED_BY", "HAD_INCIDENT"}


@dataclass(frozen=True, slots=True)
class Statement:
    """One edge of the graph as one record states it."""

    tail: str
    head: str
    relation: str  # canonical
    origin: str
    written: tuple[tuple[str, str], ...] = ()  # nodes that are no records, with how it names them


@dataclass(slots=True)
class Reading:
    """What resolving one record's targets needs and notes."""

    draft: Draft
    drafts: Mapping[str, Draft]
    register: Register
    imported: Imported
    asked: set[Name] = field(default_factory=set)

    def node(self, type_: str, name: str) -> str:
        """Returns the node of what is no record; a record's key may have its usual id."""
        usual = f"{type_}:{name}"
        found = self.register.apart(usual)
        self.asked |= {
            node_name(f"{nodes.APART * n}{usual}") for n in range(len(found) - len(usual) + 1)
        }
        return found

    def is_service(self, node: str) -> bool:
        """Tells whether a node is a service, and no record of which that is the key."""
        return nodes.type_of(node) == nodes.SERVICE and node not in self.drafts

    def service(self, name: str) -> str:
        """Returns the node of a service."""
        return self.node(nodes.SERVICE, nodes.service_name(name))


def statements(
    record: Record, drafts: Mapping[str, Draft], register: Register, imported: Imported
) -> tuple[list[Statement], set[Name]]:
    """Returns the edges that a record states, and every name that this depended on."""
    reading = Reading(record.draft, drafts, register, imported)
    linked = [
        _statement(edge, target, text, reading)
        for edge in record.links
        for target, text in _targets(edge, reading)
    ]
    found = [*linked, *_authored(linked, reading), *_about_services(linked, reading)]
    once: dict[tuple[str, ...], Statement] = {}
    for s in found:  # a module that a file imports on ten lines is imported once
        origin = FROM_IMPORT if s.origin.startswith(FROM_IMPORT) else s.origin
        once.setdefault((s.tail, s.head, s.relation, origin), s)
    return list(once.values()), reading.asked


def _statement(edge: Edge, target: str, text: str | None, reading: Reading) -> Statement:
    own = reading.draft.id
    written = ((target, text),) if text else ()
    relation = nodes.CANONICAL.get(edge.relation, edge.relation)
    is_turned = relation != edge.relation or (relation in nodes.SYMMETRICAL and target < own)
    tail, head = (target, own) if is_turned else (own, target)
    return Statement(tail, head, relation, edge.origin, written)


def _targets(edge: Edge, reading: Reading) -> list[tuple[str, str | None]]:
    """Returns the nodes that an edge points to, each with its name when it is no record.

    It is one node, but for an import of a package that is several files. A record is one of the
    same project: what another project holds changes nothing.
    """
    if edge.origin.startswith(FROM_IMPORT):
        outside = edge.target.partition(":")[0]
        meant = reading.imported.get(edge, ())
        return [(key, None) for key in meant] or [(reading.node(nodes.MODULE, outside), outside)]
    if edge.target_type == "person":
        return [(person_node(edge.target, reading), edge.target)]
    if edge.target_type == "team":
        return [(reading.node(nodes.TEAM, nodes.team_name(edge.target)), edge.target)]
    for name in lookups(edge, reading.draft):
        reading.asked.add(name)
        found = reading.register.leads.get(name)
        if found and (key := nearest(found, reading.drafts, reading.draft)):
            is_own = name[0] == BESIDE and key == reading.draft.id  # it calls itself so
            return [] if is_own else [(key, None)]
    return [(_other_node(edge, reading), edge.target)]


def person_node(text: str, reading: Reading) -> str:
    """Returns the node of a person; a short form is the one full name that it can stand for."""
    name, project = nodes.person_name(text), reading.draft.project or ""
    group = nodes.initials(name)
    if group is None:
        return _team_or_person(name, project, reading)
    reading.asked.add(("person", project, *group))
    others = reading.register.people.get(("person", project, *group), ())
    full = [other for other in others if nodes.is_short_for(name, other)]
    longest = max(full, key=lambda other: (len(other), other), default=name)
    is_clear = all(nodes.is_short_for(other, longest) for other in full if other != longest)
    return reading.node(nodes.PERSON, longest if is_clear else name)


def _team_or_person(name: str, project: str, reading: Reading) -> str:
    asked = ("team", project, name)
    reading.asked.add(asked)
    is_team = asked in reading.register.people
    return reading.node(nodes.TEAM if is_team else nodes.PERSON, name)


def _other_node(edge: Edge, reading: Reading) -> str:
    draft = reading.draft
    if edge.target_type == "service":
        return reading.service(edge.target)
    if edge.target_type == "issue":  # a number of the tracker of its own project or service
        return reading.node(nodes.ISSUE, f"{draft.project or draft.service or ''}{edge.target}")
    if edge.target_type == "url":
        return reading.node(nodes.URL, edge.target)
    return reading.node(nodes.UNKNOWN, canonical_id(edge.target) or edge.target)


def _authored(linked: list[Statement], reading: Reading) -> Iterator[Statement]:
    """Yields the authors whom the text itself does not name in any part."""
    own = reading.draft.id
    named = {statement.head for statement in linked if statement.relation in PEOPLE}
    for author in reading.draft.authors:
        node = person_node(author, reading)
        if node not in named:
            yield Statement(own, node, "AUTHORED_BY", FROM_AUTHORS, ((node, author),))


def _about_services(linked: list[Statement], reading: Reading) -> Iterator[Statement]:
    """Yields what a record says of services: which it touches, what they need and went through."""
    draft, own = reading.draft, reading.draft.id
    affected = [s for s in linked if s.relation == "AFFECTS" and reading.is_service(s.head)]
    touched = {s.head: s.written for s in affected}
    if draft.service and (home := reading.service(draft.service)) not in touched:
        touched[home] = ((home, draft.service),)
        yield Statement(own, home, "AFFECTS", FROM_SERVICE, touched[home])
    if any(word in draft.kind.casefold() for word in INCIDENT_WORDS):
        for node, written in touched.items():
            yield Statement(node, own, "HAD_INCIDENT", FROM_SERVICE, written)
    about = service_of(draft)
    if subject := about or draft.service:
        service = (reading.service(subject), subject)
        relations = OF_A_SERVICE if about else BETWEEN_SERVICES
        yield from _of_service(service, relations, linked, reading)


def service_of(draft: Draft) -> str | None:
    """Returns the service that a whole record is about, by its kind or its title."""
    if draft.kind.casefold() in SERVICE_KINDS:
        return draft.title
    if titled := _TITLED.fullmatch(draft.title):
        return titled[2]
    is_namesake = nodes.service_name(draft.title) == nodes.service_name(draft.service or "")
    return draft.service if is_namesake else None


def _of_service(
    service: tuple[str, str], relations: frozenset[str], linked: list[Statement], reading: Reading
) -> Iterator[Statement]:
    """Yields what a record states of itself and means of its service."""
    own = reading.draft.id
    for s in linked:
        other = s.head if s.tail == own else s.tail
        is_wanted = s.relation in relations and (
            s.relation not in BETWEEN_SERVICES or reading.is_service(other)
        )
        if is_wanted and other not in (service[0], own):
            tail, head = (service[0], other) if s.tail == own else (other, service[0])
            yield Statement(tail, head, s.relation, s.origin, (*s.written, service))
