"""Packages and folders are asked about as their files are, through the command line."""

import json
from pathlib import Path

import pytest

GO = {
    "go.mod": "module example.org/acme/store\n\ngo 1.22\n",
    "cmd/store/main.go": 'package main\n\nimport (\n\t"fmt"\n\n'
    '\t"example.org/acme/store/pkg/compact"\n\t"example.org/acme/store/pkg/block"\n)\n\n'
    "func main() { fmt.Println(compact.Run(block.New())) }\n",
    "pkg/block/block.go": "package block\n\nfunc New() Block { return Block{} }\n\n"
    "type Block struct{}\n",
    "pkg/block/fetcher.go": 'package block\n\nimport "example.org/acme/store/pkg/objects"\n\n'
    "func Fetch() { objects.Get() }\n",
    "pkg/block/indexheader/header.go": 'package indexheader\n\nimport "strings"\n\n'
    'func Header() string { return strings.ToUpper("x") }\n',
    "pkg/compact/compact.go": 'package compact\n\nimport "example.org/acme/store/pkg/block"\n\n'
    "func Run(b block.Block) string { return \"\" }\n",
    "pkg/compact/compact_test.go": "package compact_test\n\n"
    'import "example.org/acme/store/pkg/compact"\n\n'
    "func TestRun() { compact.Run() }\n",
    "pkg/objects/objects.go": 'package objects\n\nimport "github.com/minio/minio-go/v7"\n\n'
    "func Get() { minio.New() }\n",
    "pkg/rules/rules.go": 'package rules\n\nimport "github.com/other/lib/pkg/block"\n\n'
    "func Rules() { block.Other() }\n",
}  # fmt: skip
USERS = {"cmd/store/main.go", "pkg/compact/compact.go"}
BILLED = {"billing/api/BillingApi.java", "orders/Order.java"}
MAIN = "src/main/java/com/acme"
JAVA = {
    f"{MAIN}/billing/Invoice.java": "package com.acme.billing;\n\npublic class Invoice {}\n",
    f"{MAIN}/billing/Payment.java": "package com.acme.billing;\n\nimport com.acme.money.Amount;\n\n"
    "public class Payment { Amount amount; }\n",
    f"{MAIN}/billing/api/BillingApi.java": "package com.acme.billing.api;\n\n"
    "import com.acme.billing.Invoice;\n\npublic class BillingApi { Invoice last; }\n",
    f"{MAIN}/money/Amount.java": "package com.acme.money;\n\npublic class Amount {}\n",
    f"{MAIN}/orders/Order.java": "package com.acme.orders;\n\nimport com.acme.billing.*;\n\n"
    "public class Order { Payment payment; }\n",
    f"{MAIN}/stock/Stock.java": "package com.acme.stock;\n\nimport java.util.List;\n\n"
    "public class Stock { List<String> names; }\n",
}
PYTHON = {
    "shop/__init__.py": "VERSION = 1\n",
    "shop/cart/__init__.py": "from shop.cart.lines import Line\n",
    "shop/cart/lines.py": "from shop import tax\n\nclass Line: ...\n",
    "shop/tax.py": "RATE = 0.2\n",
    "shop/orders.py": "from shop.cart.lines import Line\n\ndef order(): ...\n",
    "tools/report.py": "import shop.cart\n\nprint(shop.cart)\n",
}
SCRIPT = {
    "web/src/cart/index.ts": "export * from './lines'\n",
    "web/src/cart/lines.ts": "export const lines = 1\n",
    "web/src/pages/checkout.ts": "import { lines } from '../cart/lines'\nconsole.log(lines)\n",
    "web/src/pages/home.ts": "import { lines } from '../cart'\nconsole.log(lines)\n",
    "web/src/pages/about.ts": "export const about = 1\n",
}


