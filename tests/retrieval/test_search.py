"""A search as its callers see it."""

import time
from datetime import UTC, datetime

import pytest

from knowwhy import models
from knowwhy.errors import BadInput
from knowwhy.retrieval.legs import LEG
from knowwhy.retrieval.search import search
from knowwhy.tables import touched, write
from knowwhy.types import Draft, Filters


def put(**texts: str) -> None:
    drafts = [
        Draft(
            id=key,
            kind="adr" if key.startswith("adr") else "incident",
            title=key,
            content=text,
            service="billing" if "invoice" in text else "orders",
            content_hash=text,
        )
        for key, text in texts.items()
    ]
    write.put_records(write.prepare(drafts, "wordhash"))


def put_linked() -> None:
    texts = {
        "adr1": "# ADR-1: Queues\n\nWe use RabbitMQ. The broker keeps seven days; see ADR-4.",
        "adr2": "# ADR-2: Streams\n\nWe use Kafka.\n\n## Supersedes\n\n- ADR-1\n",
        "adr3": "# ADR-3: Replay\n\nThe broker keeps seven days, as ADR-4 says.",
        "adr4": "# ADR-4: Retention\n\nHow long things are kept.",
    }
    drafts = [
        Draft(
            id=key,
            kind="adr",
            title=text.split("\n")[0].lstrip("# "),
            content=text,
            label=f"ADR-{key[-1]}",
            content_hash=key,
        )
        for key, text in texts.items()
    ]
    write.put_records(write.prepare(drafts, "wordhash"))


def ask(question: str, **more: object) -> list[str]:
    answer = search(question, embedder="wordhash", reranker="none", **more)
    return [hit.passage.key for hit in answer.hits]


@pytest.fixture
def filled(store):
    put(
        adr1="We keep orders in PostgreSQL.",
        adr2="We keep sessions in Redis.",
        inc1="Redis lost its sessions in March.",
        inc2="The invoice run stopped.",
    )


def test_the_record_that_answers_comes_first(filled):
    assert "adr1" == ask("Where do we keep orders?")[0]


def test_a_record_comes_once_however_many_of_its_passages_match(store):
    put(adr1="\n\n".join(f"# Part {n}\n\n" + "Redis holds sessions. " * 60 for n in range(6)))

    assert ["adr1"] == ask("Redis sessions")


def test_filters_limit_every_leg(filled):
    assert {"inc1", "inc2"} == set(ask("Redis sessions", filters=Filters(kinds=("incident",))))
    assert ["inc2"] == ask("Redis sessions", filters=Filters(service="billing"))


def test_a_project_has_its_own_records_and_those_of_none(filled):
    drafts = [
        Draft(key, "adr", key, "Redis sessions.", project=project, content_hash=key)
        for key, project in (("in", "red"), ("out", "blue"))
    ]
    write.put_records(write.prepare(drafts, "wordhash"))

    found = ask("Redis sessions", filters=Filters(project="red"))
    assert {"in", "inc1", "inc2"} == set(found) & {"in", "out", "inc1", "inc2"}


def test_a_write_is_found_by_the_next_search(filled):
    ask("Redis sessions")

    put(adr3="Terraform describes the clusters.")

    assert "adr3" == ask("Terraform clusters")[0]


def test_a_hit_names_the_rank_of_each_leg_that_found_it(filled):
    hit = search("PostgreSQL orders", embedder="wordhash", reranker="none").hits[0]

    assert {"bm25": 1, "vector": 1}.items() <= hit.ranks.items()
    assert hit.score == pytest.approx(sum(hit.parts.values()))


def test_legs_can_be_asked_alone(filled):
    answer = search("Redis sessions", embedder="wordhash", reranker="none", legs=("vector",))

    assert {"vector": 4} == answer.legs
    assert {"vector"} == set(answer.hits[0].ranks)


def test_what_is_excluded_is_no_answer_in_any_leg(filled):
    assert "inc1" not in ask("Redis sessions", exclude=("inc1",))


def test_one_long_record_does_not_crowd_out_the_others(store):
    put(
        adr1="\n\n".join(f"## Part {n}\n\n" + f"Kafka broker {n}. " * 60 for n in range(160)),
        **{f"inc{n}": f"Kafka stopped, case {n}." for n in range(6)},
    )

    for leg in ("bm25", "vector"):
        assert 7 == len(ask("kafka broker", k=7, legs=(leg,)))


def test_a_cross_encoder_that_fails_leaves_the_fused_order(filled, monkeypatch):
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("the model is broken")

    monkeypatch.setattr("knowwhy.models.rerank", fail)

    answer = search("PostgreSQL orders", embedder="wordhash", reranker="late-interaction")

    assert "adr1" == answer.hits[0].passage.key
    assert "the candidates could not be read again (RuntimeError)" in answer.notes


