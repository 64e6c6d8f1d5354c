import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowwhy.errors import BadInput
from knowwhy.text.formats.fields import MAX_CHARS, read
from pace import assert_linear


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("a: 2024-03-12", "2024-03-12"),
        ("a: 2024-03-12 14:05:00", "2024-03-12T14:05:00"),
        ("a: 2024-03-12 14:05:00 +01:00", "2024-03-12T14:05:00+01:00"),
        ("a: 2023-13-02", "2023-13-02"),
        ("a: 2024-03-12 14:05:00 +99:99", "2024-03-12 14:05:00 +99:99"),
        ("a: 0007", "0007"),
        ("a: 14:05", "14:05"),
        ("a: 14:05:00.5", "14:05:00.5"),
        ("a: 1_000", "1_000"),
        ("a: 0x1F", "0x1F"),
        ("a: +49123", "+49123"),
        ("a: 7", 7),
        ("a: -7", -7),
        ("a: 1.5", 1.5),
        ("a: yes", True),
        ("a: ~", None),
        ("a: 12345678901234567890", "12345678901234567890"),
        ("a: " + "9" * 5_000, "9" * 5_000),
        ("a: .nan", "nan"),
        ("a: -.inf", "-inf"),
        ("a: !!set {c, b}", ["b", "c"]),
        ("a: !!binary aGk=", "hi"),
        ("a: !!timestamp soon", "soon"),
        ("a: !!bool maybe", "maybe"),
        ("a: !!float ''", ""),
        ("a: !!int 'x'", "x"),
        ("a: 1\na: 2", 2),
        ("a: &b {c: 1}\nb: *b", {"c": 1}),
    ],
)
def test_yaml_values_become_json_as_their_author_meant_them(line, expected):
    assert expected == read(line, "YAML")["a"]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("1: a", {"1": "a"}),
        ("on: a", {"True": "a"}),
        ("2024-03-12: a", {"2024-03-12": "a"}),
        ("2024-03-12 14:05:00: a", {"2024-03-12T14:05:00": "a"}),
        ("!!binary aGk=: a", {"hi": "a"}),
    ],
)
def test_names_that_are_no_text_become_text(source, expected):
    assert expected == read(source, "YAML")


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("NaN", "nan"),
        ("-Infinity", "-inf"),
        ("1e999", "inf"),
        ("12345678901234567890", "12345678901234567890"),
        ("12345", 12345),
        ("true", True),
        ("null", None),
        ('{"b": 1, "b": 2}', {"b": 2}),
    ],
)
def test_json_values_are_made_fit_to_be_stored(written, expected):
    assert {"a": expected} == read(f'\ufeff{{"a": {written}}}', "JSON")


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("2024-03-12", "2024-03-12"),
        ("2024-03-12T14:05:00Z", "2024-03-12T14:05:00+00:00"),
        ("14:05:00", "14:05:00"),
        ("nan", "nan"),
        ("12345678901234567890", "12345678901234567890"),
        ("{b.c = [1]}", {"b": {"c": [1]}}),
    ],
)
def test_toml_values_become_json(written, expected):
    assert {"a": expected} == read(f"a = {written}", "TOML")


@pytest.mark.parametrize(
    ("source", "language", "words"),
    [
        ("a: b: c", "YAML", "at line 1: mapping values"),
        ("a: 1\n\tb: 2", "YAML", "at line 2: .*\\\\t"),
        ("a: 1\nb: [1\n", "YAML", "at line 3"),
        ("a: 1\n\nb: \x01", "YAML", "at line 3: it has the control character U\\+0001"),
        ("a: 1\nb: !!python/object:os.system x", "YAML", "at line 2: could not determine"),
        ("a: 1\nb: !!int [1]", "YAML", "at line 2: expected a scalar"),
        ("a: 1\n--- \nb: 1", "YAML", "another document"),
        ("[a]: 1", "YAML", "unhashable key"),
        ('a: "\\UFFFFFFFF"', "YAML", "too large"),
        ('{"a": 1,\n "b": }', "JSON", "at line 2: expecting value"),
        ('{"a": ' + "9" * 5_000 + "}", "JSON", "too large"),
        ("[" * 100_000, "JSON", "nested too deeply"),
        ("", "JSON", "at line 1"),
        ("a = 1\na = 2", "TOML", "at line 2: cannot overwrite a value"),
        ("a = 1\nb = ", "TOML", "at line 2: invalid value"),
        ('a = 1\nb = "', "TOML", "at line 2"),
        ("a = " + "[" * 100_000, "TOML", "nested too deeply"),
    ],
)
def test_what_is_broken_is_refused_in_one_sentence_with_its_line(source, language, words):
    with pytest.raises(BadInput, match=f"^The {language} cannot be read.*{words}") as refusal:
        read(source, language)

    assert "\n" not in str(refusal.value)
    assert len(str(refusal.value)) < 300


