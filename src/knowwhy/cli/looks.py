"""How lines are made to fit a terminal, whose width is counted in cells: some letters take two."""

import shutil

from knowwhy.text.characters import one_line

DOTS = "…"


def width() -> int:
    """Gives the columns of the terminal; of a pipe what COLUMNS says, else 80."""
    return shutil.get_terminal_size().columns


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
    letters = line[::-1] if keep_end else line
    kept, used = [], cells(DOTS)
    for letter in letters:
        used += cells(letter)
        if used > room:
            break
        kept.append(letter)
    cut = "".join(kept)
    return DOTS + cut[::-1] if keep_end else cut + DOTS


def wrapped(text: str, room: int, indent: str = "", after: str | None = None) -> str:
    """Breaks a text between words into lines that fit; a word that is longer stays whole."""
    lines: list[str] = []
    begin = indent
    line = ""
    for word in one_line(" ".join(text.split())).split(" "):
        longer = f"{line} {word}" if line else word
        if line and cells(begin) + cells(longer) > room:
            lines.append(begin + line)
            begin, line = (indent if after is None else after), word
        else:
            line = longer
    return "\n".join([*lines, begin + line])
