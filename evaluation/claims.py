"""The tiers of labelled claims: `python -m evaluation.claims [--pure] [--embedder NAME] [--held]`.

Each claim is judged in a scope of its own, beside the memories that are kept there and the records
that exist, through the same admission as every claim, in a throw-away home; `--pure` asks the pure
functions alone. Prints accuracy by half and class, what was taken for what, and every mistake in
the half that rules may be tuned on; of the other half only the figures are shown.
"""

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from evaluation.homes import ROOT, throwaway_home
from evaluation.run import EMBEDDER
from knowwhy import models
from knowwhy.config import Settings
from knowwhy.grounding.admit import MOST_CLAIMS, admit
from knowwhy.grounding.claims import Claim
from knowwhy.tables.connect import connect
from knowwhy.tables.kept import memories
from knowwhy.tables.kept.memories import ACTIVE, PENDING, REFUSED
from knowwhy.tables.write import prepare, put_records
from knowwhy.text.claims import tiers, topics
from knowwhy.text.doubt.hedges import hedges
from knowwhy.text.relating.citations import citations
from knowwhy.text.sameness.likeness import same_claim, same_words
from knowwhy.types import Draft, Json, Memory

CLAIMS = ROOT / "golden" / "claims.jsonl"
HALVES = ("tune", "held")
TIER_OF = {ACTIVE: tiers.ACCEPT, PENDING: tiers.REVIEW, REFUSED: tiers.REFUSE}
_OTHERS = ("copy_of", "conflicts_with", "supersedes")
_KEPT = Claim("", kind="fact", said_by="user", source="manual")  # how what is kept came in
NOON = datetime(2026, 3, 14, 12, 0, tzinfo=UTC)  # when every claim of the set is made


@dataclass(frozen=True, slots=True)
class Labelled:
    """A claim with the tier it must get, and what stands beside it."""

    id: str
    half: str
    group: str
    tier: int
    claim: Claim
    given: tuple[Claim, ...]
    records: tuple[str, ...]
    other: str | None  # the memory that it copies, contradicts or succeeds


