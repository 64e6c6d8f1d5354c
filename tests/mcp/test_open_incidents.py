"""Which incidents a client is told to be open: all that nobody has said to be closed."""

import json

from wire import over_stdio

OPEN = ("open", "in progress", "ongoing (mitigated)", "Under investigation", "not resolved")
CLOSED = ("Complete, action items in progress", "**Resolved** (2025-02-03)", "closed", "final")


def active(folder, statuses):
    """Takes in an incident of each status, and reads which are open."""
    file = folder / "incidents.jsonl"
    told = [
        {"id": f"i-{n}", "kind": "incident", "title": f"Case {n}", "text": "Labels were lost."}
        | ({"status": status} if status else {})
        for n, status in enumerate(statuses)
    ]
    file.write_text("".join(json.dumps(one) + "\n" for one in told))
    with over_stdio("--repo", str(folder)) as assistant:
        assistant.ok("ingest", path=str(file), kind="jsonl", wait_seconds=120)
        (part,) = assistant.ask("read_resource", "project://memory/active_incidents").contents
    return part.text


def test_an_incident_is_open_until_it_is_said_to_be_closed(store, tmp_path):
    text = active(tmp_path, (*OPEN, *CLOSED, None))

    head = f"{len(OPEN)} open incidents, 1 that do not say whether they are open:"
    assert text.startswith(head)
    assert all(f"Case {n} " in text for n in range(len(OPEN)))
    assert not any(status in text for status in CLOSED)
    assert 1 == text.count("its status is unknown")


def test_where_all_incidents_are_closed_the_latest_are_told(store, tmp_path):
    text = active(tmp_path, CLOSED)

    assert text.startswith("No incident is open; the latest:")
    assert all(status in text for status in CLOSED)
