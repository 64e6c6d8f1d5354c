"""Writes the shapes of vendors' tokens from a public rule set.

`python docs/vendor_shapes.py WHEEL`, where WHEEL is a distribution of credsweeper (MIT), as
`pip download --no-deps credsweeper` leaves it.
Only what a token looks like is taken: how it begins and which characters follow, as facts.
"""

import hashlib
import json
import re
import sys
import textwrap
import zipfile
from collections.abc import Iterable
from itertools import product
from pathlib import Path
from re import _constants as sre  # type: ignore[attr-defined]  # the parser has no public door
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

import yaml

OUT = Path(__file__).parents[1] / "src/knowwhy/text/secrets/vendor_shapes.json"
RULES = "credsweeper/rules/config.yaml"
SHORTEST_LEAD = 3  # fixed characters by which a token is told from words
SHORTEST_TOKEN = 20  # characters in all; shorter ones are found by their names
SHORTEST_EXACT = 30  # characters of a form of known length that no word has by chance
MOST_LEADS = 40  # spellings of one lead; beyond that it marks nothing
WIDE = 64  # repeats that differ by more take all there is, so that none is tried again and again
MOST_ALIKE = 8  # letters of one place of a lead
MOST_GROUPS = 4  # repeats of a group; groups that repeat more often are left out
LEFT_OUT = {
    "AWS Client ID": "most of its leads name users and roles, which are no secrets",
    "AWS S3 Bucket": "an address",
    "Firebase Domain": "an address",
    "Tencent WeChat API App ID": "an id",
    "Twilio Credentials": "most of its leads name messages and calls, which are no secrets",
    "JSON Web Key": "base64 of any JSON begins so",
    "Grafana Provisioned API Key": "base64 of any JSON begins so",
    "BASE64 Private Key": "public keys and certificates begin so",
    "Salesforce Credentials": "ids of records begin so",
    "PASETO Token": "public ones are read by everybody",
}


class NotPlain(Exception):
    """A pattern has a form that cannot be bounded."""


def main(wheel: str) -> None:
    """Writes the file of shapes and says what was left out."""
    with zipfile.ZipFile(wheel) as packed:
        rules = yaml.safe_load(packed.read(RULES))
        licence = next(n for n in packed.namelist() if n.endswith("/licenses/LICENSE"))
        written = shapes(rules)
        kept = {
            "source": Path(wheel).name,
            "sha256": hashlib.sha256(Path(wheel).read_bytes()).hexdigest(),
            "homepage": "https://github.com/Samsung/CredSweeper",
            "licence": packed.read(licence).decode().split("\n"),
            "shapes": written,
        }
    OUT.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    taken = {shape["of"] for shape in written}
    left = [rule["name"] for rule in rules if rule["name"] not in taken]
    told = textwrap.fill(", ".join(left), 100)
    sys.stderr.write(f"{len(written)} shapes of {len(taken)} rules; left out:\n{told}\n")


