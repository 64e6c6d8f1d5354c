"""A repository comes in with one command, and the same command follows it."""

import json
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from knowwhy.errors import BadInput
from knowwhy.ingest.load import Taking
from knowwhy.ingest.syncing.sync_plan import plan_sync
from knowwhy.ingest.syncing.sync_run import run_sync
from knowwhy.session.logbook import is_after, read_log
from knowwhy.tables import queries
from knowwhy.tables.write import table

FILES = {
    "README.md": "# Shop\n\nSells things.\n",
    "docs/adr/0001-use-redis.md": "# 1. Use Redis\n\n## Status\n\nAccepted\n",
    "docs/adr/0002-use-kafka.md": "# 2. Use Kafka\n\n## Status\n\nAccepted\n",
    "docs/guide.md": "# Guide\n\nHow to start the shop.\n",
    "postmortems/2024-05-checkout.md": "# Checkout was down\n\nSeverity: SEV-2\n",
    "meetings/2024-05-02-weekly.md": "# Weekly\n\nDate: 2024-05-02\n\nAttendees: Ann\n",
    "LICENSE.md": "Do what you like.\n",
    "logo.png": "PNG",
}
TOLD = {
    "shop/README.md": "document",
    "shop/docs/adr/0001-use-redis.md": "adr",
    "shop/docs/adr/0002-use-kafka.md": "adr",
    "shop/docs/guide.md": "document",
    "shop/meetings/2024-05-02-weekly.md": "meeting",
    "shop/postmortems/2024-05-checkout.md": "incident",
}
Sync = Callable[..., dict[str, Any]]


def git(folder: Path, *arguments: object) -> str:
    who = ("-c", "user.name=Ann", "-c", "user.email=ann@shop.example")
    allowed = ("-c", "protocol.file.allow=always", "-c", "init.defaultBranch=main")
    command = ["git", *who, *allowed, *map(str, arguments)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert 0 == done.returncode or "rebase" in arguments, done.stderr
    return done.stdout.strip()


def write(folder: Path, name: str, text: str) -> Path:
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


def commit(folder: Path) -> str:
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "Work")
    return git(folder, "rev-parse", "HEAD")


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        write(tmp_path / "shop", name, text)
    git(tmp_path / "shop", "init", "-q")
    commit(tmp_path / "shop")
    return tmp_path / "shop"


@pytest.fixture
def sync(knowwhy: Callable[..., Any]) -> Sync:
    """Syncs a folder; gives what was done, and each fate with its count over all kinds."""

    def call(folder: Path, *options: str) -> dict[str, Any]:
        ran = knowwhy("sync", folder, "--json", *options)
        done = json.loads(ran.out)
        refused = done["refused"] + [r for k in done["kinds"].values() for r in k["refused"]]
        assert (1 if refused else 0) == ran.code
        for fate in ("added", "updated", "moved", "unchanged", "retired"):
            done[fate] = sum(kind[fate] for kind in done["kinds"].values())
        return done | {"refused": [refusal["where"] for refusal in refused]}

    return call


def live() -> dict[str, str]:
    return {record.draft.id: record.draft.kind for record in queries.records()}


def fates(done: dict[str, Any]) -> dict[str, int]:
    names = ("looked_at", "added", "updated", "moved", "unchanged", "retired")
    return {name: done[name] for name in names if done[name]}


def test_every_kind_is_found_once_and_the_second_time_nothing_is_looked_at(shop, sync):
    first = sync(shop)
    assert {"looked_at": 6, "added": 6} == fates(first)
    assert first["since"] is None
    assert TOLD == live()

    again = sync(shop)
    assert {"unchanged": 6} == fates(again)
    assert git(shop, "rev-parse", "HEAD") == again["since"] == again["commit"]


