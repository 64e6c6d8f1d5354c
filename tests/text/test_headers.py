import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowwhy.text.formats.headers import front_matter, front_matter_end, head_fault, header_fields
from pace import assert_linear, run_of


def test_yaml_front_matter_is_read_and_the_body_starts_after_it():
    text = "---\nstatus: accepted\ntags: [a, b]\n---\n# Title\n"
    fields, body = front_matter(text)
    expected = {"status": "accepted", "tags": ["a", "b"]}
    assert expected == fields
    expected = "# Title\n"
    assert expected == text[body:]


def test_toml_front_matter_is_read():
    text = '+++\nid = "ADR-3"\ndate = 2024-03-12\n+++\nbody'
    fields, body = front_matter(text)
    expected = {"id": "ADR-3", "date": "2024-03-12"}
    assert expected == fields
    expected = "body"
    assert expected == text[body:]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# Title\n",
        "---\n\nA line between two rules.\n\n---\n",
        "---\ntitle: never closed\n",
        "text\n---\na: b\n---\n",
        "----\na: b\n----\n",
    ],
)
def test_a_text_without_front_matter_has_no_fields(text):
    expected = ({}, 0)
    assert expected == front_matter(text)
    expected = 0
    assert expected == front_matter_end(text)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("---\ntitle: ADR: use redis\n---\n", "line 2"),
        ("---\na: 1\nb: [1\n---\n", "line 4"),
        ("---\r\na: 1\r\n\r\nb: [1]]\r\n---\r\n", "line 4"),
        ("---\na: 1\n\tb: 2\n---\n", "line 3"),
        ("+++\na = 1\nb = \n+++\n", "line 3"),
        ("---\na: !!python/object:os.system x\n---\n", "line 2"),
    ],
)
def test_broken_front_matter_is_told_with_its_line_and_costs_no_text(text, line):
    assert line in head_fault(text)
    assert len(text) == front_matter(text)[1] == front_matter_end(text)


@pytest.mark.parametrize(
    "body",
    [
        "a: &a [x]\n" + "".join(f"b{i}: *a\n" for i in range(11)),
        "a: " + "[" * 5_000 + "\n",
        "a: " + "x" * 200_000 + "\n",
    ],
)
def test_bombs_in_front_matter_are_told_and_not_read(body):
    text = f"---\n{body}---\n"
    fields, _ = front_matter(text)
    assert head_fault(text)
    assert len(json.dumps(fields)) <= 2 * len(text)


HEAD = "---\ntitle: Use Kafka\nstatus: accepted\n"


@pytest.mark.parametrize(
    ("text", "fields", "body"),
    [
        (HEAD + "\n# Use Kafka\n", {"title": "Use Kafka", "status": "accepted"}, "\n# Use Kafka\n"),
        (HEAD + "## Why\n\nSo.\n\n---\n", {"title": "Use Kafka", "status": "accepted"}, "## Why\n"),
        (HEAD + "  by: Ann\n---\nSo.\n", {"by": "Ann"}, "So.\n"),
        ("---\n\tstatus: accepted\n\tdate: x\n---\nSo.\n", {"status": "accepted"}, "So.\n"),
        ("---\nwho:\n - Ann\n - [Bo\n---\nSo.\n", {"who": ["Ann", "[Bo"]}, "So.\n"),
        ("---\nt: a: b\n---\nSo.\n", {"t": "a: b"}, "So.\n"),
    ],
)
def test_of_a_broken_head_the_lines_are_read_and_the_text_below_stays(text, fields, body):
    found, start = front_matter(text)
    assert fields == {name: found[name] for name in fields}
    assert text[start:].startswith(body)
    assert head_fault(text)


@pytest.mark.parametrize(
    "text",
    [
        "---\n# a comment\n\ntitle: Use Kafka\n---\nSo.\n",
        "---\ntitle: Use Kafka\n---\nSo.\n",
        "---\nSo we said.\n",
        "# Use Kafka\n\n---\n\nSo: it is.\n",
    ],
)
def test_of_a_head_that_is_whole_or_none_nothing_is_told(text):
    assert head_fault(text) is None


@given(st.text())
def test_front_matter_is_json_whatever_it_says(text):
    fields, body = front_matter(f"---\na: {text}\n---\n")
    assert body >= 0
    assert json.loads(json.dumps(fields)) == fields


def test_header_lines_keep_their_names_and_join_continuations():
    text = "PEP: 1\nTitle: Purpose\nAuthor: Ann,\n        Bob\nPost-History:\n\n\nBody\n"
    fields, body = header_fields(text)
    expected = {"PEP": "1", "Title": "Purpose", "Author": "Ann, Bob", "Post-History": ""}
    assert expected == fields
    expected = "Body"
    assert expected == text[body:].strip()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# Title\nStatus: x\nDate: y\n",
        "Note: one line is prose\n\nmore",
        "Note: this\nAnd: that\nbut then prose\n",
        "https://a.example\nhttps://b.example\n\n",
        "  indented: x\n  lines: y\n",
    ],
)
def test_prose_is_not_taken_for_headers(text):
    expected = ({}, 0)
    assert expected == header_fields(text)


def cost(text):
    """Measures what looking for front matter costs, the least of three times."""

    def once():
        began = time.thread_time()
        front_matter_end(text)
        return time.thread_time() - began

    return min(once() for _ in range(3))


@pytest.mark.parametrize("before", ["---\na", "---\nfoo: 1\na", "---\nfoo: 1\n'a b"])
def test_blanks_that_no_colon_follows_cost_no_more_than_others(before):
    blanks = " " * 1_000_000

    assert cost(f"{before}{blanks}x") < 8 * cost(f"{before}{blanks}: x\nb: y\n")


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("a:", "a"),
        ("a b \t =  x", "a b"),
        ('"a b" : x', "a b"),
        ("'a ': x", "a"),
        (f"a{' ' * 200}: x", "a"),
        (f"{'a' * 61}: x", "a" * 61),
    ],
)
def test_a_line_of_a_broken_head_has_a_name_in_every_form(line, name):
    fields, _ = front_matter(f"---\n{line}\nbroken: [1\n---\nSo.\n")

    assert {name, "broken"} >= fields.keys()
    assert "broken" in fields
    assert (name in fields) == (line != "a:")


@pytest.mark.parametrize("text", ["a", "a: b\n", run_of(" c\n", "a: b\n"), "---\n"])
def test_headers_of_any_length_are_read_in_linear_time(text):
    assert_linear(lambda text: (header_fields(text), front_matter(text)), text)
