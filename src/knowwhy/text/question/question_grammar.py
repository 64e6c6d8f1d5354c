"""The grammar of relational questions: noun phrases and predicates, read outward from a name."""

from collections.abc import Collection, Iterator
from dataclasses import replace

from knowwhy.text.question import question_grammar_words as small
from knowwhy.text.question import question_words as words
from knowwhy.text.question.question_reader import MAX_READINGS, RECORD_TYPES, Found, Reader
from knowwhy.text.question.question_sense import Sense, against, alike, along, both, taken
from knowwhy.text.question.question_words import singular
from knowwhy.text.relating.relation_words import PEOPLE
from knowwhy.types import Step


class Grammar(Reader):
    """Reads noun phrases and predicates; each reading is what it stands for and where it ends."""

    # Noun phrases

    def thing(self, at: int) -> list[Found]:
        """Return the readings of a noun phrase that leads back to something named."""
        return [found for found in self.noun_phrase(at) if not found[0].is_open]

    def noun_phrase(self, at: int) -> list[Found]:
        """Return the readings of a noun phrase, one for a kind of thing too."""
        return self.once("np", at, self._noun_phrase)

    def _noun_phrase(self, at: int) -> Iterator[Found]:
        for sense, end in [*self._named(at), *self._described(at), *self._whoever(at)]:
            yield from self._owned(sense, end)
        if self.topic and self.is_in(at, small.PRONOUNS):
            yield from self._owned(self.topic, at + 1)

    def _owned(self, sense: Sense, at: int) -> Iterator[Found]:
        """Yield a phrase, and what follows from it: "SPEC-054's dependencies"."""
        start = at + (self.low(at) in ("'s", "'"))
        if not sense.is_open:
            plain = self.skip(start, small.QUALIFIERS | small.OTHERS)
            for relation, end in self.relation_nouns(plain):
                if owned := along(sense, relation):
                    yield from self._followed(owned, end)
                    yield from self._owned(owned, end)
            if sense.is_people and start > at:
                yield from self._made_by(sense, plain)
        if start == at:
            yield sense, at

    def _made_by(self, people: Sense, at: int) -> Iterator[Found]:
        """Yield what people or a team made: "Ann Holt's RFCs"."""
        if made := against(people, _making(people)):
            kept, at = self.adjectives(Sense(), at)
            for kind, end in self.head(kept, at):
                if whole := both(made, kind):
                    yield from self._followed(whole, end)

    def _named(self, at: int) -> Iterator[Found]:
        """Yield a named thing, with the noun before or after it: the ADR "Use Kafka"."""
        start = self.skip(at, small.DETERMINERS)
        for place in (start, start + 1, start + 2):
            named = self.tokens[place].named if place < len(self.tokens) else None
            if named:
                end = place + 1
                fits = place == start or self.fits(place - 1, named.type)
                if fits and len(named.nodes) == 1 and named.type in _NAMEABLE:
                    nodes, end = self.either(named, end)
                    sense = Sense(nodes, is_people=named.type in ("person", "team"))
                    yield from self._followed(sense, end, is_named=True)
                    if self.is_apposed(end, named.type):
                        yield from self._followed(sense, end + 1, is_named=True)
                return
            if not self.is_kind(self.low(place)):
                return

    def kept(self, at: int) -> Iterator[Found]:
        """Yield what a walk checks at its end: a status, a time, what is no answer."""
        yield from self.status(at)
        yield from self.time(at)
        yield from self.besides(at)

    def besides(self, at: int) -> Iterator[Found]:
        """Yield what is no answer: "other than SPEC-3"."""
        for phrase in _BESIDES:
            if all(self.low(at + n) == word for n, word in enumerate(phrase)):
                for sense, end in self.thing(at + len(phrase)):
                    if not sense.steps:
                        yield Sense(other_than=sense.anchors), end
                return

    def _described(self, at: int) -> Iterator[Found]:
        """Yield a described set: "the other accepted ADRs that …", "the authors of …"."""
        kept, at = self.adjectives(Sense(), at)
        kind = self.of_kind(kept, self.low(at)) if self.is_kind(self.low(at)) else kept
        for relation, end in self.relation_nouns(at):
            yield from self._related(kept if relation in PEOPLE else kind, relation, end)
        for sense, end in self.head(kept, at):
            yield from self._followed(sense, end)

    def _related(self, kept: Sense, relation: str, at: int) -> Iterator[Found]:
        """Yield what a relation's noun is of: "the author of NP", "incidents in NP"."""
        if self.is_in(at, small.OF):
            for owner, end in self.thing(at + 1):
                if (found := along(owner, relation)) and (whole := both(found, kept)):
                    yield from self._followed(whole, end)

    def _whoever(self, at: int) -> Iterator[Found]:
        if self.low(at) == "whoever":
            for sense, end in self.predicate(at + 1):
                if found := both(Sense(is_people=True), sense):
                    yield found, end

    def _followed(self, sense: Sense, at: int, is_named: bool = False) -> Iterator[Found]:
        """Yield a phrase with each way in which what follows narrows it."""
        places = [(sense, at)]
        for narrowed, end in places:
            yield narrowed, end
            if not is_named and len(places) < MAX_READINGS:
                places += self.narrowed(narrowed, end)

    def narrowed(self, sense: Sense, at: int) -> Iterator[Found]:
        """Yield a phrase with what follows it: "(ADRs) that cite SPEC-3", "(ADRs) by Ann"."""
        for added, end in self.once("post", at, self._follower):
            if found := both(sense, added):
                yield found, end

    def _follower(self, at: int) -> Iterator[Found]:
        if self.low(at) == ",":
            at += 1
        yield from self.kept(at)
        yield from self._reduced(at)
        start = at + (self.is_in(at, small.RELATIVE))
        if start > at:
            yield from self.predicate(start)
        for subject, end in self.thing(start):  # "(that) ADR-5 replaced"
            yield from self.gap(subject, self.skip(end, small.AUXILIARIES - small.BE))
        if self.low(at) in ("by", "of", "from", "under"):
            for maker, end in self.thing(at + 1):
                if found := against(maker, _making(maker)):
                    yield found, end
            yield from self._same(at + 1, by_whom="AUTHORED_BY")
        if self.low(at) == "with":
            yield from self._same(at + 1)
            yield from self._as(at + 1)
        if self.low(at) == "whose":
            yield from self._whose(at + 1)

    def _whose(self, at: int) -> Iterator[Found]:
        for relation, end in self.relation_nouns(at):
            for person, after in self.thing(self.skip(end, small.BE)):
                if found := against(person, relation):
                    yield found, after
            for person, after in self.predicate(end):
                if not person.is_open and (found := against(person, relation)):
                    yield found, after

    def _reduced(self, at: int) -> Iterator[Found]:
        """Yield a participle and its object: "superseded by NP", "depending on NP"."""
        yield from self._passive(at)
        yield from self._adjective(at)
        yield from self._active(at, ("ing",))

    # What a walk checks at its end

    # Predicates

    def predicate(self, at: int) -> list[Found]:
        """Return what a verb phrase says of its subject, as the set of all such subjects."""
        return self.once("vp", at, self._predicate)

    def _predicate(self, at: int) -> Iterator[Found]:
        places = list(self._simple(at))
        for sense, end in places:
            yield sense, end
            if len(places) < MAX_READINGS:
                places += self.joined(sense, end)

    def joined(self, sense: Sense, at: int) -> Iterator[Found]:
        """Yield a predicate with what is added: "and had incidents", "before 2014"."""
        for added, end in self.kept(at):
            if found := both(sense, added):
                yield found, end
        if sense.is_open and self.low(at) == "by":  # "(created) in 2021 by Ann Holt"
            for added, end in self.narrowed(sense, at):
                yield added, end
        at += self.low(at) == ","
        if self.low(at) in ("and", "but"):
            start = at + 1 + self.is_in(at + 1, small.RELATIVE)
            for added, end in self.predicate(start):
                if found := both(sense, added):
                    yield found, end
            yield from self._having(sense, start)

    def _having(self, sense: Sense, at: int) -> Iterator[Found]:
        """Yield the incidents themselves for "… and had incidents in March"."""
        if self.is_in(at, small.HAVE):
            kept, at = self.adjectives(Sense(), at + 1)
            kind = self.of_kind(kept, self.low(at)) if self.is_kind(self.low(at)) else kept
            for relation, end in self.relation_nouns(at):
                if relation not in PEOPLE and (found := along(sense, relation)):
                    whole = both(found, replace(kind, other=False))
                    if whole:
                        yield from self._followed(replace(whole, is_moved=True), end)

    def _simple(self, at: int) -> Iterator[Found]:
        end = at
        while self.is_in(end, small.AUXILIARIES) and end < at + 4:
            end += 1
        is_be = end > at and self.is_in(end - 1, small.BE)
        if is_be:
            yield from self._passive(end)
            yield from self._adjective(end)
            yield from self.kept(end)
            yield from self._active(end, ("ing",))
            yield from self.thing(end)
            if self.low(end) in ("in", "from", "under"):
                yield from self._same(end + 1)
        else:
            yield from self._active(end, ("base", "third", "past", "part"))
        if end > at and self.is_in(end - 1, small.HAVE):
            yield from self.status(end - 1)
        yield from self._sharing(at)
        yield from self._shaken(end)
        yield from self.time(self.skip(end, small.EVENTS))
        yield from self._placed(self.skip(end, {"came", "come", "the"}))

    def _placed(self, at: int) -> Iterator[Found]:
        """Yield "(came) first", "(was) the last one"."""
        if self.is_in(at, small.ORDERS):
            yield Sense(order=small.ORDERS[self.low(at)]), self.skip(at + 1, ("one",))

    def _active(self, at: int, forms: Collection[str]) -> Iterator[Found]:
        for relation, end in self.verbs(at, forms):
            for sense, after in self.thing(end):
                if found := against(sense, relation):
                    yield found, after
            yield from self._same_things(end, relation, forward=True)
            yield from self._either_way(end, relation, forms)

    def _either_way(self, at: int, first: str, forms: Collection[str]) -> Iterator[Found]:
        """Yield "update or obsolete NP"."""
        for second, end in self.verbs(at + 1, forms) if self.low(at) == "or" else ():
            one, two = words.step(first, forward=False), words.step(second, forward=False)
            for sense, after in self.thing(end) if one.forward == two.forward else ():
                if found := taken(sense, Step((*one.relations, *two.relations), one.forward)):
                    yield found, after

    def _passive(self, at: int) -> Iterator[Found]:
        for relation, end in self.verbs(at, ("part",)):
            if self.is_in(end, small.BY):
                for sense, after in self.thing(end + 1):
                    if found := along(sense, relation):
                        yield found, after
                yield from self._same_things(end + 1, relation, forward=False)

    def _adjective(self, at: int) -> Iterator[Found]:
        for relation, rest, _ in words.ADJECTIVE_WAYS.get(self.low(at), ()):
            if self.says(at + 1, rest):
                for sense, end in self.thing(at + 1 + len(rest)):
                    if found := against(sense, relation):
                        yield found, end

    def _sharing(self, at: int) -> Iterator[Found]:
        """Yield "had the same delegate as NP", "list NP as a requirement"."""
        if self.is_in(at, small.HAVE_AS):
            yield from self._as(at + 1)
        if self.is_in(at, small.HAVE) or self.low(at) in ("share", "shares", "shared"):
            yield from self._same(at + 1)
            yield from self._shared(at + 1)

    def _shared(self, at: int) -> Iterator[Found]:
        """Yield "share KEP-10's owner", "have the owner of KEP-10"."""
        for sense, end in self.thing(at):
            if sense.steps and sense.is_people:
                last = sense.steps[-1]
                if found := taken(sense, Step(last.relations, not last.forward)):
                    yield replace(found, other=True), end

    def _as(self, at: int) -> Iterator[Found]:
        for sense, end in self.thing(at):
            if self.low(end) in ("as", "for", "among"):
                start = self.skip(end + 1, small.DETERMINERS | {"one", "of"})
                for relation, after in self.relation_nouns(start):
                    if found := against(sense, relation):
                        yield found, after

    def _same(self, at: int, by_whom: str | None = None) -> Iterator[Found]:
        start = self.skip(at, small.DETERMINERS)
        is_same = self.low(start) in ("same", "common")
        start += is_same
        for relation, end in self.relation_nouns(start):
            joins = ("as", "with", "of") if is_same else ("with",)
            end = end + 2 if self.low(end) == "in" and self.low(end + 1) == "common" else end
            if self.low(end) in joins and (by_whom is None or relation == by_whom):
                yield from self._alike(end + 1, relation)
        one = singular(self.low(start))
        if is_same and self.low(start + 1) == "as" and (by_whom or one in small.TEAMS):
            yield from self._alike(start + 2, "OWNED_BY" if one in small.TEAMS else str(by_whom))

    def _alike(self, at: int, relation: str) -> Iterator[Found]:
        for sense, end in self.thing(at):
            if found := alike(sense, relation):
                yield found, self.skip(end, small.AUXILIARIES)

    def _same_things(self, at: int, relation: str, forward: bool) -> Iterator[Found]:
        """Yield "require the same ADRs as NP does", "sponsored by the same person as NP"."""
        start = self.skip(at, small.DETERMINERS)
        if self.low(start) != "same":
            return
        noun = start + 1
        named = next((end for _, end in self.relation_nouns(noun)), noun + 1)
        for end in {noun + self.is_kind(self.low(noun)), named, noun + 1}:
            if self.low(end) == "as":
                for sense, after in self.thing(end + 1):
                    there = words.step(relation, forward)
                    same = taken(sense, there)
                    back = Step(there.relations, not there.forward)
                    if same and (found := taken(same, back)):
                        yield replace(found, other=True), self.skip(after, small.AUXILIARIES)

    def _shaken(self, at: int) -> Iterator[Found]:
        """Yield what feels a change: "affected by a change to NP", "break if NP changes"."""
        at = self.skip(at, ("need", "needs", "to", "be", "have"))
        if not self.is_in(at, small.SHAKES):
            return
        end = at + 1
        if self.low(end) in ("by", "if", "when", "from", "once", "after", "whenever"):
            start = self.skip(end + 1, small.DETERMINERS | small.CHANGING)
            for noun in ("change", "changes", "failure", "outage", "removal", "modification"):
                if self.low(start) == noun and self.is_in(start + 1, small.OF):
                    start += 2
            for sense, after in self.thing(start):
                if found := taken(sense, Step(words.SHAKEN, forward=False)):
                    yield found, self.changing(after)
        elif self.topic and (found := taken(self.topic, Step(words.SHAKEN, forward=False))):
            yield found, end

    # A subject before its verb

    def gap(self, subject: Sense, at: int, lead: str = "") -> Iterator[Found]:
        """Yield what a verb without its object leads to: "(what) SPEC-054 depends on"."""
        for relation, rest, form in words.VERB_WAYS.get(self.low(at), ()):
            told = rest[:-1] if lead and rest and rest[-1] == lead else rest
            end = at + 1 + len(told)
            is_active = form in ("base", "third", "past", "part") and (told != rest or not lead)
            if is_active and self.says(at + 1, told) and (found := along(subject, relation)):
                yield found, end
        yield from self._passive_gap(subject, at, lead)
        yield from self._role_gap(subject, at)

    def _passive_gap(self, subject: Sense, at: int, lead: str) -> Iterator[Found]:
        at = self.skip(at, small.BE | small.HAVE)
        for relation, end in self.verbs(at, ("part",)):
            if (lead in small.BY or self.is_in(end, small.BY)) and (
                found := against(subject, relation)
            ):
                yield found, end + (lead not in small.BY)
        for relation, rest, _ in words.ADJECTIVE_WAYS.get(self.low(at), ()):
            told = rest[:-1] if lead and rest[-1:] == (lead,) else rest
            if self.says(at + 1, told) and (found := along(subject, relation)):
                yield found, at + 1 + len(told)

    def _role_gap(self, subject: Sense, at: int) -> Iterator[Found]:
        """Yield what someone is something of: "(which was) Thomas Wouters the delegate of"."""
        start = self.skip(self.skip(at, small.BE), small.DETERMINERS)
        for relation, end in self.relation_nouns(start):
            if found := against(subject, relation):
                yield found, end + (self.low(end) in ("of", "for", "on"))
        if self.low(at) in small.HAVE_AS:
            at += 1
        if self.low(at) == "as":
            start = self.skip(at + 1, small.DETERMINERS)
            for relation, end in self.relation_nouns(start):
                if found := along(subject, relation):
                    yield found, end


def _making(makers: Sense) -> str:
    """Return how what is "by" someone relates to them: a team owns, a person writes."""
    is_team = not makers.steps and all(node.startswith("team:") for node in makers.anchors)
    return "OWNED_BY" if is_team else "AUTHORED_BY"


_NAMEABLE = RECORD_TYPES | {"person", "team", "service"}


_BESIDES = (
    ("other", "than"), ("apart", "from"), ("aside", "from"), ("except", "for"), ("besides",),
    ("except",), ("excluding",), ("beyond",),
)  # fmt: skip
