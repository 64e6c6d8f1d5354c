import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowwhy.errors import BadInput
from knowwhy.text.pages.webpages import decode_page, html_to_markdown
from pace import assert_linear, run_of

PAGE = """<!doctype html><html lang=en><head><title>Why we chose Kafka | Acme</title>
<meta property=og:site_name content="Acme"><meta name=author content="Ann Lee">
<meta property="article:published_time" content="2024-03-12T10:00:00Z"></head>
<body class="has-sidebar"><nav>Menu</nav><div class="cookie-banner">We use cookies</div>
<header class=site-header><a href=/>Acme</a></header><div id=page>
<h1>Why we chose Kafka<a class=headerlink href=#x>¶</a></h1>
<p>We needed a <b>log</b>, not a <code>queue</code>.<br>See <a href="/adr/12 (old)">ADR-12</a>.</p>
<h2>Options</h2>
<ul><li>Kafka<ul><li>managed<li>own</ul><li><p>RabbitMQ</p><p>is older</p></ul>
<ol><li>one<li>two</ol>
<table><tr><th>Option<th>Cost | year</tr><tr><td>Kafka<td><ul><li>a<li>b</ul></tr></table>
<div class="highlight-python"><pre><span>def f():</span>
    return `1`
</pre></div><blockquote><p>quoted<p>twice</blockquote>
<aside class=sidebar>side</aside></div><div role=dialog>Accept</div>
<footer>Imprint</footer><script>var x</script></body></html>"""
MARKDOWN = """# Why we chose Kafka

We needed a **log**, not a `queue`.
See [ADR-12](/adr/12%20%28old%29).

## Options

- Kafka
  - managed
  - own
- RabbitMQ

  is older
1. one
2. two

| Option | Cost \\| year |
| --- | --- |
| Kafka | a b |

```python
def f():
    return `1`
```

> quoted

> twice"""


def markdown(html):
    return html_to_markdown(html)[0]


def facts(html):
    return html_to_markdown(html)[1]


def test_a_page_becomes_markdown_without_what_surrounds_it():
    assert MARKDOWN == markdown(PAGE)


def test_a_page_says_what_it_is():
    expected = {
        "title": "Why we chose Kafka",
        "authors": ["Ann Lee"],
        "date": "2024-03-12T10:00:00+00:00",
        "site": "Acme",
        "language": "en",
    }
    assert expected == facts(PAGE)


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p>a&nbsp;&lt;b&gt; &#8212; c</p>", "a <b> — c"),
        ("<p># no heading</p>", "\\# no heading"),
        ("<p>one</p>two<p>three", "one\n\ntwo\n\nthree"),
        ("<a href='javascript:x()'>go</a> <a href='#a'>here</a> <a href=x></a>", "go here"),
        ("<a href=https://x.io>https://x.io</a>", "https://x.io"),
        ("<b>a <b>b</b></b> c<i> d</i>", "**a b** c d"),
        ("<p>x<b> y </b>z</p>", "x **y** z"),
        ("<code>a`b</code>", "`` a`b ``"),
        ("<pre>a```b</pre>", "````\na```b\n````".replace("````", "`" * 4)),
        ("<pre><code class='language-go'>x := 1\n\ty</code></pre>", "```go\nx := 1\n\ty\n```"),
        ("<pre><div>a</div><div>b</div></pre>", "```\na\nb\n```"),
        ("<h2>A <em>b</em></h2>", "## A b"),
        ("<table><tr><td><h3>Box</h3><p>x</td><td>y</table>", "### Box\n\nx\n\ny"),
        ("<table><tr><td>only</table>", "only"),
        ("<table><tr><td>a<td>b<tr><td>c</table>", "| a | b |\n| --- | --- |\n| c |  |"),
        ("<dl><dt>Term<dd>What it is</dl>", "**Term**\n\nWhat it is"),
        ("<img alt='A diagram' src=data:x><img src=y>", "(image: A diagram)"),
        ("<div hidden>x</div><template>y</template>z", "z"),
        ("<div class='share-buttons'>x</div><div class='with-sidebar'>z</div>", "z"),
        ("<div class=sidebar><h1>All there is</h1></div>", "# All there is"),
        ("<div class=sidebar>All there is</div>", "All there is"),
        ("<form><h1>T</h1><p>in a form<input value=x></form>", "# T\n\nin a form"),
        ("plain words", "plain words"),
        ("", ""),
        ("<!-- only -->", ""),
    ],
)
def test_each_element_is_written_in_its_way(html, expected):
    assert expected == markdown(html)


