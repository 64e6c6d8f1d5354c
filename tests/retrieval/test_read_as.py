"""What the cross-encoder is given to read."""

from datetime import UTC, datetime

from knowwhy.retrieval import read_as
from knowwhy.tables.recallable import as_passage
from knowwhy.types import Turn

ASKED = "Ann: What are you looking forward to in the move?"
REPLY = "Bo: To an office with windows."
TURN = Turn("t-1", "ann", None, "s-1", "user", "Bo", REPLY, ASKED, datetime(2026, 3, 1, tzinfo=UTC))


def test_a_turn_is_read_again_after_the_turn_that_it_answers():
    assert f"{ASKED}\n{REPLY}" == read_as.alone(as_passage(TURN), "What?")
    assert f"{ASKED}\n{REPLY}" == read_as._within(TURN)
