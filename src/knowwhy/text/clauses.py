"""The first clause of a claim, without what only introduces or explains it."""

import re
from dataclasses import dataclass

from knowwhy.text.terms import words
from knowwhy.text.topic_words import DROPPED

MAX_READ = 2_000  # characters; what is longer makes more than one claim
MAX_CLAUSE = 40  # words; the same

CORRECTING = (
    r"(?:no|nope|correction|sorry|wait|wrong|incorrect|not quite|scratch that|my mistake"
    r"|oops|as a correction|to correct (?:this|that|myself)|let me correct (?:this|that|myself)"
    r"|on second thought|not (?:true|right|correct))(?: [,.;:!]|(?= i meant| i was wrong))"
    r"|actually(?: ,)?"
    r"|(?:that|this|it) (?:is|was) (?:not (?:right|true|correct|quite right|the case)|wrong|false"
    r"|incorrect|outdated|a mistake|no longer (?:true|right|correct))(?: [,.;:!]| and| since)"
    r"|i (?:was|am|are) (?:wrong|mistaken)(?: (?:before|earlier|about (?:this|that)))?(?: [,.;:!])?"
    r"|i (?:meant|misspoke|made a mistake)(?: to say)?(?: that)?(?: [,.;:!])?"
)
_ASSURING = (
    r"(?:update|note|fyi|btw|fact|important|reminder|remember|well|ok|okay|yes|definitely"
    r"|certainly|clearly|indeed|decision|verified|confirmed)(?: that)?(?: [,.;:!])+"
    r"|(?:remember|note|keep in mind|be aware|please note|for the record)(?: that| ,)"
    r"|(?:it|this) (?:is|was|has been) (?:now )?(?:certain|clear|true|a fact|confirmed|verified|"
    r"decided|agreed|established|known|well known)(?: that| ,)"
    r"|(?:we|i|they|you|everyone|the \w{1,30}|\w{1,30}) (?:have |has |all )?(?:decided|agreed|"
    r"confirmed|concluded|determined|confirm|know|agree) that"
    r"|(?:as|according to|per) [^,]{1,80} ,"
)
_OPENING = re.compile(rf"(?:{CORRECTING}|{_ASSURING}) *")
_CORRECTS = re.compile(rf"(?:{CORRECTING}) ")
MAX_OPENINGS = 4  # "No, sorry, actually, …"

_ASIDE = re.compile(r" \( [^()]{0,400} \)")
_END = re.compile(r" (?:[.;!]|→)(?: |$)")
_REASON = re.compile(
    r" ,? ?(?:because|whereas|so that|in order to|due to|as (?=adr|rfc|inc|pep|decided|stated|"
    r"documented|described|agreed|said)|according to|see |per (?=adr|rfc|inc|commit|docs)|, which"
    r"|, since|, as|, so|since (?!#|last|then|early|late|mid|jan|feb|mar|apr|may|jun|jul|aug|sep|"
    r"oct|nov|dec|the (?:start|end|release|move|migration)|version)).*"
)
_SINCE = re.compile(r" (?:since|starting|beginning|as of|effective) (?!.* (?:not|but) ).*")
_WHEN = re.compile(
    r" (?:in|on) (?:#\d{4}(?:-\d\d-\d\d)?|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)"
    r"[a-z]{0,6}(?: #\d+)?)$"
    r"| (?:(?:last|this) (?:week|month|year|spring|summer|autumn|winter|quarter)"
    r"|yesterday|recently|last night)$"
)
_FRONT = re.compile(r"((?:in|on|for|at|during|under|within) [^,]{1,60}) , (.+)")
_FRONT_BARE = re.compile(r"((?:in|on|for|at|during|under) [\w-]+) (the .+)")
_MORE = re.compile(r" (?:anymore|any more|any longer)\b")
_NOT_AFTER = re.compile(r" , (?=not |instead of |rather than |but )")
_LIMITS = re.compile(r" , (?:except|unless|only|if|when|but only|but not|though|although)\b")


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause in canonical words, joined by single spaces."""

    text: str
    ends: bool = False  # it says "no longer"
    denied: bool = False


def corrects(text: str) -> bool:
    """Tells whether a text begins by taking back what was said before."""
    said = " ".join(words(text[:MAX_READ]))
    return any(_CORRECTS.match(said[found:]) for found in _openings(said))


def first_clause(text: str) -> str | None:
    """Returns the first clause of a claim in canonical words; None where it is none or unclear."""
    if len(text) > MAX_READ:
        return None
    said = " ".join(words(text))
    if " ?" in said:
        return None
    said = said[_openings(said)[-1] :]
    said = _END.split(_ASIDE.sub("", said), maxsplit=1)[0]
    said = _SINCE.sub("", _REASON.sub("", said))
    if _LIMITS.search(said):
        return None
    if fronted := _FRONT.fullmatch(said) or _FRONT_BARE.fullmatch(said):
        said = f"{fronted[2]} {fronted[1]}"
    said = _NOT_AFTER.sub(" ", said).split(" , ")[0]
    kept = [word for word in said.split() if word not in DROPPED]
    return " ".join(kept) if 1 < len(kept) <= MAX_CLAUSE else None


def without_moment(clause: str) -> str:
    """Returns a clause without the moment at its end, at which something came to hold."""
    return _WHEN.sub("", clause)


def without_more(clause: str) -> str:
    """Returns a clause without "any more"."""
    return _MORE.sub("", clause)


def read_denial(clause: str) -> Clause:
    """Takes what denies out of a clause, and remembers that it did."""
    plain, ended = re.subn(r"\b(?:do |does |did )?(?:no|not) longer (?:any )?", "", clause)
    plain, denied = re.subn(r"\b(?:(?:do|does|did) )?(?:not|never)(?: ever)? (?:any )?", "", plain)
    plain, since = _MORE.subn("", plain)
    if denied and since:
        ended, denied = 1, 0
    plain = re.sub(r" at all$", "", plain).strip()
    return Clause(plain, ended > 0, (ended + denied) % 2 == 1)


def _openings(said: str) -> list[int]:
    """Returns where what follows each opening starts, beginning with the start of the text."""
    starts = [0]
    for _ in range(MAX_OPENINGS):
        found = _OPENING.match(said, starts[-1])
        if not found or not found[0]:
            break
        starts.append(found.end())
    return starts
