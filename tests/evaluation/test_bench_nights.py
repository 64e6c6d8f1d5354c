"""What the benches of the night tell, and what they call a fault."""

import pytest

from evaluation.bench import FAULTS
from evaluation.benches import health, night, night_crowd, night_kills
from evaluation.faults import added_up, undone

WELL = {
    "duplicates left": "2 of 100 (2.00%)",
    "traps merged": "0 of 30",
    "merged that were no copies": "0",
    "originals that cannot be reached": "0",
    "ended for no reason": "0",
    "contradictions settled and flagged": "50 of 50",
    "expired": "100 of 100",
    "lost in 50 provenances": "0",
    "the dry run told the same": "yes",
    "changed by a second night": "0",
}
STEP = {"name": "merge", "notes": ("It broke.",), "failed": False, "skipped": False}


def test_the_figures_of_a_size_are_told_before_the_next_size_begins(monkeypatch, capsys):
    heard = []

    def one_night(size, home):
        heard.append(capsys.readouterr().err)
        return {"the whole night": f"{size} s"}, {"merge": float(size)}

    monkeypatch.setattr(night, "night", one_night)
    figures = night.measure(sizes=(10, 1_000))

    assert ["", "10: the whole night  10 s\n"] == heard
    assert "1,000: the whole night  1000 s\n" == capsys.readouterr().err
    assert "n^1.00" == figures["merge: growth from 10 to 1,000"]
    assert "0" == figures[f"growth: {FAULTS}"]


@pytest.mark.parametrize(("seconds", "count"), [(99.0, "0"), (100.0, "1"), (0.9, "0")])
def test_a_step_that_grows_with_the_square_of_the_memories_is_a_fault(monkeypatch, seconds, count):
    took = {10: {"merge": 1.0 if seconds > 1 else 0.001}, 100: {"merge": seconds}}
    monkeypatch.setattr(night, "night", lambda size, home: ({}, took[size]))

    assert count == night.measure(sizes=(10, 100))[f"growth: {FAULTS}"]


def test_each_wait_of_a_writer_that_is_too_long_is_a_fault():
    told = night_crowd.waits([0.1, 0.4, 2.1, 3.2], [0.1, 0.2, 5.0])

    (fault,) = [name for name in told if name.endswith(FAULTS)]
    assert ("2", "3.20 s") == (told[fault], told["longest wait of a writer"])
    assert "0" == night_crowd.waits([0.1, 1.9], [5.0])[fault]


@pytest.mark.parametrize(
    ("size", "told", "seconds", "count"),
    [
        (10_000, {}, 60.0, 0),
        (10_000, {}, 60.1, 1),
        (100_000, {}, 901.0, 1),
        (1_000, {}, 901.0, 0),
        (1_000, {"expired": "97 of 100", "merged that were no copies": "2"}, 1.0, 5),
        (1_000, {"duplicates left": "3 of 100 (3.00%)"}, 1.0, 1),
        (1_000, {"traps merged": "4 of 30", "changed by a second night": "2"}, 1.0, 6),
        (1_000, {"originals that cannot be reached": "1", "lost in 50 provenances": "1"}, 1.0, 2),
        (1_000, {"ended for no reason": "3"}, 1.0, 3),
        (1_000, {"the dry run told the same": "no (merge: done)"}, 1.0, 1),
    ],
)
def test_what_a_night_may_not_leave_is_added_up(size, told, seconds, count):
    assert count == night.faults(size, WELL | told, seconds)


def test_a_night_that_did_not_come_to_its_end_is_told_with_each_step_that_did_not():
    done = {"state": "finished", "reports": [STEP | {"finished": True}]}
    late = {"state": "stopped", "reports": [STEP | {"finished": False, "skipped": True}]}

    assert [] == undone([done])
    assert ["a night is stopped", "merge: It broke."] == undone([done, late])


def test_what_others_wrote_beside_a_night_must_be_there_as_they_were_told():
    row = {"content": "A", "status": "active", "user_id": "u", "project": "shop"}
    before = {"old": row, "back": row}
    after = {"old": row, "back": row | {"status": "retracted"}, "new": row}
    written = {"new": ["A", "active", "u", "shop"]}

    well = night_crowd.lost(written, ["back"], before, after)
    assert 0 == added_up(well, *well)
    after |= {"new": row | {"status": "superseded"}, "back": row, "old": row | {"content": "B"}}
    assert ["1", "1", "1"] == list(night_crowd.lost(written, ["back"], before, after).values())
    assert ["1", "1", "2"] == list(night_crowd.lost(written, ["back"], before, {}).values())


def test_only_plain_memories_and_those_that_a_night_supersedes_are_taken_back():
    keys = ("a", "b", "old", "new", "copied", "copy", "trap", "other", "ended")
    found = {key: {"user_id": "u", "project": "shop"} for key in keys}
    planted = {"copies": [["copied", "copy"]], "clashes": [["old", "new"]], "ended": ["ended"]}
    early, late = night_crowd.to_retract({**planted, "traps": [["trap", "other"]]}, found)

    assert [("a", "u", "shop")] == early
    assert ["old", "b"] == [key for key, _, _ in late]


def test_nights_that_were_not_killed_in_the_middle_have_shown_nothing():
    assert 0 == night_kills.too_few(times=20, killed=10, amid=1)
    assert 3 == night_kills.too_few(times=20, killed=8, amid=0)


def test_an_index_that_finds_too_little_or_was_not_measured_is_a_fault():
    found = [{"recall_at_10": recall} for recall in (0.95, 0.94, None)]

    assert 1 == health.below(found)
    assert 1 == health.below(found[2:])
