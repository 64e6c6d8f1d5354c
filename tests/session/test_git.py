"""Real repositories, asked about while they move."""

import os
import subprocess
import threading
from pathlib import Path

import pytest

from knowwhy.errors import BadInput, NotFound
from knowwhy.session.git import RECENT, open_repository

IDENTITY = (
    "-c", "user.name=Ann Lee", "-c", "user.email=ann@example.org", "-c", "commit.gpgsign=false",
)  # fmt: skip


def git(folder: Path, *arguments: str, check: bool = True) -> str:
    done = subprocess.run(
        ["git", "-c", "protocol.file.allow=always", *IDENTITY, *arguments],
        cwd=folder, capture_output=True, text=True, check=check,
    )  # fmt: skip
    return done.stdout.strip()


def commit(folder: Path, message: str, **files: str) -> str:
    for name, text in files.items():
        place = folder / name.replace("__", "/").replace("_md", ".md").replace("_py", ".py")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "--allow-empty", "-m", message)
    return git(folder, "rev-parse", "HEAD")


@pytest.fixture
def shop(tmp_path):
    git(tmp_path, "init", "-q", "-b", "main", "shop")
    return tmp_path / "shop"


def test_a_folder_without_a_repository_is_refused_in_a_sentence(tmp_path):
    with pytest.raises(NotFound, match="no git repository at"):
        open_repository(tmp_path)
    with pytest.raises(NotFound, match="is not a folder"):
        open_repository(tmp_path / "nowhere")


def test_a_broken_repository_says_what_git_says(shop):
    (shop / ".git" / "config").write_text("[core\n")

    with pytest.raises(BadInput, match="git does not open"):
        open_repository(shop)


def test_an_empty_repository_has_a_branch_and_no_commits(shop):
    repository = open_repository(shop)

    assert "On branch main, which has no commit yet." == str(repository.branch())
    assert [] == repository.recent_commits(5)
    assert [] == repository.search_commits("anything")
    assert [] == repository.file_history("a.py")
    assert "" == repository.diff().text


def test_a_detached_head_is_said(shop):
    first = commit(shop, "first", a_py="1\n")
    git(shop, "checkout", "-q", "--detach")

    branch = open_repository(shop).branch()

    assert branch.name is None
    assert f"On no branch: HEAD is detached at {first[:12]}." == str(branch)


def test_a_bare_repository_has_commits_and_no_changes(shop, tmp_path):
    commit(shop, "Use Kafka", a_py="1\n")
    git(tmp_path, "clone", "-q", "--bare", "shop", "bare.git")
    repository = open_repository(tmp_path / "bare.git")

    assert repository.branch().is_bare
    assert ["Use Kafka"] == [c.subject for c in repository.recent_commits(5)]
    with pytest.raises(BadInput, match="bare repository"):
        repository.status()


def test_a_subfolder_and_a_file_open_their_repository(shop):
    commit(shop, "first", src__a_py="1\n")

    assert shop == open_repository(shop / "src").place.top
    assert shop == open_repository(shop / "src" / "a.py").place.top


def test_what_changes_is_seen_at_once(shop):
    commit(shop, "first", a_py="one\n", b_py="one\n")
    repository = open_repository(shop)
    assert "Nothing is changed." in str(repository.status())

    (shop / "a.py").write_text("two\n")
    assert [("a.py", None, "modified")] == told(repository)
    git(shop, "add", "a.py")
    assert [("a.py", "modified", None)] == told(repository)
    (shop / "new").mkdir()
    (shop / "new" / "c.py").write_text("x\n")
    assert [("a.py", "modified", None), ("new/", None, "untracked")] == told(repository)
    git(shop, "mv", "b.py", "c.py")
    assert ("c.py", "renamed", None) in told(repository)
    git(shop, "reset", "-q", "--hard")
    assert [("new/", None, "untracked")] == told(repository)


def told(repository):
    return [(file.path, file.staged, file.unstaged) for file in repository.changed_files()]


def test_changes_in_quick_succession_are_never_missed(shop):
    commit(shop, "first", a_py="0\n")
    repository = open_repository(shop)

    for number in range(1, 60):
        (shop / "a.py").write_text(f"{number % 10}\n")
        shown = repository.diff().text

        assert (f"+{number % 10}" in shown) == (number % 10 != 0)


def test_staged_and_unstaged_differences_are_apart(shop):
    commit(shop, "first", a_py="one\n", b_py="one\n")
    repository = open_repository(shop)
    (shop / "a.py").write_text("staged\n")
    git(shop, "add", "a.py")
    (shop / "b.py").write_text("unstaged\n")

    assert "+staged" in repository.diff(staged=True).text
    assert "unstaged" not in repository.diff(staged=True).text
    assert "+unstaged" in repository.diff().text
    assert "" == repository.diff(path="a.py").text


