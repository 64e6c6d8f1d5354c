"""The words and phrases of doubt, as patterns."""

import re

from knowwhy.text.patterns import regex

_I = r"(?:i|we)"
_SURE = r"(?:100\s?%|hundred percent|entirely|completely|totally|quite|really|so|too|all that|very)"
_NEARLY = (
    r"(?:fairly|pretty|reasonably|relatively|almost|nearly|mostly|somewhat|moderately|largely"
    r"|more or less|kind of|sort of|semi)"
)
_CONVINCED = r"(?:sure|certain|confident|positive|convinced)(?! (?:in|with|at|to|of|using)\b)"
_NOT_IF = "".join(rf"(?<!{word}\s)" for word in ("if", "when", "once", "until", "that", "unless"))

# Each makes a claim a speculation, whatever else stands beside it.
STRONG = (
    r"maybe(?![(<\[]| (?:monad|type|functor|function|combinator|constructor|class|operator)\b)",
    r"perhaps",
    r"might(?! (?:of|and magic)\b)",
    r"possibly",
    r"could (?:also |well |just |still |potentially |easily |definitely |clearly )*"
    r"(?:be|mean)(?! (?:avoided|prevented|used|reached|found|reproduced)\b)",
    r"could have (?:been|come)(?! (?:avoided|prevented|caught|worse)\b)",
    rf"(?:not|never|n't) (?:{_SURE} )?(?:sure|certain)(?! (?:to|enough)\b)",
    r"(?:unsure|uncertain)",
    rf"{_I} (?:would |'d |can only |'m |am |are just |am just )*(?:guess|guessing|suspect|wonder)",
    rf"{_I}'(?:d|m|re) (?:just |only )?(?:guess|guessing|suspect)",
    r"guessing(?= (?:here|though|that)\b|[.,!]|$)",
    r"(?:my|our|just an?|only an?|best|wild|educated|an?) guess(?!ing|able)",
    rf"{_I} (?:suppose|doubt|speculate)(?! it not)",
    rf"{_I}(?: would|'d| will|'ll)? (?:bet|wager)(?! (?:on|the company|our)\b)",
    rf"{_I}'d (?:put|lay) (?:my )?money on",
    r"(?:a|my|our|the|on a) hunch",
    r"(?:my|our) (?:\w+ )?(?:theory|suspicion|hypothesis|speculation)(?= (?:is|was)\b|:)",
    r"gut (?:says|tells|is telling)",
    r"for all (?:i|we) know",
    rf"{_I} (?:do not|don't|didn't|honestly don't|really don't) know(?! (?:why|him|her|them)\b)",
    r"(?:dunno|idk)",
    r"(?:have|has|had|'ve|got|honestly) no (?:idea|clue)(?! why\b)",
    r"no (?:idea|clue)(?! why\b)",
    r"(?<!people\s)(?<!someone\s)(?<!anyone\s)(?<!everyone\s)(?<!somebody\s)who knows"
    r"(?= (?:what|if|whether|when|how|why)\b|[.,!?)]|$)",
    r"presumably",
    r"supposedly",
    r"allegedly",
    r"purportedly",
    r"conceivably",
    r"rumou?r has it",
    r"(?:hard|impossible|difficult) to (?:say|tell|know)",
    r"(?:it )?remains to be seen",
    r"(?:doubtful|doubtfully|speculative|speculation|speculating)",
    r"(?:in|under) (?:some|all) (?:probability|likelihood)",
    r"(?:there is|there's|stands) (?:an?|some|every) (?:[\w-]+ ){0,3}chance(?: that)?",
    r"could go either way",
)

