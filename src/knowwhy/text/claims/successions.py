"""Successions: "moved from X to Y", "replaced X with Y", "Y instead of X", "no longer X but Y"."""

import re
from collections.abc import Sequence
from dataclasses import replace

from knowwhy.text.claims.assertions import Assertion, read_assertion, tool
from knowwhy.text.claims.clauses import MAX_READ, of_change, without_moment
from knowwhy.text.claims.nouns import Noun, Value, kind_of, noun, value
from knowwhy.text.claims.terms import is_number, is_product, words
from knowwhy.text.claims.topic_words import (
    CARRIERS,
    PREPOSITIONS,
    PURPOSES,
    SOLE_PRODUCTS,
    UNCLEAR,
    WE,
)
from knowwhy.text.patterns import regex

_AUX = (
    r"(?:(?:was|were|is|are|has|have|had|got|be|fully|completely|entirely|finally|recently"
    r"|successfully) )*"
)
_MOVED = (
    r"(?P<verb>moved|migrated|switched|changed|converted|ported|transitioned|upgraded|downgraded"
    r"|bumped|raised|lowered|increased|reduced|decreased|extended|shortened|rewritten|rewrote"
    r"|translated|went|shifted|cut|swapped|renamed)"
    r"(?: over| away| back| completely| fully| entirely)?"
)
_S = r"(?:(?P<s>.+?) )??"
_PATTERNS = tuple(
    regex(pattern)
    for pattern in (
        rf"{_S}{_AUX}{_MOVED}(?: (?P<o>.+?))?? from (?P<x>.+?)(?: back)?"
        r" (?:to|onto|into) (?P<y>.+)",
        rf"{_S}{_AUX}{_MOVED}(?: (?P<o>.+?))?? off(?: of)? (?P<x>.+?)"
        r" (?:to|onto|in favou?r of) (?P<y>.+)",
        rf"{_S}{_AUX}{_MOVED}(?: (?P<o>.+?))?? (?:to|onto) (?P<y>.+?) from (?P<x>.+)",
        rf"(?P<x>[^:]+?) {_AUX}replaced (?:by|with) (?P<y>.+)",
        r"(?P<x>[^:]+?) (?:was|were|is|are|been) (?:superseded|succeeded) by (?P<y>.+)",
        rf"{_S}{_AUX}(?:replaced|replacing|substituted) (?P<x>.+?) (?:with|by) (?P<y>.+)",
        rf"{_S}{_AUX}swapped(?: out)? (?P<x>.+?) for (?P<y>.+)",
        rf"{_S}{_AUX}(?:dropped|ditched|abandoned|retired|discontinued|left|phased out)"
        r" (?P<x>.+?) in favou?r of (?P<y>.+)",
    )
)
_TOOK_OVER = regex(
    r"(?P<y>.+?) (?:(?:has|have|fully|completely|entirely|finally) )*(?:replaced|replaces"
    r"|superseded|supersedes|succeeded|displaced|took over from"
    r"|taken over from|took the place of|taken the place of) (?P<x>.+)"
)
_GAVE_WAY = regex(r"(?P<x>.+?) (?:has |have )?(?:gave|given|made) way (?:to|for) (?P<y>.+)")
_LEFT = regex(
    rf"{_S}{_AUX}(?:dropped|ditched|abandoned|retired|left|discarded|scrapped|traded|gave up"
    r"|given up|phased out) (?P<x>.+?) for (?P<y>.+)"
)
_WAS_LEFT = regex(
    r"(?P<x>.+?) (?:was|were|is|has been|have been) (?:dropped|ditched|abandoned|retired"
    r"|discarded|scrapped|phased out|swapped) for (?P<y>.+)"
)
_SHORT = r"[^:→.;!?,()]{1,60}"
_ARROW = regex(rf"(?P<o>{_SHORT}) : (?P<x>{_SHORT}) → (?P<y>{_SHORT})(?: [.!])?")
_CHANGES_WORDS = """
changed change switched switch moved move migrated migration update updated replaced
"""
_CHANGES = frozenset(_CHANGES_WORDS.split())  # beside the label of an arrow
MAX_NAME = 3  # words of a name in a sentence that is a succession only between names
_ACRONYM = 3  # letters; "for EU", "for QA" say for whom, not what came
_INSTEAD = regex(
    r"(?P<said>.+?) (?:instead of|in place of|rather than|in lieu of) (?P<x>[^ ]+(?: [^ ]+){0,5})"
)
_INSTEAD_FIRST = regex(
    r"(?:instead of|in place of|rather than|in lieu of) (?P<x>[^ ]+(?: [^ ]+){0,2}?) (?:, )?"
    r"(?P<said>we .+)"
)
_NOT_BUT = regex(r"(?P<head>.+?) (?:no longer|not) (?P<x>.+?) but (?:now )?(?P<y>.+)")
_NOT = regex(r"(?P<said>.+?) not (?P<x>[^ ]+(?: [^ ]+){0,3})")
_ARTICLES = frozenset(("a", "an", "the", "our", "all"))
_LANGUAGE_VERBS = frozenset(("rewritten", "rewrote", "ported", "translated"))
_VERSION_VERBS = frozenset(("upgraded", "downgraded", "bumped"))
_OWN_DATA = regex(r"(?:its|their|the|our|all) (?:data|state|records|own data|storage)")
_DENIED = regex(r"\b(?:not|never|no longer)\b")
UNREAL = regex(  # what is only planned, wished or supposed has not happened
    r"\b(?:will|would|should|could|might|may|can|shall|plan\w{0,5}|want\w{0,3}|wish\w{0,3}|going to"
    r"|about to|consider\w{0,5}|propos\w{1,4}|if|unless|until|try\w{0,3}|tried|hop(?:e|es|ing)|once"
    r"|intend\w{0,3}|needs? to|ha(?:ve|s) to|never|almost|nearly|wanted|maybe|perhaps)\b"
)
LIMITED = regex(
    r"\b(?:only|solely|partly|partially|temporarily|briefly|provisionally|experimentally|for now"
    r"|some|several|half|parts? of|a few|one|mostly|besides|apart|aside|excluding)\b"
)
_DO = regex(r" (?:do|does|did)$")


