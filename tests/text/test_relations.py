import pytest

from knowwhy.text.relating.relations import INVERSE, RELATIONS, edges, relation_of
from knowwhy.types import Edge
from pace import assert_linear


def stated(content, fields=None):
    return [(e.relation, e.target) for e in edges(content, fields or {})]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("Depends on", "DEPENDS_ON"),
        ("depends-on", "DEPENDS_ON"),
        ("dependsOn", "DEPENDS_ON"),
        ("depends_on", "DEPENDS_ON"),
        ("Requires", "DEPENDS_ON"),
        ("Required-By", "REQUIRED_BY"),
        ("Replaces", "SUPERSEDES"),
        ("Supercedes", "SUPERSEDES"),
        ("Superseded-By", "SUPERSEDED_BY"),
        ("replaced by", "SUPERSEDED_BY"),
        ("Implements:", "IMPLEMENTS"),
        ("Extends", "EXTENDS"),
        ("Amends", "AMENDS"),
        ("Amended by", "AMENDED_BY"),
        ("owning-sig", "OWNED_BY"),
        ("codeowners", "OWNED_BY"),
        ("CodeOwners", "OWNED_BY"),
        ("Author(s)", "AUTHORED_BY"),
        ("authors", "AUTHORED_BY"),
        ("deciders", "APPROVED_BY"),
        ("Decision-Makers", "APPROVED_BY"),
        ("approvers", "APPROVED_BY"),
        ("reviewers", "REVIEWED_BY"),
        ("Sponsor", "SPONSORED_BY"),
        ("BDFL-Delegate", "DELEGATED_TO"),
        ("responders", "RESPONDED_BY"),
        ("See also", "REFERENCES"),
        ("Related", "REFERENCES"),
        ("Related ADRs", "REFERENCES"),
        ("Reference:", "REFERENCES"),
        ("7. References", "REFERENCES"),
        ("Complements", "RELATES_TO"),
        ("Informs", "RELATES_TO"),
        ("Complements / Informs", "RELATES_TO"),
        ("affected services", "AFFECTS"),
        ("caused by", "CAUSED_BY"),
        ("Fixed in", "RESOLVED_BY"),
        ("SUPERSEDED_BY", "SUPERSEDED_BY"),
        ("Context", None),
        ("status", None),
        ("severity", None),
        ("tags", None),
        ("title", None),
        ("path", None),
        ("source", None),
        ("", None),
        ("A long heading that is about something else altogether", None),
    ],
)
def test_words_mean_a_relation(words, expected):
    assert expected == relation_of(words)


def test_every_inverse_is_a_relation_and_goes_back():
    assert set(INVERSE) == set(RELATIONS)
    assert all(INVERSE[INVERSE[name]] == name for name in INVERSE)


SPEC = """# SPEC-059 — Activation

## Status

Draft. Superseded by [3. Foo](0003-foo.md)

## Depends on

- SPEC-034 (channel push)
- ADR #18

## Complements / Informs

- SPEC-019

## References

- [design](https://a.b/c)
- SPEC-059 itself, and ADR-018

```
SPEC-999
```

## Risks

As INC-2024-03 showed, [the other](../y.md#risks) and https://x.y fail.
"""


def test_sections_give_typed_edges_and_prose_gives_references():
    expected = [
        Edge("SUPERSEDED_BY", "0003-foo.md", "path", "section:Status"),
        Edge("DEPENDS_ON", "SPEC-34", "record", "section:Depends on"),
        Edge("DEPENDS_ON", "ADR-18", "record", "section:Depends on"),
        Edge("RELATES_TO", "SPEC-19", "record", "section:Complements / Informs"),
        Edge("REFERENCES", "https://a.b/c", "url", "section:References"),
        Edge("REFERENCES", "ADR-18", "record", "section:References"),
        Edge("REFERENCES", "INC-2024-3", "record", "inline"),
        Edge("REFERENCES", "../y.md", "path", "inline"),
    ]

    assert expected == edges(SPEC, {"label": "SPEC-059"})


PEP = """PEP: 9
Title: Things
Author: Guido van Rossum <guido@x.org>,
        Barry Warsaw
Sponsor: Jane Doe
Requires: 3155,
          420
Superseded-By: 12
Created: 01-Jan-2001

Abstract
========

As in :pep:`7`, and :pep:`420`.

References
==========

.. [1] https://a.b/c
"""
PEP_EDGES = [
    ("AUTHORED_BY", "Guido van Rossum"),
    ("AUTHORED_BY", "Barry Warsaw"),
    ("SPONSORED_BY", "Jane Doe"),
    ("DEPENDS_ON", "PEP-3155"),
    ("DEPENDS_ON", "PEP-420"),
    ("SUPERSEDED_BY", "PEP-12"),
    ("REFERENCES", "PEP-7"),
    ("REFERENCES", "https://a.b/c"),
]


def test_a_bare_number_takes_the_family_that_the_header_names():
    assert PEP_EDGES == stated(PEP)


