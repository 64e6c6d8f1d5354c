"""Whether a claim is about somebody else's system rather than the speaker's own project."""

import re

from knowwhy.text.citations import citations
from knowwhy.text.clauses import first_clause
from knowwhy.text.terms import clean, is_product, words

MAX_READ = 2_000  # characters; what is longer is no single assertion

_OWN = re.compile(r"\b(?:we|our|ours|us|my|mine|i|i'm|i've|we've|we're|me)\b", re.I)
_OFFERS = (
    r"(?:apis?|sdks?|webhooks?|sandbox|rate limits?|free (?:plan|tier)|pricing|sla|quotas?"
    r"|status page)"
)
_BIG = r"(?!(?:The|A|An|This|That|Each|Every|All|No|It|There)\b)[A-Z][\w.]{1,40}"
# "Sluicepay's sandbox …", "Google deprecated …"
_OFFERED = re.compile(
    rf"(?:The )?{_BIG}(?: {_BIG})?(?:['’]s?) (?:\w{{1,20}} ){{0,2}}?{_OFFERS}\b"
    rf"|{_BIG} (?:has |have )?(?:deprecated|discontinued|sunset)\b"
    rf"|(?:The )?{_BIG}(?: {_BIG})? API\b[^.!?]{{0,80}}"
    r"\b(?:costs?|charges?|bills?|free (?:plan|tier)|paid plan|rate limits?"
    r"|requests? (?:per|an?) (?:second|minute|hour|day|month))\b"
)
_NOUN = re.compile(r"[a-z]{3,20}")  # of a product: "S3 buckets", "DynamoDB items"
_PLAIN_VERBS_WORDS = """
must may should run go live need restart require expire use
"""
_PLAIN_VERBS = frozenset(_PLAIN_VERBS_WORDS.split())
_BOUNDS = re.compile(
    r"\b(?:can not|can|limited|limit|supports?|allows?|by default|maximum|minimum|at most|costs?"
    r"|deprecated|require[sd]?|per account|per region|guarantees?|expires?)\b"
)
# What a product does for a project: "Redis is used for sessions", "Kafka runs on three brokers".
_SERVES = re.compile(
    r"(?:(?:is|are|was|were|has been) (?:\w+ly )?(?:used|deployed|installed|configured|hosted"
    r"|pinned|owned|managed|maintained|run|set|enabled|disabled|operated|replaced|located|in|on|at|down"
    r"|behind|broken|gone|down|ours|not used|upgraded|migrated|moved|removed|added|reached|kept)"
    r"|(?:runs?|lives?|listens?|sits?|hosts?|holds?|went|ran|crashed|failed|stores? the|serves? the"
    r"|handles? the|keeps? the|reads? the|writes? the|contains? the|broke|lost|filled|started)"
    r"|(?:in|on) (?:the )?(?:staging|production|prod|dev|test))\b"
)
_SAID_OF_ALL_WORDS = """
has have had does do can will only always never also is are was
"""
_SAID_OF_ALL = frozenset(_SAID_OF_ALL_WORDS.split())
_HAPPENED = re.compile(r"[a-z]+ed")
_THEIR_PAST_WORDS = """
deprecated released announced launched introduced removed dropped discontinued raised retired
renamed changed added sunset acquired
"""
_THEIR_PAST = frozenset(_THEIR_PAST_WORDS.split())


def is_outside(text: str) -> bool:
    """Tells whether a text asserts how a third party's product, service or price is."""
    plain = clean(text)[:MAX_READ].strip()
    if _OWN.search(plain) or any(c.kind == "path" for c in citations(plain)):
        return False
    if _OFFERED.match(plain):
        return True
    clause = first_clause(plain)
    found = (clause.split() if clause else words(plain))[:40]
    found = found[1:] if found[:1] == ["the"] else found
    if len(found) < 3 or not is_product(found[0]):
        return False
    return _is_their_behaviour(plain, found[1:])


def _is_their_behaviour(plain: str, after: list[str]) -> bool:
    """Tells what a product does by itself from what it does for the speaker's project."""
    if after[0][0] == "#":
        after = after[1:]
    rest = " ".join(after)
    if not after or _SERVES.match(rest):
        return False
    verb = after[0]
    if verb not in _SAID_OF_ALL and _HAPPENED.fullmatch(verb):
        return verb in _THEIR_PAST
    is_noun = _NOUN.fullmatch(verb) and len(after) > 1 and _is_verb(after[1])
    if is_noun:
        rest = " ".join(after[1:])
        return bool(_BOUNDS.search(rest)) and not _SERVES.match(rest)
    return True


def _is_verb(word: str) -> bool:
    return word in _SAID_OF_ALL or word in _PLAIN_VERBS or word.endswith("ed")
