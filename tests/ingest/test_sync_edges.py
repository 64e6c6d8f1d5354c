"""What lies in and around a repository, and is not to be trusted."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from test_sync import commit, fates, git, live, shop, sync, write  # noqa: F401  # two are fixtures

from knowwhy.tables.write import table

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
TOO_LARGE = 100_000_000  # bytes
NOTES = 200  # files of 3 KB: about three batches, of which one is written
COMMAND = [sys.executable, "-c", "from knowwhy.cli import main; main()", "sync"]
OLDER = """
import pixeltable as pxt
from knowwhy.config import Settings
from knowwhy.tables.connect import connect
connect(Settings.from_environ())
pxt.drop_table("knowwhy/repositories")
"""
KILLED = """
import os, signal, sys
from pathlib import Path
from knowwhy.config import Settings
from knowwhy.ingest.load import Taking
from knowwhy.ingest.syncing.sync_plan import plan_sync
from knowwhy.ingest.syncing.sync_run import run_sync
from knowwhy.tables.connect import connect
connect(Settings.from_environ())
plan = plan_sync(Path(sys.argv[1]), Taking("wordhash", 10))
run_sync(plan, lambda done, at=(): done and os.kill(os.getpid(), signal.SIGKILL))
"""


def test_nothing_that_the_repository_configures_is_run(shop, sync, tmp_path):  # noqa: F811
    trap = tmp_path / "trap"
    program = write(tmp_path, "run.sh", f"#!/bin/sh\ntouch {trap}\ncat\n")
    program.chmod(0o755)
    hooks = shop / ".git" / "hooks"
    for hook in ("post-index-change", "fsmonitor-watchman", "post-checkout"):
        (hooks / hook).unlink(missing_ok=True)
        (hooks / hook).symlink_to(program)
    write(shop, ".git/info/attributes", "*.md filter=mine diff=mine\n*.txt filter=other\n")
    sync(shop)
    for name, value in {
        "core.fsmonitor": program,
        "filter.mine.clean": program,
        "filter.other.process": program,
        "filter.other.required": "true",
        "diff.mine.textconv": program,
        "diff.external": program,
        "core.pager": program,
    }.items():
        git(shop, "config", name, value)
    guide = shop / "docs" / "guide.md"
    os.utime(guide, (1, 1))
    write(shop, "notes.txt", "Untracked.\n")

    assert 1 == sync(shop)["added"]
    assert not trap.exists()
    subprocess.run(["git", "status"], cwd=shop, capture_output=True, check=False)
    assert trap.exists()  # the trap is one


def test_a_filter_that_cannot_be_switched_off_is_not_met(shop, sync, tmp_path):  # noqa: F811
    trap = tmp_path / "trap"
    sync(shop)
    git(shop, "config", "filter.a=b.clean", f"touch {trap}; cat")
    write(shop, ".git/info/attributes", "*.md filter=a=b\n")
    os.utime(shop / "docs" / "guide.md", (1, 1))

    assert {"looked_at": 6, "unchanged": 6} == fates(sync(shop))
    assert not trap.exists()


def test_a_hook_that_runs_us_does_not_show_us_its_own_repository(
    shop,  # noqa: F811
    sync,  # noqa: F811
    tmp_path,
    monkeypatch,
):
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "-q")
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other / ".git" / "index"))

    assert {"looked_at": 6, "added": 6} == fates(sync(shop))


def test_links_are_not_followed_out_of_the_repository(shop, sync, tmp_path):  # noqa: F811
    write(tmp_path, "private/guide.md", "# Private\n")
    sync(shop)
    (shop / "inner.md").symlink_to(shop / "docs" / "guide.md")
    (shop / "outer.md").symlink_to(tmp_path / "private" / "guide.md")
    (shop / "nowhere.md").symlink_to(tmp_path / "gone.md")
    (shop / "docs" / "guide.md").unlink()
    (shop / "docs" / "adr").rename(shop / "adr")
    (shop / "docs").rmdir()
    (shop / "docs").symlink_to(tmp_path / "private")

    done = sync(shop)

    assert ["shop/inner.md", "shop/nowhere.md", "shop/outer.md"] == sorted(done["refused"])
    assert "Private" not in str(table("records").select(table("records").content).collect())
    assert 2 == done["moved"]


def test_a_submodule_is_part_and_a_repository_that_lies_inside_is_not(
    shop,  # noqa: F811
    sync,  # noqa: F811
    tmp_path,
):
    write(tmp_path / "lib", "docs/adr/0001-lib.md", "# 1. Write a library\n")
    git(tmp_path / "lib", "init", "-q")
    commit(tmp_path / "lib")
    git(shop, "submodule", "--quiet", "add", tmp_path / "lib", "lib")
    commit(shop)
    git(tmp_path, "clone", "-q", "lib", shop / "nested")
    sync(shop / "nested")

    assert {"looked_at": 7, "added": 7} == fates(sync(shop))
    write(shop, "lib/docs/adr/0001-lib.md", "# 1. Write no library\n")
    assert {"looked_at": 1, "updated": 1, "unchanged": 6} == fates(sync(shop))
    assert {"shop/lib/docs/adr/0001-lib.md", "nested/docs/adr/0001-lib.md"} < set(live())


def test_odd_names_are_names(shop, sync):  # noqa: F811
    for name in ('a "b".md', "ä.md", "line\nbreak.md", " -x.md", "[a]*.md"):
        write(shop, f"docs/{name}", f"# {name}\n\nText.\n")
    bytes_name = os.fsencode(shop) + b"/docs/\xff.md"
    Path(os.fsdecode(bytes_name)).write_text("# Odd\n")
    commit(shop)

    done = sync(shop)

    assert 11 == done["added"]
    assert ["shop/docs/\\udcff.md"] == done["refused"]
    assert {"unchanged": 11} == fates(sync(shop))


def test_a_secret_in_a_name_reaches_no_table(shop, sync, knowwhy):  # noqa: F811
    write(shop, f"docs/{SECRET}.md", "# Token\n\nText.\n")

    assert {"looked_at": 7, "added": 7} == fates(sync(shop))
    assert {"looked_at": 7, "unchanged": 7} == fates(sync(shop))
    everything = [list(table(name).collect()) for name in ("records", "repositories")]
    assert SECRET not in str(everything)
    assert SECRET not in knowwhy("sync", shop, "--json").out


def test_a_file_that_is_too_large_is_named_and_the_rest_goes_in(shop, sync):  # noqa: F811
    os.truncate(write(shop, "docs/huge.md", "# Huge\n"), TOO_LARGE)

    done = sync(shop)

    assert ["shop/docs/huge.md"] == done["refused"]
    assert 6 == done["added"]


@pytest.mark.parametrize(
    ("said", "place"), [("is not a folder.", "README.md"), ("is not a folder.", "none")]
)
def test_what_is_no_folder_is_refused(shop, knowwhy, said, place):  # noqa: F811
    done = knowwhy("sync", shop / place)

    assert 1 == done.code
    assert said in done.err


def test_a_repository_that_git_does_not_open_is_refused(shop, knowwhy):  # noqa: F811
    git(shop, "config", "core.repositoryFormatVersion", "99")

    done = knowwhy("sync", shop)

    assert 1 == done.code
    assert "git does not open" in done.err


@pytest.mark.slow
def test_an_older_home_gains_the_table_and_a_killed_sync_goes_on(home_folder, tmp_path):
    for number in range(NOTES):
        words = " ".join(f"word{number * n % 997}" for n in range(300))
        write(tmp_path / "repo", f"docs/{number}.md", f"# Note {number}\n\n{words}\n")
    git(tmp_path / "repo", "init", "-q")
    commit(tmp_path / "repo")
    environ = {**os.environ, "PIXELTABLE_HOME": str(home_folder)}
    subprocess.run([sys.executable, "-c", OLDER], env=environ, check=True)
    folder = str(tmp_path / "repo")
    killed = subprocess.run([sys.executable, "-c", KILLED, folder], env=environ)
    assert -signal.SIGKILL == killed.returncode

    command = [*COMMAND, folder]
    again = subprocess.run(command, env=environ, capture_output=True, text=True)
    third = subprocess.run(command, env=environ, capture_output=True, text=True)

    counts = re.findall(r"(\d+) (?:added|unchanged)", again.stdout)
    added, unchanged = map(int, counts)
    assert 0 < added < NOTES == added + unchanged, again.stderr
    assert f"{NOTES} unchanged" in third.stdout, third.stderr
    assert f"looked at 0 of {NOTES} files, going on from" in third.stdout