@pytest.mark.parametrize("language", ["YAML", "TOML", "JSON"])
def test_lines_are_counted_from_where_the_source_starts(language):
    with pytest.raises(BadInput, match="at line 11"):
        read("}", language, first_line=11)


def alias_bomb(count: int) -> str:
    return "a: &a [x]\n" + "".join(f"b{i}: *a\n" for i in range(count))


@pytest.mark.parametrize(
    ("source", "language"),
    [
        (alias_bomb(11), "YAML"),
        ("a: &a {<<: [" + "*a, " * 11 + "]}", "YAML"),
        ("a: &a [*a]", "YAML"),
        ("a: " + "[" * 5_000, "YAML"),
        ("a: " + "{" * (MAX_CHARS - 10), "YAML"),
        ("[\n" * 50_000, "YAML"),
        ("- " * 50_000, "YAML"),
        ("? " * 50_000, "YAML"),
        ("a: [" + "1," * 60_000 + "]", "YAML"),
        ("a: " + "x" * MAX_CHARS, "YAML"),
        ("a." * 50_000 + "b = 1", "TOML"),
        ('[x."a' + '" . "a' * 30_000 + '"]', "TOML"),
        ("a = '" + "x" * MAX_CHARS + "'", "TOML"),
        ('{"a": ' * 50 + "1" + "}" * 50, "JSON"),
        ("[" + "1," * 60_000 + "1]", "JSON"),
    ],
)
def test_bombs_are_refused(source, language):
    with pytest.raises(BadInput):
        read(source, language)


def test_what_stays_within_the_limits_is_read():
    assert 11 == len(read(alias_bomb(10), "YAML"))
    assert {"a": "[" * 500} == read("a: '" + "[" * 500 + "'", "YAML")
    deep = "[" * 40 + "]" * 40
    assert json.loads(deep) == read(deep, "YAML") == read(deep, "JSON")


@pytest.mark.parametrize(
    "unit",
    ["a: b\n", "a:\n b:\n", "? a\n", "{a,b},", "'", '"', "a ", "\t", "#", "&a ", "!!a ", "."],
)
@pytest.mark.parametrize("language", ["YAML", "TOML", "JSON"])
def test_hostile_text_is_read_or_refused_in_linear_time(language, unit):
    def read_or_refuse(source):
        with suppress(BadInput):
            read(source, language)

    assert_linear(read_or_refuse, unit, small=MAX_CHARS // 8, large=MAX_CHARS)


@given(st.text(), st.sampled_from(["YAML", "TOML", "JSON"]))
def test_any_text_is_json_or_refused(text, language):
    for source in (text, f"a: {text}", f"a = {text}", f'{{"a": {text}}}'):
        try:
            found = read(source, language)
        except BadInput:
            continue
        assert found == json.loads(json.dumps(found, allow_nan=False))


@pytest.mark.parametrize(
    ("source", "language", "words"),
    [
        ('a: "x\\0y"', "YAML", "NUL"),
        ('"x\\0y": a', "YAML", "NUL"),
        ('{"a": "x\\u0000y"}', "JSON", "NUL"),
        ('{"a": "\\ud800"}', "JSON", "surrogate"),
    ],
)
def test_characters_that_cannot_be_stored_are_refused_and_not_dropped(source, language, words):
    with pytest.raises(BadInput, match=words):
        read(source, language)
