"""The house rules that a machine can see."""

import ast
import re
from pathlib import Path

import pytest

SRC = Path(__file__).parents[1] / "src" / "knowwhy"
FILES = sorted(SRC.rglob("*.py"))
ROLE_NAMES = {"utils", "helpers", "common", "base", "core", "manager", "service", "handler", "misc"}

# Each room may import the rooms on floors below its own, and itself.
FLOORS = [
    {"errors", "types", "config", "log", "models"},
    {"text"},
    {"tables"},
    {"grounding", "graph", "temporal", "telemetry", "maas", "session", "codemap", "reembed"},
    {"ingest", "retrieval", "janitor"},
    {"health", "nightly", "backup"},
    {"mcp", "cli", "web"},
]
FLOOR = {room: number for number, rooms in enumerate(FLOORS) for room in rooms}
# log redacts and the word-hash embedder tokenizes: pure functions of the floor above the ground;
# `knowwhy serve` starts the other doors.
EXCEPTIONS = {
    ("log", "text"), ("models", "text"), ("maas", "telemetry"), ("nightly", "health"),
    ("cli", "mcp"),
}  # fmt: skip


def room_of(file: Path) -> str:
    return file.relative_to(SRC).parts[0].removesuffix(".py")


def imports(file: Path) -> list[tuple[str, int]]:
    """Every module that a file imports, at its top or inside a function."""
    found = []
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += [(alias.name, node.lineno) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            found += [(f"{base}.{alias.name}", node.lineno) for alias in node.names]
    return found


@pytest.mark.parametrize("file", FILES, ids=lambda f: str(f.relative_to(SRC)))
def test_a_file_imports_only_rooms_on_lower_floors(file):
    room = room_of(file)
    if room in ("__init__", "__main__"):
        return
    assert room in FLOOR, f"{room} has no floor; give it one here and in the plan"
    for module, line in imports(file):
        parts = module.split(".")
        if parts[0] != "knowwhy" or len(parts) < 2 or parts[1] not in FLOOR:
            continue
        other = parts[1]
        lower = FLOOR[other] < FLOOR[room] or (FLOOR[other] == FLOOR[room] == 0)
        assert other == room or lower or (room, other) in EXCEPTIONS, f"{file}:{line} {module}"


@pytest.mark.parametrize("file", FILES, ids=lambda f: str(f.relative_to(SRC)))
def test_only_the_tables_import_pixeltable(file):
    touched = [line for module, line in imports(file) if module.split(".")[0] == "pixeltable"]

    assert room_of(file) == "tables" or not touched


def test_no_file_is_named_after_a_role():
    assert [] == [str(file) for file in FILES if file.stem in ROLE_NAMES]


def test_only_doors_and_settings_read_the_environment():
    readers = {
        str(file.relative_to(SRC))
        for file in FILES
        if re.search(r"os\.(environ|getenv)", file.read_text(encoding="utf-8"))
    }

    # the package tells ONNX Runtime, before anything loads it, to send nothing
    # tables passes the home on to pixeltable, which reads only the environment
    # and the tools of Postgres get theirs without what it says of another Postgres
    tables = {"tables/__init__.py", "tables/connect.py", "tables/homes/dumping.py"}
    assert {"__init__.py", "config.py", "cli/care.py", *tables} >= readers
