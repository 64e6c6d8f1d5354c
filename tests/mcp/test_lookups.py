"""What a key, a label or a path names: in the repository that is served, for who asks."""

import json
import re

import pytest
from wire import git, over_stdio

DECISION = "docs/adr/0001-use-kafka.md"
SPOKEN = "The blue printer jams on recycled paper, so we feed it new paper only."


def made(folder, why):
    """Makes a repository called `api` with one decision."""
    file = folder / "api" / DECISION
    file.parent.mkdir(parents=True)
    file.write_text(f"# ADR-1: Use Kafka\n\nStatus: accepted\n\n## Decision\n\n{why}\n")
    root = folder / "api"
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "Decide")
    return root


def test_a_path_names_the_file_of_the_served_repository_and_no_other(store, tmp_path):
    first = made(tmp_path / "one", "Orders are replayed.")
    second = made(tmp_path / "two", "Invoices are replayed.")
    for root, own, others in ((first, "Orders", "Invoices"), (second, "Invoices", "Orders")):
        with over_stdio("--user", "ann", "--repo", str(root)) as ann:
            ann.ok("ingest", wait_seconds=120)
            for path in (DECISION, f"./{DECISION}", str(root / DECISION)):
                said = ann.ok("get", key=path).text
                assert (True, False) == (own in said, others in said), path
            assert str(root / DECISION) == ann.ok("why", key=DECISION).data["source"]
    with over_stdio("--user", "ann", "--repo", str(first)) as ann:
        assert "Orders" in ann.ok("get", key=DECISION).text
        said = ann.fails("get", key="ADR-1")
        assert "'ADR-1' names 2 records: " in said
        keys = re.findall(r"^\[\d\] (.+)$", said, re.MULTILINE)
        texts = [ann.ok("get", key=key).text for key in keys]
        assert 1 == sum("Orders" in text for text in texts)
        assert 1 == sum("Invoices" in text for text in texts)
        assert "No record is called 'docs/adr/none.md'" in ann.fails("get", key="docs/adr/none.md")
        assert "No record is called" in ann.fails("get", key=f"../../two/api/{DECISION}")
    git(second, "worktree", "add", "-q", str(tmp_path / "tree"))
    with over_stdio("--user", "ann", "--repo", str(tmp_path / "tree")) as ann:
        assert "Invoices" in ann.ok("get", key=DECISION).text


def test_paths_begin_at_the_repository_from_whichever_folder_the_server_is_started(store, tmp_path):
    root = made(tmp_path, "Orders are replayed.")
    below = root / "services" / "orders"
    below.mkdir(parents=True)
    (below / "main.py").write_text("lanes = 1\n")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "Serve orders")
    with over_stdio("--user", "ann", "--profile", "all", folder=below) as ann:
        taken = ann.ok("ingest_adr", path="docs/adr", wait_seconds=120).data["result"]
        ann.ok("ingest", wait_seconds=120)
        kinds = ann.ok("statistics").data["kinds"]
        history = ann.ok("file_history", path="services/orders/main.py").data["commits"]

    assert 1 == taken["added"]
    assert {"adr", "code"} == kinds.keys()
    assert ["Serve orders"] == [commit["subject"] for commit in history]


def test_records_of_another_project_are_not_counted_among_those_of_a_name(store, tmp_path):
    roots = [made(tmp_path / name, f"For {name}.") for name in ("one", "two")]
    for root, project in zip(roots, ("p-one", "p-two"), strict=True):
        with over_stdio("--repo", str(root), "--project", project) as assistant:
            assistant.ok("ingest", wait_seconds=120)
    with over_stdio("--repo", str(roots[1]), "--project", "p-two") as assistant:
        assert "For two." in assistant.ok("get", key="ADR-1").text
    with over_stdio("--repo", str(roots[1]), "--project", "p-three") as assistant:
        said = assistant.fails("get", key="ADR-1")
        assert said == assistant.fails("get", key="ADR-9").replace("ADR-9", "ADR-1")


def test_a_repository_whose_name_begins_as_the_keys_of_memories_do_can_be_read(store, tmp_path):
    root = tmp_path / "m-shop"
    made(tmp_path, "Orders are replayed.").rename(root)
    key = f"m-shop/{DECISION}"
    with over_stdio("--user", "ann", "--repo", str(root)) as ann:
        ann.ok("ingest", wait_seconds=120)
        attached = ann.ask("read_resource", f"project://memory/item/{key}").contents[0].text
        read, origin = ann.ok("get", key=key).text, ann.ok("why", key=key).data["source"]
        kept = ann.ok("remember", text="The till opens at nine (ADR-1).").data["key"]

        assert "Orders are replayed" in read
        assert "Orders are replayed" in attached
        assert str(root / DECISION) == origin
        assert "opens at nine" in ann.ok("get", key=kept).text
        assert "Its tier is" in ann.ok("why", key=kept).text


def test_a_record_may_be_called_as_a_memory_could_be(store, tmp_path):
    name = "m-0123456789abcdef0123"
    file = tmp_path / "records.jsonl"
    told = {"id": name, "kind": "adr", "title": "Lamps", "text": "Lamps are green."}
    file.write_text(json.dumps(told))
    with over_stdio("--user", "ann", "--repo", str(tmp_path)) as ann:
        ann.ok("ingest", path=str(file), kind="jsonl", wait_seconds=120)

        assert "Lamps are green" in ann.ok("get", key=name).text
        assert name == ann.ok("why", key=name).data["key"]
        assert "You have no memory" in ann.fails("get", key="m-9999999999abcdef0123")


@pytest.fixture
def turn(store):
    """Gives the key of what ann has said."""
    with over_stdio("--user", "ann", "--profile", "all") as ann:
        yield ann.ok("add_turn", text=SPOKEN, session="s-1").data["key"], ann


def test_the_key_of_a_turn_gives_the_turn(turn):
    key, ann = turn

    read = ann.ok("get", key=key)
    origin = ann.ok("why", key=key)

    assert SPOKEN in read.text
    assert (key, SPOKEN, "s-1") == tuple(read.data[name] for name in ("key", "text", "session"))
    assert SPOKEN[:10] not in ann.ok("get", key=key, offset=20).text
    assert "It was said in a conversation" in origin.text
    assert (key, "s-1") == (origin.data["key"], origin.data["session"])


@pytest.mark.parametrize("tool", ["get", "why"])
def test_the_key_of_anothers_turn_is_what_nothing_is_called(turn, tool):
    key, _ = turn

    with over_stdio("--user", "bob") as bob:
        said = bob.fails(tool, key=key)
        assert f"No record is called '{key}'" in said
        assert said == bob.fails(tool, key="0" * len(key)).replace("0" * len(key), key)
        assert "printer" not in json.dumps(said)
