"""The store that the bench of the night plants."""

from dataclasses import asdict

import pytest

from evaluation.planting import LOOKALIKES, TRAPS, faults, plant
from knowwhy.text.sameness.rewording import SAME, compare, read


def test_every_kind_of_trap_is_planted_and_none_says_the_same_in_one_scope():
    rows, planted = plant(2_000)
    texts = {row["key"]: row for row in rows}
    pairs = [(texts[one], texts[other]) for one, other in planted.traps]
    together = [p for p in pairs if len({(row["user_id"], row["project"]) for row in p}) == 1]

    assert TRAPS == len(pairs)
    assert TRAPS * 2 // 3 <= len(together) < TRAPS
    assert not [p for p in together if p[0]["content"] == p[1]["content"]]
    assert len(LOOKALIKES) <= len({p[0]["content"].split()[-1] for p in together})
    assert not [
        (one["content"], other["content"])
        for one, other in together
        if compare(read(one["content"]), read(other["content"])) == SAME
    ]


def after(planted, keys, **ends):
    """Gives memories as a perfect night leaves them, but for the ends of some."""
    found = {
        key: {"status": "active", "content": "it", "why": None, "metadata": {}} for key in keys
    }
    for key in planted["ended"]:
        found[key]["status"] = "expired"
    for old, new in (*planted["clashes"], *planted["contrary"]):
        found[old] |= {"status": "superseded", "conflicts_with": new}
    for stays, goes in planted["copies"]:
        why = f"Superseded by {stays}: it says the same."
        found[goes] |= {"status": "superseded", "why": why}
        found[stays]["metadata"] = {"merged": [{"key": goes}]}
    for key, status in ends.items():
        found[key]["status"] = status
    return found


@pytest.mark.parametrize("what", ["nothing", "both copies", "the newer", "a trap", "another"])
def test_what_a_night_ends_for_no_reason_is_counted(what):
    rows, made = plant(200)
    keys, planted = [row["key"] for row in rows], asdict(made)
    fates = after(planted, keys)
    contrary = {key for pair in planted["contrary"] for key in pair}
    standing = [key for key in keys if fates[key]["status"] == "active"]
    ends = {
        "nothing": {},
        "both copies": {planted["copies"][0][0]: "superseded"},
        "the newer": {planted["clashes"][0][1]: "superseded"},
        "a trap": {next(a for a, _ in planted["traps"] if a not in contrary): "retracted"},
        "another": {standing[-1]: "expired"},
    }[what]

    told = faults(planted, after(planted, keys, **ends))

    assert str(len(ends)) == told["ended for no reason"]
    assert "0" == told["originals that cannot be reached"] == told["merged that were no copies"]
    assert "0 of" == told["duplicates left"][:4]