def test_a_header_that_relates_names_no_family():
    assert [("SUPERSEDES", "RFC-7001"), ("AMENDS", "RFC-7000")] == stated(
        "RFC: 7002\nTitle: Frames\nObsoletes: 7001\nUpdates: 7000\n\nAbstract\n"
    )


LISTED = [
    ("# S\n\n## Depends on\n\n- auth\n- `kafka`: the topics\n- Add it by hand\n- SPEC-3\n",
     [("DEPENDS_ON", "auth"), ("DEPENDS_ON", "kafka"), ("DEPENDS_ON", "SPEC-3")]),
    ("# S\n\n- **Depends on:** `auth` (keys, cached), `billing` (price, see ADR-3),\n  `orders`\n",
     [("DEPENDS_ON", "auth"), ("DEPENDS_ON", "billing"), ("DEPENDS_ON", "orders"),
      ("REFERENCES", "ADR-3")]),
    ("# S\n\n- **Depends on:** no other service\n", []),
]  # fmt: skip


@pytest.mark.parametrize(("content", "expected"), LISTED)
def test_services_are_named_without_what_is_said_of_them(content, expected):
    assert sorted(expected) == sorted(stated(content))


def test_a_bare_number_takes_the_family_of_the_label():
    assert [("DEPENDS_ON", "PEP-3155"), ("DEPENDS_ON", "PEP-420")] == stated(
        "", {"label": "PEP-9", "requires": "3155, 420"}
    )


def test_fields_that_were_read_already_are_not_read_from_the_header_again():
    found = stated(PEP, {"label": "PEP-9", "authors": ["G. van Rossum"]})

    assert ("AUTHORED_BY", "G. van Rossum") in found
    assert ("AUTHORED_BY", "Guido van Rossum") not in found
    assert ("DEPENDS_ON", "PEP-420") in found


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"requires": ["ADR-1", "ADR 0002"]}, [("DEPENDS_ON", "ADR-1"), ("DEPENDS_ON", "ADR-2")]),
        ({"requires": "ADR-1 ADR-2; ADR-3"}, [("DEPENDS_ON", f"ADR-{n}") for n in (1, 2, 3)]),
        ({"depends_on": ["auth", "postgres>=9"]},
         [("DEPENDS_ON", "auth"), ("DEPENDS_ON", "postgres")]),
        ({"depends_on": {"auth": {"x": 1}}}, [("DEPENDS_ON", "auth")]),
        ({"service": "pay"}, [("AFFECTS", "pay")]),
        ({"services": "pay, ledger"}, [("AFFECTS", "pay"), ("AFFECTS", "ledger")]),
        ({"replaces": 5, "label": "ADR-9"}, [("SUPERSEDES", "ADR-5")]),
        ({"status": "superseded by [ADR-0005](0005-x.md)"},
         [("SUPERSEDED_BY", "ADR-5"), ("SUPERSEDED_BY", "0005-x.md")]),
        ({"status": "accepted", "severity": 1, "tags": ["ADR-1"]}, []),
        ({"supersedes": "None", "requires": "N/A", "extends": "-"}, []),
        ({"owners": {"team": "Payments", "codeowners": ["@ann", "@org/pay"]}},
         [("OWNED_BY", "Payments"), ("OWNED_BY", "@ann"), ("OWNED_BY", "@org/pay")]),
        ({"relations": [{"relation": "implements", "target": "ADR-7"}, {"relation": "?"}, 3]},
         [("IMPLEMENTS", "ADR-7")]),
        ({"deciders": "Ann Lee and Bo Ek"}, [("APPROVED_BY", "Ann Lee"), ("APPROVED_BY", "Bo Ek")]),
        ({"authors": ("guido@x.org (Guido van Rossum)",)}, [("AUTHORED_BY", "Guido van Rossum")]),
        ({"requires": None, "authors": [None, 1, {"name": "Ann Lee"}], "owner": 3.5, "x": {1: 2}},
         [("AUTHORED_BY", "Ann Lee")]),
        ({"supersedes": "Use Redis"}, [("SUPERSEDES", "Use Redis")]),
        ({"references": "Some words on it", "caused_by": "a typo"}, []),
        ({"references": "https://a.b/c"}, [("REFERENCES", "https://a.b/c")]),
        ({"supersedes": "ADR-9", "label": "ADR-0009"}, []),
        ({}, []),
    ],
)  # fmt: skip
def test_fields_give_edges(fields, expected):
    assert expected == stated("", fields)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"owning-team": "Payments"}, "team"),
        ({"owner": "Ann Lee"}, "person"),
        ({"owner": "Platform team"}, "team"),
        ({"owner": "@org/pay"}, "team"),
        ({"service": "pay"}, "service"),
        ({"requires": "ADR-1"}, "record"),
        ({"requires": "docs/x.md"}, "path"),
        ({"resolves": "#12"}, "issue"),
        ({"references": "https://a.b"}, "url"),
    ],
)
def test_a_target_has_the_type_of_what_it_is(fields, expected):
    assert [expected] == [e.target_type for e in edges("", fields)]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("---\nauthors: [Ann Lee]\nrequires: ADR-2\n---\n# T\n",
         [("AUTHORED_BY", "Ann Lee"), ("DEPENDS_ON", "ADR-2")]),
        ("---\ndeciders: @ann\nrequires: ADR-2\n---\n",
         [("APPROVED_BY", "@ann"), ("DEPENDS_ON", "ADR-2")]),
        ("# T\n\n* Status: accepted\n* Deciders: Ann Lee, Bo Ek\n",
         [("APPROVED_BY", "Ann Lee"), ("APPROVED_BY", "Bo Ek")]),
        ("| **Authors** | [Ann Lee](@ann) |\n| **Supersedes** | N/A |\n",
         [("AUTHORED_BY", "Ann Lee")]),
        ("## Status\n\nAccepted\n\nSupercedes [1. A](0001-a.md)\n\nAmended by [4. B](0004-b.md)\n",
         [("SUPERSEDES", "0001-a.md"), ("AMENDED_BY", "0004-b.md")]),
        ("## Status\n\nSuperseded by ADR-12\n", [("SUPERSEDED_BY", "ADR-12")]),
        ("## Relationships\n\n- **Depends on**: ADR-1\n- blocks SPEC-3\n\n### Extends\n\nADR-4\n",
         [("DEPENDS_ON", "ADR-1"), ("REQUIRED_BY", "SPEC-3"), ("EXTENDS", "ADR-4")]),
        ("## Design\n\nImplements SPEC-020 §5.1. As ADR-3 says.\n",
         [("IMPLEMENTS", "SPEC-20"), ("REFERENCES", "ADR-3")]),
        ("## Design\n\nThis one\nsupersedes ADR-3 maybe.\n", [("REFERENCES", "ADR-3")]),
        ("**Depends on:** ADR-1, ADR-2\n", [("DEPENDS_ON", "ADR-1"), ("DEPENDS_ON", "ADR-2")]),
        ("## Implements\n\n### Part\n\nSPEC-1\n\n## Other\n\nSPEC-2\n",
         [("IMPLEMENTS", "SPEC-1"), ("REFERENCES", "SPEC-2")]),
        ("## Authors\n\n- Ann Lee\n- Bo Ek <bo@x.y>\n",
         [("AUTHORED_BY", "Ann Lee"), ("AUTHORED_BY", "Bo Ek")]),
        ("## Maintainers\n\nthey keep the lights on\n", []),
        ("# Requires\n\nSPEC-2\n", [("REFERENCES", "SPEC-2")]),
        ("```\nADR-1\n```\n~~~\n[a](b.md)\n~~~\n", []),
        ("use ```ADR-1``` here\n", [("REFERENCES", "ADR-1")]),
        ("![i](x.png) [m](mailto:a@b.c) [h](#top) [u](https://a.b)\n", []),
        ("[[ADR-5 Foo]] [[adr-6|six]] [[Why Redis#a]]\n",
         [("REFERENCES", "ADR-5"), ("REFERENCES", "ADR-6"), ("REFERENCES", "Why Redis")]),
        ("[x]: ../docs/y.md\n", [("REFERENCES", "../docs/y.md")]),
        ("fixes #12 and org/repo#3\n", [("REFERENCES", "#12"), ("REFERENCES", "org/repo#3")]),
        ("ADR-1 and ADR-1 and ADR 001\n", [("REFERENCES", "ADR-1")]),
        ("", []),
    ],
)  # fmt: skip
def test_content_states_edges(content, expected):
    assert expected == stated(content)