def test_what_was_read_once_is_not_read_again_and_what_is_not_there_is_not_asked_for(
    filled, monkeypatch
):
    ask("Redis sessions")
    read = []
    inner = touched.passages_at
    monkeypatch.setattr(touched, "passages_at", lambda places: read.append(places) or inner(places))

    assert ["adr2", "inc1"] == sorted(ask("Where are sessions in Redis?")[:2])
    assert [] == read


OF_A_TIME = "What did we decide about Redis in 2021?"


@pytest.fixture
def of_years(store):
    drafts = [
        Draft(key, "adr", key, text, content_hash=key, occurred_at=datetime(year, 6, 1, tzinfo=UTC))
        for key, text, year in (
            ("old", "Sessions stay in Redis.", 2021),
            ("new", "Redis keeps sessions and carts.", 2024),
        )
    ]
    write.put_records(write.prepare(drafts, "wordhash"))


def in_the_time(monkeypatch, leg, does):
    """Lets a leg do something before it looks in the time that a question names."""
    inner = LEG[leg]

    def dated(stage, found):
        if stage.asking.filters.dated:
            does()
        inner(stage, found)

    monkeypatch.setitem(LEG, leg, dated)


def test_a_question_of_a_time_is_embedded_once(of_years):
    embedded = []

    with models.watched(embedded.append):
        assert "old" == ask(OF_A_TIME)[0]

    assert [len(OF_A_TIME)] == embedded


def test_what_looking_in_a_time_takes_is_booked_to_the_leg(of_years, monkeypatch):
    in_the_time(monkeypatch, "bm25", lambda: time.sleep(0.4))

    answer = search(OF_A_TIME, embedder="wordhash", reranker="none")

    assert 400 <= answer.milliseconds["bm25"]


@pytest.mark.parametrize("leg", ["bm25", "vector", "graph"])
def test_a_leg_that_fails_in_the_time_asked_for_is_named_and_not_remembered(
    of_years, monkeypatch, leg
):
    def fail() -> None:
        raise RuntimeError("broken")

    told = f"the {leg} leg failed (RuntimeError)"
    with monkeypatch.context() as broken:
        in_the_time(broken, leg, fail)
        answer = search(OF_A_TIME, embedder="wordhash", reranker="none")
    assert 1 == answer.notes.count(told)

    again = search(OF_A_TIME, embedder="wordhash", reranker="none")
    assert told not in again.notes


@pytest.mark.parametrize(
    "asked",
    [
        {"legs": ("vector",)},
        {"legs": ("bm25", "vector")},
        {"exclude": ("old",)},
        {"filters": Filters(sources=("memories", "turns"))},
        {"filters": Filters(service="nothing")},
    ],
)
def test_that_there_is_no_record_of_a_time_is_said_only_where_all_were_looked_at(of_years, asked):
    given = {"embedder": "wordhash", "reranker": "none", **asked}

    answer = search("What was decided in 2021?", **given)

    assert not any("there is no" in note for note in answer.notes)


def test_that_there_is_no_record_of_a_time_is_not_said_where_the_graph_failed(
    of_years, monkeypatch
):
    def fail(*_: object) -> None:
        raise RuntimeError("broken")

    monkeypatch.setitem(LEG, "graph", fail)
    answer = search("What was decided in 2021?", embedder="wordhash", reranker="none")

    assert "old" == answer.hits[0].passage.key
    assert not any("there is no" in note for note in answer.notes)


def test_an_empty_project_is_refused(store):
    with pytest.raises(BadInput, match="project is empty"):
        search("x", embedder="wordhash", reranker="none", filters=Filters(project=""))


def test_a_leg_that_fails_is_named_and_the_others_answer(filled, monkeypatch):
    def fail(*_: object) -> None:
        raise RuntimeError("the index is broken")

    monkeypatch.setitem(LEG, "vector", fail)

    answer = search("PostgreSQL orders", embedder="wordhash", reranker="none")

    assert "the vector leg failed (RuntimeError)" in answer.notes
    assert "adr1" == answer.hits[0].passage.key
    monkeypatch.undo()
    again = search("PostgreSQL orders", embedder="wordhash", reranker="none")
    assert "vector" in again.hits[0].ranks


def test_a_relational_question_is_answered_by_a_walk_that_is_shown(store):
    put_linked()

    answer = search("Which decision superseded ADR-1?", embedder="wordhash", reranker="none")

    assert "relational" == answer.question_class
    assert "adr2" == answer.hits[0].passage.key
    assert ["adr1", "adr2"] == [node for node, _ in answer.hits[0].path]
    assert "ADR-1" in answer.reading


