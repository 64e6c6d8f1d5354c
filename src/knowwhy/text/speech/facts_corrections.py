"""Corrections of what was believed before, made to stand alone where that can be done."""

import re

from knowwhy.text.patterns import regex
from knowwhy.text.sentences import pieces
from knowwhy.text.speech.spoken import spoken

CONTEXT_CHARS = 8000  # characters at the end of what was said before that are read

_SIGNAL = regex(
    r"(?:(?:h+m+|oh|ah|ok|sorry|wait|well|um|eh|ehm|but|and|hold on)[,.!:… ]+)*(?:"
    r"no(?:pe)?(?:[,.!]| no\b| wait\b| it\b| that's\b| this\b| they\b| the\b|$)|nah\b"
    r"|(?:that's|that is|this is|it's) (?:wrong|incorrect|not (?:right|correct|true|it|quite right)"
    r"|outdated|out of date|false)|wrong\b|not (?:quite|really|exactly|true|correct|all of)\b"
    r"|scrap that|strike that|(?:small |quick |one )?correction\b|i stand corrected"
    r"|(?:tbh |honestly )?i (?:was wrong|misread|misspoke|mixed|got .{2,30} wrong|made a mistake"
    r"|mis-?remembered|had .{2,30} wrong)|i meant\b|that's .{2,60}, not "
    r"|you(?:'re| are| have|'ve)? (?:mixed|confus|thinking of|wrong"
    r"|mistaken|misread|got .{2,30} (?:wrong|backwards|mixed up))|i (?:never|didn't"
    r"|did not) (?:say|said|mean|meant)"
    r"|(?:the )?other way (?:a)?round|actually[,]? (?:it|we|the|that|they|our|no|its|there"
    r"|\w+ (?:is|are))\b"
    r"|i (?:had )?(?:thought|assumed|believed)\b.{0,200}\bbut\b|nope)"
)
_CONTRAST = regex(
    r"(?:, not |,? and not |,? rather than |,? instead of | not \w+ but )|\b(?:anymore|any more"
    r"|any longer"
    r"|no longer)\b|^it(?:'s| is) not .{2,60}, |\bthinking of\b|\b(?:is|are) (?:stale|outdated"
    r"|out of date|wrong)\b|^not all of\b|^i (?:had )?(?:thought|assumed"
    r"|believed)\b.{0,200}\bbut\b|^(?:i|we) (?:said|meant) (?!the other\b|that\b|this\b|it\b)"
)
_OLDER = regex(
    r"\b(?:the old|stale|outdated|out of date|used to|was before|were before|from before)\b"
)
_OWN_ERROR = regex(r"i (?:was wrong|mixed up|misread|had .{2,30} wrong|got .{2,30} wrong)\b")
_ALONE = regex(
    r"(?:h+m+|no(?:pe)?|nah|not it|scrap that|strike that|wrong|actually|wait|sorry"
    r"|that's (?:wrong|not it|not right|incorrect|not true)|correction"
    r"|(?:the )?other way (?:a)?round"
    r"|nope that's not it|[\s,.!:…])+"
)
_LEAD = regex(
    r"i (?:had )?(?:thought|assumed|believed)\b[^:]{0,200}\bbut\b[^:]{0,60}: |(?:(?:h+m+|oh|ah|ok"
    r"|sorry|wait|well|no(?:pe)?|nah|actually|scrap that|strike that|wrong|but"
    r"|you(?:'ve| have) got (?:that|it|this) (?:wrong|backwards|mixed up)|(?:small "
    r"|quick )?correction(?: to what i (?:said|wrote)(?: earlier| before)?)?"
    r"|that's (?:wrong|not (?:right|true|it|correct))"
    r"|(?:it's )?the other way (?:a)?round)[,.!:… ]+)+",
    re.I,
)
_DENIED_VALUE = regex(r"(?:, | and |, and )not (?:in |on |at |the |by )?([\w./-]*\w)")
_INSTEAD = regex(
    r"(?:it|that|this|they|these|those)(?:'s| is| are| was"
    r"|'re)\s++(?P<new>[^,;]{1,60}?),?\s++(?:and )?not\s++"
    r"(?P<old>[^,;.!]{1,40})[.!]?$",
    re.I,
)


def signals_correction(low: str) -> bool:
    """Tells whether a sentence opens by taking something back or denying it."""
    return _SIGNAL.match(low) is not None


def contrasts(low: str) -> bool:
    """Tells whether a sentence sets what holds against what was believed."""
    return _CONTRAST.search(low) is not None


def explains(low: str) -> bool:
    """Tells whether a sentence says where the wrong belief came from."""
    return _OLDER.search(low) is not None


def takes_back_own(low: str) -> bool:
    """Tells whether somebody takes back what they said themselves, naming it."""
    return _OWN_ERROR.match(low) is not None


def says_only_no(low: str) -> bool:
    """Tells whether a sentence denies without saying what holds."""
    return _ALONE.fullmatch(low) is not None


def lead_chars(core: str) -> int:
    """Gives how many characters at the front of a correction only deny."""
    lead = _LEAD.match(core)
    return lead.end() if lead and lead.end() < len(core) else 0


def standing_alone(claim: str, context: str | None) -> str:
    """Puts the corrected value into the sentence that had the wrong one, if it is in the"
    " context."""
    instead = _INSTEAD.match(" ".join(claim.split()))
    if not instead or not context:
        return claim
    new, old = instead["new"].strip(), instead["old"].strip()
    value = _with_unit(new, old)
    for sentence in reversed(_said_before(context)):
        for wrong in (value, old):
            place = re.search(rf"(?<![\w.]){re.escape(wrong)}(?![\w])", sentence, re.I)
            if place:
                right = new if wrong == value else new.removesuffix(_unit(sentence, place.end()))
                told = sentence[: place.start()] + right.strip() + sentence[place.end() :]
                return f"{told.rstrip('.! ')}, not {wrong}."
    return claim


def denies_earlier(claim: str, context: str | None) -> bool:
    """Tells whether a claim says "not X" of something that was said before."""
    denied = _DENIED_VALUE.search(claim)
    if not denied or not context:
        return False
    told = spoken(context[-CONTEXT_CHARS:]).lower()
    return re.search(rf"(?<![\w.]){re.escape(denied[1].lower())}(?!\w)", told) is not None


def _with_unit(new: str, old: str) -> str:
    """Gives the old value the unit of the new one: of "14 days" and "7" it makes "7 days"."""
    parts = new.split(" ", 1)
    return f"{old} {parts[1]}" if len(parts) > 1 and " " not in old else old


def _unit(sentence: str, at: int) -> str:
    word = re.match(r"\s?[\w%€$]{0,20}", sentence[at:])
    return word[0] if word else ""


def _said_before(context: str) -> list[str]:
    text = spoken(context[-CONTEXT_CHARS:])
    return [" ".join(text[piece.start : piece.end].split()) for piece in pieces(text)]
