"""When the tables are compared with what is declared, and when that is known to be needless."""

import pytest

from knowwhy.config import Settings
from knowwhy.tables import shape
from knowwhy.tables.connect import connect
from knowwhy.tables.write import table


@pytest.fixture
def home(store):
    settings = Settings.from_environ()
    connect(settings)
    return settings.home


def test_what_is_written_leaves_the_shape_as_it_was(home, knowwhy):
    assert shape.is_noted(home, "wordhash")

    assert 0 == knowwhy("remember", "We use Redis 7 for sessions.", "--user", "ada").code
    assert 0 == knowwhy("checkpoint", "create", "a start", "--user", "ada").code
    assert 0 == knowwhy("agents", "register", "planner", "--type", "human", "--user", "ada").code
    table("memories").delete()

    assert shape.is_noted(home, "wordhash")


def test_a_changed_table_another_model_or_other_code_is_compared_again(home, monkeypatch):
    import pixeltable as pxt

    table("tasks").add_column(extra=pxt.String)
    try:
        assert not shape.is_noted(home, "wordhash")
    finally:
        table("tasks").drop_column("extra")
    connect(Settings.from_environ())

    assert shape.is_noted(home, "wordhash")
    assert not shape.is_noted(home, "minilm")
    monkeypatch.setattr(shape, "_code", lambda: "of another version")
    assert not shape.is_noted(home, "wordhash")


@pytest.mark.parametrize("text", ["", "é", "0" * 64])
def test_a_note_that_says_nothing_is_written_anew(home, text):
    (home / shape.FILE).write_text(text, encoding="utf-8")
    assert not shape.is_noted(home, "wordhash")

    connect(Settings.from_environ())

    assert shape.is_noted(home, "wordhash")
