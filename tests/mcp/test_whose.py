"""Who asks: decided by how the server was started, never by what a model gives."""

import getpass
import json

import pytest
from wire import git, over_stdio

SAFE = "Ann keeps the release keys in the blue safe (ADR-7)."


@pytest.fixture(scope="module")
def keys(emptied):
    """Gives the keys of what is ann's, and a server that bob asks."""
    with over_stdio("--user", "ann") as ann:
        kept = ann.ok("remember", text=SAFE, said_by="user").data["key"]
        ann.ok("run_tool", name="add_turn", arguments={"text": SAFE, "session": "s1"})
        ann.ok("run_tool", name="create_checkpoint", arguments={"name": "mine"})
        ann.ok("set_task_context", task="Open the blue safe")
    with over_stdio("--user", "bob", "--profile", "all") as bob:
        yield kept, bob


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("get", {}),
        ("why", {}),
        ("get_memory_provenance", {}),
        ("update_memory", {"value": "Bob has the release keys now (ADR-7)."}),
        ("invalidate_memory", {"reason": "no"}),
        ("restore_memory", {"reason": "yes"}),
        ("correct_pending_memory", {"text": "Bob has the keys."}),
    ],
)
def test_nobody_reads_or_changes_anothers_memory_by_its_key(keys, tool, arguments):
    key, bob = keys

    said = bob.fails(tool, key=key, **arguments)

    assert "You have no memory" in said
    assert (
        bob.fails(tool, key="m-00000000000000000000", **arguments).replace(
            "m-00000000000000000000", key
        )
        == said
    )


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("approve_pending_memory", {"keys": ["m-1"]}),
        ("rollback_to", {"name": "mine"}),
        ("diff", {"a": "mine"}),
        ("recall", {"query": "keys", "user": "ann"}),
        ("recall", {"query": "keys", "user_id": "ann"}),
        ("remember", {"text": "Ann is away (ADR-7).", "project": "hers"}),
        ("add_turn", {"text": "I am Ann.", "user": "ann"}),
    ],
)
def test_nobody_gets_at_anothers_by_name(keys, tool, arguments):
    _, bob = keys

    assert "blue safe" not in bob.fails(tool, **arguments)


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("semantic_search", {"query": "Where are the release keys?"}),
        ("get_context", {"query": "Where are the release keys?"}),
        ("recall", {"query": "Where are the release keys?"}),
        ("recall", {}),
        ("list_memories", {}),
        ("get_pending_memories", {}),
        ("get_review_history", {}),
        ("get_history", {"session": "s1"}),
        ("get_history", {}),
        ("list_checkpoints", {}),
        ("get_task_context", {}),
        ("job_status", {}),
        ("run_tools", {"calls": [{"name": "recall", "arguments": {"query": "blue safe"}}]}),
    ],
)
def test_nothing_of_anothers_is_in_an_answer(keys, tool, arguments):
    key, bob = keys

    answer = bob.ok(tool, **arguments)

    assert [] == [word for word in ("blue safe", key, "mine") if word in answer.text]
    assert [] == [word for word in ("blue safe", key) if word in json.dumps(answer.data)]


def test_counts_are_ones_own(keys):
    _, bob = keys

    assert {} == bob.ok("statistics").data["memories"]


def test_anothers_memory_cannot_be_attached(keys):
    key, bob = keys

    with pytest.raises(Exception, match="You have no memory"):
        bob.ask("read_resource", f"project://memory/item/{key}")


def test_over_stdio_it_is_the_user_of_the_operating_system_who_asks(store):
    with over_stdio() as assistant:
        kept = assistant.ok("remember", text="We use Go for tools because it is small.")

    assert getpass.getuser() == kept.data["user"]


def test_work_trees_and_clones_share_what_is_remembered_and_others_do_not(store, tmp_path):
    def made(name):
        folder = tmp_path / name
        folder.mkdir()
        git(folder, "init", "-q", "-b", "main")
        git(folder, "commit", "-q", "--allow-empty", "-m", "Begin")
        return folder

    first, other = made("work"), made("same")
    git(first, "worktree", "add", "-q", str(tmp_path / "tree"))
    with over_stdio("--repo", str(first)) as assistant:
        text = "The fan-out queue is drained by a cron job because of INC-7."
        kept = assistant.ok("remember", text=text, said_by="user")
        assistant.ok("set_task_context", task="Drain the queue")

    assert "work" != kept.data["project"]
    with over_stdio("--repo", str(tmp_path / "tree")) as assistant:
        assert "cron job" in assistant.ok("recall", query="What drains the queue?").text
        assert "Drain the queue" in assistant.ok("get_task_context").text
    with over_stdio("--repo", str(other)) as assistant:
        assert "cron job" not in assistant.ok("recall", query="What drains the queue?").text
        assert "Drain the queue" not in assistant.ok("get_task_context").text


