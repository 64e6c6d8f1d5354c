"""Whether a sentence states a decision, and whether it gives its reason."""

import re

from knowwhy.text.patterns import regex

_BY = (
    r"(?:we|i|they|you|us|(?:the|our|my) (?:\w+ )?(?:team|board|council|group|company|cto|ceo|lead"
    r"|management|guild|architects?|committee)|legal|finance|management|security|leadership"
    r"|everyone|everybody)"
)
_HAVE = r"(?:'ve| have| had|'d)?"
_ADVERB = (
    r"(?: (?:all|now|finally|just|also|already|then|both|jointly|recently|eventually|officially"
    r"|firmly"
    r"|explicitly|formally|unanimously|deliberately|consciously|(?:last|this) \w+|in \w+))?"
)
_CHOSEN = (
    r"(?:decided|agreed|chose|chosen|picked|opted|settled|went (?:with|for|ahead)|gone with"
    r"|ended up (?:not |re)?(?:rejecting|using|choosing|going|dropping|keeping|moving|picking"
    r"|building"
    r"|buying|switching|writing|rewriting|adopting|taking|replacing|removing|splitting|merging)"
    r"|(?:signed|sign) off|approved|standardi[sz]ed|committed to|ruled out|rejected"
    r"|dropped|ditched|abandoned|gave up on|given up on|moved|migrated|switched|replaced|adopted"
    r"|selected|voted|retired|deprecated|killed|discarded|scrapped|vetoed|declined|resolved to"
    r"|tried .{2,80}? (?:and|but) (?:gave|went back|dropped|reverted|rolled))"
)
_GOING = (
    r"(?:(?:'re|'m| are| am) (?:now )?(?:dropping|moving|switching|going (?:with|to (?:use|keep"
    r"|drop"
    r"|move|stay|stick|switch|replace|migrate|build|buy))|not going to|keeping|sticking|staying"
    r"|replacing"
    r"|retiring|deprecating|adopting|standardi[sz]ing|migrating|getting rid)"
    r"|(?: will|'ll) (?:not |no longer |now )?(?:keep|use|stay|move|drop|stick|go with|switch"
    r"|replace"
    r"|migrate|adopt|retire|build|support|store|run|remain)| won't \w+)"
)
_DECIDED = regex(
    rf"\b{_BY}{_HAVE}{_ADVERB} {_CHOSEN}\b|\b{_BY}{_GOING}\b"
    r"|\b(?:was|were|been|it's|is|that's) (?:\w+ )?(?:decided|agreed|settled|approved|signed off"
    r"|final)\b"
    r"|\b(?:are|is) agreed (?:with|since|to)\b|\bagreed (?:since|with|on)\b"
    r"|^(?:the |our |my )?(?:final )?(?:decision|outcome|resolution|verdict|conclusion)\b.{0,60}?:"
    r"|^(?:the |our )?(?:decision|outcome|verdict) (?:is|was)\b|^(?:decided|agreed)(?::| that\b)"
    r"|^the (?:main )?reasons? (?:that |why )?(?:we|i|they)\b.{3,120}\b(?:was|is|were)\b"
    r"|\bwe (?:now|no longer|finally) (?:use|run|deploy|build|store|have)\b.{0,80}\binstead\b"
    r"|^instead of .{2,100} we (?:now |will |are )?(?:use|using|run|have|go|keep|do)\b"
    r"|\b(?:we|they) made .{2,60} (?:mandatory|required|optional|(?:the )?default|compulsory)\b"
    r"|\bdone deal\b|\b(?:and )?that's final\b|\bend of (?:story|discussion)\b"
    r"|\bfrom now on\b|\bas of (?:today|now|next|this|january|february|march|april|may|june|july"
    r"|august|september|october|november|december)\b|\bthe plan (?:of record )?is to\b"
)
_NAMED = regex(
    r"(?:^|[,;:] )(?:[A-Z][a-z]{2,15})(?: and [A-Z][a-z]{2,15})?(?: has| have)? "
    r"(?:decided|agreed|approved|signed off|vetoed|chose|ruled)\b"
)
_LETS = regex(
    r"(?:so )?let's (?:just |then )?(?:go with|use|keep(?! \w+ing\b)|stick (?:to|with)|not|drop"
    r"|move to|stay|settle)\b"
)
_STAYS = regex(
    r"[\w.+/-]{2,30}(?: [\w.+/-]{2,30})? (?:stays|stay|is staying|is out|is gone"
    r"|(?<!here )(?<!there )it is)$"
)
_STAYS_BUT = regex(
    r"[\w.+/-]{2,30}(?: [\w.+/-]{2,30})? stays?\b(?! (?:in|open|up|alive|the same)\b)"
)
_MOMENTARY = regex(
    r"\b(?:moved|switched|dropped|picked|approved|rejected|replaced|killed) (?:it|that|this|them"
    r"|the"
    r" (?:pr|pull request|mr|file|line|card|ticket|branch|window|tab|process|pod|meeting))\b"
    r"|\blet's (?:not (?:worry|panic|forget)|use (?:that|this|it) for now)\b|\bwe'll see\b"
    r"|\b(?:agreed|agree) (?:that|with) (?:you|this|that)$|\bas (?:i|we) agreed\?$"
    r"|\bdecided to (?:go|take|leave|skip|grab|spend|try|watch|visit|stop for today|have (?:a"
    r"|lunch))\b|\bit's been decided\?$"
    r"|\bi won't\b|\bi(?:'ll|'m| will| am) (?:not )?(?:run|stay|going|keep|use|drop|move|replace"
    r"|keeping|moving)\b"
    r"|\bi (?:just |now |have |'ve )*(?:moved|switched|dropped|picked|replaced|killed|approved"
    r"|rejected)"
    r"\b(?!.*\b(?:because|since|so that|as)\b)"
)
_REASON = regex(
    r"\b(?:because|since (?!\d|the (?:summer|spring|start)|january|february|march|april|may|june"
    r"|july"
    r"|august|september|october|november|december|then|adr|last|yesterday|monday|v\d)"
    r"|so that|due to|in order to|given that|mostly for|mainly for|to avoid|to keep|to save"
    r"|the reason"
    r"|as (?:the|we|our|it|most|there|nobody|they|all|that)|for (?:cost|performance|security"
    r"|compliance)"
    r"|otherwise|would have|reasons?|thanks to)\b|[;:] \w|, [^,]{20,}$|\([^)]{8,300}\)"
)
_UNSTATED = regex(r"\b(?:decide|to decide|decision is pending|no decision|not final|unless)\b")
_ASSISTANTS_OWN = regex(r"\bi(?:'ve|'ll|'m| have| will| am)?\b")


def states_decision(core: str, low: str) -> bool:
    """Tells whether a sentence says that something was decided."""
    if _UNSTATED.search(low) or _MOMENTARY.search(low):
        return False
    bare = low.rstrip(".! ")
    if _STAYS.fullmatch(bare) or (_STAYS_BUT.match(low) and len(low.split()) < 8):
        return not low.startswith(("it ", "that ", "this ", "she ", "he "))
    return any((_DECIDED.search(low), _NAMED.search(core), _LETS.match(low)))


def gives_reason(low: str) -> bool:
    """Tells whether a sentence says why."""
    return _REASON.search(low) is not None


def is_taken_by_others(low: str) -> bool:
    """Tells whether an assistant repeats a decision of its users, not one of its own."""
    if _ASSISTANTS_OWN.search(low):
        return False
    return (
        re.search(r"\b(?:we|you|they|team|board|agreed|decided|approved|chose)\b", low) is not None
    )
