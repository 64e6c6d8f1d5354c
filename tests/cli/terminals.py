"""A terminal of some width in this process: what a command prints there, without colours."""

import io
import re
from contextlib import redirect_stderr, redirect_stdout
from typing import NamedTuple

COLOURS = re.compile(r"\x1b\[[0-9;]*m")


class Terminal(io.StringIO):
    """A text stream that says that it is a terminal."""

    def isatty(self) -> bool:
        return True


class Shown(NamedTuple):
    """What stays on a terminal after a command."""

    code: int
    out: str
    err: str


def shown(monkeypatch, columns, *arguments) -> Shown:
    """Runs a command in a terminal of so many columns."""
    from knowwhy.cli import run

    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("TERM", "xterm-256color")
    out, err = Terminal(), Terminal()
    with redirect_stdout(out), redirect_stderr(err):
        code = run([str(argument) for argument in arguments])
    return Shown(code, *(_left(stream.getvalue()) for stream in (out, err)))


def _left(written: str) -> str:
    lines = COLOURS.sub("", written).split("\n")
    return "\n".join(line.rsplit("\r\x1b[K", 1)[-1] for line in lines)
