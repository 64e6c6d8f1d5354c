"""What the store notes of its tables: the same that Pixeltable tells, and of no others."""

import pytest

from knowwhy.errors import StoreFailed
from knowwhy.tables import catalogue, touched
from knowwhy.tables.write import table
from knowwhy.types import Recall


@pytest.fixture(autouse=True)
def _unknown(monkeypatch):
    monkeypatch.setattr(catalogue, "_ids", {})


def told(name):
    about = table(name).get_metadata()
    return str(about["id"]), about["version"]


def test_it_is_what_pixeltable_tells_before_and_after_a_write(store):
    from knowwhy import telemetry

    names = ("records", "recalls", "passages")
    before = {name: (note.id, note.version) for name, note in catalogue.noted(names).items()}
    assert {name: told(name) for name in names} == before
    telemetry.store([Recall("Why?", (), 0)])

    now = touched.stamps(names)
    assert {name: told(name) for name in names} == {n: (s.table, s.version) for n, s in now.items()}
    assert before["recalls"][1] + 1 == now["recalls"].version


def test_tables_that_are_not_there_are_left_out(store):
    assert {"turns"} == catalogue.noted(["turns", "none"]).keys()
    assert {} == catalogue.noted(["turns' OR true --"])
    with pytest.raises(StoreFailed, match="has lost its none, nothing; run `knowwhy doctor`"):
        touched.stamps(["turns", "nothing", "none"])


def test_a_table_of_the_users_own_in_a_folder_of_our_name_is_another(store):
    import pixeltable as pxt

    pxt.create_dir("mine/knowwhy", parents=True)
    pxt.create_table("mine/knowwhy/records", {"key": pxt.String})
    try:
        assert told("records")[0] == catalogue.noted(["records"])["records"].id
    finally:
        pxt.drop_dir("mine", force=True)


def test_a_table_under_another_name_is_looked_for_again(store):
    import pixeltable as pxt

    pxt.create_table("knowwhy/passing", {"key": pxt.String})
    try:
        first = catalogue.noted(["passing"])["passing"]
        pxt.move("knowwhy/passing", "knowwhy/passed")
        assert {} == catalogue.noted(["passing"])
        assert first.id == catalogue.noted(["passed"])["passed"].id
        pxt.drop_table("knowwhy/passed")
        assert {} == catalogue.noted(["passed"])
    finally:
        for name in ("passing", "passed"):
            pxt.drop_table(f"knowwhy/{name}", if_not_exists="ignore")
