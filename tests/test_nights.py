"""Nights that are killed, and nights beside writers and readers: short runs of the benches."""

import pytest

from evaluation.benches import night_crowd, night_kills


@pytest.mark.soak
def test_a_night_that_is_killed_and_run_again_ends_as_one_that_nobody_disturbed():
    figures = night_kills.measure(times=2, size=300)

    assert "0" == figures["other than after one undisturbed"]


@pytest.mark.soak
def test_a_night_beside_writers_and_readers_loses_nothing():
    figures = night_crowd.measure(size=300)

    assert ("0", "0") == (figures["lost writes"], figures["lost originals"])
    assert "0 of 30" == figures["traps merged"]
