"""Packs an answer into a context for a model: five blocks, a token budget, and every origin."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace

from knowwhy.errors import BadInput
from knowwhy.retrieval.context.compress import compress
from knowwhy.retrieval.context.excerpts import apart, body, excerpts
from knowwhy.retrieval.context.fence import BLOCKS, fence_word, fenced, quoted, warning
from knowwhy.retrieval.context.portions import BESIDE, LEAST_BUDGET, SYSTEM_SHARE, Recipe, recipe_of
from knowwhy.retrieval.context.provenance import also, doubted, origin, told, walk
from knowwhy.retrieval.hits import Hit
from knowwhy.retrieval.search import Answer
from knowwhy.retrieval.silence import nearest, silence
from knowwhy.text.estimate import estimate_tokens
from knowwhy.text.pages.passages import CODE
from knowwhy.text.suspicious import suspicion
from knowwhy.types import Json, Passage

FIRST = 0.6  # of the room at most for the best record, where several of its passages answer
BRIEF = 0.68  # of the first five passages' tokens; with the estimate's 2 % it stays under 0.7
SAME = 0.8  # of their three-word runs that two texts share when one of them is enough
RUN_WORDS = 3
BRIEF_LEAST = 300  # tokens; so few are never too many, and one short hit goes in whole
BEYOND = "beyond the budget"
TOO_SMALL = "What was found does not fit into so few tokens."
_WORD = "x" * 6  # as long as a fence's word; its tokens are the same


@dataclass(frozen=True, slots=True)
class Item:
    """One thing that went into a context or was left out of it, and why."""

    block: str
    key: str | None  # of the record; None for what the caller gave
    pos: int | None
    tokens: int  # in the context, its origin included; 0 when it was left out
    packed: bool
    why: str


@dataclass(frozen=True, slots=True)
class Packed:
    """A context, how long it is, and what became of each thing that could be in it."""

    text: str
    tokens: int  # estimated
    budget: int
    question_class: str
    items: tuple[Item, ...]

    def traced(self) -> Json:
        """Gives what is kept of it beside the search: everything but the text."""
        return {
            "tokens": self.tokens,
            "budget": self.budget,
            "question_class": self.question_class,
            "items": [asdict(item) for item in self.items],
        }


def pack(
    answer: Answer,
    budget: int,
    *,
    system: str | None = None,
    project: str | None = None,
    task: str | None = None,
    history: Sequence[str] = (),
    nothing: str | None = None,
) -> Packed:
    """Packs what was found, and what the caller gives beside it, into at most `budget` tokens.

    The system block is the caller's own word and stands in front; the others are fenced as data.
    History goes from its oldest to its newest line. The same answer gives the same bytes.
    """
    if budget < LEAST_BUDGET:
        raise BadInput(f"A context needs at least {LEAST_BUDGET} tokens.")
    recipe = _fitted(recipe_of(answer.question_class), answer)
    given = {"project": project or "", "task": task or "", "history": "\n".join(history)}
    head = _system(system, budget)
    room = budget - estimate_tokens(head) - estimate_tokens(warning(_WORD))
    room -= _frame("knowledge")

    beside, items = _beside(answer.question, given, recipe, min(budget, room))
    room -= sum(estimate_tokens(text) + _frame(block) for block, text in beside.items())
    knowledge, found = _knowledge(answer, recipe, room, nothing)

    inside = {**beside, "knowledge": knowledge}
    word = fence_word(inside.values())
    parts = [head, warning(word), *(fenced(b, word, inside[b]) for b in BLOCKS if b in inside)]
    text = "\n".join(part for part in parts if part)
    own = [Item("system", None, None, estimate_tokens(head), True, "given")] if head else []
    return Packed(
        text, estimate_tokens(text), budget, answer.question_class, (*own, *items, *found)
    )


def listing(answer: Answer) -> Packed:
    """Lists what was found, each hit by what every door shows of it."""
    knowledge, items = _knowledge(answer, recipe_of(answer.question_class), None, None)
    word = fence_word([knowledge])
    text = "\n".join([warning(word), fenced("knowledge", word, knowledge)])
    size = estimate_tokens(text)
    return Packed(text, size, size, answer.question_class, tuple(items))


def _fitted(recipe: Recipe, answer: Answer) -> Recipe:
    """Lets the answers of a walk share the room among themselves."""
    walked = sum(bool(hit.path) for hit in answer.hits)
    return replace(recipe, items=walked) if walked else recipe


def brief(answer: Answer) -> int:
    """Gives the budget in which the golden answers stay: less than the first five hits plain."""
    plain = sum(estimate_tokens(hit.passage.text) for hit in answer.hits[:5])
    return max(BRIEF_LEAST, int(plain * BRIEF))


def _frame(block: str) -> int:
    return estimate_tokens(fenced(block, _WORD, ""))


def _system(system: str | None, budget: int) -> str:
    """Gives the caller's instructions, which are never shortened."""
    text = (system or "").strip()
    needed = estimate_tokens(text)
    if needed > budget * SYSTEM_SHARE:
        raise BadInput(f"The system block has {needed} tokens, too many for a budget of {budget}.")
    return text


