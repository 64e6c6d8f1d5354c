import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowwhy.text.pages.markdown import (
    Table,
    field_lines,
    heading_title,
    links,
    list_items,
    outline,
    plain,
    rst_sections,
    sections,
    tables,
)
from pace import assert_linear

LINES = st.sampled_from(
    [
        "# A",
        "## B *b*",
        "#",
        "Set",
        "===",
        "---",
        "~~~",
        "```",
        "- item",
        "  # in item",
        "    # x",
        "a: b",
        "> # quoted",
        "",
        "| a | b |",
        "|---|---|",
        "<!--",
        "-->",
        "\ufeff",
        "\r",
        "text",
        "+-+",
        "| c |",
        "   * - d",
        ".. x:",
    ]
)
TEXTS = st.one_of(st.text(), st.lists(LINES).map("\n".join), st.lists(LINES).map("\r\n".join))


@given(TEXTS, st.sampled_from([".md", ".rst", ".txt"]))
def test_sections_tile_the_text(text, suffix):
    found = outline(text, suffix)
    assert text == "".join(text[section.start : section.end] for section in found)
    assert all(s.start <= s.body_start <= s.end for s in found)
    assert all(s.path == () for s in found if s.level == 0)


def paths(found):
    return [section.path for section in found]


def test_headings_nest_by_level_and_text_before_the_first_has_none():
    text = "intro\n# Top\n## Left\nx\n### Deep\n## Right\n# Next\n"
    expected = [
        (),
        ("Top",),
        ("Top", "Left"),
        ("Top", "Left", "Deep"),
        ("Top", "Right"),
        ("Next",),
    ]
    assert expected == paths(sections(text))


def test_underlined_headings_are_sections():
    text = "Top\n===\n\nx\n\nUnder *it*\n---\ny\n"
    expected = [(1, "Top"), (2, "Under it")]
    assert expected == [(s.level, s.heading) for s in sections(text)]
    expected = "y\n"
    assert expected == text[sections(text)[1].body_start :]


@pytest.mark.parametrize(
    "text",
    [
        "```sh\n# comment\n```\n",
        "~~~\n# comment\n",
        "- item\n  ```\n  # comment\n  ```\n",
        "    # indented\n",
        "<!--\n# hidden\n-->\n",
        "> # quoted\n",
        "- # in a list\n",
        "#hashtag\n",
        "two lines of prose\nthat end with a rule\n---\n",
        "---\ntitle: x\nstatus: y\n---\n",
    ],
)
def test_what_only_looks_like_a_heading_is_none(text):
    expected = [()]
    assert expected == paths(sections(text))


def test_front_matter_belongs_to_the_text_before_the_first_heading():
    text = "---\nstatus: x\n---\n# Title\n"
    expected = [(0, 0, 18), (1, 18, 26)]
    assert expected == [(s.level, s.start, s.end) for s in sections(text)]


def test_an_empty_heading_has_no_name_in_the_path():
    expected = [(1, ()), (2, ("Status",))]
    assert expected == [(s.level, s.path) for s in sections("# \n## Status\n")]


def test_rst_levels_follow_the_order_of_their_adornments():
    text = (
        "=====\nTitle\n=====\n\nStatus\n------\nx::\n\n    # no\n    ----\n\n"
        "Sub\n~~~\n\nNext\n----\n"
    )
    expected = [(1, "Title"), (2, "Status"), (3, "Sub"), (2, "Next")]
    assert expected == [(s.level, s.heading) for s in rst_sections(text)]


def test_rst_tables_and_transitions_are_no_headings():
    text = (
        "para one\nstill para\n\n-----\n\n+---+---+\n| a | b |\n+---+---+\n\n"
        "====  ====\na     b\n====  ====\n"
    )
    expected = [()]
    assert expected == paths(rst_sections(text))


def test_the_suffix_says_how_a_text_is_cut():
    expected = [("A",)]
    assert expected == paths(outline("# A\n\nB\n~~~\n", ".md"))
    expected = [(), ("B",)]
    assert expected == paths(outline("# A\n\nB\n~~~\n", ".rst"))
    expected = [(), ("B",)]
    assert expected == paths(outline("# A\n\nB\n~~~\n", ".txt"))
    expected = [("A",)]
    assert expected == paths(outline("# A\n", ".txt"))
    expected = [()]
    assert expected == paths(outline("just text\n", ".txt"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# 7. Use **Redis**\n", "7. Use Redis"),
        ("## Small\n# Big\n", "Big"),
        ("## Only\n", "Only"),
        ("\ufeff# After a mark\n", "After a mark"),
        ("#####\nTitle\n#####\n\nStatus\n------\n", "Title"),
        ("Title\n*****\n\nStatus\n------\n", "Title"),
        ("Title\n~~~~~\n\ntext", "Title"),
        ("an ERROR in the log\n`````\ncode\n`````\n\n## Fix\n", "Fix"),
        ("log\n```\ncode\n```\n", None),
        ("```\nan ERROR in the log\n```\n", None),
        ("~~~\nan ERROR in the log\n~~~\n", None),
        ("# \n\ntext", None),
        ("no heading", None),
        ("", None),
    ],
)
def test_the_title_is_the_first_top_heading(text, expected):
    assert expected == heading_title(text)


