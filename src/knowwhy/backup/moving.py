"""Everything that is kept as JSON lines, for another version, another model or another Python.

The first line says what follows. Views, vectors and all that is computed are made anew.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from knowwhy.errors import BadInput
from knowwhy.tables.homes import carried, home, whole
from knowwhy.tables.homes.carried import ADDED
from knowwhy.tables.indexed import INDEXED_CHARACTERS, OWN, WHOLE
from knowwhy.tables.kept import nights
from knowwhy.types import Fact, Json

FORMAT = 1
AT_ONCE = 200  # rows of one write
LONGEST_LINE = 500_000_000  # bytes; a record has at most a few megabytes of text
LOOKED_THROUGH = ("merge", "contradictions")  # steps that look only at what was written since
TOKENS = "tokens"
FACT = {one.name for one in fields(Fact)}

Columns = Mapping[str, Mapping[str, tuple[str, bool]]]


@dataclass(slots=True)
class Moved:
    """What an import has done, by table: rows added, the same before, and other ones that stay."""

    tables: dict[str, Counter[str]] = field(default_factory=dict)
    left_out: int = 0  # tokens, which let people in and are taken in only where that is asked for

    def total(self, fate: str) -> int:
        """Adds up the rows of one fate."""
        return sum(counts[fate] for counts in self.tables.values())

    def of(self, table: str, fate: str) -> int:
        """Gives the rows of one table and one fate."""
        return self.tables.get(table, Counter[str]())[fate]


def export_all(out: IO[str], embedder: str) -> dict[str, int]:
    """Writes all rows as they are at one moment; gives their numbers."""
    with whole.reader(embedder) as reader:
        counts = reader.counts()
        head = {"knowwhy": home.made_with()["knowwhy"], "format": FORMAT, "rows": counts}
        _write(out, head)
        for name in counts:
            for row in reader.rows(name):
                told = {key: _plain(value) for key, value in row.items() if value is not None}
                _write(out, {"table": name, "row": told})
        return counts


def _write(out: IO[str], line: Json) -> None:
    out.write(json.dumps(line, ensure_ascii=False, sort_keys=True) + "\n")


def _plain(value: Any) -> Json:
    return value.astimezone(UTC).isoformat() if isinstance(value, datetime) else value


def import_all(
    file: Path,
    embedder: str,
    progress: Callable[[int], None] = lambda done: None,
    *,
    with_tokens: bool = False,
) -> Moved:
    """Writes the rows of a file that are not there yet; a file with a fault changes nothing.

    Whoever has written a file could let themselves in by its tokens, so they are left out.
    """
    columns = whole.lines(embedder)
    for _ in _rows(file, columns):  # all of it, before any of it is written
        pass
    moved, of, beside = Moved(), "", not whole.is_empty()
    page: list[dict[str, Any]] = []
    for name, row in _rows(file, columns):
        if name == TOKENS and not with_tokens:
            moved.left_out += 1
            progress(1)
            continue
        if page and (name != of or len(page) == AT_ONCE):
            _put(moved, of, page, embedder, progress, beside=beside)
            page = []
        of = name
        page.append(row)
    if page:
        _put(moved, of, page, embedder, progress, beside=beside)
    if moved.total(ADDED) and beside:
        nights.begin_anew(LOOKED_THROUGH)
    return moved


def _put(
    moved: Moved,
    name: str,
    page: list[dict[str, Any]],
    embedder: str,
    progress: Callable[[int], None],
    *,
    beside: bool,
) -> None:
    fates = whole.put_rows(name, page, embedder, beside=beside)
    moved.tables.setdefault(name, Counter()).update(fates)
    progress(len(page))


def rows_in(file: Path) -> int:
    """Gives how many rows a file says that it has."""
    with _opened(file) as lines:
        return sum(_head(file, lines).values())


def _rows(file: Path, columns: Columns) -> Iterator[tuple[str, dict[str, Any]]]:
    """Reads and checks the rows of a file."""
    counts: Counter[str] = Counter()
    keys: set[tuple[str, str]] = set()
    with _opened(file) as lines:
        told = _head(file, lines)
        unknown = sorted(set(told) - set(columns))
        if unknown:
            raise BadInput(f"{file} has the table {unknown[0]!r}, which this version has not.")
        for number, line in enumerate(iter(lambda: lines.readline(LONGEST_LINE), b""), 2):
            try:
                name, row = _row(line, columns)
            except BadInput as error:
                raise BadInput(f"{file}:{number}: {error} Nothing was taken in.") from None
            if (name, row["key"]) in keys:
                raise BadInput(f"{file}:{number}: that key was there before. Nothing was taken in.")
            keys.add((name, row["key"]))
            counts[name] += 1
            yield name, row
    wrong = sorted(name for name in told | counts if told.get(name, 0) != counts[name])
    if wrong:
        raise BadInput(
            f"{file} has {counts[wrong[0]]} rows of {wrong[0]} and says that it has "
            f"{told.get(wrong[0], 0)}: it was cut off. Nothing was taken in."
        )


def _opened(file: Path) -> IO[bytes]:
    try:
        if not file.is_file():
            raise BadInput(f"{file} is {'no regular file' if file.exists() else 'not there'}.")
        return file.open("rb")
    except OSError as error:
        raise BadInput(f"{file} cannot be read: {error.strerror}.") from None


def _head(file: Path, lines: IO[bytes]) -> dict[str, int]:
    head = _parsed(lines.readline(LONGEST_LINE))
    rows = head.get("rows") if isinstance(head, dict) else None
    if not isinstance(rows, dict) or not all(isinstance(n, int) for n in rows.values()):
        raise BadInput(
            f"{file} is no export of a whole memory, which `knowwhy export --all` writes; records "
            "alone are taken in by `knowwhy ingest jsonl`."
        )
    form = head.get("format")
    if form != FORMAT:
        raise BadInput(f"{file} is of form {form!r}; this version of knowwhy reads {FORMAT}.")
    return rows


def _row(line: bytes, columns: Columns) -> tuple[str, dict[str, Any]]:
    given = _parsed(line)
    told = given if isinstance(given, dict) else {}
    name, row = told.get("table"), told.get("row")
    if not isinstance(name, str) or name not in columns or not isinstance(row, dict):
        raise BadInput("this is no row of a table that this version has.")
    extra = {whole.FACTS} if name == "extractions" else set()
    unknown = sorted(set(row) - set(columns[name]) - extra)
    if unknown:
        raise BadInput(f"{name} has no column {unknown[0]!r} in this version.")
    read = {column: _value(name, column, row.get(column), *columns[name][column])
            for column in columns[name]}  # fmt: skip
    if name in (carried.STATES, whole.CHECKPOINTS):
        carried.check(name, read)
    return name, read | {column: _facts(row.get(column)) for column in extra}


def _parsed(line: bytes) -> Json:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _value(table: str, column: str, value: Json, kind: str, is_nullable: bool) -> Any:
    """Reads a value as its column holds it."""
    if value is None and is_nullable:
        return None
    if kind == "Timestamp" and isinstance(value, str):
        try:
            value = datetime.fromisoformat(value)
        except ValueError:
            value = None
        value = value if value is not None and value.tzinfo is not None else None
    wanted = whole.TYPES.get(kind)
    if value is None or (wanted is not None and not isinstance(value, wanted)):
        raise BadInput(f"{table}.{column} is not of the type {kind}.")
    if OWN.get(table, {}).get(column) == WHOLE and len(str(value)) > INDEXED_CHARACTERS:
        raise BadInput(f"{table}.{column} is longer than {INDEXED_CHARACTERS} characters.")
    return value


def _facts(value: Json) -> list[Json]:
    facts = value or []
    if not isinstance(facts, list) or any(set(fact) != FACT for fact in facts):
        raise BadInput("extractions.facts is no list of facts.")
    return facts
