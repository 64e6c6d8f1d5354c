"""The graph of the process follows the tables, and its links can be derived anew."""

import json
import random

import networkx as nx
import pytest
from made import record

from knowwhy.graph import live
from knowwhy.graph.build import build_graph
from knowwhy.graph.live import current
from knowwhy.tables import edges, touched, write
from knowwhy.tables.udfs import relations
from knowwhy.types import Draft


def put(*drafts):
    batch = write.prepare(drafts, "wordhash")
    write.put_records(batch)
    write.release(batch)


def draft(key, content, **facts):
    usual = {"kind": "adr", "title": key, "content_hash": f"{content}{facts}", "source": key}
    return Draft(id=key, content=content, **usual | facts)


def rebuilt():
    return build_graph(r for r in edges.stated() if r.draft.retired_at is None)


def test_the_graph_follows_every_change_of_the_tables(store):
    chance = random.Random(4)
    for _ in range(12):
        some = [
            draft(
                f"adr/{n}",
                f"Depends on: ADR-{chance.randrange(6)}\n\nSee ADR-{chance.randrange(6)}.",
                label=f"ADR-{n}",
                authors=chance.sample(("Ann Smith", "A. Smith", "Bo Dahl"), 1),
            )
            for n in chance.sample(range(6), 3)
        ]
        put(*some[:2])
        write.retire_records({some[2].id: some[2].id}, "its file is gone")

        assert nx.utils.graphs_equal(rebuilt().net, current().net)


def test_rows_that_were_deleted_leave_the_graph(store):
    put(draft("a", "See ADR-2."), draft("b", "x", label="ADR-2"))
    assert "b" in current().net

    table = write.table("records")
    table.delete(table.key == "b")

    assert nx.utils.graphs_equal(rebuilt().net, current().net)
    assert "b" not in current().net


def test_a_change_is_read_alone_and_an_unchanged_table_not_at_all(store, monkeypatch):
    put(*(draft(f"k{n}", "x") for n in range(30)))
    current()
    read = []
    stated = edges.stated
    monkeypatch.setattr(edges, "stated", lambda since=None: read.append(since) or stated(since))

    current()
    assert [] == read
    put(draft("k1", "See ADR-2."))
    assert "unknown:ADR-2" in current().net
    assert [True] == [since is not None for since in read]


def test_another_table_of_the_same_version_is_read_from_its_beginning(monkeypatch):
    tables = {"one": [record("a", "DEPENDS_ON ADR-1")], "two": [record("b")]}
    opened = ["one"]
    monkeypatch.setattr(live, "_live", live._Live())
    monkeypatch.setattr(touched, "stamp", lambda: touched.Stamp(opened[0], 5))
    monkeypatch.setattr(edges, "stated", lambda since=None: [] if since else tables[opened[0]])
    monkeypatch.setattr(edges, "count_records", lambda: 1)
    assert {"a", "unknown:ADR-1"} == set(current().net)

    opened[0] = "two"
    assert {"b"} == set(current().net)

    opened[0] = "unreadable"
    with pytest.raises(KeyError):
        current()
    opened[0] = "two"
    assert {"b"} == set(current().net)


@pytest.fixture
def stale(knowwhy, monkeypatch):
    """Gives the command line of a home in which a record was written by rules of other days."""
    put(draft("adr/1", "Supersedes: ADR-2", label="ADR-1"))
    with monkeypatch.context() as patched:
        patched.setattr(relations, "edges", lambda content, fields: [])
        put(draft("adr/2", "Depends on: ADR-1\nSupersedes: ADR-9", label="ADR-2"))
    return knowwhy


def test_backfill_derives_stale_links_and_a_second_one_finds_none(stale):
    assert {("adr/1", "adr/2")} == {(tail, head) for tail, head, _ in current().net.edges}

    text = stale("graph", "--backfill", "--dry-run").out
    assert "+ DEPENDS_ON ADR-1  (header:Depends on)" in text
    assert "1 of 2 records would change." in text

    done = json.loads(stale("graph", "--backfill", "--json").out)
    assert (2, ["adr/2"]) == (done["records"], [row["key"] for row in done["changed"]])
    assert ["DEPENDS_ON", "SUPERSEDES"] == [e["relation"] for e in done["changed"][0]["added"]]
    assert ("adr/2", "adr/1", "DEPENDS_ON") in current().net.edges
    assert nx.utils.graphs_equal(rebuilt().net, current().net)
    assert "0 of 2 records changed.\n" == stale("graph", "--backfill").out


def test_the_command_shows_a_record_from_both_sides_with_origins(knowwhy):
    put(
        draft("adr/1", "Supersedes: ADR-2\n\n## Depends on\n\n- ADR-3", label="ADR-1"),
        draft("adr/2", "x", label="ADR-2", title="Old one"),
        draft("adr/3", "As ADR-1 says.", label="ADR-3", authors=("Ann Smith",)),
    )

    shown = json.loads(knowwhy("graph", "adr-001", "--json").out)
    assert ("adr/1", "record", "ADR-1") == (shown["node"], shown["type"], shown["label"])
    assert {
        ("adr/1", "DEPENDS_ON", "adr/3", "section:Depends on"),
        ("adr/1", "SUPERSEDES", "adr/2", "header:Supersedes"),
        ("adr/3", "REFERENCES", "adr/1", "inline"),
    } == {(e["from"], e["relation"], e["to"], e["stated"][0]["origin"]) for e in shown["edges"]}
    text = knowwhy("graph", "ADR-2", "--hops", "2", "--relation", "replaced by").out
    assert "Pointed to by\n  adr/1 SUPERSEDES  adr/1  (header:Supersedes)" in text
    assert "adr/3 AUTHORED_BY" in knowwhy("graph", "Ann Smith").out


def test_the_audit_lists_what_is_doubtful(knowwhy):
    put(
        draft("adr/1", "Supersedes: ADR-2\n\nSee ADR-7.", label="ADR-1"),
        draft("adr/2", "Superseded-By: ADR-1", label="ADR-2"),
        draft("alone", "x"),
    )

    found = json.loads(knowwhy("graph", "--audit", "--json").out)
    assert {"record": 3, "unknown": 1} == found["nodes"]
    assert {"header:Supersedes": 1, "header:Superseded-By": 1} == found["edges"]["SUPERSEDES"]
    stated = [{"by": "adr/1", "origin": "inline"}]
    assert [{"target": "ADR-7", "stated": stated, "called_so": []}] == found["unresolved"]
    assert ["SUPERSEDES"] == [tie["relation"] for tie in found["duplicates"]]
    assert ["alone"] == found["without_edges"]
    text = knowwhy("graph", "--audit").out
    assert "ADR-7  stated by adr/1 (inline)" in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "Give one of KEY, --audit and --backfill."),
        (("ADR-1", "--audit"), "Give one of KEY, --audit and --backfill."),
        (("ADR-1", "--dry-run"), "--dry-run goes with --backfill."),
        (("ADR-1", "--hops", "0"), "--hops must be between 1 and 5."),
        (("ADR-1", "--relation", "sings"), "'sings' is no relation"),
        (("ADR-99",), "Nothing in the graph is called 'ADR-99'."),
    ],
)
def test_the_command_says_what_it_cannot_do(knowwhy, arguments, message):
    done = knowwhy("graph", *arguments)

    assert 1 == done.code
    assert message in done.err
