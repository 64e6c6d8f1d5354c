"""What holds now in the place of what no longer does."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import datetime

from knowwhy.retrieval.hits import stands_for
from knowwhy.retrieval.legs import Found, Place, Stage
from knowwhy.tables import recallable
from knowwhy.tables.kept.memories import EXPIRED, SUPERSEDED
from knowwhy.tables.recallable import MEMORY, SPOKEN, Heir
from knowwhy.tables.talk import gaps
from knowwhy.tables.talk.gaps import Settled
from knowwhy.types import Asker, Memory


def bring_up_to_date(stage: Stage, found: Found, now: datetime) -> None:
    """Puts what took a memory's place where that one was found, and so for the turn that said it.

    The old words are often the ones that a question uses. A turn of which everything was taken
    back is no answer; one that says more keeps a mark.
    """
    places = {place for ranked in found.places.values() for place in ranked}
    past = [key for key, _ in stage.words.past(place for place in places if place[1] == MEMORY)]
    facts = gaps.settled([key for key, at in places if at == SPOKEN])
    heirs = recallable.heirs([*past, *(f.key for f in facts if f.status == SUPERSEDED)], now)
    is_of_now = SUPERSEDED not in stage.statuses
    instead = {(key, MEMORY): heirs.get(key) for key in past if is_of_now}
    instead |= _of_turns(stage, found, facts, heirs, is_of_now=is_of_now)
    for leg, ranked in found.places.items():
        found.places[leg] = list(dict.fromkeys(_put(ranked, instead)))
        if leg in found.keys:
            found.keys[leg] = list(dict.fromkeys(key for key, _ in found.places[leg]))
    for (key, _), heir in instead.items():
        if heir is not None:
            near = found.nearness
            near[heir.key] = max(near.get(heir.key, 0.0), near.get(key, 0.0))
            if heir.before is not None:
                found.before.setdefault(heir.key, heir.before)


def note_before(found: Found, asker: Asker | None) -> None:
    """Notes what the memories that were found have taken the place of."""
    said = {key: m for key, m in found.said.items() if key not in found.before}
    gone = {key: m.supersedes for key, m in said.items() if isinstance(m, Memory) and m.supersedes}
    earlier = recallable.replaced_by(set(gone.values()), asker) if asker and gone else {}
    found.before |= {key: earlier[old].content for key, old in gone.items() if old in earlier}


def _put(ranked: Iterable[Place], instead: Mapping[Place, Heir | None]) -> Iterable[Place]:
    for place in ranked:
        if place not in instead:
            yield place
        elif (heir := instead[place]) is not None:
            yield heir.key, MEMORY


def _of_turns(
    stage: Stage,
    found: Found,
    facts: Iterable[Settled],
    heirs: Mapping[str, Heir],
    *,
    is_of_now: bool,
) -> dict[Place, Heir | None]:
    """Gives what is put in the place of turns that one fact sums up; marks the others."""
    by_turn: dict[str, list[Settled]] = defaultdict(list)
    for fact in facts:
        if fact.status != EXPIRED:
            by_turn[fact.turn_key].append(fact)
    said = stage.words.said((turn, SPOKEN) for turn in by_turn)
    instead: dict[Place, Heir | None] = {}
    for turn, ended in by_turn.items():
        whole = said[turn, SPOKEN].content if (turn, SPOKEN) in said else ""
        longest = max(ended, key=lambda fact: len(fact.content))
        if is_of_now and stands_for(longest.content, whole):
            instead[turn, SPOKEN] = heirs.get(longest.key)
        else:
            found.outdated[turn] = tuple(_told(fact) for fact in ended)
    return instead


def _told(fact: Settled) -> str:
    became = "superseded" if fact.status == SUPERSEDED else "taken back"
    return f"“{' '.join(fact.content.split())}” was {became} since"
