"""What a file imports is read exactly, and resolved against what is known."""

import ast
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowwhy.text.importing.imports import imports
from pace import assert_linear, run_of


def read(text, path="a.py"):
    return [(i.target, i.names, i.level, i.kind) for i in imports(text, path)]


def targets(text, path):
    return [(item.target, *item.names) for item in imports(text, path)]


@pytest.mark.parametrize(
    ("expected", "text"),
    [
        ([("a.b.c", (), 0, "import")], "import a.b.c as d"),
        ([("a", (), 0, "import"), ("b.c", (), 0, "import")], "import a, b.c"),
        ([("a.b", ("c", "d"), 0, "import")], "from a.b import (c as x,\n    d,  # why\n)"),
        ([("", ("x", "y"), 1, "import")], "from . import x, y"),
        ([("core.z", ("w",), 2, "import")], "from ..core.z import w"),
        ([("a", ("*",), 0, "import")], "from a import *"),
        ([("a", ("b",), 0, "lazy")], "def f():\n    from a import b\n"),
        (
            [("a", (), 0, "lazy")],
            "class C:\n    async def f(self):\n        if x:\n            import a\n",
        ),
        ([("a", ("B",), 0, "type")], "if TYPE_CHECKING:\n    from a import B\n"),
        (
            [("a", (), 0, "type"), ("b", (), 0, "import")],
            "if t.TYPE_CHECKING:\n    import a\nelse:\n    import b\n",
        ),
        (
            [("a", (), 0, "import"), ("b", (), 0, "import")],
            "try:\n    import a\nexcept ImportError:\n    import b\n",
        ),
        ([], "x = 'import a'\n# import b\n"),
        ([], ""),
    ],
)
def test_python_imports_are_read(expected, text):
    assert expected == read(text)


@pytest.mark.parametrize(
    "text",
    [
        "import a\nfrom .b import (c,\n  d)\nprint 'two'\n",
        "import a\nfrom .b import c, d\ndef broken(:\n",
        "import a\nfrom .b import c, d  # why\n\0",
    ],
)
def test_python_that_does_not_parse_is_read_by_its_lines(text):
    assert [("a", (), 0, "import"), ("b", ("c", "d"), 1, "import")] == read(text)


def test_each_import_has_its_line():
    python = "import a\n\n\nfrom b import (\n    c,\n)\nimport d\n"
    script = "import a from 'a';\n\nconst b = require('b');\n"
    ruby = "require 'a'\n\nrequire_relative 'b'\n"

    assert [1, 4, 7] == [item.line for item in imports(python, "a.py")]
    assert [1, 3] == [item.line for item in imports(script, "a.js")]
    assert [1, 3] == [item.line for item in imports(ruby, "a.rb")]


def test_a_stray_carriage_return_does_not_move_the_lines_below_it():
    assert [3] == [item.line for item in imports("# a \r b\r\nx = 1\r\nimport a\r\n", "a.py")]