def sync(knowwhy, folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    ran = knowwhy("sync", folder)
    assert 0 == ran.code, ran.err


def asked(knowwhy, question: str, *options: str) -> dict[str, object]:
    ran = knowwhy("search", "--json", "--explain", *options, "--", question)
    assert 0 == ran.code, ran.err
    return json.loads(ran.out)


def answers(knowwhy, question: str, place: str, *options: str) -> set[str]:
    """Gives the records to which a walk has led."""
    hits = asked(knowwhy, question, *options)["hits"]
    return {hit["key"].removeprefix(f"{place}/") for hit in hits if hit["path"]}


@pytest.fixture(params=["store", "checked-out"])
def go(request, knowwhy, tmp_path):
    sync(knowwhy, tmp_path / request.param, GO)
    return request.param


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What imports package block?", USERS),
        ("what imports the block package?", USERS),
        ("What depends on pkg/block?", USERS),
        ("which packages use pkg/block", USERS),
        ("Which files import the folder `pkg/block`?", USERS),
        ("What imports example.org/acme/store/pkg/block?", USERS),
        ("What does package block import?", {"pkg/objects/objects.go"}),
        ("What imports package compact?", {"cmd/store/main.go"}),
        ("What imports package indexheader?", set()),
        ("what imports github.com/minio/minio-go?", {"pkg/objects/objects.go"}),
        ("What imports github.com/other/lib?", {"pkg/rules/rules.go"}),
    ],
)  # fmt: skip
def test_a_package_of_go_is_its_folder(knowwhy, go, question, expected):
    assert expected == answers(knowwhy, question, go)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which packages use com.acme.billing?", BILLED),
        ("What imports package com.acme.billing?", BILLED),
        ("What imports the package billing?", BILLED),
        ("What does package com.acme.billing import?", {"money/Amount.java"}),
        ("What imports com.acme.billing.Payment?", {"orders/Order.java"}),
        ("What imports java.util?", {"stock/Stock.java"}),
    ],
)  # fmt: skip
def test_a_package_of_java_is_its_folder(knowwhy, tmp_path, question, expected):
    sync(knowwhy, tmp_path / "app", JAVA)

    assert {f"{MAIN}/{name}" for name in expected} == answers(knowwhy, question, "app")


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What imports the package shop.cart?", {"shop/orders.py", "tools/report.py"}),
        ("What does the folder shop/cart import?", {"shop/tax.py"}),
        ("What imports shop/cart/lines.py?", {"shop/cart/__init__.py", "shop/orders.py"}),
    ],
)
def test_a_package_of_python_holds_its_modules(knowwhy, tmp_path, question, expected):
    sync(knowwhy, tmp_path / "lib", PYTHON)

    assert expected == answers(knowwhy, question, "lib")


def test_a_folder_of_scripts_is_imported_by_what_imports_its_files(knowwhy, tmp_path):
    sync(knowwhy, tmp_path / "app", SCRIPT)

    found = answers(knowwhy, "What imports the folder src/cart?", "app")

    assert {"web/src/pages/checkout.ts", "web/src/pages/home.ts"} == found


def test_a_question_about_a_package_finds_its_files_first(knowwhy, go):
    hits = asked(knowwhy, "What does package block do?")["hits"]

    assert {f"{go}/pkg/block/block.go", f"{go}/pkg/block/fetcher.go"} == {
        h["key"] for h in hits[:2]
    }


def test_the_graph_shows_a_package_with_its_edges(knowwhy, go):
    shown = knowwhy("graph", "pkg/block")
    told = json.loads(knowwhy("graph", "pkg/block", "--json").out)

    assert f"package:{go}/pkg/block" == told["node"]
    assert [f"{go}/pkg/block/block.go", f"{go}/pkg/block/fetcher.go"] == told["holds"]
    edges = {(e["from"], e["relation"], e["to"]) for e in told["edges"]}
    assert (f"{go}/pkg/compact/compact.go", "IMPORTS", told["node"]) in edges
    assert (told["node"], "IMPORTS", f"{go}/pkg/objects/objects.go") in edges
    assert "Pointed to by" in shown.out
    assert f"{go}/pkg/block/fetcher.go" in shown.out


def test_a_package_of_another_project_is_nobody_elses(knowwhy, tmp_path):
    sync(knowwhy, tmp_path / "store", {"README.md": "# Store\n\nIt stores.\n"})
    for name, text in GO.items():
        (tmp_path / "other" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "other" / name).write_text(text)
    assert 0 == knowwhy("sync", tmp_path / "other", "--project", "other").code

    mine = knowwhy("graph", "pkg/block", "--project", "store")
    none = knowwhy("graph", "pkg/nothing", "--project", "store")

    assert set() == answers(knowwhy, "What imports pkg/block?", "other", "--project", "store")
    assert none.err.replace("pkg/nothing", "pkg/block") == mine.err
    assert "pkg/block" in knowwhy("graph", "pkg/block", "--project", "other").out


def test_a_type_is_the_file_that_is_called_like_it(knowwhy, tmp_path):
    sync(
        knowwhy,
        tmp_path / "app",
        JAVA | {f"{MAIN}/desk/DeskView.java": "import com.acme.billing.api.BillingApi;\n"},
    )

    assert {f"{MAIN}/desk/DeskView.java"} == answers(
        knowwhy, "Which classes use BillingApi?", "app"
    )
