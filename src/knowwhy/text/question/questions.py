"""Relational questions as walks: what a question names, read outward to what it asks for."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date

from knowwhy.text.question import question_grammar_words as small
from knowwhy.text.question import question_words as words
from knowwhy.text.question.question_grammar import Found, Grammar
from knowwhy.text.question.question_sense import Sense, against, along, both, chain_of
from knowwhy.text.question.question_times import told
from knowwhy.text.question.question_tokens import MAX_TOKENS, Named, Token, cut, plain
from knowwhy.text.question.question_words import singular
from knowwhy.types import Between, Chain

__all__ = ("Named", "read_question", "reading", "wider")

_ENDS = frozenset("?:;.!—–")
_CLOSING = frozenset((",", "-", "instead", "for", "me", "us", *_ENDS))
_SECOND = small.ASKING | {"why", "how", "when", "where"}
_NEVER = frozenset(("why", "how", "when", "where"))
_PLACED = frozenset(("IMPORTS", "USES", "CALLS", "REFERENCES", "IMPLEMENTS"))
_FRONTED = small.OF | small.BY | {"from", "upon", "as", "about"}
_CONDITION = frozenset(("if", "when", "suppose", "assuming", "should", "once", "after", "before"))


def read_question(
    text: str,
    named: Sequence[Named],
    families: Collection[str] = (),
    statuses: Collection[str] = (),
    today: date | None = None,
) -> Chain | None:
    """Return the walk that a question asks for, or None when it asks for none or is unclear.

    "Last month" says something only to who knows which day it is.
    """
    tokens = cut(text, named)
    if len(tokens) > MAX_TOKENS or any(t.low in small.NEGATIVE for t in tokens):
        return None
    said, hops = plain(tokens)
    senses = dict.fromkeys(_senses(said, families, statuses, today))
    found = list(dict.fromkeys(chain_of(sense, hops, sense.kinds) for sense in senses))
    return found[0] if found and len({chain.anchors for chain in found}) == 1 else None


def _senses(
    tokens: list[Token],
    families: Collection[str],
    statuses: Collection[str],
    today: date | None,
) -> Iterator[Sense]:
    """Yield what the last sentence asks for, with "it" for what those before it named."""
    sentences = _sentences(tokens)
    topic: Sense | None = None
    for sentence in sentences[:-1]:
        topic = _topic(Grammar(sentence, families, statuses, topic, today)) or topic
    last, condition = _conditional(Grammar(sentences[-1], families, statuses, topic, today))
    grammar = Grammar(last, families, statuses, condition or topic, today)
    for sense, end in [*_asked(grammar, 0), *_asked_besides(grammar)]:
        rest = last[end:]
        is_whole = all(token.low in _CLOSING for token in rest) or _asks_more(rest)
        if is_whole and (sense.steps if sense.anchors else _is_listing(sense)):
            yield sense


def _is_listing(sense: Sense) -> bool:
    """Tell whether a kind of record is asked for by status or time alone."""
    return bool(sense.kinds and sense.is_kept and not sense.other)


def _asks_more(rest: list[Token]) -> bool:
    """Tell whether a second question follows: "… and why", "…, and who approved it"."""
    said = [token.low for token in rest if token.low not in _CLOSING]
    return said == ["why"] or (said[:1] == ["and"] and len(said) > 1 and said[1] in _SECOND)


def _sentences(tokens: list[Token]) -> list[list[Token]]:
    found: list[list[Token]] = [[]]
    for token in tokens:
        if token.low in _ENDS:
            found.append([])
        else:
            found[-1].append(token)
    return [sentence for sentence in found if sentence] or [[]]


def _topic(grammar: Grammar) -> Sense | None:
    """Return what a sentence before the question is about."""
    for subject, end in grammar.thing(0):
        at = grammar.skip(end, small.AUXILIARIES)
        for relation, rest, _ in words.VERB_WAYS.get(grammar.low(at), ()):
            for kind, after in grammar.noun_phrase(at + 1 + len(rest)):
                linked = along(subject, relation)
                whole = both(linked, kind) if linked and kind.is_open else None
                if whole and after == len(grammar.tokens):
                    return whole
    named = [token.named for token in grammar.tokens if token.named]
    if len(named) == 1 and len(named[0].nodes) == 1:
        return Sense(named[0].nodes, is_people=named[0].type in ("person", "team"))
    return None


def _conditional(grammar: Grammar) -> tuple[list[Token], Sense | None]:
    """Return a question without "if SPEC-054 changes", and what that names."""
    tokens = list(grammar.tokens)
    for at, token in enumerate(tokens):
        if token.low in _CONDITION:
            start = grammar.skip(at + 1, {"we", "i", "you", "someone", "to", *small.CHANGES})
            for sense, end in grammar.thing(start):
                after = grammar.changing(end)
                if sense.steps or (after == end and start == at + 1):
                    continue
                after += grammar.low(after) == ","
                if at == 0 or after == len(tokens):
                    return (tokens[after:] if at == 0 else tokens[:at]), sense
    return tokens, None


def _asked_besides(grammar: Grammar) -> Iterator[Found]:
    """Yield the readings of "Besides ADR-1, which …"."""
    for spared, at in grammar.besides(0):
        for sense, end in _asked(grammar, at):
            if whole := both(sense, spared):
                yield whole, end


def _asked(grammar: Grammar, at: int) -> Iterator[Found]:
    """Yield the readings of a question or an order: "Which …", "By whom …", "List …"."""
    at = grammar.skip(at, small.TELLING | {",", "and", "so", "but"})
    if grammar.low(at) == "where":
        yield from _placed(grammar, at)
    if grammar.low(at) in _NEVER and not _counts(grammar, at):
        return
    at += 2 * _counts(grammar, at)
    if grammar.low(at) in small.ASKING or _counts(grammar, at - 2):
        yield from _after_asking(grammar, at)
    elif grammar.low(at) in _FRONTED and grammar.low(at + 1) in small.ASKING:
        yield from _fronted(grammar, at)
    elif grammar.low(0) not in small.AUXILIARIES:
        if at or not _is_title(grammar):
            yield from grammar.noun_phrase(at)
        yield from _asked_last(grammar, at)


def _is_title(grammar: Grammar) -> bool:
    """Tell "Incident on 2024-03-01", which names one, from "incidents in 2024"."""
    first = grammar.low(0)
    return grammar.is_kind(first) and first == singular(first) and grammar.is_in(1, small.OF)


def _asked_last(grammar: Grammar, at: int) -> Iterator[Found]:
    """Yield the readings of "RFC 7001 was obsoleted by which RFC"."""
    for subject, end in grammar.thing(at):
        for sense, after in grammar.gap(subject, grammar.skip(end, small.DO | small.HAVE)):
            if grammar.low(after) in small.ASKING:
                for head, done in _heads(grammar, after):
                    if whole := both(head, sense):
                        yield whole, done


def _placed(grammar: Grammar, at: int) -> Iterator[Found]:
    """Yield the readings of "Where is shop.cart imported"."""
    start = grammar.skip(at + 1, small.BE)
    for subject, end in grammar.thing(start) if start > at + 1 else ():
        for sense, after in grammar.gap(subject, end, "in"):
            if set(sense.steps[-1].relations) & _PLACED:
                yield sense, after


def _counts(grammar: Grammar, at: int) -> bool:
    return at >= 0 and grammar.low(at) == "how" and grammar.low(at + 1) in ("many", "much")


def _heads(grammar: Grammar, at: int) -> Iterator[Found]:
    """Yield what is asked for: "who", "which ADRs", "which of them"."""
    if grammar.low(at) in ("who", "whom"):
        yield Sense(is_people=True), grammar.skip(at + 1, small.OTHERS)
        return
    start = at + (grammar.low(at) in small.ASKING)
    is_of = grammar.low(start) == "of"
    phrases = grammar.thing(start + 1) if is_of else grammar.noun_phrase(start)
    yield from phrases
    if not is_of and start > at:
        end = grammar.skip(start, small.OTHERS)
        yield Sense(other=end > start), end


def _after_asking(grammar: Grammar, at: int) -> Iterator[Found]:
    for head, end in _heads(grammar, at):
        yield head, end
        if grammar.topic and grammar.low(end - 1) in ("one", "ones", "which"):
            yield grammar.topic, end
        for sense, after in _said_of(grammar, end):
            if whole := both(head, sense):
                yield whole, after
    yield from _had(grammar, grammar.skip(at, small.ASKING))


def _had(grammar: Grammar, at: int) -> Iterator[Found]:
    """Yield the readings of "(which) dependencies does ADR-3 have"."""
    for relation, end in grammar.relation_nouns(at):
        start = grammar.skip(end, small.DO | small.HAVE)
        for subject, after in grammar.thing(start) if start > end else ():
            had = along(subject, relation) if grammar.is_in(after, small.HAVE) else None
            if had and grammar.is_kind(grammar.low(at)) and not had.is_people:
                had = both(had, grammar.of_kind(Sense(), grammar.low(at)))
            if had:
                yield had, after + 1
                yield from grammar.joined(had, after + 1)


def _said_of(grammar: Grammar, at: int) -> Iterator[Found]:
    yield from grammar.predicate(at)
    yield from _instead(grammar, at)
    yield from _done_by_us(grammar, at)
    start = grammar.skip(at, small.AUXILIARIES)
    if start > at:
        for subject, end in grammar.thing(start):
            for sense, after in grammar.gap(subject, end):
                yield sense, after
                yield from grammar.joined(sense, after)
                yield from grammar.narrowed(sense, after)


def _done_by_us(grammar: Grammar, at: int) -> Iterator[Found]:
    """Yield the status that "(which proposals) did we reject" asks for."""
    if grammar.is_in(at, small.DO | small.HAVE) and grammar.low(at + 1) in ("we", "they", "you"):
        word = grammar.low(at + 2)
        done = next((d for d in (word, f"{word}ed", f"{word}d") if d in grammar.statuses), None)
        if done:
            sense = Sense(statuses=(done,))
            yield sense, at + 3
            yield from grammar.joined(sense, at + 3)


def _fronted(grammar: Grammar, at: int) -> Iterator[Found]:
    """Yield the readings of "On which specs does SPEC-054 depend"."""
    lead = grammar.low(at)
    for head, end in _heads(grammar, at + 1):
        start = grammar.skip(end, small.AUXILIARIES)
        for subject, after in grammar.thing(start) if start > end else ():
            for sense, done in grammar.gap(subject, after, lead):
                if whole := both(head, sense):
                    yield whole, done


def _instead(grammar: Grammar, at: int) -> Iterator[Found]:
    """Yield what is to be read instead of something."""
    people = {"i", "we", "you", "one", "people", "to", "does", "someone"}
    end = grammar.skip(at, small.AUXILIARIES | people)
    if grammar.low(end).removesuffix("d") in small.READING or grammar.low(end) in small.READING:
        end += 1
    if end == at or grammar.low(end) not in ("instead", "now", "rather"):
        return
    if grammar.low(end + 1) in ("of", "than"):
        for sense, after in grammar.thing(end + 2):
            if found := against(sense, "SUPERSEDES"):
                yield found, after
    elif grammar.topic and (found := against(grammar.topic, "SUPERSEDES")):
        yield found, end + 1


def wider(chain: Chain) -> Chain | None:
    """Return the walk to take where nothing was stated so exactly, or None."""
    if len(chain.steps) != 1:
        return None
    step = chain.steps[0]
    related = next((words.WIDER[name] for name in step.relations if name in words.WIDER), None)
    if related is None or set(related) <= set(step.relations):
        return None
    return replace(chain, steps=(replace(step, relations=related),))


def reading(chain: Chain, names: Mapping[str, str]) -> str:
    """Return a walk in English, such as "records that supersede ADR-5"."""
    said = " and ".join(names.get(anchor, anchor) for anchor in chain.anchors) or "records"
    for step in chain.steps:
        form, forward = words.reading_of(step)
        said = (form.along if forward else form.against).format(said)
        if step.hops != 1:
            said += " (at any distance)" if step.hops is None else f" (up to {step.hops} steps)"
    return said + _kept(chain, names)


def _kept(chain: Chain, names: Mapping[str, str]) -> str:
    kept = [f"kind {' or '.join(chain.kinds)}"] if chain.kinds else []
    kept += [f"status {' or '.join(chain.statuses)}"] if chain.statuses else []
    kept += [f"with {names.get(person, person)}" for person in chain.people]
    kept += [told(Between(chain.after, chain.before))] if chain.after or chain.before else []
    kept += [f"in month {chain.month}"] if chain.month else []
    kept += [f"{chain.order} by date"] if chain.order else []
    return f" [{', '.join(kept)}]" if kept else ""