@dataclass(frozen=True, slots=True)
class Judged:
    """What became of a claim."""

    tier: int
    why: str
    other: str | None  # the memory that it was held to copy, contradict or succeed


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints the figures of both halves, and the mistakes of the half for tuning."""
    parser = argparse.ArgumentParser(prog="python -m evaluation.claims", description=__doc__)
    parser.add_argument("--pure", action="store_true", help="the pure functions, without a home")
    parser.add_argument("--embedder", default=EMBEDDER)
    parser.add_argument("--held", action="store_true", help="show the other half's mistakes too")
    given = parser.parse_args(arguments)
    rows = read_claims()
    if given.pure:
        found = judge_purely(rows, given.embedder)
    else:
        with throwaway_home() as home:
            embedder = connect(Settings(home=home, embedder=given.embedder)).embedder
            found = judge_in_home(rows, embedder)
    print_figures(rows, found)
    shown = HALVES if given.held else HALVES[:1]
    print_mistakes([row for row in rows if row.half in shown], found)


def read_claims() -> list[Labelled]:
    """Reads the labelled claims."""
    return [_labelled(json.loads(line)) for line in CLAIMS.read_text("utf-8").splitlines()]


def judge_in_home(rows: Sequence[Labelled], embedder: str) -> dict[str, Judged]:
    """Has every claim judged and stored in the open home, each for a user of its own."""
    there = sorted({record for row in rows for record in row.records})
    put_records(prepare([_draft(record) for record in there], embedder))
    kept = admit_all([one for row in rows for one in row.given], embedder)
    if lost := [memory for memory in kept.values() if memory.status != ACTIVE]:
        raise SystemExit(f"What should be kept is not: {lost}")
    judged = admit_all([row.claim for row in rows], embedder)
    stored = memories.held(judged)
    return {
        key: Judged(
            TIER_OF[stored[key].status],
            memory.why or "",
            _other(memory),
        )
        for key, memory in judged.items()
    }


def admit_all(claims: Sequence[Claim], embedder: str) -> dict[str, Memory]:
    """Has claims of different users judged and stored, as many in a call as there may be."""
    found: dict[str, Memory] = {}
    for start in range(0, len(claims), MOST_CLAIMS):
        some = claims[start : start + MOST_CLAIMS]
        found |= {m.key: m for m in admit(some, embedder=embedder, now=NOON)}
    return found


def judge_purely(rows: Sequence[Labelled], embedder: str) -> dict[str, Judged]:
    """Judges every claim by the pure functions, in the order in which admission asks them."""
    return {row.id: _judge_purely(row, embedder) for row in rows}


def accuracy(rows: Iterable[Labelled], found: Mapping[str, Judged]) -> float:
    """Gives the share of claims that got their tier."""
    right = [found[row.id].tier == row.tier for row in rows]
    return sum(right) / max(1, len(right))


def wrongly_accepted(rows: Iterable[Labelled], found: Mapping[str, Judged]) -> list[Labelled]:
    """Gives the claims that must be refused and were accepted."""
    refused = [row for row in rows if row.tier == tiers.REFUSE]
    return [row for row in refused if found[row.id].tier == tiers.ACCEPT]


def wrongly_compared(rows: Iterable[Labelled], found: Mapping[str, Judged]) -> list[Labelled]:
    """Gives the claims that were held against another memory than they should, or none."""
    return [row for row in rows if found[row.id].other != row.other]


def print_figures(rows: Sequence[Labelled], found: Mapping[str, Judged]) -> None:
    """Prints accuracy by half and class, and what was taken for what."""
    print(f"{'':22}" + "".join(f"{half:>14}" for half in HALVES))
    groups: dict[str, list[Labelled]] = defaultdict(list)
    for row in rows:
        groups[row.group].append(row)
    for name, of in (*groups.items(), ("all", list(rows))):
        cells = [_cell([row for row in of if row.half == half], found) for half in HALVES]
        print(f"{name:22}" + "".join(f"{cell:>14}" for cell in cells))
    for half in HALVES:
        of = [row for row in rows if row.half == half]
        taken = Counter((row.tier, found[row.id].tier) for row in of)
        print(f"\n{half}: tier 3 accepted: {len(wrongly_accepted(of, found))}, ", end="")
        print(f"wrong memory beside: {len(wrongly_compared(of, found))}, must be → is: ", end="")
        print(", ".join(f"{a}→{b} {count}" for (a, b), count in sorted(taken.items())))


def print_mistakes(rows: Iterable[Labelled], found: Mapping[str, Judged]) -> None:
    """Prints the claims that went otherwise than labelled."""
    for row in rows:
        got = found[row.id]
        if (got.tier, got.other) != (row.tier, row.other):
            print(f"\n{row.id} {row.group}: must be {row.tier}, is {got.tier}: {got.why}")
            print(f"    {row.claim.content[:200]!r}, beside {[c.content for c in row.given]}")


def _judge_purely(row: Labelled, embedder: str) -> Judged:
    said, stated = row.claim.content, topics.statement(row.claim.content)
    texts = [said, *(kept.content for kept in row.given)]
    vectors, copy_at = models.embed(texts, embedder), models.cosines(embedder).copy
    copied = contradicted = superseded = None
    for kept, vector in zip(row.given, vectors[1:], strict=True):
        other = topics.statement(kept.content)
        clashes = bool(stated and other and topics.conflict(stated, other))
        alike = float(vectors[0] @ vector) >= copy_at or same_words(said, kept.content)
        is_correction = row.claim.kind == "correction" or topics.corrects(said)
        corrected = clashes and is_correction and row.claim.said_by == "user"
        if not clashes and alike and same_claim(said, kept.content):
            copied = kept.key
        elif corrected or (stated and other and topics.succeeds(stated, other)):
            superseded = kept.key
        elif clashes:
            contradicted = kept.key
    verdict = tiers.judge(
        tiers.Findings(
            kind=row.claim.kind,
            content=said,
            said_by=row.claim.said_by,
            source=row.claim.source,
            extractor_version=None,
            resolved=row.records,
            copy_of=copied,
            conflicts_with=contradicted,
            check_failed=None,
            hedges=tuple(hedges(said)),
            citations=tuple(citations(said)),
        )
    )
    taken = superseded if verdict.tier == tiers.ACCEPT else None
    return Judged(verdict.tier, verdict.why, copied or contradicted or taken)


def _other(memory: Memory) -> str | None:
    taken = memory.supersedes if memory.status == ACTIVE else None
    return memory.copy_of or memory.conflicts_with or taken


def _labelled(row: Json) -> Labelled:
    given = row.get("given", [])
    key_of = {one["key"]: f"{row['id']}-{one['key']}" for one in given}
    owner = f"user-{row['id']}"
    claim = Claim(
        row["content"],
        kind=row["kind"],
        said_by=row["said_by"],
        source=row["source"],
        user_id=owner,
        key=row["id"],
    )
    kept = [
        replace(_KEPT, content=g["content"], user_id=owner, key=key_of[g["key"]]) for g in given
    ]
    return Labelled(
        id=row["id"],
        half=row["half"],
        group=row["class"],
        tier=row["tier"],
        claim=claim,
        given=tuple(kept),
        records=tuple(row.get("records", ())),
        other=next((key_of[row[name]] for name in _OTHERS if name in row), None),
    )


def _draft(record: str) -> Draft:
    is_commit, is_path = record[0].isdigit(), "/" in record
    return Draft(
        id=record,
        kind="commit" if is_commit else "document",
        title=record,
        content=f"The text of {record}.",
        label=None if is_commit or is_path else record,
        path=record if is_path else None,
        commit=record if is_commit else None,
    )


def _cell(rows: Sequence[Labelled], found: Mapping[str, Judged]) -> str:
    return f"{accuracy(rows, found):.3f} of {len(rows)}" if rows else ""


if __name__ == "__main__":
    main()
