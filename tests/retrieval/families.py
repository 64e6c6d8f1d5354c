"""A small corpus of several families of records, each with its own way to state relations."""

from datetime import UTC, datetime

from knowwhy.graph.build import Graph, build_graph
from knowwhy.ingest.adr import read_adr
from knowwhy.ingest.document import read_document
from knowwhy.ingest.incidents.incident import read_incident
from knowwhy.text.importing.imported import import_edges
from knowwhy.text.importing.imports import imports
from knowwhy.text.relating.relations import edges
from knowwhy.types import Draft, Record

NOW = datetime(2026, 1, 1, tzinfo=UTC)
READERS = {"adr": read_adr, "incident": read_incident}


def _kep(number, title, status="implementable", created="2021-03-04", **fields):
    lines = [f"{key.replace('_', '-')}: {value}" for key, value in fields.items()]
    head = [f"title: {title}", f"kep-number: {number}", f"status: {status}"]
    head += [f"creation-date: {created}", *lines]
    return "---\n" + "\n".join(head) + f"\n---\n\n# KEP-{number}: {title}\n\nSummary of it.\n"


def _rfc(number, title, date, authors, **headers):
    lines = [f"{key.replace('_', '-')}: {value}" for key, value in headers.items()]
    head = [f"RFC: {number}", f"Title: {title}", f"Author: {authors}", f"Date: {date}", *lines]
    return "\n".join(head) + "\n\nAbstract\n\nThis document specifies it.\n"


def _adr(number, title, status, date, people, body=""):
    return (
        f"# ADR-{number}: {title}\n\n- Status: {status}\n- Date: {date}\n- Deciders: {people}\n\n"
        f"## Context\n\nThere was a need.\n\n## Decision\n\nWe do it.\n\n{body}\n"
    )


def _spec(number, title, references):
    listed = "\n".join(f"- {reference}" for reference in references)
    head = f"# SPEC-{number}: {title}\n\nStatus: draft\n\n## Scope\n\nIt.\n\n"
    return f"{head}## References\n\n{listed}\n"


def _service(name, owner, depends):
    needs = "\n".join(f"- {need}" for need in depends)
    head = f"# Service: {name}\n\nOwner: {owner}\n\n"
    return f"{head}## Depends on\n\n{needs}\n\n## Runbook\n\nRestart it.\n"


def _incident(label, title, date, service, commander):
    return (
        f"# {label}: {title}\n\n- Date: {date}\n- Affected services: {service}\n"
        f"- Incident commander: {commander}\n- Severity: SEV-2\n\n## Summary\n\nIt broke.\n"
    )


