"""What is taken in over HTTP: the files that git tracks, and no other."""

import json
import subprocess
import sys

import pytest
from wire import environment, git, over_http, serving

from knowwhy.tables.agents import bearers

WAIT = 60  # seconds
PRIVATE = "# 9. Keep the vault code\n\n## Decision\n\nThe vault code is 4711-{}.\n"


@pytest.fixture
def mixed(emptied, tmp_path):
    """Gives a repository with files that git tracks, ignores, does not know and has elsewhere."""
    inner, root = tmp_path / "inner", tmp_path / "outer"
    for folder in (inner, root / "docs/adr", root / "private", root / "notes"):
        folder.mkdir(parents=True)
    git(inner, "init", "-q")
    (inner / "0001-inner.md").write_text(PRIVATE.format("inner"))
    (inner / "inner.py").write_text("VAULT = '4711-inner'\n")
    git(inner, "add", "-A")
    git(inner, "commit", "-q", "-m", "x")
    (tmp_path / "0002-outside.md").write_text(PRIVATE.format("outside"))
    git(root, "init", "-q")
    (root / ".gitignore").write_text("private/\nlocal_settings.py\n")
    (root / "docs/adr/0001-tracked.md").write_text(
        "# 1. Use NATS\n\n## Decision\n\nQueues are NATS, tracked.\n"
    )
    (root / "app.py").write_text('"""Serves the page of parcels."""\n\nPORT = 8080\n')
    (root / "docs/adr/0003-replaced.md").write_text("# 3. Later\n\n## Decision\n\nLater.\n")
    (root / "docs/adr/0004-link.md").symlink_to(root / "private/0009-vault.md")
    git(root, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner), "inner")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "x")
    (root / "private/0009-vault.md").write_text(PRIVATE.format("private"))
    (root / "private/chat.jsonl").write_text('{"role": "user", "content": "It is 4711-chat."}\n')
    (root / "private/rows.jsonl").write_text(
        '{"id": "v", "kind": "document", "text": "The vault code is 4711-rows."}\n'
    )
    (root / "local_settings.py").write_text("VAULT = '4711-settings'\n")
    (root / "docs/adr/0005-untracked.md").write_text(PRIVATE.format("untracked"))
    (root / "notes/untracked.py").write_text("VAULT = '4711-notes'\n")
    (root / "docs/adr/0003-replaced.md").unlink()
    (root / "docs/adr/0003-replaced.md").symlink_to(tmp_path / "0002-outside.md")
    (root / "docs/linked").symlink_to(root / "private")
    return root


def taken(ada, path, kind):
    return ada.call("ingest", path=path, kind=kind, wait_seconds=120)


KINDS = ("auto", "code", "adr", "incident", "meeting", "document", "conversation", "jsonl")


def test_over_http_only_what_git_tracks_is_taken_in(mixed):
    token, _ = bearers.add("ada")
    hidden = ("private", "private/0009-vault.md", "private/chat.jsonl", "private/rows.jsonl",
              "local_settings.py", "docs/adr/0005-untracked.md", "notes", "notes/untracked.py",
              "docs/linked", "docs/linked/0009-vault.md", "docs/adr/0004-link.md", "inner",
              "inner/inner.py", ".git", ".git/config", "no/such/file.md")  # fmt: skip
    with serving("--repo", str(mixed)) as url, over_http(url, token) as ada:
        told = {(p, kind): taken(ada, p, kind) for p in hidden for kind in ("auto", "code")}
        told |= {(path, kind): taken(ada, path, kind) for path in hidden[:4] for kind in KINDS}
        outside = taken(ada, "docs/adr/0003-replaced.md", "adr")
        whole = [taken(ada, ".", kind) for kind in KINDS[:-1]]
        one = taken(ada, "docs/adr/0001-tracked.md", "adr")
        stored = everything()

    assert [] == [place for place, answer in told.items() if not answer.is_error]
    assert [] == [
        place for place, answer in told.items() if "git tracks nothing" not in answer.text
    ]
    assert "outside of what" in outside.text
    assert [False] * len(whole) == [answer.is_error for answer in whole]
    names = ("vault", "local_settings", "untracked", "outside", "inner.py")
    assert [] == [
        n for n in names for answer in whole if n in answer.text + json.dumps(answer.data)
    ]
    assert not one.is_error
    assert "Queues are NATS" in stored
    assert "PORT = 8080" in stored
    assert "4711" not in stored


def test_what_a_person_has_taken_in_stays_when_somebody_syncs_over_http(mixed):
    token, _ = bearers.add("ada")
    at_home = ("ingest", "code", str(mixed / "notes"), "--project", "shop")
    command = [sys.executable, "-m", "knowwhy", *at_home]
    subprocess.run(command, env=environment(), check=True, capture_output=True, timeout=WAIT * 2)
    with serving("--repo", str(mixed), "--project", "shop") as url, over_http(url, token) as ada:
        done = [taken(ada, ".", kind) for kind in ("auto", "code")]
        stored = everything()

    assert [False, False] == [answer.is_error for answer in done]
    assert "4711-notes" in stored


def test_outside_of_a_repository_nothing_is_taken_in_over_http(emptied, tmp_path):
    (tmp_path / "0001-plain.md").write_text(PRIVATE.format("plain"))
    token, _ = bearers.add("ada")
    with serving("--repo", str(tmp_path)) as url, over_http(url, token) as ada:
        said = [ada.fails("ingest", path=path, kind="adr") for path in (".", "0001-plain.md")]

    assert ["in no git repository" in one for one in said] == [True, True]


def everything() -> str:
    """Gives all texts that are stored of files and conversations and can be found."""
    from knowwhy.tables.write import table

    records, turns = table("records"), table("turns")
    live = records.where(records.retired_at == None)  # noqa: E711  # SQL
    rows = [*live.select(records.content).collect(), *turns.select(turns.content).collect()]
    return "\n".join(row["content"] for row in rows)
