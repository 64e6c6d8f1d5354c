"""What the tables of a home have come to, seen from outside without opening it."""

from pathlib import Path

import sqlalchemy as sql

from knowwhy.tables.failures import translated
from knowwhy.tables.homes import home

SOCKET_LINE = 4  # of postmaster.pid: the folder of the server's socket
DATABASE, USER = "pixeltable", "postgres"
NAMES = """
    SELECT t.md->>'name', c.relname FROM tables t
    JOIN pg_class c ON c.relname IN ('tbl_' || replace(t.id::text, '-', ''),
                                     'view_' || replace(t.id::text, '-', ''))
    WHERE t.dir_id IS NOT NULL AND c.relkind = 'r'
"""


def marks(folder: Path) -> dict[str, tuple[int, int]]:
    """Gives a mark of each table that any write of a row to it changes; of no server, none."""
    if home.server(folder / home.PGDATA) is None:
        return {}
    lines = (folder / home.PGDATA / "postmaster.pid").read_text(encoding="utf-8").splitlines()
    place = {"host": lines[SOCKET_LINE].strip()}
    url = sql.URL.create("postgresql+psycopg", USER, database=DATABASE, query=place)
    engine = sql.create_engine(url, poolclass=sql.NullPool)
    with translated("looking at the tables"), engine.connect() as connection:
        names = {str(name): str(own) for name, own in connection.exec_driver_sql(NAMES)}
        found = {}
        for name, own in names.items():
            # A row that is written or changed has the number of the transaction that did it.
            told = f'SELECT count(*), coalesce(sum(xmin::text::bigint), 0) FROM "{own}"'
            rows, sum_of_writes = connection.exec_driver_sql(told).one()
            found[name] = (int(rows), int(sum_of_writes))
        return found
