"""Nights that are undone one after another, in either order, and what is in force in between."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from knowwhy.tables.kept.in_force import Written, in_force, is_of_known_past
from nights_of import LONG_AGO, kept, now_of, ran, told

STARTED = datetime(2026, 3, 1, tzinfo=UTC)


def changes(*given):
    """Makes changes of one memory, one after another: who made each, and which run it put back."""
    moments = [STARTED + timedelta(hours=n) for n in range(len(given))]
    return {
        at: Written(at, moments[n - 1] if n else None, {}, *who)
        for n, (at, who) in enumerate(zip(moments, given, strict=True))
    }


@pytest.mark.parametrize(
    ("given", "standing"),
    [
        ([(None,), ("n1",), ("n2",)], [2, 1, 0]),
        ([(None,), ("n1",), ("n2",), ("u2", "n2")], [1, 0]),
        ([(None,), ("n1",), ("n2",), ("u2", "n2"), ("u1", "n1")], [0]),
        ([(None,), ("n1",), ("n1",), ("u1", "n1")], [0]),
        ([(None,), ("n1",), ("n2",), ("n3",), ("u3", "n3"), ("u2", "n2")], [1, 0]),
        ([(None,), ("n1",), ("n2",), ("u2", "n2"), ("u3", "u2")], [2, 1, 0]),
        ([(None,), ("n1",), ("u1", "n1"), ("u2", "u1"), ("u3", "u2")], [0]),
        ([(None,), ("n1",), ("u1", "n1"), ("ann",)], [3, 0]),
        ([(None,), ("n1",), ("ann",), ("n2",), ("u2", "n2")], [2, 1, 0]),
    ],
)
def test_what_was_put_back_is_not_in_force_and_what_was_before_it_is(given, standing):
    written = changes(*given)
    last = max(written)

    found = [change.at for change in in_force(last, written)]

    assert [STARTED + timedelta(hours=n) for n in standing] == found
    assert is_of_known_past(last, written)


def test_changes_whose_beginning_is_not_known_are_told_to_be_so():
    written = changes((None,), ("n1",), ("n2",))
    del written[STARTED]

    assert 2 == len(list(in_force(max(written), written)))
    assert not is_of_known_past(max(written), written)
    assert not is_of_known_past(STARTED, written)


def two_nights(knowwhy):
    """Two nights, of which the second merges into what the first has merged into."""
    keys = kept(
        told(1, "Secrets of the shop are kept in Vault", confidence=0.5),
        told(2, "Secrets of the shop are kept in Vault!", 1, confidence=0.7),
    )
    first = ran(knowwhy, "--only", "merge")["key"]
    keys += kept(told(3, "Secrets of the shop are kept in Vault.", 2, confidence=0.9))
    second = ran(knowwhy, "--only", "merge")["key"]
    assert ["active", "superseded", "superseded"] == [memory.status for memory in now_of(*keys)]
    return keys, first, second


def undo(knowwhy, run):
    (report,) = ran(knowwhy, "--undo", run)["reports"]
    return report["done"], report["notes"]


def seen(keys):
    return [replace(memory, touched_at=LONG_AGO) for memory in now_of(*keys)]


def test_nights_that_are_undone_the_last_first_leave_what_was_before_both(knowwhy):
    keys, first, second = two_nights(knowwhy)

    assert [(2, []), (2, [])] == [undo(knowwhy, second), undo(knowwhy, first)]

    assert [("active", 0.5, {}), ("active", 0.7, {}), ("active", 0.9, {})] == [
        (memory.status, memory.confidence, memory.metadata) for memory in seen(keys)
    ]
    assert [(0, []), (0, [])] == [undo(knowwhy, first), undo(knowwhy, second)]


def test_a_night_that_is_undone_before_a_later_one_names_what_stays_and_ends_the_same(knowwhy):
    keys, first, second = two_nights(knowwhy)

    done, (note,) = undo(knowwhy, first)
    assert (1, True) == (
        done,
        note.startswith(f"1 were changed since and stay as they are: {keys[0]}"),
    )
    assert [(2, []), (1, [])] == [undo(knowwhy, second), undo(knowwhy, first)]

    assert ["active"] * 3 == [memory.status for memory in now_of(*keys)]
    assert [0.5, {}] == [now_of(keys[0])[0].confidence, now_of(keys[0])[0].metadata]


def test_an_undoing_that_is_undone_brings_the_night_back_which_can_be_undone_again(knowwhy):
    keys, _, second = two_nights(knowwhy)
    merged = seen(keys)
    undoing = ran(knowwhy, "--undo", second)["key"]

    assert (2, []) == undo(knowwhy, undoing)
    assert merged == seen(keys)
    assert (2, []) == undo(knowwhy, second)
    assert "active" == now_of(keys[2])[0].status
