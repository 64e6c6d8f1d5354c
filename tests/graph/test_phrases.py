from hypothesis import given
from hypothesis import strategies as st

from knowwhy.graph.phrases import Phrases

WORDS = st.sampled_from(("a", "b", "ab", "b's"))
PHRASES = st.sets(st.lists(WORDS, min_size=1, max_size=4).map(tuple), max_size=12)
TEXT = st.lists(st.lists(WORDS, min_size=1, max_size=2, unique=True).map(tuple), max_size=8)


@given(PHRASES, TEXT)
def test_the_phrases_that_stand_at_a_place_are_those_that_agree_word_by_word(phrases, text):
    known = Phrases()
    for phrase in phrases:
        known.add(phrase, " ".join(phrase))
    known.settle()

    for at in range(len(text)):
        rest = text[at:]
        expected = {
            phrase: {" ".join(phrase)}
            for phrase in phrases
            if len(phrase) <= len(rest)
            and all(word in forms for word, forms in zip(phrase, rest, strict=False))
        }
        standing = list(known.standing(text, at))
        assert expected == dict(standing)
        assert len(expected) == len(standing)
