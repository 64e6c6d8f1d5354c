"""The file that a backup is: a zip with the database, the home's own files and what they are."""

import contextlib
import fcntl
import hashlib
import json
import os
import re
import stat
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path, PurePosixPath
from typing import IO, Any, Self

from knowwhy.errors import BadInput, StoreBusy
from knowwhy.types import Json

FORMAT = 1  # of the file; a newer one is not read
MANIFEST = "manifest.json"
DATABASE = "database.dump"
FILES = "files/"
KEPT = ("config.toml", "media", "file_cache")  # of the home, beside the database
MOST_MANIFEST = 100_000_000  # bytes; of a million files beside the database
AT_ONCE = 1_048_576  # bytes
READABLE_BY = 0o600  # the owner: all that anybody has told is in it
MAGIC = b"PGDMP"  # what a dump begins with
DATABASE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,62}")
DIGEST = re.compile(r"[0-9a-f]{64}")
PACKED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
ENCRYPTED = 1  # a flag of a zip's member


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a backup says of itself."""

    format: int
    made_at: str
    versions: Mapping[str, str]  # of knowwhy, pixeltable, python and postgres
    embedder: str  # that made the vectors
    database: str
    rows: Mapping[str, int]  # of every table of Postgres
    counts: Mapping[str, int]  # of knowwhy's tables, as they are asked
    canaries: Mapping[str, list[str]]  # keys of the newest rows
    members: Mapping[str, Mapping[str, Json]] = field(default_factory=dict)  # bytes and sha256


class Packing:
    """A backup that is being written."""

    def __init__(self, file: IO[bytes]) -> None:
        self._zip = zipfile.ZipFile(file, "w", zipfile.ZIP_STORED, allowZip64=True)
        self._members: dict[str, dict[str, Json]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failed: object) -> None:
        with contextlib.suppress(OSError, ValueError):  # one that failed is thrown away
            self._zip.close()

    @contextmanager
    def member(self, name: str) -> Iterator[IO[bytes]]:
        """Takes in what is written meanwhile under a name."""
        with self._zip.open(zipfile.ZipInfo(name), "w", force_zip64=True) as out:
            counted: Any = _Counted(out)
            yield counted
        self._members[name] = {"bytes": counted.size, "sha256": counted.digest.hexdigest()}

    def finish(self, told: Mapping[str, Json]) -> None:
        """Writes what the backup says of itself, as the last thing."""
        whole = {"format": FORMAT, **told, "members": self._members}
        text = json.dumps(whole, ensure_ascii=False, indent=1, sort_keys=True)
        self._zip.writestr(zipfile.ZipInfo(MANIFEST), text)
        self._zip.close()


class _Counted:
    """A stream that counts and hashes what passes."""

    def __init__(self, out: IO[bytes]) -> None:
        self._out, self.size, self.digest = out, 0, hashlib.sha256()

    def write(self, data: bytes) -> int:
        """Passes bytes on."""
        self.size += len(data)
        self.digest.update(data)
        return self._out.write(data)


@contextmanager
def replacing(file: Path) -> Iterator[IO[bytes]]:
    """Gives a file beside another, which it replaces once all is written and on the disk."""
    if file.exists() and not is_backup(file):
        raise BadInput(f"{file} is there and is no backup; give another name.")
    part = file.with_name(f"{file.name}.part")
    try:
        with _locked(part) as out:
            yield out
            out.flush()
            os.fsync(out.fileno())
            part.replace(file)
            _settle(file.parent)
    except OSError as error:
        raise BadInput(f"{file} cannot be written: {error.strerror or error}.") from None


@contextmanager
def _locked(part: Path) -> Iterator[IO[bytes]]:
    """Opens what a killed backup has left, or makes it; removes it when this one fails."""
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
    with os.fdopen(os.open(part, flags, READABLE_BY), "r+b") as out:
        try:
            fcntl.flock(out, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise StoreBusy(f"Another backup is writing {part}; wait for it.") from None
        if not _is_at(out, part):  # it has taken its name since: emptying it would lose it
            raise StoreBusy("Another backup has just been written there; this one was not begun.")
        os.fchmod(out.fileno(), READABLE_BY)
        out.truncate(0)
        try:
            yield out
        except BaseException:
            part.unlink(missing_ok=True)
            raise


def _is_at(out: IO[bytes], path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(out.fileno()), path.stat())
    except FileNotFoundError:
        return False


def _settle(folder: Path) -> None:
    """Brings the new name to the disk, where folders can be."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def is_backup(file: Path) -> bool:
    """Tells whether a file looks like one of ours."""
    try:
        with zipfile.ZipFile(file) as archive:
            return {MANIFEST, DATABASE} <= set(archive.namelist())
    except (OSError, zipfile.BadZipFile):
        return False


