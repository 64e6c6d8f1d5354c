"""Whether a question asks for the records of a time, or for the first or last of them.

"What was decided in 2021?" does; "Which format did we use in 2021?" asks what held then, which was
decided at any time before, and a year in a name or beside a unit is no time at all.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from knowwhy.text.patterns import regex
from knowwhy.text.question import question_grammar_words as small
from knowwhy.text.question.question_times import ON, Time, bounded, times_in, told
from knowwhy.text.question.question_words import singular
from knowwhy.types import ALWAYS, Between

NEAR = 60  # characters before a time in which its preposition and its noun stand
MASK = "§"  # stands for each character of what a question names or quotes

# What has a date of its own, whatever the kinds of records are called.
_DATED = """
adr anything change decision doc document everything incident issue meeting memo migration note
outage post-mortem postmortem proposal record release rfc
"""
_EVENTS = frozenset(_DATED.split())
_DECIDED = r"decid\w+|chose\w*|choose|adopt\w*|accept\w*|approv\w*|reject\w*|agreed?|propos\w+"
_HAPPENED = (
    rf"{_DECIDED}|happen\w*|occur\w*|broke|fail\w*|went (?:wrong|down)|crash\w*|chang\w+"
    r"|introduc\w+|add(?:ed)?|remov\w+|replac\w+|migrat\w+|switch\w*|moved?|deprecat\w+"
    r"|releas\w+|wr(?:ote|itten)|publish\w*|merged?|learn\w*|discuss\w*|said|told|say|planned"
    r"|started?|stopped|raised?|fix(?:ed)?|caused?|created?|shipped|dropped|new|done"
)
# Whatever was done to something at a time is an event, but for what was so before and after.
_DONE = regex(
    r"\b(?:(?:was|were|been|got) (?:\w+ly )?"
    r"(?P<participle>\w{2,20}(?:ed|en|[wl]n|ought|ent|ade|id))"
    r"|did (?:we|they|you|i|it|(?:the|our) \w{1,20}|[A-Z]\w{1,20}) (?:\w+ly )?"
    r"(?P<verb>[a-z]{2,20}))\b"
)
_IS_DECIDED = regex(rf"\b(?:{_DECIDED})\b", re.I)
_HAS_HAPPENED = regex(rf"\b(?:{_HAPPENED})\b", re.I)
_US = r"(?:we|it|they|you|this|that|services?|teams?)"
_HELD = regex(  # what was so at a time began before it
    rf"\b(?:used to|did {_US} (?:\w+ )?(?:use|have|run|work|store|keep|host|handle|check|know|need)"
    rf"|(?:had|have|has) {_US} (?:to|been)|in (?:force|effect|use|place)"
    r"|(?:was|were|is|are) (?:\w+ )?(?:used|stored|run|kept|hosted|allowed|valid|running))\b",
    re.I,
)
_BEFORE = regex(
    r"(?:\b(?:(?:older|earlier|(?P<later>newer|later|younger)) (?P<than>than)"
    r"|(?P<word>in|during|on|at|from|since|after|before|until|till|between|and|or|to|through"
    r"|throughout|over|within|of|by))\s+)?(?P<the>the\s+)?(?P<year>year\s+)?\Z",
    re.I,
)
_WORD_BEFORE = regex(r"([\w-]+)\W*\Z")
_NEXT = regex(r"(?:['’]s)?\s+([^\W\d_][\w-]*)")
_QUOTED = regex(r"[\"“”`][^\"“”`]{1,200}[\"“”`]")
_NO_UNITS = frozenset(("was", "is", "does", "has", "as", "us", "this", "its", "across"))
_MEASURES = "ms mb gb kb bit byte px qps rps percent mhz x per req line token"
_UNITS = frozenset(_MEASURES.split())
_ORDER = regex(
    r"\b(?P<order>most recent(?:ly)?|latest|newest|last|oldest|earliest|first)\s+"
    r"(?:(?P<one>[^\W\d_][\w-]*)\s+)?(?:(?P<two>[^\W\d_][\w-]*)\s+)?(?P<noun>[^\W\d_][\w-]*)",
    re.I,
)
_LATELY = regex(
    rf"\b(?:{_DECIDED})\b.{{0,40}}\bmost recently\b|\bmost recently (?:{_DECIDED})\b", re.I
)
_WORD = regex(r"[^\W_](?:[\w-]*\w)?")
_LITTLE = """
all am be been did do does ever everything anything get gets go going got had happen has have i if
many much made make new our ours place recent recently since so some such take taken team than then
there took until us we were when while within year month week quarter most between during before
after through over about regarding concerning happened architecture architectural design date dated
back off up out older newer earlier later than on onward onwards
"""
_SAYING_NOTHING = frozenset(_LITTLE.split())


@dataclass(frozen=True, slots=True)
class When:
    """What a question says of time."""

    span: Between = ALWAYS  # of the records that it asks for
    order: str | None = None  # "first" or "last" by date
    kinds: tuple[str, ...] = ()  # of record that it names or means
    topic: tuple[str, ...] = ()  # the words of what it is about; none for whatever there is

    def __bool__(self) -> bool:
        """Tells whether it says anything."""
        return bool(self.span) or self.order is not None

    def told(self) -> str:
        """Says it in words: "records of 2021-01-01 to 2021-12-31, the most recent first"."""
        if not self:
            return ""
        records = f"records {told(self.span)}".strip()
        if self.order is None:
            return records
        first = "most recent" if self.order == "last" else "oldest"
        return f"{records}, the {first} first"


NEVER_SAID = When()


def when_asked(
    question: str,
    names: Sequence[tuple[int, int]],
    families: Collection[str],
    today: date | None,
) -> When:
    """Reads what a question says of time; what stands in its names and quotes says nothing."""
    names = [*names, *(match.span() for match in _QUOTED.finditer(question))]
    text = _masked(question, names)
    placed = [(time, _placed(text, time)) for time in times_in(text, today)]
    times = [(time, word) for time, word in placed if word is not None]
    span = _joined(times)
    order, noun = _order(text, families)
    nouns = [word for word in map(singular, _words(text)) if _is_event(word, families)]
    is_event = bool(_HAS_HAPPENED.search(text) or _DONE.search(text)) and not _HELD.search(text)
    if not (nouns or is_event):
        span = ALWAYS
    if not span and order is None:
        return NEVER_SAID
    left = _covered(text, [(time.start, time.end) for time, _ in times], " ")
    means = "decision" if _IS_DECIDED.search(left) else None
    kinds = _kinds([noun] if noun else nouns[:1] or [means or ""], families)
    named = [word for start, end in names for word in _words(question[start:end])]
    topic = [word for word in named if word not in small.SMALL_WORDS] or named
    return When(span, order, kinds, (*topic, *_topic(left, families)))


def _masked(question: str, names: Iterable[tuple[int, int]]) -> str:
    return _covered(question, names, MASK)


def _covered(text: str, spans: Iterable[tuple[int, int]], cover: str) -> str:
    """Puts a character in the place of each one of some spans."""
    kept = list(text)
    for start, end in spans:
        kept[start:end] = cover * (end - start)
    return "".join(kept)


def _words(text: str) -> list[str]:
    return [match[0].lower() for match in _WORD.finditer(text)]


def _is_event(word: str, families: Collection[str]) -> bool:
    """Tells whether a noun stands for records that have a date."""
    return word in _EVENTS or (word in families and word not in small.ANYTHING)


def _placed(text: str, time: Time) -> str | None:
    """Gives the preposition before a time, "" where it needs none; None where it is no time."""
    before = _BEFORE.search(text, max(0, time.start - NEAR), time.start)
    after = _NEXT.match(text, time.end)
    following = after[1].lower() if after else ""
    word = _preposition(before, following) if before else ""
    is_the = bool(before and before["the"])
    if time.is_told_alone or (singular(following) in _EVENTS and (is_the or word)):
        return word
    if not word or (is_the and not (before and before["year"]) and time.form == "year"):
        return None
    if word == "of" and not _is_of_event(text, time):
        return None
    is_plural = following.endswith("s") and following not in _NO_UNITS
    if time.form == "year" and (is_plural or singular(following) in _UNITS):
        return None
    return None if word in ("by", "at") else word


def _preposition(before: re.Match[str], following: str) -> str:
    """Gives the preposition before a time: "older than" is before, "from … on" is since."""
    if before["than"]:
        return "after" if before["later"] else "before"
    word = (before["word"] or "").lower()
    return "since" if word == "from" and following in ON else word


def _is_of_event(text: str, time: Time) -> bool:
    """Tells "the outage of 2021" from "the roadmap of 2021"."""
    head = _BEFORE.sub("", text[max(0, time.start - NEAR) : time.start])
    found = _WORD_BEFORE.search(head)
    return found is not None and singular(found[1].lower()) in _EVENTS


def _joined(times: list[tuple[Time, str]]) -> Between:
    """Gives the one span that the times of a question make together; none where they make two."""
    if not times:
        return ALWAYS
    (first, word), rest = times[0], times[1:]
    if not rest:
        return ALWAYS if word in ("between", "to", "and", "or") else bounded(word, first.span)
    (second, other), more = rest[0], rest[1:]
    if more:
        return ALWAYS
    if word in ("since", "after", "from") and other in ("until", "till", "before", "to", "through"):
        last = bounded("before" if other == "before" else "until", second.span)
        return Between(bounded(word, first.span).after, last.before)
    if other in ("and", "or", "to") or (word == other == "in"):
        starts = [s.after for s in (first.span, second.span) if s.after]
        ends = [s.before for s in (first.span, second.span) if s.before]
        return Between(min(starts), max(ends))
    return ALWAYS


def _order(text: str, families: Collection[str]) -> tuple[str | None, str | None]:
    """Gives the order that a superlative before a kind of record asks for, and that kind."""
    for match in _ORDER.finditer(text):
        order = small.ORDERS[match["order"].lower().removeprefix("most ").removesuffix("ly")]
        for name in ("one", "two", "noun"):
            word = singular((match[name] or "").lower())
            if word and _is_event(word, families):
                return order, word
            if word in small.OF or word in small.AUXILIARIES:
                break
    return ("last", "decision") if _LATELY.search(text) else (None, None)


def _kinds(nouns: Iterable[str], families: Collection[str]) -> tuple[str, ...]:
    for noun in nouns:
        meant = small.KINDS.get(noun, ())
        if found := tuple(kind for kind in meant if kind in families):
            return found
        if noun in families and noun not in small.ANYTHING:
            return (noun,)
    return ()


def _topic(text: str, families: Collection[str]) -> Iterator[str]:
    """Yields the words of what is asked about besides a time."""
    said = _HAS_HAPPENED.sub(" ", text)
    if verb := _DONE.search(text):
        start, end = verb.span("participle" if verb["participle"] else "verb")
        said = _HAS_HAPPENED.sub(" ", text[:start] + " " + text[end:])
    for word in _words(said):
        if len(word) == 1 or word.isdecimal():
            continue
        is_small = word in _SAYING_NOTHING or word in small.SMALL_WORDS or word in small.ORDERS
        if not is_small and not _is_event(singular(word), families):
            yield word
