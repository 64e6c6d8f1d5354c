"""The rule extractor on labelled turns: `python -m evaluation.facts`.

Prints precision and recall by half and by kind, and what is wrong in the half that rules may be
tuned on. Of the other half only the figures are shown.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from knowwhy.text.speech.facts import facts
from knowwhy.types import Fact

TURNS = Path(__file__).parents[1] / "golden" / "turns.jsonl"
HALVES = ("seen", "held")
KINDS = ("preference", "decision", "fact", "correction", "procedure")
COVERS = 0.6  # share of the labelled quote's words that a fact's quote has
WITHIN = 0.5  # share of a fact's quote that is in the labelled one: the whole turn is no quote

_WORD = re.compile(r"[\w%€$#@./-]*\w")


@dataclass(frozen=True, slots=True)
class Label:
    """A fact that a turn states, as a reader marked it."""

    kind: str
    words: tuple[str, ...]
    quote: str


@dataclass(frozen=True, slots=True)
class Labelled:
    """A turn with the facts that it states."""

    id: str
    role: str
    context: str | None
    content: str
    half: str
    facts: tuple[Label, ...]


@dataclass(frozen=True, slots=True)
class Score:
    """What was found in a turn, beside what is there."""

    turn: Labelled
    right: tuple[tuple[Fact, Label], ...]
    wrong: tuple[Fact, ...]
    missed: tuple[Label, ...]


def main() -> None:
    """Prints the figures of both halves, and the mistakes of the seen one."""
    scores = [score(turn) for turn in read_turns()]
    for half in HALVES:
        of_half = [found for found in scores if found.turn.half == half]
        print(f"\n{half}: {len(of_half)} turns")
        for name, kinds in [("all", KINDS), *((kind, (kind,)) for kind in KINDS)]:
            precision, recall, count = figures(of_half, kinds)
            print(f"  {name:11} precision {precision:.3f}  recall {recall:.3f}  of {count}")
    print()
    for found in scores:
        if found.turn.half == "seen" and (found.wrong or found.missed):
            _print_mistakes(found)


def read_turns(path: Path = TURNS) -> list[Labelled]:
    """Reads the labelled turns."""
    found = []
    for line in path.read_text("utf-8").splitlines():
        row = json.loads(line)
        labels = tuple(Label(f["kind"], tuple(f["words"]), f["quote"]) for f in row["facts"])
        turn = (row["id"], row["role"], row.get("context"), row["content"], row["half"])
        found.append(Labelled(*turn, labels))
    return found


def score(turn: Labelled) -> Score:
    """Pairs what is read in a turn with what is labelled there, each at most once."""
    missed, right, wrong = list(turn.facts), [], []
    for fact in facts(turn.content, turn.context, turn.role):
        label = next((label for label in missed if agrees(fact, label)), None)
        if label:
            missed.remove(label)
            right.append((fact, label))
        else:
            wrong.append(fact)
    return Score(turn, tuple(right), tuple(wrong), tuple(missed))


def agrees(fact: Fact, label: Label) -> bool:
    """Tells whether a fact is the labelled one: its kind, most of its words, and its names."""
    read, marked = _words(fact.quote), _words(label.quote)
    shared = (read & marked).total()
    if fact.kind != label.kind or shared < COVERS * marked.total():
        return False
    flat = " ".join(fact.content.lower().split())
    return shared >= WITHIN * read.total() and all(word.lower() in flat for word in label.words)


def figures(scores: Iterable[Score], kinds: Sequence[str] = KINDS) -> tuple[float, float, int]:
    """Gives precision, recall and how many are labelled, of some kinds."""
    right = wrong = missed = 0
    for found in scores:
        right += sum(label.kind in kinds for _, label in found.right)
        wrong += sum(fact.kind in kinds for fact in found.wrong)
        missed += sum(label.kind in kinds for label in found.missed)
    return right / max(1, right + wrong), right / max(1, right + missed), right + missed


def _words(text: str) -> Counter[str]:
    return Counter(_WORD.findall(text.lower()))


def _print_mistakes(found: Score) -> None:
    print(f"{found.turn.id} ({found.turn.role}) {found.turn.content[:200]!r}")
    for fact in found.wrong:
        print(f"    wrong  {fact.kind}: {fact.content}")
    for label in found.missed:
        print(f"    missed {label.kind}: {label.quote}")


if __name__ == "__main__":
    main()
