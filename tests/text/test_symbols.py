"""Source code is cut along its symbols, and nothing of it is lost."""

import random
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from knowwhy.text.pages.chunks import MAX_CHARS
from knowwhy.text.source.grammars import GRAMMARS, parse
from knowwhy.text.source.symbols import code_chunks
from pace import assert_linear, run_of

STEP = "    total = total + amount_of(invoice, currency, rate)\n"

names = st.from_regex(r"[a-z]{2,9}", fullmatch=True)
statements = st.sampled_from(
    [
        "x = 1",
        "import os",
        "from a.b import c as d",
        "LIMIT = 'é漢😀'",
        "if x:\n    y = 2\nelse:\n    y = 3",
        "for i in range(3):\n    print(i)  # why",
        "# a comment",
        '"""A text\n\n    with a blank line."""',
        "data = [\n" + "    1, 2, 3,\n" * 60 + "]",
        "x = (",
        "    badly = indented",
        "",
        "long = '" + "a" * 1_500 + "'",
    ]
)


def indented(text):
    return "".join(f"    {line}" if line.strip() else line for line in text.splitlines(True))


def function(name, body):
    return f"# before {name}\n@cached\ndef {name}(a, b):\n" + indented(f"{body}\n")


def a_class(name, members):
    return f'class {name.title()}(Base):\n    """A {name}."""\n\n' + indented("\n\n".join(members))


bodies = st.lists(statements, min_size=1, max_size=8).map("\n".join)
functions = st.builds(function, names, bodies)
classes = st.builds(a_class, names, st.lists(functions, min_size=1, max_size=5))
modules = st.lists(st.one_of(functions, classes, statements), max_size=8).map("\n\n".join)
languages = st.sampled_from([*GRAMMARS, None, "c", "ruby", "sql", "yaml", "terraform", "unheard"])


def without_blanks(text):
    return "".join(text.split())


def headings(text, language):
    return [piece.heading for piece in code_chunks(text, language)]


def method(name, steps=9):
    return f"def {name}(self, invoice):\n" + STEP * steps


@settings(deadline=None)
@given(modules, languages)
def test_every_character_that_is_not_blank_is_in_exactly_one_piece(text, language):
    pieces = code_chunks(text, language)

    assert without_blanks(text) == "".join(without_blanks(piece.text) for piece in pieces)


@settings(deadline=None)
@given(modules, languages)
def test_pieces_are_numbered_ordered_bounded_and_where_they_say(text, language):
    pieces = code_chunks(text, language)

    assert list(range(len(pieces))) == [piece.position for piece in pieces]
    assert all(a.end <= b.start for a, b in pairwise(pieces))
    for piece in pieces:
        assert text[piece.start : piece.end].strip() == piece.text.strip()
        assert 0 < len(piece.text.strip()) <= len(piece.text) <= MAX_CHARS


@settings(deadline=None)
@given(st.text(max_size=400), languages)
def test_any_text_at_all_is_cut_without_a_loss(text, language):
    pieces = code_chunks(text, language)

    assert without_blanks(text) == "".join(without_blanks(piece.text) for piece in pieces)


@settings(deadline=None)
@given(modules, languages)
def test_the_same_code_gives_the_same_pieces(text, language):
    assert code_chunks(text, language) == code_chunks(text, language)


def test_a_small_class_stays_whole():
    text = "class Retry:\n    def run(self):\n        pass\n\n    def stop(self):\n        pass\n"

    assert [("Retry", text.strip())] == [(c.heading, c.text) for c in code_chunks(text, "python")]


def test_a_long_class_is_its_header_and_its_methods():
    doc = '    """Takes payments. ' + "It is careful with money. " * 22 + '"""\n    limit = 3\n\n'
    text = (
        f"class PaymentService(Base):\n{doc}"
        f"    # Why it tries again.\n    @logged\n{indented(method('retry'))}\n"
        f"{indented(method('refund'))}"
    )
    pieces = code_chunks(text, "python")

    assert ["PaymentService", "PaymentService > retry", "PaymentService > refund"] == [
        piece.heading for piece in pieces
    ]
    assert pieces[0].text.endswith("limit = 3")
    assert pieces[1].text.startswith("    # Why it tries again.\n    @logged\n    def retry(")


