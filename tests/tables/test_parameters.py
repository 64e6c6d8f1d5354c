"""What searches need of the database, and what an operator has chosen."""

import os

import pytest

from knowwhy.config import Settings
from knowwhy.errors import StoreFailed
from knowwhy.tables import connect


def test_a_fresh_connection_has_the_parameters_that_filters_need(store):
    assert "searches with the parameters that filters need" == connect.check_parameters()


@pytest.fixture
def choose_width(store):
    """Sets how many candidates a vector search looks at, as an operator does."""
    from pixeltable.env import Env

    engine = Env.get().engine
    name = engine.dialect.identifier_preparer.quote(Env.get()._db_name)

    def choose(width: str) -> None:
        with engine.execution_options(isolation_level="AUTOCOMMIT").connect() as connection:
            connection.exec_driver_sql(f"ALTER DATABASE {name} SET hnsw.ef_search = {width}")
        engine.dispose()

    yield choose
    choose(connect.DATABASE_PARAMETERS["hnsw.ef_search"])


def test_a_wider_search_that_somebody_chose_is_kept_and_a_narrower_one_is_not(choose_width):
    here = Settings.from_environ({"PIXELTABLE_HOME": os.environ["PIXELTABLE_HOME"]})
    choose_width("800")
    connect.connect(here)
    kept = connect.check_parameters()
    choose_width("100")
    with pytest.raises(StoreFailed, match=r"hnsw\.ef_search is 100, not 200"):
        connect.check_parameters()
    connect.connect(here)

    assert kept == connect.check_parameters()
