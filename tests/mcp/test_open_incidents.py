"""Which incidents a client is told to be open: all that nobody has said to be closed."""

import json

from wire import git, over_stdio

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


INCIDENTS = {
    "a.md": "# Labels lost\n\nStatus: open\nServices: orders, label-printer\n\nNo labels.\n",
    "b.md": "# Mails late\n\nStatus: open\nServices: notify\n\nLate mails.\n",
    "c.md": "# Quotes stale\n\nStatus: resolved\nServices: routing\n\nStale quotes.\n",
}


def test_open_incidents_are_told_of_one_service(store, tmp_path):
    git(tmp_path, "init", "-q", "-b", "main")
    (tmp_path / "incidents").mkdir()
    for name, text in INCIDENTS.items():
        (tmp_path / "incidents" / name).write_text(text)

    def told(*services):
        with over_stdio("--repo", str(tmp_path)) as assistant:
            names = ["active_incidents", *(f"active_incidents/{name}" for name in services)]
            uris = (f"project://memory/{name}" for name in names)
            return [assistant.ask("read_resource", uri).contents[0].text for uri in uris]

    with over_stdio("--repo", str(tmp_path)) as assistant:
        assistant.ok("ingest", wait_seconds=120)
    every, orders, printer, notify, routing = told("orders", "label%20printer", "notify", "routing")
    (tmp_path / "knowwhy.toml").write_text('service = "notify"\n')
    own, of_orders = told("orders")

    assert every.startswith("2 open incidents:")
    assert "Labels lost" in orders
    assert "Mails late" not in orders
    assert "1 open incidents of the service 'label printer':" in printer
    assert "Mails late" in notify
    assert "Labels lost" not in notify
    assert routing.startswith("No incident of the service 'routing' is open; the latest:")
    assert "Mails late" in own
    assert "Labels lost" not in own
    assert "1 open incidents are of other services" in own
    assert "Labels lost" in of_orders
