"""Whether two texts differ in a sign that is no word: an arrow, an operator, a tick or a cross.

Quotes, dashes, brackets, bullets, emphasis, the marks of a sentence and what only adorns it are no
signs. Any other is one, known or not: of two texts that differ in it nobody can tell whether they
say the same.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from knowwhy.text.claims.gist import is_light, meaning
from knowwhy.text.claims.terms import between
from knowwhy.text.patterns import regex

# Of categories of Unicode: quotes, brackets, dashes, and what takes no room.
_NO_SIGNS = frozenset(("Pi", "Pf", "Ps", "Pe", "Pd", "Cf", "Cc", "Zs", "Zl", "Zp"))
_QUOTES = frozenset("\"'`-")
_SIGNS_OF_SENTENCES = frozenset(
    "‰‱†‡§"
)  # of the punctuation that is not ASCII: these say something
_BULLETS = frozenset("•·‣◦▪▫⁃∙●■►")
_ADORNING = frozenset(
    "🎉🎊🥳🚀✨⭐🌟💫🔥💡📌📍📝📣📢👋🎯🙏👏🙌💪🎈🏆💯😀😃😄😁😊🙂😉😎🤩🥰😍🤓🤗❤♥★☆🔖🏷📎🔧🛠⚙📦📁📂📚📖📘"
    "🧠🤖💬🗨☕🌈🎁©®™🏻🏼🏽🏾🏿"
)
_EMPHASIS = regex(r"(?<![\w*])\*{1,3}(?=[^\s*])([^*\n]{1,2000})(?<=[^\s*])\*{1,3}(?![\w*])")
_LINE_START = regex(r"^[ \t]{0,20}(?:[*+]|#{1,6})[ \t]", re.M)  # a bullet, a heading
_AND = "&"  # alone it is the word


@dataclass(frozen=True, slots=True)
class Sign:
    """A sign and the words around it that say something."""

    sign: str
    before: str
    after: str


def other_signs(a: str, b: str) -> bool:
    """Tells whether two texts have other signs, or the same ones in other places."""
    one, other = list(_signs(a)), list(_signs(b))
    if [found.sign for found in one] != [found.sign for found in other]:
        return True
    same_before = _counted(one, "before") == _counted(other, "before")
    return not same_before and _counted(one, "after") != _counted(other, "after")


def _counted(found: list[Sign], side: str) -> Counter[tuple[str, str]]:
    return Counter((sign.sign, getattr(sign, side)) for sign in found)


def _signs(text: str) -> Iterator[Sign]:
    """Yields the signs of a text in order."""
    pieces = between(_LINE_START.sub(" ", _EMPHASIS.sub(r"\1", text)))
    before, waiting = "", list[str]()
    for place, (gap, word) in enumerate(pieces):
        waiting += _in_gap(gap)
        if word == "!" and _denies(pieces, place):
            waiting.append(word)
        elif not word or not is_light(word):
            said = meaning(word) if word else ""
            yield from (Sign(sign, before, said) for sign in waiting)
            before, waiting = said, []


def _in_gap(gap: str) -> list[str]:
    """Gives what stands between two words, each run of signs as one."""
    if not gap or gap.isspace():
        return []
    runs = "".join(char if _is_sign(char) else " " for char in gap).split()
    return [run for run in runs if run != _AND]


def _denies(pieces: list[tuple[str, str]], place: int) -> bool:
    """Tells "!debug", where it stands right before a word and not behind one, from "debug!"."""
    gap = pieces[place][0]
    follows = bool(pieces[place + 1][1]) and not pieces[place + 1][0]
    return follows and (place == 0 or bool(gap))


def _is_sign(char: str) -> bool:
    if char in _QUOTES or char in _BULLETS or char in _ADORNING:
        return False
    category = unicodedata.category(char)
    if category in _NO_SIGNS:
        return False
    return char.isascii() or category != "Po" or char in _SIGNS_OF_SENTENCES
