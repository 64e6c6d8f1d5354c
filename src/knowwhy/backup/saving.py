"""Keeps a home in one file while others go on writing to it."""

import os
import shutil
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC
from pathlib import Path

from knowwhy.backup.packing import DATABASE, FILES, KEPT, Packing, replacing
from knowwhy.errors import BadInput
from knowwhy.tables import schema
from knowwhy.tables.homes import dumping, home
from knowwhy.types import Json


@dataclass(frozen=True, slots=True)
class Saved:
    """A backup that was made."""

    file: Path
    bytes: int
    made_at: str
    counts: dict[str, int]
    files: int


def save(file: Path, folder: Path, embedder: str) -> Saved:
    """Writes a home's database and files as they are at one moment, whole or not at all."""
    target = file.absolute()
    if folder.resolve() in target.resolve().parents:
        raise BadInput(f"{file} is in the home itself; a backup belongs elsewhere.")
    tables = schema.base_tables(embedder)
    with replacing(target) as out, Packing(out) as packing:
        with dumping.moment(tables) as moment, packing.member(DATABASE) as member:
            dumping.dump(moment, member)
        made_at = moment.at.astimezone(UTC).isoformat(timespec="seconds")
        count = sum(_packed(packing, path, folder) for path in _files(folder))
        packing.finish(_told(moment, made_at, embedder))
    return Saved(target, target.stat().st_size, made_at, moment.counts, count)


def _told(moment: dumping.Moment, made_at: str, embedder: str) -> dict[str, Json]:
    return {
        "made_at": made_at,
        "versions": {**home.made_with(), "postgres": moment.postgres},
        "embedder": embedder,
        "database": moment.database,
        "rows": moment.rows,
        "counts": moment.counts,
        "canaries": moment.canaries,
    }


def _files(folder: Path) -> Iterator[Path]:
    """Lists the home's own files: a row of the moment only names files that were there before."""
    for name in KEPT:
        path = folder / name
        if path.is_symlink():
            continue
        if path.is_file():
            yield path
        for root, _, files in os.walk(path):  # which follows no link
            yield from (Path(root) / name for name in sorted(files))


def _packed(packing: Packing, path: Path, folder: Path) -> int:
    """Takes a file in; one that has gone meanwhile, or is none, is left out."""
    if path.is_symlink() or not path.is_file():
        return 0
    with suppress(FileNotFoundError), path.open("rb") as source:
        with packing.member(f"{FILES}{path.relative_to(folder).as_posix()}") as member:
            shutil.copyfileobj(source, member)
        return 1
    return 0
