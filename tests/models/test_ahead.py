from concurrent.futures import ThreadPoolExecutor

import numpy as np

from knowwhy import models
from knowwhy.models import ahead

NAME = "wordhash"


def test_a_primed_text_is_there_until_it_is_released():
    models.prime(["a redis cache", "a queue"], NAME)
    vector = models.primed("a redis cache", NAME)
    assert vector is not None
    assert np.array_equal(models.embed(["a redis cache"], NAME)[0], vector)
    models.release(["a redis cache", "a queue"], NAME)
    assert models.primed("a redis cache", NAME) is None
    assert models.primed("a queue", NAME) is None


def test_a_text_is_primed_for_one_embedder_only():
    models.prime(["only for wordhash"], NAME)
    assert models.primed("only for wordhash", "minilm") is None
    models.release(["only for wordhash"], NAME)


def test_what_two_writers_primed_stays_until_both_have_released_it():
    models.prime(["shared"], NAME)
    models.prime(["shared", "shared"], NAME)
    models.release(["shared"], NAME)
    assert models.primed("shared", NAME) is not None
    models.release(["shared"], NAME)
    assert models.primed("shared", NAME) is None


def test_releasing_what_was_never_primed_does_nothing():
    models.release(["never primed"], NAME)
    assert models.primed("never primed", NAME) is None


def test_a_primed_vector_cannot_be_changed_by_one_of_its_readers():
    models.prime(["fixed"], NAME)
    vector = models.primed("fixed", NAME)
    assert vector is not None
    assert not vector.flags.writeable
    models.release(["fixed"], NAME)


def test_threads_that_prime_overlapping_texts_all_find_theirs_and_leave_nothing():
    texts = [f"text number {number}" for number in range(40)]

    def write(start: int) -> bool:
        mine = [texts[(start + step) % len(texts)] for step in range(20)]
        models.prime(mine, NAME)
        found = [models.primed(text, NAME) for text in mine]
        models.release(mine, NAME)
        return all(vector is not None for vector in found)

    with ThreadPoolExecutor(8) as pool:
        outcomes = list(pool.map(write, range(200)))
    assert [True] * 200 == outcomes
    assert not {text for _, text in ahead._kept} & set(texts)
