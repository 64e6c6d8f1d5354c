"""Which passages speak for the first records: each is read in more than one of its places."""

import logging
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from knowwhy import models
from knowwhy.retrieval.asking import Asking
from knowwhy.retrieval.fuse import fuse
from knowwhy.retrieval.legs import EARLY, Found, Place, Stage, fetch
from knowwhy.retrieval.read_as import alone
from knowwhy.retrieval.reread import Reread
from knowwhy.text.estimate import estimate_tokens
from knowwhy.text.patterns import regex
from knowwhy.text.question.answer_forms import AnswerForm, forms_of, words_asked
from knowwhy.text.tokens import tokens
from knowwhy.types import Passage

_HEADING = regex(r"(?m)^[ ]{0,3}#{1,6}[ \t]+(\S[^\n]{0,200})")
LOG = logging.getLogger(__name__)

OPENING = (12, 4, 4)  # first passages of each that are looked at, beside those the legs found
FOUND = 4  # passages of a record that the legs found
READ = (3, 1, 1)  # of each that the cross-encoder reads, beside the one that it has read
TOKENS = 360  # of them all, estimated: a seventh of what is read before
SAYS, HEADS = 1.0, 1.0  # of the cross-encoder's score, for an answer's form in text and heading
NEAR = 3.0  # of its score, within which a passage answers beside the best
LIKE = 0.7  # the same without a cross-encoder, of the best one's weight of words
BESIDE = 2  # passages of a record that are kept beside the best
MORE = 3  # others of it that a context may have room for


@dataclass(frozen=True, slots=True)
class Speaking:
    """The passage that answers best of a record, with others that answer too, and then more."""

    passage: Passage
    beside: tuple[Passage, ...]
    more: tuple[Passage, ...] = ()  # of the first record: what else has the question's words


def speaking(
    stage: Stage, read: Reread, passages: Mapping[str, Passage], found: Found, *, deep: bool
) -> dict[str, Speaking]:
    """Chooses for each of the leading records the passages that answer."""
    keys = [key for key in read.keys if key in passages][: stage.asking.k][: len(READ)]
    leading = [key for key in keys if passages[key].pos >= 0 and key not in found.said]
    places = _places(leading, stage, found)
    fetch([place for some in places.values() for place in some], stage, found)
    forms = forms_of(stage.asking.question, is_called=bool(found.called.records))
    asked = words_asked(stage.asking.question)
    weighed = {
        key: _by_words(asked, forms, passages[key], _others(passages[key], places[key], found))
        for key in leading
    }
    scores = _read_again(stage.asking, passages, weighed, read) if deep else {}
    return {
        key: _best(
            passages[key],
            weights,
            scores,
            forms,
            asked,
            read.scores.get(key),
            is_called=key in found.called.holding,
        )
        for key, weights in weighed.items()
        if len(weights) > 1
    }


def _places(keys: Sequence[str], stage: Stage, found: Found) -> dict[str, list[Place]]:
    """Gives the places of records where an answer may stand: what the legs found, and the first."""
    places: dict[str, list[Place]] = {key: [] for key in keys}
    for place, _ in fuse(found.places, {}, EARLY) if keys else ():
        if place[0] in places and place[1] >= 0 and len(places[place[0]]) < FOUND:
            places[place[0]].append(place)
    first = {key: [(key, at) for at in range(n)] for key, n in zip(places, OPENING, strict=False)}
    there = stage.words.there(place for opening in first.values() for place in opening)
    return {
        key: list(dict.fromkeys([*places[key], *(place for place in opening if place in there)]))
        for key, opening in first.items()
    }


def _others(passage: Passage, places: Sequence[Place], found: Found) -> list[Passage]:
    there = [found.passages[place] for place in places if place in found.passages]
    return [one for one in there if one.pos != passage.pos]


