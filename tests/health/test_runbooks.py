"""Each alarm has a page that says what to do, and its commands exist."""

import ast
import re
from pathlib import Path

import pytest

from command_lines import exists

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "runbooks").glob("*.md"))
HEADINGS = ["What you see", "What it means", "What to run", "How you know it is over"]


def raised() -> set[str]:
    """Reads in the source which codes an Alarm is made with."""
    codes = set()
    for file in (ROOT / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Alarm" and node.args:
                first = node.args[0]
                assert isinstance(first, ast.Constant), f"{file}: the code of an alarm is a word"
                codes.add(first.value)
    return codes


def test_each_alarm_has_a_page_and_each_page_an_alarm():
    assert raised() == {page.stem for page in PAGES}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_says_what_it_is_to_say(page):
    text = page.read_text(encoding="utf-8")

    assert f"# {page.stem}\n" == text[: len(page.stem) + 3]
    assert HEADINGS == re.findall(r"^## (.+)$", text, re.MULTILINE)
    assert f"`{page.stem}: " in text.partition("## What it means")[0]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_each_command_that_a_page_names_exists(page):
    commands = re.findall(r"`([^`]*\bknowwhy [^`]+)`", page.read_text(encoding="utf-8"))

    assert commands
    assert [] == [line for line in commands if not exists(line)]


def test_a_command_that_does_not_exist_is_noticed():
    assert exists("KNOWWHY_EXTRACTOR=rules knowwhy extract --again")
    assert exists("knowwhy review list")
    assert not exists("knowwhy repair")
    assert not exists("knowwhy extract --harder")
    assert not exists("knowwhy review burn")