def shapes(rules: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Gives the forms that a fixed lead marks, each with its leads and a bounded pattern."""
    found: list[dict[str, Any]] = []
    for rule in rules:
        if rule["type"] != "pattern" or rule["name"] in LEFT_OUT:
            continue
        for value in rule["values"]:
            found += [{"of": rule["name"], **form} for form in _forms(_value(value))]
    return found


def _value(pattern: str) -> Any:
    """Gives what a rule calls the value, without what stands around it."""
    tree = parser.parse(pattern)
    group = tree.state.groupdict.get("value")
    for op, argument in tree:
        if op is sre.SUBPATTERN and argument[0] == group:
            return argument[3]
    return []


def _forms(value: Any) -> list[dict[str, Any]]:
    """Gives the alternatives of a value that a lead marks and that can be bounded."""
    while len(value) == 1 and value[0][0] is sre.SUBPATTERN:
        value = value[0][1][3]
    branches = value[0][1][1] if len(value) == 1 and value[0][0] is sre.BRANCH else [value]
    forms = []
    for branch in branches:
        try:
            leads = sorted(_leads(list(branch)))
            least = parser.SubPattern(parser.State(), list(branch)).getwidth()[0]
            pattern = _written(list(branch))
        except NotPlain:
            continue
        if least >= SHORTEST_TOKEN and all(len(lead) >= SHORTEST_LEAD for lead in leads):
            is_exact = least >= SHORTEST_EXACT and _is_exact(list(branch))
            forms.append({"leads": leads, "pattern": pattern, "exact": is_exact})
    return forms


def _is_exact(items: list[Any]) -> bool:
    """Tells a form of known length without the dashes that words have too."""
    for op, argument in items:
        if op is sre.MAX_REPEAT:
            least, most, inner = argument
            if least != most or not _is_exact(list(inner)):
                return False
        elif op is sre.IN:
            if not {"-", "_"}.isdisjoint(_letters(argument) or ("-",)):
                return False
        elif op is sre.SUBPATTERN:
            if not _is_exact(list(argument[3])):
                return False
        elif op is not sre.LITERAL:
            return False
    return True


def _leads(items: list[Any]) -> set[str]:
    """Gives every fixed beginning, up to the first place where characters are drawn."""
    leads = {""}
    for op, argument in items:
        if op is sre.LITERAL:
            more: set[str] | None = {chr(argument)}
        elif op is sre.IN and (letters := _letters(argument)) and len(letters) <= MOST_ALIKE:
            more = letters
        elif op is sre.SUBPATTERN:
            more = _all_of(argument[3])
        elif op is sre.BRANCH:
            more = _all_of([(op, argument)])
        else:
            more = None
        if more is None or len(leads) * len(more) > MOST_LEADS:
            break
        leads = {a + b for a, b in product(leads, more)}
    return leads


def _all_of(items: Iterable[Any]) -> set[str] | None:
    """Gives all texts that a fixed form has, or nothing where characters are drawn in it."""
    whole = {""}
    for op, argument in items:
        if op is sre.LITERAL:
            more: set[str] | None = {chr(argument)}
        elif op is sre.IN and (letters := _letters(argument)) and len(letters) <= MOST_ALIKE:
            more = letters
        elif op is sre.SUBPATTERN:
            more = _all_of(argument[3])
        elif op is sre.BRANCH:
            parts = [_all_of(branch) for branch in argument[1]]
            more = None if None in parts else {text for part in parts for text in part or ()}
        else:
            more = None
        if more is None:
            return None
        whole = {a + b for a, b in product(whole, more)}
    return whole


def _letters(parts: Iterable[Any]) -> set[str] | None:
    letters: set[str] = set()
    for op, argument in parts:
        if op is sre.LITERAL:
            letters.add(chr(argument))
        elif op is sre.RANGE:
            letters |= {chr(code) for code in range(argument[0], argument[1] + 1)}
        else:
            return None
    return letters


def _written(items: list[Any]) -> str:
    """Writes a form anew, without what looks around it and with no repeat inside a repeat."""
    written = []
    for at, (op, argument) in enumerate(items):
        if op is sre.MAX_REPEAT:
            written.append(_repeat(argument, items[at + 1 :]))
        elif op in (sre.ASSERT, sre.ASSERT_NOT, sre.AT):
            raise NotPlain
        else:
            written.append(_one(op, argument))
    return "".join(written)


def _one(op: Any, argument: Any) -> str:
    if op is sre.LITERAL:
        return re.escape(chr(argument))
    if op is sre.IN:
        return _class(argument)
    if op is sre.SUBPATTERN:
        inner = list(argument[3])
        is_choice = len(inner) == 1 and inner[0][0] is sre.BRANCH
        return _written(inner) if is_choice else f"(?:{_written(inner)})"
    if op is sre.BRANCH:
        return f"(?:{'|'.join(_written(list(branch)) for branch in argument[1])})"
    raise NotPlain


def _class(parts: Iterable[Any]) -> str:
    written = []
    for op, argument in parts:
        if op is sre.LITERAL:
            written.append(re.escape(chr(argument)))
        elif op is sre.RANGE:
            written.append(f"{re.escape(chr(argument[0]))}-{re.escape(chr(argument[1]))}")
        else:
            raise NotPlain
    return f"[{''.join(written)}]"


def _repeat(argument: Any, following: list[Any]) -> str:
    least, most, inner = argument
    (op, what), *more = list(inner)
    if more or (op is sre.SUBPATTERN and most > MOST_GROUPS):
        raise NotPlain
    if most - least <= WIDE:
        times = {(0, 1): "?", (least, least): f"{{{least}}}"}.get((least, int(most)))
        return _one(op, what) + (times or f"{{{least},{most}}}")
    letters = _letters(what) if op is sre.IN else None
    if letters is None or any(_may_begin(item, letters) for item in following[:1]):
        raise NotPlain
    return _class(what) + f"{{{least},}}+"


def _may_begin(item: Any, letters: set[str]) -> bool:
    """Whether what follows a repeat could have been taken by it."""
    op, argument = item
    if op is sre.LITERAL:
        return chr(argument) in letters
    is_optional = op is sre.MAX_REPEAT and argument[0] == 0
    return not is_optional  # what may be absent is, where the repeat has taken it


if __name__ == "__main__":
    main(sys.argv[1])
