"""Questions that rest on what is not there: `python -m evaluation.premises DIR --names DIR`.

Makes a twin of each question that a set answers: one name in it is swapped for one of other sets
that the set's own documents never hold. Asks both, and prints by class and half how many twins are
answered by "nothing here answers that", and how many questions wrongly are. A hash of the id
decides about the half; of the half that is held back only figures are shown.
"""

import argparse
import calendar
import json
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import count
from pathlib import Path

from evaluation.report import print_table
from evaluation.run import EMBEDDER, RERANKER, opened
from evaluation.sets import EvaluationSet, Question, ingest, read_set
from evaluation.ways import WHOLE, How, ask

HALVES = ("seen", "held")
DOCUMENTS = 3  # that hold a name at least, or it may be a slip
COMMON = 0.25  # of the documents; what more of them name is what the whole set is about
PROPER = 0.9  # of a name's places inside sentences where it has its capital
CODED = 0.2  # of a service's places where it is written as code
SHORTEST = 4  # letters of a name that is swapped in
LONGEST = 14  # letters; a longer one is no name that anybody types

_WORD = re.compile(r"[A-Za-z][\w+#-]+")
_INSIDE = re.compile(r"(?<=[a-z,;] )[A-Za-z][\w+#-]*")  # a word that no sentence begins with
_CODED = re.compile(r"(?<=`)[a-z][a-z0-9-]{3,}(?=`)")
_PAIR = re.compile(r"(?<=[a-z,;] )[A-Z][a-z]{2,} [A-Z][a-z]{2,}\b")
_ID = re.compile(r"\b([A-Z]{2,6}[- ])\d{1,5}\b")
_PATH = re.compile(r"\b[a-z_]{3,}(?:[./][a-z_]{3,})+(?:\.[a-z]{1,4}\b)?")
_ENDING = re.compile(r"[A-Za-z_]+(?=(?:\.[a-z]{1,4})?$)")  # of a path: its file's or module's name
SHAPES = {"id": _ID, "path": _PATH, "pair": _PAIR, "name": _WORD, "service": _WORD}
_DATES = frozenset(name for name in (*calendar.month_name, *calendar.day_name) if name)


@dataclass(frozen=True, slots=True)
class Names:
    """What the documents of a set are about, by the forms in which they name it."""

    text: str  # of all of them, in small letters
    proper: tuple[str, ...]  # "Kafka"
    pairs: tuple[str, ...]  # "Wen Zhao"
    families: frozenset[str]  # of ids
    services: tuple[str, ...]  # "billing", as code


@dataclass(frozen=True, slots=True)
class Twin:
    """A question and the one that it becomes when a name in it is swapped."""

    question: Question
    twin: Question
    half: str
    shape: str  # of what was swapped


def main(arguments: Sequence[str] | None = None) -> None:
    """Asks a set's questions and their twins, and prints how many are answered by nothing."""
    parser = argparse.ArgumentParser(prog="python -m evaluation.premises", description=__doc__)
    parser.add_argument("folder", type=Path, metavar="DIR", help="a set: docs and questions")
    parser.add_argument(
        "--names",
        type=Path,
        required=True,
        action="append",
        metavar="DIR",
        help="a set whose names are swapped in; may come several times",
    )
    parser.add_argument("--small", action="store_true", help="ask all in small letters")
    parser.add_argument("--home", type=Path, help="keep the home there, and use it again")
    parser.add_argument("--show", action="store_true", help="print what went wrong of what is seen")
    given = parser.parse_args(arguments)
    what = read_set(given.folder)
    twins = twins_of(what, names_of(given.folder), [names_of(folder) for folder in given.names])
    if given.small:
        what, twins = _in_small_letters(what, twins)
    with opened(given.home, EMBEDDER) as embedder:
        ingest(what, embedder)
        how = How(what, embedder, RERANKER)
        silent = silences([q for q in what.questions if q.relevant], twins, how)
    print_silences(what, twins, silent)
    if given.show:
        _print_wrong(what, twins, silent)


def names_of(folder: Path) -> Names:
    """Reads the names that a set's documents use, the most used first."""
    texts = list(_texts(folder))
    inside: dict[str, Counter[str]] = defaultdict(Counter)
    holding, pairs, families, coded, every = (Counter[str]() for _ in range(5))
    for text in texts:
        words = _INSIDE.findall(text)
        for word in words:
            inside[word.lower()][word] += 1
        holding.update(set(words))
        pairs.update(set(_PAIR.findall(text)))
        families.update(set(_ID.findall(text)))
        coded.update(set(_CODED.findall(text)))
        every.update(set(map(str.lower, _WORD.findall(text))))
    proper = [
        word
        for word, count in holding.most_common()
        if DOCUMENTS <= count <= max(COMMON * len(texts), DOCUMENTS)
        if word[0].isupper() and not word[:-1].isupper() and word not in _DATES
        if inside[word.lower()][word] >= PROPER * inside[word.lower()].total()
    ]
    known = set(proper)
    return Names(
        "\n".join(texts).lower(),
        tuple(proper),
        tuple(p for p, n in pairs.most_common() if n >= DOCUMENTS and known >= set(p.split())),
        frozenset(family for family, count in families.items() if count >= DOCUMENTS),
        tuple(
            word
            for word, count in coded.most_common()
            if count >= DOCUMENTS and count >= CODED * every[word]
        ),
    )


