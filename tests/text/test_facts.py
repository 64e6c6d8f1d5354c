"""What the rules read in a turn, and what they leave alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowwhy.retrieval.context.fence import fence_word, fenced, warning
from knowwhy.text.speech.facts import MOST_FACTS, facts
from pace import assert_linear, run_of


def read(content, context=None, role="user"):
    return [(fact.kind, fact.content) for fact in facts(content, context, role)]


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("preference", "I always use ruff in new projects."),
        ("preference", "Please keep commits small."),
        ("preference", "I'd rather see a failing test first than a fix."),
        ("preference", "Please answer in German when I write German."),
        ("preference", "Use single quotes everywhere."),
        ("preference", "Never merge on red."),
        ("preference", "Can we please stop adding emojis to the changelog?"),
        ("decision", "We chose Hetzner for the build machines as it is a third of the price."),
        ("decision", "We've agreed that the API stays on v2 until the end of 2026."),
        ("decision", "Management approved the budget for two more nodes."),
        ("decision", "We're moving the docs to mkdocs because Sphinx takes ages."),
        ("fact", "The retry queue lives in Redis db 3."),
        ("fact", "Our Postgres has pgvector 0.7 installed."),
        ("fact", "Backups run at 02:00 and are kept for 30 days."),
        ("fact", "Clients may call it twice a second, the gateway allows no more."),
        ("correction", "We don't run Windows builders any more."),
        ("procedure", "When the disk fills up, run `halmctl prune` and tell Noor."),
        ("procedure", "To ship a hotfix, branch off the tag, cherry-pick and run `make fix`."),
    ],
)
def test_a_sentence_that_claims_is_read_whole(kind, text):
    assert [(kind, text)] == read(text)


@pytest.mark.parametrize(
    "text",
    [
        "Does billing use Postgres 15?",
        "should we use uv here",
        "What if we moved the outbox to Redis?",
        "If we moved the outbox to Redis we could drop the relay.",
        "Suppose the relay runs every second.",
        "Maybe billing uses Postgres 15.",
        "I think the outbox relay runs every 200 ms.",
        "It definitely might be the pool of `orders/db.py`.",
        "We haven't decided between Hetzner and OVH.",
        "We may move billing to Postgres 16.",
        "Please rename `x` to `offset` and run the tests again.",
        "Don't run the tests yet.",
        "Tomas says that we always use Go for new services.",
        "Our CTO thinks we should use microservices.",
        '"All services must use PostgreSQL. Exceptions need an ADR."',
        "Python 3.13 removed the cgi module.",
        "Thanks, that works!",
        "The tests are green.",
        "I decided to take Friday off.",
        "I'm in a meeting until 3, go on with the plan.",
        "I'm on the train, bad wifi.",
        "I'm a bit tired, sorry.",
        "The tests of billing are green now.",
        "No, thanks.",
        "",
    ],
)
def test_what_claims_nothing_lasting_is_left_alone(text):
    assert [] == read(text)


@pytest.mark.parametrize(
    "pasted",
    [
        "```\nwe decided to use Redis because it is fast\n```",
        "~~~~\nI always use pnpm\n~~~\nour API runs on port 80\n~~~~",
        "```\nwe decided to use Redis, and the fence is never closed",
        "> We decided to use MongoDB because schemas change.",
        "2025-10-02 08:11:03 INFO we use 5 attempts, retry policy is exponential",
        "[WARN] our pool is capped at 20 connections",
        "Traceback (most recent call last):\nValueError: we never use 3 workers",
        "    # our relay runs every 500 ms\n    return now + INTERVAL",
        "$ echo we decided to use Redis because it is fast",
        "| what | we always use |\n|------|----|\n| our disk | is 3 TB |",
        "■1 ADR-0043 Timeouts\nWe decided on 800 ms because retries multiplied.",
    ],
)
def test_what_is_pasted_is_not_read(pasted):
    assert [] == read(pasted)
    assert [("preference", "I always use pnpm.")] == read("I always use pnpm.\n\n" + pasted)


def test_recalled_text_that_comes_back_is_not_learned_again():
    recalled = "We moved from Resend to Bento because DKIM kept breaking."
    word = fence_word([recalled])
    block = "\n".join([warning(word), fenced("knowledge", word, recalled)])

    assert [] == read(block)
    assert [("decision", recalled)] == read(recalled)
    assert [("fact", "Our depots speak MQTT 3.1.")] == read(f"{block}\nOur depots speak MQTT 3.1.")


def test_a_recalled_block_that_is_never_closed_goes_to_the_end():
    assert [] == read("<history-abcdge>\nI always use pnpm.\n\nWe decided to use Go.")


def test_the_reason_after_a_decision_stays_with_it():
    text = "We're dropping support for iOS 15. Only 1 % of the users are on it. Any questions?"

    assert [("decision", text.removesuffix(" Any questions?"))] == read(text)


def test_the_steps_of_a_list_are_one_procedure():
    text = "To replay letters:\n1. Pause it with `ctl pause`\n2. Fix it\n3. Unpause it\n\nThanks!"
    told = "To replay letters: 1. Pause it with `ctl pause` 2. Fix it 3. Unpause it"

    assert [("procedure", told)] == read(text)


def test_steps_that_are_counted_in_prose_are_one_procedure():
    text = "First find the parcel. Second, look up the day. Third, compare the prices."

    assert [("procedure", text)] == read(text)


@pytest.mark.parametrize(
    ("content", "context", "told"),
    [
        (
            "no, it is 14 days, not 7",
            "Dead letters are kept for 7 days before they are dropped.",
            "Dead letters are kept for 14 days before they are dropped, not 7 days.",
        ),
        (
            "Wrong, it's eu-west-3, not eu-central-1.",
            "I looked. Staging is in eu-central-1.",
            "Staging is in eu-west-3, not eu-central-1.",
        ),
        ("no, it is 14 days, not 7", "I will look.", "it is 14 days, not 7"),
        ("no, it is 14 days, not 7", None, "it is 14 days, not 7"),
        ("No, the bucket is in Ireland.", "It is in Paris.", "the bucket is in Ireland."),
    ],
)
def test_a_correction_stands_alone_where_the_context_allows(content, context, told):
    assert [("correction", told)] == read(content, context)


def test_a_value_that_is_denied_corrects_only_what_was_said():
    text = "The lease is 30 seconds, not 60."

    assert [("fact", text)] == read(text)
    assert [("correction", text)] == read(text, "The lease is 60 seconds.")


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("fact", "`book()` in client.ts posts to /v1/shipments without a key."),
        ("fact", "Your repo has two lockfiles: `package-lock.json` and `pnpm-lock.yaml`."),
        ("decision", "The team chose Avro over JSON Schema (ADR-0036), as the registry was there."),
    ],
)
def test_an_assistant_is_read_on_the_code_and_on_decisions(kind, text):
    assert [(kind, text)] == read(text, role="assistant")


@pytest.mark.parametrize(
    "text",
    [
        "I will use pnpm in all TypeScript projects for you.",
        "I can write that test in `tests/test_relay.py` for you.",
        "You should consider connection pooling.",
        "Kafka keeps messages for seven days by default.",
        "It is generally a good idea to add an index.",
        "Noted: expired flags of orders go first (MAN-998).",
        "Done. All 214 tests pass, and I committed the change as 3f2c1ab.",
        "To install pnpm:\n1. Run `corepack enable`\n2. Check `pnpm --version`",
        "We could also set `MAX_WORKERS` to 10.",
    ],
)
def test_advice_offers_and_receipts_of_an_assistant_are_not_read(text):
    assert [] == read(text, role="assistant")


def test_facts_are_numbered_and_quote_the_turn():
    content = "ok so our queue runs on  Redis 7.\nPlease keep commits small. Is that fine?"
    found = facts(content, None, "user")

    assert [0, 1] == [fact.number for fact in found]
    assert ["fact", "preference"] == [fact.kind for fact in found]
    assert all(fact.quote in content for fact in found)
    assert "our queue runs on Redis 7." == found[0].content


def test_one_turn_gives_so_many_facts_at_most():
    content = "\n\n".join(f"Our queue {n} runs on Redis {n}." for n in range(100))

    assert MOST_FACTS == len(facts(content, None, "user"))


@given(st.text(max_size=300), st.sampled_from(["user", "assistant"]))
def test_any_text_is_read_and_every_quote_is_in_it(content, role):
    for fact in facts(content, content, role):
        assert fact.quote in content
        assert 0 < fact.confidence <= 1


@pytest.mark.parametrize(
    "part",
    [
        *("We use a. ", "a", " ", "\n", "`", "```\n", "> a\n", '"', "if ", "we decided ", "no, "),
        *("- a\n", "1. ", "a: ", "a.b/", "to run ", "<history-abcdge>\n", "a_", "x = "),
        *("It is 7, not 8. ", run_of("we ", "whenever aaaa,  ")),
    ],
)
def test_a_hostile_turn_is_read_in_linear_time(part):
    assert_linear(lambda text: facts(text, text, "user"), part)
