"""Which blocks and kinds go into a context, and how much of it they get, by class of question."""

from collections.abc import Mapping
from dataclasses import dataclass

BESIDE = ("project", "task", "history")  # the blocks that have a share; Knowledge has the rest
LEAST_BUDGET = 100  # tokens; the tags, one origin and one sentence need about so many
SYSTEM_SHARE = 0.5  # of the budget at most: instructions go in whole or the budget is too small


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a context is put together for one class of questions."""

    shares: Mapping[str, float]  # of the budget, at most; a block that is not named is left out
    items: int  # hits that share the room; others go in only where all are whole
    least: int  # tokens of text, under which a hit says too little to go in
    fall: float  # each hit's share of the room, as a part of that of the hit before it
    late: frozenset[str] = frozenset()  # kinds that go in after the others, unless found first


# A walk's answers are many and each is its name; a reason needs its whole paragraph; what code says
# is seldom a reason or a history. Five hits share the room because on the golden questions eight
# thinned each other out: of 117 best sentences 67 went in, with five 99, in the same tokens.
_CODE_LAST = frozenset({"code"})
_TALK_LAST = frozenset({"conversation", "meeting"})
RECIPES: Mapping[str, Recipe] = {
    "historical": Recipe({"project": 0.1, "history": 0.15}, 5, 30, 0.7, _CODE_LAST),
    "decision": Recipe({"project": 0.1, "task": 0.1, "history": 0.1}, 5, 30, 0.7, _CODE_LAST),
    "architectural": Recipe({"project": 0.15, "task": 0.15}, 5, 30, 0.7, _TALK_LAST),
    "current_state": Recipe({"project": 0.15, "task": 0.1, "history": 0.1}, 5, 30, 0.7),
    "relational": Recipe({"project": 0.1, "task": 0.1}, 20, 12, 0.9),
    "citing": Recipe({"task": 0.1}, 10, 20, 0.85),
    "handoff": Recipe(
        {"task": 0.3, "history": 0.3}, 20, 30, 0.9
    ),  # what its sender chose: all of it
    "other": Recipe({"project": 0.1, "task": 0.15, "history": 0.15}, 5, 30, 0.7),
}


def recipe_of(question_class: str) -> Recipe:
    """Gives the recipe of a class of questions; a class without one is like any other question."""
    return RECIPES.get(question_class, RECIPES["other"])
