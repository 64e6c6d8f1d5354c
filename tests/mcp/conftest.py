"""A repository with decisions, and a server that works in it, shared by the tests of a module."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from wire import Assistant, git, over_stdio

GOLDEN = Path(__file__).parents[2] / "golden" / "corpus"
REMOTE = "git@code.example.com:parcels/platform.git"


@pytest.fixture(scope="session")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Gives a repository with decisions, incidents and code, in three commits."""
    root = tmp_path_factory.mktemp("repository") / "platform"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    git(root, "remote", "add", "origin", REMOTE)
    for part, into in (("adr", "docs/adr"), ("incidents", "docs/incidents"), ("code", "services")):
        shutil.copytree(GOLDEN / part, root / into)
        git(root, "add", "-A")
        git(root, "commit", "-q", "-m", f"Add {into}\n\nAs the parcels team has written them.")
    return root


@pytest.fixture(scope="module")
def emptied(opened: Any) -> Any:
    """Gives the open home with all tables empty, but the audit: the store remembers what goes."""
    from knowwhy.tables.schema import declare
    from knowwhy.tables.write import table

    for name, model in declare(opened.embedder).__registered_models__.items():
        if model.__table_spec__["base"] is None and name != "audit":
            table(name).delete()
    return opened


@pytest.fixture(scope="module")
def assistant(emptied: Any, repository: Path) -> Iterator[Assistant]:
    """Gives a client whose server works in the repository and has taken it in."""
    with over_stdio("--user", "ada", "--repo", str(repository)) as assistant:
        assistant.ok("ingest", wait_seconds=120)
        yield assistant
