"""Packs an answer into a context for a model: five blocks, a token budget, and every origin."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace

from knowwhy.errors import BadInput
from knowwhy.retrieval.context.compress import compress
from knowwhy.retrieval.context.fence import BLOCKS, fence_word, fenced, quoted, warning
from knowwhy.retrieval.context.portions import BESIDE, LEAST_BUDGET, SYSTEM_SHARE, Recipe, recipe_of
from knowwhy.retrieval.context.provenance import also, below_title, doubted, origin, told, walk
from knowwhy.retrieval.search import Answer
from knowwhy.retrieval.silence import nearest, silence
from knowwhy.text.estimate import estimate_tokens
from knowwhy.text.pages.passages import CODE
from knowwhy.text.sentences import first_heading
from knowwhy.text.suspicious import suspicion
from knowwhy.types import Json, Passage

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
    answer: Answer, recipe: Recipe, room: int, nothing: str | None
) -> tuple[str, list[Item]]:
    """Packs the hits into the room that is left for them."""
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
                origin(p, n),
                *told(hits[p.key]),
                *walk(hits[p.key].path),
                *also(twins.get((p.key, p.pos), ())),
            ]
        )
        for n, p in enumerate(ordered, 1)
    ]
    count = _fitting(ordered, origins, recipe, room)
    entries = _entries(answer.question, ordered[:count], origins[:count], recipe, room)
    text = "\n".join(entry for entry, _ in entries) or TOO_SMALL
    return text, _traced(ordered, entries, twins)


def _silence(answer: Answer, room: int) -> str:
    """Says that nothing answers, and what is nearest where there is room for that."""
    said, nearest_ones = quoted(silence(answer)), quoted(nearest(answer))
    both = "\n".join(filter(None, (said, nearest_ones)))
    return both if estimate_tokens(both) <= room else said


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


def _fitting(passages: Sequence[Passage], origins: Sequence[str], recipe: Recipe, room: int) -> int:
    """Counts the hits that go in: those that share the room, and others after they are whole."""
    shared = whole = 0
    for count, (passage, about) in enumerate(zip(passages, origins, strict=True)):
        need, head = estimate_tokens(quoted(_body(passage))), estimate_tokens(about)
        shared, whole = shared + head + min(need, recipe.least), whole + head + need
        if (shared if count < recipe.items else whole) > room:
            return count
    return len(passages)


def _entries(
    question: str,
    passages: Sequence[Passage],
    origins: Sequence[str],
    recipe: Recipe,
    room: int,
) -> list[tuple[str, str]]:
    """Writes each hit under its origin; what one does not use goes to those after it."""
    texts = [quoted(_body(passage)) for passage in passages]
    room -= sum(map(estimate_tokens, origins))
    shares = _shares([estimate_tokens(text) for text in texts], recipe, room)
    entries, spare = [], 0
    for passage, about, text, share in zip(passages, origins, texts, shares, strict=True):
        kept = compress(question, text, share + spare, code=passage.kind == CODE)
        spare += share - estimate_tokens(kept)
        why = "whole" if kept == text else "shortened to what matters for the question"
        entries.append((f"{about}\n{kept}" if kept else about, why))
    return entries


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


def _body(passage: Passage) -> str:
    """Gives a passage's words without the heading that its origin names."""
    text = passage.text.strip("\n").rstrip()
    heading, end = first_heading(text) if passage.kind != CODE else ("", 0)
    named = (below_title(passage.heading, passage.title).rsplit(" > ", 1)[-1], passage.title)
    body = text[end:].strip("\n")
    return body if heading and heading in named and body else text
