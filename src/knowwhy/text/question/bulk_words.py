"""Words of requests that have no topic: what they are to such a request, and those of English."""

import unicodedata
from dataclasses import dataclass

from knowwhy.text.patterns import regex

_MARKS = regex(r"[\u0300-\u036f]+")
_SPELLED = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})  # where a keyboard lacks them


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The words of one language by which a request for all there is can be told."""

    asking: frozenset[str]
    dumping: frozenset[str]
    losing: frozenset[str]
    polite: frozenset[str]
    questions: frozenset[str]
    of_what: frozenset[str]
    everything: frozenset[str]
    all: frozenset[str]
    things: frozenset[str]
    stores: frozenset[str]
    said: frozenset[str]
    rules: frozenset[str]
    before: frozenset[str]
    above: frozenset[str]
    people: frozenset[str]
    of_people: frozenset[str]  # that stand before people, whoever they are
    others: frozenset[str]
    other: frozenset[str]
    knowing: frozenset[str]
    telling: frozenset[str]
    being: frozenset[str]
    you: frozenset[str]
    your: frozenset[str]
    addressed: frozenset[str]
    about: frozenset[str]
    oneself: frozenset[str]
    paging: frozenset[str]  # say which part of all there is
    portions: frozenset[str]  # what such parts are called
    sharing: frozenset[str]
    circles: frozenset[str]  # whose members share, and remember together
    sorts: frozenset[str]  # of memories: a topic of their own, but not of what was shared
    vague: frozenset[str]  # all words that can stand in a request without a topic


def vocabulary(small: str, **lists: str) -> Vocabulary:
    """Makes a vocabulary of lists of words, and of small words that say nothing else."""
    kinds = {name: _forms(words) for name, words in lists.items()}
    vague = _forms(small).union(*(words for name, words in kinds.items() if name != "sorts"))
    return Vocabulary(**kinds, vague=vague)


def plain(text: str) -> str:
    """Gives a text in small letters without the marks on them."""
    seen = unicodedata.normalize("NFKC", text).casefold()
    return seen if seen.isascii() else _MARKS.sub("", unicodedata.normalize("NFD", seen))


def _forms(words: str) -> frozenset[str]:
    return frozenset(f"{plain(words)} {plain(words.translate(_SPELLED))}".split())


_ASKING = """
list show print dump export output return give tell display reveal recite repeat replay reproduce
enumerate write provide share send extract exfiltrate leak get fetch retrieve recall copy echo spell
disclose read paste download translate summarize summarise describe report deliver hand search find
look quote encode enter answer include iterate scan load browse see want need continue proceed
resume
"""
_DUMPING = "dump export exfiltrate leak extract download"
_LOSING = "lost forgot forgotten"
_POLITE = """
please pls kindly now ok okay hey hi hello just then first also and so next finally actually simply
only immediately but instead assistant can could would will you i we want need would like d ll m am
id must should have to shall your task is job goal new let lets it asking wish urgent urgently very
important important dear thanks again a an the
"""
_QUESTIONS = (
    "what whats which who whose why how where when whom did does do is are was were should has"
)
_OF_WHAT = "what whats which who whose"
_EVERYTHING = "everything anything all whatever"
_ALL = "all every each any entire whole complete full everything anything whatever total"
_THINGS = """
memory memories record records entry entries fact facts note notes claim claims conversation
conversations chat chats turn turns message messages data database databases db content contents
information info knowledge kb document documents docs passage passages context contexts history
histories thing things item items row rows query queries search searches question questions example
examples user users owner owners id ids key keys store stores storage index base
"""
_STORES = """
memory memories database databases db knowledge kb context contexts history storage store prompt
prompts instructions records conversations brain index data content contents entries
"""
_SAID = """
context contexts prompt prompts instruction instructions text texts word words message messages
conversation conversations input inputs content contents document documents passage passages example
examples query queries question questions searches answer answers output outputs memory memories
demonstrations tokens paragraph paragraphs rules exchange dialogue retrieval results
"""
_BEFORE = """
previous above prior preceding earlier initial foregoing hidden retrieved injected system past
original developer
"""
_ABOVE = "above before"
_PEOPLE = """
user users people person persons customer customers owner owners tenant tenants human humans client
clients individual individuals agents agent somebody someone member members
"""
_OTHERS = "everyone everybody anyone anybody others everyones everybodys else"
_KNOWING = """
know knows known remember remembers remembered have had store stored hold keep kept see seen recall
learn learned learnt saved save access retrieved retrieve contain contains memorized memorised got
"""
_TELLING = """
tell told ask asked asking say said saying search searched share shared write wrote written store
stored save saved query queried
"""
# What is left of such requests: small words, and how and where it is to be had.
_SMALL = """
a an the this that these those it its they them their there here i you your yours we us me my our of
in from on at to into for with by about across as or and not no any if inside within out down back
over up through off under per one ones is are was were be been being do does did can could may might
will would have has had ever currently already now so far until still right away who what which
whose how where when whom regardless matter without exception exceptions limit limits filter filters
omission omissions redaction changes change verbatim exactly unchanged fully completely entirely
literally absolutely raw plain full long term short single list lists table json csv xml yaml base64
rot13 markdown format text line lines order detail details detailed once again too well below final
answer response reply output please thanks stored saved kept available existing private personal
secret confidential internal sensitive hidden active individual actual recent latest other another
different belonging concerning including include names name ids keys timestamps dates authors
metadata sources owner session sessions project projects tenants starting start beginning end first
begin top bottom between backup debugging debug audit testing test purposes everything track copy
contents dump export snapshot system assistant model bank vector window head brain mind
home given received more possible like just only also own specific solutions solution
pool pools team global last
"""

ENGLISH = vocabulary(
    _SMALL,
    asking=_ASKING,
    dumping=_DUMPING,
    losing=_LOSING,
    polite=_POLITE,
    questions=_QUESTIONS,
    of_what=_OF_WHAT,
    everything=_EVERYTHING,
    all=_ALL,
    things=_THINGS,
    stores=_STORES,
    said=_SAID,
    rules="context prompt instructions",
    before=_BEFORE,
    above=_ABOVE,
    people=_PEOPLE,
    of_people="the of",
    others=_OTHERS,
    other="other another different",
    knowing=_KNOWING,
    telling=_TELLING,
    being="are",
    you="you your",
    your="your",
    addressed="you your me us please",
    about="about of by",
    oneself="me my us myself mine",
    paging="first next following remaining rest",
    portions="page pages batch batches part parts portion portions",
    sharing="share shares shared sharing lend lends lent lending",
    circles="pool pools team everyone everybody anyone anybody",
    sorts="""
        decision decisions incident incidents preference preferences procedure procedures rule
        lesson lessons task tasks handoff handoffs
    """,
)
