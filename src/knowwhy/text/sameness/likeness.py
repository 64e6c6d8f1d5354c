"""Whether two texts that are alike say the same, down to numbers, names and what they deny."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from knowwhy.text.claims.claim_words import ADDABLE
from knowwhy.text.claims.gist import MARKS, content, denied, is_light, meaning
from knowwhy.text.claims.terms import clean, root, words
from knowwhy.text.patterns import regex
from knowwhy.text.sameness.particulars import differ

MAX_READ = 20_000  # characters; of longer texts only exact copies are copies
MAX_ADDED = 2  # words that one of two copies may add, none of which says anything new
_DURATION = regex(r"#[\d.]+(?:s|month)")
_PLACED_WORDS = """
from to before after over than instead by of in on at into for with per
"""
_PLACED = frozenset(_PLACED_WORDS.split())
_BE_WORDS = """
is are was were be been being get gets got
"""
_BE = frozenset(_BE_WORDS.split())
_PASSIVE_REACH = 4  # words between a form of "be" and its participle: "is not yet really used by"
_OBJECT_ENDS = (
    _PLACED
    | MARKS
    | frozenset(["and", "but", "or", "because", "since", "when", "if", "which", "that"])
)
_LETTER_WORDS = frozenset(("a", "i"))  # the article and the pronoun, which may be names too
_IRREGULAR_PASSIVES_WORDS = """
written owned built run sent made kept held chosen given taken done read set led
"""
_IRREGULAR_PASSIVES = frozenset(_IRREGULAR_PASSIVES_WORDS.split())


def same_words(a: str, b: str) -> bool:
    """Tells whether two texts have the same words, whatever their order, endings and fillers."""
    if max(len(a), len(b)) > MAX_READ:
        return _same_text(a, b)
    one, other = Counter(content(words(a))), Counter(content(words(b)))
    return bool(one) and one == other


def same_claim(a: str, b: str) -> bool:
    """Tells whether two texts that are alike also agree in what they say."""
    if max(len(a), len(b)) > MAX_READ:
        return _same_text(a, b)
    if differ(a, b):
        return False
    one, other = plain(a), plain(b)
    said, otherwise = content(one), content(other)
    if _joins(one) != _joins(other):
        return False
    if denied(one) != denied(other) or not said or not otherwise:
        return one == other and bool(one)
    if not same_denials(one, other):
        return False
    if said == otherwise:
        return True
    more, less = Counter(said) - Counter(otherwise), Counter(otherwise) - Counter(said)
    if more and less:
        return False
    if not _is_addition(more + less):
        return False
    kept = set(said) & set(otherwise)
    return _same_order(one, other, kept)


def plain(text: str) -> list[str]:
    """Returns the words of a text with its amounts of time and its passives put one way."""
    return _active(_timed(_lettered(words(text))))


def _same_text(a: str, b: str) -> bool:
    return clean(a).casefold().split() == clean(b).casefold().split()


def _lettered(found: list[str]) -> list[str]:
    """Marks "a" where it is a name beside another letter: "service a calls service b"."""
    if not any(len(word) == 1 and word.isalpha() and word not in _LETTER_WORDS for word in found):
        return found
    return [f"{word}_" if word in _LETTER_WORDS else word for word in found]


def _joins(found: Sequence[str]) -> tuple[bool, bool]:
    """Tells whether any of several will do, and where one will, whether all must in another."""
    either = "or" in found
    return either, either and "and" in found


def same_denials(one: Sequence[str], other: Sequence[str]) -> bool:
    """Tells whether two texts with as many clauses deny the same of what both say."""
    mine, theirs = list(_clauses(one)), list(_clauses(other))
    if len(mine) != len(theirs):
        return True  # told apart by whether all of it is denied
    shared = set(content(one)) & set(content(other))
    return _denied_words(mine) & shared == _denied_words(theirs) & shared


def _clauses(found: Sequence[str]) -> Iterator[list[str]]:
    clause: list[str] = []
    for word in (*found, ","):
        if word not in (",", ".", ";", "and", "but", "or"):
            clause.append(word)
        elif content(clause):
            yield clause
            clause = []


def _denied_words(clauses: Sequence[Sequence[str]]) -> set[str]:
    return {word for clause in clauses if any(denied(clause)) for word in content(clause)}


def _is_addition(added: Counter[str]) -> bool:
    return added.total() <= MAX_ADDED and all(word in _ADDABLE for word in added)


def _same_order(one: Sequence[str], other: Sequence[str], kept: set[str]) -> bool:
    """Tells whether two texts with the same words put none of them in the place of another."""
    said = [said_ for word in one if (said_ := meaning(word)) in kept]
    otherwise = [said_ for word in other if (said_ := meaning(word)) in kept]
    if said == otherwise:
        return True
    if _frame(one) == _frame(other):
        return False
    mine, theirs = dict(_placed(one)), dict(_placed(other))
    return all(mine[place] == theirs[place] for place in mine.keys() & theirs.keys())


def _frame(found: Sequence[str]) -> list[str]:
    """Returns the shape of a text: in one and the same shape, words have only changed places."""
    return [word if is_light(word) or word in _PLACED else "·" for word in found if word != "."]


def _placed(found: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yields each preposition with the first word that it holds."""
    open_place: str | None = None
    for word in found:
        if word in _PLACED:
            open_place = word
        elif open_place and not is_light(word):
            yield open_place, meaning(word)
            open_place = None


def _timed(found: list[str]) -> list[str]:
    """Puts "after 15 minutes" as "in 15 minutes": no order of two things is meant."""
    pairs = pairwise((*found, "."))
    return ["in" if word == "after" and _DURATION.fullmatch(then) else word for word, then in pairs]


def _active(found: list[str]) -> list[str]:
    """Puts "X is called by Y" as "Y called X"."""
    for place, word in enumerate(found):
        if word != "by" or not 0 < place < len(found) - 1 or not _is_participle(found[place - 1]):
            continue
        start = next(
            (
                i
                for i in range(place - 2, max(-1, place - 2 - _PASSIVE_REACH), -1)
                if found[i] in _BE
            ),
            None,
        )
        if not start:
            continue
        end = next(
            (i for i in range(place + 1, len(found)) if found[i] in _OBJECT_ENDS), len(found)
        )
        actor, verb = found[place + 1 : end], found[start + 1 : place]
        return [*actor, *verb, *found[:start], *found[end:]]
    return found


def _is_participle(word: str) -> bool:
    return word.endswith("ed") or word in _IRREGULAR_PASSIVES


_ADDABLE = frozenset(root(word) for word in ADDABLE)
