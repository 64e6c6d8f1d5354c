"""Settles claims of one scope and topic that cannot both hold: the newer wins, the pair is flagged.

A claim that says itself what it takes the place of does not contradict that: it succeeds it. What
was said again after something else is newer than that, also where both times are one memory by now.
What a person has verified, or put back before, is not superseded here, nor is anything where
neither claim is the newer one, or the newer one ends first: such a pair stays, flagged. A flagged
memory names the other one in `conflicts_with`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from knowwhy.grounding.admit import succeeded
from knowwhy.grounding.claims import ANCHORS
from knowwhy.grounding.moments import began, said_last
from knowwhy.janitor.night import MOST_CHANGES, Night
from knowwhy.janitor.passes import is_cut_short, through
from knowwhy.tables.kept import peers, upkeep
from knowwhy.tables.kept.contradicted import FLAGGED
from knowwhy.tables.kept.memories import ACTIVE, SUPERSEDED
from knowwhy.tables.kept.peers import ABOUT, Group, Peer
from knowwhy.tables.kept.upkeep import Plan, pace
from knowwhy.text.claims import topics
from knowwhy.text.claims.topics import Statement
from knowwhy.text.pages.passages import search_text
from knowwhy.types import Change, Json, Memory, StepReport

NAME = "contradictions"
CONTRADICTED, SUCCEEDED, UNDECIDED = "contradicted", "succeeded", "undecided"


@dataclass(frozen=True, slots=True)
class Clash:
    """Two claims that cannot both hold, and what follows."""

    new: str
    old: str
    what: str  # contradicted, succeeded or undecided


def step(now: datetime, dry_run: bool, night: Night) -> StepReport:
    """Settles what contradicts itself among all that was written since the last night."""
    report = StepReport(NAME)
    for groups in through(NAME, ABOUT, now, night):
        kept = peers.by_people()  # anew: somebody may settle a pair while the night is at work
        found = list(look(_standing(groups, night), kept, now, night.would_be))
        for page in pace.pages(found):
            plans = [_plan(clash, night.signed(NAME)) for clash in page]
            done = {m.key for m in upkeep.carry_out(plans, now, dry_run=dry_run)}
            told = [_told(clash) for clash in page if _touched(clash) in done]
            changes = (*report.changes, *told)[:MOST_CHANGES]
            report = replace(report, done=report.done + len(told), changes=changes)
            night.keep()
    return replace(report, finished=not is_cut_short(NAME, night))


def _standing(groups: Sequence[Group], night: Night) -> list[Group]:
    """Leaves out what steps before this one have ended, in a dry run only as they would."""
    ended = {key for key, memory in night.would_be.items() if memory.status != ACTIVE}
    return [replace(g, keys=tuple(key for key in g.keys if key not in ended)) for g in groups]


def look(
    groups: Sequence[Group],
    kept: Mapping[str, datetime],
    now: datetime,
    would_be: Mapping[str, Memory],
) -> Iterator[Clash]:
    """Finds for each claim the next newer one that it cannot hold beside, oldest first."""
    texts = peers.peers([key for group in groups for key in group.keys])
    for key in texts.keys() & would_be.keys():
        after = would_be[key]
        texts[key] = replace(texts[key], valid_from=after.valid_from, said_last=said_last(after))
    for group in groups:
        listed = sorted((texts[key] for key in group.keys if key in texts), key=_order)
        yield from _clashes([peer for peer in listed if began(peer) <= now], kept)


def _clashes(listed: Sequence[Peer], kept: Mapping[str, datetime]) -> list[Clash]:
    """Gives what follows for each claim, at most one thing for each memory that is written."""
    said = [(peer, _statement(peer)) for peer in listed]
    found: dict[str, Clash] = {}
    for place, (old, what) in enumerate(said):
        against = [
            (new, _clash(new, otherwise, old, what))
            for new, otherwise in said[place + 1 :]
            if what and otherwise and _cannot_both(otherwise, what)
        ]
        decided = [clash for _, clash in against if clash.what != UNDECIDED]
        if decided and old.key not in kept:
            found[old.key] = decided[0]
        elif against:
            new, clash = against[-1]
            if new.conflicts_with != old.key and not _is_known(new, old, kept):
                found.setdefault(new.key, replace(clash, what=UNDECIDED))
    return list(found.values())


def _is_known(new: Peer, old: Peer, kept: Mapping[str, datetime]) -> bool:
    """Tells whether a person has decided about one of two when the newer one was there."""
    return any(kept[key] >= new.created_at for key in (new.key, old.key) if key in kept)


def _cannot_both(new: Statement, old: Statement) -> bool:
    return topics.conflict(new, old) or topics.succeeds(new, old)


def _clash(new: Peer, otherwise: Statement, old: Peer, what: Statement) -> Clash:
    """Decides what follows from two claims that cannot both hold."""
    if _moment(new) == _moment(old):
        return Clash(new.key, old.key, UNDECIDED)
    if _stands_firm(old) and not _stands_firm(new):
        return Clash(new.key, old.key, UNDECIDED)
    if topics.succeeds(otherwise, what):
        return Clash(new.key, old.key, SUCCEEDED)
    return Clash(new.key, old.key, UNDECIDED if _ends_first(new, old) else CONTRADICTED)


def _stands_firm(peer: Peer) -> bool:
    return peer.verified_at is not None or peer.kind in ANCHORS


def _ends_first(new: Peer, old: Peer) -> bool:
    """Tells whether nothing would stand once the newer claim has ended: it is an exception."""
    end, other = _end(new), _end(old)
    return end is not None and (other is None or end < other)


def _end(peer: Peer) -> datetime | None:
    ends = [end for end in (peer.expires_at, peer.valid_until) if end is not None]
    return min(ends, default=None)


def _moment(peer: Peer) -> tuple[datetime, datetime, int]:
    """Gives what tells the newer of two claims; of one turn the later one in it."""
    made = max(peer.created_at, peer.said_last or peer.created_at)
    return said_last(peer), made, peer.fact_number or 0


def _order(peer: Peer) -> tuple[tuple[datetime, datetime, int], str]:
    return _moment(peer), peer.key


def _statement(peer: Peer) -> Statement | None:
    return topics.statement(search_text(peer.subject, None, peer.content))


def _touched(clash: Clash) -> str:
    return clash.new if clash.what == UNDECIDED else clash.old


def _plan(clash: Clash, by: str) -> Plan:
    """Plans what becomes of two claims, if both still stand."""

    def decide(stored: dict[str, Memory]) -> list[tuple[Memory, Change]]:
        new, old = stored.get(clash.new), stored.get(clash.old)
        if new is None or old is None or not new.status == old.status == ACTIVE:
            return []
        if clash.what == UNDECIDED:
            why = f"It contradicts {old.key}, and a person has to say which of them holds."
            return [(replace(new, conflicts_with=old.key), Change(new.key, FLAGGED, why, by))]
        since = said_last(new) if began(new) < said_last(old) else began(new)
        after = succeeded(old, replace(new, valid_from=since), since)
        if clash.what == CONTRADICTED:
            why = f"{after.why} It contradicts this and is newer."
            after = replace(after, why=why, conflicts_with=new.key)
        return [(after, Change(old.key, SUPERSEDED, after.why, by))]

    return Plan((clash.new, clash.old), decide)


def _told(clash: Clash) -> dict[str, Json]:
    whys = {
        CONTRADICTED: f"{clash.new} says otherwise and is newer; flagged for review.",
        SUCCEEDED: f"{clash.new} says that it has taken its place.",
        UNDECIDED: f"{clash.old} says otherwise; a person has to say which holds.",
    }
    key = _touched(clash)
    other = clash.old if key == clash.new else clash.new
    return {"key": key, "what": clash.what, "against": other, "why": whys[clash.what]}
