"""What a question is: its class, what it names, the walk it asks for, and other words for it."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import islice, product

from knowwhy.graph.build import Graph
from knowwhy.graph.names import Mention, mentions
from knowwhy.graph.packages import members
from knowwhy.graph.twins import same_thing
from knowwhy.graph.walk import walk
from knowwhy.retrieval.described import described
from knowwhy.retrieval.rewrite import Glossary, learn, rewrites
from knowwhy.text.identifiers import is_camel
from knowwhy.text.question.question_grammar_words import KINDS, SMALL_WORDS
from knowwhy.text.question.question_when import NEVER_SAID, When, when_asked
from knowwhy.text.question.question_words import singular
from knowwhy.text.question.questions import Named, read_question, reading, wider
from knowwhy.text.relating.relation_words import relation_of
from knowwhy.types import Chain, Filters

MAX_CHOICES = 16  # meanings of unclear names that are tried; with more the question is unclear
SENTENCE_WORDS = 12  # words; "When …" or "Should …" goes on as long only as a statement
PROSE_WORDS = 6  # words; a shorter text is a title or a handful of search words

# Each class with the words that give it away; the first one that matches is the question's.
_QUESTION = re.compile(
    r"^\W*(?:who|whom|whose|what|what's|which|why|how|list|show|find|tell|give|name|explain"
    r"|describe|compare|summari[sz]e)\b|\?\W*$",
    re.IGNORECASE,
)
_MAYBE_QUESTION = re.compile(
    r"^\W*(?:when|where|is|are|was|were|do|does|did|has|have|had|can|could|should|shall|will|would"
    r"|may)\b",
    re.IGNORECASE,
)
_POINTER = re.compile(
    r"\b(?:that|said|the (?:above|linked|cited|referenced|same|aforementioned|corresponding))"
    r" (?:\w{1,20} )?(?:document|record|spec|specification|proposal|decision|page"
    r"|report|incident|post-?mortem|issue|ticket|article|paper|standard|guide|post|[A-Z]{2,6})\b"
    r"|\b(?:see|as (?:described|defined|specified|discussed|proposed|decided) (?:in|by)"
    r"|according to|in (?:line|accordance) with|described in|specified (?:in|by)|defined (?:in|by)"
    r"|as per|cf\.|refer to|first described in|superseded by)\b"
)
_US = r"(?:we|us|our|it|they|this|the|services?)"
_RULES = (
    (
        "historical",
        r"\b(?:used to|previously|formerly|originally|back then|in the past|at th(?:e|at) time"
        r"|history|historical(?:ly)?|evol(?:ve|ved|ution)|over (?:time|the years)|timeline|chain of"
        rf"|before (?:we|there)|until (?:we|it|20\d\d)|how did {_US}"
        rf"|did {_US} (?:\w+ )?(?:use|work|have|run)"
        rf"|(?:was|were|did) {_US}\b.{{0,80}}\b(?:in|before|during|until|around|early|late)"
        r" (?:\w+ )?(?:19|20)\d\d"
        r"|(?:did|was|were)\b.{0,80}\b(?:early|late|mid) (?:19|20)\d\d"
        r"|(?:stored|kept|run) in (?:19|20)\d\d)\b"
        r"|\bwhat (?:replaced|came before)\b|\bdid \S+ (?:\w+ )?replace\b"
        r"|\b(?:before|earlier)(?=\W*$|,| and\b)|\b(?:was|were) (?:\w+ )?used before\b",
    ),
    (
        "decision",
        r"\b(?:decid\w*|decisions?|cho(?:se|ose|sen|ice)\w*|reject\w*|approv\w*|rationale"
        r"|trade-?offs?|alternatives?|instead of|in favou?r of|opt(?:ed)? for|pros and cons"
        r"|why (?:do|did|does|are|is|was|were|not|no|have|has) (?:we|our|not|the)|why (?:not|no)"
        r"|reasons? (?:for|why|behind) (?:not|using|the|our)|(?:we|our) (?:\w+ )?adopt\w*"
        rf"|{_US} (?:move|switch|migrate)d? (?:from|to)"
        r"|(?:move|switch|migration) (?:from|to) [A-Z])\b",
    ),
    (
        "current_state",
        r"\b(?:now(?:adays)?|current(?:ly)?|today|at (?:the moment|present)|still|right now"
        r"|these days|up to date|latest|in force|in effect|any ?more|(?:do|are) we"
        r"|(?:is|are|what's) our|status of|open (?:incidents?|issues?|actions?))\b",
    ),
    (
        "architectural",
        r"\b(?:architect\w*|design (?:of|docs?)|designed|components?|modules?|interfaces?"
        r"|invariants?|data ?flow|diagrams?|boundar(?:y|ies)|layers?|interacts? with"
        r"|integrat\w*|communicat\w*|pipeline|upstream|downstream|protocol|schema"
        r"|how (?:does|do|is|are) (?:\S+ ){1,6}(?:work|talk|connect|handled|implemented|stored"
        r"|computed|built|deployed|authenticated))\b",
    ),
    (
        "factual",
        r"^\W*(?:who|whom|whose|what|which|when|where|why|how|is|are|was|were|do|does|did|has"
        r"|have|had|can|could)\b|\?\W*$",
    ),
)
RULES = tuple((name, re.compile(rule, re.IGNORECASE)) for name, rule in _RULES)
OTHER = "other"
OF_DECISIONS = ("decision", "historical")  # classes of questions that code does not answer


@dataclass(frozen=True, slots=True)
class Understood:
    """What was read out of a question."""

    question: str
    question_class: str
    chain: Chain | None = None  # the walk that answers it
    wider: Chain | None = None  # the walk to take where that one leads nowhere
    mentions: tuple[Mention, ...] = ()
    variants: tuple[str, ...] = ()
    reading: str = ""  # the chain in English
    when: When = NEVER_SAID


def understand(
    question: str,
    graph: Graph,
    filters: Filters,
    glossary: Glossary | None = None,
    today: date | None = None,
) -> Understood:
    """Reads a question without a model, by what the asker may see.

    "Last month" says something only to who knows which day it is.
    """
    found = _mentioned(question, graph, filters)
    families, statuses = _known(graph, filters)
    names = [(m.start, m.end) for m in found if not _is_vague(question, m)]
    when = when_asked(question, names, families, today)
    read = _chain(question, found, graph, filters, today) or listing(when)
    chain = _with_pages(read, graph, filters) if read else None
    called = {node: question[m.start : m.end] for m in found for node in m.nodes}
    named = _class(question, chain, found)
    if named in OF_DECISIONS:
        found = [mention for mention in found if not _is_loose(question, mention)]
    return Understood(
        question,
        question_class=named,
        chain=chain,
        wider=_wider(chain, when, statuses) if chain else None,
        mentions=tuple(found),
        variants=rewrites(question, glossary or _glossary(graph, filters)),
        reading=reading(read, called) if read else "",
        when=when,
    )


def _wider(chain: Chain, when: When, statuses: Collection[str]) -> Chain | None:
    """Returns the walk to take where one leads nowhere; what no record's status is, is a verb."""
    if chain.statuses and not chain.anchors and not set(chain.statuses) & set(statuses):
        return listing(when)
    return wider(chain)


