"""People and teams as documents write them: names, addresses and handles in one line."""

import re

from knowwhy.text.patterns import regex

MAX_LINE = 4000  # characters; the longest author list met is a tenth of it
MAX_NAME = 60  # characters
MAX_NAME_WORDS = 5  # words; more is a sentence

_LINK = regex(r"\[([^\[\]]{1,100})\]\([^()\s]{0,300}\)")
_ROLE = regex(r":[a-z]+:`([^`<]{1,80})(?:<[^`>]{0,200}>)?`")
_ADDRESS = regex(r"<[^<>]{0,200}>")
_MAIL_FIRST = regex(
    r"(?<![^\s,;<>()])([^\s,;<>()@]{1,64}@[^\s,;<>()]{1,200}+)\s*+\(([^()]{2,100})\)"
)
_ASIDE = regex(r"\([^()]{0,200}\)")
_BREAK = regex(r"[,;|\n]|(?<![^\S\n])\s+(?:(?:and|&|/|\+|with)\s+|(?=@[\w-]))")
_HANDLE = regex(r"@[A-Za-z0-9][\w-]{0,38}(?:/[\w.-]{1,60})?")
_MAIL = regex(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}")
_NAME = regex(r"[^\W\d_][\w'’.\-‑]*(?:[ \t]+[^\W\d_][\w'’.\-‑]*)*\.?")
_EDGES = " \t\r\n\"'`*_~•·-–—:."
_SUFFIXES = frozenset(("jr", "sr", "ii", "iii", "iv", "phd", "esq"))
_PARTICLES = frozenset(
    ("van", "von", "der", "den", "de", "da", "di", "du", "la", "le", "bin", "al")
)
_NOBODY = """
none n/a na tbd tba todo unknown various everyone everybody all anonymous nobody null unassigned
see below others et al author authors owner team
"""
_NO_NAMES = frozenset(_NOBODY.split())
_TEAMS = """
team teams squad guild group sig wg council committee board crew chapter tribe engineering
operations ops sre devops infrastructure community developers maintainers
"""
_TEAM_WORDS = frozenset(_TEAMS.split())


def split_people(line: str) -> list[tuple[str, str]]:
    """Return the people and teams that a line lists, each with person or team as its type."""
    text = _ROLE.sub(r"\1", _LINK.sub(r"\1", line[:MAX_LINE]))
    text = _MAIL_FIRST.sub(r"\2", text)
    found: list[tuple[str, str]] = []
    for piece in _BREAK.split(_hide_addresses(text)):
        name = _ASIDE.sub("", piece).strip(_EDGES)
        if found and name.lower() in _SUFFIXES:
            found[-1] = (f"{found[-1][0]}, {name}", found[-1][1])
        elif _is_name(name):
            found.append((name, _type_of(name)))
    return list(dict.fromkeys(found))


def _type_of(name: str) -> str:
    """Return team for a name that says so, else person."""
    words = name.lower().replace("-", " ").split()
    has_team = bool(words) and (words[-1] in _TEAM_WORDS or words[0] in ("team", "sig"))
    return "team" if has_team or ("@" in name and "/" in name) else "person"


def is_proper(name: str) -> bool:
    """Tell a name from a few words of prose: a handle, an address, or capitals throughout."""
    words = [word for word in name.split() if word.lower() not in _PARTICLES]
    return name[0] == "@" or "@" in name or all(word[0].isupper() for word in words)


def _hide_addresses(text: str) -> str:
    """Drop the <address> after each name, and keep one that stands for a name."""
    spared = re.sub(r"(^|[,;\n])[^\S\n]*<([^<>\s]{3,200})>", r"\1\2", text)
    return _ADDRESS.sub("", spared)


def _is_name(name: str) -> bool:
    if _HANDLE.fullmatch(name) or _MAIL.fullmatch(name):
        return True
    is_short = 1 < len(name) <= MAX_NAME and len(name.split()) <= MAX_NAME_WORDS
    return is_short and bool(_NAME.fullmatch(name)) and name.lower() not in _NO_NAMES
