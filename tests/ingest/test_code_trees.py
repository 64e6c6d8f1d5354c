"""What git tells of source files, and what it cannot tell."""

import os

from test_code import CHARGE, commit, fill, git, ingest, live, refused, shop  # noqa: F401

from knowwhy.tables import queries


def test_a_file_that_no_commit_has_or_that_git_does_not_look_at_has_no_commit(store, shop):  # noqa: F811
    fill(shop, {".gitignore": "mine.py\n", "mine.py": "x = 1\n", "src/kept.py": "x = 1\n"})
    commit(shop, ".gitignore", "src")
    os.utime(shop / "mine.py", (1_600_000_000, 1_600_000_000))
    for flag, name in (("--assume-unchanged", "src/pay/card.py"), ("--skip-worktree", "web/a.ts")):
        git(shop, "update-index", flag, name)

    ingest(shop, shop / "mine.py")
    assert {
        "shop/mine.py": False, "shop/src/kept.py": True, "shop/src/pay/card.py": False,
        "shop/web/a.ts": False,
    } == {path: draft.commit is not None for path, draft in live().items()}  # fmt: skip


def test_a_work_tree_whose_index_is_broken_is_refused_and_keeps_its_records(store, shop):  # noqa: F811
    ingest(shop)
    (shop / ".git" / "index").write_bytes(b"no index" * 3)

    done = ingest(shop)
    assert refused(done)[str(shop)].startswith(f"git does not list {shop}: ")
    assert {"refused"} == done.keys()
    assert 2 == len(live())


def test_a_submodule_whose_index_is_broken_is_refused_and_keeps_its_records(store, shop, tmp_path):  # noqa: F811
    fill(tmp_path / "lib", {"tax.py": "def rate():\n    return 7\n"})
    git(tmp_path, "init", "-q", "lib")
    commit(tmp_path / "lib", ".")
    git(shop, "submodule", "add", "-q", str(tmp_path / "lib"), "lib")
    commit(shop, ".")
    ingest(shop)
    (shop / ".git" / "modules" / "lib" / "index").write_bytes(b"no index" * 3)

    done = ingest(shop)
    assert {"shop/lib"} == refused(done).keys()
    assert {"refused", "unchanged"} == done.keys()
    assert "shop/lib/tax.py" in live()


def test_what_is_tracked_in_a_folder_for_built_things_is_source(store, shop, tmp_path):  # noqa: F811
    names = ("build/rules.py", "dist/a.py", "src/target/b.py", "out/c.py", "vendor/d.py")
    fill(shop, dict.fromkeys(names, "x = 1\n"))
    commit(shop, ".")
    fill(shop, {"build/made.py": "x = 1\n"})
    fill(tmp_path / "plain", {"build/rules.py": "x = 1\n", "a.py": "x = 1\n"})

    assert {"added": 6, "left_out": 2} == ingest(shop)
    assert {f"shop/{name}" for name in names[:4]} < live().keys()
    assert {"added": 1, "left_out": 1} == ingest(tmp_path / "plain")


def test_another_file_of_one_name_is_another_record_unless_it_says_the_same(store, shop, tmp_path):  # noqa: F811
    ingest(shop)
    other = tmp_path / "other" / "shop"
    fill(other, {"src/pay/card.py": "def refund(card):\n    return card.give()\n"})
    git(other, "init", "-q", "-b", "main")
    commit(other, ".")
    (shop / "web" / "a.ts").rename(other / "a.ts")
    (shop / "src" / "pay" / "card.py").unlink()

    assert {"added": 1, "moved": 1} == ingest(other)
    contents = {record.draft.id: record.draft.content for record in queries.records()}
    assert CHARGE == contents["shop/src/pay/card.py"]
    assert 3 == len(contents)