def test_only_what_changed_since_the_commit_is_looked_at(shop, sync):
    sync(shop)
    write(shop, "docs/guide.md", "# Guide\n\nAnother way to start it.\n")
    write(shop, "docs/adr/0003-use-go.md", "# 3. Use Go\n\n## Status\n\nProposed\n")
    git(shop, "mv", "docs/adr/0001-use-redis.md", "docs/adr/0001-use-valkey.md")
    git(shop, "rm", "-q", "postmortems/2024-05-checkout.md")
    commit(shop)

    done = sync(shop)

    wanted = {"looked_at": 3, "added": 1, "updated": 1, "moved": 1, "unchanged": 3, "retired": 1}
    assert wanted == fates(done)
    assert queries.record("shop/docs/adr/0001-use-redis.md").draft.path.endswith("use-valkey.md")
    assert "shop/postmortems/2024-05-checkout.md" not in live()


def test_what_was_never_committed_counts_and_so_does_its_end(shop, sync):
    sync(shop)
    guide = write(shop, "docs/guide.md", "# Guide\n\nTried by hand.\n")
    write(shop, "docs/new.md", "# New\n\nNobody has committed this.\n")
    assert {"looked_at": 2, "added": 1, "updated": 1, "unchanged": 5} == fates(sync(shop))
    assert {"looked_at": 2, "unchanged": 7} == fates(sync(shop))

    git(shop, "checkout", "-q", "docs/guide.md")
    assert {"looked_at": 2, "updated": 1, "unchanged": 6} == fates(sync(shop))
    assert guide.read_text() == queries.record("shop/docs/guide.md").draft.content


def test_what_is_ignored_or_excluded_is_retired_and_comes_back(shop, sync):
    sync(shop)
    git(shop, "rm", "-q", "--cached", "docs/guide.md")
    ignoring = write(shop, ".gitignore", "docs/guide.md\n")
    commit(shop)
    assert {"unchanged": 5, "retired": 1} == fates(sync(shop))
    assert {"unchanged": 5} == fates(sync(shop))

    ignoring.unlink()
    assert {"looked_at": 1, "updated": 1, "unchanged": 5} == fates(sync(shop))

    write(shop, "knowwhy.toml", 'exclude = ["meetings"]\n')
    assert {"looked_at": 5, "unchanged": 5, "retired": 1} == fates(sync(shop))


def test_the_settings_of_a_repository_are_followed_and_watched(shop, sync):
    sync(shop)
    text = 'service = "orders"\nproject = "p"\n[sources]\nadr = ["docs/guide.md"]\n'
    write(shop, "knowwhy.toml", text)

    assert {"looked_at": 6, "added": 6} == fates(sync(shop))
    draft = queries.record("p::orders/shop/docs/guide.md").draft
    assert ("adr", "orders", "p") == (draft.kind, draft.service, draft.project)

    write(shop, "knowwhy.toml", text.replace("adr =", "document ="))
    assert {"looked_at": 6, "updated": 1, "unchanged": 5} == fates(sync(shop))
    assert "document" == queries.record("p::orders/shop/docs/guide.md").draft.kind


def test_what_somebody_took_as_a_decision_stays_one(shop, sync, knowwhy):
    knowwhy("ingest", "adr", shop / "docs" / "guide.md")

    assert {"looked_at": 6, "added": 5, "unchanged": 1} == fates(sync(shop))
    assert "adr" == live()["docs/guide.md"]


def test_settings_that_are_not_understood_stop_the_sync(shop, knowwhy):
    write(shop, "knowwhy.toml", "exlude = []\n")

    done = knowwhy("sync", shop)

    assert 1 == done.code
    assert "the key 'exlude' is not known; service, project, exclude and sources are." in done.err
    assert {} == live()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("knowwhy.toml", f'exclude = ["{"a" * 501}"]\n'),
        ("knowwhy.toml", f"[sources]\nadr = {['a'] * 2_001}\n"),
        ("knowwhy.toml", f"exclude = {['*a' * 200] * 51}\n"),
        (".adr-dir", "a" * 501),
    ],
)
def test_a_pattern_that_takes_too_long_to_match_is_refused(shop, knowwhy, name, text):
    write(shop, name, text)

    done = knowwhy("sync", shop)

    assert 1 == done.code
    assert f"{name} has " in done.err
    assert "would take too long to match" in done.err
    assert {} == live()