def listing(when: When) -> Chain | None:
    """Returns the walk to whatever there is of a time, where nothing more is asked."""
    if when.topic or not (when.span or when.kinds):
        return None
    span = when.span
    return Chain((), (), when.kinds, after=span.after, before=span.before, order=when.order)


def _is_vague(question: str, mention: Mention) -> bool:
    """Tells words of a title that are said of many: the "architecture decisions" of 2025."""
    words = question[mention.start : mention.end].lower().split()
    return mention.how == "part" and singular(words[-1]) in KINDS


def _is_loose(question: str, mention: Mention) -> bool:
    """Tells a folder, and a type that may be a product too: no decision is about them alone."""
    is_type = mention.how == "path" and is_camel(question[mention.start : mention.end])
    return mention.how == "package" or is_type


def _class(question: str, chain: Chain | None, found: Sequence[Mention]) -> str:
    """Returns the class; an id beside a relation ("SPEC-054 dependencies …") asks for relations."""
    named = classify(question, chain)
    has_id = any(mention.how == "id" for mention in found)
    if named != OTHER or _is_prose(question) or not has_id:
        return named
    words = re.findall(r"[^\W\d_]{3,}", question)
    return "relational" if any(relation_of(word) for word in words) else named


def _chain(
    question: str,
    found: Sequence[Mention],
    graph: Graph,
    filters: Filters,
    today: date | None,
) -> Chain | None:
    """Returns the walk of a question; of a name for several things, the one that has answers."""
    families, statuses = _known(graph, filters)
    unclear = [m for m in found if len(m.nodes) > 1]
    if not unclear:
        return read_question(question, _named(question, found), families, statuses, today)
    chains: dict[tuple[str, ...], Chain] = {}
    choices = islice(product(*(m.nodes for m in found)), MAX_CHOICES + 1)
    for tried, nodes in enumerate(choices):
        clear = [_as(m, node, graph) for m, node in zip(found, nodes, strict=True)]
        chain = read_question(question, _named(question, clear), families, statuses, today)
        if tried == MAX_CHOICES:
            return None
        whole = _with_pages(chain, graph, filters) if chain else None
        if chain and whole and (answers := walk(graph, whole, filters)):
            chains.setdefault(tuple(sorted(reached.key for reached in answers)), chain)
    return next(iter(chains.values())) if len(chains) == 1 else None


