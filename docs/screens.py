"""Makes the screens of docs/screens.md: `python docs/screens.py`, or `make screens`.

Real commands run in a terminal of their own over the golden corpus, in a home that is made for it.
With --columns they are printed at that width instead, to be looked at.
"""

import argparse
import fcntl
import os
import pty
import re
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
COLUMNS = 80
LINES = 45  # of a screen; what is longer is cut, and says so
EXTERNAL_FONT = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)  # nothing is fetched by a page
BEFORE = (  # what fills the home, and is on no screen
    ("ingest", "conversation", "conversations", "--user", "ann"),
    ("remember", "We deploy on Tuesdays because support is fully staffed.", "--user", "ann"),
    ("say", "I might move the jobs to Bento next month.", "--user", "ann"),
)
SHOWN = (  # by the name of its file: title, command
    ("help", "All commands, by what they are for", ("--help",)),
    ("sync", "A repository is taken in", ("sync", ".")),
    ("search", "A question, without quotes", ("search", "why", "kafka", "--k", "2")),
    ("list", "What there is", ("list", "--kind", "adr", "--limit", "12")),
    ("show", "A record that was misspelt", ("show", "adr/0012-use-kafka-as-event-bone.md")),
    ("graph", "What points to a decision", ("graph", "ADR-12")),
    (
        "remember",
        "Something is told, and a secret in it is not kept",
        (
            "remember", "The", "staging", "database", "opens", "with", "password=hunter2-Xy7!kq",
            "because", "nobody", "has", "rotated", "it.", "--user", "ann",
        ),
    ),
    ("review", "What waits for a person", ("review", "--user", "ann")),
    ("nightly", "What was done by night", ("nightly",)),
    ("status", "What the home holds", ("status",)),
)  # fmt: skip


def main() -> None:
    """Makes all screens, or prints them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--columns", type=int, help="Print at this width, and write nothing.")
    parser.add_argument("--only", nargs="*", help="Only these screens.")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="knowwhy-") as folder:
        place = _place(Path(folder))
        try:
            for command in BEFORE:
                _ran(place, command, COLUMNS)
            for name, title, command in SHOWN:
                text = _ran(place, command, asked.columns or COLUMNS)
                if asked.only and name not in asked.only:
                    continue
                if asked.columns:
                    sys.stdout.write(f"\n=== {name}: {_typed(command)}\n{text}")
                else:
                    _write(name, title, f"$ {_typed(command)}\n{text}")
        finally:
            _ran(place, ("stop", "--now"), COLUMNS)
    if not asked.columns:
        _page()


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
    lines = written.replace("\r\n", "\n").split("\n")
    return "\n".join(line.rsplit("\r\x1b[K", 1)[-1] for line in lines)


def _typed(command: tuple[str, ...]) -> str:
    words = (f"'{word}'" if re.search(r"[^\w./=-]", word) else word for word in command)
    return " ".join(["knowwhy", *words])


def _write(name: str, title: str, text: str) -> None:
    from rich.console import Console
    from rich.text import Text

    SCREENS.mkdir(exist_ok=True)
    lines = text.rstrip("\n").split("\n")
    kept = lines if len(lines) <= LINES else [*lines[:LINES], "…"]
    with Path(os.devnull).open("w") as nowhere:
        console = Console(record=True, width=COLUMNS, file=nowhere, force_terminal=True)
        console.print(Text.from_ansi("\n".join(kept)))
        picture = console.export_svg(title=title, unique_id=f"screen-{name}")
    picture = EXTERNAL_FONT.sub("", picture)
    (SCREENS / f"{name}.svg").write_text(picture + "\n", encoding="utf-8")


def _page() -> None:
    parts = [
        "<!-- Written by `make screens` from real commands. -->\n\n# Screens\n",
        "The golden corpus in a terminal of 80 columns.\n",
        *(
            f"## {title}\n\n![{_typed(words)}](screens/{name}.svg)\n"
            for name, title, words in SHOWN
        ),
    ]
    (Path(__file__).parent / "screens.md").write_text("\n".join(parts), encoding="utf-8")


if __name__ == "__main__":
    main()
