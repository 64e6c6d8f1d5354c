"""Other words for what a question names, learned from what the asker may see."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from knowwhy.text.glossary import definitions

MAX_VARIANTS = 3  # rewrites of one question; the plan's own limit
MAX_TERM_WORDS = 8  # words; no long form in the glossary has more

Pairs = tuple[tuple[str, str], ...]  # each short or other name with what it stands for

_WORD = re.compile(r"\w[\w&/-]*")


@dataclass(frozen=True, slots=True)
class Glossary:
    """What names stand for, in both directions, each with the meaning given most often."""

    shorts: Mapping[str, str] = field(default_factory=dict)
    longs: Mapping[str, str] = field(default_factory=dict)  # in lower case


def learn(texts: Iterable[str]) -> Glossary:
    """Returns what some texts say of their own abbreviations and names."""
    return joined(dict.fromkeys(definitions(text)) for text in texts)


def joined(found: Iterable[Iterable[tuple[str, str]]]) -> Glossary:
    """Puts together what records say; of several meanings the most usual one stands."""
    meanings: dict[str, Counter[str]] = defaultdict(Counter)
    others: dict[str, Counter[str]] = defaultdict(Counter)
    for pairs in found:
        for short, long in pairs:
            meanings[short][" ".join(long.split())] += 1
            others[" ".join(long.lower().split())][short] += 1
    return Glossary(
        {short: _most_usual(longs) for short, longs in meanings.items()},
        {long: _most_usual(shorts) for long, shorts in others.items()},
    )


def _most_usual(counted: Counter[str]) -> str:
    return min(counted, key=lambda name: (-counted[name], name))


def rewrites(question: str, known: Glossary) -> tuple[str, ...]:
    """Returns at most three variants of a question with other words for what it names."""
    found: dict[str, None] = {}
    words = list(_WORD.finditer(question))
    for at, word in enumerate(words):
        if word[0] in known.shorts:
            found[_put(question, word.start(), word.end(), known.shorts[word[0]])] = None
        for length in range(min(MAX_TERM_WORDS, len(words) - at), 0, -1):
            end = words[at + length - 1].end()
            term = " ".join(question[word.start() : end].lower().split())
            if term in known.longs:
                found[_put(question, word.start(), end, known.longs[term])] = None
                break
        if len(found) >= MAX_VARIANTS:
            break
    return tuple(text for text in found if text != question)[:MAX_VARIANTS]


def _put(text: str, start: int, end: int, name: str) -> str:
    return f"{text[:start]}{name}{text[end:]}"
