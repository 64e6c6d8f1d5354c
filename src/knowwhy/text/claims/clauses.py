"""The first clause of a claim, without what only introduces or explains it."""

import re
from dataclasses import dataclass

from knowwhy.text.claims.terms import words
from knowwhy.text.claims.topic_words import DROPPED
from knowwhy.text.patterns import regex

MAX_READ = 2_000  # characters; what is longer makes more than one claim
MAX_CLAUSE = 40  # words; the same

CORRECTING = (
    r"(?:no|nope|no wait|wait no|correction|sorry|wait|wrong|incorrect|not quite|scratch that"
    r"|my mistake|oops|as a correction|to correct (?:this|that|myself)"
    r"|let me correct (?:this|that|myself)"
    r"|on second thought|not (?:true|right|correct))(?: [,.;:!]|(?= i meant| i was wrong))"
    r"|actually(?: ,)?"
    r"|(?:that|this|it) (?:is|was) (?:not (?:right|true|correct|quite right|the case)|wrong|false"
    r"|incorrect|outdated|a mistake|no longer (?:true|right|correct))(?: [,.;:!]| and| since)"
    r"|i (?:was|am|are) (?:wrong|mistaken)(?: (?:before|earlier|about (?:this|that)))?(?: [,.;:!])?"
    r"|i (?:meant|misspoke|made a mistake)(?: to say)?(?: that)?(?: [,.;:!])?"
)
_ASSURING = (
    r"(?:also|additionally|besides|moreover|update|note|fyi|btw|fact|important|reminder|remember|well|ok|okay|yes|definitely"
    r"|certainly|clearly|indeed|decision|verified|confirmed)(?: that)?(?: [,.;:!])+"
    r"|(?:remember|note|keep in mind|be aware|please note|for the record)(?: that| ,)"
    r"|(?:it|this) (?:is|was|has been) (?:now )?(?:certain|clear|true|a fact|confirmed|verified|"
    r"decided|agreed|established|known|well known)(?: that| ,)"
    r"|(?:we|i|they|you|everyone|the \w{1,30}|\w{1,30}) (?:have |has |all )?(?:decided|agreed|"
    r"confirmed|concluded|determined|confirm|know|agree) that"
    r"|(?:as(?! of )|according to|per) [^,]{1,80} ,"
)
_OPENING = regex(rf"(?:{CORRECTING}|{_ASSURING}) *")
_CORRECTS = regex(rf"(?:{CORRECTING}) ")
MAX_OPENINGS = 4  # "No, sorry, actually, …"