def test_the_one_element_that_holds_the_content_is_enough():
    content = "<p>" + "words " * 60 + "</p>"
    assert "around" not in markdown(f"<div>around</div><main>{content}</main>")
    assert "around" in markdown("<div>around</div><main>short</main>")


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ("<title>A - Site</title><meta property=og:title content=A>", {"title": "A"}),
        ("<title> A\n b </title>", {"title": "A b"}),
        (
            '<script type="application/ld+json">{"@graph": [{"headline": "A", "author":'
            ' [{"name": "Ann Lee"}, {"name": "Bob"}], "datePublished": "2024-03-12"}]}</script>',
            {"title": "A", "authors": [], "date": "2024-03-12T00:00:00+00:00"},
        ),
        ('<script type="application/ld+json">{"headline": </script>', {}),
        (
            "<meta name=citation_author content='Ann Lee'><meta name=citation_author content=Bob>",
            {"authors": ["Ann Lee", "Bob"]},
        ),
        ("<meta property=article:author content=https://x.io/ann>", {}),
        ("<link rel=canonical href=https://x.io/a>", {"url": "https://x.io/a"}),
        ("<meta name=date content='no date'>", {}),
    ],
)
def test_facts_come_from_the_head(head, expected):
    found = facts(f"<html><head>{head}</head><body><p>x</p></body></html>")

    assert {name: value for name, value in expected.items() if value} == {
        name: value for name, value in found.items() if name != "authors" or expected.get("authors")
    }


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("é".encode(), "é"),
        (b"<meta charset=iso-8859-1>\xe9", "<meta charset=iso-8859-1>é"),
        ("é".encode("utf-16"), "é"),
    ],
)
def test_pages_are_decoded_as_they_declare(raw, expected):
    assert expected == decode_page(raw)


@pytest.mark.parametrize("raw", [b"\xe9", b"<meta charset=none-such>\xe9"])
def test_a_page_in_another_encoding_is_refused(raw):
    with pytest.raises(BadInput, match="convert it"):
        decode_page(raw)


def test_a_page_nested_without_end_is_refused():
    with pytest.raises(BadInput, match="elements deep"):
        html_to_markdown("<div>" * 100_000 + "x")


@given(st.text())
def test_any_text_is_read(html):
    text, found = html_to_markdown(html)
    assert "\0" not in text
    assert found == json.loads(json.dumps(found))


TAGS = [
    "<p>",
    "</p>",
    "<b>",
    "</b>",
    "<ul>",
    "<li>",
    "</ul>",
    "<table>",
    "<tr>",
    "<td>",
    "</table>",
    "<pre>",
    "</pre>",
    "<h2>",
    "</h2>",
    "<a href=x>",
    "</a>",
    "<code>",
    "</code>",
    "<blockquote>",
    "<nav>",
    "<br>",
    "word",
    " ",
    "<dt>",
    "<ol>",
    "</li>",
    "<script>",
    "</script>",
    "<main>",
]


@given(st.lists(st.sampled_from(TAGS), max_size=30))
def test_any_order_of_elements_is_read(tags):
    html_to_markdown("".join(tags))


@pytest.mark.parametrize(
    "html",
    [
        run_of("<p>hi <b>x</b> <a href=q>z</a>"),
        run_of("x", "<b>" * 1500),
        run_of("<p>x y</p>", "<ul><li>" * 900),
        run_of("<tr><td>a<td>b", "<table>"),
        run_of("<"),
        run_of("<p>y</p>", "<blockquote>" * 1500),
        run_of("`", "<pre>"),
        run_of("<li>a</li>", "<ol>"),
        run_of("<p>"),
        run_of("[", "<script type=application/ld+json>", "</script>"),
        run_of("x", "<a href=", ">y"),
        run_of("nav ", "<div class='", "'>x"),
        run_of("<meta charset"),
        lambda length: "<h2>" * min(length // 74, 1000) + "<b></b>" * (length // 7) + "x",
    ],
)
def test_hostile_pages_are_read_in_linear_time(html):
    page = html(100_000)

    assert len(html_to_markdown(page)[0]) <= 3 * len(page)
    assert_linear(html_to_markdown, html)