TEXTS = {
    ("document", "KEP-10"): _kep(
        10, "Sidecar Pools", authors='["@mira", "@oskar"]', owning_sig="sig-node",
        approvers='["@thea"]', reviewers='["@oskar"]',
    ),
    ("document", "KEP-20"): _kep(
        20, "Graceful Drain", status="implemented", authors='["@mira"]', owning_sig="sig-network",
        approvers='["@pavel"]', replaces='["KEP-10"]', see_also='["KEP-30"]', created="2022-05-01",
    ),
    ("document", "KEP-30"): _kep(
        30, "Topology Hints", authors='["@oskar"]', owning_sig="sig-network",
        approvers='["@thea"]', created="2023-07-09",
    ),
    ("document", "KEP-40"): _kep(
        40, "Quota Leases", status="withdrawn", authors='["@thea"]', owning_sig="sig-node",
        approvers='["@pavel"]', superseded_by='["KEP-20"]', created="2020-02-02",
    ),
    ("document", "RFC-7001"): _rfc(7001, "Frame Layout", "June 2013", "Ann Holt"),
    ("document", "RFC-7002"): _rfc(
        7002, "Frame Layout Revised", "March 2015", "Bo Lind, Ann Holt", Obsoletes="7001"
    ),
    ("document", "RFC-7003"): _rfc(
        7003, "Channel Binding", "April 2016", "Cyd Marsh", Updates="7002"
    ),
    ("document", "RFC-7004"): _rfc(
        7004, "Frame Layout Third Edition", "May 2019", "Dee Novak", Obsoletes="7002",
    ),
    ("adr", "ADR-1"): _adr(1, "Use RabbitMQ for messaging", "Superseded by ADR-2", "2021-01-05",
                           "Ingrid Vasko"),
    ("adr", "ADR-2"): _adr(2, "Use Kafka as event backbone", "Accepted", "2022-03-01",
                           "Ingrid Vasko, Tomas Rijnders", "## Supersedes\n\n- ADR-1\n"),
    ("adr", "ADR-3"): _adr(3, "Transactional outbox", "Accepted", "2022-09-10", "Amara Okonjo",
                           "## Depends on\n\n- ADR-2\n"),
    ("adr", "ADR-4"): _adr(4, "Event schemas in Avro", "Rejected", "2023-02-11",
                           "Tomas Rijnders", "## Depends on\n\n- ADR-3\n"),
    ("adr", "ADR-5"): _adr(5, "Replay from the log", "Proposed", "2024-03-15", "Ingrid Vasko",
                           "## Related\n\n- ADR-2\n\n## Extends\n\n- ADR-3\n"),
    ("document", "SPEC-54"): _spec("054", "Graph backfill",
                                   ("SPEC-037 §3", "SPEC-034", "SPEC-044", "SPEC-052")),
    ("document", "SPEC-37"): _spec("037", "Memory port to TypeScript", ()),
    ("document", "SPEC-34"): _spec("034", "Recall events", ()),
    ("document", "SPEC-44"): _spec("044", "Citation audit", ()),
    ("document", "SPEC-52"): _spec("052", "Ranking", ("SPEC-034",)),
    ("document", "service-orders"): _service("orders-api", "Team Manifest", ("auth", "kafka")),
    ("document", "service-tracking"): _service("tracking-api", "Team Waypoint", ("auth",)),
    ("document", "service-routing"): _service("routing-api", "Team Waypoint", ("kafka",)),
    ("incident", "INC-2024-01"): _incident("INC-2024-01", "Orders lost", "2024-03-12",
                                           "orders-api", "Lukas Brandl"),
    ("incident", "INC-2024-02"): _incident("INC-2024-02", "Tracking lag", "2024-07-19",
                                           "tracking-api", "Noor El-Sayed"),
    ("incident", "INC-2024-03"): _incident("INC-2024-03", "Routes stale", "2024-11-02",
                                           "routing-api", "Lukas Brandl"),
    ("code", "shop/cart.py"): "from shop import money\n",
    ("code", "shop/money.py"): "CENTS = 100\n",
    ("code", "shop/checkout.py"): "import shop.cart\n",
    ("code", "shop/page.py"): "from shop.checkout import pay\n",
    ("code", "shop/__init__.py"): "\n",
}  # fmt: skip


def _record(kind: str, name: str, text: str) -> Record:
    path = name if kind == "code" else f"{name.lower()}.md"
    if kind == "code":
        draft = Draft(id=name, kind=kind, title=name, content=text, path=path)
        return Record(draft, tuple(import_edges(imports(text, path), path)), NOW, NOW)
    read = READERS.get(kind, read_document)(text, path=path)
    label = name if "-" in name and name[0].isupper() else None
    draft = Draft(
        id=name, kind=kind, title=read.title, content=text, label=label, path=path,
        status=read.status, authors=read.authors, occurred_at=read.occurred_at,
        metadata=read.metadata,
    )  # fmt: skip
    return Record(draft, tuple(edges(text, {**read.metadata, "label": label})), NOW, NOW)


def families_graph() -> Graph:
    """Builds the graph of the corpus."""
    return build_graph(_record(kind, name, text) for (kind, name), text in TEXTS.items())
