"""What a person tells with doubt waits or is refused, also where it names a record that exists."""

import json

import pytest

from knowwhy.models import claude
from stand_in import KEY, fact, message, standing_in

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


@pytest.mark.usefixtures("cited")
@pytest.mark.parametrize("text", ["We log in UTC, all of us.", "We use Kafka for audits (ADR-12)."])
def test_what_is_told_with_a_low_confidence_waits_whatever_it_cites(knowwhy, text):
    low = knowwhy("remember", text, "--user", "ann", "--confidence", "0.4", "--json")
    again = knowwhy("remember", text, "--user", "ann", "--confidence", "0.3")
    origin = knowwhy("provenance", json.loads(low.out)["key"], "--user", "ann", "--json")
    even = knowwhy("remember", text, "--user", "bob", "--confidence", "0.5")

    assert WAITS == low.code, low
    assert "confidence is 0.4, below 0.5" in json.loads(low.out)["why"]
    assert 2 == json.loads(origin.out)["tier"]
    assert REFUSED == again.code, again  # it says what waits already, and comes in no more surely
    assert 0 == even.code, even
    assert 0 == knowwhy("remember", text, "--user", "ann").code  # who is sure of it is believed


def test_doubt_makes_nothing_better(knowwhy):
    text = "Maybe the cache is too small, or something else is."

    assert REFUSED == knowwhy("remember", text, "--user", "ann", "--confidence", "0.1").code


def test_a_fact_that_its_extractor_holds_for_unlikely_waits(knowwhy, monkeypatch):
    sure, unsure = "We use Go for tools.", "We deploy on Mondays."
    monkeypatch.setenv("KNOWWHY_EXTRACTOR", "anthropic")
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    claude.forget_client()
    with standing_in() as model:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", model.url)
        told = [fact(sure, kind="fact", sure=0.9), fact(unsure, kind="fact", sure=0.3)]
        model.replies = [message({"facts": told})]
        knowwhy("say", f"{sure} {unsure}", "--user", "ann")
        ran = knowwhy("extract")
    claude.forget_client()

    assert 0 == ran.code, ran
    kept = json.loads(knowwhy("memories", "--user", "ann", "--json").out)
    waiting = json.loads(knowwhy("review", "list", "--user", "ann", "--json").out)
    assert [sure] == [memory["text"] for memory in kept]
    assert [unsure] == [memory["text"] for memory in waiting]
    assert "confidence is 0.3, below 0.5" in waiting[0]["why"]


@pytest.mark.parametrize(
    "text",
    [
        "We chose Kafka because RabbitMQ might lose messages.",
        "We keep sessions in Redis since our Postgres may fail under load.",
        "We pin the compiler to avoid that a new one could break our build.",
        "Because a single table might not scale, we sharded orders by tenant.",
    ],
)
def test_what_might_happen_is_a_reason_of_what_is_chosen(knowwhy, text):
    kept = knowwhy("remember", text, "--user", "ann")

    assert 0 == kept.code, kept
    assert text in knowwhy("memories", "--user", "ann").out


@pytest.mark.parametrize(
    ("code", "text"),
    [
        (WAITS, "We restarted the pods because the pool might have leaked."),
        (WAITS, "We chose Kafka because I guess RabbitMQ loses messages."),
        (REFUSED, "The deploy failed because the token might have expired."),
        (REFUSED, "We lost messages because the broker might be down."),
        (REFUSED, "Maybe we should use Kafka because RabbitMQ might lose messages."),
    ],
)
def test_a_guess_at_a_cause_comes_in_by_nobodys_word(knowwhy, code, text):
    assert code == knowwhy("remember", text, "--user", "ann").code
