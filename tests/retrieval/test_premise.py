"""What a question takes for granted, by its forms, and who may see what it names."""

import pytest

from knowwhy.graph.names import Mention
from knowwhy.retrieval.premise import Slip, premise_of
from knowwhy.retrieval.search import search
from knowwhy.tables import write
from knowwhy.text.tokens import tokens
from knowwhy.types import Asker, Draft, Filters

TOLD = """
We moved from RabbitMQ to Kafka, because messages were lost. Kubernetes runs the orders service in a
data center of Tomas Rijnders. PostgreSQL holds the read model; retry_budget is set in HttpClient.
The JWT of the portal lives for an hour. settings.py and orders/limits.py say so, per ADR-12.
SEV-1 is the worst. 0.38.1 and v0.38.2-rc.1 are out, with issues/123 and #124.
"""


def unknown(question, mentioned=(), *, is_large=True, told=TOLD):
    seen = set(tokens(told))
    return premise_of(question, mentioned, lambda words: seen & set(words), is_large=is_large)


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("Why did we move from RabbitMQ to Pulsar?", "Pulsar"),
        ("why did we move from rabbitmq to pulsar?", "pulsar"),
        ("Pulsar: who runs it?", "Pulsar"),
        ("What did Miriam decide?", "Miriam"),
        ("What is Miriam's view of Kafka?", "Miriam"),
        ("Which queue does the OrderRelay read?", "OrderRelay"),
        ("Where is retry_ceiling set?", "retry_ceiling"),
        ("What does `orders/quota.py` limit?", "orders/quota.py"),
        ("Which modules import orders.pricing.rules?", "orders.pricing.rules"),
        ("What does --delete-delay do?", "--delete-delay"),
        ("Are we hit by CVE-2031-4411?", "CVE-2031-4411"),
        ("Which code imports boto3?", "boto3"),
        ("Who is called at SEV-7?", "SEV-7"),
        ("What is new in v9.9.9?", "v9.9.9"),
        ("What is new in 0.38.9?", "0.38.9"),
        ("What is new in v0.38.9?", "v0.38.9"),
        ("What was fixed by #4711?", "#4711"),
        ("are we hit by cve-2031-4411?", "cve-2031-4411"),
        ("Which modules import orders/orders/portal.py?", "orders/orders/portal.py"),
        ("Who chose Ruby on Rails for the portal?", "Ruby on Rails"),
    ],
)
def test_a_name_that_stands_nowhere_is_unknown(question, name):
    assert (name,) == unknown(question).names


@pytest.mark.parametrize(
    "question",
    [
        "Why did we move from RabbitMQ to Kafka?",
        "why did we leave postgres?",
        "Why is Postgres there?",
        "Who runs k8s?",
        "What does Tomas Rijnders' team do?",
        "How long do JWTs live?",
        "What is HttpClient's retry_budget?",
        "What do settings.py and app/orders/limits.py say?",
        "What is decided in ADR-12?",
        "What happened in March 2024, on Friday or in Q3 2023?",
        "Why don't we lose messages and/or data?",
        "Is it e.g. 15 minutes, 2.5 hours or v2.1?",
        "Who holds the datacenter?",
        "What was fixed on 12.11.2024 by step #3 and v0.38.1, 0.38.2, #123 or PR #124?",
    ],
)
def test_what_stands_somewhere_in_any_spelling_and_what_is_no_name_is_not_unknown(question):
    found = unknown(question)

    assert ((), ()) == (found.names, found.slips)


def test_a_slip_in_a_name_is_told_from_a_name():
    slipped, other = unknown("Who runs Kuberntes?"), unknown("Why is Vault there?", told="A fault.")

    assert ((), ["Kuberntes"]) == (slipped.names, [slip.text for slip in slipped.slips])
    assert "Kubernetes" == slipped.slips[0].meant(["We run Kubernetes."])
    assert (("Vault",), ()) == (other.names, other.slips)


def test_a_slip_is_one_only_of_what_is_found_and_written_as_a_name():
    render, portal = unknown("Why Render it?", told="A reader.").slips[0], "A note on the ports."

    assert "" == render.meant([portal, "A reader reads."])
    assert "" == unknown("Who runs Kuberntes?").slips[0].meant([portal])
    assert "" == Slip("Themis", frozenset(("themus",)), is_name=True).meant(["These, Those, That"])


