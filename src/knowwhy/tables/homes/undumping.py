"""A database that was written out, read into a home that has none."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import IO, Any

import pixeltable.metadata
import sqlalchemy as sql
from pixeltable.utils.dbms import PostgresqlDbms

from knowwhy.errors import BadInput, StoreFailed
from knowwhy.tables.failures import translated
from knowwhy.tables.homes import home, postgres
from knowwhy.tables.homes.dumping import TABLES, run, tool
from knowwhy.tables.homes.postgres import TOOLS

RESTORER = "knowwhy_restorer"  # who reads the dump in: with no right to files or programs
MEMORY = "-c maintenance_work_mem=256MB -c max_parallel_maintenance_workers=1"  # vector indexes
# What a database of Pixeltable's consists of; a function or trigger would be somebody's program.
EXPECTED = (
    "COMMENT", "CONSTRAINT", "DEFAULT", "EXTENSION", "FK CONSTRAINT", "INDEX", "SEQUENCE",
    "SEQUENCE OWNED BY", "SEQUENCE SET", "TABLE", "TABLE DATA",
)  # fmt: skip
ENTRY = re.compile(r"\d+; \d+ \d+ ([A-Z ]+?) (?:-|[a-z]\S*) ")
PLANTED = sql.text(
    "SELECT proname FROM pg_proc p WHERE p.oid >= 16384 AND NOT EXISTS"
    " (SELECT 1 FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')"
    " UNION ALL SELECT tgname FROM pg_trigger WHERE NOT tgisinternal"
    " UNION ALL SELECT rulename FROM pg_rewrite WHERE oid >= 16384 AND NOT EXISTS"
    " (SELECT 1 FROM pg_depend d WHERE d.objid = pg_rewrite.oid AND d.deptype = 'e')"
)

METADATA_OF_TODAY = pixeltable.metadata.VERSION
FIRST_METADATA = 56  # of Pixeltable 0.7.21, with which the first homes were made
WITH_METADATA = ("dirs", "tables", "tableversions", "tableschemaversions", "pendingtableops")
METADATA = sql.text("SELECT md->>'schema_version' FROM systeminfo")
HAS_METADATA = sql.text("SELECT to_regclass('public.systeminfo') IS NOT NULL")


def postgres_version() -> str:
    """Names the version of the Postgres that reads dumps here."""
    said = run([str(TOOLS / "pg_restore"), "--version"], "asking for the version of Postgres")
    return said.decode().split()[-1]


def check_contents(given: IO[bytes]) -> None:
    """Refuses a dump with anything in it that a home's database does not have."""
    listed = run([str(TOOLS / "pg_restore"), "--list"], "reading the dump", given=given)
    for line in listed.decode(errors="replace").splitlines():
        if line.startswith(";") or not line.strip():
            continue
        entry = ENTRY.match(line)
        if entry is None or entry[1] not in EXPECTED:
            raise BadInput(
                f"The backup's database holds {line[:80]!r}, which no home's has; nothing was "
                "changed."
            )


def fill(folder: Path, database: str, given: IO[bytes], made_with: str) -> dict[str, int]:
    """Makes the database of a home out of a dump; gives the number of rows of each table.

    The version of Pixeltable that is said to have made it must fit what it holds.
    """
    with translated("starting the database"):
        server = postgres.start(folder / home.PGDATA)
        url = sql.make_url(server.get_uri(database="postgres", driver="psycopg"))
    with translated("making the database"):
        with _connected(url) as connection:
            quoted = connection.dialect.identifier_preparer.quote(database)
            connection.exec_driver_sql(f"CREATE ROLE {RESTORER} LOGIN")
            connection.exec_driver_sql(PostgresqlDbms(url).create_db_stmt(quoted))
            connection.exec_driver_sql(f"ALTER DATABASE {quoted} OWNER TO {RESTORER}")
        with _connected(url.set(database=database)) as connection:
            connection.exec_driver_sql("CREATE EXTENSION vector")
    command = [
        *tool("pg_restore", url, RESTORER),
        "--exit-on-error",
        "--single-transaction",
        "--no-owner",
        "--no-privileges",
        "--no-comments",
        f"--dbname={database}",
    ]
    run(command, "reading the database in", given=given, options=MEMORY)
    with (
        translated("looking at the database"),
        _connected(url.set(database=database)) as connection,
    ):
        _check_metadata(connection, made_with)
        return _settled(connection)


def _check_metadata(connection: sql.Connection, made_with: str) -> None:
    """Refuses what Pixeltable would run while it opens the database.

    It brings older metadata up to date by unpickling functions, and unpickles those that stand in
    metadata of today; it stores ours by their names.
    """
    found = list(connection.scalars(METADATA)) if connection.scalar(HAS_METADATA) else []
    least = METADATA_OF_TODAY if made_with == version("pixeltable") else FIRST_METADATA
    number = found[0] if len(found) == 1 else None
    if number is None or not number.isdecimal() or not least <= int(number) <= METADATA_OF_TODAY:
        raise BadInput(
            f"The backup says that Pixeltable {made_with} made it, and its database is of another "
            f"form ({number or 'none'}, not {least}); nothing was kept."
        )
    for name in WITH_METADATA:
        quoted = connection.dialect.identifier_preparer.quote(name)
        for told in connection.scalars(sql.text(f"SELECT to_jsonb(t) FROM {quoted} t")):
            if (program := _program(told)) is not None:
                raise BadInput(
                    f"The backup's database brings a program of its own ({program!r}); nothing was "
                    "kept."
                )


def _program(told: Any) -> str | None:
    """Gives a function that metadata hold as a program, or a class that is not Pixeltable's."""
    if isinstance(told, list):
        return next(filter(None, map(_program, told)), None)
    if not isinstance(told, dict):
        return None
    place = told.get("_classpath")
    if place is not None and ("binary" in told or not str(place).startswith("pixeltable.")):
        return str(told.get("name", place))[:80]
    return next(filter(None, map(_program, told.values())), None)


def _settled(connection: sql.Connection) -> dict[str, int]:
    """Gives what was read in to the database's own user, and counts it."""
    planted = list(connection.scalars(PLANTED))
    if planted:
        raise StoreFailed(f"The backup's database brings a program of its own ({planted[0]!r}).")
    connection.exec_driver_sql(f"REASSIGN OWNED BY {RESTORER} TO postgres")
    connection.exec_driver_sql(f"DROP OWNED BY {RESTORER}")
    connection.exec_driver_sql(f"DROP ROLE {RESTORER}")
    connection.exec_driver_sql("ANALYZE")
    quoted = connection.dialect.identifier_preparer.quote
    return {
        name: int(connection.exec_driver_sql(f"SELECT count(*) FROM {quoted(name)}").scalar() or 0)
        for name in list(connection.scalars(TABLES))
    }


@contextmanager
def _connected(url: sql.URL) -> Iterator[sql.Connection]:
    engine = sql.create_engine(url, isolation_level="AUTOCOMMIT")
    try:
        with engine.connect() as connection:
            yield connection
    finally:
        engine.dispose()
