"""Tells which of the known files an import means, each language by its own rules."""

import posixpath
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from pathlib import PurePosixPath
from types import MappingProxyType

from knowwhy.text.importing.import_trees import Tree, above
from knowwhy.text.importing.imported import PATH, PYTHON
from knowwhy.types import Edge

_SCRIPTS = (".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts", ".json")
_ENDINGS = (  # what a path may leave out
    "",
    *_SCRIPTS,
    *(".vue", ".svelte", ".rs", ".rb", ".php", ".dart"),
    *(f"/index{suffix}" for suffix in _SCRIPTS),
    "/mod.rs",
)
_COMPILED = {".js": (".ts", ".tsx"), ".jsx": (".tsx",), ".mjs": (".mts",), ".cjs": (".cts",)}
_JAVA = (".java", ".kt", ".kts", ".scala", ".groovy")
_RUST_FILES = (".rs", "/mod.rs")
_STANDARD = sys.stdlib_module_names

Resolved = dict[str, list[tuple[Edge, str]]]


def resolve_imports(
    edges_by_key: Mapping[str, Iterable[Edge]],
    paths_by_key: Mapping[str, str | None],
    modules_by_key: Mapping[str, str] = MappingProxyType({}),
) -> Resolved:
    """Returns for each record the imports that mean another known record, with that one's key.

    A package of Go, and all of one of Java (`a.b.*`), are the files in its folder.

    A package of Go, and all of one of Java (`a.b.*`), are the files in its folder. What the module
    of a Go source is called is read from how most of its files import its own folders.

    Python's `from a.b import c` means the module a.b.c if there is one, and else a.b; `import a.b`
    means a.b alone, not also the package a around it. A dotted name is looked for where Python
    would: beside the outermost package of the file, then in the folders above it, then in the
    nearest folder that holds a package of that name; the standard library's names only in the
    first. A relative import is absolute already. What a record's metadata call its `module` tells
    which folders are packages though their `__init__.py` is empty and so no record. All imports of
    a file count; the origin of an edge tells those inside functions (`import:LINE:lazy`) and those
    for type checkers (`import:LINE:type`) from what runs when the file is loaded. What is imported
    from the outside is left out, and so is a file's import of itself.
    """
    sources = _Sources(paths_by_key, modules_by_key)
    return {
        key: found
        for key, edges in edges_by_key.items()
        if (found := list(_resolved(key, edges, sources)))
    }


class _Sources:
    """All known files: each source's own first, since two may have files of one name."""

    def __init__(self, paths: Mapping[str, str | None], modules: Mapping[str, str]) -> None:
        self._paths = paths
        own: dict[str, dict[str, str]] = {}
        whole: dict[str, dict[str, str]] = {}
        for key in sorted(paths):
            if path := paths[key]:
                own.setdefault(_source(key, path), {}).setdefault(path, key)
                whole.setdefault(_project(key), {}).setdefault(path, key)
        self._own = {name: _tree(files, modules) for name, files in own.items()}
        self._whole = {name: _tree(files, modules) for name, files in whole.items()}

    def around(self, key: str) -> Iterator[tuple[str, Tree]]:
        """Yields a record's path with the files among which its imports are looked for."""
        if path := self._paths.get(key):
            own, whole = self._own[_source(key, path)], self._whole[_project(key)]
            yield path, own
            if len(whole.files) > len(own.files):
                yield path, whole


def _tree(files: Mapping[str, str], modules: Mapping[str, str]) -> Tree:
    return Tree(files, {path: modules[key] for path, key in files.items() if key in modules})


def _project(key: str) -> str:
    return key.partition("::")[0] if "::" in key else ""


def _source(key: str, path: str) -> str:
    return key.removesuffix(path) if key.endswith(path) else _project(key)


def _resolved(key: str, edges: Iterable[Edge], sources: _Sources) -> Iterator[tuple[Edge, str]]:
    for edge in edges:
        if edge.relation != "IMPORTS" or not edge.origin.startswith("import:"):
            continue
        found = next(filter(None, (_files(edge, *near) for near in sources.around(key))), [])
        yield from ((edge, other) for other in found if other != key)


def _files(edge: Edge, path: str, tree: Tree) -> list[str]:
    """Gives the keys of the files that an edge means; a package may be more than one."""
    suffix = PurePosixPath(path).suffix.lower()
    if suffix == ".go":
        return _go(edge.target, path, tree)
    if edge.target_type == PATH:
        found = _path(edge, path, tree)
    elif suffix in PYTHON:
        found = _python(edge.target, path, tree)
    elif suffix in _JAVA:
        found = _java(edge.target, path, tree)
        if found is None:
            return _java_package(edge.target, path, tree)
    else:
        found = _rust(edge.target, path, tree) if suffix == ".rs" else None
    return [found] if found else []


