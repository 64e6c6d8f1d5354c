"""The questions that the search is measured with: asked ones, stored texts, and golden ones."""

import random

from knowwhy import models
from knowwhy.health.golden_questions import GOLDEN as GOLDEN_QUESTIONS
from knowwhy.health.recall import GOLDEN, RECALLS, TEXTS, Query
from knowwhy.tables import queries
from knowwhy.tables.vectors import roads

NEWEST = 1_000  # recalls that are drawn from: what people ask now


class Questions:
    """Draws the questions for each table; what is asked of all of them is embedded once."""

    def __init__(self, embedder: str, most: int, dice: random.Random) -> None:
        self._embedder, self._most, self._dice = embedder, most, dice
        asked = sorted({recall.question for recall in queries.recalls(NEWEST)} - {""})
        drawn = dice.sample(asked, min(most, len(asked)))
        self._recalled = self._embedded(RECALLS, drawn)
        self._golden = self._embedded(GOLDEN, list(GOLDEN_QUESTIONS))

    def of(self, view: str) -> list[Query]:
        """Gives the golden ones, and as many of both other kinds as were asked for."""
        recalled = self._recalled[: max(self._most // 2, 0)]
        texts = roads.some_words(view, self._most - len(recalled), self._dice)
        left = self._most - len(texts)  # where few texts are stored there are more recalls
        return [*self._golden, *self._recalled[:left], *self._embedded(TEXTS, texts)]

    def _embedded(self, origin: str, texts: list[str]) -> list[Query]:
        return [Query(origin, models.embed_query(text, self._embedder)) for text in texts]