def read_succession(clause: str, named: frozenset[str]) -> Assertion | None:
    """Reads a clause that says what took the place of what."""
    clause = without_moment(clause)
    changed = of_change(clause)
    if LIMITED.search(clause) or UNREAL.search(changed):
        return None
    for pattern in () if _DENIED.search(changed) else _PATTERNS:
        if (found := pattern.fullmatch(changed)) and (said := _moved(found, named)):
            return said
    if UNREAL.search(clause):
        return None
    return _between(changed, named) or _not_but(clause, named) or _contrasted(clause, named)


def arrow_as_change(text: str, named: frozenset[str]) -> str | None:
    """Puts "Email: Resend -> Bento" as a change; None where an arrow means something else."""
    found = _ARROW.fullmatch(" ".join(words(text))) if len(text) <= MAX_READ else None
    if not found:
        return None
    label = " ".join(word for word in found["o"].split() if word not in _CHANGES)
    about = noun(label)
    is_purpose = label.rpartition(" ")[2] in PURPOSES
    if not is_purpose and (about is None or about.attribute is None):
        return None
    ends = (found["x"], found["y"])
    if is_purpose and not all(_is_name(end, named) for end in ends):
        return None
    return f"we changed {label} from {found['x']} to {found['y']}"


def _between(clause: str, named: frozenset[str]) -> Assertion | None:
    """Reads what is a succession only between two names: "Bento replaced Resend"."""
    if _DENIED.search(clause):
        return None
    for pattern in (_TOOK_OVER, _GAVE_WAY, _WAS_LEFT, _LEFT):
        found = pattern.fullmatch(clause)
        if found and _is_name(found["x"], named) and _is_name(found["y"], named):
            return _moved(found, named)
    return None


def _is_name(text: str, named: frozenset[str]) -> bool:
    """Tells a name, and where or what for it holds, from "lunch" and "a week"."""
    head = re.split(rf" (?:{'|'.join(PREPOSITIONS)}) ", text, maxsplit=1)[0].split()
    head = [word for word in head if word not in _ARTICLES]
    return 0 < len(head) <= MAX_NAME and _names(head[0], named) and is_more(head[1:])


def _names(word: str, named: frozenset[str]) -> bool:
    if is_product(word):
        return True
    is_other = word in WE or word in UNCLEAR or word in PURPOSES or len(word) <= _ACRONYM
    return word in named and not is_other


def is_more(words: Sequence[str]) -> bool:
    """Tells whether words beside a name say nothing but its version and that it is in use."""
    return all(
        is_number(word) or word[:2].lstrip("v").isdigit() or word in CARRIERS for word in words
    )