def _beside(
    question: str, given: Mapping[str, str], recipe: Recipe, budget: int
) -> tuple[dict[str, str], list[Item]]:
    """Shortens what the caller gives to the shares of its blocks; what is empty is left out."""
    blocks, items = {}, []
    for block in BESIDE:
        text = quoted(given[block].strip())
        if not text:
            continue
        marks = doubted(suspicion(given[block]))
        most = int(budget * recipe.shares.get(block, 0.0)) - _frame(block)
        kept = compress(question, text, most - sum(map(estimate_tokens, marks)))
        shown = "\n".join([*marks, kept]) if kept else ""
        if shown:
            blocks[block] = shown
        why = _why_beside(block, text, kept, recipe)
        items.append(Item(block, None, None, estimate_tokens(shown), bool(kept), why))
    return blocks, items


def _why_beside(block: str, text: str, kept: str, recipe: Recipe) -> str:
    if block not in recipe.shares:
        return "no share in a context for this class of question"
    if not kept:
        return "does not fit into its share"
    return "given" if kept == text else "shortened to its share"


def _knowledge(
    answer: Answer, recipe: Recipe, room: int | None, nothing: str | None
) -> tuple[str, list[Item]]:
    """Packs the hits into the room that is left for them; without a limit as they are shown."""
    passages = [hit.passage for hit in answer.hits]
    if not answer.knows or not passages:
        left = [_left(p, "nothing that was found answers") for p in passages]
        return nothing or _silence(answer, room), left
    distinct, twins = _distinct(passages)
    ordered = _in_order(distinct, recipe)
    hits = {hit.passage.key: hit for hit in answer.hits}
    origins = [
        "\n".join(
            [
                origin(p, n, hits[p.key].facts),
                *told(hits[p.key]),
                *walk(hits[p.key].path),
                *also(twins.get((p.key, p.pos), ())),
            ]
        )
        for n, p in enumerate(ordered, 1)
    ]
    if room is None:
        entries = _shown(answer, ordered, origins)
    else:
        found = [hits[passage.key] for passage in ordered]
        spoken = [_spoken(hit, is_first=not place) for place, hit in enumerate(found)]
        texts = [[quoted(body(p, answer.question)) for p in some] for some in spoken]
        count = _fitting(texts, origins, recipe, room)
        entries = _entries(answer.question, spoken[:count], texts[:count], origins, recipe, room)
    text = "\n".join(entry for entry, _ in entries) or TOO_SMALL
    return text, _traced(ordered, entries, twins)


def _silence(answer: Answer, room: int | None) -> str:
    """Says that nothing answers, and what is nearest where there is room for that."""
    said, nearest_ones = quoted(silence(answer)), quoted(nearest(answer))
    both = "\n".join(filter(None, (said, nearest_ones)))
    return both if room is None or estimate_tokens(both) <= room else said


def _traced(
    ordered: Sequence[Passage],
    entries: Sequence[tuple[str, str]],
    twins: Mapping[tuple[str, int], Sequence[Passage]],
) -> list[Item]:
    """Says of every hit whether it went in and why: first those that did."""
    inside = [
        Item("knowledge", passage.key, passage.pos, estimate_tokens(entry), True, why)
        for passage, (entry, why) in zip(ordered, entries, strict=False)
    ]
    beyond = [_left(passage, BEYOND) for passage in ordered[len(entries) :]]
    same = [
        _left(twin, f"says the same as {key}")
        for (key, _), found in twins.items()
        for twin in found
    ]
    return [*inside, *beyond, *same]


def _left(passage: Passage, why: str) -> Item:
    return Item("knowledge", passage.key, passage.pos, 0, False, why)


def _in_order(passages: Sequence[Passage], recipe: Recipe) -> list[Passage]:
    """Puts the kinds that the class can spare behind the others that they share the room with."""

    def rank(place: int) -> tuple[bool, bool]:
        is_late = place > 0 and passages[place].kind in recipe.late
        return place >= recipe.items, is_late

    return [passages[place] for place in sorted(range(len(passages)), key=rank)]


def _distinct(
    passages: Sequence[Passage],
) -> tuple[list[Passage], dict[tuple[str, int], list[Passage]]]:
    """Keeps the first of passages that say nearly the same, with the others beside it."""
    kept: list[tuple[Passage, set[tuple[str, ...]]]] = []
    twins: dict[tuple[str, int], list[Passage]] = {}
    for passage in passages:
        said = _runs(passage.text)
        same = (one for one, runs in kept if len(said & runs) >= SAME * len(said | runs))
        if one := next(same, None):
            twins.setdefault((one.key, one.pos), []).append(passage)
        else:
            kept.append((passage, said))
    return [passage for passage, _ in kept], twins


