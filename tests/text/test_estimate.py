"""How near the estimate comes to a real tokenizer."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowwhy.text.estimate import estimate_tokens
from knowwhy.text.pages.passages import cut
from pace import assert_linear

GOLDEN = Path(__file__).parents[2] / "golden" / "corpus"


def counter():
    """Counts as the bundled embedder's tokenizer does, without its limit."""
    from tokenizers import Tokenizer

    from knowwhy.errors import ModelUnavailable
    from knowwhy.models import weights

    try:
        tokenizer = Tokenizer.from_file(str(weights.find("bge-small").tokenizer))
    except ModelUnavailable:
        pytest.skip("the bundled weights are not installed")
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return lambda text: len(tokenizer.encode(text, add_special_tokens=False).ids)


@pytest.mark.parametrize(
    ("folder", "kind"), [("adr", "adr"), ("docs", "document"), ("code", "code")]
)
def test_the_estimate_is_near_what_the_bundled_tokenizer_counts(folder, kind):
    count = counter()
    files = [file for file in sorted((GOLDEN / folder).rglob("*")) if file.is_file()]
    texts = [
        piece.text
        for file in files
        for piece in cut(file.read_text(encoding="utf-8"), kind, file.name)
    ]
    ratios = sorted(estimate_tokens(text) / count(text) for text in texts)

    assert 40 < len(texts)
    assert sum(map(count, texts)) == pytest.approx(sum(map(estimate_tokens, texts)), rel=0.05)
    assert 0.9 < ratios[len(ratios) // 10]
    assert 1.15 > ratios[len(ratios) * 9 // 10]


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("", 0), (" \n\t", 0), ("We keep orders.", 4), ("a_b", 3), ("2024-03-19", 6), ("日本", 2)],
)
def test_words_digits_and_marks_are_counted(text, tokens):
    assert tokens == estimate_tokens(text)


@given(st.lists(st.text(max_size=60), max_size=6))
def test_texts_joined_by_blanks_have_the_sum_of_their_tokens(texts):
    assert sum(map(estimate_tokens, texts)) == estimate_tokens("\n".join(texts))


def test_long_texts_are_estimated_in_linear_time():
    assert_linear(estimate_tokens, "aB3_ ")
