"""What the tables of a home have come to, seen from outside without opening it."""

from pathlib import Path

import sqlalchemy as sql

from knowwhy.tables.failures import translated
from knowwhy.tables.homes import home, postgres

DATABASE = "pixeltable"
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
    server = postgres.Server(home.socket_folder(folder / home.PGDATA))
    engine = sql.create_engine(server.get_uri(DATABASE, "psycopg"), poolclass=sql.NullPool)
    with translated("looking at the tables"), engine.connect() as connection:
        names = {str(name): str(own) for name, own in connection.exec_driver_sql(NAMES)}
        found = {}
        for name, own in names.items():
            # A row that is written or changed has the number of the transaction that did it.
            told = f'SELECT count(*), coalesce(sum(xmin::text::bigint), 0) FROM "{own}"'
            rows, sum_of_writes = connection.exec_driver_sql(told).one()
            found[name] = (int(rows), int(sum_of_writes))
        return found
