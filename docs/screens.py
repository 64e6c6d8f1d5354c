"""Makes the screens of docs/screens.md: `python docs/screens.py`, or `make screens`.

Real commands run in a terminal of their own over the golden corpus, in a home that is made for it.
With --columns they are printed at that width instead, to be looked at.
"""

import argparse
import fcntl
import os
import pty
import re
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
from pathlib import Path

ROOT = Path(__file__).parents[1]
CORPUS = ROOT / "golden" / "corpus"
SCREENS = Path(__file__).parent / "screens"
PAGE = Path(__file__).parent / "screens.md"
COLUMNS = 80
LINES = 60  # of a screen; what is longer is cut, and says so
COLOURS = re.compile(r"\x1b\[[0-9;]*m")
ANN = ("--user", "ann")
BEFORE = (  # what fills the home, and is on no screen
    ("ingest", "conversation", "conversations", *ANN),
    ("remember", "We deploy on Tuesdays because support is fully staffed.", *ANN),
    ("remember", "The ledger moved to Postgres.", "--said-by", "assistant", *ANN),
)
CLAIM = "We rotate password=hunter2-Xy7kqZ monthly because the test database is shared."
TOLD = ("remember", *ANN, *CLAIM.split())
SHOWN = {  # by the name of its file: title, command
    "help": ("All commands, by what they are for", ("--help",)),
    "sync": ("A repository is taken in", ("sync", ".")),
    "search": ("A question, without quotes", ("search", "why", "kafka", "--k", "2")),
    "list": ("What there is", ("list", "--kind", "adr", "--limit", "12")),
    "misspelt": ("A name that is misspelt", ("show", "adr/0012-use-kafka-as-event-bone.md")),
    "graph": ("What points to a decision", ("graph", "ADR-12")),
    "remember": ("Something is told, and a secret in it is not kept", TOLD),
    "review": ("What waits for a person", ("review", *ANN)),
    "nightly": ("What was done by night", ("nightly",)),
    "status": ("What the home holds", ("status",)),
}


def main() -> None:
    """Makes all screens, or prints them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--columns", type=int, help="Print at this width, and write nothing.")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="knowwhy-") as folder:
        place = _place(Path(folder))
        try:
            for command in BEFORE:
                _ran(place, command, COLUMNS)
            for name, (_, command) in SHOWN.items():
                seen = _ran(place, command, asked.columns or COLUMNS)
                screen = f"$ {_typed(command)}\n{seen}".replace(folder, "~")
                if asked.columns:
                    sys.stdout.write(f"\n{screen}")
                else:
                    _write(name, screen)
        finally:
            _ran(place, ("stop", "--now"), COLUMNS)
    if not asked.columns:
        PAGE.write_text(page(), encoding="utf-8")


def _place(folder: Path) -> Path:
    """Makes a repository of the corpus, as somebody would have it."""
    repository = folder / "shop"
    shutil.copytree(CORPUS, repository)
    for words in (("init", "-q"), ("add", "-A"), ("commit", "-qm", "Begin")):
        who = ("-c", "user.name=Ann", "-c", "user.email=ann@example.org")
        subprocess.run(["git", *who, *words], cwd=repository, check=True)
    return repository


def _ran(place: Path, command: tuple[str, ...], columns: int) -> str:
    """Runs a command in a terminal and gives what is seen there."""
    keys, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 100, columns, 0, 0))
    plain = {k: v for k, v in os.environ.items() if not k.startswith(("KNOWWHY_", "PIXELTABLE_"))}
    environ = plain | {
        "PIXELTABLE_HOME": str(place.parent / "home"),
        "TERM": "xterm-256color",
        "COLUMNS": str(columns),
        **{name: value for name, value in os.environ.items() if name == "KNOWWHY_EMBEDDER"},
    }
    run = subprocess.Popen(
        [sys.executable, "-m", "knowwhy", *command],
        cwd=place,
        env=environ,
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        start_new_session=True,
    )
    os.close(terminal)
    parts = []
    while part := _read(keys):
        parts.append(part)
    os.close(keys)
    run.wait()
    return _seen(b"".join(parts).decode(errors="replace"))


def _read(keys: int) -> bytes:
    try:
        return os.read(keys, 65_536)
    except OSError:  # the other end was closed
        return b""


def _seen(written: str) -> str:
    """Gives what stays on a terminal: a line that is begun again takes the place of itself."""
    lines = COLOURS.sub("", written).replace("\r\n", "\n").split("\n")
    return "\n".join(line.rsplit("\r\x1b[K", 1)[-1] for line in lines)


def _typed(command: tuple[str, ...]) -> str:
    return shlex.join(["knowwhy", *command])


def _write(name: str, text: str) -> None:
    SCREENS.mkdir(exist_ok=True)
    lines = text.rstrip().split("\n")
    more = f"… {len(lines) - LINES} more lines"
    kept = lines if len(lines) <= LINES else [*lines[:LINES], more]
    (SCREENS / f"{name}.txt").write_text("\n".join(kept) + "\n", encoding="utf-8")


def page() -> str:
    """Gives the page that shows the screens as they were made."""
    parts = [
        "<!-- Written by `make screens` from real commands. -->\n\n# Screens\n",
        "What the golden corpus looks like in a terminal of 80 columns. In a narrower one lines",
        "are broken between words, and keys never; in a pipe each thing is one line.\n",
        *(_section(name, title) for name, (title, _) in SHOWN.items()),
    ]
    return "\n".join(parts)


def _section(name: str, title: str) -> str:
    screen = (SCREENS / f"{name}.txt").read_text(encoding="utf-8")
    return f"## {title}\n\n````\n{screen}````\n"


if __name__ == "__main__":
    main()