# Each says less than certainty; a claim may still stand on other words.
WEAK = (
    rf"{_I} (?:do |don't |do not |would |really |still |just |also |kind of |sort of |rather "
    r"|quite |half |honestly |personally |genuinely |strongly |firmly |vaguely |somehow )*"
    r"(?:think|thought|believe|believed|assume|assumed|reckon|imagine|figure|presume)"
    r"(?! (?:about|of|out loud|through|it through|twice|ahead)\b)",
    rf"{_I}'d (?:think|say|imagine|assume)",
    rf"{_I} (?:feel|felt) like",
    r"(?:he|she|they|everyone|everybody|somebody|someone) (?:thinks?|believes?|assumes?)",
    r"probably",
    r"(?:most |very |quite |more than )?(?:likely|unlikely)(?! (?:to be called|path)\b)",
    r"apparently",
    r"seemingly",
    r"(?:seems?|seemed)(?! (?:right|wrong|fine|good|ok|okay)\b)",
    r"appears? (?:to|that|as if)",
    r"(?:looks|sounds|feels|felt|looked) to (?:me|us|be|have)",
    r"could(?= (?:also |well |still |easily )?(?!not\b|never\b|only\b|be\b|always\b|then\b|now\b"
    r"|have been (?:avoided|prevented|caught|worse)\b)[a-z]{2,}"
    r"(?![^.;!?]{0,80}\b(?:until|till|before|back then|at the time|in (?:19|20)\d\d)\b))",
    r"(?:looks?|sounds?|feels?|smells?) (?:\w+ly )?(?:like|as if|as though)"
    r"(?! (?:this|so|the following)\b[:.]?)",
    r"(?:as far as|so far as|to the best of) (?:i|we|my|our) (?:know|knew|can tell|can see|remember"
    r"|recall|understand|understood|knowledge|am aware)",
    r"(?:afaik|afaict|iirc|istr|imo|imho|fwiw)",
    rf"{_I} seem to (?:remember|recall)",
    r"(?:if|as) (?:i|we) (?:remember|recall)(?: correctly| right| rightly| well)?",
    r"(?:in|to) (?:my|our) (?:opinion|mind|understanding|view)",
    r"(?:potentially|hopefully|arguably|theoretically|ostensibly|reportedly)",
    r"in theory",
    r"(?:or )?so (?:i|we) (?:hear|heard|am told|are told|was told|were told)",
    r"(?:i|we) (?:hear|have heard|'ve heard|heard)(?= (?:that|it|they|he|she|the)\b)",
    r"(?:word (?:is|has it)|they say|people say)(?= that\b|,| )",
    r"gut feeling",
    r"(?:it's|it is|that's|still) (?:not clear|unclear)",
    r"unclear(?= (?:if|whether|why|what|how)\b)",
    r"should (?:hopefully |probably )?(?:be (?:fine|ok|okay|good|enough|safe|fixed|there|ready)"
    r"|work|do it|help|suffice)",
    r"(?:more or less|kind of|sort of)(?= (?:works?|sure|think|like|true|correct|right)\b)",
    r"must (?:be|have been)(?= (?:some|something|somebody|someone|the|a|because|due)\b)",
    r"(?:(?:it|this|that|there)'s|has|have) (?:just |really |simply )?got to be"
    r"(?= (?:some|something|somebody|someone|the|an?|our|because|due)\b)",
    r"(?:cause|culprit|reason|problem|bug|leak|explanation|suspect)(?:'s| has) (?:got )?to be"
    r"(?! (?:\w+ed|found|fixed|known|shown|written|told|given)\b)",
    rf"{_I}(?: am| are|'m|'re| was| were) {_NEARLY} {_CONVINCED}",
    rf"(?<![^\n.!?]\s)(?<![^\s]){_NEARLY} {_CONVINCED}(?= (?:that|the|it|it's|this|our|we)\b)",
    r"tentatively(?=\s{0,3}[:,])",
    rf"{_NOT_IF}(?:someone|somebody|some people)(?: else| once| here| there| in \w+)?"
    r" (?:said|told (?:me|us)|mentioned|claim(?:s|ed)|suggested|reckon(?:s|ed))"
    r"(?! (?:yes|no|so|nothing|something|hello|hi|to)\b)(?= \w)",
)

_DATED = regex(
    r"\b(?:in|on|of|since|until|till|by|from|to|last|next|this|early|late|mid|end|before|after"
    r"|during|for|and|through|\d{1,2}(?:st|nd|rd|th|\.)?)[\s-]{1,3}$",
    re.I,
)
_DAY = regex(r"[\s,]{1,3}(?:\d{1,4}\b|release|deadline|meeting|invoices|bank|and (?:jun|apr))")
_ASKS = regex(r"(?:^|[.!?;,]\s{1,3}|\b(?:if|and|so)\s)$")
_SUBJECT = regex(r"([\w']{1,30})(?:\s(?:just|still|also|only|well|then|now|or))?\s{1,3}$")
_VAGUE = frozenset(
    ("it", "this", "that", "there", "which", "what", "i", "we", "he", "she", "something", "someone")
)
_UNREAL = regex(
    r"\s{1,3}(?:not\s|also\s|well\s|still\s|just\s|sometimes\s|even\s|actually\s|or\s)*"
    r"(?:be(?!\s\w{1,20}ed\b)|be (?:caused|related|needed|required|blocked|outdated|corrupted)"
    r"|have|need|cause|lead|depend|vary|differ|help|break|fail|change|happen|become|explain|work"
    r"|matter|affect|result|contain|exist|come|suffer|hide|mean|indicate|want|may)\b"
    r"|\s{1,3}or\smay\snot\b|\s{1,3}well\b"
)


def is_unreal_may(text: str, start: int, end: int) -> bool:
    """Tells "it may break" from the month of May and from what somebody is allowed to do."""
    before, after = text[max(0, start - 40) : start], text[end : end + 40]
    if text[start] == "M" and (_DATED.search(before) or _DAY.match(after)):
        return False
    if _ASKS.search(before):
        return False  # "May I", "May 3"
    subject = _SUBJECT.search(before)
    if subject and subject[1].lower() in _VAGUE:
        return not after.lower().startswith((" only", " never"))
    return _UNREAL.match(after) is not None
