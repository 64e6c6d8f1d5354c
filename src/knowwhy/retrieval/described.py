"""Records that a question describes: "the outbox decision for billing"."""

import re
from collections.abc import Iterator, Sequence

from knowwhy.graph import nodes
from knowwhy.graph.build import Graph
from knowwhy.graph.names import Mention
from knowwhy.graph.spelled import Spelled, spelled
from knowwhy.text.question.question_grammar_words import DECISIONS, KINDS, SMALL_WORDS
from knowwhy.text.question.question_words import singular
from knowwhy.text.tokens import stem
from knowwhy.types import Filters

MAX_BEFORE = 4  # words between "the" and the noun
MAX_AFTER = 5  # words after it, small ones too: "the move of tracking to TimescaleDB"

_WORD = re.compile(r"[^\W_](?:[\w'’./-]*\w)?")
_OPENING = frozenset(("the", "our", "this", "that"))
_JOINING = frozenset(("for", "of", "on", "about", "to", "from", "in", "with", "between"))
_CHOICES = frozenset(("choice", "move", "switch", "migration", "adoption", "introduction"))


def described(question: str, graph: Graph, filters: Filters) -> list[Mention]:
    """Finds records that alone of their kind have all the words of a description."""
    with graph.lock:
        known = spelled(graph, filters)
        families = _families(known, graph, filters)
    words = list(_WORD.finditer(question))
    nouns = ((at, _kinds(word[0], families)) for at, word in enumerate(words))
    return [m for at, kinds in nouns if kinds for m in _at(words, at, kinds, known)]


def _at(
    words: Sequence[re.Match[str]], at: int, kinds: frozenset[str], known: Spelled
) -> Iterator[Mention]:
    """Yields the record that is described around the noun at a place."""
    first = _opening(words, at)
    if first is None:
        return
    for last in _ends(words, at):
        said = [w[0] for w in words[first : last + 1] if w is not words[at]]
        held = [known.holding.get(stem(word), set()) for word in _content(said)]
        fits = [key for key in set.intersection(*held) if known.kinds[key] & kinds] if held else []
        if fits:
            if len(fits) == 1:
                start, end = words[first].start(), words[last].end()
                yield Mention((fits[0],), "record", start, end, "part")
            return


def _content(said: Sequence[str]) -> list[str]:
    """Returns the words of a description as titles are indexed: "e-mail" is two."""
    return [part for word in said if word.lower() not in _JOINING for part in nodes.words(word)]


def _kinds(word: str, families: frozenset[str]) -> frozenset[str]:
    one = singular(word.lower())
    if one in _CHOICES:
        return frozenset(DECISIONS)
    return frozenset(KINDS.get(one, ())) or frozenset((one,)) & families


def _opening(words: Sequence[re.Match[str]], at: int) -> int | None:
    """Returns the first word after the article before a noun."""
    for back in range(at - 1, max(-1, at - MAX_BEFORE - 2), -1):
        low = words[back][0].lower()
        if low in _OPENING:
            return back + 1
        if low in SMALL_WORDS:
            return None
    return None


def _ends(words: Sequence[re.Match[str]], at: int) -> Iterator[int]:
    """Yields where a description may end: after what is joined to its noun, longest first."""
    if at + 1 < len(words) and words[at + 1][0].lower() in _JOINING:
        for last in range(min(len(words) - 1, at + MAX_AFTER), at + 1, -1):
            said = [word[0].lower() for word in words[at + 1 : last + 1]]
            if said[-1] not in SMALL_WORDS and not (set(said) & SMALL_WORDS - _JOINING):
                yield last
    yield at


def _families(known: Spelled, graph: Graph, filters: Filters) -> frozenset[str]:
    """Returns the words for the kinds and families of records, read once a version."""
    place = ("kinds", filters.project)
    if place not in graph.derived:
        graph.derived[place] = frozenset[str]().union(*known.kinds.values())
    found: frozenset[str] = graph.derived[place]
    return found