@pytest.mark.parametrize(
    ("inline", "expected"),
    [
        ("**Use** _this_ `**kwargs` call", "Use this **kwargs call"),
        ("[ADR 1](0001.md) and [x][y]", "ADR 1 and x"),
        ("[![badge](b.svg)](ci)", "badge"),
        ("snake_case_name and 2 * 3 * 4", "snake_case_name and 2 * 3 * 4"),
        ("src/**/*.py", "src/**/*.py"),
        ("`PEP text <https://x.org>`_ and :pep:`484`", "PEP text and 484"),
        ("<b>bold</b> <https://x.org>", "bold https://x.org"),
        ("~~old~~ \\*kept\\*", "old *kept*"),
        ("except* and **kwargs in __init__", "except* and **kwargs in __init__"),
        ("***all*** of __it is__ _bold_", "all of it is bold"),
        ("**a `b` c**", "a b c"),
        ("  many\n spaces ", "many spaces"),
    ],
)
def test_inline_markup_is_stripped(inline, expected):
    assert expected == plain(inline)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[a](x.md)", [("a", "x.md")]),
        ('[a b](<x y> "title")', [("a b", "x y")]),
        ("[a](http://x/y_(z))", [("a", "http://x/y_(z)")]),
        ("[a][r] [r] [r][]\n\n[R]: x.md", [("a", "x.md"), ("r", "x.md"), ("r", "x.md")]),
        ("<https://x.org/a>", [("https://x.org/a", "https://x.org/a")]),
        ("(see https://x.org/a).", [("https://x.org/a", "https://x.org/a")]),
        ("`PEP 1 <https://x.org>`_", [("PEP 1", "https://x.org")]),
        ("`the pull`_\n\n.. _the pull: https://x.org", [("the pull", "https://x.org")]),
        ("[![b](b.svg)](ci)", [("b", "ci")]),
        ("![image](x.png)", []),
        ("`[a](x.md)` and ``[b](y.md)``", []),
        ("```\n[a](x.md)\n```\n", []),
        ("[ ] and [x] are boxes", []),
    ],
)
def test_links_are_found_outside_code(text, expected):
    found = [link for link in links(text) if not text[: link.start].endswith(": ")]
    assert expected == [(link.text, link.target) for link in found]


@given(TEXTS)
def test_links_lie_in_the_text_and_do_not_overlap(text):
    end = 0
    for link in links(f"{text} [a](b) https://x.org/{text}"):
        assert end <= link.start < link.end
        end = link.end


def test_pipe_tables_are_read_without_markup():
    text = "| Field | Value |\n| --- | --- |\n| **Date** | 2024-01-07 |\n| Other | `a\\|b`\n\nend\n"
    expected = Table(("Field", "Value"), (("Date", "2024-01-07"), ("Other", "a|b")))
    assert [expected] == tables(text)


def test_grid_tables_are_read_by_their_borders():
    text = (
        "+-----+-------+\n| A   | B     |\n+=====+=======+\n| one | a | b |\n|     | more  |\n"
        "+-----+-------+\n"
    )
    assert [Table(("A", "B"), (("one", "a | b more"),))] == tables(text)


def test_list_tables_are_read_in_rows():
    text = (
        ".. list-table::\n   :widths: 25 75\n\n   * - Status\n     - **Accepted**\n   * - Date\n"
        "     -\n\nText\n"
    )
    assert [Table((), (("Status", "Accepted"), ("Date", "")))] == tables(text)
    assert [Table((), (("Status", "**Accepted**"), ("Date", "")))] == tables(text, markup=True)


def test_list_items_are_read_at_every_depth():
    text = "- one\n  - [ ] *two*\n    more\n\n1. [three](x)\n* [x] four\n\n```\n- no\n```\n"
    expected = ["one", "two more", "three", "four"]
    assert expected == list_items(text)


@pytest.mark.parametrize(
    "line",
    [
        "Status: Accepted",
        "**Status:** Accepted",
        "**Status**: Accepted",
        "**Status: Accepted**",
        "- Status: Accepted",
        "* **Status:** Accepted",
        "_Status_: Accepted",
        ":Status: Accepted",
    ],
)
def test_a_field_line_is_read_in_every_spelling(line):
    expected = {"Status": "Accepted"}
    assert expected == field_lines(f"# Title\n\n{line}\n\nText.\n")


def test_field_lines_open_a_section_and_take_what_is_indented_below():
    text = (
        "# T\n\n* Deciders:\n  - Ann\n  - Bob\n* Date: 2024-01-02\n\nprose\nLater: no\n"
        "## S\nSee https://x.org: no\n## U\nOwner: Cy\n"
    )
    expected = {"Deciders": "Ann, Bob", "Date": "2024-01-02", "Owner": "Cy"}
    assert expected == field_lines(text)


@pytest.mark.parametrize(
    "piece",
    [
        "[",
        "](",
        "[a](",
        "[a [b] ",
        "`",
        "` `` ",
        "**",
        "<",
        "<!-- ",
        "> ",
        "- ",
        "|",
        "#",
        "\\",
        "=",
        "a: ",
        "`a <",
        "[a]: b\n",
        "a\n===\n",
        "https://",
        "_a",
        "[a][",
        "    ",
        "*a ",
        "+-+\n",
        "+-+-+\n| a | b |\n",
        "   * - a\n     - b\n",
    ],
)
def test_hostile_text_is_read_in_linear_time(piece):
    readers = (sections, rst_sections, links, tables, list_items, field_lines, plain)

    assert_linear(lambda text: [read(text) for read in readers], piece)


@pytest.mark.parametrize("suffix", [".md", ".rst"])
def test_prose_is_cut_in_linear_time(suffix):
    piece = "## Part\n\nSome words of a long document, again and again.\n"

    assert outline(piece * 1_700, suffix)
    assert_linear(lambda text: outline(text, suffix), piece)