@pytest.mark.parametrize(
    "inside",
    [
        "a: [b\n",
        "a: &a [*a]\n",
        "a: " + "[" * 5_000 + "\n",
        "a: !!python/object:os.system x\n",
        "a: !!timestamp x\n",
        'a: "\\UFFFFFFFF"\n',
        "a: \x01\n",
        "a: " + "x" * 300_000 + "\n",
    ],
)
@pytest.mark.parametrize("fence", ["---", "+++"])
def test_broken_front_matter_states_nothing_and_hides_nothing(fence, inside):
    assert [("REFERENCES", "ADR-7")] == stated(f"{fence}\n{inside}{fence}\n\nAs in ADR-7.\n")


def test_a_record_does_not_refer_to_itself():
    assert [] == stated("ADR-5 is this, spelt ADR-0005.", {"label": "ADR-0005"})
    assert [] == stated("ADR-5 is this.", {"key": "ADR-5"})


@pytest.mark.parametrize(
    "unit",
    [
        "a", "[", "#", "-", "=\n", "a/", "](", "[[a", "```\n", "# References\n", "Requires: 1\n",
        "a\n===\n", "| ", "\n", " ", "superseded by ", "Author: a@b.c (x) ",
    ],
)  # fmt: skip
def test_a_hostile_text_is_read_in_linear_time(unit):
    def read(text):
        fields = {"status": text, "authors": text, "requires": text}
        edges("## Status\n" + text, {})
        edges("---\n" + text[:20_000] + "\n---\n", fields)

    assert_linear(read, unit)
