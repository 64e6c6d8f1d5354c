"""Writes the reference pages from the code: `python docs/generate.py`, or `make docs`."""

import json
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
from knowwhy.mcp import prompts, resources
from knowwhy.mcp.answers import ALL_DATA
from knowwhy.mcp.toolbox.registry import ALL, DEFAULT, Tool, answers_cost, cost, shown
from knowwhy.mcp.toolbox.tools import TOOLS
from knowwhy.tables.homes import home
from knowwhy.tables.indexed import OWN
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
        "tools.md": tools(),
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
        indexes = [_index(index) for index in model.__indexes__]
        indexes += [f"`{column}` (B-tree of Postgres)" for column in OWN.get(name, ())]
        parts.append(f"\nIndexes: {', '.join(indexes) or 'none'}\n")
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


def tools() -> str:
    """Lists every tool of the server with its arguments, then its resources and prompts."""
    costs = {profile: cost(shown(TOOLS.values(), profile)) for profile in (DEFAULT, ALL)}
    shapes = {profile: answers_cost(shown(TOOLS.values(), profile)) for profile in (DEFAULT, ALL)}
    listed = [tool for tool in TOOLS.values() if tool.default]
    others = [tool for tool in TOOLS.values() if not tool.default]
    parts = [
        NOTE,
        "# Tools\n",
        "What `knowwhy serve` offers to assistants over the Model Context Protocol.\n",
        f"By default {len(listed)} tools are listed, about {costs[DEFAULT]:,} tokens; the other "
        f"{len(others)} are found with `find_tools` and called with `run_tool`. "
        f"`--profile all` lists all {len(TOOLS)}, about {costs[ALL]:,} tokens. That is what a "
        f"model is shown; the shapes of the answers, which clients check and few show, are "
        f"{shapes[DEFAULT]:,} and {shapes[ALL]:,} more.\n",
        "Each call is made as the user of the server or of the token; no argument says otherwise. "
        "An answer has a text, with stored text between tags as quoted data. Many clients show "
        "a model the structured content and not the text, so that is the same text under "
        "`text`, and beside it only what the server has made itself: ids, states, counts. A "
        f'program that wants all of the data says so with the call, `"_meta": {{"{ALL_DATA}": '
        "true}`. An error is an answer too, with a sentence that says what to do and a code of "
        "[errors](errors.md); a tool that does not exist is an error of the protocol.\n",
        "Where a claim is approved, corrected or rejected and the client can put a question to "
        "its person (elicitation), the person is asked first, with the claims in full, for whom "
        "they hold and what they would take the place of; without their agreement, or where any "
        "of it has changed meanwhile, nothing changes. Where the client cannot ask, it is kept as "
        "an assistant's word: `verified_via` says so and `verified_by` stays empty.\n",
        "`reads` leaves everything as it is. `adds` deletes and overwrites nothing: where a new "
        "memory supersedes an older one, as a correction does, the older one stays, marked as "
        "superseded by the new one, and `restore_memory` brings it back once that was taken back "
        "with `invalidate_memory`. `changes` may put something in the place of what is stored, "
        "or out of sight; no tool deletes a memory.\n",
        "## Listed by default\n",
        *map(_tool, listed),
        "## Found with `find_tools`\n",
        *map(_tool, others),
        "## Resources\n",
        *(f"- `{resources.ROOT}{name}`: {about}" for name, about in resources.LISTS.items()),
        *(f"- `{t.uri_template}`: {t.description}" for t in resources.templates()),
        "\n## Prompts\n",
        *(f"- `{n}({p.argument})`: {p.description} {p.about}" for n, p in prompts.PROMPTS.items()),
        "",
    ]
    return "\n".join(parts)


def _tool(tool: Tool) -> str:
    schema = tool.schema
    rows = [
        _argument(name, about, name in schema.get("required", ()))
        for name, about in schema["properties"].items()
    ]
    head = ["| argument | type | default | |", "|---|---|---|---|"] if rows else []
    return "\n".join(
        [f"### `{tool.name}`\n", f"{tool.description} *({tool.does})*\n", *head, *rows, ""]
    )


def _argument(name: str, about: dict[str, Any], needed: bool) -> str:
    kind = " or ".join(f"`{choice}`" for choice in about.get("enum", ())) or _kind(about)
    bounds = [
        f"{word} {about[limit]:,}"
        for limit, word in (("minimum", "from"), ("maximum", "to"), ("maxLength", "up to"))
        if limit in about
    ]
    unit = " characters" if "maxLength" in about else ""
    limits = f", {' '.join(bounds)}{unit}" if bounds else ""
    given = json.dumps(about["default"]) if about.get("default") is not None else ""
    default = "needed" if needed else f"`{given}`" if given else ""
    of_one = [[one] for one in about.get("items", {}).get("examples", ())]
    example = next(iter(about.get("examples", of_one)), None)
    shown_example = f" Example: `{json.dumps(example, ensure_ascii=False)}`" if example else ""
    text = f"{about.get('description', '')}{shown_example}".strip().replace("|", "\\|")
    return f"| `{name}` | {kind}{limits} | {default} | {text} |"


def _kind(about: dict[str, Any]) -> str:
    inside = about.get("items", {})
    if about.get("type") == "array":
        return f"list of {inside.get('type') or 'objects'}s".replace("objectss", "objects")
    return str(about.get("type", "any"))


if __name__ == "__main__":
    main()
