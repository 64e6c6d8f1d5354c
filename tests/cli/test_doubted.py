"""What a person tells with doubt waits or is refused, also where it names a record that exists."""

import pytest

RECORD = "# ADR-12: Use Kafka\n\nStatus: accepted\n\n## Decision\n\nEvents go to Kafka.\n"
WAITS, REFUSED = 3, 4  # exit codes


@pytest.fixture
def cited(knowwhy, tmp_path):
    folder = tmp_path / "adr"
    folder.mkdir()
    (folder / "0012-use-kafka.md").write_text(RECORD)
    assert 0 == knowwhy("ingest", "adr", folder).code


@pytest.mark.usefixtures("cited")
@pytest.mark.parametrize("said_by", ["user", "assistant"])
@pytest.mark.parametrize(
    ("code", "text"),
    [
        (0, "We use Kafka for the audit log (ADR-12)."),
        (WAITS, "We probably use Kafka for the audit log (ADR-12)."),
        (WAITS, "Apparently the retention of the event topics is 3 days (ADR-12)."),
        (WAITS, "I think the orders service was never moved to Kafka, whatever ADR-12 says."),
        (WAITS, "The audit log goes to Kafka, or so I'm told (ADR-12)."),
        (REFUSED, "I wouldn't rule out a race in the consumers of ADR-12."),
    ],
)
def test_a_record_stands_for_no_supposition(knowwhy, code, text, said_by):
    done = knowwhy("remember", text, "--user", "ann", "--said-by", said_by)

    assert code == done.code, done
    assert (code == WAITS) == ("It is not put as certain" in done.out)
