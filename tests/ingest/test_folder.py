"""Files become records, once, and follow their files."""

from pathlib import Path

import pytest

from knowwhy.ingest.folder import ingest_files
from knowwhy.ingest.load import Taking
from knowwhy.tables import queries, touched, write


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "adr"
    made.mkdir()
    for number, subject in ((1, "PostgreSQL for orders"), (2, "Kafka for events")):
        text = f"# {number}. Use {subject}\n\nDate: 2022-03-0{number}\n\n## Status\n\nAccepted\n"
        (made / f"000{number}-{subject.split()[0].lower()}.md").write_text(text)
    return made


def ingest(*paths: Path, kind: str = "adr", **more: object) -> dict[str, object]:
    done = ingest_files(kind, paths, Taking("wordhash", 10, **more)).as_json()
    return {name: value for name, value in done.items() if value}


def live() -> dict[str, str]:
    return {record.draft.id: record.draft.title for record in queries.records()}


def test_a_folder_becomes_records_with_what_their_texts_say(store, folder):
    assert {"added": 2} == ingest(folder)

    draft = queries.record("ADR-1").draft
    assert "adr/0001-postgresql.md" == draft.id
    assert "adr" == draft.kind
    assert "accepted" == draft.status
    assert "2022-03-01" == draft.occurred_at.date().isoformat()
    assert "Use PostgreSQL for orders" in draft.title


def test_the_second_time_nothing_is_written(store, folder):
    ingest(folder)
    version = touched.stamp("records")

    assert {"unchanged": 2} == ingest(folder)
    assert version == touched.stamp("records")


def test_only_the_file_that_changed_is_written(store, folder):
    ingest(folder)
    file = folder / "0001-postgresql.md"
    file.write_text(file.read_text().replace("Accepted", "Deprecated"))

    assert {"updated": 1, "unchanged": 1} == ingest(folder)
    assert "deprecated" == queries.record("ADR-1").draft.status


def test_a_vanished_file_is_retired_and_comes_back_with_its_file(store, folder):
    ingest(folder)
    file = folder / "0002-kafka.md"
    text = file.read_text()
    file.unlink()

    assert {"unchanged": 1, "retired": 1} == ingest(folder)
    assert ["adr/0001-postgresql.md"] == list(live())
    assert {"unchanged": 1} == ingest(folder)

    file.write_text(text)
    assert {"updated": 1, "unchanged": 1} == ingest(folder)
    assert 2 == len(live())


def test_a_renamed_file_stays_the_same_record(store, folder):
    ingest(folder)
    (folder / "0001-postgresql.md").rename(folder / "0001-database.md")

    assert {"moved": 1, "unchanged": 1} == ingest(folder)
    draft = queries.record("ADR-1").draft
    assert "adr/0001-postgresql.md" == draft.id
    assert "adr/0001-database.md" == draft.path
    assert str(folder / "0001-database.md") == draft.source


def test_two_files_with_one_text_stay_two_records(store, folder):
    text = (folder / "0001-postgresql.md").read_text()
    (folder / "copy.md").write_text(text)

    assert {"added": 3} == ingest(folder)
    assert {"unchanged": 3} == ingest(folder)


def test_a_copy_made_later_does_not_take_over_the_first(store, folder):
    ingest(folder)
    text = (folder / "0001-postgresql.md").read_text()
    (folder / "copy.md").write_text(text)

    assert {"added": 1, "unchanged": 2} == ingest(folder)


def test_first_decisions_of_two_repositories_do_not_overwrite_each_other(store, tmp_path):
    for repository in ("one", "two"):
        made = tmp_path / repository / "adr"
        made.mkdir(parents=True)
        (made / "0001-record.md").write_text(f"# 1. Record decisions of {repository}\n\nYes.\n")
        assert {"added": 1} == ingest(made)

    assert 2 == len(live())
    for repository in ("one", "two"):
        assert {"unchanged": 1} == ingest(tmp_path / repository / "adr")


def test_a_single_file_is_the_same_record_as_in_its_folder(store, folder):
    assert {"added": 1} == ingest(folder / "0001-postgresql.md")
    assert {"added": 1, "unchanged": 1} == ingest(folder)


def test_projects_keep_the_same_file_apart(store, folder):
    ingest(folder, project="p")
    ingest(folder, project="q")

    assert 4 == len(live())
    assert {"p::adr/0001-postgresql.md", "q::adr/0001-postgresql.md"} <= set(live())


def test_a_decision_is_not_taken_again_as_a_document(store, folder):
    ingest(folder)

    assert {"unchanged": 2} == ingest(folder, kind="document")
    assert {"adr"} == {record.draft.kind for record in queries.records()}


def test_a_decision_that_changed_stays_a_decision_whoever_reads_it_again(store, folder):
    ingest(folder)
    file = folder / "0001-postgresql.md"
    file.write_text(file.read_text().replace("Accepted", "Deprecated"))
    (folder / "0002-kafka.md").rename(folder / "0002-events.md")

    assert {"updated": 1, "moved": 1} == ingest(folder, kind="document")
    assert {"adr"} == {record.draft.kind for record in queries.records()}
    assert "deprecated" == queries.record("ADR-1").draft.status


def test_a_folder_that_was_emptied_retires_its_records_and_is_no_mistake(store, folder):
    ingest(folder)
    for file in folder.iterdir():
        file.unlink()

    assert {"retired": 2} == ingest(folder)


def test_a_document_becomes_a_decision_when_it_is_ingested_as_one(store, folder):
    ingest(folder, kind="document")

    assert {"updated": 2} == ingest(folder)
    assert {"adr"} == {record.draft.kind for record in queries.records()}


def test_readmes_and_templates_among_decisions_are_not_decisions(store, folder):
    (folder / "README.md").write_text("# Our decisions\n")
    (folder / "template.md").write_text("# Title\n")

    done = ingest(folder)

    assert {"added": 2, "skipped": 2} == {n: done[n] for n in ("added", "skipped")}


def test_a_service_is_kept_and_begins_the_key(store, folder):
    ingest(folder, service="orders")

    assert {"orders"} == {record.draft.service for record in queries.records()}
    assert "orders/adr/0001-postgresql.md" in live()


def test_secrets_never_reach_a_table(store, folder):
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
    (folder / "0003-token.md").write_text(
        f"---\nstatus: accepted\nnote: {secret}\n---\n# 3. Token {secret}\n\nUse {secret}.\n"
    )
    ingest(folder)

    record = queries.record("ADR-3")
    assert secret not in str(record)
    assert secret not in str(queries.passages())
    assert "redacted" in record.draft.content


def test_one_record_that_the_store_refuses_does_not_lose_the_others(store, folder, monkeypatch):
    """The store itself refuses: a database trigger rejects one title."""
    from pixeltable.env import Env

    records = write.table("records")
    column = records._tbl_version.get().cols_by_name["title"].store_name()
    store_table = records._tbl_version.get().store_tbl.sa_tbl.name
    engine = Env.get().engine.execution_options(isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.exec_driver_sql(
            f"ALTER TABLE {store_table} ADD CONSTRAINT no_kafka "
            f"CHECK ({column} NOT LIKE '%%Kafka%%') NOT VALID"
        )
    try:
        done = ingest(folder)
    finally:
        with engine.connect() as connection:
            connection.exec_driver_sql(f"ALTER TABLE {store_table} DROP CONSTRAINT no_kafka")

    assert 1 == done["added"]
    assert ["adr/0002-kafka.md"] == [refusal["where"] for refusal in done["refused"]]
    assert {"added": 1, "unchanged": 1} == ingest(folder)
