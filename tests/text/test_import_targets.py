"""Imports are resolved as their languages do, among the files that are known."""

import pytest

from knowwhy.text.importing.code_edges import code_edges
from knowwhy.text.importing.import_targets import resolve_imports
from knowwhy.types import Edge
from pace import assert_linear

PROJECT = [
    "app/src/pay/__init__.py",
    "app/src/pay/core/__init__.py",
    "app/src/pay/core/a.py",
    "app/src/pay/core/b.py",
    "app/src/pay/cli.py",
    "app/src/pay/json.py",
    "app/src/other.py",
    "app/tests/test_pay.py",
    "app/tools/run.py",
    "app/tools/shared.py",
    "app/src/space/deep/x.py",
    "lib/pay/__init__.py",
    "lib/use.py",
]


def meant(text, path, paths=PROJECT, modules=()):
    """Gives the files that a file's imports mean, when each file's key is its path."""
    edges = {path: code_edges(text, path, {})}
    found = resolve_imports(edges, {each: each for each in {*paths, path}}, dict(modules))
    return list(dict.fromkeys(key for _, key in found.get(path, ())))


def edges(text, path="app/src/pay/core/a.py"):
    found = code_edges(text, path, {})
    return [(e.target, e.target_type, e.origin) for e in found if e.relation == "IMPORTS"]


@pytest.mark.parametrize(
    ("expected", "text"),
    [
        (("a.b", "module", "import:1"), "import a.b as c"),
        (("a.b:c", "module", "import:1"), "from a.b import c as d"),
        (("a.b", "module", "import:1"), "from a.b import *"),
        (("app.src.pay.core:b", "module", "import:1"), "from . import b"),
        (("app.src.pay.cli:main", "module", "import:1"), "from ..cli import main"),
        (("a", "module", "import:2:lazy"), "def f():\n    import a"),
        (("a", "module", "import:2:type"), "if TYPE_CHECKING:\n    import a"),
    ],
)
def test_an_import_is_an_edge_with_its_line_and_how_it_is_imported(expected, text):
    assert [expected] == edges(text)


@pytest.mark.parametrize(
    ("expected", "path", "text"),
    [
        (("web/b", "path", "import:1"), "web/a.ts", "import { b } from './b'"),
        (("lib/u", "path", "import:1:require"), "web/a.js", "const u = require('../lib/u')"),
        (("react", "module", "import:1"), "web/a.js", "import R from 'react'"),
        (("src/x", "path", "import:1:mod"), "src/lib.rs", "mod x;"),
        (("src/x/z", "path", "import:1:mod"), "src/x.rs", "mod z;"),
        (("q/r.h", "path", "import:1:include"), "inc/p.c", '#include "q/r.h"'),
        (("a.B:c", "module", "import:1"), "A.java", "import static a.B.c;"),
    ],
)
def test_imports_of_other_languages_are_edges_to_paths_and_names(expected, path, text):
    assert [expected] == edges(text, path)


def test_a_relative_import_keeps_its_dots_when_nobody_knows_where_the_file_is():
    found = code_edges("from ..cli import main", None, {"language": "Python"})

    assert [Edge("IMPORTS", "..cli:main", "module", "import:1")] == found


def test_code_also_states_what_its_fields_say_and_which_records_it_names():
    found = code_edges("# as ADR-12 says\nimport os\n", "a.py", {"owner": "Ada Lovelace"})

    assert [
        ("IMPORTS", "os"),
        ("OWNED_BY", "Ada Lovelace"),
        ("REFERENCES", "ADR-12"),
    ] == [(edge.relation, edge.target) for edge in found]


@pytest.mark.parametrize(
    ("expected", "path", "text"),
    [
        (["app/src/pay/core/a.py"], "app/src/other.py", "import pay.core.a"),
        (["app/src/pay/core/a.py"], "app/src/other.py", "from pay.core import a"),
        (["app/src/pay/core/__init__.py"], "app/src/other.py", "from pay.core import NAME"),
        (["app/src/pay/core/__init__.py"], "app/src/other.py", "from pay.core import *"),
        (["app/src/pay/core/b.py"], "app/src/pay/core/a.py", "from . import b"),
        (["app/src/pay/core/b.py"], "app/src/pay/core/__init__.py", "from .b import x"),
        (["app/src/pay/cli.py"], "app/src/pay/core/a.py", "from ..cli import main"),
        (["app/src/pay/__init__.py"], "app/src/pay/core/a.py", "from .. import NAME"),
        ([], "app/src/pay/__init__.py", "from . import NAME"),
        ([], "app/src/pay/core/a.py", "from .......... import x"),
        ([], "app/src/pay/core/a.py", "import json\nimport react\nfrom typing import Any"),
        (["app/src/pay/json.py"], "app/src/pay/core/a.py", "from pay import json"),
        (["app/src/other.py"], "app/src/pay/core/a.py", "import other"),
        (["app/src/pay/cli.py"], "app/tests/test_pay.py", "from pay.cli import main"),
        (["app/tools/shared.py"], "app/tools/run.py", "import shared"),
        ([], "app/src/pay/core/a.py", "import shared"),
        (["app/src/space/deep/x.py"], "app/tests/test_pay.py", "from space.deep import x"),
        (["lib/pay/__init__.py"], "lib/use.py", "import pay"),
        ([], "lib/use.py", "from pay.missing.far import x"),
    ],
)
def test_python_finds_modules_where_python_would(expected, path, text):
    assert expected == meant(text, path)


