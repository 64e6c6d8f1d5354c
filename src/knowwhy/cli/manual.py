"""The pages that messages point to, at the command line: they come with the package."""

from pathlib import Path

import click

import knowwhy
from knowwhy.cli.looks import say
from knowwhy.errors import NotFound
from knowwhy.text.nearest import did_you_mean
from knowwhy.text.secrets.redact import redact

HERE = Path(knowwhy.__file__).parent
FOLDERS = ("docs", "runbooks")
MOST_NAME = 100  # characters of a name that are shown again


@click.command("docs")
@click.argument("name", required=False)
def docs_command(name: str | None) -> None:
    """Read a page of the manual.

    There are what --json prints, formats of files, and what to do about each alarm. Without a
    name all pages are listed. An alarm's page has the name of its code: what you see, what it
    means, what to run, and how you know that it is over.
    """
    found = pages()
    if name is None:
        for folder in FOLDERS:
            click.echo(f"{folder}:")
            for page, file in found.items():
                if file.parent.name == folder:
                    say(f"{page:<26}{_title(file)}", "  ", " " * 28)
        return
    page = name.strip().removesuffix(".md").rpartition("/")[2].casefold()
    if page not in found:
        said = did_you_mean(page, found) or "; `knowwhy docs` lists them."
        raise NotFound(f"There is no page {redact(name)[:MOST_NAME]!r}{said}")
    click.echo_via_pager(found[page].read_text(encoding="utf-8").rstrip("\n"))


def pages() -> dict[str, Path]:
    """Gives each page by its name: those of the package, or of the checkout that it runs from."""
    inside = HERE / "manual"
    root = inside if inside.is_dir() else HERE.parents[1]
    return {
        file.stem.casefold(): file
        for folder in FOLDERS
        for file in sorted((root / folder).glob("*.md"))
    }


def _title(file: Path) -> str:
    lines = file.read_text(encoding="utf-8").splitlines()
    title = next((line.removeprefix("# ") for line in lines if line.startswith("# ")), file.stem)
    meaning = "## What it means"
    if meaning not in lines:
        return title
    after = (line for line in lines[lines.index(meaning) + 1 :] if line.strip())
    return next(after, title).partition(". ")[0].rstrip(".")
