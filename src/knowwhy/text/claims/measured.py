"""The one amount in a clause: "has 3 replicas", "runs every 4 hours", "requires Android 12"."""

import re

from knowwhy.text.claims.terms import is_product
from knowwhy.text.patterns import regex

_AMOUNT = regex(r"#(?P<n>[\d.]+)(?P<unit>s|month|b|%|[a-z]{3})?")
_TIMES = frozenset(("s", "month"))
_BOUNDS = r"(?:every|least|most|to|than|of|for|after|within|about|exactly|only)"
_BOUNDED = regex(rf"(?:^| ){_BOUNDS}$")
# "3 replicas", "3 read replicas"
_NOUN = regex(r" (?:[a-z][a-z-]* )?(?!(?:this|its|has|was|always)\b)[a-z]{3,}(?<!ss)s\b")
_ONE = regex(r" (?!of\b|or\b|and\b|to\b|day\b|time\b)[a-z]{3,}")
# What has one version of something, where "supports" or "knows" may be said of several.
_ON_ONE = regex(
    r"\b(?:runs?|requires?|needs?|targets?|pins?|pinned to|is on|are on|built (?:with|on))"
    r" (?:[a-z]+ )?(?P<name>[\w+#-]+)$"
)
_SEVERAL = regex(
    r"\b(?:supports?|offers?|exposes?|knows?|another|more|additional|other|extra|further|or|between"
    r"|from|sometimes|usually|often|typically|on average)\b"
)
# What was or will be is told of one time, and at another it may have been another amount.
_AT_A_TIME = regex(
    r"\b(?:was|were|had|did|will|would|took|went|bought|sold|lost|found|got|gave|made|came|met|paid"
    r"|spent|wrote|broke|saw|began|yesterday|today|tomorrow|last|next|since|until|ago|this (?:week"
    r"|month|year|quarter|sprint|morning))\b"
)
_DONE = regex(
    r"(?<!\bis )(?<!\bare )(?<!\bbe )(?<!\bbeen )(?<!\bget )(?<!\bgets )(?<!\bnot )(?<!\bonly )"
    r"(?<!\balways )(?<!\bneed )(?<!\bneeds )(?<!^)"
    r"\b(?!(?:need|feed|seed|speed|embed|bed)\b)\w{2,}ed\b"
)


def one_amount(clause: str, named: frozenset[str]) -> tuple[str, str] | None:
    """Takes out of a clause the only amount that it gives of something; None where it gives none.

    `named` are the words that are written large in it. A number before the verb is a name, as in
    "release 4.2 adds dark mode".
    """
    found = list(_AMOUNT.finditer(clause))
    if len(found) != 1 or clause.count("#") != 1:
        return None
    amount = found[0]
    head, rest = clause[: amount.start()].rstrip(), clause[amount.end() :]
    if len(head.split()) < 2 or _AT_A_TIME.search(clause) or _SEVERAL.search(clause):
        return None
    if _DONE.search(head) or not _is_measure(head, amount, rest, named):
        return None
    unit = amount["unit"] or ""
    kind = "time" if unit in _TIMES else unit
    return f"{head} #{kind}{rest}", amount[0]


def _is_measure(head: str, amount: re.Match[str], rest: str, named: frozenset[str]) -> bool:
    """Tells how much or how many of something from the number that it has as a name."""
    if amount["unit"]:
        return True
    if _BOUNDED.search(head) or _NOUN.match(rest):
        return True
    if amount["n"] == "1":
        return _ONE.match(rest) is not None
    version = _ON_ONE.search(head)
    return version is not None and (is_product(version["name"]) or version["name"] in named)
