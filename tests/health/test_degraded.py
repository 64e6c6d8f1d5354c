"""An index made bad on purpose: seen, mended, and an alarm where mending is prevented."""

from dataclasses import replace

import pytest

from evaluation.benches import degraded
from evaluation.benches.degraded import Told, everything, faults


@pytest.mark.soak
@pytest.mark.model
def test_a_bad_index_is_seen_and_mended_and_an_alarm_while_it_cannot_be(home_folder):
    told = degraded.looks(home_folder)

    assert [] == faults(told)
    assert everything(told.fresh)["is_baseline"]

    assert 0.90 > told.recall("prevented")
    assert "VACUUM" == everything(told.prevented)["repaired"]
    assert any("REINDEX failed" in note for note in told.prevented["notes"]), told.prevented

    assert everything(told.mended)["repaired"] in ("VACUUM", "VACUUM and REINDEX")
    assert 0 == told.after["code"]


def look(recall, *, code=0, repaired=None, alarms=(), notes=()):
    measured = {"view": "passages", "recall_at_10": recall, "repaired": repaired}
    told = [{"code": alarm} for alarm in alarms]
    return {"code": code, "measurements": [measured], "alarms": told, "notes": list(notes)}


LOW = ("recall-below-floor",)
NOTE = "passages: VACUUM took recall@10 from 0.41 to 0.99."
GOOD = Told(
    fresh=look(0.99),
    gone=0.9,
    degraded=0.41,
    prevented=look(0.41, code=1, repaired="VACUUM", alarms=LOW),
    mended=look(0.99, repaired="VACUUM", notes=[NOTE]),
    after=look(0.99),
    invalid=[],
)


@pytest.mark.parametrize(
    ("otherwise", "named"),
    [
        ({}, []),
        ({"degraded": 0.93}, ["the index was made bad"]),
        ({"prevented": look(0.41)}, ["it is seen"]),
        (
            {"mended": look(0.41, code=1, alarms=LOW)},
            [
                "it is repaired",
                "what was repaired is measured again",
                "the repair is told",
                "no alarm is left",
            ],
        ),
        ({"after": look(0.99, repaired="VACUUM")}, ["a second look repairs nothing"]),
        ({"invalid": ["idx_ccnew"]}, ["every index can be used"]),
    ],
)
def test_whatever_of_it_is_not_so_is_a_fault(otherwise, named):
    assert named == faults(replace(GOOD, **otherwise))


def test_the_bench_of_health_ends_with_an_index_that_was_made_bad(monkeypatch):
    monkeypatch.setattr(degraded, "looks", lambda home, passages: replace(GOOD, degraded=0.95))

    told = degraded.measure()

    assert "0.950" == told["degraded: 90% deleted without VACUUM"]
    assert ("no", "1") == (told["degraded: the index was made bad"], told["degraded: faults"])