def test_a_module_beside_that_has_the_name_of_a_library_is_not_that_library():
    """Its package's own file is empty and so no record: only the ingest saw that it is one."""
    paths = ["app/pay/redis.py", "app/pay/core/a.py"]
    modules = {"app/pay/core/a.py": "pay.core.a", "app/pay/redis.py": "pay.redis"}

    assert [] == meant("import redis", "app/pay/core/a.py", paths, modules)
    assert ["app/pay/redis.py"] == meant("from pay import redis", paths[1], paths, modules)


FILES = [
    "web/a.ts",
    "web/b.tsx",
    "web/c/index.js",
    "web/d.vue",
    "lib/util.js",
    "crate/src/lib.rs",
    "crate/src/x.rs",
    "crate/src/y/mod.rs",
    "crate/src/x/z.rs",
    "inc/p.h",
    "inc/q/r.h",
    "c/include/deep/s.h",
    "c/src/s.c",
    "rb/a.rb",
    "j/src/main/java/com/acme/Pay.java",
    "j/src/test/java/com/acme/PayTest.java",
    "shop/internal/tax/tax.go",
    "shop/internal/tax/rate.go",
    "shop/internal/tax/tax_test.go",
]


@pytest.mark.parametrize(
    ("expected", "path", "text"),
    [
        (["web/b.tsx"], "web/a.ts", "import b from './b'"),
        (["web/b.tsx"], "web/a.ts", "import b from './b.js'"),
        (["web/c/index.js"], "web/a.ts", "import c from './c'"),
        (["lib/util.js"], "web/c/index.js", "const u = require('../../lib/util.js')"),
        (["web/d.vue"], "web/a.ts", "import('./d.vue')"),
        (["web/c/index.js"], "web/c/x.js", "import '.'"),
        ([], "web/a.ts", "import react from 'react'; import z from './z'; import o from '../../o'"),
        (["crate/src/x.rs", "crate/src/y/mod.rs"], "crate/src/lib.rs", "mod x;\nmod y;\n"),
        (["crate/src/x/z.rs"], "crate/src/x.rs", "mod z;\n"),
        (["crate/src/x/z.rs"], "crate/src/lib.rs", "use crate::x::z::Thing;\nuse std::fmt;\n"),
        (["crate/src/y/mod.rs"], "crate/src/x.rs", "use super::y::f;\n"),
        (["inc/q/r.h", "inc/p.h"], "inc/p.c", '#include "q/r.h"\n#include "inc/p.h"\n'),
        (["c/include/deep/s.h"], "c/src/s.c", '#include "deep/s.h"\n'),
        (["rb/a.rb"], "rb/b.rb", "require_relative 'a'\nrequire 'json'\n"),
        ([FILES[14]], FILES[15], "import com.acme.Pay;\nimport java.util.List;\n"),
        ([FILES[14]], FILES[15], "import static com.acme.Pay.LIMIT;\nimport com.acme.Pay.Kind;\n"),
        (FILES[16:18], "shop/main.go", 'package main\nimport "example.org/acme/shop/internal/tax"'),
        ([], "shop/main.go", 'package main\nimport "tax"\nimport "other.org/x/internal/tax"\n'),
    ],
)
def test_other_languages_find_files_where_they_would(expected, path, text):
    assert sorted(expected) == sorted(meant(text, path, FILES))


def test_of_two_services_with_the_same_paths_each_imports_its_own():
    paths = {f"{s}/app/{n}": f"app/{n}" for s in ("orders", "billing") for n in ("a.py", "b.py")}
    edges = {key: code_edges("import b", path, {}) for key, path in paths.items()}
    found = resolve_imports(edges, paths)

    assert ["orders/app/b.py"] == [key for _, key in found["orders/app/a.py"]]
    assert ["billing/app/b.py"] == [key for _, key in found["billing/app/a.py"]]


def test_a_service_finds_a_library_that_was_taken_in_beside_it():
    paths = {"orders/app/a.py": "app/a.py", "libs/pay/pay/__init__.py": "pay/pay/__init__.py"}
    found = resolve_imports({"orders/app/a.py": code_edges("import pay", "app/a.py", {})}, paths)

    assert ["libs/pay/pay/__init__.py"] == [key for _, key in found["orders/app/a.py"]]


def test_many_files_of_one_name_are_resolved_in_linear_time():
    text = "import utils\nfrom utils.x import y\nfrom . import z\nimport missing.deep\n"

    def files(count):
        folders = [f"r/s{n}/a/{'d/' * 8}" for n in range(count)]
        paths = [f"{folder}{name}.py" for folder in folders for name in ("utils", "main")]
        edges = dict.fromkeys(paths, code_edges(text, paths[0], {}))
        return edges, {path: path for path in paths}

    edges, known = files(1_000)
    utils, main, *_ = known
    assert utils == resolve_imports(edges, known)[main][0][1]
    assert_linear(lambda given: resolve_imports(*given), files, small=625, large=5_000)
