"""Which records the imports of a project's code mean; a new file can change what others mean."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from knowwhy.text.importing.import_targets import resolve_imports
from knowwhy.types import Edge, Record

CODE = "code"
FROM_IMPORT = "import:"  # how the origin of an import begins

Imported = Mapping[Edge, tuple[str, ...]]  # imports with the keys of the records that they mean


@dataclass(slots=True)
class Modules:
    """The code of each project, and what its imports mean."""

    code: dict[str | None, dict[str, Record]] = field(default_factory=lambda: defaultdict(dict))
    meant: dict[str, Imported] = field(default_factory=dict)

    def update(self, changes: Iterable[tuple[str, Record | None, Record | None]]) -> set[str]:
        """Takes in changed records, as key, before and after; gives those whose imports changed."""
        moved: set[str | None] = set()
        edited: dict[str | None, set[str]] = defaultdict(set)
        for key, was, now in changes:
            if _place(was) != _place(now):
                moved |= {_project(record) for record in (was, now) if _is_code(record)}
            for record in (was, now):
                if _is_code(record):
                    edited[_project(record)].add(key)
            if was and _is_code(was):
                self.code[_project(was)].pop(key, None)
                self.meant.pop(key, None)
            if now and _is_code(now):
                self.code[_project(now)][key] = now
        return {
            key
            for project, keys in edited.items()
            for key in self._resolve(project, None if project in moved else keys)
        }

    def _resolve(self, project: str | None, keys: set[str] | None) -> set[str]:
        """Resolves the imports of a project's records, or of some; gives those that changed."""
        code = self.code[project]
        edges = {
            key: [edge for edge in code[key].links if edge.origin.startswith(FROM_IMPORT)]
            for key in (code if keys is None else keys & code.keys())
        }
        paths = {key: record.draft.path for key, record in code.items()}
        names = {key: name for key, record in code.items() if (name := module_of(record))}
        found = resolve_imports(edges, paths, names)
        changed = set()
        for key in edges:
            meant: dict[Edge, tuple[str, ...]] = {}
            for edge, target in found.get(key, ()):  # a package may be several files
                meant[edge] = (*meant.get(edge, ()), target)
            if self.meant.get(key, {}) != meant:
                self.meant[key] = meant
                changed.add(key)
        return changed


def module_of(record: Record) -> str | None:
    """Returns the dotted name that a record of code gives itself."""
    name = record.draft.metadata.get("module")
    return name if isinstance(name, str) else None


def _is_code(record: Record | None) -> bool:
    return record is not None and record.draft.kind == CODE


def _project(record: Record | None) -> str | None:
    return record.draft.project if record else None


def _place(record: Record | None) -> Any:
    """Returns what the imports of other records are resolved by."""
    if record is None or not _is_code(record):
        return None
    return record.draft.project, record.draft.path, module_of(record)