def _by_words(
    asked: frozenset[str], forms: Sequence[AnswerForm], first: Passage, others: Sequence[Passage]
) -> dict[Place, tuple[Passage, float]]:
    """Weighs a record's passages by the question's words that few of them have, and by form."""
    every = [first, *others]
    said = [asked.intersection(tokens(f"{p.heading}\n{p.text}")) for p in every]
    seen = Counter(word for words in said for word in words)
    weights = {w: math.log(1 + (len(every) - n + 0.5) / (n + 0.5)) for w, n in seen.items()}
    rarest = max(weights.values(), default=0.0)
    return {
        (p.key, p.pos): (
            p,
            sum(sorted(weights[w] for w in words)) + max(1.0, rarest) * _form(p, forms, asked),
        )
        for p, words in zip(every, said, strict=True)
    }


def _form(passage: Passage, forms: Sequence[AnswerForm], asked: frozenset[str]) -> float:
    """Says how far a passage has the form of an answer, in its text and its own headings."""
    headings = [
        passage.heading.rsplit(" > ", 1)[-1],
        *(m[1] for m in _HEADING.finditer(passage.text)),
    ]
    says = any(form.is_in(passage.text, asked) for form in forms)
    heads = any(form.heads and form.heads.search(one) for form in forms for one in headings)
    return SAYS * says + HEADS * heads


def _read_again(
    asking: Asking,
    passages: Mapping[str, Passage],
    weighed: Mapping[str, Mapping[Place, tuple[Passage, float]]],
    read: Reread,
) -> dict[Place, float]:
    """Lets the cross-encoder read the most promising passages that it has not read yet."""
    chosen: list[Passage] = []
    left = TOKENS
    for (key, weights), most in zip(weighed.items(), READ, strict=False):
        others = [at for at in weights.values() if at[0].pos != passages[key].pos]
        ranked = sorted(others, key=lambda at: (-at[1], at[0].pos))
        if most > 1:  # what a record is about, and why it no longer holds, is said at its beginning
            ranked = [*ranked[: most - 1], *(at for at in ranked[most - 1 :] if at[0].pos == 0)]
        for passage, _ in ranked[:most] if key in read.scores else ():
            need = estimate_tokens(alone(passage, asking.question))
            if need <= left:
                chosen.append(passage)
                left -= need
    usable, _ = models.fallback_reranker(asking.reranker)
    if not chosen or usable == "none":
        return {}
    try:
        texts = [alone(passage, asking.question) for passage in chosen]
        found = models.rerank(asking.question, texts, usable, embedder=asking.embedder)
    except Exception:  # the passage that was read first answers too
        LOG.exception("the cross-encoder failed")
        return {}
    return {(p.key, p.pos): score for p, score in zip(chosen, found, strict=True)}


def _best(
    first: Passage,
    weights: Mapping[Place, tuple[Passage, float]],
    scores: Mapping[Place, float],
    forms: Sequence[AnswerForm],
    asked: frozenset[str],
    known: float | None,
    *,
    is_called: bool,
) -> Speaking:
    """Orders a record's passages by what the cross-encoder says of them, else by their words.

    One that holds what the question writes exactly stays the first.
    """
    own = (first.key, first.pos)
    read = {place: scores[place] for place in weights if place in scores}
    if read and known is not None:
        read[own] = known
        total = {
            place: score + _form(weights[place][0], forms, asked) for place, score in read.items()
        }
        least = max(total.values()) - NEAR
    else:
        total = {place: weight for place, (_, weight) in weights.items()}
        least = LIKE * max(total.values())
    ranked = sorted(total, key=lambda at: (is_called and at != own, -total[at], at != own, at))
    best, *others = ranked
    beside = [place for place in others if total[place] >= least][:BESIDE]
    by_words = sorted(weights, key=lambda at: (at[1] > 0, -weights[at][1], at))
    more = [place for place in by_words if place != best and place not in beside][:MORE]
    beside_it, more_of_it = (tuple(weights[at][0] for at in some) for some in (beside, more))
    return Speaking(weights[best][0], beside_it, more_of_it)