@pytest.mark.parametrize("pattern", ["*a*a*b/*a*a*b", "**/a/" * 12 + "b"])
def test_a_pattern_that_can_share_out_a_path_in_many_ways_is_matched(shop, knowwhy, pattern):
    ways = ("a" * 249 + "b/" + "a" * 240, "a/" * 80 + "a")
    write(shop, "knowwhy.toml", f'exclude = ["{pattern}", "docs/guide.md"]\n')
    for way in ways:
        write(shop, f"docs/{way}.md", "# Way\n")
        write(shop, f"{way}.md", "# Way\n")

    done = knowwhy("sync", shop)

    assert 0 == done.code
    paths = {record.draft.path for record in queries.records()}
    assert {f"shop/{around}{way}.md" for way in ways for around in ("", "docs/")} <= paths
    assert "docs/guide.md" not in str([*live()])


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (f"a = {'[' * 20_000}", "deeper than can be read"),
        (f"{'a.' * 2_000}a = 1", "has more than 40 parts"),
    ],
)
def test_settings_that_are_made_to_be_costly_are_refused(shop, knowwhy, text, why):
    write(shop, "knowwhy.toml", text)

    done = knowwhy("sync", shop)

    assert (1, True) == (done.code, why in done.err)


def test_a_file_that_was_refused_is_tried_again_until_it_is_right(shop, sync):
    guide = shop / "docs" / "guide.md"
    sync(shop)
    guide.write_bytes(b"# Guide\n\n\xff\xfe\xfa\n")
    commit(shop)

    assert ["shop/docs/guide.md"] == sync(shop)["refused"]
    assert ["shop/docs/guide.md"] == sync(shop)["refused"]
    guide.write_text("# Guide\n\nRight again.\n")
    commit(shop)
    assert {"looked_at": 1, "updated": 1, "unchanged": 5} == fates(sync(shop))


def test_all_looks_at_everything(shop, sync):
    sync(shop)

    assert {"looked_at": 6, "unchanged": 6} == fates(sync(shop, "--all"))


def test_records_that_another_command_wrote_are_looked_at(shop, sync, knowwhy):
    old = git(shop, "rev-parse", "HEAD")
    write(shop, "docs/guide.md", "# Guide\n\nOf a later commit.\n")
    commit(shop)
    git(shop, "checkout", "-q", old)
    sync(shop)
    git(shop, "checkout", "-q", "-")
    knowwhy("ingest", "document", shop / "docs" / "guide.md")
    git(shop, "checkout", "-q", old)

    assert {"looked_at": 1, "updated": 1, "unchanged": 5} == fates(sync(shop))
    assert FILES["docs/guide.md"] == queries.record("shop/docs/guide.md").draft.content


def test_a_sync_that_is_stopped_goes_on_and_forgets_nothing(shop, sync):
    class Stop(BaseException):
        pass

    def stop(done: int, names: Sequence[str] = ()) -> None:
        raise Stop

    old = git(shop, "rev-parse", "HEAD")
    sync(shop)
    write(shop, "docs/guide.md", "# Guide\n\nOf a later commit.\n")
    write(shop, "docs/adr/0001-use-redis.md", "# 1. Use Redis\n\n## Status\n\nRejected\n")
    commit(shop)
    with pytest.raises(Stop):
        run_sync(plan_sync(shop, Taking("wordhash", 10)), stop)

    assert old == queries.repository(str(shop)).commit
    git(shop, "checkout", "-q", old)
    sync(shop)
    contents = {record.draft.path: record.draft.content for record in queries.records()}
    assert {f"shop/{n}": t for n, t in FILES.items() if f"shop/{n}" in TOLD} == contents


def test_progress_counts_every_file_that_is_looked_at(shop, store):
    steps: list[int] = []
    plan = plan_sync(shop, Taking("wordhash", 10))

    run_sync(plan, lambda done, names=(): steps.append(done))

    assert 6 == len(plan.look) == sum(steps)


