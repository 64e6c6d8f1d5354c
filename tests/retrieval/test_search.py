"""A search as its callers see it."""

import pytest

from knowwhy.errors import BadInput
from knowwhy.retrieval.search import search
from knowwhy.tables import write
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
    assert [] == ask("Redis sessions", filters=Filters(project="other"))


def test_a_write_is_found_by_the_next_search(filled):
    ask("Redis sessions")

    put(adr3="Terraform describes the clusters.")

    assert "adr3" == ask("Terraform clusters")[0]


def test_a_hit_names_the_rank_of_each_leg_that_found_it(filled):
    hit = search("PostgreSQL orders", embedder="wordhash", reranker="none").hits[0]

    assert {"bm25": 1, "vector": 1} == hit.ranks


def test_an_empty_leg_is_named(filled):
    answer = search("zzz qqq", embedder="wordhash", reranker="none")

    assert "the bm25 leg found nothing" in answer.notes


@pytest.mark.parametrize(
    ("question", "k", "words"),
    [("  ", 5, "is empty"), ("x" * 2001, 5, "longer than 2000"), ("x", 0, "k must be")],
)
def test_a_question_that_cannot_be_asked_says_why(store, question, k, words):
    with pytest.raises(BadInput, match=words):
        search(question, embedder="wordhash", reranker="none", k=k)
