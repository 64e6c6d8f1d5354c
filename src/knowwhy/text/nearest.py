"""Which of the names that there are somebody may have meant, who wrote another one."""

import re
from collections.abc import Collection, Iterable
from difflib import SequenceMatcher

LIKE = 0.6  # of two names, by difflib: as much as Python asks of names that were mistyped
LONGEST = 200  # characters of a name that are looked at
COMPARED = 60  # names that share most with the written one: comparing letters takes 0.1 ms each
MOST = 3  # that are suggested
LONGEST_SOME = 240  # characters of keys that are named in one sentence
MOST_SOME = 5  # names of many that a sentence names
LEAST_TYPED = 4  # characters of a key that stand for it where no other one begins so
_LABEL = re.compile(r"[A-Za-z]{1,10}[-_ ]?0*(\d{1,9})")


def nearest(written: str, names: Iterable[str], most: int = MOST) -> list[str]:
    """Gives the names that are most like a written one, the most like first; none where none is.

    A label with another number is another thing, however much alike they look.
    """
    wanted = _folded(written)
    parts = _triples(wanted)
    shared = ((len(parts & _triples(_folded(name))), name) for name in dict.fromkeys(names))
    best = sorted((pair for pair in shared if pair[0]), key=lambda pair: (-pair[0], pair[1]))
    scored = [(_likeness(wanted, _folded(name)), name) for _, name in best[:COMPARED]]
    good = sorted((-score, name) for score, name in scored if score >= LIKE)
    return [name for _, name in good if _may_be(written, name)][:most]


def begins(key: str, typed: str) -> bool:
    """Tells whether a key begins with what was typed; a number that goes on is another one."""
    ends = typed[-1:] + key[len(typed) : len(typed) + 1]
    return len(typed) >= LEAST_TYPED and key.startswith(typed) and not (ends[1:] and ends.isdigit())


def begins_id(key: str, typed: str) -> bool:
    """Tells whether an id of random digits begins with what was typed."""
    return len(typed) >= LEAST_TYPED and key.startswith(typed.lower())


def some(names: Collection[str], most: int = MOST_SOME) -> str:
    """Names the first of many, as far as a sentence has room, and counts the others."""
    named: list[str] = []
    left = LONGEST_SOME
    for name in sorted(names)[:most]:
        left -= len(name)
        if left < 0 and named:
            break
        named.append(repr(name))
    shown = ", ".join(named)
    return shown if len(names) == len(named) else f"{shown} and {len(names) - len(named)} more"


def did_you_mean(written: str, names: Iterable[str]) -> str:
    """Asks after the names that are like a written one, to end a sentence; empty without any."""
    found = [repr(name) for name in nearest(written, names)]
    return f"; did you mean {_either(found)}?" if found else ""


def known(written: str, names: Collection[str], most: int = 10) -> str:
    """Says which names there are, and which of them may have been meant, to end a sentence."""
    if not names:
        return "; there are none yet."
    shown = sorted(names)[:most]
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"; there {'is' if len(names) == 1 else 'are'} {', '.join(shown)}{more}" + (
        did_you_mean(written, names) or "."
    )


def _either(found: list[str]) -> str:
    *others, last = found
    return f"{', '.join(others)} or {last}" if others else last


def _folded(name: str) -> str:
    return name[:LONGEST].casefold()


def _triples(name: str) -> set[str]:
    """Gives each three letters in a row, with the ends; names that are alike share some."""
    framed = f" {name} "
    return {framed[at : at + 3] for at in range(len(framed) - 2)}


def _likeness(one: str, other: str) -> float:
    """Compares two names, of paths also the last parts alone."""
    tails = one.rpartition("/")[2], other.rpartition("/")[2]
    whole = SequenceMatcher(None, one, other, autojunk=False).ratio()
    if not all(tails) or tails == (one, other):
        return whole
    return max(whole, SequenceMatcher(None, *tails, autojunk=False).ratio())


def _may_be(written: str, name: str) -> bool:
    """Tells whether two names can be one, misspelt: labels of other numbers are not."""
    one, other = _LABEL.fullmatch(written.strip()), _LABEL.fullmatch(name.strip())
    return one is None or other is None or int(one[1]) == int(other[1])
