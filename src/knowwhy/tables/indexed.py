"""The indexes that tables are declared with."""

from typing import Any

import pixeltable as pxt

from knowwhy import models
from knowwhy.tables import udfs


def vectors_of(column: Any, embedder: str) -> pxt.EmbeddingIndex:
    """Declares the embedding index of a column, named after the model that fills it."""
    return pxt.EmbeddingIndex(
        column=column,
        string_embed=udfs.embed.using(model=embedder),
        metric="cosine",
        precision="fp32",
        name=models.tag(embedder),
    )


def indexed(*columns: Any) -> list[Any]:
    """Declares a B-tree for each column that is asked about."""
    return [pxt.BtreeIndex(column=column) for column in columns]
