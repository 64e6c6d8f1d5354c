"""Packages and folders of code: no nodes of their own, but names for what is in them.

They are read from the paths of records, and from the prefixes of modules outside; each version of
the graph reads them once.
"""

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from knowwhy.graph import nodes
from knowwhy.graph.build import Graph
from knowwhy.graph.modules import CODE, module_of
from knowwhy.text.importing.import_trees import above
from knowwhy.text.importing.imported import GO_MOD
from knowwhy.types import Filters, Record

PACKAGE = "package"
MOST_PARTS = 8  # of a module's name whose first ones are packages too
FLAT = (".go", ".java", ".kt", ".scala", ".groovy")  # a folder in it is another package

_JOINT = re.compile(r"[./\\]+|::")
_FOLDER = re.compile(r"[/\\]+|::")

Parts = tuple[str, ...]


@dataclass(slots=True)
class Packages:
    """What is in each package, and packages by the last part of their names."""

    inside: dict[str, tuple[str, ...]] = field(default_factory=dict)
    ending: dict[str, list[tuple[Parts, str]]] = field(default_factory=lambda: defaultdict(list))
    outside: dict[str, list[tuple[Parts, str]]] = field(default_factory=lambda: defaultdict(list))

    def called(self, name: str) -> set[str]:
        """Returns the packages that a name means: our own by their folders, else outside ones."""
        folded = name.casefold().strip("/\\.")
        ways = dict.fromkeys(_parts(joint.split(folded)) for joint in (_FOLDER, _JOINT))
        for known in (self.ending, self.outside):
            for parts in ways:
                held = known.get(parts[-1], ()) if parts else ()
                exact = {node for own, node in held if own == parts}
                longer = {node for own, node in held if own[-len(parts) :] == parts}
                within = {node for own, node in held if len(own) > 1 and _ends(parts, own)}
                if found := exact or longer or within:
                    return found
        return set()


def is_package(node: str) -> bool:
    """Tells whether an id is that of a package."""
    return node.startswith(f"{PACKAGE}:")


def packages(graph: Graph, filters: Filters) -> Packages:
    """Returns the packages that an asker may see, read once for each version of the graph."""
    with graph.lock:
        place = (PACKAGE, filters.project)
        if place not in graph.derived:
            graph.derived[place] = _read(graph, filters)
        found: Packages = graph.derived[place]
        return found


def members(graph: Graph, node: str, filters: Filters) -> tuple[str, ...]:
    """Returns the records of a package, or the modules of one outside; nothing of what is none."""
    return packages(graph, filters).inside.get(node, ()) if is_package(node) else ()


def _read(graph: Graph, filters: Filters) -> Packages:
    found = Packages()
    own: dict[str, list[str]] = defaultdict(list)
    below: dict[str, list[str]] = defaultdict(list)
    for key, record in graph.records.items():
        if record.draft.kind == CODE and record.draft.path and graph.sees(key, filters):
            folder = _folder(key, record)
            own[folder].append(key)
            while folder:
                below[folder].append(key)
                folder = posixpath.dirname(folder)
    named = dict(_go_modules(graph, own))
    for folder, keys in below.items():
        direct = own.get(folder, [])
        is_flat = any(key.endswith(FLAT) for key in direct)
        if "/" in folder or is_flat:  # all of a repository is no package, but for that at its top
            _add(found.inside, found.ending, folder, direct if is_flat else keys)
            _add_imported(found.ending, folder, named)
    outside: dict[str, list[str]] = defaultdict(list)
    for node, facts in graph.net.nodes(data=True):
        if facts["type"] == nodes.MODULE and graph.sees(node, filters):
            for prefix in _prefixes(facts["title"]):
                outside[prefix].append(node)
    for prefix, modules in outside.items():
        if f"{PACKAGE}:{prefix}" not in found.inside:
            _add(found.inside, found.outside, prefix, modules)
    return found


def _go_modules(graph: Graph, own: Mapping[str, Iterable[str]]) -> Iterator[tuple[str, str]]:
    """Yields the folders of Go modules with the names by which they are imported."""
    for folder, keys in own.items():
        for record in (graph.records[key] for key in keys if key.endswith(GO_MOD)):
            if name := module_of(record):
                yield folder, name


def _add_imported(
    ending: dict[str, list[tuple[Parts, str]]], folder: str, modules: Mapping[str, str]
) -> None:
    """Adds the name by which a package of Go is imported, where its folder is called otherwise."""
    for around in (folder, *above(folder)):
        if around in modules:
            name = f"{modules[around]}{folder[len(around) :]}".casefold()
            parts = _parts(_FOLDER.split(name))
            ending[parts[-1]].append((parts, f"{PACKAGE}:{folder}"))
            return


def _folder(key: str, record: Record) -> str:
    """Returns the folder of a file with the name of its source before it."""
    path = (record.draft.path or "").replace("\\", "/")
    source = key.removesuffix(path) if key.endswith(path) else key.partition("::")[0]
    return posixpath.dirname(f"{source.replace('::', '/').rstrip('/')}/{path}".lstrip("/"))


def _add(
    inside: dict[str, tuple[str, ...]],
    ending: dict[str, list[tuple[Parts, str]]],
    name: str,
    keys: Iterable[str],
) -> None:
    node = f"{PACKAGE}:{name}"
    inside[node] = tuple(sorted(keys))
    joint = _FOLDER if "/" in name else _JOINT
    parts = _parts(joint.split(name.casefold()))
    if parts:
        ending[parts[-1]].append((parts, node))


def _prefixes(module: str) -> Iterable[str]:
    """Yields what a module outside is in, and its own name: a.b.c is in a.b too."""
    mark = next((mark for mark in ("/", "::", ".") if mark in module), "/")
    parts = module.split(mark)[:MOST_PARTS]
    for last in range(1, len(parts) + 1):
        yield mark.join(parts[:last])


def _parts(split: Iterable[str]) -> Parts:
    return tuple(part for part in split if part)


def _ends(parts: Parts, own: Parts) -> bool:
    return len(parts) > len(own) and parts[-len(own) :] == own
