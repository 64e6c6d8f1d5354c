"""The lines that stand in git's hooks, put in and taken out without touching what else is there."""

import os
import re
import time
from pathlib import Path

from knowwhy.session.shared_files import PROGRAM, make_folder, mode_in, write_whole

HOOKS = ("post-commit", "post-merge", "post-checkout")
KEPT = "knowwhy-kept"  # holds hooks that are no shell scripts, under their own names
BEGIN, END = "# knowwhy: begin", "# knowwhy: end"
MADE, ADDED, CHAINED, RENEWED, THERE = "made", "added to", "put before", "renewed", "there already"
_SHELL = re.compile(r"#! ?(?:\S*/env (?:-S )?)?(?:\S*/)?(?:ba|da|z|k|a)?sh(?: [^\r]*)?")
_HUSKY = re.compile(r"""^\s*\. .*/_/husky\.sh["']?\s*$""")  # runs the rest of the file anew
_BLOCK = re.compile(rf"^{BEGIN}$.*?^{END}$\n?", re.MULTILINE | re.DOTALL)
_CHAIN = "# The hook that was here is kept in"


def block(hook: str) -> str:
    """Gives the lines that call us: they do nothing where no hook of ours is installed."""
    return (
        f"{BEGIN}\n"
        "# Hands the new state to `knowwhy sync` in the background; `knowwhy hook remove` removes\n"
        "# these lines. Where `knowwhy hook install` was not run they do nothing.\n"
        'knowwhy_hook="$(git rev-parse --git-dir 2>/dev/null)/knowwhy/hook"\n'
        f'[ ! -x "$knowwhy_hook" ] || "$knowwhy_hook" {hook} "$@" || :\n'
        f"{END}\n"
    )


def put_in(folder: Path, hook: str, *, is_sourced: bool) -> str:
    """Puts our lines into a hook, or before one that is no shell script; tells what was done."""
    file = folder / hook
    if not os.path.lexists(file):
        _write(file, f"#!/bin/sh\n{block(hook)}", mode_in(folder, PROGRAM))
        return MADE
    text = _shell_text(file, is_sourced=is_sourced)
    if text is None:
        _set_aside(folder, hook)
        return CHAINED
    if BEGIN in text:
        fresh = _BLOCK.sub(lambda _: block(hook), text, count=1)
        _write(file, fresh, file.stat().st_mode)
        return THERE if fresh == text else RENEWED
    _write(file, _with(text, block(hook)), file.stat().st_mode)
    return ADDED


def take_out(folder: Path, hook: str) -> bool:
    """Takes our lines out of a hook and puts back what they stood before."""
    file, kept = folder / hook, folder / KEPT / hook
    text = _text(file)
    if text is None or BEGIN not in text:
        return False
    if _CHAIN in text and os.path.lexists(kept):
        _move(kept, file)
        if not any((folder / KEPT).iterdir()):
            (folder / KEPT).rmdir()
        return True
    rest = _BLOCK.sub("", text)
    if rest.strip() in ("", "#!/bin/sh"):
        file.unlink()
    else:
        _write(file, rest, file.stat().st_mode)
    return True


def has_lines(folder: Path, hook: str) -> bool:
    """Tells whether our lines stand in a hook that git runs."""
    return BEGIN in (_text(folder / hook) or "")


def _text(file: Path) -> str | None:
    try:
        return file.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return None


def _shell_text(file: Path, *, is_sourced: bool) -> str | None:
    """Reads a hook that our lines can stand in; None for another language, a link or one off."""
    if file.is_symlink() or not file.is_file():
        return None
    text = _text(file)
    if text is None or "\r\n" in text:
        return None
    if is_sourced:  # by another program, with a shell, whatever stands in its first line
        return text
    is_on = os.access(file, os.X_OK)
    return text if is_on and _SHELL.fullmatch(text.partition("\n")[0]) else None


def _with(text: str, lines: str) -> str:
    """Puts lines at the top of a script, where no `exit` or `exec` comes before them."""
    whole = text if text.endswith("\n") else f"{text}\n"
    head = whole.splitlines(keepends=True)
    husky = next((place + 1 for place, line in enumerate(head) if _HUSKY.match(line)), 0)
    place = husky or (1 if whole.startswith("#!") else 0)
    return "".join((*head[:place], lines, *head[place:]))


def _set_aside(folder: Path, hook: str) -> None:
    """Keeps a hook under its own name in a folder, and calls it after our lines."""
    kept = folder / KEPT / hook
    make_folder(kept.parent)
    if os.path.lexists(kept):  # of a hook that was replaced since; nothing is thrown away
        kept.rename(kept.with_name(f"{hook}.{time.time_ns()}"))
    _move(folder / hook, kept)
    chain = (
        f"{_CHAIN} {KEPT}.\n"
        f'kept="$(dirname "$0")/{KEPT}/{hook}"\n'
        '[ -x "$kept" ] || exit 0\nexec "$kept" "$@"\n'
    )
    _write(folder / hook, f"#!/bin/sh\n{block(hook)}{chain}", mode_in(folder, PROGRAM))


def _move(source: Path, target: Path) -> None:
    """Moves a hook; a relative link goes on to lead where it led."""
    if source.is_symlink() and not os.path.isabs(os.readlink(source)):
        leads_to = os.path.join(source.parent, os.readlink(source))
        link = os.path.relpath(leads_to, target.parent)
        source.unlink()
        target.unlink(missing_ok=True)
        target.symlink_to(link)
        return
    os.replace(source, target)


def _write(file: Path, text: str, mode: int) -> None:
    """Writes a hook at once: git may run it at any moment."""
    write_whole(file, text.encode(), mode & PROGRAM)
