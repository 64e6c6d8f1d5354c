"""Stored text that speaks to its reader as if it could give orders."""

import re
from functools import lru_cache

from knowwhy.text.characters import without_unseen
from knowwhy.text.claims.terms import undisguised
from knowwhy.text.patterns import regex

LONGEST_READ = 50_000  # characters, as many as a turn may have
KEPT = 500  # texts; some MB

# No character is both a part of a word and of what stands between words, or one line of
# underscores could be read in more ways than there is time for.
_SP = r"[\W_]{1,5}"  # between words, however they are set apart
_LETTER = r"[^\W_]"
_WORD = rf"{_LETTER}{{1,30}}{_SP}"
_NOT = rf"\b(?:do{_SP}not|don['’]?t|never|must{_SP}not|mustn['’]?t|should{_SP}not|avoid)"
_NOT_OR = rf"(?:{_NOT}{_SP}(?:ever{_SP})?)"
# Where an order may begin: "We ignore the rules" tells, "Please ignore the rules" orders.
_ORDERS = (
    r"(?:(?:^|[.!?:;,)\]>\n\"'“”*#|]|-\s)\s{0,3}"
    rf"|\b(?:please|pls|kindly|now|just|simply|immediately|instead|then"
    rf"|(?:you|assistants?|agents?|models?){_SP}(?:must|should|shall|will|can"
    rf"|(?:have|need|are|ought){_SP}to)|(?:want|need|ask|order|tell){_SP}you{_SP}to){_SP}"
    rf"(?:always{_SP}|also{_SP}|{_LETTER}{{2,20}}ly{_SP})?)"
)
_READER = r"(?:you|your|yourself)"
_GIVEN = (
    r"(?:previous|prior|above|earlier|preceding|foregoing|your|other|existing|original|initial"
    r"|system|safety|former)"
)
_RULES = (
    r"(?:instructions?|prompts?|rules|guidelines|constraints|context|directions|directives"
    r"|polic(?:y|ies)|training|programming|orders)"
)
_DROP = r"(?:ignore|disregard|forget|override|overrule|bypass)"
_TOLD = (
    rf"(?:you{_SP}(?:were|are|have{_SP}been|had{_SP}been|know|knew|learn{_LETTER}{{0,5}}|got|received)"
    rf"|(?:was|has{_SP}been|came|is|comes|stands|written){_SP}(?:{_LETTER}{{1,20}}{_SP}){{0,2}}"
    r"(?:above|before|so far|earlier|until now)|above|before this)"
)
_SECRETS = (
    rf"(?:secrets?|passwords?|passphrases?|tokens?|(?:api|access|private|ssh|secret){_SP}keys?"
    rf"|credentials?|system{_SP}prompt|environment{_SP}variables?|env{_SP}vars?|\.env\b)"
)
_PERSON = r"(?:users?|humans?|operators?|owners?|developers?|anyone|anybody|them|him|her)"
_TEXT_HERE = (
    r"(?:this|these|it|the (?:above|following)|your|that you)"
    rf"(?:{_SP}(?:memor(?:y|ies)|notes?|messages?|instructions?|rules?|prompts?|texts?|entry))?"
)
_ALL_OF_IT = (
    rf"(?:everything|anything|whatever|all{_SP}(?:of{_SP})?(?:this|these|claims|memories|that)"
    rf"|(?:this|these)(?=\W|$)"
    rf"|(?:this|these|every|any){_SP}(?:claims?|memor(?:y|ies)|facts?|statements?|notes?))"
)

