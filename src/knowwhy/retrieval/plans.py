"""How each class of question is answered: the weights of the legs and of the cross-encoder.

Chosen on golden, peps-relations, peps-citations and conversations; `evaluation/results` keeps runs.
"""

from collections.abc import Mapping
from dataclasses import dataclass

LEGS = ("bm25", "vector", "graph")


@dataclass(frozen=True, slots=True)
class Plan:
    """What each leg counts for a class of questions, and how far the cross-encoder decides."""

    weights: Mapping[str, float]
    k: int  # of reciprocal rank fusion: how little the very first ranks stand out
    reread: float  # weight of the cross-encoder's order beside those of the legs; 0 is not asked


# The cross-encoder knows an answer when it sees one, and misreads a sentence that only points to
# something: there its order alone finds .53 of what the fused one finds .73 of.
BY_DEFAULT = Plan({"bm25": 1.0, "vector": 1.0, "graph": 0.3}, k=20, reread=5.0)
PLANS = {
    # A walk was asked for and leads nowhere: what is near what was named counts most, and the
    # cross-encoder, which cannot see relations, hardly more than to tell that nothing is known.
    "relational": Plan({"bm25": 1.0, "vector": 0.5, "graph": 4.0}, k=10, reread=0.5),
    "citing": Plan({"bm25": 1.0, "vector": 1.0, "graph": 1.0}, k=20, reread=0.0),
}


def plan_of(question_class: str) -> Plan:
    """Gives the plan of a class of questions."""
    return PLANS.get(question_class, BY_DEFAULT)
