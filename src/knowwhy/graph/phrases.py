"""Phrases in sorted order, so that those which stand at a place of a text are found at once."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

Words = tuple[str, ...]


@dataclass(slots=True)
class Phrases:
    """What phrases of one or more words stand for."""

    meant: dict[Words, set[str]] = field(default_factory=dict)
    _order: list[Words] = field(default_factory=list)

    def add(self, phrase: Words, node: str) -> None:
        """Lets a phrase stand for a node, beside what it stands for already."""
        self.meant.setdefault(phrase, set()).add(node)

    def settle(self) -> None:
        """Puts the phrases in order; to be called when all are added."""
        self._order = sorted(self.meant)

    def standing(self, text: Sequence[Words], at: int) -> Iterator[tuple[Words, set[str]]]:
        """Yields the phrases that stand at a place of a text, each word of which has some forms.

        Only phrases that agree so far are looked at, however many begin with the same word.
        """
        spans = [(0, len(self._order))]
        for place, forms in enumerate(text[n] for n in range(at, len(text))):
            spans = [
                new for span in spans for form in forms if (new := self._with(form, *span, place))
            ]
            if not spans:
                return
            for n, (first, last) in enumerate(spans):
                phrase = self._order[first]
                if len(phrase) == place + 1:  # sorted before those that go on
                    yield phrase, self.meant[phrase]
                    spans[n] = (first + 1, last)

    def _with(self, form: str, first: int, last: int, place: int) -> tuple[int, int] | None:
        """Returns where the phrases of a span that have a form at a place begin and end."""
        low = bisect_left(self._order, form, first, last, key=lambda phrase: phrase[place])
        if low == last or self._order[low][place] != form:
            return None
        high = bisect_right(self._order, form, low, last, key=lambda phrase: phrase[place])
        return low, high