def _runs(text: str) -> set[tuple[str, ...]]:
    words = text.lower().split()
    return {tuple(words[at : at + RUN_WORDS]) for at in range(max(1, len(words) - RUN_WORDS + 1))}


def _shown(
    answer: Answer, passages: Sequence[Passage], origins: Sequence[str]
) -> list[tuple[str, str]]:
    """Writes each hit under its origin, as every door shows it."""
    every = zip(answer.hits, excerpts(answer), strict=True)
    texts = {hit.passage.key: text for hit, text in every}
    return [
        (f"{about}\n{quoted(texts[passage.key])}", "as it is shown")
        for passage, about in zip(passages, origins, strict=True)
    ]


def _spoken(hit: Hit, *, is_first: bool) -> tuple[Passage, ...]:
    """Gives a hit's passages, the best first; of the best hit all that may answer."""
    return (hit.passage, *hit.beside, *(hit.more if is_first else ()))


def _fitting(
    texts: Sequence[Sequence[str]], origins: Sequence[str], recipe: Recipe, room: int
) -> int:
    """Counts the hits that go in: those that share the room, and others after they are whole."""
    shared = whole = 0
    for count, ((text, *_), about) in enumerate(zip(texts, origins, strict=True)):
        need, head = estimate_tokens(text), estimate_tokens(about)
        shared, whole = shared + head + min(need, recipe.least), whole + head + need
        if (shared if count < recipe.items else whole) > room:
            return count
    return len(texts)


def _entries(
    question: str,
    spoken: Sequence[Sequence[Passage]],
    texts: Sequence[Sequence[str]],
    origins: Sequence[str],
    recipe: Recipe,
    room: int,
) -> list[tuple[str, str]]:
    """Writes each hit under its origin; what one does not use goes to those after it.

    The best record's other passages that answer come before what lesser hits say, all others' after
    it.
    """
    room -= sum(map(estimate_tokens, origins[: len(spoken)]))
    needs = [estimate_tokens(text) for text, *_ in texts]
    more = [_need_of_more(some, of) for some, of in zip(spoken, texts, strict=True)]
    first = _for_the_first(needs, more, recipe, room)
    shares = _shares(needs, recipe, room - first)
    spare = room - first - sum(shares)
    entries = []
    for place, ((best, *beside), (text, *others)) in enumerate(zip(spoken, texts, strict=True)):
        is_code = best.kind == CODE
        kept = compress(question, text, shares[place] + (0 if place == 0 else spare), code=is_code)
        spare += shares[place] - estimate_tokens(kept)
        why = "whole" if kept == text else "shortened to what matters for the question"
        extra = min(more[place], spare + (first if place == 0 else 0))
        for other, said in zip(beside, others, strict=True):
            between = quoted(apart(best, other))
            left = extra - estimate_tokens(between)
            if kept and left >= recipe.least and (told := compress(question, said, left)):
                kept = f"{kept}\n{between}\n{told}"
                extra = left - estimate_tokens(told)
        entries.append((f"{origins[place]}\n{kept}" if kept else origins[place], why))
    return entries


def _need_of_more(passages: Sequence[Passage], texts: Sequence[str]) -> int:
    between = (estimate_tokens(quoted(apart(passages[0], other))) for other in passages[1:])
    return sum(map(estimate_tokens, texts[1:])) + sum(between)


def _for_the_first(needs: Sequence[int], more: Sequence[int], recipe: Recipe, room: int) -> int:
    """Says how much of the room the best record's other passages get, beside its best one."""
    if not needs or not more[0]:
        return 0
    others = sum(min(need, recipe.least) for need in needs[1:])
    most = min(int(room * FIRST) - needs[0], room - needs[0] - others)
    return max(0, min(more[0], most))


def _shares(needs: Sequence[int], recipe: Recipe, room: int) -> list[int]:
    """Divides the room: the best hits get more, none more than it needs, each its least."""
    shares = [min(need, recipe.least) for need in needs]
    weights = [recipe.fall**place for place in range(len(needs))]
    open_places = [place for place, need in enumerate(needs) if need > shares[place]]
    left = room - sum(shares)
    while open_places and left > 0:
        whole = sum(weights[place] for place in open_places)
        more = [max(1, int(left * weights[place] / whole)) for place in open_places]
        for place, extra in zip(open_places, more, strict=True):
            extra = min(extra, needs[place] - shares[place], left)
            shares[place] += extra
            left -= extra
        open_places = [place for place in open_places if needs[place] > shares[place]]
    return shares