class Packed:
    """A backup that is there: nothing of it is believed before it has been checked."""

    def __init__(self, file: Path, archive: zipfile.ZipFile) -> None:
        self.file, self._zip = file, archive
        self.manifest = self._manifest()

    @classmethod
    @contextmanager
    def opened(cls, file: Path) -> Iterator[Self]:
        """Opens a backup and reads what it says of itself."""
        if not file.is_file():
            raise BadInput(f"{file} is {'no regular file' if file.exists() else 'not there'}.")
        try:
            with zipfile.ZipFile(file) as archive:
                yield cls(file, archive)
        except (zipfile.BadZipFile, EOFError, NotImplementedError, zlib.error) as error:
            raise _damaged(file, str(error) or "it ends too early") from None
        except OSError as error:
            raise BadInput(f"{file} cannot be read: {error.strerror or error}.") from None

    def _manifest(self) -> Manifest:
        infos = {info.filename: info for info in self._zip.infolist()}
        if not {MANIFEST, DATABASE} <= infos.keys():
            raise BadInput(f"{self.file} is no backup of knowwhy; `knowwhy backup` makes one.")
        if infos[MANIFEST].file_size > MOST_MANIFEST:
            raise _damaged(self.file, "its manifest is too large")
        try:
            told = json.loads(self._zip.read(MANIFEST))
        except (ValueError, RecursionError):
            raise _damaged(self.file, "its manifest is not JSON") from None
        if isinstance(told, dict) and isinstance(told.get("format"), int):
            if told["format"] > FORMAT:
                raise BadInput(
                    f"{self.file} is of a newer form ({told['format']}, this is {FORMAT}); "
                    "restore it with the version of knowwhy that made it."
                )
            if _is_manifest(told):
                return Manifest(**{one.name: told[one.name] for one in fields(Manifest)})
        raise _damaged(self.file, "its manifest is not what a backup says of itself")

    def check(self) -> None:
        """Reads all of it once and compares it with what the manifest says."""
        infos = self._zip.infolist()
        names = [info.filename for info in infos]
        if sorted(names) != sorted({*self.manifest.members, MANIFEST}):
            raise _damaged(self.file, "it does not hold what its manifest names")
        for info in infos:
            self._check_kind(info)
        for name, told in self.manifest.members.items():
            digest, size, first = hashlib.sha256(), 0, b""
            with self._zip.open(name) as member:
                while piece := member.read(AT_ONCE):
                    first = first or piece[: len(MAGIC)]
                    size += len(piece)
                    if size > told["bytes"]:
                        break
                    digest.update(piece)
            if (size, digest.hexdigest()) != (told["bytes"], told["sha256"]):
                raise _damaged(self.file, f"{name[:80]!r} is not what was written")
            if name == DATABASE and first != MAGIC:
                raise _damaged(self.file, "its database is no dump of Postgres")

    def _check_kind(self, info: zipfile.ZipInfo) -> None:
        kind = stat.S_IFMT(info.external_attr >> 16)
        is_plain = kind in (0, stat.S_IFREG) and not info.flag_bits & ENCRYPTED
        if not is_plain or info.compress_type not in PACKED:
            raise _damaged(self.file, f"{info.filename[:80]!r} is no plain file")
        if info.filename not in (MANIFEST, DATABASE):
            place_of(info.filename, self.file)

    def files(self) -> dict[str, PurePosixPath]:
        """Names the home's own files in it and where in a home they belong."""
        names = [name for name in self.manifest.members if name != DATABASE]
        return {name: place_of(name, self.file) for name in names}

    def size(self) -> int:
        """Adds up the bytes of what is in it."""
        return sum(told["bytes"] for told in self.manifest.members.values())

    @contextmanager
    def open(self, name: str) -> Iterator[IO[bytes]]:
        """Opens one thing in it."""
        with self._zip.open(name) as member:
            yield member


def place_of(name: str, file: Path) -> PurePosixPath:
    """Gives where in a home a file of a backup belongs; refuses any place but those we keep."""
    rest = name.removeprefix(FILES)
    parts = rest.split("/")
    strange = any(part in ("", ".", "..") or "\\" in part or "\0" in part for part in parts)
    is_ours = parts[0] in KEPT and (parts[0] == "config.toml") == (len(parts) == 1)
    if not name.startswith(FILES) or strange or not is_ours:
        raise BadInput(
            f"{file} wants to write to {name[:80]!r}, which no backup does; nothing of it is taken."
        )
    return PurePosixPath(rest)


def as_json(manifest: Manifest) -> dict[str, Json]:
    """Gives what a backup says of itself, without its inside."""
    told = asdict(manifest)
    return {name: told[name] for name in ("made_at", "versions", "embedder", "counts")}


def _is_manifest(told: Mapping[str, Any]) -> bool:
    """Tells whether JSON has the shape of a manifest."""
    wanted = {one.name for one in fields(Manifest)}
    if not wanted <= told.keys():
        return False
    texts = [told["made_at"], told["embedder"], told["database"]]
    versions = told["versions"]
    return (
        all(isinstance(text, str) for text in texts)
        and DATABASE_NAME.fullmatch(told["database"]) is not None
        and isinstance(versions, dict)
        and {"knowwhy", "pixeltable", "python", "postgres"} <= versions.keys()
        and all(isinstance(version, str) for version in versions.values())
        and _numbers(told["rows"])
        and _numbers(told["counts"])
        and isinstance(told["canaries"], dict)
        and all(
            isinstance(keys, list) and all(isinstance(key, str) for key in keys)
            for keys in told["canaries"].values()
        )
        and isinstance(told["members"], dict)
        and DATABASE in told["members"]
        and all(_is_member(member) for member in told["members"].values())
    )


def _numbers(counts: Any) -> bool:
    return isinstance(counts, dict) and all(isinstance(n, int) and n >= 0 for n in counts.values())


def _is_member(member: Any) -> bool:
    return (
        isinstance(member, dict)
        and isinstance(member.get("bytes"), int)
        and isinstance(member.get("sha256"), str)
        and DIGEST.fullmatch(member["sha256"]) is not None
    )


def _damaged(file: Path, why: str) -> BadInput:
    return BadInput(f"{file} is damaged ({why}); nothing was changed. Take another backup.")
