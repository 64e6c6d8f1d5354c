"""Changing one table in TOML that people write."""

import contextlib
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowwhy.errors import BadInput
from knowwhy.text.formats.toml_tables import put_table
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