_DECIDED = regex(  # "we decided to deploy on Fridays" is left as it is
    r"^we (?:have )?(?:decided|agreed|opted|chose) (?:(?:to|on)"
    r" (?:use|using|adopt|adopting|go with)"
    r"|(?P<not>against(?: using| adopting)?|not to (?:use|adopt|go with))) "
)
_ASIDE = regex(r" \( [^()]{0,400} \)")
_END = regex(r" (?:[.;!]|→)(?: |$)")
_REASON = regex(
    r" ,? ?(?:because|whereas|so that|in order to|due to|as (?=adr|rfc|inc|pep|decided|stated|"
    r"documented|described|agreed|said)|according to|see |per (?=adr|rfc|inc|commit|docs)|, which"
    r"|, since|, as|, so|since (?!#|last|then|early|late|mid|jan|feb|mar|apr|may|jun|jul|aug|sep|"
    r"oct|nov|dec|the (?:start|end|release|move|migration)|version)).*"
)
_SINCE = regex(
    r" (?:since|starting|beginning|as of|effective) (?!.* (?:not|no longer|instead of|but) ).*"
)
_POINT = (
    r"(?:#\d{4}(?:-\d\d-\d\d)?|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}"
    r"(?: #\d+)?|(?:last |this )?(?:mon|tues|wednes|thurs|fri|satur|sun)day)"
)
_SPAN = (
    r"(?:(?:last|this) (?:week|month|year|spring|summer|autumn|winter|quarter|sprint)"
    r"|yesterday|recently|last night|#\S{1,20} ago)"
)
_WHEN = regex(rf" (?:(?:in|on) {_POINT}|{_SPAN})$")
_WHEN_FIRST = regex(rf"(?:(?:in|on) {_POINT}|{_SPAN}) (?:, )?(?=\w)")
_SINCE_FIRST = regex(
    rf"(?:since|as of|from|starting|beginning|effective)(?: in| on| from| with)? "
    rf"(?:{_POINT}|{_SPAN}|then|today|now|immediately|(?:the )?(?:spring|summer|autumn|winter))"
    r"(?: onwards?| on)? (?:, )?(?!(?:to|until|till|and|or)\b)(?=\w)"
)
_FRONT = regex(rf"((?:in|on|for|at|during|under|within) [^,]{{1,60}}|{_SPAN}) , (.+)")
_FRONT_BARE = regex(r"((?:in|on|for|at|during|under) [\w-]+) (the .+)")
_WHY = regex(
    r" for (?:(?:[^ ]+ ){0,3}reasons?|(?:its|their|better|lower|cheaper|faster|more|less|fewer"
    r"|easier|simpler|improved|higher) .{1,80}|costs?|pricing|compliance|performance|speed"
    r"|deliverability|reliability|security|privacy|licensing)$"
)
_WHOLLY = regex(
    r" (?:everywhere|completely|fully|entirely|altogether|for good|for everything"
    r"|across the board)$"
)
_BESIDE = regex(
    r" (?:but|and|then|later) (?:(?:we|it|they|that|this|so|then|later|are|is|were|was|have|has)\b"
    r"|\w{1,20}ed\b).*| but .*"
)
_ADDS = regex(r"\b(?:also|too|as well|additionally|besides|in addition)\b")
_ADDS_FIRST = regex(r"(?:also|additionally|besides|in addition) ,")
_UNDONE = regex(
    r"(?:^|[,.;]|\b(?:and|but|then|later|before|until|though|although)) (?:[^ ,.;]{1,40} ){0,6}"
    r"(?:(?<!looked )(?<!look )back|revert\w{0,5}|return\w{0,3}|undid|undone|cancel\w{0,5}"
    r"|aborted)\b"
)
_QUALIFIED = regex(
    r"[ ,(:-]*(?:(?:but|and|at least|so far|just|though|albeit|initially|first) )*"
    r"(?:only|solely|partly|partially|temporarily|briefly|for now|as an? |(?:in|on|for|at|within"
    r"|under|during) (?!general\b|full\b|the end\b|last\b|place\b|good\b|all\b|production\b)\w"
    r"|\w{1,30} only\b)"
)
_MORE = regex(r" (?:anymore|any more|any longer)\b")
_THESE_DAYS = regex(r"(?:^| )(?:these days|nowadays)(?: ,)?(?= |$)")
_AT_MOST = regex(r"\bno longer than\b")
_NOT_AFTER = regex(r" , (?=not |instead of |rather than |but )")
_NOW_NEXT = regex(r" [.;] (?=(?:now|today|nowadays|these days|since then|from then on) )")
# What came to be so: "now", but not "for now", "until now", or the "Now, …" of a speaker.
_NEWLY = regex(
    r"(?:^|, |and )now (?!,|and then\b|that\b)"
    r"|(?<!\bfor)(?<!\buntil)(?<!\btill)(?<!\bto)(?<!\bby)(?<!\bright)(?<!\bjust)(?<!\beven)"
    r"(?<!\bfrom)(?<!\bof) now\b(?! and then\b| that\b)"
    rf"|\b(?:these days|nowadays|(?:from|as of|starting|effective) (?:now|today|immediately)"
    rf"|since {_POINT}|since (?:{_SPAN}|today))\b"
)
_NOT_YET = regex(
    r"\b(?:will|would|should|could|might|may|can|plan\w{0,5}|want\w{0,3}|going to|if|unless|until"
    r"|till|tr(?:y|ying|ied)|temporarily|almost|nearly|maybe|perhaps|need|consider\w{0,5})\b"
)
_LIMITS = regex(r" , (?:except|unless|only|if|when|but only|but not|though|although)\b")


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


