"""The files of a source as its imports see them: folders, packages and the roots of names."""

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache

from knowwhy.text.importing.imported import GO_MOD, PYTHON

PATH_CHARS = 4096  # of a file; no system opens a longer one
FOLDERS_KEPT = 10_000  # folders; each file of one asks several times for those above

_MODULE_FILES = (".py", "/__init__.py", ".pyi", "/__init__.pyi", ".pyw")
_INITS = ("__init__.py", "__init__.pyi")
_DOTTED = (*PYTHON, ".java", ".kt", ".kts", ".scala", ".groovy")  # their imports have no slashes


def _is_init(path: str) -> bool:
    return posixpath.basename(path) in _INITS


def above(path: str) -> Sequence[str]:
    """Returns the folders that a path is in, the nearest first, and "" last."""
    return _and_above(posixpath.dirname(path)) if 0 < len(path) <= PATH_CHARS else ()


@lru_cache(maxsize=FOLDERS_KEPT)
def _and_above(folder: str) -> Sequence[str]:
    found = [folder]
    while folder.strip("/"):
        folder = posixpath.dirname(folder)
        found.append(folder)
    return tuple(found)


class Tree:
    """Known files by their paths."""

    def __init__(self, files: Mapping[str, str], modules: Mapping[str, str]) -> None:
        self.files = files  # path: key
        self.go_modules = {  # name: folder
            name: posixpath.dirname(path)
            for path, name in modules.items()
            if posixpath.basename(path) == GO_MOD
        }
        # path: dotted name, of those that are known to be in packages
        self._modules = {p: n for p, n in modules.items() if posixpath.basename(p) != GO_MOD}

    def module(self, root: str, dotted: str) -> str | None:
        """Finds the record of a Python module that is under a root."""
        place = dotted.replace(".", "/")
        return self._modules_at.get(f"{root}/{place}" if root else place)

    def own_root(self, path: str) -> str | None:
        """Returns the folder around the outermost package that a file is in, if it is in one.

        Packages between need not be known: those whose `__init__.py` is empty are no records.
        """
        outermost = None
        for folder in above(path):
            outermost = folder if folder in self._packages else outermost
        return None if outermost is None else posixpath.dirname(outermost)

    def holding(self, top: str, path: str) -> Iterator[str]:
        """Yields folders that hold a folder of some name, the nearest to a file first."""
        seen: set[str] = set()
        for folder in above(path):
            root = self._holders.get((folder, top))
            if root is not None and root not in seen:
                seen.add(root)
                yield root

    def within(self, folder: str, suffix: str, but: str = "\n") -> list[str]:
        """Gives the records of a folder's own files of some suffix, and not of another."""
        return [
            self.files[path]
            for path in self._folders.get(folder, ())
            if path.endswith(suffix) and not path.endswith(but)
        ]

    @cached_property
    def _modules_at(self) -> dict[str, str]:
        """Gives the record of each Python module by its path without an ending."""
        found: dict[str, str] = {}
        for ending in _MODULE_FILES:
            for path, key in self.files.items():
                if path.endswith(ending):
                    found.setdefault(path.removesuffix(ending), key)
        return found

    @cached_property
    def _folders(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for path in self.files:
            found.setdefault(posixpath.dirname(path), []).append(path)
        return found

    @cached_property
    def _packages(self) -> set[str]:
        known = {f for f in self._folders if any(f"{f}/{init}" in self.files for init in _INITS)}
        for path, module in self._modules.items():
            depth = module.count(".") + _is_init(path)
            known.update(folder for folder, _ in zip(above(path), range(depth), strict=False))
        return known - {""}

    @cached_property
    def _holders(self) -> dict[tuple[str, str], str]:
        """Gives, by a folder and a name, the best place under it that holds such a folder.

        One where it is a package is better than any other, then the outermost.
        """
        best: dict[tuple[str, str], str] = {}
        for root, top in sorted(self._roots(), key=self._rank):
            for folder in (root, *above(root)):
                best.setdefault((folder, top), root)
        return best

    def _rank(self, pair: tuple[str, str]) -> tuple[bool, int, tuple[str, str]]:
        return posixpath.join(*pair) not in self._packages, pair[0].count("/"), pair

    def _roots(self) -> set[tuple[str, str]]:
        pairs: set[tuple[str, str]] = set()
        for folder, paths in self._folders.items():
            if any(path.endswith(_DOTTED) for path in paths):
                pairs.update(
                    (posixpath.dirname(each), posixpath.basename(each))
                    for each in (folder, *above(folder))
                    if each and posixpath.dirname(each) not in self._packages
                )
        return pairs