def test_the_middle_of_a_rebase_is_a_state_like_any_other(shop, sync):
    git(shop, "checkout", "-q", "-b", "other")
    write(shop, "docs/guide.md", "# Guide\n\nTheirs.\n")
    commit(shop)
    git(shop, "checkout", "-q", "-")
    write(shop, "docs/guide.md", "# Guide\n\nOurs.\n")
    commit(shop)
    sync(shop)
    git(shop, "rebase", "other")
    assert (shop / ".git" / "rebase-merge").exists()

    assert {"looked_at": 1, "updated": 1, "unchanged": 5} == fates(sync(shop))
    assert "<<<<<<<" in queries.record("shop/docs/guide.md").draft.content
    git(shop, "rebase", "--abort")
    assert {"looked_at": 1, "updated": 1, "unchanged": 5} == fates(sync(shop))
    assert "Ours." in queries.record("shop/docs/guide.md").draft.content


def test_a_commit_that_is_gone_only_costs_time(shop, sync, tmp_path):
    write(shop, "docs/guide.md", "# Guide\n\nTo be forgotten.\n")
    git(shop, "commit", "-q", "-a", "--amend", "-m", "Other")
    sync(shop)
    write(shop, "docs/guide.md", "# Guide\n\nTo be kept.\n")
    git(shop, "commit", "-q", "-a", "--amend", "-m", "Kept")
    git(shop, "reflog", "expire", "--expire=now", "--all")
    git(shop, "gc", "-q", "--prune=now")

    done = sync(shop)

    assert {"looked_at": 6, "updated": 1, "unchanged": 5} == fates(done)
    assert done["since"] is None


@pytest.mark.parametrize(
    "copy", [("clone", "-q", "--depth=1"), ("worktree", "add", "-q", "--detach")]
)
def test_a_shallow_clone_and_a_second_work_tree_are_repositories(shop, sync, tmp_path, copy):
    place = tmp_path / "copy" / "shop"
    source = [shop.as_uri()] if copy[0] == "clone" else []
    git(shop, *copy, *source, place)

    assert {"looked_at": 6, "added": 6} == fates(sync(place))
    assert {"unchanged": 6} == fates(sync(place))


def test_a_repository_without_a_commit_is_looked_at_whole(shop, sync):
    git(shop, "update-ref", "-d", "HEAD")

    assert {"looked_at": 6, "added": 6} == fates(sync(shop))
    assert {"looked_at": 6, "unchanged": 6} == fates(sync(shop))


def test_a_folder_without_git_is_followed_too(sync, tmp_path):
    for name, text in FILES.items():
        write(tmp_path / "shop", name, text)

    assert {"looked_at": 6, "added": 6} == fates(sync(tmp_path / "shop"))
    (tmp_path / "shop" / "README.md").unlink()
    assert {"looked_at": 5, "unchanged": 5, "retired": 1} == fates(sync(tmp_path / "shop"))


def test_a_part_of_a_work_tree_is_synced_by_itself(shop, sync):
    assert {"looked_at": 2, "added": 2} == fates(sync(shop / "docs" / "adr"))
    assert {"adr"} == set(live().values())
    write(shop, "README.md", "# Changed\n")
    commit(shop)
    assert {"unchanged": 2} == fates(sync(shop / "docs" / "adr"))


def test_a_repository_whose_index_is_broken_is_refused_and_keeps_its_records(shop, sync, knowwhy):
    sync(shop)
    (shop / ".git" / "index").write_bytes(b"no index" * 3)

    done = knowwhy("sync", shop)
    assert 1 == done.code
    assert done.err.startswith(f"knowwhy: git does not list {shop}: ")
    assert 1 == done.err.count("\n")
    assert TOLD == live()