def test_a_server_of_one_project_knows_no_other_ones_records(store, repository):
    with over_stdio("--repo", str(repository), "--project", "one") as one:
        one.ok("ingest", path="docs/adr", kind="adr", wait_seconds=120)
        assert "Kafka" in one.ok("get", key="ADR-12").text
    with over_stdio("--repo", str(repository), "--project", "two", "--profile", "all") as two:
        two.fails("get", key="ADR-12")
        two.fails("why", key="ADR-12")
        two.fails("graph", node="ADR-12")
        said = [
            two.ok("semantic_search", query="Why Kafka as event backbone?").text,
            two.ok("list_records").text,
            two.ok("service_overview").text,
            two.ok("statistics").text,
            two.ask("read_resource", "project://memory/recent_decisions").contents[0].text,
            two.ask("read_resource", "project://memory/dependency_graph").contents[0].text,
        ]

    assert [] == [text for text in said if "ADR-12" in text or "backbone" in text]


def test_what_only_another_projects_records_state_of_two_services_is_not_told(
    store, tmp_path, knowwhy
):
    def taken(project, *records):
        file = tmp_path / f"{project}.jsonl"
        file.write_text("".join(json.dumps({"kind": "adr", **one}) + "\n" for one in records))
        with over_stdio("--repo", str(tmp_path), "--project", project) as assistant:
            assistant.ok("ingest", path=str(file), kind="jsonl", wait_seconds=120)

    orders = {"id": "a-1", "title": "Logging", "text": "# Logging", "service": "orders"}
    auth = {"id": "a-2", "title": "Tokens", "text": "# Tokens", "service": "auth"}
    merger = {"id": "merger", "title": "Merger", "service": "orders", "authors": ["Ann Lee"]}
    taken("one", orders, auth)
    taken("two", merger | {"text": "# Merger\n\n- Depends on: [auth service]"})
    with over_stdio("--project", "two") as two:
        own = two.ok("graph", node="orders", hops=2)
    with over_stdio("--project", "one") as one:
        said = [one.ok("graph", node=node, hops=3) for node in ("orders", "auth")]
        drawn = one.ask("read_resource", "project://memory/dependency_graph").contents[0].text
        one.fails("graph", node="Ann Lee")
    shell = [knowwhy("graph", "orders", "--hops", "3", "--project", "one", *more)
             for more in ((), ("--json",))]  # fmt: skip

    assert "DEPENDS_ON" in own.text
    told = [*(a.text + json.dumps(a.data) for a in said), drawn, *(ran.out for ran in shell)]
    assert [] == [text for text in told if "merger" in text or "DEPENDS_ON" in text]
    assert all("a-1" in text for text in (told[0], *told[3:]))
    assert 0 == knowwhy("graph", "--audit", "--project", "two").out.count("a-1")


def test_a_file_of_records_reaches_no_other_project(store, tmp_path):
    def lines(*records):
        file = tmp_path / "records.jsonl"
        file.write_text("".join(json.dumps(record) + "\n" for record in records))
        return {"path": str(file), "kind": "jsonl", "wait_seconds": 120}

    alike = {"kind": "adr", "title": "A crane for the loft"}
    theirs = {"id": "d-1", "text": "We use the blue crane.", "project": "two", **alike}
    own = {"id": "d-2", "text": "We use the red crane.", **alike}
    with over_stdio("--repo", str(tmp_path), "--project", "two") as two:
        two.ok("ingest", **lines(theirs))
    with over_stdio("--repo", str(tmp_path), "--project", "one") as one:
        hostile = theirs | {"text": "We use no crane.", "retired": "2026-01-01"}
        said = one.ok("ingest", **lines(hostile, theirs, own)).data["result"]
    with over_stdio("--repo", str(tmp_path), "--project", "two") as two:
        kept = two.ok("get", key="two::d-1").text
        named = two.ok("graph", node=alike["title"]).text  # in one project it is one record's

    assert ("d-1" in named, "d-2" in named) == (True, False)
    assert (1, 0) == (said["added"], said["unchanged"])
    assert 2 == len(said["refused"])
    assert "names another project" in said["refused"][0]["why"]
    assert "blue crane" in kept


def test_an_unsuitable_start_is_refused_with_a_sentence(knowwhy):
    started = [
        (("--user", "a", "--http", "127.0.0.1:0"), "--user is for stdio"),
        (("--allow-host", "x"), "go with --http"),
        (("--http", "nowhere"), "is no address"),
        (("--http", "127.0.0.1:99999"), "is no address"),
    ]

    for options, why in started:
        ran = knowwhy("serve", *options)
        assert (1, True) == (ran.code, why in ran.err), ran.err
