"""Messages taken in and learned from at the command line."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from knowwhy.grounding import worker
from knowwhy.models import claude
from knowwhy.tables.only_one import only_one
from stand_in import KEY, each_sentence, error, standing_in

KAFKA = "We decided to use Kafka for the event backbone because we need replay."
COMMAND = [sys.executable, "-c", "from knowwhy.cli import main; main()"]


@pytest.fixture
def paid(store, monkeypatch):
    with standing_in() as stand_in:
        stand_in.always = each_sentence
        monkeypatch.setenv("ANTHROPIC_BASE_URL", stand_in.url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
        monkeypatch.setenv("KNOWWHY_EXTRACTOR", "anthropic")
        claude.forget_client()
        worker.forget_problem()
        yield stand_in
        claude.forget_client()
        worker.forget_problem()


def test_what_is_said_is_shown_at_once_with_the_turn_before_it(knowwhy):
    first = knowwhy("say", "Why Kafka?", "--user", "ann", "--session", "s1")
    knowwhy("say", KAFKA, "--user", "ann", "--session", "s1", "--role", "assistant")

    turns = json.loads(knowwhy("history", "--user", "ann", "--json").out)

    assert 0 == first.code
    assert first.out.strip() == turns[1]["key"]
    assert [KAFKA, "Why Kafka?"] == [turn["text"] for turn in turns]
    assert "user: Why Kafka?" == turns[0]["context"]
    assert "assistant" == turns[0]["role"]


def test_the_same_message_told_again_is_kept_once(knowwhy):
    first = knowwhy("say", KAFKA, "--id", "m1", "--session", "s1", "--json")
    second = knowwhy("say", KAFKA, "--id", "m1", "--session", "s1", "--json")

    assert json.loads(first.out) == json.loads(second.out)
    assert 1 == len(json.loads(knowwhy("history", "--json").out))


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["say", "  "], "is empty"),
        (["say", "x" * 50_001], "50,001 characters"),
        (["say", KAFKA, "--user", "u" * 201], "--user must be a name"),
        (["say", KAFKA, "--id", "i" * 201], "at most 200 characters"),
        (["say", KAFKA, "--user", "ann", "--everybody"], "exclude each other"),
        (["extract", "--watch", "--json"], "--watch goes with --again, --user and --project only"),
    ],
)
def test_what_is_out_of_bounds_is_refused_in_one_sentence(knowwhy, arguments, why):
    ran = knowwhy(*arguments)

    assert 1 == ran.code
    assert why in ran.err
    assert "Traceback" not in ran.err


def test_secrets_are_kept_nowhere(knowwhy):
    knowwhy("say", f"The key is {KEY}, keep it.", "--user", "ann", "--session", f"s {KEY}")
    knowwhy("extract")

    told = knowwhy("history", "--user", "ann", "--json").out
    told += knowwhy("memories", "--user", "ann", "--status", "refused", "--json").out

    assert KEY not in told
    assert "[redacted: anthropic-key]" in told


def test_extract_reads_by_rules_and_tells_what_came_of_it(knowwhy):
    knowwhy("say", KAFKA, "--user", "ann", "--project", "orders")
    before = json.loads(knowwhy("extract", "--status", "--json").out)

    ran = knowwhy("extract")

    assert (1, 0, False) == (before["turns"], before["facts"], before["running"])
    assert 0 == ran.code
    assert ran.out.startswith("1 turns read, ")
    assert "to read    0 turns" in knowwhy("extract", "--status").out
    told = json.loads(knowwhy("status", "--json").out)
    assert (0, 0, 0) == (told["to_read"], told["to_judge"], told["given_up"])


def test_a_limit_is_kept_and_the_rest_is_left(paid, knowwhy):
    for number in range(3):
        knowwhy("say", f"Rule {number} stands.", "--session", number)

    told = json.loads(knowwhy("extract", "--limit", "2", "--json").out)

    assert (2, 2, 1) == (told["turns"], told["facts"], told["standing"]["turns"])
    assert 2 == sum(told["kept"].values())


def test_one_user_or_one_project_can_be_learned_from_while_the_others_wait(knowwhy):
    for user, project in (("ann", "orders"), ("ann", "billing"), ("bob", "orders")):
        knowwhy("say", KAFKA, "--user", user, "--project", project)

    def left(*whose):
        return json.loads(knowwhy("extract", "--status", "--json", *whose).out)["turns"]

    ann = ("--user", "ann", "--project", "orders")
    told = json.loads(knowwhy("extract", *ann, "--json").out)
    assert (1, 0) == (told["turns"], told["standing"]["turns"])
    assert (2, 1, 1) == (left(), left("--user", "ann"), left("--project", "orders"))
    assert [] == json.loads(knowwhy("memories", "--user", "bob", "--json").out)
    assert 1 == json.loads(knowwhy("extract", "--user", "ann", "--json").out)["turns"]
    assert (1, 0) == (left(), left("--user", "ann"))
    assert "1 turns read" in knowwhy("extract").out
    assert 0 == left()


def test_what_has_to_wait_is_told_and_fails_the_command_and_never_shows_the_key(paid, knowwhy):
    knowwhy("say", KAFKA)
    paid.replies = [error(401, "authentication_error", f"invalid key {KEY}")]

    ran = knowwhy("extract")
    status = knowwhy("status")

    assert 1 == ran.code
    assert "waits: ANTHROPIC_API_KEY is not accepted (401)" in ran.err
    assert "left: 1 turns to read" in ran.err
    assert "ANTHROPIC_API_KEY is not accepted" in status.out
    assert KEY not in ran.err + ran.out + status.out + status.err
    assert 0 == knowwhy("extract").code
    assert "problem" not in knowwhy("extract", "--status").out


def test_the_daily_cap_is_a_setting_and_says_so(paid, knowwhy, monkeypatch):
    knowwhy("say", KAFKA)
    monkeypatch.setenv("KNOWWHY_DAILY_DOLLARS", "0")

    ran = knowwhy("extract")

    assert 1 == ran.code
    assert "KNOWWHY_DAILY_DOLLARS allows more" in ran.err
    assert [] == paid.asked
    monkeypatch.setenv("KNOWWHY_DAILY_DOLLARS", "much")
    assert "must be a number" in knowwhy("extract").err


def test_without_a_key_it_says_what_to_set(knowwhy, monkeypatch):
    monkeypatch.setenv("KNOWWHY_EXTRACTOR", "anthropic")
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    claude.forget_client()
    knowwhy("say", KAFKA)

    ran = knowwhy("extract")

    assert 1 == ran.code
    assert "ANTHROPIC_API_KEY is not set" in ran.err
    worker.forget_problem()


def test_a_second_worker_says_that_there_is_one(knowwhy):
    with only_one(worker.PART):
        ran = knowwhy("extract")
        assert "at work    yes" in knowwhy("extract", "--status").out

    assert 1 == ran.code
    assert "Another process of this home is the extractor" in ran.err


@pytest.mark.slow
def test_watch_learns_what_comes_in_and_ends_cleanly_with_ctrl_c(knowwhy, store):
    process = subprocess.Popen(
        [*COMMAND, "extract", "--watch"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=dict(os.environ),
    )
    knowwhy("say", KAFKA)
    until = time.monotonic() + 60
    while json.loads(knowwhy("extract", "--status", "--json").out)["turns"]:
        assert time.monotonic() < until

    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)

    assert 130 == process.returncode, err
    assert "Traceback" not in err
    assert "at work    no" in knowwhy("extract", "--status").out