def test_a_new_commit_is_found_without_opening_again(shop):
    commit(shop, "Retry the payment", a_py="1\n")
    repository = open_repository(shop)
    repository.warm()
    commit(shop, "Give up after three attempts", a_py="2\n")

    assert "Give up after three attempts" == repository.recent_commits(1)[0].subject
    assert "Give up after three attempts" == repository.search_commits("attempts")[0].commit.subject
    git(shop, "commit", "-q", "--amend", "-m", "Give up after five tries")
    assert [] == repository.search_commits("attempts")
    git(shop, "checkout", "-q", "-b", "other", "HEAD~1")
    assert [] == repository.search_commits("five")
    assert "other" == repository.branch().name


def test_commits_are_found_by_message_author_path_and_id(shop):
    commit(shop, "Add the ledger\n\nIt books twice.", ledger__book_py="1\n")
    git(shop, "-c", "user.name=Bo Chen", "commit", "-q", "--allow-empty", "-m", "Tidy")
    last = commit(shop, "Raise the timeout of the gateway", gateway_py="1\n")
    repository = open_repository(shop)

    assert ["Add the ledger"] == subjects(repository.search_commits("books twice"))
    assert ["Tidy"] == subjects(repository.search_commits("chen"))
    assert "Add the ledger" == subjects(repository.search_commits("book.py"))[0]
    assert ["Raise the timeout of the gateway"] == subjects(repository.search_commits(last[:7]))
    assert ("message", "path") == repository.search_commits("book.py")[0].matched
    assert ("message",) == repository.search_commits("timeout")[0].matched
    assert ["Add the ledger"] == subjects(repository.search_commits("", path="ledger"))
    assert ["Tidy"] == subjects(repository.search_commits("", author="bo ch"))
    assert [] == repository.search_commits("unheard of zebra")


def subjects(found):
    return [one.commit.subject for one in found]


def test_a_word_of_the_subject_counts_more_than_one_of_the_body(shop):
    commit(shop, "Something else\n\nAbout the cache.", a_py="1\n")
    commit(shop, "Empty the cache", b_py="1\n")
    commit(shop, "Another thing\n\nNot about the cache.", c_py="1\n")

    assert "Empty the cache" == subjects(open_repository(shop).search_commits("cache"))[0]


def test_what_may_be_an_id_is_searched_as_a_word_too(shop):
    commit(shop, "first", a_py="1\n")
    start = open_repository(shop).recent_commits(1)[0].short
    commit(shop, f"Undo {start}", a_py="2\n")
    commit(shop, "Give up after 4711 attempts", b_py="1\n")
    repository = open_repository(shop)

    assert ["first", f"Undo {start}"] == subjects(repository.search_commits(start))
    assert ["first"] == subjects(repository.search_commits(start, 1))
    assert "Give up after 4711 attempts" in subjects(repository.search_commits("4711"))


def test_the_history_of_a_file_follows_its_renames(shop):
    commit(shop, "first", a_py="one\ntwo\nthree\nfour\n")
    commit(shop, "other", b_py="1\n")
    git(shop, "mv", "a.py", "z.py")
    commit(shop, "moved")
    repository = open_repository(shop)

    assert ["moved", "first"] == [c.subject for c in repository.file_history("z.py")]
    assert ["moved"] == [c.subject for c in repository.file_history("./z.py", 1)]
    assert [] == repository.file_history("none.py")


@pytest.mark.parametrize("path", ["../secret", "/etc/passwd", "a/../../x", "x\0y"])
def test_a_path_outside_the_repository_is_refused(shop, path):
    commit(shop, "first", a_py="1\n")
    repository = open_repository(shop)

    with pytest.raises(BadInput, match="not a path inside"):
        repository.file_history(path)
    with pytest.raises(BadInput, match="not a path inside"):
        repository.diff(path=path)


@pytest.mark.parametrize("number", [0, -1, RECENT + 1])
def test_too_many_or_too_few_commits_are_refused(shop, number):
    repository = open_repository(shop)

    for ask in (repository.recent_commits, lambda n: repository.file_history("a", n)):
        with pytest.raises(BadInput):
            ask(number)


def test_secrets_in_differences_and_messages_do_not_come_out(shop):
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    commit(shop, f"Use {token}", a_py="x\n")
    body = "MIIEpAIBAAKCAQEA7bq" * 3
    (shop / "a.py").write_text(
        f"-----BEGIN RSA PRIVATE KEY-----\n{body}\n{body}\n-----END RSA PRIVATE KEY-----\nend\n"
    )
    repository = open_repository(shop)

    assert token not in repository.recent_commits(1)[0].subject
    assert [] == repository.search_commits(token)
    assert body not in repository.diff().text
    assert "+end" in repository.diff().text


def test_nothing_that_a_repository_configures_is_run(shop):
    commit(shop, "first", a_py="1\n", _gitattributes="x\n")
    (shop / ".gitattributes").write_text("*.py filter=evil diff=evil\n")
    trap = shop.parent / "ran"
    for name in ("filter.evil.clean", "diff.evil.textconv", "diff.external", "core.fsmonitor"):
        git(shop, "config", name, f"touch {trap}; cat")
    (shop / "a.py").write_text("2\n")
    repository = open_repository(shop)

    assert "+2" in repository.diff().text
    assert "a.py" in [file.path for file in repository.changed_files()]
    assert not trap.exists()


