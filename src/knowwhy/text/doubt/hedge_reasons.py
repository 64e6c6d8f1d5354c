"""A doubt that stands in a clause beside what is said: in its reason, its purpose or its condition.

"We chose Kafka because RabbitMQ might lose messages" tells what was chosen, and that is certain:
whoever chooses weighs what may happen. "The deploy failed because the token might be old" tells
what happened and guesses why.
"""

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from knowwhy.text.patterns import regex

REACH = 400  # characters of a sentence before and after a word that are looked at


class Beside(Enum):
    """What a doubt is to the sentence that it stands in."""

    THE_CLAIM = 0  # it doubts what is said
    A_REASON = 1  # of what somebody chose to do: that stays certain
    A_CLAUSE = 2  # beside something certain, of which it may take away


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause in which a word of doubt stands, and the main clause that it belongs to."""

    main: tuple[int, int]
    gives_reason: bool


_MODAL = regex(r"(?:may|might|could)(?:n't)?(?=\s|$)", re.I)
_OF_THE_PAST = regex(r"\s{1,3}(?:(?:not|also|well|still|just)\s{1,3})?have\s", re.I)
_ENDS = regex(r"[.!?;](?=\s|$)|\n|:\s|\s[-–—]{1,2}\s")
# What opens a reason or a purpose, and what opens another clause. "So" alone draws a conclusion.
_REASON = (
    r"because|since|as(?! (?:well|far|long|soon|if|though|much|many)\b)|given (?:that|how)|in case"
    r"|lest|for fear that|so that|in order that|(?:in order )?to (?:avoid|prevent|ensure|make sure"
    r"|guard against|protect against|rule out|be safe)|considering (?:that|how)"
)
_OTHER = (
    r"although|though|even though|whereas|while"
    r"|(?<!know\s)(?<!knows\s)(?<!clear\s)(?<!sure\s)(?<!tell\s)(?<!ask\s)(?<!see\s)(?:which|who)"
)
_OPENER = regex(rf"(?<![\w-])(?:(?P<reason>{_REASON})|(?P<other>{_OTHER}))(?=\s)", re.I)
_CONDITION = regex(r"(?<![\w-])(?:if|when|whenever|unless)(?=\s)", re.I)
_GOES_ON = regex(r",\s{1,3}(?:and|but|so|or|then|yet)\s", re.I)
_FRONTED = regex(r"\W{0,3}(?:(?:and|but|so|also|now)\s{1,3})?\Z", re.I)
# Words with which alone nothing is said: "this is only because …", "the reason is".
_WORD = regex(r"[^\W\d_][\w'-]*")
_EMPTY = """
a all also an and are because but cause exactly explanation happens here is it it's its just mainly
might most mostly only our partly problem reason root simply so that that's the there these they
this those very was were why culprit issue bug happened
"""
_SAYING_NOTHING = frozenset(_EMPTY.split())
_LEAST = 2  # words that say something

_FIRST = (
    r"(?:(?:and|but|so|also|then|therefore|thus|today|now|instead|currently|here|later|finally"
    r"|first|originally|initially|for now|in (?:the end|\w{1,20}|\w{1,20} \d{4})|[a-z]{1,20}ly)"
    r",?\s{1,3}){0,3}"
)
_ACTOR = (
    r"(?:we|i|(?:the|our) (?:[\w-]{1,20}\s){0,2}(?:team|board|group|squad|maintainers|authors))"
)
_ADVERBS = (
    r"(?:(?:have|had|will|shall|do|did|must|should|now|also|always|never|only|still|then|just"
    r"|first|therefore|not|don't|didn't|no longer|had to|have to|need to|needed to|all|both"
    r"|[a-z]{1,20}ly)\s{1,3}){0,4}"
)
_DOES = regex(
    rf"\W{{0,3}}{_FIRST}{_ACTOR}(?:'(?:ve|d|ll))?\s{{1,3}}{_ADVERBS}"
    r"(?:(?:are|were|am|was|been)\s{1,3}(?P<doing>[a-z]{2,20}ing)|(?P<does>[a-z][a-z'-]{1,20}))\b",
    re.I,
)
# What happens to people, and what they perceive: nobody chooses it.
_UNDERGONE = """
am are be become been believe break broke can can't cannot could couldn't crash crashed die died
encounter encountered experience experienced face faced fail failed feel fell felt find found get
gets got had has have hear heard hit is know knew lack lacked lose lost may might miss missed
notice noticed observe observed receive received remember saw see seem seemed seen stall stalled
suffer suffered think thought want wanted was were wonder would
breaking crashing encountering experiencing facing failing feeling finding getting having hearing
hitting knowing lacking losing missing noticing observing receiving seeing stalling suffering
thinking wondering
"""
_NOT_CHOSEN = frozenset(_UNDERGONE.split())
_RAN_INTO = regex(r"\s{1,3}(?:into|out of)\b", re.I)
_RULED = regex(
    r"\b(?:(?:must|shall|should)(?! (?:be (?:the|an?|some|because|due)|have)\b)|has to|have to"
    r"|needs? to|(?:is|are)(?: not)? (?:allowed|required|forbidden|permitted)"
    r"|(?:is|are|was|were|been|be) (?:\w{1,20} ){0,2}?(?:chosen|picked|selected|adopted|preferred"
    r"|rejected|kept|disabled|enabled|limited|capped|pinned|avoided|banned|used(?! up)|deprecated"
    r"|replaced|decided|designed|excluded|restricted|required|postponed|deferred))\b"
    r"|^\W{0,3}(?:please |always |never |do not |don't |only )?(?:use|keep|avoid|prefer|set|pin|do"
    r" not|don't|never|always|choose|run|check|put|make|write|call|retry|wait|store|treat)\b",
    re.I,
)


def beside(text: str, start: int, end: int, doubts: Sequence[int]) -> Beside:
    """Tells what a word doubts of what is said, by where all the doubts of a text begin."""
    first, last = _sentence(text, start, end)
    clause = _clause(text, first, last, start)
    is_modal = _MODAL.match(text, start) is not None
    if clause is None:
        return _of_a_risk(text, first, last, start, end) if is_modal else Beside.THE_CLAIM
    main = text[slice(*clause.main)]
    is_sure = bisect_left(doubts, clause.main[0]) == bisect_left(doubts, clause.main[1])
    if not is_sure or not _says_something(main) or text[last : last + 1] == "?":
        return Beside.THE_CLAIM
    if not clause.gives_reason:
        return Beside.A_CLAUSE if is_modal else Beside.THE_CLAIM
    if not _is_chosen(main):
        return Beside.THE_CLAIM
    is_past = _OF_THE_PAST.match(text, end) is not None
    return Beside.A_REASON if is_modal and not is_past else Beside.A_CLAUSE


def _sentence(text: str, start: int, end: int) -> tuple[int, int]:
    """Gives the ends of the sentence that a word stands in."""
    first = max(0, start - REACH)
    for match in _ENDS.finditer(text, first, start):
        first = match.end()
    following = _ENDS.search(text, end, min(len(text), end + REACH))
    return first, following.start() if following else min(len(text), end + REACH)


def _clause(text: str, first: int, last: int, start: int) -> Clause | None:
    """Gives the clause that a word stands in, by what opens it; None in a main clause."""
    opener = None
    for match in _OPENER.finditer(text, first, start):
        opener = match
    if opener is None:
        return None
    between, gives_reason = text[opener.end() : start], opener["reason"] is not None
    if _FRONTED.fullmatch(text[first : opener.start()]):
        comma = text.find(",", start, last)
        if "," in between or comma < 0:
            return None
        return Clause((comma + 1, last), gives_reason)
    if _GOES_ON.search(between) or between.count(",") % 2:
        return None
    return Clause((first, opener.start()), gives_reason)


def _of_a_risk(text: str, first: int, last: int, start: int, end: int) -> Beside:
    """Tells what may happen under a condition, which is known, from a guess at what is."""
    after = text[end:last].lower().split()[:1]
    if after in ([], ["be"], ["have"], ["well"], ["also"], ["mean"], ["just"]):
        return Beside.THE_CLAIM
    vague = text[first:start].lower().split()[-1:]
    if vague and vague[0] in ("it", "this", "that", "there", "i", "we", "he", "she"):
        return Beside.THE_CLAIM
    return Beside.A_CLAUSE if _CONDITION.search(text, first, last) else Beside.THE_CLAIM


def _says_something(main: str) -> bool:
    words = [match[0].lower() for match in _WORD.finditer(main)]
    return len([word for word in words if word not in _SAYING_NOTHING]) >= _LEAST


def _is_chosen(main: str) -> bool:
    """Tells what somebody does or a rule asks for from what happened to somebody."""
    done = _DOES.match(main)
    if done is None:
        return _RULED.search(main) is not None
    if _RAN_INTO.match(main, done.end()):
        return False
    return (done["doing"] or done["does"]).lower() not in _NOT_CHOSEN