def test_imports_stand_apart_from_the_functions_below_them():
    imports = "".join(f"from payments.providers.number_{n} import Provider{n}\n" for n in range(9))
    text = f"{imports}\n\n{method('retry_payment')}"

    assert ["", "retry_payment"] == headings(text, "python")


def test_small_functions_share_a_piece_that_names_them_all():
    text = "\n\n".join(f"def step_{n}(x):\n    return x + {n}\n" for n in range(4))

    assert ["step_0, step_1, step_2, step_3"] == headings(text, "python")


def test_small_methods_of_two_classes_do_not_share_a_piece():
    first, second = (
        f"class {name}:\n{indented(method('long', 12))}\n    def short(self):\n        pass\n"
        for name in ("A", "B")
    )
    found = headings(f"{first}\n\n{second}", "python")

    assert {"A", "B"} == {heading.split(" > ")[0] for heading in found}
    assert all("B" not in heading for heading in found[: len(found) // 2])


def test_a_long_function_is_cut_between_statements_and_keeps_its_name():
    loop = "    for invoice in invoices:\n        check(invoice)\n        take(invoice, limit)\n\n"
    text = f"def settle(invoices):\n{loop * 30}    return True\n"
    pieces = code_chunks(text, "python")

    assert {"settle"} == {piece.heading for piece in pieces}
    assert len(pieces) > 3
    assert all(piece.text.startswith("    for invoice") for piece in pieces[1:])


def test_a_piece_of_a_cut_group_names_only_what_it_holds():
    text = f"class A:\n{indented(method('settle', 30))}\n    def tiny(self):\n        pass\n"
    pieces = code_chunks(text, "python")

    assert all(("tiny" in piece.heading) == ("def tiny" in piece.text) for piece in pieces)


def test_a_long_constant_is_headed_by_its_name():
    text = "RATES = {\n" + "".join(f"    'currency_{n}': {n}.5,\n" for n in range(90)) + "}\n"

    assert {"RATES"} == set(headings(text, "python"))


def test_functions_under_a_condition_are_found():
    text = (
        f"if sys.version_info > (3, 11):\n{indented(method('new'))}else:\n{indented(method('old'))}"
    )

    assert ["new", "old"] == headings(text, "python")


def test_a_comment_behind_code_stays_with_it_and_one_above_goes_below():
    text = f"{method('first')}\nx = 1  # about x\n# about second\n{method('second')}"
    pieces = code_chunks(text, "python")

    assert pieces[-1].text.startswith("# about second\ndef second(")


def test_code_with_an_error_still_has_its_other_symbols():
    text = f"{method('first')}\n\ndef broken(:\n    retur n )\n\n\n{method('last')}"
    found = headings(text, "python")

    assert "first" == found[0]
    assert "last" in found[-1]


@pytest.mark.parametrize("text", ["", " ", "\n\n\t\r\n", "\u2003\x0c"])
@pytest.mark.parametrize("language", ["python", "go", None])
def test_blank_text_has_no_pieces(text, language):
    assert [] == code_chunks(text, language)


FILLER = "        // weighs what is due against what was paid in this period\n" * 11

OUTLINES = [
    (
        "tsx",
        "/** Pays. */\n@Injectable()\nexport class Payments extends Base {\n  private n = 1;\n"
        f"  handler = async () => {{\n{FILLER}  }};\n\n"
        f"  @Log()\n  async retry(a: string): Promise<void> {{\n{FILLER}  }}\n}}\n\n"
        f"export const fetchAll = async () => {{\n{FILLER}}};\n\n"
        f"export default function Page() {{\n{FILLER}  return <div/>;\n}}\n\n"
        f"namespace Money {{\n  export function round() {{\n{FILLER}  }}\n}}\n",
        ["Payments > handler", "Payments > retry", "fetchAll", "Page", "Money > round"],
    ),
    (
        "javascript",
        f"module.exports.settle = function (a) {{\n{FILLER}}};\n\n"
        f"const routes = {{\n  list: function () {{\n{FILLER}  }},\n"
        f"  get(id) {{\n{FILLER}  }},\n}};\n\n"
        f"(function () {{\n  function inner() {{\n{FILLER}  }}\n}})();\n",
        ["settle", "routes > list", "routes > get", "inner"],
    ),
    (
        "go",
        "package main\n\n// Store keeps.\ntype Store struct{ a int }\n\n"
        f"// Get gets.\nfunc (s *Store[T]) Get(k string) string {{\n{FILLER}}}\n\n"
        f"func (s Store) Put(k string) {{\n{FILLER}}}\n\nfunc main() {{\n{FILLER}}}\n",
        ["Store", "Store > Get", "Store > Put", "main"],
    ),
    (
        "rust",
        "use std::fmt;\nmod money;\n\n"
        "impl fmt::Display for Price {\n    /// Shows.\n    #[inline]\n"
        f"    fn fmt(&self) {{\n{FILLER}    }}\n}}\n\n"
        f"impl Price {{\n    fn new() {{\n{FILLER}    }}\n}}\n\n"
        f"#[cfg(test)]\nmod tests {{\n    #[test]\n    fn works() {{\n{FILLER}    }}\n}}\n",
        ["", "fmt::Display for Price > fmt", "Price > new", "tests > works"],
    ),
    (
        "java",
        "/** Pays. */\n@Service\npublic class Payments implements P {\n    private int a = 1;\n\n"
        f"    /** Again. */\n    @Override\n    public void retry(String a) {{\n{FILLER}    }}\n\n"
        f"    class Inner {{\n        void refund() {{\n{FILLER}        }}\n    }}\n}}\n",
        ["Payments > retry", "Payments > Inner > refund"],
    ),
    (
        "kotlin",
        "package a.b\n\nimport a.C\n\nclass Payments(val a: A) {\n"
        f"    override suspend fun retry() {{\n{FILLER}    }}\n\n"
        f"    companion object {{\n        fun create() {{\n{FILLER}        }}\n    }}\n}}\n",
        ["Payments > retry", "Payments > create"],
    ),
    (
        "ruby",
        "module Pay\n  # Doc\n  class Service < Base\n"
        f"    def retry!(a)\n{FILLER}    end\n\n    def self.make\n{FILLER}    end\n  end\nend\n",
        ["Pay > Service > retry!", "Pay > Service > self.make"],
    ),
    (
        "c#",
        "using System;\n\nnamespace Pay;\n\npublic class Service : Base\n{\n"
        "    public async Task<int> Retry(string a, int b)\n    {\n        if (a == b)\n"
        f"{FILLER * 2}    }}\n}}\n",
        ["Service > Retry"],
    ),
    (
        "c++",
        f"#include <vector>\n\nstatic int helper(int a) {{\n{FILLER}}}\n\n"
        f"void Service::retry(const std::string& a)\n{{\n  call(a);\n{FILLER}}}\n",
        ["helper", "Service::retry"],
    ),
    (
        "php",
        "<?php\nnamespace App;\n\nclass Pay extends B\n{\n"
        f"    public function retry($a) {{\n{FILLER * 2}    }}\n}}\n",
        ["Pay > retry"],
    ),
    (
        "sql",
        "CREATE TABLE IF NOT EXISTS users (\n" + "  col varchar(20) NOT NULL,\n" * 30 + ");\n\n"
        "CREATE OR REPLACE FUNCTION settle() RETURNS int AS $$\n" + "  SELECT a FROM b;\n" * 30,
        ["users", "settle"],
    ),
    (
        "terraform",
        'resource "aws_s3_bucket" "logs" {\n' + '  setting = "value"\n' * 40 + "}\n\n"
        'variable "region" {\n' + '  setting = "value"\n' * 40 + "}\n",
        ["resource aws_s3_bucket logs", "variable region"],
    ),
    (
        "shell",
        f"#!/bin/bash\nset -e\n\n# Deploys\ndeploy() {{\n{FILLER}}}\n\n"
        f"function undo {{\n{FILLER}}}\n",
        ["deploy", "undo"],
    ),
    (
        "make",
        "CC = gcc\n\nbuild: a.c\n"
        + "\tcc -O2 a.c -o a\n" * 50
        + "\ntest: build\n"
        + "\t./a --test x\n" * 50,
        ["", "build", "test"],
    ),
    (
        "yaml",
        "services:\n" + "  name: value\n" * 60 + "\nvolumes:\n" + "  name: value\n" * 60,
        ["services", "volumes"],
    ),
    (
        "protobuf",
        "message Pay {\n"
        + "  string name_of = 1;\n" * 40
        + "}\n\nservice Payments {\n"
        + "".join(f"  rpc Retry{n}(RetryRequest) returns (RetryReply);\n" for n in range(30))
        + "}\n",
        ["Pay", "Payments > Retry0, Retry1"],
    ),
]


@pytest.mark.parametrize(("language", "text", "expected"), OUTLINES, ids=[o[0] for o in OUTLINES])
def test_the_symbols_of_each_language_are_found_in_order(language, text, expected):
    found = list(dict.fromkeys(headings(text, language)))
    places = [
        next((i for i, heading in enumerate(found) if heading.startswith(name)), None)
        for name in expected
    ]

    assert None not in places, found
    assert sorted(places) == places, found


def noise(form):
    def text(length):
        numbers = random.Random(7)
        lines = length // len(form.format(10**5))
        return "".join(form.format(numbers.randrange(10**6)) for _ in range(lines))

    return text


def staircase(length):
    return "".join(" " * depth + "if x:\n" for depth in range(int((2 * length) ** 0.5)))


HOSTILE = {
    "one line": run_of("x"),
    "one line of statements": run_of("a=1;"),
    "newlines": run_of("\n"),
    "open brackets": run_of("("),
    "nested brackets": lambda length: "[" * (length // 2) + "]" * (length // 2),
    "nested on lines": lambda length: "{\n" * (length // 4) + "}\n" * (length // 4),
    "objects": run_of("{a:"),
    "arrows": noise("a{}=>\n"),
    "calls": noise("f{}(\n"),
    "comments never closed": noise("{}/*\n"),
    "raw strings never closed": noise('r#"{}\n'),
    "quotes": run_of("'\n"),
    "another language": run_of('def f(): return "é"\n'),
    "words": run_of("the quick brown fox\n"),
    "modifiers": run_of("public static \n"),
    "indentation": staircase,
    "classes in classes": noise("class A{} {{\n"),
    "nul": run_of("a\0\n"),
    "surrogates": run_of("\ud800 = 1\n"),
    "pointers": run_of("a b " * 70 + "\n"),
}


@pytest.mark.parametrize("language", ["python", "javascript", "java", "c#"])
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_code_is_cut_in_linear_time_without_a_loss(name, language):
    text = HOSTILE[name](100_000)
    pieces = code_chunks(text, language)

    assert len(without_blanks(text)) == sum(len(without_blanks(piece.text)) for piece in pieces)
    assert_linear(lambda text: code_chunks(text, language), HOSTILE[name])


@pytest.mark.parametrize(
    ("is_safe", "text"),
    [
        (True, "def f():\n    return 1\n" * 500),
        (False, "x" * 6_000),
        (False, "(" * 600),
        (False, "a = 1\0"),
        (False, "/*\n" * 30),
        (False, "if (a) { b(); } else { public static }\n" * 500),
    ],
)
def test_only_text_that_is_safe_to_parse_is_parsed(is_safe, text):
    assert is_safe == (parse(text, "python") is not None)


def test_a_long_string_in_another_language_is_no_reason_to_give_up():
    prose = "It was the best of times, it was the worst of times, it was long ago.\n" * 60
    text = f'{method("first")}\n\nSTORY = """\n{prose}"""\n\n\n{method("last") * 3}'

    assert parse(text, "python") is not None