def test_what_is_read_raises_no_warnings_about_itself():
    with warnings.catch_warnings():
        warnings.simplefilter("error")

        assert [("a", (), 0, "import")] == read("import a\nx = '\\d'\nassert (1, 2)\n")


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("a.js", "import './side';", [("./side",)]),
        ("a.js", "import a, { b as c, d } from './x';", [("./x", "default", "b", "d")]),
        ("a.js", "import * as p from '../p';", [("../p", "*")]),
        ("a.js", "export * from './a'; export { b } from './b';", [("./a", "*"), ("./b", "b")]),
        ("a.js", "function f() { return require(`./x`); }", [("./x",)]),
        ("a.js", "const p = await import('./lazy');", [("./lazy",)]),
        ("a.js", "require('./' + name); require(`./${x}`); other('./x');", []),
        ("a.ts", "import type { A } from './a';", [("./a", "A")]),
        ("a.ts", "import fs = require('fs');", [("fs",)]),
        ("a.tsx", "import R from 'react';\nconst x = <a href='y'/>;", [("react", "default")]),
        ("a.go", 'package a\nimport "fmt"\n', [("fmt",)]),
        ("a.go", 'package a\nimport (\n\tx "a/b"\n\t. "os"\n)\n', [("a/b",), ("os", "*")]),
        ("a.rs", "use a::{b, c::{self, d as e}};", [("a::b",), ("a::c",), ("a::c::d",)]),
        ("a.rs", "use a::{b::*, c};", [("a::b::*",), ("a::c",)]),
        ("a.rs", "pub use crate::x;\nmod y;\nmod z { }", [("crate::x",), ("y",)]),
        ("a.rs", "extern crate serde;", [("serde",)]),
        ("A.java", "import java.util.List;", [("java.util.List",)]),
        ("A.java", "import static a.B.c;\nimport x.y.*;", [("a.B", "c"), ("x.y", "*")]),
        ("a.c", '#include <stdio.h>\n#  include "x/y.h"\n', [("stdio.h",), ("x/y.h",)]),
        ("a.rb", "require 'json'\nrequire_relative './x'\n", [("json",), ("./x",)]),
        ("a.php", "<?php\nuse App\\User;\n", [("App\\User",)]),
        ("a.php", "<?php\nrequire __DIR__ . '/x.php';\n", [("/x.php",)]),
        ("A.cs", "using System;\nusing A = B.C;\nusing (var x = y) {}\n", [("System",), ("B.C",)]),
        ("a.kt", "import a.b.C\nimport x.y.*\n", [("a.b.C",), ("x.y", "*")]),
        ("a.proto", 'import public "a/b.proto";\n', [("a/b.proto",)]),
        ("a.sh", "source ./lib.sh\n. ./env\n", [("./lib.sh",), ("./env",)]),
        ("a.yaml", "import: a\n", []),
        ("LICENSE", "import a\n", []),
    ],
)  # fmt: skip
def test_imports_of_other_languages_are_read(path, text, expected):
    assert expected == targets(text, path)


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("a.js", "import a from './x';\nvar b = require('y');\n", ["./x", "y"]),
        ("a.ts", "import {\n  a,\n} from './x';\nexport * from './z';\n", ["./x", "./z"]),
        ("a.go", 'import "fmt"\n', ["fmt"]),
        ("a.rs", "use a::b;\nmod c;\n", ["a::b", "c"]),
        ("A.java", "import static a.B.c;\n", ["a.B.c"]),
    ],
)
def test_imports_of_a_file_that_is_unsafe_to_parse_are_read_by_its_lines(path, text, expected):
    unsafe = f"{text}\n// {'x' * 6_000}\n"

    assert expected == [item.target for item in imports(unsafe, path)]


names = st.from_regex(r"[a-z]{1,6}", fullmatch=True)
dotted = st.lists(names, min_size=1, max_size=3).map(".".join)
lines = st.one_of(
    dotted.map("import {}".format),
    st.builds("from {}{} import {}".format, st.sampled_from(["", ".", ".."]), dotted, names),
    st.builds("if {}:\n    import {}".format, names, dotted),
    st.builds("def f():\n    from . import {}".format, names),
)


def parses(text):
    try:
        ast.parse(text)
    except SyntaxError:  # a keyword was drawn as a name
        return False
    return True


@given(st.lists(lines, max_size=8).map("\n".join).filter(parses))
def test_reading_by_lines_finds_what_parsing_finds(text):
    def stated(source):
        return [(i.target, i.names, i.level, i.line) for i in imports(source, "a.py")]

    assert stated(text) == stated(f"{text}\ndef broken(:\n")


@given(
    st.text(max_size=300),
    st.sampled_from(["a.py", "a.js", "a.ts", "a.go", "a.rs", "A.java", "a.c"]),
)
def test_any_text_at_all_can_be_read(text, path):
    count = text.count("\n") + 1

    assert all(1 <= item.line <= count for item in imports(text, path))


HOSTILE = {
    "one line": "x",
    "brackets": lambda length: "[" * (length // 2) + "]" * (length // 2),
    "imports": "import a\n",
    "never closed": "from a import (\n",
    "braces": "import {\n",
    "use": "use a::{",
    "require": "require('",
    "spaces": run_of(" ", "import"),
    "from": run_of(" ", "from"),
    "names": "import " + "a, " * 300 + "\n",
    "included": run_of(" ", "# include"),
    "dots": run_of("a.", "import "),
    "dots on lines": run_of("a.\\\n", "import ", "a"),
    "sums": run_of(" + 1\n", "x = (1\n", ")"),
    "operators": run_of(" + 1", "x = 1"),
}


@pytest.mark.parametrize("path", ["a.py", "a.ts", "a.rs", "a.php", "a.cs", "a.c"])
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_imports_are_read_in_linear_time(name, path):
    assert_linear(lambda text: imports(text, path), HOSTILE[name])
