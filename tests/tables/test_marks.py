"""What is seen of a home from outside: that its tables stand still, or which of them moved."""

import os
from pathlib import Path

from knowwhy.tables.agents import bearers
from knowwhy.tables.homes.marks import marks


def test_a_write_moves_the_mark_of_its_table_alone_and_a_read_none(store):
    home = Path(os.environ["PIXELTABLE_HOME"])
    before = marks(home)
    bearers.bearers()
    assert before == marks(home)

    _, made = bearers.add("ada")
    added = marks(home)
    bearers.revoke(made.key)
    changed = marks(home)

    assert {"records", "recalls", "memories"} <= before.keys()
    assert ["tokens"] == [name for name in added if added[name] != before[name]]
    assert ["tokens"] == [name for name in changed if changed[name] != added[name]]


def test_a_home_that_nobody_has_made_has_none(tmp_path):
    assert {} == marks(tmp_path)
