"""Changing one value in JSON that people write."""

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowwhy.errors import BadInput
from knowwhy.text.formats.jsonc import put, read_jsonc
from pace import assert_linear, run_of

SCALARS = st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=6)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=12,
)
OBJECTS = st.dictionaries(st.text(max_size=4), VALUES, max_size=5)


@given(OBJECTS, st.sampled_from([None, 1, 4, "\t"]))
def test_what_json_writes_is_read_as_it_was(value, indent):
    assert value == read_jsonc(json.dumps(value, indent=indent))


@given(OBJECTS, VALUES, st.sampled_from([None, 2, "\t"]))
def test_a_value_is_put_in_and_the_rest_stays(held, value, indent):
    held.pop("a", None)
    text = json.dumps(held, indent=indent)

    fresh = put(text, ("a", "b"), value)

    assert {**held, "a": {"b": value}} == read_jsonc(fresh)
    assert {**held, "a": {"b": 7}} == read_jsonc(put(fresh, ("a", "b"), 7))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", '{\n  "a": 1\n}\n'),
        ("\ufeff{}", '\ufeff{\n  "a": 1\n}'),
        ("{ // none yet\n}\n", '{ // none yet\n  "a": 1\n}\n'),
        ('{"b": 2}', '{"b": 2, "a": 1}'),
        ('{\n\t"b": 2 // two\n}', '{\n\t"b": 2, // two\n\t"a": 1\n}'),
        ('{\n\t"b": 2, // two\n}', '{\n\t"b": 2, // two\n\t"a": 1,\n}'),
        ('{"a": /* was */ 0 /* here */}', '{"a": /* was */ 1 /* here */}'),
        ('{"a": 0, "a": 5}', '{"a": 0, "a": 1}'),
        ('{"x": "}//{", "a": 2}', '{"x": "}//{", "a": 1}'),
    ],
)
def test_the_layout_stays(text, expected):
    assert expected == put(text, ("a",), 1)


@pytest.mark.parametrize(
    "text",
    ["{", "}", '{"a"}', '{"a": }', "{a: 1}", "{'a': 1}", '{"a": 1 "b": 2}', "nope", "[1,,2]"],
)
def test_what_is_no_json_is_refused(text):
    with pytest.raises(BadInput):
        put(text, ("a",), 1)


@pytest.mark.parametrize(
    "text",
    [
        '{"a": ',
        "[",
        run_of("/*", "{"),
        run_of("//\n", "{", "}"),
        run_of("\\", '{"'),
        run_of(" ", after="x"),
        run_of("1,", '{"b": [', "1]}"),
    ],
)
def test_hostile_text_is_read_or_refused_in_linear_time(text):
    def put_or_refuse(text):
        with contextlib.suppress(BadInput):
            put(text, ("a",), 1)

    assert_linear(put_or_refuse, text)
