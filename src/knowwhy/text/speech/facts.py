"""Claims that a turn of a conversation makes, read by rules."""

from collections.abc import Sequence
from dataclasses import dataclass

from knowwhy.text.speech.facts_claims import is_asked, is_claimed, is_guessed, is_receipt
from knowwhy.text.speech.facts_corrections import (
    contrasts,
    denies_earlier,
    explains,
    lead_chars,
    says_only_no,
    signals_correction,
    standing_alone,
    takes_back_own,
)
from knowwhy.text.speech.facts_decisions import gives_reason, is_taken_by_others, states_decision
from knowwhy.text.speech.facts_preferences import asks_for_always, is_request, states_preference
from knowwhy.text.speech.facts_procedures import (
    is_intro,
    is_of_project,
    is_said_next,
    ordered_after,
    states_procedure,
    steps_after,
)
from knowwhy.text.speech.facts_sentences import LONGEST, Sentence, said_sentences
from knowwhy.text.speech.facts_statements import denies_with, states_code, states_fact
from knowwhy.types import Fact

MOST_FACTS = 20  # of one turn; who says more pastes a document, and documents are ingested
READ_CHARS = 60_000  # characters of a turn; longer ones are pasted too, and reading stays quick
CONFIDENCE = {  # of the extractor, by kind; under its precision on golden/turns.jsonl
    "preference": 0.9,
    "decision": 0.85,
    "correction": 0.65,
    "procedure": 0.85,
    "fact": 0.8,
}
FEWEST_WORDS = 4  # words of a correction that has no number in it
ASSISTANT = "assistant"


@dataclass(frozen=True, slots=True)
class _Found:
    """A claim: its kind, and the sentences it is read from."""

    kind: str
    first: int
    last: int
    skip: int = 0  # characters at the front of the first sentence that are no part of it


def facts(content: str, context: str | None, role: str | None) -> list[Fact]:
    """Reads the claims that a turn makes."""
    sentences = said_sentences(content[:READ_CHARS])
    found: list[Fact] = []
    place = 0
    while place < len(sentences) and len(found) < MOST_FACTS:
        claim = _claim(sentences, place, role)
        if claim is None:
            place += 1
            continue
        found.append(_fact(len(found), claim, sentences, content, context))
        place = claim.last + 1
    return found


def _claim(sentences: Sequence[Sentence], place: int, role: str | None) -> _Found | None:
    """Reads what one sentence claims, with those after it that belong to it."""
    if steps := _steps(sentences, place, role):
        return steps
    if role == ASSISTANT:
        return _assistants(sentences, place)
    sentence = sentences[place]
    if not sentence.is_item and (correction := _correction(sentences, place)):
        return correction
    if not is_claimed(sentence):
        return _asked_for_good(sentence, place)
    return _persons(sentences, place)


def _persons(sentences: Sequence[Sentence], place: int) -> _Found | None:
    """Reads a claim of a person: procedures first, as they hold wishes and facts in their steps."""
    sentence = sentences[place]
    if states_procedure(sentence.low):
        return _Found("procedure", place, place)
    if states_decision(sentence.core, sentence.low) and not asks_for_always(sentence.low):
        return _Found("decision", place, _with_reason(sentences, place))
    if states_preference(sentence.low):
        return _Found("preference", place, place)
    if contrasts(sentence.low) and states_fact(sentence.core, sentence.low):
        kind = "correction" if _takes_back(sentence.low) else "fact"
        return _Found(kind, place, place)
    if not is_request(sentence.low) and states_fact(sentence.core, sentence.low):
        return _Found("fact", place, place)
    return None


def _takes_back(low: str) -> bool:
    return any(words in low for words in ("anymore", "any longer", "i thought", "any more"))


