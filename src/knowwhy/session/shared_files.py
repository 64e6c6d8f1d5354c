"""Folders and files that others use too: open as what is around them, whatever the umask is.

What is inside a repository or an assistant's configuration is no more private than its place.
"""

import os
import stat
from pathlib import Path

OPEN_TO_OTHERS = 0o022  # to write; not given where one may only write to what is one's own
FOLDER, FILE = 0o2777, 0o666  # bits of the folder around that are taken; a program takes all nine
PROGRAM = 0o777


def make_folder(folder: Path) -> None:
    """Makes a folder, and those above it that are not there, each as open as the one it is in."""
    if folder.is_dir():
        return
    make_folder(folder.parent)
    folder.mkdir(exist_ok=True)
    folder.chmod(mode_in(folder.parent, FOLDER))


def write_whole(file: Path, text: bytes, mode: int) -> None:
    """Writes a file at once, so that nobody reads half of it."""
    fresh = file.with_name(f"{file.name}.{os.getpid()}.new")
    try:
        fresh.write_bytes(text)
        fresh.chmod(mode)
        fresh.replace(file)
    finally:
        fresh.unlink(missing_ok=True)


def mode_in(folder: Path, bits: int) -> int:
    """Gives the mode of something new in a folder: as open as that, and its owner's at least."""
    mode = stat.S_IMODE(folder.stat().st_mode)
    if mode & stat.S_ISVTX:
        mode &= ~OPEN_TO_OTHERS
    return (mode | 0o700) & bits
