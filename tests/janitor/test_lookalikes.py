"""Pairs that may say the same are listed to their owners until somebody has settled them."""

import json
from types import SimpleNamespace

import pytest

from knowwhy.errors import BadInput
from knowwhy.mcp.caller import Caller
from knowwhy.mcp.toolbox.review_tools import review_pending
from knowwhy.tables.kept import lookalikes
from knowwhy.tables.write import table
from knowwhy.types import Asker
from nights_of import kept, ran, steps, told

ANN, BOB = ("--user", "ann", "--project", "shop"), ("--user", "bob", "--project", "shop")
MONDAY = "The orders team reviews every change of the console{} on Monday"


def a_pair(number=1, **more):
    """Keeps two claims that rules cannot tell apart; gives their keys."""
    first = MONDAY.format(number)
    return kept(told(10 * number, first, **more), told(10 * number + 1, f"{first} morning", **more))


def listed(knowwhy, whose=ANN):
    found = json.loads(knowwhy("review", "alike", *whose, "--json").out)
    return [[pair["memory"]["key"], pair["alike"]["key"]] for pair in found]


def rows():
    source = table(lookalikes.NAME)
    names = ("key", "state", "by", "run")
    found = source.order_by(source.key).select(**{n: getattr(source, n) for n in names})
    return [tuple(row.values()) for row in found.collect()]


def test_each_pair_that_rules_leave_unclear_is_listed_to_its_owner_alone(knowwhy):
    pairs = sorted(a_pair(number, service=f"s{number}") for number in range(1, 61))
    bobs = a_pair(99, user_id="bob")

    run = ran(knowwhy, "--only", "merge")

    assert (pairs, [bobs]) == (
        sorted(listed(knowwhy, (*ANN, "--limit", 100))),
        listed(knowwhy, BOB),
    )
    assert "`knowwhy review alike` lists them" in steps(run)["merge"]["notes"][0]
    shown = knowwhy("review", "alike", *BOB).out
    assert all(key in shown for key in bobs)
    assert not [key for pair in pairs for key in pair if key in shown]
    assert [] == listed(knowwhy, ("--user", "eve", "--project", "shop"))


def test_a_second_night_changes_nothing_and_a_dry_run_notes_nothing(knowwhy):
    pair = a_pair()

    ran(knowwhy, "--dry-run")
    assert [] == rows()
    ran(knowwhy)
    before, version = rows(), table(lookalikes.NAME).get_metadata()["version"]
    ran(knowwhy)

    assert (before, [pair]) == (rows(), listed(knowwhy))
    assert version == table(lookalikes.NAME).get_metadata()["version"]


@pytest.mark.parametrize(
    "settled",
    [
        ("retract", "{0}", "--why", "No."),
        ("update", "{1}", "The orders team reviews the console on Friday."),
        ("review", "differ", "{1}", "{0}"),
    ],
)
def test_a_pair_goes_from_the_list_when_one_is_changed_or_somebody_says_that_they_differ(
    knowwhy, settled
):
    pair = a_pair()
    ran(knowwhy, "--only", "merge")
    assert [pair] == listed(knowwhy)

    done = knowwhy(*(word.format(*pair) for word in settled), *ANN)

    assert 0 == done.code, done.err
    assert [] == listed(knowwhy)
    assert "Nothing is alike that nobody has looked at.\n" == knowwhy("review", "alike", *ANN).out


def test_what_somebody_has_told_apart_is_not_told_again_when_one_of_it_is_seen_anew(knowwhy):
    first, second = a_pair()
    ran(knowwhy, "--only", "merge")
    knowwhy("review", "differ", first, second, *ANN)
    kept(told(12, f"{MONDAY.format(1)}."))  # its merge writes the first once more

    report = steps(ran(knowwhy, "--only", "merge"))["merge"]

    assert (1, []) == (report["done"], report["notes"])
    assert [] == listed(knowwhy)


def test_nobody_settles_what_is_anothers_or_is_not_listed(knowwhy):
    pair = a_pair()
    before = knowwhy("review", "differ", *pair, *ANN)
    ran(knowwhy, "--only", "merge")

    others = knowwhy("review", "differ", *pair, *BOB)

    assert "are not listed as alike; `knowwhy review alike` lists what is." in before.err
    assert (1, 1) == (before.code, others.code)
    assert [pair] == listed(knowwhy)


def test_the_undoing_of_a_night_takes_back_what_it_has_noted_and_no_more(knowwhy):
    first = a_pair(1)
    ran(knowwhy, "--only", "merge")
    a_pair(2)
    night = ran(knowwhy, "--only", "merge")

    dry = ran(knowwhy, "--undo", night["key"], "--dry-run")
    undone = ran(knowwhy, "--undo", night["key"])
    again = ran(knowwhy, "--undo", night["key"])

    assert [first] == listed(knowwhy)
    told = ["1 pairs that are alike stand as they did before it."]
    assert [told, told, []] == [one["reports"][0]["notes"] for one in (dry, undone, again)]


def test_an_assistant_lists_them_and_settles_them_as_its_user_says(knowwhy):
    pair = a_pair()
    ran(knowwhy, "--only", "merge")
    ann, bob = (Caller(Asker(user, "shop"), SimpleNamespace(), "s-1") for user in ("ann", "bob"))

    seen, unseen = review_pending(ann, "alike"), review_pending(bob, "alike")
    with pytest.raises(BadInput, match="two keys"):
        review_pending(ann, "differ", keys=pair[:1])
    review_pending(ann, "differ", keys=pair)

    assert [pair] == [[p["memory"]["key"], p["alike"]["key"]] for p in seen.data["pairs"]]
    assert all(key in seen.text for key in pair)
    assert ("No two are alike.", []) == (unseen.text, unseen.data["pairs"])
    assert "No two are alike." == review_pending(ann, "alike").text
