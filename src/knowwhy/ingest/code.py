"""Takes in the source files of work trees and folders."""

import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from knowwhy.errors import BadInput
from knowwhy.ingest.files import Found, Refusal, Tracked, is_gone, reason
from knowwhy.ingest.folder import Stored, take
from knowwhy.ingest.load import Summary, Taking
from knowwhy.ingest.syncing.commits import Commits
from knowwhy.ingest.syncing.sources import around, fault, is_own, is_script
from knowwhy.ingest.syncing.worktree import list_names, open_tree, submodules
from knowwhy.tables import queries, write
from knowwhy.text.source.languages import is_generated, is_source

KIND = "code"
GONE, LEFT_OUT = "its file is gone", "it is no longer counted as source"


@dataclass(slots=True)
class Listing:
    """The files under some paths that may be source, before any of them is read."""

    files: dict[Path, Found] = field(default_factory=dict)
    refused: dict[Path, Refusal] = field(default_factory=dict)
    notes: list[Refusal] = field(default_factory=list)
    left_out: int = 0
    inner: set[Path] = field(default_factory=set)  # submodules
    empty: list[Path] = field(default_factory=list)  # paths that have no source, or are gone

    def refuse(self, place: Path, where: str, why: str) -> None:
        """Notes a file or folder that was not taken."""
        self.refused[place] = Refusal(where, why)

    def refuses(self, file: Path) -> bool:
        """Tells whether a file was refused, or a folder that it is in."""
        return any(place in self.refused for place in (file, *file.parents))


def list_code(paths: Sequence[Path], only: Tracked | None = None) -> Listing:
    """Lists the source files under paths, as git or the `.gitignore` files there count them."""
    listing = Listing()
    for given in paths:
        before = len(listing.files) + len(listing.refused)
        root = Path(os.path.realpath(given))
        try:
            is_folder = stat.S_ISDIR(root.stat().st_mode)
            if is_folder:
                _list_folder(root, listing, only)
            elif only is None or only.holds(root):
                _list_file(root, listing)
        except BadInput as error:
            listing.refuse(root, str(given), str(error))
        except OSError as error:
            if os.path.lexists(given):
                listing.refuse(root, str(given), reason(error))
        if before == len(listing.files) + len(listing.refused):
            listing.empty.append(given)
    return listing


def ingest_code(listing: Listing, paths: Sequence[Path], how: Taking) -> Summary:
    """Brings the records of source files in line with the files that were listed."""
    summary = Summary(left_out=listing.left_out)
    for refusal in listing.refused.values():
        summary.refuse(refusal.where, refusal.why)
    for note in listing.notes:
        summary.note(note.where, note.why)
    stored = Stored(queries.known_records(), how.project)
    is_known = {path: stored.knows_under(path) for path in listing.empty}
    commits = Commits()
    how = replace(how, commit_of=commits.at)
    take(KIND, listing.files.values(), stored, how, summary)
    summary.retired = _retire(listing, paths, stored, how.only)
    for path in (path for path, known in is_known.items() if not known):
        why = "holds no source files" if os.path.lexists(path) else "does not exist"
        summary.refuse(str(path), why)
    return summary


def _retire(listing: Listing, paths: Sequence[Path], stored: Stored, only: Tracked | None) -> int:
    """Takes out the records whose files are gone, ignored, generated or vendored now."""
    gone = stored.vanished(paths)
    left = {
        record.key: source
        for root in {Path(os.path.realpath(path)) for path in paths}
        for source, record in stored.unclaimed(root)
        if record.kind == KIND and not is_gone(source)
        if only is None or only.holds(Path(source))
        if not (listing.refuses(Path(source)) or _is_elsewhere(Path(source), root, listing))
    }
    return write.retire_records(gone, GONE) + write.retire_records(left, LEFT_OUT)


def _is_elsewhere(file: Path, root: Path, listing: Listing) -> bool:
    """Tells whether a file is in a repository inside that was not listed with the one around."""
    between = file.parents[: max(0, len(file.parents) - len(root.parents) - 1)]
    return any(f not in listing.inner and (f / ".git").exists() for f in between)


def _list_file(file: Path, listing: Listing) -> None:
    tree = open_tree(file.parent)
    place = around(file.parent, tree.prefix if tree else "")
    if is_source(file.name) or is_script(file):
        _add(file.parent, place, file.name, listing)
    else:
        listing.refuse(file, str(file), "is not a source file")


def _list_folder(root: Path, listing: Listing, only: Tracked | None) -> None:
    tree = open_tree(root)
    place = around(root, tree.prefix if tree else "")
    stands_here = is_own(root)

    def refuse(name: str, why: str) -> None:
        listing.refuse(root / name, place + name, why)

    tracked = {listed.name: listed.tracked for listed in list_names(root, tree, refuse, only)}
    for name in sorted(tracked):
        is_code = is_source(name, tracked=tracked[name]) or is_script(root / name)
        if is_generated(name, "", tracked=tracked[name]):
            listing.left_out += 1
        elif stands_here(os.path.dirname(name)) and is_code:
            _add(root, place, name, listing)
    for name in sorted(set(submodules(tree))) if tree and only is None else ():
        listing.inner.add(root / name)
        if not (root / name / ".git").exists():
            listing.notes.append(Refusal(place + name, "is a submodule that is not checked out"))


def _add(root: Path, place: str, name: str, listing: Listing) -> None:
    why = fault(root, name)
    if why is None:
        listing.files.setdefault(root / name, Found(root / name, place + name))
    elif why:
        listing.refuse(root / name, place + name, why)