def _moved(found: re.Match[str], named: frozenset[str]) -> Assertion | None:
    got = found.groupdict()
    before, after = value(got["x"]), value(got["y"])
    about = _about(got.get("s") or "we", got.get("o") or "")
    if before is None or after is None or about is None:
        return None
    before, after = _alike(before, after)
    if about.attribute:
        return Assertion(
            about.thing,
            about.attribute,
            after.text,
            _joined(about.where, before.where, after.where),
            before.text,
        )
    if got.get("verb") in _LANGUAGE_VERBS:
        return Assertion(about.thing, "language", after.text, about.where, before.text)
    if is_number(after.text):
        is_version = bool(got.get("o")) and got.get("verb") in _VERSION_VERBS
        version = Assertion(about.thing, "version", after.text, about.where, before.text)
        return version if is_version and about.thing else None
    return changed_to(about, before, after)


def changed_to(about: Noun, before: Value, after: Value) -> Assertion:
    """Says what the thing that came is to the one that uses it, as the one that went was."""
    role = after.role or before.role or kind_of(after.text) or kind_of(before.text)
    role = role or _sole(before, after)
    purpose = after.purpose or before.purpose
    where = _joined(before.where, after.where)
    said = tool(about.thing, about.where, Value(after.text, where, purpose, role))
    if said.attribute == "version":
        return replace(said, replaced=before.text.rpartition(" ")[2])
    attribute = "" if said.attribute.startswith("use ") else said.attribute
    return replace(said, attribute=attribute, replaced=before.text)


def _sole(before: Value, after: Value) -> str | None:
    """Says what two products are of whose kind there is one: systems or languages."""
    old, new = before.text.split()[0], after.text.split()[0]
    kind = SOLE_PRODUCTS.get(new)
    same = old != new and kind == SOLE_PRODUCTS.get(old)
    return kind if same and kind in ("os", "language") else None


def _about(subject: str, moved: str) -> Noun | None:
    """Reads what has changed: what was moved, of the one who moved it."""
    who = noun(subject)
    if not moved or _OWN_DATA.fullmatch(moved):
        return who
    what = noun(moved)
    if who is None or what is None:
        return None
    thing = " ".join(sorted({*who.thing.split(), *what.thing.split()}))
    return Noun(thing, what.attribute, _joined(who.where, what.where))


def _alike(before: Value, after: Value) -> tuple[Value, Value]:
    """Gives a lone number the name of the other: "from PostgreSQL 13 to 15"."""
    name, _, number = before.text.rpartition(" ")
    if name and is_number(number) and is_number(after.text):
        return before, replace(after, text=f"{name} {after.text}")
    name, _, number = after.text.rpartition(" ")
    if name and is_number(number) and is_number(before.text):
        return replace(before, text=f"{name} {before.text}"), after
    return before, after


def _not_but(clause: str, named: frozenset[str]) -> Assertion | None:
    found = _NOT_BUT.fullmatch(clause)
    if not found:
        return None
    head = _DO.sub("", found["head"])
    said = read_assertion(f"{head} {found['y']}", named)
    gone = found["x"]
    if said is None:
        verb, _, gone = gone.partition(" ")
        said = read_assertion(f"{head} {verb} {found['y']}", named)
    return without(said, gone)


def _contrasted(clause: str, named: frozenset[str]) -> Assertion | None:
    """Reads "Y instead of X" and "Y, not X"."""
    found = _INSTEAD.fullmatch(clause) or _INSTEAD_FIRST.fullmatch(clause) or _NOT.fullmatch(clause)
    return without(read_assertion(found["said"], named), found["x"]) if found else None


def without(said: Assertion | None, gone: str) -> Assertion | None:
    """Says of what holds that something else has gone for it."""
    before = value(gone)
    if said is None or before is None:
        return None
    before, _ = _alike(before, Value(said.value, ""))
    if is_number(said.value) != is_number(before.text):
        return None
    where = _joined(said.where, before.where)
    if not said.attribute.startswith("use "):
        return replace(said, where=where, replaced=before.text)
    if before.purpose:  # "Adyen instead of Stripe for payments"
        said = tool(said.thing, said.where, Value(said.value, "", before.purpose))
    attribute = kind_of(before.text) or said.attribute
    return replace(said, attribute=attribute, where=where, replaced=before.text)


def _joined(*parts: str) -> str:
    return " ".join(part for part in parts if part)
