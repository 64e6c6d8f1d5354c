"""What is kept or left out of a text as a whole."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowwhy.text.sentences import first_heading, heads, pieces, sentences
from pace import assert_linear

RECORD = """\
# Storage

We keep orders in PostgreSQL. It was, e.g. in 2021, cheaper than
others! See Fig. 3 of Dr. Bell.

## Options

* MySQL, known to all.
  It lacks partial indexes.
* MongoDB

| what | cost |
|------|------|
| disk | 3 |

```sql
SELECT 1;
```

Status: accepted
Owner: Ann Bell
"""


def cut(text, **more):
    return [text[piece.start : piece.end] for piece in pieces(text, **more)]


def test_a_record_is_cut_into_sentences_items_rows_and_lines():
    assert [
        "# Storage",
        "We keep orders in PostgreSQL.",
        "It was, e.g. in 2021, cheaper than\nothers!",
        "See Fig. 3 of Dr. Bell.",
        "## Options",
        "* MySQL, known to all.\n  It lacks partial indexes.",
        "* MongoDB",
        "| what | cost |\n|------|------|",
        "| disk | 3 |",
        "```sql",
        "SELECT 1;",
        "```",
        "Status: accepted",
        "Owner: Ann Bell",
    ] == cut(RECORD)


def needed(text, part, **more):
    found = pieces(text, **more)
    place = next(n for n, one in enumerate(found) if text[one.start : one.end].strip() == part)
    return [text[found[head].start : found[head].end].strip() for head in heads(found, place)]


@pytest.mark.parametrize(
    ("part", "above"),
    [
        ("We keep orders in PostgreSQL.", ["# Storage"]),
        ("* MongoDB", ["## Options", "# Storage"]),
        ("| disk | 3 |", ["| what | cost |\n|------|------|", "## Options", "# Storage"]),
        ("SELECT 1;", ["```sql", "```", "## Options", "# Storage"]),
    ],
)
def test_a_piece_knows_what_it_cannot_be_read_without(part, above):
    assert above == needed(RECORD, part)


def test_a_line_of_code_stands_under_the_lines_that_hold_it():
    code = "class A:\n    def f(self):\n        return 1\n\n    def g(self):\n        pass\n"

    assert ["def g(self):", "class A:"] == needed(code, "pass", code=True)


def test_an_underlined_heading_is_one_piece():
    assert ["Kinds\n-----", "Two."] == cut("Kinds\n-----\n\nTwo.\n")


def test_the_speakers_of_a_transcript_are_told_apart():
    said = "Ann Bell: Why Kafka?\nLu Brandl: For replay. It\nkeeps all.\n"

    assert ["Ann Bell: Why Kafka?", "Lu Brandl: For replay.", "It\nkeeps all."] == cut(said)


@pytest.mark.parametrize(
    ("text", "heading"),
    [
        ("## Decision ##\n\nWe do.", "Decision"),
        ("Kinds\n=====\nTwo.", "Kinds"),
        ("We do.", ""),
        ("", ""),
    ],
)
def test_the_heading_that_a_text_begins_with_is_found(text, heading):
    assert heading == first_heading(text)[0]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("One. Two! Three?", 3),
        ("It costs 3.50 a day. Fine.", 2),
        ("It ends in etc. And goes on.", 1),
        ("By J. Smith. Done.", 2),
        ("2. Two words. Done.", 2),
        ("これはペンです。それは本です。", 2),
    ],
)
def test_sentences_end_where_they_end(text, count):
    assert count == len(list(sentences(text, 0, len(text))))


@given(st.text(alphabet="aA.# |-*`:\n\t1", max_size=200), st.booleans())
def test_pieces_hold_every_character_that_is_not_blank_once(text, code):
    found = pieces(text, code=code)

    assert "".join(text.split()) == "".join("".join(text[p.start : p.end].split()) for p in found)
    assert all(a.end <= b.start for a, b in pairwise(found))
    assert all(piece.head is None or piece.head < n for n, piece in enumerate(found))


@pytest.mark.parametrize("unit", ["A. ", "- a\n", "| a |\n", "# a\n", "x", "```\n", "a:\n  "])
@pytest.mark.parametrize("code", [True, False])
def test_a_long_text_of_anything_is_cut_in_linear_time(unit, code):
    assert_linear(lambda text: pieces(text, code=code), unit)
