"""Pages that say what the code says."""

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "docs"))

import generate  # noqa: E402  # from docs/, which is no package
import screens  # noqa: E402  # from docs/ too

from knowwhy.cli import Lazy  # noqa: E402

PAGES = generate.pages()
PROSE = [
    p for p in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")) if p.name != "CHANGELOG.md"
]


@pytest.mark.parametrize("name", PAGES)
def test_a_generated_page_is_current(name):
    assert PAGES[name] == (ROOT / "docs" / name).read_text(encoding="utf-8"), "run `make docs`"


def test_the_list_of_commands_says_what_each_command_says_of_itself():
    import importlib

    for name, module in Lazy.HOMES.items():
        command = getattr(importlib.import_module(f"knowwhy.cli.{module}"), f"{name}_command")
        assert Lazy.HELP[name] == (command.help or "").splitlines()[0]


def test_the_page_of_screens_shows_every_screen_and_none_is_wider_than_its_terminal():
    files = sorted(screens.SCREENS.glob("*"))

    assert sorted(screens.SHOWN) == [file.stem for file in files]
    assert screens.page() == screens.PAGE.read_text(encoding="utf-8"), "run `make screens`"
    assert sum(file.stat().st_size for file in files) < 400_000
    for file in files:
        for line in file.read_text(encoding="utf-8").splitlines()[1:]:
            word = max(map(len, line.split()), default=0)
            assert len(line) <= max(screens.COLUMNS, word + len(line) - len(line.lstrip())), file


@pytest.mark.parametrize("page", PROSE, ids=lambda p: str(p.relative_to(ROOT)))
def test_links_between_pages_lead_somewhere(page):
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    targets = re.findall(r"\]\((?!https?:|#|mailto:)([^)#\s]+)", text)

    assert [] == [target for target in targets if not (page.parent / target).exists()]


def test_every_dependency_has_a_line_in_the_decisions():
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [
        *project["dependencies"],
        *(d for e in project["optional-dependencies"].values() for d in e),
    ]
    names = {re.split(r"[=<>\[ ]", line)[0] for line in wanted}
    said = " ".join(
        p.read_text(encoding="utf-8") for p in (ROOT / "docs" / "decisions").glob("*.md")
    )

    assert [] == sorted(name for name in names if f"`{name}`" not in said)


def test_every_pin_that_the_project_needs_is_in_the_constraints():
    pins = dict(
        line.split("==")
        for line in (ROOT / "constraints.txt").read_text().splitlines()
        if "==" in line
    )

    assert "2.13.0" == pins["torch"]
    assert "0.7.21" == pins["pixeltable"]


def test_readme_shows_the_two_commands_on_its_first_screen():
    first = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()[:40]

    assert any("make demo" in line for line in first)
    assert any("make test" in line for line in first)
