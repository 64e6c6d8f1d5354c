"""Tasks, commits, hooks and connections as a person and a program meet them."""

import json
import os
import subprocess
import time

import pytest

AS = ("-c", "user.name=Ann Lee", "-c", "user.email=ann@example.org", "-c", "commit.gpgsign=false")
ANN, BOB = ("--user", "ann"), ("--user", "bob")


def git(folder, *arguments):
    done = subprocess.run(
        ["git", *AS, *arguments], cwd=folder, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


@pytest.fixture
def shop(tmp_path, monkeypatch):
    """Gives a repository with two commits, and goes there."""
    git(tmp_path, "init", "-q", "-b", "main", "shop")
    root = tmp_path / "shop"
    (root / "pay.py").write_text("x = 1\n")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "Retry a refused card\n\nWith a backoff.")
    git(root, "commit", "-q", "--allow-empty", "-m", "Ship by drone")
    monkeypatch.chdir(root)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return root


def test_a_task_is_set_shown_and_cleared_for_one_user_in_one_repository(knowwhy, shop, tmp_path):
    git(shop, "remote", "add", "origin", "https://ann:pw@github.com/acme/shop.git")
    set_ = knowwhy("task", "set", "Add PKCE", "--details", '{"issue": 12}', *ANN)
    shown = knowwhy("task", "show", "--json", *ANN)

    assert (0, "") == (set_.code, set_.err)
    assert "Add PKCE\n" in set_.out
    told = json.loads(shown.out)
    expected = {"task": "Add PKCE", "details": {"issue": 12}, "user": "ann", "project": None}
    assert expected == {name: told[name] for name in expected}
    assert "github.com/acme/shop" == told["repository"]
    for others in ([*BOB], [*ANN, "--project", "web"], [*ANN, "--everybody"][2:]):
        assert "No task is set here" in knowwhy("task", "show", *others).out
    git(tmp_path, "clone", "-q", "shop", "clone")
    git(tmp_path / "clone", "remote", "set-url", "origin", "git@github.com:acme/shop.git")
    assert "Add PKCE" in knowwhy("task", "show", "--repo", tmp_path / "clone", *ANN).out
    assert "Add PKCE" in knowwhy("task", "clear", *ANN).out
    assert "null\n" == knowwhy("task", "show", "--json", *ANN).out


def test_a_task_outside_of_any_repository_is_one_s_own_too(knowwhy, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    assert "in no repository" in knowwhy("task", "set", "Plan the week", *ANN).out
    refused = knowwhy("task", "show", "--repo", tmp_path, *ANN)
    assert 1 == refused.code
    assert "There is no git repository at" in refused.err


@pytest.mark.parametrize("details", ["[1]", "{", "[" * 100_000, "3"])
def test_details_that_are_no_object_are_refused(knowwhy, shop, details):
    done = knowwhy("task", "set", "x", "--details", details)

    assert (1, "") == (done.code, done.out)
    assert "--details takes a JSON object" in done.err


def test_commits_are_found_without_a_home(knowwhy, shop):
    found = knowwhy("commits", "backoff", "card")
    listed = json.loads(knowwhy("commits", "--json").out)

    assert (0, "") == (found.code, found.err)
    assert found.out.endswith("Ann Lee: Retry a refused card\n")
    assert ["Ship by drone", "Retry a refused card"] == [commit["subject"] for commit in listed]
    assert [{"path": "pay.py", "state": "added", "old_path": None}] == listed[1]["files"]
    assert "No such commits.\n" == knowwhy("commits", "zeppelin").out
    assert 1 == len(json.loads(knowwhy("commits", "--path", "pay.py", "--json").out))


def test_commits_of_no_repository_are_refused_in_a_sentence(knowwhy, tmp_path):
    done = knowwhy("commits", "x", "--repo", tmp_path)

    assert 1 == done.code
    assert done.err.startswith("knowwhy: There is no git repository at ")


def test_hooks_are_installed_told_and_removed(knowwhy, shop):
    before = knowwhy("hook", "status")
    put = knowwhy("hook", "install")
    told = knowwhy("hook", "status", "--json")
    gone = knowwhy("hook", "remove", "--repo", shop)

    assert (1, 0, 0, 0) == (before.code, put.code, told.code, gone.code)
    assert "`knowwhy hook install` puts the hooks in" in before.out
    assert 3 == put.out.count("made ")
    assert json.loads(told.out)["is_runnable"]
    assert 3 == gone.out.count("removed ")
    assert "There was nothing to remove." in knowwhy("hook", "remove").out


@pytest.mark.slow
def test_a_commit_is_in_the_memory_a_moment_later(knowwhy, shop):
    knowwhy("hook", "install", "--project", "shop")
    decision = "# ADR-3: Use drones\n\nStatus: accepted\n\n## Decision\n\nWe deliver by drone.\n"
    (shop / "docs" / "adr").mkdir(parents=True)
    (shop / "docs" / "adr" / "0003-use-drones.md").write_text(decision)
    git(shop, "add", "-A")
    last = shop / ".git" / "knowwhy" / "last.json"
    git(shop, "commit", "-q", "-m", "Decide on drones")
    has_waited = last.exists()

    deadline = time.monotonic() + 120
    while not last.exists() and time.monotonic() < deadline:
        time.sleep(0.1)

    assert not has_waited
    assert 0 == json.loads(last.read_text())["code"], (last.parent / "sync.log").read_text()
    listed = json.loads(knowwhy("list", "--json").out)
    assert ["Use drones"] == [r["title"] for r in listed if r["kind"] == "adr"]
    assert "Last sync after post-commit" in knowwhy("hook", "status").out


def test_a_client_is_connected_by_one_command(knowwhy, shop):
    (shop / "src").mkdir()
    os.chdir(shop / "src")  # clients look at the top of the repository
    printed = knowwhy("connect", "claude-code")
    written = knowwhy("connect", "claude-code", "--write")
    again = knowwhy("connect", "claude-code", "--write")

    assert (0, 0, 0) == (printed.code, written.code, again.code)
    assert "claude mcp add" in printed.out
    assert f"Claude Code: wrote {shop}/.mcp.json" in written.out
    assert "nothing to change in" in again.out
    entry = json.loads((shop / ".mcp.json").read_text())["mcpServers"]["knowwhy"]
    assert "serve" in entry["args"]
    assert os.environ["PIXELTABLE_HOME"] == entry["env"]["PIXELTABLE_HOME"]


def test_a_client_is_connected_for_all_projects_and_to_a_shared_server(knowwhy, shop, tmp_path):
    there = ("--http", "https://memory.example.org/mcp", "--token-env", "KW_TOKEN")
    done = knowwhy("connect", "cursor", "--global", "--write", *there)

    assert (0, "") == (done.code, done.err)
    file = tmp_path / "home" / ".cursor" / "mcp.json"
    assert "Bearer ${env:KW_TOKEN}" in file.read_text()
    assert not (shop / ".cursor").exists()