def says_newly(text: str) -> bool:
    """Tells whether a claim says that something has come to be so: "we now use it"."""
    said = first_sentence(text)
    return said is not None and bool(_NEWLY.search(said)) and not _NOT_YET.search(said)


def first_sentence(text: str) -> str | None:
    """Returns the first sentence of a claim in canonical words, without what introduces it."""
    if len(text) > MAX_READ:
        return None
    said = " ".join(words(text))
    if " ?" in said:
        return None
    said = _NOW_NEXT.sub(" , ", _ASIDE.sub("", said[_openings(said)[-1] :]))
    return _END.split(said, maxsplit=1)[0]


def first_clause(text: str) -> str | None:
    """Returns the first clause of a claim in canonical words; None where it is none or unclear."""
    said = first_sentence(text)
    return None if said is None else clause_of(said)


def clause_of(said: str) -> str | None:
    """Returns the first clause of a sentence, without what only explains it."""
    if since := _SINCE_FIRST.match(said):
        said = said[since.end() :]
    said = _AT_MOST.sub("at most", _THESE_DAYS.sub("", said).strip())
    said = _SINCE.sub("", _REASON.sub("", said))
    if _LIMITS.search(said):
        return None
    if fronted := _FRONT.fullmatch(said) or _FRONT_BARE.fullmatch(said):
        said = f"{fronted[2]} {fronted[1]}"
    said = _NOT_AFTER.sub(" ", said).split(" , ")[0]
    kept = [word for word in _as_practice(said).split() if word not in DROPPED]
    return " ".join(kept) if 1 < len(kept) <= MAX_CLAUSE else None


def _as_practice(said: str) -> str:
    """Tells "we decided to use it" and "we decided against it" as what is done since."""
    return _DECIDED.sub(lambda found: f"we {'do not ' if found['not'] else ''}use ", said, count=1)


def without_moment(clause: str) -> str:
    """Returns a clause without the moment at either end, at which something came to hold."""
    first = _WHEN_FIRST.match(clause)
    return _WHEN.sub("", clause[first.end() :] if first else clause)


def of_change(clause: str) -> str:
    """Returns the part of a clause that says what changed, without when, why and how fully."""
    changed = without_moment(_BESIDE.sub("", without_moment(clause), count=1))
    return _WHOLLY.sub("", without_moment(_WHY.sub("", _WHOLLY.sub("", changed))))


def adds(text: str) -> bool:
    """Tells whether a claim says that something is so too: "we also deploy on Fridays"."""
    said = _END.split(" ".join(words(text[:MAX_READ])), maxsplit=1)[0]
    return _ADDS.search(_ADDS_FIRST.sub("", said)) is not None


def takes_back(text: str, *names: str) -> bool:
    """Tells whether what follows the change between two names undoes it or limits it."""
    said = " ".join(words(text[:MAX_READ]))
    said = f" {said}"
    ends = [said.find(f" {name}") + len(name) + 1 for name in names if f" {name}" in said]
    rest = without_moment(said[max(ends, default=0) :])
    return bool(_UNDONE.search(rest) or _is_limited(rest)) or _remains(rest, names)


def _is_limited(rest: str) -> bool:
    """Tells whether the words after a change say where alone it holds."""
    if rest.startswith((" ,", " (")):
        plain = without_moment(rest.rstrip(" .!)"))[2:]
        return bool(_QUALIFIED.match(plain)) and not _WHY.fullmatch(plain)
    return False


def _remains(rest: str, names: tuple[str, ...]) -> bool:
    """Tells whether one of the names is still spoken of as kept: "but invoices stay on it"."""
    found = re.search(r"\b(?:but|except|while|though|although|then)\b([^.;]*)", rest)
    told = found[1].split() if found else []
    return any(name in told for name in names)


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
