"""How lines are made to fit a terminal, whose width is counted in cells: some letters take two.

In a pipe nothing is cut or broken: a program reads it, a line for each thing.
"""

import re
import shutil
import sys
from collections.abc import Mapping
from typing import Any

import click

from knowwhy.text.characters import one_line

DOTS = "…"
HANGING = "    "  # before what goes on in the next line
NARROWEST = 20  # columns that a text needs beside what stands before it
SHORT = 10  # characters of an id that a list shows: with 4 billion of them two rarely are alike
_ID = re.compile(r"[a-z]-[0-9a-f]{20,32}")


def columns(*, err: bool = False) -> int | None:
    """Gives the columns of the terminal that is written to; None where it is none."""
    stream = sys.stderr if err else sys.stdout
    return shutil.get_terminal_size().columns if stream.isatty() else None


def cells(text: str) -> int:
    """Counts the columns that a text takes."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def fitted(text: str, room: int, *, keep_end: bool = False) -> str:
    """Gives a text on one line that takes at most so many columns, cut where it is longer."""
    line = one_line(text)
    if cells(line) <= room:
        return line
    kept: list[str] = []
    used = cells(DOTS)
    for letter in reversed(line) if keep_end else line:
        used += cells(letter)
        if used > room:
            break
        kept.append(letter)
    return DOTS + "".join(reversed(kept)) if keep_end else "".join(kept) + DOTS


def padded_to(text: str, room: int) -> str:
    """Gives a text with spaces behind it up to so many columns."""
    return text + " " * (room - cells(text))


def wrapped(text: str, room: int | None, indent: str = "", after: str | None = None) -> list[str]:
    """Breaks a text between words into lines that fit; a word that is longer stays whole."""
    flat = one_line(text)
    if room is None or cells(indent) + cells(flat) <= room:
        return [f"{indent}{flat}"]
    lines: list[str] = []
    begin, line = indent, ""
    for word in flat.split(" "):
        longer = f"{line} {word}" if line else word
        if line and cells(begin) + cells(longer) > room:
            lines.append(f"{begin}{line}".rstrip())
            begin, line = (HANGING + indent if after is None else after), word
        else:
            line = longer
    return [*lines, f"{begin}{line}"] if line else lines


def say(
    text: str, indent: str = "", after: str | None = None, *, err: bool = False, **style: Any
) -> None:
    """Prints a line, on a terminal as several where it does not fit in one."""
    for line in wrapped(text, columns(err=err), indent, after):
        click.secho(line, err=err, **style)


def say_led(lead: str, text: str, led: Mapping[str, Any], **style: Any) -> None:
    """Prints a line whose beginning looks otherwise; what goes on stands below the rest."""
    first, *others = wrapped(lead + one_line(text), columns(), "", " " * len(lead))
    click.echo(click.style(lead, **led) + click.style(first[len(lead) :], **style))
    for line in others:
        click.secho(line, **style)


def say_parts(parts: list[str], indent: str = "") -> None:
    """Prints the parts of a line side by side, and those that do not fit in lines below."""
    room, begin, line = columns(), indent, ""
    for part in (one_line(part) for part in parts if part):
        longer = f"{line}  {part}" if line else part
        if line and room is not None and cells(begin) + cells(longer) > room:
            say(line, begin, begin + HANGING)
            begin, longer = indent + HANGING, part
        line = longer
    if line:
        say(line, begin, begin + HANGING)


def short(key: str) -> str:
    """Gives the beginning of an id that a hand can type, for a person; a program gets all of it."""
    is_long = columns() is not None and _ID.fullmatch(key) is not None
    return key[:SHORT] if is_long else key
