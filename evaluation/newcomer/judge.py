"""Judges what was shown: whether the words of the facts are in it. Nothing here searches."""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from evaluation.newcomer.rows import Question

# What is asked of each figure; of the last one, at most.
TOP, CONTEXT, IDS, ABSTAINS, WRONGLY = "top three", "context", "ids", "abstains", "wrongly"
RECORD = "record@3"
FIGURES = (TOP, CONTEXT, IDS, RECORD, ABSTAINS, WRONGLY)
LEAST = {TOP: 0.85, CONTEXT: 0.85, IDS: 1.0, ABSTAINS: 0.9}
MOST = {WRONGLY: 0.05}

_TARGET = re.compile(r"\]\([^()\s]{0,300}\)")  # of a link, which is not read
_MARKS = re.compile(r"[*`~#\\\"'‘’‚“”„«»]")
_APART = re.compile(r"[\s_|>\[\]\-‐‑‒–—―−]+")  # dashes too: a line may end after one


@dataclass(frozen=True, slots=True)
class Shown:
    """What the two commands printed for one question, and what else the search says of itself."""

    search: str
    context: str
    knows: bool
    paths: tuple[str, ...]  # of the hits, best first


@dataclass(frozen=True, slots=True)
class Verdict:
    """How one question went."""

    is_shown: bool
    is_packed: bool
    is_first: bool
    is_among: bool
    knows: bool


def plain(text: str) -> str:
    """Gives a text's words in small letters, without the marks of Markdown, quotes and dashes."""
    text = unicodedata.normalize("NFKC", text).casefold()
    return _APART.sub(" ", _MARKS.sub("", _TARGET.sub("] ", text))).strip()


def states(text: str, facts: Iterable[Iterable[str]]) -> bool:
    """Tells whether a text holds every fact, by any of its spellings, as whole words."""
    words = plain(text)
    return all(any(_holds(words, plain(spelling)) for spelling in fact) for fact in facts)


def judge(question: Question, shown: Shown) -> Verdict:
    """Holds what was shown for a question against its facts and records."""
    found = [_is_one_of(path, question.records) for path in shown.paths]
    return Verdict(
        is_shown=states(shown.search, question.facts),
        is_packed=states(shown.context, question.facts),
        is_first=any(found[:1]),
        is_among=any(found),
        knows=shown.knows,
    )


def unstated(questions: Sequence[Question], root: Path) -> list[str]:
    """Names each question whose records do not stand in a checkout or do not state its facts."""
    faults = []
    for question in questions:
        gone = [record for record in question.records if not (root / record).is_file()]
        texts = [(root / r).read_text("utf-8") for r in question.records if r not in gone]
        if gone:
            faults.append(f"{question.id}: no file {', '.join(gone)}")
        elif not states("\n".join((*question.records, *texts)), question.facts):
            faults.append(f"{question.id}: its facts do not stand in its records")
    return faults


def figures(
    questions: Sequence[Question], verdicts: Mapping[str, Verdict]
) -> dict[str, tuple[int, int]]:
    """Counts, for each figure, how often it was so and of how many; none of a figure of nothing."""
    answerable = [verdicts[q.id] for q in questions if q.is_answerable]
    others = [verdicts[q.id] for q in questions if not q.is_answerable]
    counted = {
        TOP: [verdict.is_shown for verdict in answerable],
        CONTEXT: [verdict.is_packed for verdict in answerable],
        IDS: [verdicts[q.id].is_first for q in questions if q.kind == "id"],
        RECORD: [verdict.is_among for verdict in answerable],
        ABSTAINS: [not verdict.knows for verdict in others],
        WRONGLY: [not verdict.knows for verdict in answerable],
    }
    return {name: (sum(told), len(told)) for name, told in counted.items() if told}


def failures(found: Mapping[str, tuple[int, int]]) -> list[str]:
    """Names the figures that are below what is asked, or above."""
    shares = {name: so / of for name, (so, of) in found.items()}
    below = [name for name, least in LEAST.items() if shares.get(name, least) < least]
    return below + [name for name, most in MOST.items() if shares.get(name, most) > most]


def has_failed(question: Question, verdict: Verdict) -> bool:
    """Tells whether any figure suffers from how a question went."""
    if not question.is_answerable:
        return verdict.knows
    is_misnamed = question.kind == "id" and not verdict.is_first
    return is_misnamed or not (verdict.is_shown and verdict.is_packed and verdict.knows)


def _holds(words: str, spelling: str) -> bool:
    """Looks for a spelling that no letter or digit continues."""
    begins = words.find(spelling)
    while begins >= 0:
        ends = begins + len(spelling)
        before, after = words[max(begins - 1, 0) : begins], words[ends : ends + 1]
        if not _goes_on(before, spelling[:1]) and not _goes_on(after, spelling[-1:]):
            return True
        begins = words.find(spelling, begins + 1)
    return False


def _goes_on(outside: str, edge: str) -> bool:
    return outside.isalnum() and edge.isalnum()


def _is_one_of(path: str, records: Iterable[str]) -> bool:
    return any(path == record or path.endswith(f"/{record}") for record in records)
