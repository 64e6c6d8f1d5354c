"""A document is cut into pieces that lose nothing, fit the models and hold still."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowwhy.text.pages.chunks import (
    _RULE_ROW,
    HEADING_CHARS,
    MAX_CHARS,
    TARGET_CHARS,
    WHOLE_CHARS,
    chunks,
)
from pace import assert_linear, run_of

SENTENCE = "The store keeps whatever somebody wrote into it. "

words = st.text(alphabet="abcdefg ,.é漢-*_`|#", min_size=1, max_size=60)
blocks = st.one_of(
    words.map(lambda text: text * 12),
    words.map(lambda text: f"# {text}"),
    words.map(lambda text: f"### {text}"),
    words.map(lambda text: f"{text}\n====="),
    st.integers(1, 60).map(lambda rows: "| a | b |\n|---|---|\n" + "| 1 | 22 |\n" * rows),
    st.integers(1, 60).map(lambda lines: "```python\n" + "x = 1\n\n" * lines + "```"),
    st.integers(1, 40).map(lambda items: "- an item\n" * items),
    st.just("```\nnever closed"),
    st.just("    indented = code\n\n\n        deeper()"),
    st.integers(1, 2000).map(lambda size: "x" * size),
    st.sampled_from(["\r\n\r\n", "\x0c", "\u2003", "\n" * 1300, " " * 1300, ""]),
)
documents = st.lists(blocks, max_size=25).map("\n\n".join)
suffixes = st.sampled_from([".md", ".rst", ".txt", "", ".py", ".json"])


def without_blanks(text):
    return "".join(text.split())


@given(documents, suffixes)
def test_every_character_that_is_not_blank_is_in_exactly_one_piece(text, suffix):
    pieces = chunks(text, suffix)

    assert without_blanks(text) == "".join(without_blanks(piece.text) for piece in pieces)


@given(documents, suffixes)
def test_pieces_are_numbered_ordered_bounded_and_where_they_say(text, suffix):
    pieces = chunks(text, suffix)

    assert list(range(len(pieces))) == [piece.position for piece in pieces]
    assert all(a.end <= b.start for a, b in pairwise(pieces))
    for piece in pieces:
        assert text[piece.start : piece.end].strip() == piece.text.strip()
        assert 0 < len(piece.text.strip()) <= len(piece.text) <= MAX_CHARS


@given(documents, suffixes)
def test_the_same_text_gives_the_same_pieces(text, suffix):
    assert chunks(text, suffix) == chunks(text, suffix)


@pytest.mark.parametrize("text", ["", " ", "\n\n\t\r\n", "\u2003\x0c"])
def test_blank_text_has_no_pieces(text):
    assert not chunks(text)


def test_small_sections_under_one_parent_are_joined():
    text = "# Title\n\n## Why\n\nBecause.\n\n## How\n\nSlowly.\n"

    assert [("Title", text.strip())] == [(c.heading, c.text) for c in chunks(text)]


def test_sections_of_two_parents_are_not_joined():
    filler = SENTENCE * 15
    text = f"# A\n\n{filler}\n\n## A1\n\nSmall.\n\n# B\n\n{filler}\n\n## B1\n\nSmall.\n"

    expected = ["A", "B"]
    assert expected == [c.heading for c in chunks(text)]


def test_the_heading_is_the_path_in_plain_words():
    filler = SENTENCE * 15
    text = f"# The *big* `store`\n\n{filler}\n\n## [Rows](x.md)\n\n{filler}\n"

    expected = ["The big store", "The big store > Rows"]
    assert expected == [c.heading for c in chunks(text)]


def test_a_heading_with_nothing_below_it_goes_with_what_follows():
    filler = SENTENCE * 16
    text = f"# Title\n\n## Context\n\n{filler}\n\n## Decision\n\n{filler}\n"
    pieces = chunks(text)

    expected = ["Title > Context", "Title > Decision"]
    assert expected == [c.heading for c in pieces]
    assert pieces[0].text.startswith("# Title\n\n## Context")


def test_no_piece_of_a_long_document_is_only_a_heading():
    filler = SENTENCE * 40
    text = "".join(f"# Part {n}\n\n## Empty\n\n## Full\n\n{filler}\n\n## End\n\n" for n in range(9))

    assert not [c.text for c in chunks(text) if "The store" not in c.text]


def test_a_very_long_heading_is_shortened_in_the_path():
    heading = chunks("# " + "many words " * 400 + "\n\nText.")[0].heading

    assert len(heading) <= HEADING_CHARS
    assert heading.startswith("many words many words")


@pytest.mark.parametrize(
    ("suffix", "header"),
    [
        (".md", "---\ntitle: A thing\nstatus: accepted\n---\n"),
        ("", "PEP: 7\nTitle: A thing\nAuthor: Ada\n"),
    ],
)
def test_a_header_and_the_introduction_are_the_first_piece(suffix, header):
    text = f"{header}\nWe did it.\n\n# Context\n\nIt was slow.\n"

    expected = [f"{header}\nWe did it.", "# Context\n\nIt was slow."]
    assert expected == [c.text for c in chunks(text, suffix)]


def test_a_header_takes_the_title_below_it_along():
    text = "---\nid: 5\n---\n# Use one queue\n\nWe do.\n\n## Context\n\nIt was slow.\n"

    expected = ["Use one queue", "Use one queue > Context"]
    assert expected == [c.heading for c in chunks(text)]


HEADS = [
    "---\nstatus: accepted\ndeciders: [Ann Bell, Bo Li]\ntags: [queue]\n---\n# Use one queue\n",
    "---\nstatus: accepted\ndate: 2024-01-02\n---\n",
    "Title: Use one queue\nStatus: accepted\nAuthor: Ann Bell\n",
    "# Use one queue\n\nDate: 2021-10-11\n\n## Status\n\nAccepted\n",
    "# Use one queue\n\n* Status: accepted\n* Deciders: Ann Bell, Bo Li\n* Date: 2021-10-11\n",
    "# Use one queue\n\n| Date | Owner |\n|------|-------|\n| 2021-10-11 | Ann Bell |\n",
    "# Use one queue\n\n## Status\n\nAccepted\n\n## Deciders\n\nAnn Bell, Bo Li\n",
    "Use one queue\n=============\n\n**Status:** accepted\n\n",
]


@pytest.mark.parametrize("head", HEADS)
def test_a_head_that_says_nothing_in_prose_is_joined_to_the_section_that_does(head):
    filler = SENTENCE * 12
    text = f"{head}\n## Background\n\n{filler}\n\n{filler}\n\n## What we do\n\n{filler}\n"
    first, *rest = chunks(text)

    assert first.text.startswith(head.strip()[:20])
    assert SENTENCE.strip() in first.text
    assert first.heading.endswith("Background")
    assert rest
    assert all(SENTENCE.strip() in piece.text for piece in rest)


def test_a_piece_inside_a_table_is_headed_by_the_columns():
    rows = "".join(f"| Person {n} | @handle{n} | Company {n % 7} |\n" for n in range(90))
    table = f"| Name | `GitHub` | Company |\n|---|:---:|---|\n{rows}"
    text = f"# Maintainers\n\n{table}\nThe end. {SENTENCE * 16}"
    first, *inside, last = chunks(text)

    assert first.heading == "Maintainers"
    assert {"Maintainers > Name | GitHub | Company"} == {
        c.heading for c in inside if c.text[0] == "|"
    }
    assert len(inside) > 2
    assert last.heading == "Maintainers"


def test_a_piece_inside_a_list_is_headed_by_what_introduces_it():
    items = "".join(f"- Provider {n} of some machines and more\n  than that.\n" for n in range(90))
    text = f"# Hosting\n\nWe may rent from:\n\n{items}"
    first, *rest = chunks(text)

    assert first.heading == "Hosting"
    assert {"Hosting > We may rent from"} == {c.heading for c in rest}
    plain = chunks(f"# Hosting\n\nWe rent.\n\n{items}")
    assert {"Hosting"} == {c.heading for c in plain}


def test_columns_are_named_only_of_a_table_that_has_some():
    rows = "| 1 | 2 |\n" * 400
    code = "```\n" + "| a | b |\n|---|---|\n" + rows + "```\n"

    assert {"A"} == {c.heading for c in chunks(f"# A\n\n{rows}")}
    assert {"A"} == {c.heading for c in chunks(f"# A\n\n{code}")}


def test_broken_front_matter_is_still_cut():
    text = "---\nid: [5\n---\n# Title\n\nText.\n"

    assert without_blanks(text) == "".join(without_blanks(c.text) for c in chunks(text))


def test_long_prose_is_cut_between_paragraphs():
    paragraphs = [f"Paragraph {n} says this. {SENTENCE * 8}".strip() for n in range(12)]
    text = "# A\n\n" + "\n\n".join(paragraphs)

    starts = {c.text.split()[0] for c in chunks(text)[1:]}
    expected = {"Paragraph"}
    assert expected == starts


def test_a_long_paragraph_is_cut_between_sentences():
    pieces = chunks("The first one is, e.g. this, quite long. " * 100)

    assert {"The first"} == {c.text[:9] for c in pieces}
    assert {"long."} == {c.text.rstrip()[-5:] for c in pieces}


def test_a_long_list_is_cut_between_items():
    pieces = chunks("- An item that says. Something more\n  on two lines\n" * 80)

    assert {"- An item"} == {c.text[:9] for c in pieces}


@pytest.mark.parametrize(
    "block",
    [
        "```python\n" + "call(1)\n\nmore(2)\n\n" * 50 + "```",
        "| key | value |\n|-----|-------|\n" + "| one | two and three |\n" * 44,
    ],
)
@pytest.mark.parametrize("before", ["", "A short word. ", SENTENCE * 6, SENTENCE * 17])
def test_a_code_block_or_table_of_moderate_size_is_not_cut(block, before):
    assert TARGET_CHARS < len(block) <= WHOLE_CHARS
    text = f"# Title\n\n{before}\n\n{block}\n\n" + SENTENCE * 10

    assert any(block.rstrip() in c.text for c in chunks(text))


def test_a_huge_table_is_cut_between_rows():
    pieces = chunks("| key | value |\n|-----|-------|\n" + "| one | two. Three |\n" * 400)

    assert {"|"} == {c.text.rstrip()[-1] for c in pieces}
    assert {"|"} == {c.text[0] for c in pieces}


def test_source_code_is_cut_at_blank_lines_and_has_no_headings():
    text = "\n\n".join(f"# a note\ndef f{n}():\n    return {n}" for n in range(100))
    pieces = chunks(text, ".py")

    assert {"# a note"} == {c.text[:8] for c in pieces}
    assert {""} == {c.heading for c in pieces}


def test_the_indentation_of_the_first_line_is_kept():
    text = "def f():\n" + "    x = 1  # set\n" * 200

    assert {"    x"} == {c.text[:5] for c in chunks(text, ".py")[1:]}


@pytest.mark.parametrize(
    ("text", "headings"),
    [
        ("Title\n=====\n\nText.\n\nPart\n----\n\nMore.", ["Title"]),
        ("Title\n#####\n\n.. note:: x\n\n::\n\n    # not one", ["Title"]),
        ("# Title\n\nText.\n\nNot a part\n~~~~~~~~~~\n", ["Title"]),
        ("Title\n=====\n\n```\nPart\n~~~~\n```\n", ["Title"]),
    ],
)
def test_without_a_suffix_the_text_says_how_its_headings_are_written(text, headings):
    assert headings == [c.heading for c in chunks(text, "")]


def test_dense_text_is_cut_into_shorter_pieces_than_prose():
    prose = chunks("It is a reasonable explanation of everything. " * 200)
    digits = chunks("8f 3c 9a 7d; " * 700)

    assert len(prose[0].text) > 1.5 * len(digits[0].text)


def twenty_sections(size):
    words = SENTENCE.split()
    sentence = [" ".join(words[n % 7 :] + words[: n % 5]) + f" {n}." for n in range(40)]
    parts = (
        f"## Part {n}\n\n" + "\n\n".join(" ".join(sentence[n : n + size]) for _ in range(3))
        for n in range(20)
    )
    return "# Title\n\n" + "\n\n".join(parts) + "\n"


@pytest.mark.parametrize("size", [1, 2, 4, 9])
@pytest.mark.parametrize("added", ["A few words. ", "Now a good deal more is said here. " * 30])
def test_a_change_in_one_section_leaves_far_ones_alone(size, added):
    before = twenty_sections(size)
    after = before.replace("## Part 3\n\n", f"## Part 3\n\n{added}")
    old = {c.text for c in chunks(before)}
    new = [c.text for c in chunks(after)]

    changed = [text for text in new if text not in old]
    assert len(changed) <= 3 + len(added) // 300
    assert new[-2:] == [c.text for c in chunks(before)][-2:]


class Copied(str):
    """A text that counts how many of its characters are copied out of it."""

    copied = 0

    def __getitem__(self, key):
        part = super().__getitem__(key)
        self.copied += len(part)
        return part


def copied(text):
    """Counts how often each character of a text is copied while it is cut."""
    counting = Copied(text)
    assert len(chunks(counting)) > len(text) // MAX_CHARS
    return counting.copied / len(text)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(run_of("| 1 | 22 |\n", "| a | b |\n|---|---|\n"), id="a table"),
        pytest.param(run_of("a | ", "| ", "\n|---|\n| 1 |\n"), id="many columns"),
        pytest.param(run_of("- a:\n", "We have:\n\n"), id="a list"),
        pytest.param(run_of("- a: ", "We have:\n\n"), id="an item of one line"),
    ],
)
def test_what_stands_above_a_piece_is_read_once_for_all_pieces(text):
    short, long = copied(text(20_000)), copied(text(160_000))

    assert short < 10
    assert long < 10


def test_a_row_of_dashes_that_is_no_rule_is_read_in_linear_time():
    assert_linear(_RULE_ROW.match, run_of("-", "|", "x"), 5_000, 40_000)


@pytest.mark.parametrize(
    ("text", "suffix"),
    [
        pytest.param(run_of("x"), ".md", id="one line"),
        pytest.param(run_of("\n", "a", "b"), ".txt", id="newlines"),
        pytest.param(run_of(" ", after="b"), ".md", id="spaces"),
        pytest.param(run_of(" " * 50 + "\n ", "a\n", "b"), ".txt", id="blank lines"),
        pytest.param(lambda n: "".join(f"# {i}\n" for i in range(n // 7)), ".md", id="headings"),
        pytest.param(run_of("# a\n\n## b\n\nc\n\n"), ".md", id="sections"),
        pytest.param(run_of("|\n```\n"), ".md", id="fences and rows"),
        pytest.param(run_of("| a |\n"), ".md", id="one table"),
        pytest.param(run_of("a: ", after="\n"), ".txt", id="fields"),
        pytest.param(run_of(".\n"), ".md", id="full stops"),
        pytest.param(run_of("漢字。"), ".md", id="no spaces"),
    ],
)
def test_hostile_text_is_cut_in_linear_time(text, suffix):
    assert max(len(c.text) for c in chunks(text(100_000), suffix)) <= MAX_CHARS
    assert_linear(lambda text: chunks(text, suffix), text)
