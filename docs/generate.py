"""Writes the reference pages from the code: `python docs/generate.py`, or `make docs`."""

import os
import re
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import click

# Declaring tables starts Pixeltable; that must not be in anybody's own home.
if __name__ == "__main__":
    SCRATCH = Path(tempfile.mkdtemp(prefix="knowwhy-docs-"))
    os.environ["PIXELTABLE_HOME"] = str(SCRATCH)

from knowwhy import config, errors
from knowwhy.cli import cli
from knowwhy.tables import home
from knowwhy.tables.schema import DIRECTORY, declare

DOCS = Path(__file__).parent
NOTE = "<!-- Written by `make docs` from the code; a test fails when it is not current. -->\n"


def main() -> None:
    """Writes every page."""
    try:
        for name, text in pages().items():
            (DOCS / name).write_text(text, encoding="utf-8")
            sys.stderr.write(f"docs/{name}\n")
    finally:
        home.stop(SCRATCH)
        shutil.rmtree(SCRATCH)


def pages() -> dict[str, str]:
    """Gives every generated page by its file name."""
    return {
        "cli.md": commands(),
        "settings.md": settings(),
        "errors.md": error_codes(),
        "tables.md": tables(),
    }


def commands() -> str:
    """Gives the help of every command as it is printed."""
    parts = [NOTE, "# Command line\n"]
    for path, command in _commands("knowwhy", cli):
        context = click.Context(command, info_name=path, terminal_width=90)
        parts.append(f"## `{path}`\n\n```\n{command.get_help(context)}\n```\n")
    return "\n".join(parts)


def _commands(path: str, command: click.Command) -> list[tuple[str, click.Command]]:
    found = [(path, command)]
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            if inner is not None:
                found += _commands(f"{path} {name}", inner)
    return found


def settings() -> str:
    """Lists every variable, its default and what it is for."""
    defaults = config.Settings()
    home = str(Path.home())
    rows = [
        f"| `{variable}` | {_default(getattr(defaults, field), home)} | {about} |"
        for field, (variable, about) in config.ABOUT.items()
    ]
    head = "| variable | default | what it is for |\n|---|---|---|"
    return "\n".join(
        [NOTE, "# Settings\n", "Environment variables; there is no other place.\n", head, *rows, ""]
    )


def _default(value: Any, home: str) -> str:
    return "–" if value is None else f"`{str(value).replace(home, '~')}`"


def error_codes() -> str:
    """Draws the tree of errors and says when each happens."""
    tree = (errors.__doc__ or "").partition("\n\n")[2].strip()
    rows = [
        f"| `{kind.code}` | {kind.__name__} | {kind.http_status} | "
        f"{'yes' if kind.retryable else 'no'} | {(kind.__doc__ or '').splitlines()[0]} |"
        for kind in (errors.Error, *_below(errors.Error))
    ]
    head = "| code | class | HTTP | try again | when |\n|---|---|---:|---|---|"
    return "\n".join([NOTE, "# Errors\n", f"```\n{tree}\n```\n", head, *rows, ""])


def _below(kind: type[errors.Error]) -> list[type[errors.Error]]:
    return [k for sub in kind.__subclasses__() for k in (sub, *_below(sub))]


def tables() -> str:
    """Lists every table with its stored and its computed columns."""
    base = declare("wordhash")
    parts = [
        NOTE,
        "# Tables\n",
        f"In the directory `{DIRECTORY}` of the Pixeltable home; read one with "
        f'`pxt.get_table("{DIRECTORY}/records")`.\n',
    ]
    for name, model in base.__registered_models__.items():
        parts.append(f"## `{name}`\n\n{(model.__doc__ or '').strip()}\n")
        parts += ["| column | kind | type or expression |", "|---|---|---|"]
        parts += [f"| `{column}` | {kind} | `{about}` |" for column, kind, about in _columns(model)]
        indexes = ", ".join(_index(index) for index in model.__indexes__)
        parts.append(f"\nIndexes: {indexes or 'none'}\n")
    return "\n".join(parts)


def _columns(model: Any) -> list[tuple[str, str, str]]:
    iterator = model.__table_spec__["iterator"]
    outputs = iterator.outputs.items() if iterator is not None else ()
    cut = [(name, "cut", str(output.col_type)) for name, output in outputs]
    own = [
        (name, "computed", str(spec["value"]))
        if "value" in spec
        else (name, "stored", _type(spec["type"]))
        for name, spec in model.__columns__.items()
    ]
    return cut + own


def _type(written: Any) -> str:
    return re.sub(r"typing\.Annotated\[\w+, (\w+)\]", r"\1", str(written)).replace("|", "or")


def _index(index: Any) -> str:
    kind = "vectors" if type(index).__name__ == "EmbeddingIndex" else "B-tree"
    return f"`{index.column.name}` ({kind})"


if __name__ == "__main__":
    main()