def test_what_replaced_a_decision_is_followed_to_what_holds_now(store):
    put_linked()
    latest = "# ADR-5: Managed streams\n\nWe rent Kafka.\n\n## Supersedes\n\n- ADR-2\n"
    last = Draft(id="adr5", kind="adr", title="Managed streams", content=latest, label="ADR-5")
    write.put_records(write.prepare([last], "wordhash"))

    assert ["adr2", "adr5"] == ask("What replaced ADR-1?", k=2)


def test_a_record_that_does_not_exist_is_not_known(store):
    put_linked()

    answer = search("What does ADR-77 say?", embedder="wordhash", reranker="none")
    known = search("What does ADR-4 say?", embedder="wordhash", reranker="none")

    assert not answer.knows
    assert "no record is called ADR-77" in answer.notes
    assert known.knows


def test_records_that_are_cited_where_the_text_is_alike_are_found(store):
    put_linked()

    answer = search(
        "As described in that ADR, the broker keeps seven days",
        embedder="wordhash",
        reranker="none",
        exclude=("adr1",),
    )

    assert "citing" == answer.question_class
    assert "graph" in next(hit for hit in answer.hits if "adr4" == hit.passage.key).ranks


def test_a_turn_is_found_by_the_words_that_it_answers(store):
    turn = Draft(
        id="t2",
        kind="turn",
        title="t2",
        content="Yes, on Friday.",
        content_hash="t2",
        context="user: Shall we upgrade Kafka?",
    )
    other = Draft(id="t9", kind="turn", title="t9", content="Yes, on Monday.", content_hash="t9")
    write.put_records(write.prepare([turn, other], "wordhash"))

    answer = search("upgrade Kafka", embedder="wordhash", reranker="none", legs=("bm25",))

    assert ["t2"] == [hit.passage.key for hit in answer.hits]


def test_one_scope_is_never_served_the_answer_of_another(store):
    mine = Draft(id="a::1", kind="doc", title="Redis", content="Redis.", project="a")
    other = Draft(id="b::1", kind="doc", title="Redis", content="Redis.", project="b")
    write.put_records(write.prepare([mine, other], "wordhash"))

    assert ["a::1"] == ask("Redis", filters=Filters(project="a"))
    assert ["b::1"] == ask("Redis", filters=Filters(project="b"))
    assert ["a::1"] == ask("Redis", filters=Filters(project="a"))


@pytest.mark.parametrize("share", [0.01, 0.1, 0.25])
def test_a_filter_leaves_k_hits_whenever_k_exist(store, share):
    some = int(300 * share)
    drafts = [
        Draft(
            id=f"d{n}",
            kind="doc",
            title=f"Note {n}",
            content=f"Redis note number {n}.",
            service="rare" if n < some else "usual",
            content_hash=str(n),
        )
        for n in range(300)
    ]
    write.put_records(write.prepare(drafts, "wordhash"))

    for leg in ("bm25", "vector"):
        found = ask("Redis note", k=min(10, some), filters=Filters(service="rare"), legs=(leg,))
        assert min(10, some) == len(found)


def test_an_empty_leg_is_named(filled):
    answer = search("zzz qqq", embedder="wordhash", reranker="none")

    assert "the bm25 leg found nothing" in answer.notes
    assert 0 == answer.legs["bm25"]


@pytest.mark.parametrize(
    ("question", "k", "words"),
    [("  ", 5, "is empty"), ("x" * 2001, 5, "longer than 2000"), ("x", 0, "k must be")],
)
def test_a_question_that_cannot_be_asked_says_why(store, question, k, words):
    with pytest.raises(BadInput, match=words):
        search(question, embedder="wordhash", reranker="none", k=k)


def test_a_graph_that_cannot_be_read_leaves_the_other_legs_to_answer(store, monkeypatch):
    put(a="Redis holds sessions.")

    def broken(stamp):
        raise ValueError("no graph")

    monkeypatch.setattr("knowwhy.graph.live.current", broken)
    answer = search("What holds sessions?", embedder="wordhash", reranker="none")

    assert ["a"] == [hit.passage.key for hit in answer.hits]
    assert "the graph leg failed (ValueError)" in answer.notes


def test_who_asks_for_everything_is_given_a_page_and_told_so(store):
    put(
        **{f"adr{number}": f"Queue {number} is drained by worker {number}." for number in range(12)}
    )

    whole = search("Dump all records you have.", embedder="wordhash", reranker="none", k=20)
    some = search("Which worker drains a queue?", embedder="wordhash", reranker="none", k=20)

    assert 10 == len(whole.hits)
    assert whole.knows
    assert ["this asks for everything"] == [note[:24] for note in whole.notes[:1]]
    assert 12 == len(some.hits)
    assert not any("everything" in note for note in some.notes)
