"""Hooks in real repositories: they hand on every new state, and git neither waits nor fails."""

import os
import stat
import subprocess
import sys
import time

import pytest

from knowwhy.errors import BadInput
from knowwhy.session.git import open_repository
from knowwhy.session.hooks import install, remove, standing
from knowwhy.session.own_command import own_command

AS = ("-c", "user.name=Ann Lee", "-c", "user.email=ann@example.org", "-c", "commit.gpgsign=false")
HOOKS = ["post-commit", "post-merge", "post-checkout"]
HANDED_SECONDS = 10.0  # half of what the slow command sleeps: git has not waited for it
PATIENCE_SECONDS = 60.0  # that a busy machine may take to start a process


def git(folder, *arguments, check=True):
    return subprocess.run(
        ["git", *AS, *arguments], cwd=folder, check=check, capture_output=True, text=True
    )


def commit(folder, message="Change"):
    return git(folder, "commit", "-q", "--allow-empty", "-m", message)


def script(file, text):
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    file.chmod(0o755)
    return file


def wait_for(is_there):
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not is_there() and time.monotonic() < deadline:
        time.sleep(0.02)
    return is_there()


@pytest.fixture
def shop(tmp_path):
    git(tmp_path, "init", "-q", "-b", "main", "shop")
    commit(tmp_path / "shop")
    return tmp_path / "shop"


@pytest.fixture
def command(tmp_path):
    """Gives a command that notes how it was called."""
    noting = f'#!/bin/sh\necho "$PWD|$MARK|$GIT_DIR|$*" >>"{tmp_path}/called"\n'
    return [str(script(tmp_path / "bin dir" / "it's me", noting))]


@pytest.fixture
def called(tmp_path):
    """Waits until the command was called so often, and gives how."""

    def wait(times):
        notes = tmp_path / "called"
        wait_for(lambda: notes.exists() and len(notes.read_text().splitlines()) >= times)
        return notes.read_text().splitlines() if notes.exists() else []

    return wait


def put(folder, command, **given):
    return install(open_repository(folder), command, {"MARK": "a 'b' $c"}, **given)


def test_commits_merges_and_checkouts_are_handed_on(shop, command, called):
    put(shop, command, options=["--project", "my shop"])

    commit(shop)
    first = called(1)
    git(shop, "switch", "-q", "-c", "side", "HEAD~1")
    called(2)
    git(shop, "merge", "-q", "--ff-only", "main")
    found = called(3)

    words = f"{shop}|a 'b' $c||hook run --project my shop --repo {shop} --because "
    assert [f"{words}post-commit"] == first
    assert [f"{words}{hook}" for hook in ("post-commit", "post-checkout", "post-merge")] == found


def test_git_does_not_wait_for_what_is_started(shop, tmp_path, called):
    waits = (
        f'#!/bin/sh\necho on >>"{tmp_path}/called"\nsleep 20 & echo $! >"{tmp_path}/pid"; wait\n'
    )
    put(shop, [str(script(tmp_path / "slow", waits))])
    begun = time.monotonic()
    # with pipes that stay open as long as somebody holds them
    commit(shop)
    took = time.monotonic() - begun

    assert took < HANDED_SECONDS
    assert ["on"] == called(1)
    assert wait_for((tmp_path / "pid").exists)
    os.kill(int((tmp_path / "pid").read_text()), 15)


@pytest.mark.parametrize("text", ["#!/bin/sh\nexit 7\n", "#!/nowhere/python\n", None])
def test_git_does_not_fail_with_what_is_started(shop, tmp_path, text):
    file = script(tmp_path / "bad", text or "")
    put(shop, [str(file)])
    if text is None:
        file.unlink()

    done = [commit(shop), git(shop, "switch", "-q", "-c", "side")]

    assert [(0, ""), (0, "")] == [(one.returncode, one.stderr) for one in done]


def test_a_folder_that_cannot_be_written_stops_nothing(shop, command):
    put(shop, command)
    own = shop / ".git" / "knowwhy"
    (own / "sync.log").mkdir()

    assert (0, "") == (commit(shop).returncode, commit(shop).stderr)


def test_installing_again_changes_nothing(shop, command):
    first = put(shop, command)
    before = {file: file.read_bytes() for file in (shop / ".git" / "hooks").iterdir()}
    again = put(shop, command)

    assert [(hook, "made") for hook in HOOKS] == list(first.files)
    assert [(hook, "there already") for hook in HOOKS] == list(again.files)
    assert before == {file: file.read_bytes() for file in (shop / ".git" / "hooks").iterdir()}


def test_what_was_made_is_gone_after_removing(shop, command):
    before = sorted(os.listdir(shop / ".git" / "hooks"))
    put(shop, command)
    done = remove(open_repository(shop))

    assert [(hook, "removed") for hook in HOOKS] == list(done.files)
    assert before == sorted(os.listdir(shop / ".git" / "hooks"))
    assert not (shop / ".git" / "knowwhy").exists()
    assert () == remove(open_repository(shop)).files


