"""Other forms are read as the Markdown that says the same, at the same lines."""

import json

import pytest

from knowwhy.errors import BadInput
from knowwhy.text.pages.forms import as_markdown, bare, form_of
from knowwhy.text.pages.markdown import links, sections, tables

ASCIIDOC = """\
// draft
= ADR-7: Use Kafka
Ann Lee <ann@shop.example>; Bo Day
v1.2, 2021-03-04
:toc: left
:sectnums!:
:status: accepted

[[why]]
== Context

Orders were lost, see <<0003-queues.adoc#,the queues>> and https://kafka.apache.org[Kafka^].

.How it was
[source,java]
----
== no heading
send(order);
----

****
* one
** below it
. first

Deciders:: Ann, Bo
****

|===
|Name |Speed

|Kafka |fast
|===

////
hidden
////

Section by a line
-----------------
The end.
"""
MARKDOWN = """\

# ADR-7: Use Kafka
Authors: Ann Lee <ann@shop.example>, Bo Day
Date: 2021-03-04


status: accepted


## Context

Orders were lost, see [the queues](0003-queues.adoc) and [Kafka](https://kafka.apache.org).

**How it was**

```java
== no heading
send(order);
```


- one
  - below it
1. first

Deciders: Ann, Bo



| Name | Speed |
| --- | --- |
| Kafka | fast |






## Section by a line

The end.
"""

ORG = """\
#+TITLE: Use Kafka
#+AUTHOR: Ann Lee
#+DATE: <2021-03-04 Thu>
#+STARTUP: overview

* ACCEPTED Decision :infra:db:
:PROPERTIES:
:STATUS: accepted
:END:
See [[file:0003-queues.org][the queues]] and =send=.

# a remark
#+BEGIN_SRC java
* no heading
#+END_SRC

| Name  | Speed |
|-------+-------|
| Kafka | fast  |

** TODO [#A] Later
"""
OF_ORG = """\
# Use Kafka
Author: Ann Lee
Date: 2021-03-04


## ACCEPTED Decision

Status: accepted

See [the queues](0003-queues.org) and `send`.


```java
* no heading
```

| Name  | Speed |
|-------|-------|
| Kafka | fast  |

### Later
"""


@pytest.mark.parametrize(
    ("path", "text", "markdown"), [("7.adoc", ASCIIDOC, MARKDOWN), ("7.org", ORG, OF_ORG)]
)
def test_a_text_of_another_form_is_written_as_markdown_line_for_line(path, text, markdown):
    found = as_markdown(text, path)

    assert markdown.split("\n") == found.split("\n")
    assert len(text.split("\n")) == len(found.split("\n"))


def test_headings_links_and_tables_of_it_are_those_of_markdown():
    found = as_markdown(ASCIIDOC, "7.adoc")

    headings = [section.heading for section in sections(found) if section.level]
    assert ["ADR-7: Use Kafka", "Context", "Section by a line"] == headings
    targets = ["0003-queues.adoc", "https://kafka.apache.org"]
    assert targets == [link.target for link in links(found)]
    assert (("Name", "Speed"), (("Kafka", "fast"),)) == (
        tables(found)[0].header,
        tables(found)[0].rows,
    )


@pytest.mark.parametrize(
    "text",
    [
        "",
        "=",
        "----",
        "|===",
        "////\nx",
        "= T\n----\nx",
        "[source,",
        "* a\n----",
        "<<",
        "a\n====\n=",
    ],
)
@pytest.mark.parametrize("path", ["a.adoc", "a.org", "a.mdx", "a.md.erb"])
def test_what_ends_early_keeps_its_lines(path, text):
    assert len(text.split("\n")) == len(as_markdown(text, path).split("\n"))


def test_a_notebook_is_its_texts_and_its_code_without_what_running_them_put_out():
    cells = [
        {"cell_type": "markdown", "source": ["# Speed\n", "It is fast."]},
        {"cell_type": "code", "source": ["run()\n"], "outputs": [{"text": "1000 rows"}]},
        {"cell_type": "code", "source": "s = '```'"},
        {"cell_type": "code", "source": ""},
        7,
    ]
    book = {"cells": cells, "metadata": {"kernelspec": {"language": "julia"}}}

    found = as_markdown(json.dumps(book), "speed.ipynb")

    assert "# Speed\nIt is fast.\n\n```julia\nrun()\n```\n\n~~~~julia\ns = '```'\n~~~~\n" == found


@pytest.mark.parametrize("text", ["{", "[]", "7", '{"a": 1}', "[" * 100_000])
def test_what_is_no_notebook_is_refused_in_one_sentence(text):
    with pytest.raises(BadInput, match="no notebook"):
        as_markdown(text, "a.ipynb")


@pytest.mark.parametrize(
    ("path", "form", "named"),
    [
        ("docs/0007-use-kafka.md.erb", ".md", "0007-use-kafka.md"),
        ("a.markdown.tmpl", ".markdown", "a.markdown"),
        ("a.html.md.erb", ".md", "a.md"),
        ("index.html.md", ".md", "index.md"),
        ("a.rst.j2", ".rst", "a.rst"),
        ("nginx.conf.j2", ".j2", "nginx.conf.j2"),
        ("welcome.txt.erb", ".erb", "welcome.txt.erb"),
        ("page.html.erb", ".erb", "page.html.erb"),
        ("README", "", "README"),
        (".md", "", ".md"),
    ],
)
def test_a_form_is_what_is_written_and_not_what_fills_it_in(path, form, named):
    assert form == form_of(path)
    assert named == bare(path).name


def test_lines_for_a_program_are_emptied_outside_of_code():
    text = "import X from './x'\n\n# A\n\n{/* no */}\n```js\nimport Y from 'y'\n```\n"
    assert "\n\n# A\n\n\n```js\nimport Y from 'y'\n```\n" == as_markdown(text, "a.mdx")
    text = "<%= nav %>\n# A\n{% raw %}\nIt is <%= x %>.\n"
    assert "\n# A\n\nIt is <%= x %>.\n" == as_markdown(text, "a.md.erb")


STATEMENTS = [
    "import X from './x'",
    'import X, { Y as Z } from "x";',
    "import {\n  A,\n  B,\n} from 'ab'",
    "import * as all from 'all' // for later",
    "import './page.css'",
    "export const meta = {\n  title: 'It is {',\n\n  list: [1, 2],\n}",
    "export const text =\n  `a { b`",
    "export default function Page() {\n  // no }\n  return 1\n}",
    "export default ({ children }) => <Main>don't {children}</Main>",
    "export { a } from './a'",
    "{/* said\n\nto nobody */}",
]
PROSE = [
    "import data from Kafka into the lake",
    "import data from 'Kafka' into the lake",
    "export const is a word of the language",
    "export default values are good",
    "import the {names} from here",
    "export const broken = {",
]


@pytest.mark.parametrize("statement", STATEMENTS)
def test_a_statement_of_mdx_is_emptied_to_its_last_line(statement):
    text = f"---\na: b\n---\n{statement}\n{statement}\n\n# A\n\n{statement}\n\nWords.\n"

    found = as_markdown(text, "a.mdx")

    assert ["---", "a: b", "---", "# A", "Words."] == [n for n in found.split("\n") if n]
    assert text.count("\n") == found.count("\n")


@pytest.mark.parametrize("prose", [*PROSE, *(f"Then\n{one}" for one in STATEMENTS[:5])])
def test_prose_of_mdx_that_begins_like_a_statement_is_kept(prose):
    text = f"# A\n\n{prose}\n\nWords {{here}}.\n"
    assert text == as_markdown(text, "a.mdx")
