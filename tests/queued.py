"""Who stands in a queue, as Postgres itself shows it."""

import time

PATIENCE = 60.0  # seconds; who has not come by then does not come


def wait_until_queued(count: int) -> None:
    """Waits until so many writers stand in queues."""
    from pixeltable.env import Env

    waiting = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
    engine = Env.get().engine.execution_options(isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        until = time.monotonic() + PATIENCE
        while connection.exec_driver_sql(waiting).scalar() < count:
            assert time.monotonic() < until, f"fewer than {count} writers stand in a queue"
