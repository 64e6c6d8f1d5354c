"""Which words of a text are its writer's own: not its code, nor what it quotes."""

import re

from knowwhy.text.patterns import regex
from knowwhy.text.speech.spoken import uncoded

QUOTED_CHARS = 400  # characters of a quotation at most; longer ones have lost their other end
MOST = 0.5  # share of the text; a quotation that is more of it is the claim itself
NEAR = 40  # characters before and after a quotation that tell whether it only mentions a word

_CODE = regex(r"`{1,2}[^`\n]{1,400}`{1,2}")
_QUOTE = regex(rf'"[^"\n]{{1,{QUOTED_CHARS}}}"|[“„][^“”„\n]{{1,{QUOTED_CHARS}}}[”“]')
# One to three words in quotation marks that fit the sentence belong to it: it "might" leak.
_SCARE = regex(
    r"(?<!\w)([\"“„]|`{1,2}|'{1,2}|_{1,2})[ ]?([A-Za-z]+(?:['-][a-z]+)?(?: [A-Za-z]+){0,2})[ ]?"
    r"(?:[”“]|\1)(?!\w)"
)
# What stands before a word that is only spoken of: an article, a noun for words, a list, a verb
# of saying or setting.
_MENTIONED = regex(
    r"(?:\b(?:the|an?|our|its|this|that|each|every|no|any|or|and|nor|to|from|with|as|of|in|into|by"
    r"|for|like|than|messages?|texts?|errors?|titles?|links?|menus?|items?|words?|terms?|phrases?|strings?|labels?|values?|states?|status|options?|types?"
    r"|flags?|buttons?|keys?|tags?|names?|fields?|columns?|answers?|called|named|says?|said|reads?"
    r"|writes?|returns?|returned|shows?|sets?|uses?|used|calls?|means?|accepts?|rejects?|sends?"
    r"|prints?|equals?|contains?|via|through)|[=:/(\[{]|[\"'`”]\s?,)\s{0,3}$",
    re.I,
)
_SPOKEN_OF = regex(
    r"\s{0,3}(?:(?:is|are|was|were|means?|stands?|returns?|takes?|counts?|as|or|and|to|from|keyword"
    r"|functions?|types?|monads?|methods?|state|status|flag|button|label|value|option|column|field"
    r"|class|hook|tag|branch|word|answer|response|key|name|module|package|variable|command"
    r"|in (?:the|our) (?:docs?|text|code|config|schema|answers?|titles?|subjects?))\b"
    r"|[(=\])}/]|,\s?[\"'`“])",
    re.I,
)
_ENDS = regex(r"\s{0,3}(?:[.;!?:]|$)")
_IN_COMMAS = regex(r"\w,\s?$")


def own_words(text: str) -> str:
    """Blanks code and quotations, so that what is left has the offsets of the text."""
    bare = _SCARE.sub(_unquoted, text)
    code = _CODE.sub(_blank, uncoded(bare))
    quoted = sum(len(match[0]) for match in _QUOTE.finditer(code))
    if quoted > MOST * max(1, len(code.strip())):
        return code
    return _QUOTE.sub(_blank, code)


def _unquoted(match: re.Match[str]) -> str:
    """Takes the marks from a few words that are no mention of them; their places stay."""
    text = match.string
    before = text[max(0, match.start() - NEAR) : match.start()]
    after = text[match.end() : match.end() + NEAR]
    if _MENTIONED.search(before) or _SPOKEN_OF.match(after):
        return match[0]
    if _ENDS.match(after) and not _IN_COMMAS.search(before):
        return match[0]  # the last word of a sentence is its value
    start, end = match.span(2)
    return " " * (start - match.start()) + match[2] + " " * (match.end() - end)


def _blank(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match[0])