def test_a_name_of_which_only_another_word_differs_in_one_letter_is_unknown(store):
    texts = {
        "Ledger": "The ledger has shards: a reader of ledger shards chooses one by its key.",
        "Grafana": "Dashboards are drawn by Grafana.",
    }
    drafts = [
        Draft(id=title, kind="adr", title=title, content=f"# {title}\n\n{text}\n")
        for title, text in texts.items()
    ]
    write.put_records(write.prepare(drafts, "wordhash"))

    def asked(question, k):
        return search(question, embedder="wordhash", reranker="none", k=k)

    for k in (1, 5):
        other = asked("Why did we choose Render for ledger shards?", k)
        assert (False, ("Render",)) == (other.knows, other.unknown)
    slipped = asked("Which dashboards are drawn by Grafanna?", 1)
    assert (True, ()) == (slipped.knows, slipped.unknown)
    assert "nothing here has Grafanna; Grafana is there" in slipped.notes
    hidden = asked("Which ledger shards has Grafanna?", 1)
    assert bool(hidden.unknown) != any("Grafana is there" in note for note in hidden.notes)


def test_other_words_count_only_where_much_was_written():
    question = "Which CDN serves the payroll page of the portal?"

    assert ("CDN", "serves", "payroll", "page") == unknown(question).words
    assert () == unknown(question, is_large=False).words


def test_capitals_of_a_heading_and_of_a_first_word_make_no_name():
    assert () == unknown("Merchants lose messages").names
    assert () == unknown("Remove The Load Balancer Tier From Production").names


@pytest.mark.parametrize(
    "question",
    [
        "How Does Authentication Work",
        "Why Was Authentication Moved",
        "Rotation of Certificates and Secrets",
        "¿Por qué usamos Kafka?",
        "¡Hola! ¿Dónde está Kafka?",
        "Bueno, ¿Cuándo usamos Kafka?",
        "**Retention** of messages",
        "See below. - Retention of messages",
        "Warum nutzen wir einen Vermittler für die Nachrichten?",
        "Wie funktioniert die Anmeldung?",
        "Was ist der Grund der Umstellung?",
        "Wer betreut den Dienst und die Datenbank?",
    ],
)
def test_capitals_that_a_heading_a_sentence_or_a_language_asks_for_make_no_name(question):
    assert () == unknown(question).names


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("Warum nutzen wir Pulsar statt Kafka?", "Pulsar"),
        ("Wie setzt der OrderRelay die Reihenfolge?", "OrderRelay"),
        ("¿Por qué usamos Gatekeeper?", "Gatekeeper"),
        ("Why did the pods of Gatekeeper die?", "Gatekeeper"),
        ("What was decided on Gatekeeper as an API?", "Gatekeeper"),
        ("Who is Jan van der Gatekeeper in all this?", "Gatekeeper"),
        ("Is the MIT license in use as it was for Gatekeeper?", "Gatekeeper"),
        ("Why Pulsar?", "Pulsar"),
        ("Why Gatekeeper or Kafka?", "Gatekeeper"),
        ("Who is Miriam?", "Miriam"),
        ("What of Gatekeeper?", "Gatekeeper"),
        ("Why was it Gatekeeper of the Portal?", "Gatekeeper"),
    ],
)
def test_a_name_is_one_in_another_language_too(question, name):
    assert name in unknown(question).names


def test_what_the_graph_has_by_that_name_is_known_but_not_what_stands_inside_a_part_of_a_title():
    question = "Who put Gatekeeper in front of Kafka?"
    whole = Mention(("service:gatekeeper",), "service", 8, 18, "name")
    part = Mention(("adr7",), "record", 4, 36, "part")

    assert () == unknown(question, [whole]).names
    assert ("Gatekeeper",) == unknown(question, [part]).names


def test_a_long_text_does_not_rest_on_each_of_its_names():
    assert () == unknown("Pulsar was chosen because it keeps order. " * 8).names


def test_a_name_that_only_others_have_written_is_unknown_and_so_is_a_slip_of_it(store):
    drafts = [
        Draft(
            id=f"{project}/1",
            kind="adr",
            title=f"Use {broker}",
            content=f"# Use {broker}\n\nWe use {broker} because it keeps order.",
            project=project,
        )
        for project, broker in (("theirs", "Quillbroker"), ("ours", "Kafka"))
    ]
    write.put_records(write.prepare(drafts, "wordhash"))

    def asked(project, name):
        return search(
            f"Why do we use {name}?",
            embedder="wordhash",
            reranker="none",
            filters=Filters(project=project, asker=Asker("ada", project)),
        )

    assert asked("theirs", "Quillbroker").knows
    for name in ("Quillbroker", "Quillbrokor"):
        ours = asked("ours", name)
        assert (False, (name,)) == (ours.knows, ours.unknown)
        assert "Quillbroker is there" not in " ".join(ours.notes)
    assert any("Quillbroker is there" in note for note in asked("theirs", "Quillbrokor").notes)
