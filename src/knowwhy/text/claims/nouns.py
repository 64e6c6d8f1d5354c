"""Subjects and values of claims, as one key each."""

from collections.abc import Iterable
from dataclasses import dataclass

from knowwhy.text.claims.gist import is_light
from knowwhy.text.claims.terms import is_number, root
from knowwhy.text.claims.topic_words import (
    DOING,
    GENERIC,
    KINDS_OF_NAMES,
    MEASURED,
    NAMED,
    ONLY_TOOLS,
    PART_OF,
    PREPOSITIONS,
    PURPOSES,
    SAME_ATTRIBUTE,
    UNCLEAR,
    WE,
)
from knowwhy.text.patterns import regex

MAX_SUBJECT = 6  # words; a longer subject is a sentence
MAX_PURPOSE = 3  # words after "for": "for sending transactional mail"
MAX_VALUE = 4  # words of a name
_SEVERAL = regex(r"(?:^| )(?:and|or|,|both|either|between|plus|&)(?: |$)")
_CONTRAST = regex(r"\b(?:instead|rather than|in place of|in lieu of)\b")
_LED = regex(r"(?:set to|fixed at|limited to|at most|up to|exactly|always|called|named) ")


@dataclass(frozen=True, slots=True)
class Noun:
    """What a claim is about: roots of the thing, its attribute, and where it holds."""

    thing: str  # roots in alphabetical order; empty for the speaker's project itself
    attribute: str | None
    where: str


@dataclass(frozen=True, slots=True)
class Value:
    """What a claim says of it, and where that holds."""

    text: str
    where: str
    purpose: str | None = None  # what for, where one tool does it for everybody
    role: str | None = None  # "as its database"


def noun(text: str, *, whole: bool = False) -> Noun | None:
    """Reads a subject; None where it is unclear what is meant. A whole one has no attribute."""
    head, groups = _parts(text)
    if head and all(word in UNCLEAR for word in head):
        return None
    attribute = _attribute(head[-1]) if head and not whole else None
    things = head[:-1] if attribute else head
    where: list[str] = []
    for preposition, held in groups:
        (things if preposition in PART_OF else where).extend(held)
    keys = _keys(things)
    if len(keys) > MAX_SUBJECT or _SEVERAL.search(text) or any(map(is_number, keys)):
        return None
    return Noun(" ".join(keys), attribute, " ".join(_keys(where)))


def value(text: str) -> Value | None:
    """Reads a value; None where several are given, or none."""
    text = _LED.sub("", text.partition(" : ")[0].strip())
    if not text or _SEVERAL.search(f" {text} ") or _CONTRAST.search(text):
        return None
    head, groups = _parts(text)
    purpose, role, where = None, None, []
    for preposition, held in groups:
        named = next((PURPOSES[word] for word in held if word in PURPOSES), None)
        if preposition == "for" and named and len(held) <= MAX_PURPOSE:
            purpose = _purpose(held, named)
        elif preposition == "as" and held and (found := _attribute(held[-1])):
            role = found
            if named and found == "provider":  # "as our mail provider"
                purpose = _purpose(held[:-1], named)
        else:
            where += held
    said = [word for word in head if word not in GENERIC and not is_light(word)] or head
    said = said[:-1] if len(said) > 1 and _attribute(said[-1]) in NAMED else said
    if not said or len(said) > MAX_VALUE:
        return None
    return Value(" ".join(said), " ".join(_keys(where)), purpose, role)


def kind_of(name: str) -> str | None:
    """Returns what a product's name says that it is."""
    if name in ONLY_TOOLS:
        return ONLY_TOOLS[name]
    for word in name.split():
        for part, kind in KINDS_OF_NAMES:
            if word.endswith(part) or word.startswith(part) or (part == "sql" and part in word):
                return kind if len(word) > len(part) else None
    return None


def measures(attribute: str) -> bool:
    """Tells whether an attribute has a number rather than a name."""
    return attribute in MEASURED


def _purpose(held: list[str], named: str) -> str:
    """Gives a purpose with what narrows it: "transactional mail" is not all mail."""
    return " ".join([*narrowing(held), named])


def narrowing(held: Iterable[str]) -> list[str]:
    """Gives the words that narrow a purpose."""
    return [w for w in held if w not in PURPOSES and w not in DOING and not is_light(w)]


def _attribute(word: str) -> str | None:
    plain = SAME_ATTRIBUTE.get(word, word)
    return plain if plain in MEASURED or plain in NAMED else None


def _parts(text: str) -> tuple[list[str], list[tuple[str, list[str]]]]:
    """Splits words at their prepositions; "per second" stays where it is."""
    head: list[str] = []
    groups: list[tuple[str, list[str]]] = []
    for word in text.split():
        if word in PREPOSITIONS:
            groups.append((word, []))
        elif word in ("a", "an", "the", "our", "its", "their", "my", "his", "her", "all", "every"):
            continue
        else:
            (groups[-1][1] if groups else head).append(word)
    return head, groups


def _keys(found: list[str]) -> list[str]:
    said = [w for w in found if w not in WE and not is_light(w)]
    named = [w for w in said if w not in GENERIC] or said
    return sorted({w if is_number(w) else root(w) for w in named})
