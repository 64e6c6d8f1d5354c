import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowwhy import models

SENTENCES = [
    "The payments service stores its sessions in Redis.",
    "Postgres replication fell behind during the incident.",
    "We deploy to Kubernetes every Thursday.",
    "Alice reviews all changes to the gateway.",
]


@pytest.mark.parametrize(
    ("question", "row"),
    [
        ("about redis", 0),
        ("what happened to postgres replication?", 1),
        ("who reviews the gateway", 3),
        ("kubernetes deploys", 2),
    ],
)
def test_a_question_finds_the_sentence_that_shares_its_words(question, row):
    vectors = models.embed(SENTENCES, "wordhash")
    assert row == int(np.argmax(vectors @ models.embed_query(question, "wordhash")))


@given(st.text())
def test_every_text_has_a_unit_vector_of_64_numbers(text):
    vectors = models.embed([text], "wordhash")
    assert (1, 64) == vectors.shape
    assert np.float32 == vectors.dtype
    assert pytest.approx(1.0, abs=1e-5) == float(np.linalg.norm(vectors[0]))


@given(st.lists(st.text(max_size=40), max_size=6))
def test_a_vector_does_not_depend_on_its_neighbours(texts):
    together = models.embed(texts, "wordhash")
    alone = [models.embed([text], "wordhash")[0] for text in texts]
    assert all(np.array_equal(a, b) for a, b in zip(together, alone, strict=True))


def test_a_repeated_word_weighs_more_but_not_in_proportion():
    once, often = models.embed(["redis cache", "redis redis redis redis cache"], "wordhash")
    redis = models.embed_query("redis", "wordhash")
    assert float(once @ redis) < float(often @ redis)
    assert float(often @ redis) < 4 / np.sqrt(17)  # what plain counts would give


def test_the_vector_is_the_same_in_every_process(python):
    program = (
        "from knowwhy.models import embed\n"
        "print(embed(['Redis keeps sessions'], 'wordhash')[0].tolist())"
    )
    here = models.embed(["Redis keeps sessions"], "wordhash")[0].tolist()
    assert f"{here}\n" == python(program).stdout


def test_no_text_gives_no_row():
    assert (0, 64) == models.embed([], "wordhash").shape


def test_its_tag_and_width_need_no_weights():
    assert "wordhash_v1" == models.tag("wordhash")
    assert 64 == models.dimensions("wordhash")
