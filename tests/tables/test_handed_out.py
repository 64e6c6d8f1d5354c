"""What a user was handed lately is known again, whatever it is called."""

from datetime import UTC, datetime

from knowwhy import telemetry
from knowwhy.tables import write
from knowwhy.tables.talk.handed_out import handed_out
from knowwhy.types import Asker, Draft, Recall

ANN = Asker("ann")
KEY = "m-shop/docs/adr/0001.md"


def test_a_record_whose_key_begins_as_that_of_a_memory_was_handed_out(store):
    said = Draft(id=KEY, kind="adr", title="Lamps", content="Lamps are green.", content_hash="1")
    write.put_records(write.prepare([said], "wordhash"))
    telemetry.store([Recall("Which lamps?", (KEY,), 20, user_id="ann")])

    (found,) = handed_out(ANN, datetime.now(UTC))

    assert (KEY, True) == (found[0], "Lamps are green." in found[1])
