"""Whether a sentence, or a sentence and the list below it, says how something is done."""

from collections.abc import Sequence

from knowwhy.text.patterns import regex
from knowwhy.text.speech.facts_sentences import Sentence

MOST_STEPS = 30  # items of a list that are taken into one procedure
NEAR = 40  # characters at the front of a sentence that say whether it is the next step
FEWEST_STEPS = 2  # items; a list of one is a remark

_ACT = (
    r"(?:run|check|put|take|post|open|create|add|generate|publish|switch|remove|delete|tag|bump"
    r"|wait"
    r"|commit|push|pull|merge|deploy|restart|stop|start|pause|unpause|resume|fix|watch|look up|look"
    r"|compare|import|export|book|ask|send|set|edit|update|copy|paste|rotate|revoke|drain|scale"
    r"|grep"
    r"|diff|reproduce|turn on|turn off|enable|disable|call|notify|tell|write|announce|verify"
    r"|confirm"
    r"|rebuild|build|regenerate|install|log in|ssh|connect|apply|roll back|revert|flip|make|use"
    r"|clear"
    r"|flush|bring|move|rename|register|request|go to|click|select|file|close|test|review|page|ping"
    r"|mark|note|find|compute|answer|identify|locate|collect|prepare|measure|count|snapshot"
    r"|back up|restore|truncate|cherry-pick|rebase|download|upload)"
)
_INTRO = regex(
    r"(?:to|how (?:to|we|i|you|do we)|steps?|procedure|process|checklist|recipe|runbook"
    r"|the (?:steps"
    r"|procedure|process|way|drill|routine|checklist)|our (?:\w+ )?(?:steps|procedure|process|way"
    r"|drill"
    r"|routine|checklist|flow)|my (?:\w+ )?(?:steps|procedure|process|way|routine|checklist|flow)"
    r"|(?:before|after|when|whenever|for) .{3,60})\b.*:$"
)
_GOES = regex(r".*\b(?:goes|works|is done|happens|is) (?:like this|as follows|this way)[.:]?$")
_INLINE = regex(
    r"(?:how (?:we|i|you|to)\b.{2,80}|(?:my|our|the|\w+'s) (?:\w+ )?(?:process|procedure|way"
    r"|routine|drill"
    r"|steps?|recipe|flow|checklist)\b.{0,60}?(?: is)?|steps .{2,60}):\s.{0,12}?"
    rf"(?:first,? )?(?:you )?{_ACT}\b"
)
_ON_OCCASION = regex(
    r"(?:(?:whenever|every time|each time|before|after|when|if|once|as soon as) .{4,160}?(?:, "
    r"| then |: )"
    r"|(?:before|after) (?:you |we |i )?.{4,100}?(?= you (?:have|need|must|should)))"
    r"\s?(?:please |then |first |always |i |(?:you|we) (?:(?:have to|need to) ?"
    r"|(?:must|should|always|first|then)(?!'s way is: ) ?| )?"
    rf"|(?!{_ACT}\b)\w+'s way is: |the \w+ is: )*+{_ACT}\b"  # nothing is taken in two ways
)
_TO_DO = regex(
    rf"to {_ACT}? ?.{{3,100}}?(?:,? (?:you|we|i|just|simply|first)(?: have to| need to| must"
    rf"| should"
    rf"| first| then| just)*|,) (?:{_ACT})\b"
)
_SECOND = regex(
    rf"(?:,|\band\b|\bthen\b|;)\s(?:and |then |you |only then |finally |after that ){{0,5}}{_ACT}\b"
    r"|`[^`]+`"
    r"|\bfirst\b[^\n]{0,300}?\bthen\b"
)
_FIRST_THEN = regex(
    r"(?:you |we )?(?:first|start by|begin by)\b.{3,200}\b(?:then|after that|afterwards"
    r"|finally)\b"
)
_NOT_WHEN = regex(
    r"\b(?:would|could|might|may)\b|^(?:if i|if you want|if not|if so|when i|when (?:you're"
    r"|you are|it's|that's) (?:done|ready|finished|back|merged))\b"
)
_ORDINAL = regex(
    r"(?:first|second|third|fourth|fifth|sixth|then|next|after that|finally|lastly"
    r"|last)(?:ly)?,? \w"
    r"|\d{1,2}[.)] \w"
)
_ACTS = regex(rf"(?:\w+ly |\w+,? |\d{{1,2}}[.)] )?(?:you |we |i )?{_ACT}\b")
_OURS = regex(r"\b(?:our|your|here|we|the)\b")
_CHOICES = regex(r"\b(?:options?|alternatives?|choices|ways|things|reasons?|questions?)\b")


def is_intro(low: str) -> bool:
    """Tells whether a line says that what follows are the steps of something."""
    return (_INTRO.match(low) is not None and not _CHOICES.search(low)) or is_said_next(low)


def is_said_next(low: str) -> bool:
    """Tells whether a sentence promises the steps in the next one."""
    return _GOES.match(low) is not None


def steps_after(sentences: Sequence[Sentence], place: int) -> int:
    """Gives how many of the sentences after one are the items of its list."""
    count, blocks = 0, set[int]()
    for sentence in sentences[place + 1 :]:
        if not sentence.is_item or (len(blocks) == MOST_STEPS and sentence.block not in blocks):
            break
        blocks.add(sentence.block)
        count += 1
    return count if len(blocks) >= FEWEST_STEPS else 0


def ordered_after(sentences: Sequence[Sentence], place: int) -> int:
    """Gives how many sentences after one go on with what it begins: "First, …", "Then …"."""
    first, ordered, acts, last = sentences[place], 0, 0, 0
    for step, sentence in enumerate(sentences[place : place + MOST_STEPS]):
        begin = " ".join(sentence.whole[:NEAR].lower().split())
        is_step = _ORDINAL.match(begin) is not None or (not step and first.is_item)
        if (
            sentence.block != first.block
            or (not is_step and step - last > 1)
            or not (is_step or step)
        ):
            break
        if is_step:
            ordered, last = ordered + 1, step
            acts += _ACTS.match(begin) is not None
    return last if ordered > FEWEST_STEPS and acts >= FEWEST_STEPS else 0


def states_procedure(low: str) -> bool:
    """Tells whether one sentence holds the steps of something, or what to do on an occasion."""
    if _NOT_WHEN.search(low):
        return False
    if _INLINE.match(low):
        return True
    if _ON_OCCASION.match(low) or _TO_DO.match(low) or _FIRST_THEN.match(low):
        return _SECOND.search(low) is not None
    return False


def is_of_project(low: str) -> bool:
    """Tells the ways of a project from what is done everywhere."""
    return _OURS.search(low) is not None
