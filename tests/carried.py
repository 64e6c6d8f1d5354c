"""Marks for tests of what only the extra `reference` brings."""

import pytest

from knowwhy.errors import ModelUnavailable
from knowwhy.models import reference, weights


def _lacking() -> str | None:
    try:
        weights.find("minilm")
    except ModelUnavailable as error:
        return str(error)
    return None if reference.installed() else "sentence-transformers is not installed"


LACKING = _lacking()
NEEDS_REFERENCE = pytest.mark.skipif(
    LACKING is not None, reason=f"needs knowwhy[reference]: {LACKING}"
)
EMBEDDERS = [pytest.param("minilm", marks=NEEDS_REFERENCE), "bge-small"]  # with real weights