def test_work_trees_and_clones_are_one_repository_and_have_their_own_branch(shop, tmp_path):
    commit(shop, "first", a_py="1\n")
    git(shop, "worktree", "add", "-q", "-b", "side", "../elsewhere")
    main, side = open_repository(shop), open_repository(tmp_path / "elsewhere")

    assert main.identity() == side.identity() == f"git:{shop / '.git'}"
    assert ("main", "side") == (main.branch().name, side.branch().name)
    git(shop, "remote", "add", "origin", "git@github.com:acme/shop.git")
    assert "github.com/acme/shop" == main.identity() == side.identity()


def test_the_branch_is_told_with_its_upstream_and_with_what_is_unfinished(shop, tmp_path):
    commit(shop, "first", a_py="1\n")
    git(tmp_path, "clone", "-q", "shop", "copy")
    copy = tmp_path / "copy"
    commit(copy, "second", a_py="2\n")
    repository = open_repository(copy)
    assert (1, 0) == (repository.branch().ahead, repository.branch().behind)

    commit(shop, "third", a_py="3\n")
    git(copy, "fetch", "-q")
    assert (1, 1) == (repository.branch().ahead, repository.branch().behind)
    git(copy, *IDENTITY, "merge", "origin/main", check=False)
    assert "merge" == repository.branch().going_on
    assert [("a.py", None, "in conflict")] == told(repository)


def test_a_long_diff_is_cut_and_says_so(shop):
    commit(shop, "first", a_py="x\n")
    (shop / "a.py").write_text("".join(f"line {n}\n" for n in range(60_000)))

    diff = open_repository(shop).diff()

    assert diff.is_cut
    assert len(diff.text) < 250_000


def test_hostile_names_and_messages_are_read_whole(shop):
    name = "é \t\"'\n.txt"
    (shop / name).write_text("1")
    git(shop, "add", "-A")
    git(shop, "commit", "-q", "-m", "R100\n\nM\tnothing \x01 here")
    repository = open_repository(shop)

    assert [name] == [file.path for file in repository.recent_commits(1)[0].files]
    assert "R100" == repository.recent_commits(1)[0].subject


@pytest.mark.parametrize("path", ["--output=stolen", ":(glob)**", "*", "-p"])
def test_a_path_is_never_an_option_nor_a_pattern(shop, path):
    commit(shop, "first", a_py="1\n")
    (shop / "a.py").write_text("2\n")
    repository = open_repository(shop)

    assert "" == repository.diff(path=path).text
    assert [] == repository.file_history(path)
    assert not (shop / "stolen").exists()


def test_secrets_in_file_names_do_not_come_out(shop):
    key = "AKIA" + "Q7RZ3WX5YK2MNP8T"
    commit(shop, "first", **{f"{key}_md": "1\n"})
    (shop / f"{key}.md").write_text("2\n")
    repository = open_repository(shop)

    answers = (repository.status(), repository.recent_commits(1), repository.diff())
    assert key not in repr((*answers, repository.search_commits("first")))


def test_a_message_in_another_encoding_and_of_any_moment_is_read(shop):
    moment = {"GIT_AUTHOR_DATE": "@99999999999 +0000", "GIT_COMMITTER_DATE": "@0 +0000"}
    encoding = ("-c", "i18n.commitEncoding=latin-1")
    subprocess.run(
        ["git", *IDENTITY, *encoding, "commit", "-q", "--allow-empty", "-F", "-"],
        cwd=shop, input="Grüße\n\nkönnen".encode("latin-1"), env=os.environ | moment, check=True,
    )  # fmt: skip

    (found,) = open_repository(shop).recent_commits(1)

    assert ("Grüße", "können") == (found.subject, found.body)


def test_a_stash_and_a_switch_are_seen_at_once(shop):
    commit(shop, "first", a_py="1\n")
    repository = open_repository(shop)
    repository.warm()
    (shop / "a.py").write_text("2\n")
    git(shop, "stash", "-q")
    assert (1, ()) == (repository.status().stashes, repository.changed_files())
    git(shop, "switch", "-q", "-c", "next")
    assert str(repository.status()).startswith("On branch next at ")


def test_a_repository_that_vanished_is_said_in_a_sentence(shop):
    commit(shop, "first", a_py="1\n")
    repository = open_repository(shop)
    repository.warm()
    subprocess.run(["rm", "-rf", str(shop)], check=True)

    with pytest.raises(BadInput):
        repository.status()


def test_a_hook_s_own_repository_is_not_mistaken_for_the_one_that_is_asked_about(shop, tmp_path):
    commit(shop, "first", a_py="1\n")
    git(tmp_path, "init", "-q", "-b", "trunk", "other")
    os.environ["GIT_DIR"] = str(tmp_path / "other" / ".git")
    try:
        assert "main" == open_repository(shop).branch().name
    finally:
        del os.environ["GIT_DIR"]


def test_many_threads_may_ask_at_once(shop):
    commit(shop, "first", a_py="1\n")
    repository = open_repository(shop)
    answers: list[str] = []

    def ask():
        answers.extend(str(repository.status()) for _ in range(20))
        answers.extend(repository.search_commits("first")[0].commit.subject for _ in range(20))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert 320 == len(answers)