def _python(target: str, path: str, tree: Tree) -> str | None:
    base, _, name = target.partition(":")
    names = [part for part in (f"{base}.{name}".strip(".") if name else "", base) if part]
    top = names[-1].partition(".")[0]
    for root in _python_roots(top, path, tree):
        for dotted in names:
            if key := tree.module(root, dotted):
                return key
    return None


def _python_roots(top: str, path: str, tree: Tree) -> Iterator[str]:
    own, is_standard = tree.own_root(path), top in _STANDARD
    if own is not None:
        yield own
    for folder in above(path):
        is_in_it = path.startswith(f"{folder}/{top}/" if folder else f"{top}/")
        if (own is None or len(folder) < len(own)) and (is_in_it or not is_standard):
            yield folder
    if not is_standard:
        yield from tree.holding(top, path)


def _path(edge: Edge, path: str, tree: Tree) -> str | None:
    find = partial(_first, tree=tree)
    if not edge.origin.endswith(":include"):
        stem, suffix = posixpath.splitext(edge.target)
        written = (edge.target + ending for ending in _ENDINGS)
        return find(written) or find(stem + source for source in _COMPILED.get(suffix, ()))
    folders = (posixpath.join(each, way) for each in above(path) for way in ("", "include"))
    return find(posixpath.normpath(posixpath.join(each, edge.target)) for each in folders)


def _first(paths: Iterable[str], tree: Tree) -> str | None:
    return next((key for path in paths if (key := tree.files.get(path))), None)


def _java(target: str, path: str, tree: Tree) -> str | None:
    """Finds a class by its package's folders; a class inside another is in the other's file."""
    dotted = target.partition(":")[0]
    outer = dotted.rpartition(".")[0]
    for root in (*above(path), *tree.holding(dotted.partition(".")[0], path)):
        places = (posixpath.join(root, name.replace(".", "/")) for name in (dotted, outer) if name)
        if key := _first((place + suffix for place in places for suffix in _JAVA), tree):
            return key
    return None


def _java_package(target: str, path: str, tree: Tree) -> list[str]:
    """Finds all files of a package; what is taken from a class with `*` is in the class's file."""
    dotted = target.partition(":")[0]
    for root in (*above(path), *tree.holding(dotted.partition(".")[0], path)):
        folder = posixpath.join(root, dotted.replace(".", "/"))
        if found := [key for suffix in _JAVA for key in tree.within(folder, suffix)]:
            return found
    return []


def _go(target: str, path: str, tree: Tree) -> list[str]:
    """Finds a package by its module's name, else by the folder above that the import path names."""
    package = target.partition(":")[0]
    if any(folder in tree.go_modules.values() for folder in above(path)):
        return _go_in_modules(package, tree)
    parts = package.split("/")
    for folder in above(path):
        name = posixpath.basename(folder)
        if name and name in parts[1:]:
            rest = parts[len(parts) - parts[::-1].index(name) :]
            if found := tree.within(posixpath.join(folder, *rest), ".go", "_test.go"):
                return found
    return []


def _go_in_modules(package: str, tree: Tree) -> list[str]:
    """Finds a package below the longest name of a known module that its own begins with."""
    for name in (package, *_and_above(package)):
        if (folder := tree.go_modules.get(name)) is not None:
            place = posixpath.join(folder, package.removeprefix(name).strip("/")).rstrip("/")
            return tree.within(place, ".go", "_test.go")
    return []


def _and_above(package: str) -> Iterator[str]:
    while "/" in package:
        package = package.rpartition("/")[0]
        yield package


def _rust(target: str, path: str, tree: Tree) -> str | None:
    """Finds the longest part of a path of modules that is a file."""
    first, *parts = target.partition(":*")[0].split("::")
    folder = _rust_folder(first, path, tree)
    while folder is not None and first == "super" and parts[:1] == ["super"]:
        folder, parts = posixpath.dirname(folder), parts[1:]
    while folder is not None and parts:
        place = posixpath.join(folder, *parts)
        if key := _first((place + ending for ending in _RUST_FILES), tree):
            return key
        parts = parts[:-1]
    return None


def _rust_folder(first: str, path: str, tree: Tree) -> str | None:
    """Returns the folder of the modules that a path begins among."""
    folder, stem = posixpath.dirname(path), PurePosixPath(path).stem
    within = folder if stem in ("mod", "lib", "main") else posixpath.join(folder, stem)
    if first == "crate":
        mains = (f"/{name}.rs" for name in ("lib", "main"))
        ends = tuple(mains)
        return next((f for f in above(path) if any(f + end in tree.files for end in ends)), None)
    return {"self": within, "super": posixpath.dirname(within)}.get(first)