def _assistants(sentences: Sequence[Sentence], place: int) -> _Found | None:
    """Reads what an assistant says of the code, and what it repeats of its users' decisions."""
    sentence = sentences[place]
    if sentence.is_item or not is_claimed(sentence) or is_receipt(sentence.whole.lower()):
        return None
    if states_decision(sentence.core, sentence.low) and is_taken_by_others(sentence.low):
        return _Found("decision", place, place)
    if states_code(sentence.core, sentence.low):
        return _Found("fact", place, place)
    return None


def _steps(sentences: Sequence[Sentence], place: int, role: str | None) -> _Found | None:
    """Reads a procedure whose steps stand below the sentence, or in the next one."""
    low = sentences[place].low
    if role != ASSISTANT and (count := ordered_after(sentences, place)):
        return _Found("procedure", place, place + count)
    if len(low) > LONGEST or not is_intro(low) or (role == ASSISTANT and not is_of_project(low)):
        return None
    if count := steps_after(sentences, place):
        return _Found("procedure", place, place + count)
    if is_said_next(low) and place + 1 < len(sentences) and is_claimed(sentences[place + 1]):
        return _Found("procedure", place, place + 1)
    return None


def _asked_for_good(sentence: Sentence, place: int) -> _Found | None:
    """Reads a lasting wish in the form of a question: "can we please stop with …"."""
    low = sentence.low
    if len(low) > LONGEST or not is_asked(low) or is_guessed(sentence):
        return None
    return _Found("preference", place, place) if asks_for_always(low) else None


def _correction(sentences: Sequence[Sentence], place: int) -> _Found | None:
    """Reads what holds instead of what was said before."""
    sentence = sentences[place]
    whole = " ".join(sentence.whole.lower().split())
    if len(whole) > LONGEST or not signals_correction(whole) or is_asked(sentence.low):
        return None
    nearby = sentences[place : place + 3]
    for step, candidate in enumerate(nearby):
        if says_only_no(candidate.low) or not is_claimed(candidate) or _is_scant(candidate.low):
            continue
        if states_preference(candidate.low):
            return None
        skip = lead_chars(candidate.core)
        if contrasts(candidate.low) or denies_with(candidate.core[skip:]):
            return _Found("correction", place + step, _explained(sentences, place + step), skip)
        if step == 1 and takes_back_own(sentence.low) and sentence.block == candidate.block:
            return _Found("correction", place, place + 1)
    return None


def _is_scant(low: str) -> bool:
    return len(low.split()) < FEWEST_WORDS and not any(char.isdigit() for char in low)


def _explained(sentences: Sequence[Sentence], place: int) -> int:
    """Takes the sentence after a correction into it, where that says what was believed."""
    after = sentences[place + 1 : place + 2]
    if contrasts(sentences[place].low) or not after or after[0].block != sentences[place].block:
        return place
    return place + 1 if explains(after[0].low) and is_claimed(after[0]) else place


def _with_reason(sentences: Sequence[Sentence], place: int) -> int:
    """Takes the sentence after a decision into it, where the decision has no reason of its own."""
    here, after = sentences[place], sentences[place + 1 : place + 2]
    if not after or after[0].block != here.block:
        return place
    if after[0].whole.lower().startswith(("reason", "because", "the reason")):
        return place + 1
    if gives_reason(here.low):
        return place
    low = after[0].low
    is_other = is_request(low) or states_decision(after[0].core, low) or states_preference(low)
    return place if is_other or not is_claimed(after[0]) else place + 1


def _fact(
    number: int,
    claim: _Found,
    sentences: Sequence[Sentence],
    content: str,
    context: str | None,
) -> Fact:
    first = sentences[claim.first]
    start = first.start + claim.skip
    if claim.kind == "procedure":
        start = first.end - len(first.whole)  # its leads count the steps
    quote = content[start : sentences[claim.last].end].strip()
    told, kind = " ".join(quote.split()), claim.kind
    if kind == "fact" and denies_earlier(told, context):
        kind = "correction"
    if kind == "correction":
        told = standing_alone(told, context)
    return Fact(number, kind, told, quote, CONFIDENCE[kind])
