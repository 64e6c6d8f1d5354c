"""The teams and people that prose names, where it does so reliably."""

import re
from collections.abc import Iterator

from knowwhy.text.patterns import regex
from knowwhy.text.relating.people import is_proper, split_people
from knowwhy.text.relating.relation_words import PEOPLE, relation_of
from knowwhy.types import Entity

Found = tuple[int, Entity]  # where it starts, and what it is

_TEAM = regex(
    r"\b(?:([Tt]he|[Oo]ur) )?([A-Za-z][\w&-]{1,30}(?: [A-Z][\w&-]{1,30}){0,2}) "
    r"(?:[Tt]eam|[Ss]quad|[Gg]uild)\b"
)
_TEAM_ID = regex(r"\bteam-([a-z][a-z0-9]{1,30}(?:-[a-z0-9]{1,30}){0,4})\b")
_TEAM_HANDLE = regex(r"(?<![\w/\"'@])@[A-Za-z\d][\w-]{0,38}/[A-Za-z][\w-]{0,60}(?![\w@/])")
_SRE = regex(r"\bSREs?\b")
_NO_TEAM = """
a all another any best big core cross current dedicated different each entire existing external
first full great new next other one own relevant remote responsible same second separate several
single small that the this two various whole and or of for to in with our their your my its both
between response on-call oncall on-duty working per every
"""
_NO_TEAMS = frozenset(_NO_TEAM.split())
# Scopes under which a package registry, not a company, files its packages.
_SCOPES = """
angular apollo aws-sdk babel emotion eslint graphql jest mui nestjs react-native reduxjs rollup
storybook swc tanstack testing-library types typescript-eslint vitejs vue
"""
_PACKAGE_SCOPES = frozenset(_SCOPES.split())

_CAPITAL = r"[^\W\d_a-z][\w'’-]{1,30}"
_MAILED = regex(
    rf"({_CAPITAL}(?: (?:{_CAPITAL}|[A-Z]\.|van|von|de|der|la)){{1,4}})"
    r" <[^<>\s]{1,64}@[^<>\s]{1,99}>"
)
_DONE_BY = regex(
    r"\b(?i:approved|assigned|authored|created|decided|drafted|led|owned|proposed|reported|reviewed"
    r"|signed off|sponsored|written)[ -](?i:by|to):? "
    rf"({_CAPITAL}(?: [A-Z]\.)?(?: {_CAPITAL}){{1,2}})"
)
_HANDLED = regex(
    r"(?:\(|(?i:\b(?:by|cc|owners?|authors?|assignees?|reviewers?|approvers?|deciders?|ping|thanks"
    r"|contact|to):?[ ]))(@[A-Za-z\d][\w-]{0,38})(?![\w/.@-])"
)
_PEOPLE_LINE = regex(
    r"^[^\w\n]{0,6}([A-Z][A-Za-z() -]{2,30}?)[*_]{0,2}:[*_]{0,2}[ \t]+(\S.{0,300})$", re.MULTILINE
)


def teams(text: str) -> Iterator[Found]:
    """Yield the teams that a text names, with where each is named."""
    for match in _TEAM.finditer(text):
        words = match[2].lower().split()
        is_named = bool(match[1]) or match[2][0].isupper()
        if is_named and not _NO_TEAMS.intersection(words):
            yield match.start(2), Entity("-".join(words), "team", match[0])
    for match in _TEAM_ID.finditer(text):
        yield match.start(), Entity(match[1], "team", match[0])
    for match in _TEAM_HANDLE.finditer(text):
        if match[0][1:].split("/")[0].lower() not in _PACKAGE_SCOPES:
            yield match.start(), Entity(match[0], "team", match[0])
    for match in _SRE.finditer(text):
        yield match.start(), Entity("sre", "team", match[0])


def people(text: str) -> Iterator[Found]:
    """Yield the people that a text names, with where each is named."""
    for pattern in (_MAILED, _DONE_BY, _HANDLED):
        for match in pattern.finditer(text):
            yield match.start(1), Entity(match[1], "person", match[1])
    for match in _PEOPLE_LINE.finditer(text):
        if relation_of(match[1]) in PEOPLE:
            yield from _listed(match)


def _listed(match: re.Match[str]) -> Iterator[Found]:
    for name, kind in split_people(match[2]):
        is_full = " " in name or name[0] == "@"
        if is_full and is_proper(name):
            yield match.start(2), Entity(name, kind, name)