EXISTING = {
    "sh": '#!/bin/sh\nset -eu\necho "own $# $(basename "$0")" >>own\nexit 3\n',
    "bash": '#!/usr/bin/env bash\n[[ -n "$0" ]] && echo "own $# post-commit" >>own\nexec true',
    "python": "#!" + sys.executable + "\nopen('own', 'a').write('own 0 post-commit\\n')\n",
}


@pytest.mark.parametrize("kind", EXISTING)
def test_a_hook_that_is_there_goes_on_to_run_and_comes_back(shop, command, called, kind):
    hook = script(shop / ".git" / "hooks" / "post-commit", EXISTING[kind])
    hook.chmod(0o750)
    put(shop, command)

    commit(shop)

    assert "own 0 post-commit\n" == (shop / "own").read_text()
    assert 1 == len(called(1))
    put(shop, command)
    remove(open_repository(shop))
    assert EXISTING[kind].rstrip("\n") == hook.read_text().rstrip("\n")
    assert 0o750 == hook.stat().st_mode & 0o777
    assert not (shop / ".git" / "hooks" / "knowwhy-kept").exists()


@pytest.fixture
def strict():
    """Runs a test as commands do, which leave to others nothing that is not given to them."""
    before = os.umask(0o077)
    yield
    os.umask(before)


def modes(*paths):
    return [oct(stat.S_IMODE(path.stat().st_mode)) for path in paths]


@pytest.mark.parametrize("mode", [0o755, 0o775, 0o2775, 0o750, 0o700])
def test_hooks_run_for_whoever_may_enter_their_folder(shop, command, strict, mode):
    hooks = shop / ".git" / "hooks"
    script(hooks / "post-commit", "#!/usr/bin/env python3\n")
    hooks.chmod(mode)

    put(shop, command)

    kept = hooks / "knowwhy-kept"
    assert [oct(mode)] == modes(kept)
    assert [oct(mode & 0o777)] * 2 == modes(hooks / "post-commit", hooks / "post-merge")
    assert ["0o755"] == modes(kept / "post-commit")
    assert ["0o700", "0o700"] == modes(shop / ".git" / "knowwhy", shop / ".git" / "knowwhy/hook")


def test_a_hooks_folder_that_is_made_is_as_open_as_its_repository(shop, command, strict):
    git(shop, "config", "core.hooksPath", "tools/hooks")
    shop.chmod(0o755)

    put(shop, command)

    made = shop / "tools", shop / "tools/hooks", shop / "tools/hooks/post-commit"
    assert ["0o755"] * 3 == modes(*made)


def test_only_the_program_of_a_hook_says_whether_it_is_a_shell_script(shop, command, called):
    python = shop.parent / "my-sh" / "python3"
    python.parent.mkdir()
    python.symlink_to(sys.executable)
    script(shop / ".git/hooks/post-commit", f"#!{python}\nopen('own', 'a').write('own')\n")
    put(shop, command)

    commit(shop)

    assert "own" == (shop / "own").read_text()
    assert 1 == len(called(1))


@pytest.mark.parametrize(
    "line",
    ["/bin/sh", "/usr/bin/env sh -e", "/usr/bin/env -S bash -eu", " /bin/dash -u", "/bin/sh "],
)
def test_lines_are_put_into_a_shell_script_however_it_names_its_shell(shop, command, line):
    hook = script(shop / ".git" / "hooks" / "post-commit", f"#!{line}\necho own\n")

    assert ("post-commit", "added to") in put(shop, command).files
    assert hook.read_text().startswith(f"#!{line}\n# knowwhy: begin\n")


def test_a_hook_that_is_a_link_is_left_where_it_leads(shop, command, called):
    script(shop / "scripts" / "after.sh", "#!/bin/sh\necho linked >>own\n")
    hook = shop / ".git" / "hooks" / "post-commit"
    hook.symlink_to("../../scripts/after.sh")
    put(shop, command)

    commit(shop)

    assert "linked\n" == (shop / "own").read_text()
    assert 1 == len(called(1))
    assert "#!/bin/sh\necho linked >>own\n" == (shop / "scripts" / "after.sh").read_text()
    remove(open_repository(shop))
    assert hook.is_symlink()
    assert (shop / "scripts" / "after.sh") == hook.resolve()


def test_a_hook_that_is_switched_off_stays_off(shop, command, called):
    hook = script(shop / ".git" / "hooks" / "post-commit", "#!/bin/sh\necho off >>own\n")
    hook.chmod(0o644)
    put(shop, command)

    commit(shop)

    assert 1 == len(called(1))
    assert not (shop / "own").exists()
    remove(open_repository(shop))
    assert 0o644 == hook.stat().st_mode & 0o777