def _with_pages(chain: Chain, graph: Graph, filters: Filters) -> Chain:
    """Returns a walk that starts at a service's page and itself, or at all that a package holds."""
    anchors = [node for anchor in chain.anchors for node in meant(graph, anchor, filters)]
    return replace(chain, anchors=tuple(dict.fromkeys(anchors)))


def meant(graph: Graph, node: str, filters: Filters) -> tuple[str, ...]:
    """Returns what a named node stands for: a service's page too, all that is in a package."""
    return members(graph, node, filters) or tuple(same_thing(graph, node, filters))


def _as(mention: Mention, node: str, graph: Graph) -> Mention:
    with graph.lock:
        facts = graph.net.nodes.get(node)
        return replace(mention, nodes=(node,), type=facts["type"] if facts else mention.type)


def _mentioned(question: str, graph: Graph, filters: Filters) -> list[Mention]:
    """Returns what a question names or describes; a description wins over the names in it."""
    named = [m for m in mentions(question, graph, filters) if not _is_small(question, m)]
    whole = [
        d
        for d in described(question, graph, filters)
        if all(d.start <= m.start and m.end <= d.end for m in named if _overlap(m, d))
        and not any(m.how in ("id", "title") for m in named if _overlap(m, d))
    ]
    left = [m for m in named if not any(_overlap(m, d) for d in whole)]
    return sorted((*left, *whole), key=lambda m: m.start)


def _overlap(one: Mention, other: Mention) -> bool:
    return one.start < other.end and other.start < one.end


def _is_small(question: str, mention: Mention) -> bool:
    """Tells whether a mention is a word of the question itself, whatever else has that name."""
    is_guess = mention.how in ("part", "name")
    return is_guess and question[mention.start : mention.end].lower() in SMALL_WORDS


def _named(question: str, found: Sequence[Mention]) -> list[Named]:
    """Returns mentions as the grammar takes them: without the possessive."""
    ends = [m.end - 2 * question[m.start : m.end].endswith(("'s", "’s")) for m in found]
    return [Named(m.start, end, m.nodes, m.type) for m, end in zip(found, ends, strict=True)]


def _known(graph: Graph, filters: Filters) -> tuple[frozenset[str], frozenset[str]]:
    """Returns the kinds, families and statuses that the asker may see, read once a version."""
    with graph.lock:
        place = ("known words", filters.project)
        if place not in graph.derived:
            graph.derived[place] = (graph.families(filters), graph.statuses(filters))
        known: tuple[frozenset[str], frozenset[str]] = graph.derived[place]
        return known


def _glossary(graph: Graph, filters: Filters) -> Glossary:
    """Returns what the titles that the asker may see explain, read once a version."""
    with graph.lock:
        place = ("glossary", filters.project)
        if place not in graph.derived:
            drafts = [r.draft for key, r in graph.records.items() if graph.sees(key, filters)]
            graph.derived[place] = learn(f"{d.title}\n{d.content}" for d in drafts)
        known: Glossary = graph.derived[place]
        return known


def _is_prose(text: str) -> bool:
    least = SENTENCE_WORDS if _MAYBE_QUESTION.search(text) else PROSE_WORDS
    return len(text.split()) >= least and not _QUESTION.search(text)


def is_statement(text: str) -> bool:
    """Tells a sentence or more that asks for nothing; names in it are met in passing."""
    return len(text.split()) >= SENTENCE_WORDS and not _QUESTION.search(text)


def classify(question: str, chain: Chain | None = None) -> str:
    """Returns the class of a question."""
    if chain is not None:
        return "relational"
    if _is_prose(question):
        return "citing" if _POINTER.search(question) else OTHER
    return next((name for name, words in RULES if words.search(question)), OTHER)