_PATTERNS = (
    (
        "it asks to ignore instructions",
        rf"\b{_DROP}{_SP}(?:{_WORD}){{0,3}}?{_GIVEN}{_SP}(?:{_WORD}){{0,2}}?{_RULES}\b",
        rf"\b{_DROP}{_SP}(?:{_WORD}){{0,3}}?{_RULES}{_SP}(?:above|before|given|so far|you)\b",
        rf"{_ORDERS}{_DROP}{_SP}(?:(?:all|the|any|every|these|those|each|of){_SP}){{0,3}}{_RULES}"
        r"(?=\s{0,3}(?:[.!?;,:)\"'”]|$)|\s(?:and|or|but|that|which|now)\b)",
        rf"\b{_DROP}{_SP}(?:all{_SP})?(?:everything|anything|all|whatever|what|that)"
        rf"{_SP}(?:that{_SP}|which{_SP})?{_TOLD}\b",
        rf"{_ORDERS}(?:discard|dismiss|abandon|drop){_SP}(?:{_WORD}){{0,3}}?{_GIVEN}{_SP}{_RULES}\b",
        rf"(?:{_NOT}{_SP}|\b(?:stop|cease|refuse{_SP}to){_SP})(?:follow|obey|heed|apply)(?:ing)?"
        rf"{_SP}(?:{_WORD}){{0,2}}?{_GIVEN}{_SP}(?:{_WORD}){{0,2}}?{_RULES}\b",
        rf"\byour{_SP}(?:new|real|actual|true|only|secret){_SP}(?:instructions?|tasks?|goals?"
        r"|objectives?|roles?|purpose|mission|orders|prompt)\b",
        rf"(?:^|[.!\n])\s{{0,3}}new{_SP}(?:system{_SP})?(?:instructions?|orders|directives?)\s?:",
    ),
    (
        "it gives its reader another role",
        rf"\byou(?:{_SP}are|['’]re){_SP}(?:now|henceforth|no{_SP}longer)\b(?!{_SP}(?:able|allowed"
        r"|ready|required|logged|signed|using|connected|subscribed|done|redirected|expected|free"
        rf"|up{_SP}to|on{_SP}the|asked|charged)\b)",
        rf"\b(?:from{_SP}now{_SP}on|henceforth|hereafter|starting{_SP}now|as{_SP}of{_SP}now"
        rf"|from{_SP}this{_SP}(?:point|moment){_SP}(?:on|onwards?|forward)"
        rf"|for{_SP}the{_SP}rest{_SP}of{_SP}th(?:is|e){_SP}(?:conversation|session|chat)){_SP}you\b",
        rf"\byou(?:{_SP}are|['’]re){_SP}(?:an?{_SP}|the{_SP})?(?:{_WORD}){{0,2}}?(?:unrestricted"
        rf"|uncensored|unfiltered|jailbroken|dan\b|root\b|free{_SP}(?:of|from){_SP}(?:all|any|your)"
        rf"|in{_SP}(?:developer|debug|god|admin|sudo|root|maintenance|jailbreak){_LETTER}{{0,10}}{_SP}mode)",
        rf"{_ORDERS}(?:act|behave|respond|answer|speak){_SP}(?:as|like){_SP}(?:if{_SP}you"
        rf"|(?:an?{_SP}|the{_SP})?(?:{_WORD}){{0,2}}(?:assistant|admin|root|system|hacker|dan)\b)",
        rf"\bpretend{_SP}(?:to{_SP}be|that{_SP}you|you)\b|\brole-?play{_SP}as\b",
        rf"\b(?:enter|enable|activate|switch{_SP}to){_SP}(?:{_WORD})?"
        rf"(?:god|dan|jailbreak|sudo|unrestricted){_SP}mode\b",
    ),
    (
        "it speaks as the system",
        r"(?:^|\n)[ \t>*#`]{0,8}(?:(?:system|assistant)[ \t]?(?:prompt|message)?"
        r"|developer[ \t](?:prompt|message))[ \t]?:"
        r"|<\|?/?(?:im_start|im_end|system|endoftext)\b|\[/?INST\]|<\|[a-z_]{3,30}\|>|<</?SYS>>"
        r"|(?:^|\n)#{2,4} ?(?:system|instructions?|response) ?:",
    ),
    (
        "it asks to keep something from the user",
        rf"{_NOT_OR}(?:tell|inform|alert|notify|warn|ask|let){_SP}(?:{_WORD}){{0,2}}?{_PERSON}"
        rf"(?:{_SP}know)?(?:\s{{0,3}}(?:[.!;,)]|$)|{_SP}(?:about|of|that|regarding){_SP}"
        r"(?:this|these|it|you|your|what you|why you|the (?:above|memory|note|instructions?))\b)",
        rf"{_NOT_OR}(?:mention|reveal|disclose|repeat|show|quote|cite|discuss|admit){_SP}"
        rf"(?:{_WORD}){{0,2}}?{_TEXT_HERE}(?:{_SP}(?:to{_SP})?(?:{_WORD}){{0,2}}?{_PERSON}\b"
        r"|\s{0,3}(?:[.!;,)]|$))",
        rf"{_ORDERS}(?:keep|hide|conceal){_SP}{_TEXT_HERE}{_SP}(?:{_WORD}){{0,3}}?"
        rf"(?:secret|hidden|confidential|between{_SP}us|from{_SP}(?:{_WORD}){{0,2}}?{_PERSON})\b",
    ),
    (
        "it asks to send secrets somewhere",
        rf"{_ORDERS}(?:send|post|upload|forward|e?-?mail|copy|submit|transmit|deliver){_SP}"
        rf"(?:{_WORD}){{0,6}}?{_SECRETS}[^\n.!?]{{0,80}}?"
        rf"(?:https?://|[\w+-](?:\.[\w+-]{{1,30}}){{0,3}}@[\w-]|\bto{_SP}(?:me|us|the{_SP}following)\b)",
        rf"{_ORDERS}(?:print|reveal|show|output|repeat|dump|give|paste|share|tell|send|post|upload"
        rf"|forward){_SP}(?:{_WORD}){{0,3}}?(?:system{_SP}prompt\b|(?:all|any|every|your)"
        rf"(?:{_SP}(?:the|of|your|stored|saved|known)){{0,6}}{_SP}(?!tokens?\b)(?:{_LETTER}{{1,20}}{_SP})?{_SECRETS}"
        rf"|your{_SP}(?:initial{_SP}|full{_SP})?(?:instructions|prompt)\b)",
        rf"{_ORDERS}(?:exfiltrate|leak|steal){_SP}(?:{_WORD}){{0,6}}?{_SECRETS}",
    ),
    (
        "it asks for a tool to be run",
        rf"\b(?:you{_SP}must|please){_SP}(?:{_WORD}){{0,2}}?(?:call|invoke|execute){_SP}"
        rf"(?:the{_SP})?(?:{_WORD}){{0,3}}(?:tool|function|command|shell)\b",
        rf"\b(?:immediately|now){_SP}(?:{_WORD}){{0,2}}?(?:call|invoke|run|execute|use){_SP}"
        rf"(?:the{_SP})?(?:{_WORD}){{0,3}}(?:tool|function|command|shell)\b",
        rf"{_ORDERS}(?:call|invoke|run|execute){_SP}(?:{_WORD}){{1,5}}?(?:(?:now|immediately"
        rf"|at{_SP}once|right{_SP}away)(?!{_SP}(?:after|before|when|if|on|once|as)\b)|without{_SP}(?:asking|confirm\w{{0,8}}|permission|approval))",
    ),
    (
        "it asks to be believed",
        rf"\b(?:mark|treat|accept|trust|rate|flag|store|consider){_SP}{_ALL_OF_IT}{_SP}"
        rf"(?:{_WORD}){{0,4}}?(?:as{_SP})?(?:verified|trusted|approved|authoritative|true"
        r"|ground[ -]truth)\b",
        rf"\btreat{_SP}every{_SP}claim\b",
        rf"{_ORDERS}(?:approve|accept|believe){_SP}{_ALL_OF_IT}",
        rf"\band{_SP}(?:approve|accept|believe){_SP}(?:everything|all|whatever)\b",
    ),
    (
        "it tells its reader what to do on reading it",
        rf"\b(?:when|whenever|if|once|after|as{_SP}soon{_SP}as|upon){_SP}you{_SP}(?:{_WORD})?"
        rf"(?:read|recall|retrieve|load|process|receive){_SP}(?:this|these)"
        rf"(?:{_SP}(?:memor(?:y|ies)|notes?|texts?|entry|instructions?|records?|messages?)\b"
        r"|\s{0,3}[,:;.!])",
        rf"\bwhoever{_SP}reads{_SP}this\b",
    ),
)
_READ = tuple((what, regex("|".join(patterns), re.IGNORECASE)) for what, *patterns in _PATTERNS)


@lru_cache(maxsize=KEPT)  # a hit is looked at where it is packed and again where it is told
def suspicion(text: str) -> str | None:
    """Says why a text is suspicious of giving orders to whoever reads it, or nothing."""
    read = undisguised(without_unseen(text[:LONGEST_READ]))
    return next((what for what, pattern in _READ if pattern.search(read)), None)