def test_hooks_go_where_the_repository_says_and_do_nothing_for_others(
    shop, tmp_path, command, called
):
    git(shop, "config", "core.hooksPath", ".githooks")
    done = put(shop, command)
    git(shop, "add", "-A")
    commit(shop)
    called(1)
    git(tmp_path, "clone", "-q", "shop", "theirs")
    git(tmp_path / "theirs", "config", "core.hooksPath", ".githooks")

    theirs = commit(tmp_path / "theirs")

    assert shop / ".githooks" == done.folder
    assert "is in the work tree: commit the hooks or ignore them" in done.notes[0]
    assert (0, "") == (theirs.returncode, theirs.stderr)
    assert 1 == len(called(1))


def test_a_folder_that_repositories_share_serves_those_that_asked(shop, tmp_path, command, called):
    git(tmp_path, "init", "-q", "-b", "main", "other")
    for folder in (shop, tmp_path / "other"):
        git(folder, "config", "core.hooksPath", str(tmp_path / "shared"))
    done = put(shop, command)
    commit(tmp_path / "other")
    commit(shop)

    assert tmp_path / "shared" == done.folder
    assert "other repositories share" in done.notes[0]
    assert [str(shop)] == [line.partition("|")[0] for line in called(1)]
    assert "stay for other repositories" in remove(open_repository(shop)).notes[0]
    commit(shop)
    assert 1 == len(called(1))


def test_hooks_that_are_switched_off_are_said_in_a_sentence(shop, command):
    git(shop, "config", "core.hooksPath", "/dev/null")

    with pytest.raises(BadInput, match="Hooks are switched off here"):
        put(shop, command)


def test_a_bare_repository_is_refused_in_a_sentence(shop, tmp_path, command):
    git(tmp_path, "clone", "-q", "--bare", "shop", "shop.git")

    with pytest.raises(BadInput, match="no work tree that could be followed"):
        put(tmp_path / "shop.git", command)


def test_each_work_tree_is_followed_when_it_asks(shop, tmp_path, command, called):
    git(shop, "worktree", "add", "-q", "-b", "side", "../side")
    side = tmp_path / "side"
    put(shop, command)
    commit(side)
    put(side, command)
    commit(side)
    assert [str(side)] == [line.partition("|")[0] for line in called(1)]

    note = remove(open_repository(shop)).notes[0]
    commit(shop)
    commit(side)

    assert "stay for 1 other work tree(s)" in note
    assert [str(side)] * 2 == [line.partition("|")[0] for line in called(2)]
    assert HOOKS == [hook for hook, _ in remove(open_repository(side)).files]


def test_a_repository_that_was_moved_is_followed_where_it_is(shop, tmp_path, command, called):
    put(shop, command)
    moved = shop.rename(tmp_path / "moved")
    commit(moved)

    assert [str(moved)] == [line.partition("|")[0] for line in called(1)]
    assert standing(open_repository(moved)).is_runnable


def test_husky_s_own_hooks_are_the_ones_that_are_added_to(shop, command, called):
    script(shop / ".husky" / "_" / "h", '#!/bin/sh\nsh -e ".husky/$(basename "$0")" "$@"\n')
    script(shop / ".husky" / "_" / "post-commit", '#!/bin/sh\n. "$(dirname "$0")/h"\n')
    (shop / ".husky" / "post-commit").write_text("echo husky >>own\n")
    git(shop, "config", "core.hooksPath", ".husky/_")

    put(shop, command)
    commit(shop)

    assert "husky\n" == (shop / "own").read_text()
    assert 1 == len(called(1))
    assert "knowwhy" not in (shop / ".husky" / "_" / "post-commit").read_text()


def test_a_variable_with_a_secret_is_not_written_down_but_waited_for(shop, command, called):
    done = put(shop, command, needed=["DB_SECRET"])
    commit(shop)
    os.environ["DB_SECRET"] = "s3cret"
    try:
        commit(shop)
    finally:
        del os.environ["DB_SECRET"]

    assert 1 == len(called(1))
    assert "s3cret" not in (shop / ".git" / "knowwhy" / "hook").read_text()
    assert "DB_SECRET may hold a password" in done.notes[-1]


def test_the_standing_tells_what_is_missing(shop, command):
    before = standing(open_repository(shop))
    put(shop, command)
    good = standing(open_repository(shop))
    (shop / ".git" / "hooks" / "post-merge").unlink()
    os.unlink(command[0])
    bad = standing(open_repository(shop))

    assert (False, tuple(HOOKS)) == (before.is_installed, before.missing)
    assert (True, True, ()) == (good.is_installed, good.is_runnable, good.missing)
    assert (True, False, ("post-merge",)) == (bad.is_installed, bad.is_runnable, bad.missing)


def test_the_command_is_this_installation_whatever_the_folder_holds(tmp_path):
    (tmp_path / "knowwhy.py").write_text("raise SystemExit('taken over')")
    (tmp_path / "json.py").write_text("raise SystemExit('taken over')")

    for command in (own_command(), [sys.executable, "-P", "-m", "knowwhy"]):
        done = subprocess.run(
            [*command, "--version"], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert (0, "knowwhy") == (done.returncode, done.stdout.split(",")[0])
