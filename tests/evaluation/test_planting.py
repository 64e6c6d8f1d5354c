"""The store that the bench of the night plants."""

from evaluation.planting import LOOKALIKES, TRAPS, plant
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
