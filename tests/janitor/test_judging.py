"""Pairs that rules leave unclear are put to a paid model where one is set, and else stay."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from knowwhy import models
from knowwhy.janitor import judging
from knowwhy.models import claude_call
from knowwhy.tables.kept import memories, nights
from knowwhy.tables.write import queue, table
from knowwhy.types import Change, Memory
from stand_in import KEY, answer, error, standing_in

LONG_AGO = datetime(2025, 3, 1, tzinfo=UTC)
MONDAY = "The orders team reviews every change of the console on Monday"


def verdict(said):
    text = json.dumps({"verdict": said, "reason": "Both name the day."})
    return answer([{"type": "text", "text": text}], "end_turn", (600, 200))


@pytest.fixture
def api(store, monkeypatch):
    with standing_in() as stand_in:
        stand_in.always = lambda body: verdict("same")
        monkeypatch.setenv("ANTHROPIC_BASE_URL", stand_in.url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
        monkeypatch.setenv("KNOWWHY_JUDGE", "anthropic")
        monkeypatch.setattr(judging, "PAUSE", 0.0)
        claude_call.forget_client()
        yield stand_in
        claude_call.forget_client()


def pair(number=1, what="the console", **more):
    """Keeps two claims that rules cannot tell apart; gives their keys."""
    first = MONDAY.replace("the console", what)
    keys = []
    for place, text in enumerate((first, f"{first} morning")):
        at = LONG_AGO + timedelta(days=place)
        given = {"kind": "fact", "user_id": "ann", "project": "shop", "status": "active", **more}
        keys.append(f"m-{10 * number + place:020x}")
        kept = Memory(key=keys[-1], content=text, created_at=at, touched_at=at, **given)
        models.prime([text], "wordhash")
        with queue("memories"):
            memories.put([kept], [Change(kept.key, "added")])
        models.release([text], "wordhash")
    return keys


def merging(knowwhy, *options):
    """Runs the step and gives its report."""
    done = knowwhy("nightly", "--only", "merge", "--json", *options)
    assert done.out, done.err
    return json.loads(done.out)["reports"][0]


def statuses(keys):
    held = memories.held(keys)
    return [held[key].status for key in keys]


def spent():
    source = table("spends")
    return [row["m"] for row in source.select(m=source.micro_dollars).collect()]


def test_a_pair_that_is_judged_the_same_becomes_one_and_can_be_put_back(api, knowwhy):
    keys = pair()

    report = merging(knowwhy)

    assert (1, ["active", "superseded"]) == (report["done"], statuses(keys))
    gone = memories.held(keys)[keys[1]]
    assert gone.why.endswith("claude-sonnet-5 judged that it says the same: Both name the day.")
    assert ["claude-sonnet-5 judged 1 pairs: 1 say the same, 0 do not; it cost $0.0048."] == (
        report["notes"]
    )
    assert [4_800] == spent()
    question = api.asked[0][1]["messages"][0]["content"]
    assert all(f"\n{text}\n" in question for text in (MONDAY, f"{MONDAY} morning"))
    assert not any(word in question for word in ("ann", "shop", *keys))
    run = nights.runs(1)[0]
    knowwhy("nightly", "--undo", run.key)
    assert ["active", "active"] == statuses(keys)
    assert 0 == merging(knowwhy)["done"]
    assert 1 == len(api.asked)


@pytest.mark.parametrize(
    ("said", "told"), [("different", False), ("unsure", True), ("nonsense", True)]
)
def test_a_pair_that_is_not_the_same_stays_and_is_not_asked_about_again(api, knowwhy, said, told):
    keys = pair()
    api.always = lambda body: verdict(said)

    report = merging(knowwhy)
    again = merging(knowwhy)

    assert ["active", "active"] == statuses(keys)
    assert told == any(keys[1] in note for note in report["notes"])
    listed = knowwhy("review", "alike", "--user", "ann", "--project", "shop").out
    assert told == all(key in listed for key in keys)
    assert ((0, []), 1) == ((again["done"], again["notes"]), len(api.asked))


def test_without_a_key_and_past_the_cap_pairs_stay_told_until_they_can_be_asked(
    api, knowwhy, monkeypatch
):
    keys = pair()
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    claude_call.forget_client()
    without = merging(knowwhy)
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    monkeypatch.setenv("KNOWWHY_DAILY_DOLLARS", "0.01")
    past = merging(knowwhy)

    assert ([], ["active", "active"]) == (api.asked, statuses(keys))
    for report, why in ((without, "ANTHROPIC_API_KEY is not set"), (past, "of the $0.01 a day")):
        assert all(key in report["notes"][0] for key in keys)
        assert "1 pairs wait to be judged: " in report["notes"][1]
        assert why in report["notes"][1]
    assert [0] == spent()
    monkeypatch.delenv("KNOWWHY_DAILY_DOLLARS")
    assert 1 == merging(knowwhy)["done"]


def test_a_service_that_fails_never_breaks_the_night_and_is_left_alone_after_some_tries(
    api, knowwhy
):
    till, shelf = "the till beside the northern door", "the shelf under the wooden stairs"
    keys = [*pair(1), *pair(2, till), *pair(3, shelf)]
    garbage = (200, {}, b"<html>")
    api.replies = [error(529, "overloaded_error", "slow"), verdict("same"), garbage]
    api.always = lambda body: error(500, "api_error", "oops")

    report = merging(knowwhy)

    assert 1 == report["done"]
    assert 3 + 2 == len(api.asked)
    assert 5 == statuses(keys).count("active")
    assert "2 pairs wait to be judged: The Anthropic API asks to wait" in report["notes"][-1]
    api.always = lambda body: error(401, "authentication_error", "no")
    merging(knowwhy)
    assert 6 == len(api.asked)
    api.always = lambda body: verdict("same")
    assert 2 == merging(knowwhy)["done"]


def test_what_stands_firm_or_changed_while_it_waited_is_not_asked_about(api, knowwhy):
    keys, firm = pair(1), pair(2, "the till", kind="correction")
    api.always = lambda body: error(401, "authentication_error", "no")
    first = merging(knowwhy)
    knowwhy("retract", keys[0], "--why", "No.", "--user", "ann", "--project", "shop")

    again = merging(knowwhy)

    assert [True] == ["the console" in json.dumps(body) for _, body in api.asked]
    assert ["active", "active"] == statuses(firm)
    assert firm[1] in first["notes"][0]
    assert [] == again["notes"]


def test_a_dry_run_asks_nobody_and_says_how_much_it_would(api, knowwhy):
    pair()

    report = merging(knowwhy, "--dry-run")

    assert ([], []) == (api.asked, spent())
    assert "1 pairs would be put to claude-sonnet-5." == report["notes"][-1]


@pytest.mark.parametrize(
    ("variable", "value", "why"),
    [
        ("KNOWWHY_JUDGE", "jury", "There is no judge 'jury'; set KNOWWHY_JUDGE to rules or"),
        ("KNOWWHY_JUDGE_MODEL", " x", "KNOWWHY_JUDGE_MODEL is ' x'; it must be the id"),
    ],
)
def test_a_judge_that_does_not_exist_is_refused_in_one_sentence(
    api, knowwhy, monkeypatch, variable, value, why
):
    monkeypatch.setenv(variable, value)

    refused = knowwhy("nightly")

    assert (1, "") == (refused.code, refused.out)
    assert refused.err.startswith(f"knowwhy: {why}")
