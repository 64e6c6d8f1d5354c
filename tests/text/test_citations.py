from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowwhy.text.relating.citations import citations
from pace import assert_linear


def kinds_and_targets(text):
    return [(c.kind, c.target) for c in citations(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("as ADR-0005 says", [("record", "ADR-5")]),
        ("see [ADR-012]", [("record", "ADR-12")]),
        ("SPEC-037 §3", [("record", "SPEC-37")]),
        ("in 3f2c1ab", [("commit", "3f2c1ab")]),
        ("commit 1234567 broke", [("commit", "1234567")]),
        ("rev: deadbeef", [("commit", "deadbeef")]),
        ("`9150dd9c6d30`", [("commit", "9150dd9c6d30")]),
        ("app@ABCDEF1", [("commit", "abcdef1")]),
        ("fixes #123.", [("issue", "#123")]),
        ("acme/pay-api#45", [("issue", "acme/pay-api#45")]),
        ("GH-12", [("issue", "#12")]),
        ("PR 77", [("issue", "#77")]),
        ("see !45", [("issue", "!45")]),
        ("patch #652586", [("issue", "#652586")]),
        ("(https://a.b/c).", [("url", "https://a.b/c")]),
        ("https://a.b/x_(y), then", [("url", "https://a.b/x_(y)")]),
        ("[t](https://a.b/c?d=1#e)", [("url", "https://a.b/c?d=1#e")]),
        ("<http://a.b>", [("url", "http://a.b")]),
        ("https://a.b/ADR-5/x.py#12", [("url", "https://a.b/ADR-5/x.py#12")]),
        ("docs/adr/0001-x.md", [("path", "docs/adr/0001-x.md")]),
        ("src/pay/db.py:120 fails", [("path", "src/pay/db.py")]),
        ("./docs/x.md", [("path", "docs/x.md")]),
        ("../x/y.rst", [("path", "../x/y.rst")]),
        ("/etc/nginx/nginx.conf", [("path", "/etc/nginx/nginx.conf")]),
        ("in setup.py.", [("path", "setup.py")]),
        ("src/main.c", [("path", "src/main.c")]),
        ("docs/ADR-5.md", [("path", "docs/ADR-5.md")]),
        ("ADR-5 (#9)", [("record", "ADR-5"), ("issue", "#9")]),
        ("colour #ffcc00", []),
        ("color: #336699", []),
        ("550e8400-e29b-41d4-a716-446655440000", []),
        ("12345678 bytes", []),
        ("an ed25519 key", []),
        ("0b1101110", []),
        ("defaced facades", []),
        ("step #3", []),
        ("hello!45 and !0", []),
        ("&#123;", []),
        ("Node.js and Vue.js", []),
        ("console.log(x)", []),
        ("e.g. main.c", []),
        ("UTF-8", []),
        ("me@site.py", []),
        ("", []),
    ],
)
def test_a_text_cites_what_it_points_to(text, expected):
    assert expected == kinds_and_targets(text)


def test_a_span_holds_what_was_written():
    text = "ADR-0005, src/a.py:12, org/x#3 and commit ABCDEF1 at https://a.b/c."
    spans = [text[c.start : c.end] for c in citations(text)]

    assert ["ADR-0005", "src/a.py:12", "org/x#3", "ABCDEF1", "https://a.b/c"] == spans


PIECES = st.sampled_from(
    [
        "ADR-5",
        " ",
        "#12",
        "/",
        "a/b.py",
        ":7",
        "https://a.b/c",
        ")",
        "(",
        ".",
        "3f2c1ab",
        "-",
        "x",
        "\n",
    ]
)


@given(st.lists(PIECES, max_size=40).map("".join) | st.text(max_size=200))
def test_spans_are_sorted_apart_and_hold_the_written_form(text):
    found = citations(text)

    assert all(a.end <= b.start for a, b in pairwise(found))
    for c in found:
        written = text[c.start : c.end]
        if c.kind in ("url", "path"):
            assert c.target in written
        if c.kind == "commit":
            assert c.target == written.lower()
        if c.kind == "issue":
            assert written.endswith(c.target.lstrip("#!"))
        if c.kind == "record":
            assert c.target.rsplit("-", 1)[1] in written


@pytest.mark.parametrize(
    "unit",
    [
        "a",
        "[",
        "#",
        "-",
        ".",
        "a/",
        "a.",
        ".py",
        "a1",
        "http://a",
        ")",
        "http://(",
        "a/a#1 ",
        "PEPs 1,",
        "@a/",
    ],
)
def test_a_hostile_text_is_read_in_linear_time(unit):
    assert_linear(citations, unit)


@pytest.mark.parametrize(
    ("text", "targets"),
    [
        ("See https://u:[redacted: password]@x.io/a.", ["https://u:[redacted: password]@x.io/a"]),
        ("https://[redacted: github-token]@x.io/a", ["https://[redacted: github-token]@x.io/a"]),
        ("https://x.io/a?key=[redacted: token]&b=1", ["https://x.io/a?key=[redacted: token]&b=1"]),
        ("https://[redacted: token]/a", []),
        ("https://u:[redacted: password]@", []),
        ("https://x.io/[a]", ["https://x.io/"]),
    ],
)
def test_a_url_without_its_secret_still_cites_where_it_leads(text, targets):
    assert targets == [citation.target for citation in citations(text)]
