"""Changing one table in TOML that people write."""

import contextlib
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import knowwhy
from knowwhy.errors import BadInput
from knowwhy.ingest.syncing.layout import parse_layout
from knowwhy.text.formats.fields import read
from knowwhy.text.formats.toml_tables import put_table, read_toml
from pace import assert_linear, run_of

PATH = ("servers", "knowwhy")
SCALARS = st.booleans() | st.integers(-99, 99) | st.text(st.characters(codec="utf-8"), max_size=8)
TABLES = st.dictionaries(st.text("ab-c. \"'é", min_size=1, max_size=5), SCALARS, max_size=4)


@given(TABLES, TABLES)
def test_a_table_is_put_in_and_put_anew(one, two):
    text = 'a = 1\n[servers.other]\nb = "x"\n'

    first = put_table(text, PATH, one)
    second = put_table(first, PATH, two)

    rest = {"a": 1}
    assert {**rest, "servers": {"other": {"b": "x"}, "knowwhy": one}} == tomllib.loads(first)
    assert {**rest, "servers": {"other": {"b": "x"}, "knowwhy": two}} == tomllib.loads(second)
    assert first.startswith(text)


@pytest.mark.parametrize(
    "text",
    [
        'servers = { knowwhy = { command = "x" } }\n',
        'servers.knowwhy.command = "x"\n',
        '[servers]\nknowwhy = { command = "x" }\n',
        "[[servers]]\na = 1\n",
        "a = ",
    ],
)
def test_what_cannot_be_changed_safely_is_refused(text):
    with pytest.raises(BadInput):
        put_table(text, PATH, {"a": 1})


def test_a_header_inside_a_text_is_no_header():
    text = 's = """\n[servers.knowwhy]\nx = 1\n"""\n[tail]\nb = 2\n'

    try:
        fresh = put_table(text, PATH, {"a": 1})
    except BadInput:
        return  # refused rather than harmed
    told = tomllib.loads(fresh)
    assert (tomllib.loads(text)["s"], {"a": 1}) == (told["s"], told["servers"]["knowwhy"])


@pytest.mark.parametrize("text", ["[", run_of("# x\n", "[a]\n"), run_of("[", "a = '")])
def test_hostile_text_is_read_or_refused_in_linear_time(text):
    def put_or_refuse(text):
        with contextlib.suppress(BadInput):
            put_table(text, PATH, {"a": 1})

    assert_linear(put_or_refuse, text)


LONG_KEYS = {
    "bare": "a." * 40 + "a = 1\n",
    "in a header": "b = 1\n[" + "a . " * 40 + "a]\n",
    "in a table in a line": "b = { " + "a." * 40 + "a = 1 }\n",
    "quoted": '"a\\"".' * 40 + "a = 1\n",
    "after what only seems to end a text": "b = '''\n'''\n" + "'a'." * 40 + "a = 1\n",
}


@pytest.mark.parametrize("text", LONG_KEYS.values(), ids=LONG_KEYS)
def test_a_key_with_too_many_parts_is_refused_by_every_reader(text):
    with pytest.raises(BadInput, match="a key has more than 40 parts"):
        read_toml(text)
    with pytest.raises(BadInput, match="a key has more than 40 parts"):
        put_table(text, PATH, {"a": 1})
    with pytest.raises(BadInput, match="a key has more than 40 parts"):
        parse_layout(text)
    with pytest.raises(BadInput, match="a key has more than 40 parts"):
        read(text, "TOML")


@pytest.mark.parametrize(
    "text",
    [
        f'a = """x.{"a." * 60}"""\n',
        f"a = '''\n{'a.' * 60}'''\nb = 1\n",
        f'a = "{"a." * 60}"  # {"a." * 60}\n',
        f'a = "\\"{"a." * 60}"\n',
        f"a = [{'1.5, ' * 60}]\n",
        f"{'a.' * 39}a = 1\n",
    ],
)
def test_dots_in_texts_comments_and_lists_are_no_parts_of_a_key(text):
    assert tomllib.loads(text) == read_toml(text)


@pytest.mark.parametrize("text", ["a = " + "[" * 20_000, "a = " + "1" * 5_000])
def test_values_that_python_cannot_hold_are_refused_in_a_sentence(text):
    with pytest.raises(BadInput):
        read_toml(text)
    with pytest.raises(BadInput):
        parse_layout(text)


def test_toml_is_parsed_in_one_place_only():
    users = {
        file.name
        for file in Path(knowwhy.__file__).parent.rglob("*.py")
        if "tomllib.load" in file.read_text(encoding="utf-8")
    }

    assert {"toml_tables.py"} == users
