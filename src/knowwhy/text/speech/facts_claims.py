"""Whether a sentence claims anything: not a question, a guess, a hypothesis or somebody's"
" saying."""

from knowwhy.text.doubt.hedges import Hedge, hedges
from knowwhy.text.patterns import regex
from knowwhy.text.speech.facts_sentences import LONGEST, Sentence

FEWEST_WORDS = 3  # words; shorter sentences are answers to something
QUOTED_SHARE = 0.5  # share of a sentence; more of it in quotation marks is not the writer's own

_AUX = (
    r"(?:can|could|would|should|shall|do|does|did|is|are|was|were|has|have|had|will|may|am"
    r"|won't|wouldn't|isn't|aren't|doesn't|don't|didn't|couldn't|shouldn't|haven't|hasn't)"
)
_ASKED_OF = (
    r"(?:we|you|i|it|he|she|they|the|that|this|these|there|anyone|anybody|somebody|someone|everyone"
    r"|our|my|your|any)"
)
_QUESTION = regex(
    rf"{_AUX} {_ASKED_OF}\b|(?:what|which|who|whose|how|why|where|since when|how come|whats|what's"
    r"|who's|where's|how's|any (?:idea|chance|thoughts|news|objections)|thoughts|remind me|tell me"
    r"|wondering|curious|does any(?:body|one)|is it true)\b"
)
_NO_QUESTION = regex(
    r"how (?:we|i|you|to)\b[^?]*:|what (?:we|i) (?:do not|don't|really )?(?:want|need"
    r"|like)[^?]* is\b"
    r"|why (?:we|i)\b[^?]* (?:is|was)\b|where (?:we|i) \w+ [^?]* is\b"
)
_SUPPOSED = regex(
    r"(?:suppose|supposing|assume|assuming|imagine|pretend|say|hypothetically|theoretically"
    r"|in theory"
    r"|let's (?:say|pretend|assume|imagine|see|try|have|look|check|start|talk|wait|hope)|what if"
    r"|in case|given (?:an?|that|two|these)|wish|i wish|if only|ideally|thinking out loud)\b"
)
_UNREAL = regex(
    r"\bif\b.{0,200}\b(?:would|could|might|'d)\b|\b(?:would|could|might|'d)\b.{0,200}\bif\b"
)
_UNDECIDED = regex(
    r"\b(?:(?:have not|haven't|hasn't|has not|not) (?:yet )?(?:decided|agreed|settled|chosen"
    r"|picked)"
    r"|undecided|wondering|(?:am|are|'m|'re|been|still) (?:considering|debating|thinking|evaluating"
    r"|discussing|looking into|toying)|(?:was|were) going to|were supposed to|never happened"
    r"|todo|tbd|fixme|to be decided|up for debate|thinking out loud|at some point|some ?day|one day"
    r"|not convinced|haven't (?:profiled|checked|looked|verified|tested)|trying to)\b"
)
_UNKNOWN = regex(
    r"\b(?:i|we) (?:can't|cannot|couldn't|could not|don't|do not|didn't|am not able to) "
    r"(?:find|see|tell|reproduce|remember|understand|recall|get it|follow|put a number|access"
    r"|have access)\b|\bi forgot\b|\bi'd need\b|\bi would need\b|\bi'm lost\b"
)
_REPORTED = regex(
    r"\b(?:says?|said|claims?|claimed|thinks?|believes?|wrote|writes|told (?:me|us)|suggests?"
    r"|suggested|argues?|argued|asks?|asked|wants?|proposed|proposes|heard|read) "
    r"(?:that |to |for )?(?:[\"“']|we\b|it\b|they\b|he\b|she\b|you\b|the\b|a\b|an\b|i\b|if\b|me\b"
    r"|us\b"
    r"|whether\b|webhooks\b|that\b|all\b|every\b|using\b|about\b)"
)
_OWN_SAYING = regex(
    r"\b(?:i|we) (?:\w+ )?(?:said|say|wrote|tell|told|ask|asked|want|think|thought|read|suggest"
    r"|propose|heard|claim)\b"
)
_QUOTES = regex(r"\"[^\"]{1,400}\"|“[^”]{1,400}”")
_RECEIPT = regex(
    r"\s{0,9}(?:(?:ok|okay|sure|all right|great|good)[,.! ]+)?(?:noted|understood|written down"
    r"|added"
    r"|corrected|removed|done|recorded|saved|got it|remembered|updated|will do"
    r"|confirmed)\b(?!.{0,20}\bin `)"
)
_SHORT_CLAIM = regex(
    r"stop \w+ing\b|(?:always|never|no) (?!mind\b|again\b|ever\b|way\b)|[\w.+-]+ stays\b"
)
_THOUGHT_WRONGLY = regex(r"\bi (?:had )?(?:thought|assumed|believed)\b.{0,200}\b(?:but|until)\b")


def is_claimed(sentence: Sentence) -> bool:
    """Tells whether the writer holds a sentence to be true, or wants it to hold."""
    low = sentence.low
    if sentence.is_heading or _is_too_short(low) or len(low) > LONGEST:
        return False
    if is_asked(low) or _SUPPOSED.match(low) or _UNREAL.search(low):
        return False
    if _UNDECIDED.search(low) or _UNKNOWN.search(low) or _is_reported(low):
        return False
    return not is_guessed(sentence)


def _is_too_short(low: str) -> bool:
    return len(low.split()) < FEWEST_WORDS and not _SHORT_CLAIM.match(low)


def is_asked(low: str) -> bool:
    """Tells whether a sentence is a question, with or without its mark."""
    if low.rstrip("\"') ").endswith("?") or "?!" in low[-3:]:
        return True
    return _QUESTION.match(low) is not None and not _NO_QUESTION.match(low)


def is_receipt(low: str) -> bool:
    """Tells whether an assistant only confirms what it was told."""
    return _RECEIPT.match(low) is not None


def is_guessed(sentence: Sentence) -> bool:
    """Tells whether a sentence doubts itself."""
    found = hedges(sentence.whole)
    if _THOUGHT_WRONGLY.search(sentence.low):
        found = [hedge for hedge in found if not _is_earlier_belief(hedge)]
    return bool(found)


def _is_earlier_belief(hedge: Hedge) -> bool:
    return hedge.text.lower().endswith(("thought", "assumed", "believed"))


def _is_reported(low: str) -> bool:
    quoted = sum(len(match[0]) for match in _QUOTES.finditer(low))
    if quoted > QUOTED_SHARE * len(low):
        return True
    return _REPORTED.search(low) is not None and not _OWN_SAYING.search(low)