def _texts(folder: Path) -> Iterator[str]:
    if (folder / "docs.jsonl").is_file():
        with (folder / "docs.jsonl").open(encoding="utf-8") as lines:
            yield from (json.loads(line)["text"] for line in lines if line.strip())
        return
    for file in sorted((folder / "corpus").rglob("*")):
        if file.is_file():
            yield file.read_text("utf-8")


def twins_of(what: EvaluationSet, own: Names, others: Sequence[Names]) -> list[Twin]:
    """Makes a twin of each answerable question that names something."""
    strangers: dict[str, list[str]] = {
        "name": [n for names in others for n in names.proper if _may_come(n, own)],
        "pair": [n for names in others for n in names.pairs if _may_come(n.split()[-1], own)],
        "service": [n for names in others for n in names.services if _may_come(n, own)],
    }
    found = []
    for question in what.questions:
        places = list(_named(question.text, own)) if question.relevant else []
        if not places:
            continue
        number = _number(question.id)
        shape, start, end = places[number % len(places)]
        other = _stranger(shape, question.text[start:end], own, strangers, number)
        text = question.text[:start] + other + question.text[end:]
        twin = replace(question, id=f"{question.id}-twin", text=text, relevant=frozenset())
        found.append(Twin(question, twin, HALVES[number % 2], f"swapped={shape}"))
    return found


def _may_come(name: str, own: Names) -> bool:
    is_long = SHORTEST <= len(name) <= LONGEST
    return is_long and name.isalpha() and name.lower() not in own.text


def _named(text: str, own: Names) -> Iterator[tuple[str, int, int]]:
    """Yields what may be swapped: ids, paths, names of two words and of one, and services."""
    taken: list[tuple[int, int]] = []
    known: dict[str, Collection[str] | None] = {
        "path": None,
        "pair": set(own.pairs),
        "name": set(own.proper),
        "service": set(own.services),
    }
    for shape, pattern in SHAPES.items():
        for found in pattern.finditer(text):
            is_free = all(found.end() <= start or end <= found.start() for start, end in taken)
            names = own.families if shape == "id" else known[shape]
            word = found[1] if shape == "id" else found[0]
            if is_free and (names is None or word in names):
                taken.append(found.span())
                yield shape, found.start(), found.end()


def _stranger(
    shape: str, word: str, own: Names, strangers: Mapping[str, Sequence[str]], number: int
) -> str:
    """Gives something of one shape that no document of the set holds."""
    if shape == "id":
        free = (n for n in count(7_000 + number % 2_000) if str(n) not in own.text)
        return f"{word.rstrip('0123456789')}{next(free)}"
    if shape == "path":
        name = strangers["name"][number % len(strangers["name"])]
        return _ENDING.sub(name.lower(), word, count=1)
    known = strangers[shape] or strangers["name"]
    return known[number % len(known)]


def _in_small_letters(
    what: EvaluationSet, twins: Sequence[Twin]
) -> tuple[EvaluationSet, list[Twin]]:
    """Gives the same questions as somebody types them who never uses a capital."""
    small = tuple(replace(q, text=q.text.lower()) for q in what.questions)
    changed = [replace(t, twin=replace(t.twin, text=t.twin.text.lower())) for t in twins]
    return replace(what, questions=small), changed


def _number(name: str) -> int:
    return int.from_bytes(sha256(name.encode()).digest()[:6], "big")


def silences(questions: Sequence[Question], twins: Sequence[Twin], how: How) -> dict[str, bool]:
    """Asks all, and says of each whether it was answered by nothing."""
    found = {}
    for question in (*questions, *(twin.twin for twin in twins)):
        asked = ask(question, WHOLE, how)
        assert asked is not None  # the whole is always offered
        found[question.id] = asked.abstained
    return found


def print_silences(what: EvaluationSet, twins: Sequence[Twin], silent: Mapping[str, bool]) -> None:
    """Prints by half, and of the halves by slice, what was answered by nothing."""
    rows = []
    for half in HALVES:
        these = [twin for twin in twins if twin.half == half]
        asked = [q for q in what.questions if q.relevant and HALVES[_number(q.id) % 2] == half]
        rows.append(_row(half, these, asked, silent))
        slices = {name for twin in these for name in (*twin.twin.slices, twin.shape)}
        rows += [
            _row(
                f"  {name}",
                [twin for twin in these if name in (*twin.twin.slices, twin.shape)],
                [question for question in asked if name in question.slices],
                silent,
            )
            for name in sorted(slices)
        ]
    print_table(["", "twins", "abstains", "questions", "abstains wrongly"], rows)


def _row(
    name: str, twins: Sequence[Twin], asked: Sequence[Question], silent: Mapping[str, bool]
) -> list[str]:
    return [
        name,
        str(len(twins)),
        _share([silent[twin.twin.id] for twin in twins]),
        str(len(asked)),
        _share([silent[question.id] for question in asked]),
    ]


def _share(of: Sequence[bool]) -> str:
    return f"{sum(of) / len(of):.3f}" if of else ""


def _print_wrong(what: EvaluationSet, twins: Sequence[Twin], silent: Mapping[str, bool]) -> None:
    """Prints the twins that are answered and the questions that are not, of the half seen."""
    for twin in twins:
        if twin.half == HALVES[0] and not silent[twin.twin.id]:
            print(f"answered: {twin.twin.id}  {twin.twin.text}")
    for question in what.questions:
        is_seen = HALVES[_number(question.id) % 2] == HALVES[0]
        if question.relevant and is_seen and silent[question.id]:
            print(f"not answered: {question.id}  {question.text}")


if __name__ == "__main__":
    main()
