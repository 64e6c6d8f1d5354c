"""What somebody decides while the night is at work, which looks for it anew for each page."""

from datetime import UTC, datetime

import pytest

from knowwhy.grounding import review
from knowwhy.janitor import contradictions, judging, merge, passes
from knowwhy.janitor.night import Judge, Night
from knowwhy.tables.kept import lookalikes
from knowwhy.types import Asker
from nights_of import kept, now_of, told

FLAG = {"conflicts_with": f"m-{99:020x}"}


def working(meanwhile, **more):
    """Gives a night, and what is called once: after its first page."""
    left = [meanwhile]
    night = Night("n-1", datetime.now(UTC), "wordhash", **more)
    night.keep = lambda: left.pop()() if left else None
    return night


def settled(user, key):
    review.settle(Asker(user, "shop"), key, now=datetime.now(UTC))


@pytest.mark.parametrize(
    ("step", "one", "other", "settles"),
    [
        (contradictions, "The API timeout is 30 s", "The API timeout is 60 s", 0),
        (merge, "Backups are kept in two regions", "Backups are kept in two regions.", 1),
    ],
)
def test_what_somebody_settles_during_a_step_is_left_to_them(
    store, monkeypatch, step, one, other, settles
):
    monkeypatch.setattr(passes, "TOGETHER", 2)
    texts = {"ann": (one, other), "bob": (one, other)}
    keys = kept(
        *(
            told(10 * n + day, text, day, user_id=user, **FLAG)
            for n, (user, both) in enumerate(texts.items())
            for day, text in enumerate(both)
        )
    )
    night = working(lambda: settled("bob", keys[2 + settles]))

    step.step(night.now, False, night)

    statuses = [memory.status for memory in now_of(*keys)]
    assert ["superseded", "active", "active", "active"] == sorted(statuses, reverse=True)
    assert "superseded" == statuses[settles]


def test_pairs_that_somebody_settles_while_others_are_judged_are_not_asked_about(store):
    texts = [f"The {what} team reviews every change{{}}" for what in ("till", "shelf", "door")]
    pairs = [
        kept(told(10 * n, text.format("")), told(10 * n + 1, text.format(" gladly"), 1, **FLAG))
        for n, text in enumerate(texts)
    ]
    lookalikes.flag([(*pair, 0.9) for pair in pairs], "n-1")

    def meanwhile():
        lookalikes.settle([tuple(pairs[1])], "ann")
        settled("ann", pairs[2][1])

    night = working(meanwhile, judge=Judge("claude-sonnet-5", 1.0))
    firm = kept(told(77, "Tea is green", kind="correction"), told(78, "Tea is green now", 1))
    night.cursors[judging.CURSOR] = [[*pair, 0.9] for pair in (firm, *pairs[1:])]

    found = judging.judge_pairs(night.now, night)

    assert (0, []) == (found.asked, found.waiting)
    assert [pairs[2]] == [[pair.stays, pair.goes] for pair in found.open]
