"""Which records point to a record."""

from pathlib import PurePosixPath

from knowwhy.tables import queries
from knowwhy.types import Edge, Record


def linked_from(record: Record) -> list[tuple[str, Edge]]:
    """Lists the (key, edge) of every live record that points to this one."""
    names = {record.draft.id, record.draft.label, record.draft.path} - {None}
    file = PurePosixPath(record.draft.path).name if record.draft.path else None
    return [
        (key, edge)
        for key, edges in sorted(queries.links().items())
        for edge in edges
        if key != record.draft.id
        and (edge.target in names or (file and PurePosixPath(edge.target).name == file))
    ]
