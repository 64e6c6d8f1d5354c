"""Keeps a file that is of one machine out of a repository, without a line in what others share."""

import os
import re
from pathlib import Path

from knowwhy.errors import BadInput, NoAnswer, NotFound
from knowwhy.session.command import answered
from knowwhy.session.git import open_repository

EXCLUDE = Path("info", "exclude")  # in the folder that all work trees share
_SPECIAL = re.compile(r"([\\*?\[\]!# ])")


def keep_out(file: Path) -> str | None:
    """Lets git leave a file out, and says how, or why it does not; None where no git is about."""
    try:
        place = open_repository(file.parent).place
        top = place.top
        if top is None or not file.resolve().is_relative_to(top.resolve()):
            return None
        name = file.resolve().relative_to(top.resolve()).as_posix()
        if answered(top, "ls-files", "--", f":(literal){name}").out:
            return f"git has {name} already: do not commit it, it holds paths of this machine"
        if answered(top, "check-ignore", "-q", "--", name).code == 0:
            return f"git leaves {name} out already"
    except (BadInput, NotFound, NoAnswer):
        return None
    exclude = place.common / EXCLUDE
    line = "/" + _SPECIAL.sub(r"\\\1", name)
    try:
        exclude.parent.mkdir(exist_ok=True)
        before = exclude.read_bytes() if exclude.exists() else b""
        gap = "\n" if before and not before.endswith(b"\n") else ""
        with exclude.open("ab") as lines:
            lines.write(os.fsencode(f"{gap}{line}\n"))
    except OSError as error:
        return f"do not commit {name}, it holds paths of this machine; {exclude}: {error.strerror}"
    return f"git leaves {name} out, as it holds paths of this machine (a line in {exclude} says so)"
