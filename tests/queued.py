"""Who stands in a queue, as Postgres itself shows it."""


def wait_until_queued(count: int) -> None:
    """Waits until so many writers stand in queues."""
    from pixeltable.env import Env

    waiting = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
    engine = Env.get().engine.execution_options(isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        while connection.exec_driver_sql(waiting).scalar() < count:
            pass
