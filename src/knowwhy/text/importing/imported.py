"""What an import names: a module by its dotted name, or a file by its place."""

import posixpath
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from knowwhy.types import Edge

PYTHON = (".py", ".pyi", ".pyw")
GO_MOD = "go.mod"
MODULE, PATH = "module", "path"  # types of targets

_RUST_ROOTS = frozenset(("mod", "lib", "main"))


@dataclass(frozen=True, slots=True)
class Import:
    """One import as it is written."""

    target: str  # a dotted module, a path or a package; empty for Python's "from . import x"
    names: tuple[str, ...]  # what is taken from it, "*" for all; empty when it is taken whole
    line: int  # counted from 1
    level: int  # leading dots in Python
    kind: str  # import, lazy (inside a function), type, export, require, dynamic, mod, include


def import_edges(found: Iterable[Import], path: str | None) -> list[Edge]:
    """Returns the imports of a file as edges, each target once for each way it is imported.

    A target is `a.b` for the module a.b, `a.b:c` for c from a.b, which may be a module too, or a
    path without what its language lets one leave out. The origin is `import:LINE`, or
    `import:LINE:KIND` for what is not simply imported: lazy, type, include and so on.
    """
    kept: dict[tuple[str, str], Edge] = {}
    for item in found:
        origin = f"import:{item.line}" + (f":{item.kind}" if item.kind != "import" else "")
        for target, target_type in _targets(item, path):
            kept.setdefault((target, item.kind), Edge("IMPORTS", target, target_type, origin))
    return list(kept.values())


def _targets(item: Import, path: str | None) -> Iterator[tuple[str, str]]:
    place = _place(item, path) if path else None
    if place is not None:
        yield place, PATH
        return
    base = _absolute(item, path)
    if base is None:
        return
    if not item.names and base:
        yield base, MODULE
    for name in item.names:
        yield base if name in ("*", "default") and base else f"{base}:{name}", MODULE


def _absolute(item: Import, path: str | None) -> str | None:
    """Resolves leading dots against the file's own place; they stay when it has none."""
    if item.level == 0:
        return item.target
    if path is None:
        return "." * item.level + item.target
    folders = PurePosixPath(path).parts[:-1]
    kept = len(folders) - item.level + 1
    return ".".join(filter(None, (*folders[:kept], item.target))) if kept >= 0 else None


def _place(item: Import, path: str) -> str | None:
    """Returns the path that an import names; None when it names a module."""
    if item.kind == "include":
        return item.target.lstrip("/")
    if item.kind == "mod":
        folder, stem = posixpath.dirname(path), PurePosixPath(path).stem
        return posixpath.join(folder if stem in _RUST_ROOTS else f"{folder}/{stem}", item.target)
    is_relative = item.target.startswith(("./", "../")) or item.target in (".", "..")
    if not is_relative and item.kind != "require_relative":
        return None
    written = item.target.split("?")[0]
    return posixpath.normpath(posixpath.join(posixpath.dirname(path), written))
