"""What the grammar of questions looks at: words, names, kinds, and what narrows an answer."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date

from knowwhy.text.question import question_grammar_words as small
from knowwhy.text.question import question_words as words
from knowwhy.text.question.question_sense import Sense
from knowwhy.text.question.question_times import ON, bounded
from knowwhy.text.question.question_tokens import (
    Named,
    Token,
    month_of,
    span_at,
    time_of_tokens,
)
from knowwhy.text.question.question_words import singular
from knowwhy.types import Between

Found = tuple[Sense, int]  # what was read, and the place after it

MAX_READINGS = 12  # readings of one phrase at one place; real questions have up to four
MAX_UNKNOWN = 2  # unknown words before a known noun: "long-lived API decisions"
RECORD_TYPES = frozenset(("record", "unknown", "issue", "module"))  # what a noun may stand beside
MAX_DEPTH = 12  # phrases within phrases; questions by hand have up to five


class Reader:
    """One question being read: its tokens, what was read at each place, and what "it" is."""

    def __init__(
        self,
        tokens: Sequence[Token],
        families: Collection[str],
        statuses: Collection[str],
        topic: Sense | None = None,
        today: date | None = None,
    ) -> None:
        self.tokens = tokens
        self.families = families
        self.statuses = small.STATUSES.union(statuses)
        self.topic = topic
        self.today = today
        self.depth = 0
        self.read: dict[tuple[str, int], list[Found]] = {}

    def low(self, at: int) -> str:
        """Return the word at a place in lower case; a name and the end are empty."""
        return self.tokens[at].low if at < len(self.tokens) else ""

    def is_in(self, at: int, group: Collection[str]) -> bool:
        """Tell whether the word at a place is one of a group."""
        return bool(self.low(at)) and self.low(at) in group

    def skip(self, at: int, group: Collection[str]) -> int:
        """Return the first place from one on whose word is not of a group."""
        while self.is_in(at, group):
            at += 1
        return at

    def once(self, name: str, at: int, reader: Callable[[int], Iterable[Found]]) -> list[Found]:
        """Return the readings of one kind of phrase at a place, read once."""
        if (name, at) in self.read or self.depth == MAX_DEPTH:
            return self.read.get((name, at), [])
        self.read[name, at] = []  # a phrase that begins with itself has no reading
        self.depth += 1
        found = dict.fromkeys(f for f in reader(at) if f[1] > at)
        self.depth -= 1
        self.read[name, at] = list(found)[:MAX_READINGS]
        return self.read[name, at]

    def is_kind(self, word: str) -> bool:
        """Tell whether a word is a noun for records, people or a family of records."""
        one = singular(word)
        return bool(one) and (one in small.KINDS or one in small.PERSONS or one in self.families)

    def adjectives(self, kept: Sense, at: int) -> tuple[Sense, int]:
        """Return what the words before a noun narrow: "the other Final"."""
        while at < len(self.tokens):
            word = self.low(at)
            if word in small.OTHERS:
                kept = replace(kept, other=True)
            elif word in small.ORDERS and not self.tokens[at].named:
                kept = replace(kept, order=small.ORDERS[word])
            elif word in self.statuses and not self.has_object(at):
                kept = replace(kept, statuses=(*kept.statuses, word))
            elif not (
                word in small.DETERMINERS
                or word in small.QUALIFIERS
                or (word in ("or", "and", ",") and kept.statuses)
            ):
                break
            at += 1
        return kept, at

    def head(self, kept: Sense, at: int) -> Iterator[Found]:
        """Yield a noun for a kind, after at most two words that say nothing to a walk."""
        if kept.other and self.low(at - 1) in small.OTHERS:
            yield kept, at
        for place in range(at, min(at + MAX_UNKNOWN + 1, len(self.tokens))):
            token = self.tokens[place]
            if self.is_kind(token.low) or is_acronym(token.raw):
                yield self.of_kind(kept, token.low), place + 1
                if not self.is_kind(self.low(place + 1)):
                    return
            elif not token.raw[:1].isalpha() or token.low in _NO_MODIFIER:
                return

    def of_kind(self, kept: Sense, word: str) -> Sense:
        """Return a set narrowed to what a noun stands for."""
        one = singular(word)
        if one in small.PERSONS:
            return replace(kept, is_people=True)
        if one in self.families and one not in small.ANYTHING:
            return replace(kept, kinds=(one,), is_people=False)
        kinds = tuple(kind for kind in small.KINDS.get(one, ()) if kind in self.families)
        return replace(kept, kinds=kinds, is_people=False)

    def either(self, named: Named, at: int) -> tuple[tuple[str, ...], int]:
        """Return the nodes of names joined by "or" or "and", and where they end."""
        nodes = named.nodes
        while self.low(at) in ("or", "and") and at + 1 < len(self.tokens):
            other = self.tokens[at + 1].named
            if other is None or other.type != named.type or len(other.nodes) != 1:
                break
            nodes, at = nodes + other.nodes, at + 2
        return nodes, at

    def relation_nouns(self, at: int) -> Iterator[tuple[str, int]]:
        """Yield the relations that a noun names, with the place after it: "successor"."""
        word = singular(self.low(at))
        for relation, rest, _ in words.NOUN_WAYS.get(word, ()):
            end = at + 1 + len(rest)
            said = [singular(self.low(place)) for place in range(at + 1, end)]
            if said == list(rest):
                yield relation, end
        if word and word not in words.NOUN_WAYS and (relation_name := words.role(self.low(at))):
            yield relation_name, at + 1
        if word and self.is_in(at + 1, small.PERSONS):
            relation_name = words.role(f"{word} {self.low(at + 1)}")  # "owning SIG"
            yield from [(relation_name, at + 2)] if relation_name else []
        if word and word not in words.NOUN_WAYS and words.role(self.low(at + 1)) and at:
            is_kind = self.is_kind(word) or is_acronym(self.tokens[at].raw)
            yield from (self.relation_nouns(at + 1) if is_kind else ())

    def status(self, at: int) -> Iterator[Found]:
        """Yield the status that a walk keeps to."""
        start = at
        if self.low(at) in ("with", "in", "of", "have", "has", "had", "whose"):
            at = self.skip(at + 1, ("a", "the"))
            is_said = self.low(at) in ("status", "state")
            at = self.skip(at, ("status", "state", "of", "is", "was", "are"))
            if not is_said and self.low(at + 1) not in ("status", "state"):
                return
        elif self.low(at) in ("status", "state"):
            at += 1
        found: list[str] = []
        while self.low(at) in self.statuses:
            found.append(self.low(at))
            at += 1
            if self.low(at) in ("or", ",") and self.low(at + 1) in self.statuses:
                at += 1
            else:
                break
        if found and at > start:
            if set(found) & set(small.SAME_STATUS):
                found += small.SAME_STATUS
            yield Sense(statuses=tuple(dict.fromkeys(found))), self.skip(at, ("status", "state"))

    def time(self, at: int) -> Iterator[Found]:
        """Yield the time that a walk keeps to."""
        at = self.skip(at, _DATED)
        word = self.low(at)
        if word == "prior" and self.low(at + 1) == "to":
            word, at = "before", at + 1
        if word in ("in", "during", "on", "from", "since", "before", "after", "until"):
            at += self.low(at + 1) == "the"
            if month := self._lone_month(at + 1):
                if word in ("in", "during"):
                    yield Sense(month=month), at + 2
            elif found := span_at(self.tokens, at + 1, self.today):
                span = bounded(word, found[0])
                if word == "from":
                    yield from self._until(found, ("to", "until", "till", "through"))
                if word == "from" and self.is_in(found[1], ON):
                    yield Sense(after=span.after), found[1] + 1
                yield Sense(after=span.after, before=span.before), found[1]
        elif word == "between" and (first := span_at(self.tokens, at + 1, self.today)):
            yield from self._until(first, ("and",))
        elif (alone := time_of_tokens(self.tokens, at, self.today)) and alone[0].is_told_alone:
            yield Sense(after=alone[0].span.after, before=alone[0].span.before), alone[1]

    def _until(self, first: tuple[Between, int], joined: Collection[str]) -> Iterator[Found]:
        """Yield the time from one span to another that follows it."""
        last = span_at(self.tokens, first[1] + 1, self.today)
        if last and self.is_in(first[1], joined):
            yield Sense(after=first[0].after, before=last[0].before), last[1]

    def _lone_month(self, at: int) -> int | None:
        is_month = at < len(self.tokens) and month_of(self.tokens[at].raw)
        is_alone = is_month and not span_at(self.tokens, at, self.today)
        return month_of(self.tokens[at].raw) if is_alone else None

    def is_apposed(self, at: int, type_: str) -> bool:
        """Tell whether a single noun may stand beside a name of this type."""
        return self.fits(at, type_) and not self.low(at).endswith("s")

    def fits(self, at: int, type_: str) -> bool:
        """Tell whether a noun may stand beside a name of this type: "the auth service"."""
        one = singular(self.low(at))
        if one in small.PERSONS:
            return type_ in ("person", "team")
        is_service = "service" in small.KINDS.get(one, ())
        is_record = type_ in RECORD_TYPES or (is_service and type_ == "service")
        return self.is_kind(one) and is_record

    def changing(self, at: int) -> int:
        """Return the place after "changes", "is removed", "goes down", or the same place."""
        end = self.skip(at, small.AUXILIARIES | {"to", "goes", "go", "were"})
        return end + 1 if self.is_in(end, small.CHANGES) else at

    def verbs(self, at: int, forms: Collection[str]) -> Iterator[tuple[str, int]]:
        """Yield the relations that a verb in one of these forms states, with the place after it."""
        for relation, rest, form in words.VERB_WAYS.get(self.low(at), ()):
            is_part = form == "past" and "part" in forms and self.low(at).endswith("ed")
            if (form in forms or is_part) and self.says(at + 1, rest):
                yield relation, at + 1 + len(rest)

    def says(self, at: int, rest: Sequence[str]) -> bool:
        """Tell whether these words stand at a place."""
        return all(self.low(at + n) == word for n, word in enumerate(rest))

    def has_object(self, at: int) -> bool:
        """Tell "replaced the ADR" from "replaced ADRs"."""
        is_verb = self.low(at) in words.VERB_WAYS
        following = self.tokens[at + 1].named if at + 1 < len(self.tokens) else None
        return is_verb and (self.is_in(at + 1, small.DETERMINERS) or following is not None)


_NO_MODIFIER = (
    small.AUXILIARIES | small.RELATIVE | small.OF | small.BY | small.PRONOUNS | small.NEGATIVE
    | small.ASKING | small.DETERMINERS | words.VERB_WAYS.keys()
    | {"and", "or", "but", "as", "if", "when", "why", "how", "where"}
)  # fmt: skip
_DATED = frozenset(("created", "written", "published", "dated", "made", "opened", "happened"))


def is_acronym(raw: str) -> bool:
    """Tell a family of records that the graph may not know: KEPs, RFCs."""
    bare = raw.removesuffix("s")
    return 2 <= len(bare) <= 6 and bare.isupper() and bare.isalpha()
