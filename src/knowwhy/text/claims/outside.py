"""Whether a claim is about somebody else's system rather than the speaker's own project."""

import re

from knowwhy.text.claims.clauses import first_clause
from knowwhy.text.claims.terms import clean, is_product, words
from knowwhy.text.patterns import regex
from knowwhy.text.relating.citations import citations

MAX_READ = 2_000  # characters; what is longer is no single assertion

_OWN = regex(r"\b(?:we|our|ours|us|my|mine|i|i'm|i've|we've|we're|me)\b", re.I)
_OFFERS = (
    r"(?:apis?|sdks?|webhooks?|sandbox|rate limits?|free (?:plan|tier)|pricing|sla|quotas?"
    r"|status page)"
)
_BIG = r"(?!(?:The|A|An|This|That|Each|Every|All|No|It|There)\b)[A-Z][\w.]{1,40}"
# "Sluicepay's sandbox …", "Google deprecated …"
_OFFERED = regex(
    rf"(?:The )?{_BIG}(?: {_BIG})?(?:['’]s?) (?:\w{{1,20}} ){{0,2}}?{_OFFERS}\b"
    rf"|{_BIG} (?:has |have )?(?:deprecated|discontinued|sunset)\b"
    rf"|(?:The )?{_BIG}(?: {_BIG})? API\b[^.!?]{{0,80}}"
    r"\b(?:costs?|charges?|bills?|free (?:plan|tier)|paid plan|rate limits?"
    r"|requests? (?:per|an?) (?:second|minute|hour|day|month))\b"
)
# "Their API returns XML.", "The vendor's SLA is 99.9 %.", "The supplier charges per call."
_VENDOR = (
    r"(?:vendors?|suppliers?|third[ -]part(?:y|ies)|(?:payment|cloud|mail|sms|hosting) provider)"
)
_THEIRS = regex(
    rf"their (?:\w{{1,20}} ){{0,2}}?(?:{_OFFERS}|docs|documentation|support|platform|servers?"
    r"|backend|service|system|terms|licen[cs]e|endpoints?|dashboard|changelog|uptime|outages?|prices?|plans?"
    r"|contract|invoices? (?:is|are|come)|product)\b"
    rf"|(?:the|a|an|our) {_VENDOR}['’]s? \w"
    rf"|the {_VENDOR} (?:guarantees?|charges?|bills?|promises?|allows?|limits?|supports?|offers?"
    r"|returns?|requires?|deprecated|announced|raised|changed|shut|says|claims?|throttles?|sells?"
    r"|has (?:an? )?\w+ (?:api|sla|outage)|will|went|does|can)\b",
    re.I,
)
_COMPANIES_WORDS = """
google microsoft amazon apple meta facebook oracle ibm sap adobe intel nvidia cisco broadcom
hashicorp atlassian jetbrains elastic mongodb databricks snowflake salesforce cloudflare vercel
netlify github gitlab twilio stripe paypal okta datadog openai anthropic mistral samsung alibaba
tencent hetzner ovh zoom dropbox canonical suse linkedin twitter uber netflix spotify redhat
"""
_COMPANIES = frozenset(_COMPANIES_WORDS.split())
_NAME = r"(?:(?i:the) )?(?P<name>[A-Za-z][\w.+-]{1,40}(?: [A-Z][\w.]{1,40}){0,2})"
_OWNER = r"(?P<owner>[A-Z][\w.&-]{1,40})"
# What befalls a company: "Resend was acquired by Vercel", "npm is owned by Microsoft".
_BOUGHT = regex(
    rf"{_NAME} (?:is|was|got|has been|is being|will be) (?:\w+ly |now |just )?"
    rf"(?:acquired|bought(?: up| out)?|taken over|owned|sold|run|made|maintained|developed|funded"
    rf"|operated) (?:by|to) (?:the )?{_OWNER}"
)
_SALES = regex(
    rf"{_NAME} (?:\w+ly )?(?:(?:has|have) )?(?:acquired|bought|merged with|took over|(?:is|was) "
    rf"(?:acquired|taken over|bought(?: up| out)?) by|went (?:public|bankrupt|out of business)"
    r"|filed for bankruptcy|laid off|open-sourced|relicensed|rebranded)\b"
)
_CLOSED = regex(
    rf"{_NAME} (?:\w+ly )?(?:(?:has|have|is|will) )?(?:be )?(?:shut(?:s|ting)? down|clos(?:ed?|ing)"
    r"|kill(?:ed|ing)?|end(?:ed|ing|s)?|stop(?:ped|ping|s)?|cut(?:s|ting)?|pull(?:ed|ing)?"
    r"|phas(?:ed|ing) out|rais(?:ed?|ing)|doubl(?:ed|ing)|mov(?:ed|ing)|renam(?:ed|ing)"
    r"|chang(?:ed|ing)|drop(?:ped|ping)?|launch(?:ed|ing)?|releas(?:ed?|ing)|retir(?:ed|ing)"
    r"|announc(?:ed|ing|es)|deprecat(?:ed|ing))\b"
)
# "The Twilio API is down": what it is or does, unless it is what the project does with it.
_PRODUCT_OFFER = regex(
    rf"{_NAME} (?:rest |web |http |graphql |cloud )?{_OFFERS} (?P<does>\w.{{0,80}})", re.I
)
_USED = regex(
    r"(?:(?:is|are|was|were|gets?|has been) (?:\w+ly |only |now )?(?:used|wrapped|handled|called"
    r"|mocked|stubbed|cached|proxied|tested|configured|consumed|integrated|hidden|verified|received"
    r"|stored|kept|polled|queried|behind|set|monitored|invoked|registered|signed)"
    r"|(?:keys?|clients?|calls?|tokens?|wrappers?|adapters?|handlers?|tests?|mocks?|errors?)\b"
    r"|(?:goes?|go) (?:through|to)|lives? in|calls? (?:go|come)|posts? to)\b",
    re.I,
)
_NOUN = regex(r"[a-z]{3,20}")  # of a product: "S3 buckets", "DynamoDB items"
_PLAIN_VERBS_WORDS = """
must may should run go live need restart require expire use
"""
_PLAIN_VERBS = frozenset(_PLAIN_VERBS_WORDS.split())
_BOUNDS = regex(
    r"\b(?:can not|can|limited|limit|supports?|allows?|by default|maximum|minimum|at most|costs?"
    r"|deprecated|require[sd]?|per account|per region|guarantees?|expires?)\b"
)
# What a product does for a project: "Redis is used for sessions", "Kafka runs on three brokers".
_SERVES = regex(
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
_HAPPENED = regex(r"[a-z]+ed")
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
    if _OFFERED.match(plain) or _THEIRS.match(plain) or _is_of_company(plain):
        return True
    offer = _PRODUCT_OFFER.match(plain)
    if offer is not None and _USED.match(offer["does"]):
        return False
    clause = first_clause(plain)
    found = (clause.split() if clause else words(plain))[:40]
    found = found[1:] if found[:1] == ["the"] else found
    if len(found) < 3 or not is_product(found[0]):
        return False
    return _is_their_behaviour(plain, found[1:])


def _is_of_company(plain: str) -> bool:
    """Tells what befalls or is offered by a company from what a project does with its product."""
    if bought := _BOUGHT.match(plain):
        sold = _SALES.match(plain) is not None  # nobody acquires a service of one's own
        return _is_company(bought["owner"]) or (sold and bought["name"][:1].isupper())
    if (sale := _SALES.match(plain)) and _is_company(sale["name"]):
        return True
    if (closed := _CLOSED.match(plain)) and closed["name"].split()[0].lower() in _COMPANIES:
        return True
    offer = _PRODUCT_OFFER.match(plain)
    return offer is not None and _is_company(offer["name"]) and not _USED.match(offer["does"])


def _is_company(name: str) -> bool:
    """Tells whether a name is a company's, or that of a product that others make."""
    found = words(name)
    return name.split()[0].lower().rstrip(".") in _COMPANIES or is_product(found[0])


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