def test_a_submodule_whose_index_is_broken_is_refused_and_keeps_its_records(shop, sync, tmp_path):
    write(tmp_path / "lib", "docs/adr/0001-lib.md", "# 1. Write a library\n")
    git(tmp_path / "lib", "init", "-q")
    commit(tmp_path / "lib")
    git(shop, "submodule", "--quiet", "add", tmp_path / "lib", "lib")
    commit(shop)
    sync(shop)
    (shop / ".git" / "modules" / "lib" / "index").write_bytes(b"no index" * 3)

    for options in ((), ("--all",)):
        done = sync(shop, *options)
        assert (["shop/lib"], 0) == (done["refused"], done["retired"])
    assert "shop/lib/docs/adr/0001-lib.md" in live()


@pytest.mark.parametrize("flag", ["--assume-unchanged", "--skip-worktree"])
def test_what_git_was_told_not_to_look_at_counts_as_changed_by_hand(shop, sync, flag):
    sync(shop)
    git(shop, "update-index", flag, "docs/guide.md")
    write(shop, "docs/guide.md", "# Guide\n\nMy own way.\n")

    assert {"looked_at": 1, "updated": 1, "unchanged": 5} == fates(sync(shop))
    assert queries.record("shop/docs/guide.md").draft.commit is None


def test_what_is_tracked_in_a_folder_for_built_things_comes_in(shop, sync, knowwhy):
    write(shop, "build/rules.py", "X = 1\n")
    write(shop, "build/README.md", "# How it is built\n")
    commit(shop)
    write(shop, "build/made.py", "X = 1\n")
    write(shop, "node_modules/a/a.js", "let x\n")

    done = sync(shop)
    assert (8, 2) == (done["added"], done["left_out"])
    assert {"shop/build/rules.py": "code", "shop/build/README.md": "document", **TOLD} == live()
    assert "not read: 2 vendored, " in knowwhy("sync", shop).out


def test_code_comes_in_with_the_commit_that_it_was_read_at(shop, sync):
    write(shop, "src/shop/cart.py", "def add(item):\n    return [item]\n")
    write(shop, "src/shop/made.py", "# Code generated by a tool. DO NOT EDIT.\nX = 1\n")
    write(shop, "vendor/lib/README.md", "# Theirs\n")
    write(shop, "vendor/lib/lib.py", "X = 1\n")
    head = commit(shop)

    done = sync(shop)
    assert {"looked_at": 8, "added": 7} == fates(done)
    assert (1, 2) == (done["kinds"]["code"]["left_out"], done["left_out"])
    draft = queries.record("shop/src/shop/cart.py").draft
    assert ("code", head) == (draft.kind, draft.commit)
    assert head == queries.record("shop/README.md").draft.commit

    write(shop, "src/shop/cart.py", "# Code generated by a tool. DO NOT EDIT.\nX = 2\n")
    assert {"looked_at": 2, "unchanged": 6, "retired": 1} == fates(sync(shop))
    assert "shop/src/shop/cart.py" not in live()


@pytest.mark.parametrize("noted", ["--output={}", "-O{}", "HEAD", "main", "deadbeef", "0" * 39])
def test_a_noted_commit_that_is_no_id_reaches_no_git(shop, sync, tmp_path, noted):
    sync(shop)
    precious = write(tmp_path, "precious.txt", "keep me\n")
    table("repositories").update({"commit": noted.format(precious)})
    write(shop, "docs/guide.md", "# Guide\n\nAnother way to start it.\n")
    commit(shop)

    done = sync(shop)

    assert "keep me\n" == precious.read_text()
    assert done["since"] is None
    assert {"looked_at": 6, "updated": 1, "unchanged": 5} == fates(done)


def test_git_is_asked_about_commits_by_whole_ids_only(shop):
    for named in ("--output=x", "HEAD~1", "main", "a..b", "", "--"):
        with pytest.raises(BadInput, match="is no id of a commit"):
            read_log(shop, 5, named)
        with pytest.raises(BadInput, match="is no id of a commit"):
            is_after(shop, named, "0" * 40)
    whole = git(shop, "rev-parse", "HEAD")
    assert [whole] == [found.id for found in read_log(shop, 5, whole).commits]
    assert [] == read_log(shop, 5, f"{whole}..{whole}").commits
    assert is_after(shop, whole, whole)
