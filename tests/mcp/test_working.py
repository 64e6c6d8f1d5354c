"""The work at hand as an assistant asks for it: the task, the commits, what is changed."""

import os
import shutil

import pytest
from wire import git, over_stdio

COMMITS = 130  # more than most lists give


@pytest.fixture
def gates(tmp_path):
    """Gives a repository with many commits and two changed files."""
    root = tmp_path / "gates"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    for name in ("north.py", "south.py"):
        (root / name).write_text("lanes = 1\n")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "Begin")
    for number in range(COMMITS):
        git(root, "commit", "-q", "--allow-empty", "-m", f"Paint lane {number}")
    (root / "north.py").write_text("lanes = 2\n")
    (root / "south.py").write_text("lanes = 3\n")
    return root


def test_two_hundred_commits_can_be_listed_and_the_changes_of_one_file_shown(tmp_path, gates):
    blocked = tmp_path / "home"
    blocked.write_text("a file where the home should be")
    with over_stdio("--repo", str(gates), "--profile", "all", home=blocked) as assistant:
        listed = assistant.ok("recent_commits", limit=200).data["commits"]
        both = assistant.ok("git_diff").text
        north = assistant.ok("git_diff", path="north.py").text
        outside = assistant.fails("git_diff", path="../home")
        too_many = assistant.fails("recent_commits", limit=201)

    assert COMMITS + 1 == len(listed)
    assert "lanes = 2" in both
    assert "lanes = 3" in both
    assert "lanes = 2" in north
    assert "lanes = 3" not in north
    assert "not a path inside the repository" in outside
    assert "200" in too_many


def test_a_task_that_is_done_is_taken_out(store, gates):
    with over_stdio("--repo", str(gates)) as assistant:
        assistant.ok("set_task_context", task="Paint the lanes")
        before = assistant.ok("get_task_context")
        said = assistant.fails("set_task_context", task=" ", details={"next": "lane 3"})
        done = assistant.ok("set_task_context", task="")
        after = assistant.ok("get_task_context")

    assert "Paint the lanes" in before.text
    assert "belong to a task" in said
    assert "any more" in done.text
    assert after.data["task"] is None
    assert "Paint the lanes" not in after.text


@pytest.fixture
def falling(tmp_path, monkeypatch):
    """Gives a file: a question of git that holds the word in it ends before git has answered."""
    word, own = tmp_path / "word", tmp_path / "own"
    own.mkdir()
    (own / "git").write_text(
        f'#!/bin/sh\nfor a in "$@"; do [ "$a" = "$(cat {word} 2>&-)" ] && kill -9 $$; done\n'
        f'exec {shutil.which("git")} "$@"\n'
    )
    (own / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{own}{os.pathsep}{os.environ['PATH']}")
    return word


@pytest.mark.parametrize("question", ["remote", "--absolute-git-dir", "--git-common-dir"])
def test_git_that_once_does_not_answer_moves_nothing_to_another_project(
    store, gates, falling, question
):
    git(gates, "remote", "add", "origin", "git@code.example.com:t/gates.git")
    with over_stdio("--user", "ann", "--repo", str(gates)) as ann:
        ann.ok("set_task_context", task="Paint the gates")
    falling.write_text(question)
    with over_stdio("--user", "ann", "--repo", str(gates)) as ann:
        said = [ann.fails("get_task_context"), ann.fails("remember", text="Gates are red (ADR-1).")]
        falling.unlink()
        task = ann.ok("get_task_context").text
        kept = ann.ok("remember", text="Gates are red (ADR-1).").data["project"]

    assert all("git has not answered" in text for text in said), said
    assert "Paint the gates" in task
    assert "code.example.com/t/gates" == kept


def test_a_repository_that_is_made_while_the_server_runs_is_known(store, tmp_path):
    with over_stdio("--user", "ann", folder=tmp_path) as ann:
        before = ann.ok("get_task_context").text
        git(tmp_path, "init", "-q", "-b", "main")
        git(tmp_path, "commit", "-q", "--allow-empty", "-m", "Begin")
        ann.ok("set_task_context", task="Build the gate")
        kept = ann.ok("remember", text="The gate is of oak (ADR-2).").data["project"]
        known = ann.ok("get_task_context").text
    with over_stdio("--user", "ann", folder=tmp_path) as ann:
        later = ann.ok("get_task_context").text

    assert "branch" not in before
    assert all("Build the gate" in text and "branch main" in text for text in (known, later))
    assert f"git:{tmp_path.resolve() / '.git'}" == kept


def test_a_repository_that_gets_a_remote_keeps_its_task_and_tells_of_its_memories(
    store, gates, knowwhy
):
    with over_stdio("--user", "ann", "--repo", str(gates)) as ann:
        ann.ok("set_task_context", task="Paint the gates")
        kept = ann.ok("remember", text="The gates are orange because of INC-7.", said_by="user")
        git(gates, "remote", "add", "origin", "git@code.example.com:t/gates.git")
        same = ann.ok("get_task_context")
    with over_stdio("--user", "ann", "--repo", str(gates)) as ann:
        later = ann.ok("get_task_context")
    shown = [knowwhy("task", "show", "--user", "ann", "--repo", gates).out]
    named = knowwhy("memories", "--user", "ann", "--project", kept.data["project"]).out
    with over_stdio("--user", "ann", "--repo", str(gates)) as ann:
        ann.ok("set_task_context", task="")
        cleared = ann.ok("get_task_context")
        shown.append(knowwhy("task", "show", "--user", "ann", "--repo", gates).out)

    assert "Paint the gates" in same.text
    assert {} == same.data["left_behind"]
    assert "Paint the gates" in later.text
    assert {kept.data["project"]: 1} == later.data["left_behind"]
    assert "knowwhy memories --project NAME" in later.text
    assert "The gates are orange" in named
    assert (True, False) == tuple("Paint the gates" in text for text in shown)
    assert cleared.data["task"] is None


def test_a_repository_that_always_had_its_remote_has_no_earlier_name(store, gates, tmp_path):
    git(gates, "remote", "add", "origin", "git@code.example.com:t/gates.git")
    with over_stdio("--user", "ann", folder=tmp_path) as ann:
        in_no_project = ann.ok("remember", text="I prefer oak to iron (ADR-3).", said_by="user")
    with over_stdio("--user", "ann", "--repo", str(gates)) as ann:
        ann.ok("remember", text="The gates are orange because of INC-7.", said_by="user")
        told = ann.ok("get_task_context")

    assert "project" not in in_no_project.data
    assert {} == told.data["left_behind"]
    assert "had no remote before" not in told.text
