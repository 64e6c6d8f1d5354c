"""Large work trees: looked at beforehand while somebody asks, never answered from long ago."""

import os
import threading
import time
from itertools import pairwise

import pytest
from test_git import commit, git

from knowwhy.session import beforehand, glimpse, standing_now
from knowwhy.session.git import open_repository

SETTLED = 2 * glimpse.RACY_SECONDS  # after which a file that was written is not asked about again


@pytest.fixture
def large(tmp_path, monkeypatch):
    """Gives a work tree that is too large to be looked at each time it is asked about."""
    monkeypatch.setattr(glimpse, "MOST_AT_ONCE", 10)
    git(tmp_path, "init", "-q", "-b", "main", "large")
    commit(tmp_path / "large", "Begin", **{f"part{n}_py": f"x = {n}\n" for n in range(40)})
    time.sleep(SETTLED)
    return tmp_path / "large"


@pytest.fixture
def asked_git(monkeypatch):
    """Notes when git is asked for the status, by which thread."""
    asked, ask = [], standing_now.status

    def status(*given):
        asked.append(threading.current_thread().name)
        return ask(*given)

    monkeypatch.setattr(standing_now, "status", status)
    return asked


def until(is_so, seconds=60.0):
    ends = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < ends, "it has not come to that"
        time.sleep(0.02)


def test_what_stands_as_before_is_looked_at_and_git_not_asked_again(large, asked_git):
    repository = open_repository(large)
    repository.status()
    time.sleep(glimpse.TRUSTED_SECONDS + 0.1)

    assert () == repository.changed_files()
    assert 1 == len(asked_git)


def test_nothing_is_told_that_is_older_than_a_second(large):
    repository = open_repository(large)
    assert "" == repository.diff().text

    (large / "part7.py").write_text("x = 70\n")
    time.sleep(glimpse.TRUSTED_SECONDS + 0.1)

    assert ["part7.py"] == [file.path for file in repository.changed_files()]
    assert "+x = 70" in repository.diff().text


def test_a_change_is_asked_about_before_anyone_asks(large, asked_git, monkeypatch):
    monkeypatch.setattr(beforehand, "EVERY_SECONDS", 0.05)
    repository = open_repository(large)
    repository.keep_fresh()
    repository.diff()

    (large / "part7.py").write_text("x = 70\n")
    until(lambda: "looking" in asked_git)
    time.sleep(glimpse.RACY_SECONDS + 0.3)  # it asks once more what was touched just now
    before = list(asked_git)

    assert "+x = 70" in repository.diff().text
    assert ["part7.py"] == [file.path for file in repository.changed_files()]
    assert ["MainThread"] == [name for name in before if name != "looking"]
    assert before == asked_git


def test_the_longer_nobody_asks_the_rarer_are_the_looks(monkeypatch):
    monkeypatch.setattr(beforehand, "EVERY_SECONDS", 0.02)
    looks = []
    watched = threading.Event()  # anything that lives as long as it is looked at
    ahead = beforehand.Beforehand(watched, lambda _: looks.append(time.monotonic()))

    ahead.asked()
    time.sleep(1.0)
    idle = len(looks)
    before = time.monotonic()
    until(lambda: ahead.asked() or time.monotonic() > before + 0.5)
    busy = [at for at in looks if at > before]

    assert 1 <= idle <= 6
    assert len(busy) > idle
    assert all(b - a >= 0.02 for a, b in pairwise(busy))


def test_nobody_looks_when_nobody_asks(large, asked_git, monkeypatch):
    monkeypatch.setattr(beforehand, "EVERY_SECONDS", 0.02)
    monkeypatch.setattr(beforehand, "AWAKE_SECONDS", 0.1)
    repository = open_repository(large)
    repository.keep_fresh()
    assert not repository.is_looked_at

    repository.status()
    assert repository.is_looked_at
    until(lambda: not repository.is_looked_at)
    (large / "part7.py").write_text("x = 70\n")
    time.sleep(0.2)

    assert ["MainThread"] == asked_git
    time.sleep(glimpse.TRUSTED_SECONDS)
    assert 1 == len(repository.changed_files())
    assert repository.is_looked_at


def test_a_work_tree_that_is_gone_ends_no_thread_in_a_traceback(large, monkeypatch, capfd):
    monkeypatch.setattr(beforehand, "EVERY_SECONDS", 0.02)
    repository = open_repository(large)
    repository.keep_fresh()
    repository.status()

    os.rename(large, large.with_name("moved"))
    time.sleep(0.2)

    assert repository.is_looked_at
    assert "Traceback" not in capfd.readouterr().err
