"""Whether two claims that are alike are one claim in other words, another one, or neither clearly.

Looser in its words than `likeness.same_claim`, which guards the door: verbs that only carry a claim
may differ, and some words stand for each other. Stricter in all else: numbers, names, what is
denied, when it holds and who does what to whom agree.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from knowwhy.text.claims.claim_words import ADDABLE
from knowwhy.text.claims.gist import denied, is_light, meaning
from knowwhy.text.claims.terms import is_number, is_product, root
from knowwhy.text.claims.topics import statement
from knowwhy.text.sameness import rewording_words as ways
from knowwhy.text.sameness.likeness import MAX_READ, plain, same_claim, same_denials
from knowwhy.text.sameness.nuances import Nuance, agree, is_done, nuance, place_of_is
from knowwhy.text.sameness.particulars import differ

SAME, UNCLEAR, OTHER = "same", "unclear", "other"
MOST_APART = 3  # words of each of two texts that the other has not, for a person to look at them
_OPEN = frozenset(("not", "never", "no", "none", "nothing", "nobody", "cannot", "without"))


@dataclass(frozen=True, slots=True)
class Reading:
    """What is compared of a claim."""

    text: str
    details: tuple[tuple[str, ...], ...]  # numbers, names of products, how often it denies
    order: tuple[str, ...]  # what it says of what, without the verbs that only carry it
    hard: tuple[str, ...]  # the words that cannot change
    rest: tuple[str, ...]  # the others that say something
    marks: frozenset[str]  # words that turn a claim around
    nuance: Nuance  # what its words alone do not tell
    done: str | None = None  # what is done to the first thing: "keep", of "secrets are kept"
    before_is: int = 0  # words of the order before the "is" of "A is B"

    @property
    def core(self) -> tuple[str, ...]:
        """What two readings share that can be one claim: by it they are found."""
        return tuple(sorted(self.hard))


def read(text: str) -> Reading:
    """Reads what is compared of a claim."""
    if len(text) > MAX_READ:
        whole = (" ".join(text.split()).casefold(),)
        return Reading(text, (("long",),), whole, whole, (), _NONE, nuance(""))
    found = plain(text)
    put = _by_purpose(found)
    said = _said(put)
    numbers = sorted(word for word in said if is_number(word))
    products = sorted({word for word in said if is_product(word)})
    denials = str(sum(denied(found)) % 2)
    hard = tuple(word for word in said if word not in _SOFT)
    rest = tuple(word for word in said if word in _SOFT)
    marks = frozenset(found) & _MARKS
    order = tuple(word for word in said if word not in _CARRIED)
    details = (tuple(numbers), tuple(products), (denials,))
    done = next((_meaning(word) for i, word in enumerate(put) if is_done(put, i)), None)
    before = sum(word in order for word in _said(put[: place_of_is(put) or 0]))
    return Reading(text, details, order, hard, rest, marks, nuance(text), done, before)


def compare(one: Reading, other: Reading) -> str:
    """Tells whether two claims that are alike are the same, not the same, or not clearly either."""
    if one.details != other.details:
        return OTHER
    if max(len(one.text), len(other.text)) <= MAX_READ and differ(one.text, other.text):
        return UNCLEAR
    if _spelled(one) == _spelled(other):
        return SAME
    more, less = Counter(one.hard) - Counter(other.hard), Counter(other.hard) - Counter(one.hard)
    if more or less:
        return OTHER if max(more.total(), less.total()) > MOST_APART else UNCLEAR
    if one.marks ^ other.marks or not agree(one.nuance, other.nuance):
        return UNCLEAR
    if not _deny_the_same(one, other):
        return UNCLEAR
    if one.marks & ways.STEPS and not _same_order(one, other):
        return UNCLEAR
    if same_claim(one.text, other.text) and not _is_turned(one, other):
        return SAME
    if not _only_carried(one.rest, other.rest) or not one.hard:
        return UNCLEAR
    return SAME if _same_order(one, other) or _same_statement(one, other) else UNCLEAR


def _said(found: Sequence[str]) -> list[str]:
    said = (_meaning(word) for word in found if not is_light(word))
    return [word for word in said if word not in _DENYING]


def _spelled(one: Reading) -> tuple[str, frozenset[str]]:
    """Gives a text whatever its capitals, but for those that tell bits from bytes."""
    return " ".join(one.text.split()).casefold(), one.nuance.flags


def _deny_the_same(one: Reading, other: Reading) -> bool:
    """Tells whether two claims that deny as often deny it of the same."""
    if max(len(one.text), len(other.text)) > MAX_READ:
        return True
    return same_denials(plain(one.text), plain(other.text))


def _same_order(one: Reading, other: Reading) -> bool:
    """Tells whether what both say stands in the same order: nobody's part is another's."""
    both = set(one.order) & set(other.order)
    mine, theirs = ([word for word in r.order if word in both] for r in (one, other))
    return mine == theirs


def _is_turned(one: Reading, other: Reading) -> bool:
    """Tells whether what two say stands in another order, and no other way to say it explains that.

    The same can be said by "we", as "A is B" and "B is A", or with when and where at the beginning.
    """
    if _same_order(one, other) or _same_statement(one, other):
        return False
    if one.nuance.is_fronted != other.nuance.is_fronted:
        turns = [one.order[place:] + one.order[:place] for place in range(len(one.order))]
        return other.order not in turns
    placed = one.nuance.placed & other.nuance.placed
    mine, theirs = (_plainly(reading, placed) for reading in (one, other))
    return mine.isdisjoint(theirs)


def _plainly(reading: Reading, placed: frozenset[tuple[str, str]]) -> set[tuple[str, ...]]:
    """Gives the orders in which a claim can stand, without when and where."""
    left_out = {thing for thing, _ in placed}
    found = [word for word in reading.order if word not in left_out]
    for thing in [thing for thing in reading.nuance.owners if thing in found[1:]]:
        place = found.index(thing)  # "the port of billing" is "the billing port"
        found[place - 1 : place + 1] = found[place], found[place - 1]
    orders = {tuple(found)}
    done = reading.done
    if done in found:  # "secrets are kept" is "we keep secrets"
        place = found.index(done)
        orders.add((done, *found[:place], *found[place + 1 :]))
    if (count := reading.before_is) and done is None:
        orders.add((*found[count:], *found[:count]))
    return orders


def _only_carried(one: Sequence[str], other: Sequence[str]) -> bool:
    """Tells whether what differs of the softer words changes nothing, on either side."""
    more, less = Counter(one) - Counter(other), Counter(other) - Counter(one)
    return more.keys() <= _CARRIED or less.keys() <= _CARRIED


def _same_statement(one: Reading, other: Reading) -> bool:
    """Tells whether two claims say the same of an attribute that both name."""
    mine, theirs = statement(one.text), statement(other.text)
    return mine is not None and mine == theirs and not mine.topic.startswith("~")


def _by_purpose(found: list[str]) -> list[str]:
    """Puts "we use X for Y" and "X is used for Y" as "Y uses X"."""
    verb = next((i for i, word in enumerate(found) if root(word) in _USING), None)
    if not verb:
        return found
    told = (found[0] in ways.SPEAKERS and verb <= 2) or found[verb - 1] in _BE
    place = next((i for i in range(verb, len(found)) if found[i] in ways.PURPOSE), None)
    if not told or place is None or place == len(found) - 1:
        return found
    end = next((i for i in range(place, len(found)) if found[i] in _ENDS), len(found))
    thing = found[verb + 1 : place] if found[0] in ways.SPEAKERS else found[: verb - 1]
    return [*found[place + 1 : end], found[verb], *thing, *found[end:]]


def _meaning(word: str) -> str:
    return _ALIKE.get(said := meaning(word), said)


_NONE: frozenset[str] = frozenset()
_ALIKE = {root(word): root(of) for word, of in ways.ALIKE.items()}
_CARRIED = frozenset(root(word) for word in ways.CARRYING | ways.FILLING)
_SOFT = _CARRIED | frozenset(_ALIKE.get(root(word), root(word)) for word in ADDABLE)
_DENYING = frozenset(meaning(word) for word in _OPEN)
_MARKS = ways.POINTING | ways.PAST | ways.STEPS
_USING = frozenset(root(word) for word in ("use", "run", "choose", "adopt", "pick", "select"))
_BE = frozenset(("is", "are", "was", "were", "be", "been"))
_ENDS = frozenset((".", ";", ",", "because", "since", "so", "and", "but", "when", "if"))
