"""The work at hand as an assistant asks for it: the task, the commits, what is changed."""

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
