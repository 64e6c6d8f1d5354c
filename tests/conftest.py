"""One home for the whole run, emptied before each test that asks for it; never the user's own."""

import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

# Set before anything imports pixeltable, which reads them once; nothing of the user's own stays.
for variable in [v for v in os.environ if v.startswith(("PIXELTABLE_", "KNOWWHY_"))]:
    del os.environ[variable]
HOME = Path(tempfile.mkdtemp(prefix="knowwhy-tests-"))
os.environ["PIXELTABLE_HOME"] = str(HOME)
os.environ["KNOWWHY_EMBEDDER"] = "wordhash"
os.environ["KNOWWHY_RERANKER"] = "none"
os.environ.pop("ANTHROPIC_API_KEY", None)

STARTED = time.monotonic()
GOLDEN = Path(__file__).parents[1] / "golden" / "corpus"
BASE_TABLES = (
    "records", "turns", "extractions", "memories", "changes", "checkpoints", "spends", "recalls",
    "access", "repositories", "tokens", "tasks", "nightly_runs", "health_checks", "lookalikes",
    "agents", "agent_sessions", "pools", "members", "shares", "handoffs",
)  # fmt: skip


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds --minutes."""
    said = "begin no test later than so many minutes after the start: the others are skipped"
    parser.addoption("--minutes", type=float, help=said)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Leaves out, and says so, what a slow machine has not begun in time."""
    minutes = item.config.getoption("--minutes")
    if minutes is not None and time.monotonic() - STARTED > minutes * 60:
        pytest.skip(f"not begun within {minutes:g} minutes")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Puts files with slow tests first, as no core is idle then, and what empties the audit last.

    The store remembers that rows of the audit are gone, and whoever verifies it is told so.
    """
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: ("backup" in item.path.parts, item.path not in slow))


@dataclass(frozen=True)
class Ran:
    """What a command did."""

    code: int
    out: str
    err: str


@pytest.fixture(scope="session")
def opened() -> Iterator[Any]:
    """Opens the home of the run; its server is stopped at the end."""
    from knowwhy.config import Settings
    from knowwhy.tables.connect import connect
    from knowwhy.tables.homes import home

    yield connect(Settings.from_environ())
    home.stop(HOME)
    shutil.rmtree(HOME, ignore_errors=True)


@pytest.fixture
def store(opened: Any) -> Any:
    """Gives the open home with all tables empty."""
    from knowwhy import telemetry
    from knowwhy.tables.write import table

    telemetry.flush()  # what the test before has asked waits for some seconds
    for name in _with_rows():
        table(name).delete()
    return opened


def _with_rows() -> list[str]:
    """Names the tables that a test has left rows in: emptying an empty one takes 10 ms too."""
    import sqlalchemy as sql

    from knowwhy.tables import direct

    found = [
        sql.select(sql.literal(name).label("name")).where(
            sql.exists(direct.live_rows(name).select())
        )
        for name in BASE_TABLES
    ]
    return [row["name"] for row in direct.select("looking for rows", sql.union_all(*found))]


@pytest.fixture
def knowwhy(store: Any, capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """Runs the command line in this process."""
    from knowwhy.cli import run

    def call(*arguments: object) -> Ran:
        capsys.readouterr()
        code = run([str(argument) for argument in arguments])
        shown = capsys.readouterr()
        return Ran(code, shown.out, shown.err)

    return call


@pytest.fixture
def home_folder() -> Iterator[Path]:
    """Gives a folder for a home of its own, and stops what was started in it."""
    folder = Path(tempfile.mkdtemp(prefix="knowwhy-home-"))
    yield folder / "home"
    from knowwhy.tables.homes import home

    for pgdata in folder.rglob("pgdata"):
        home.stop(pgdata.parent)
    shutil.rmtree(folder, ignore_errors=True)
