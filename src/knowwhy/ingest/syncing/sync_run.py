"""Brings the records of a repository in line with its files: one command for every kind."""

import os
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from knowwhy.ingest.files import is_gone
from knowwhy.ingest.folder import KINDS, take, why_left
from knowwhy.ingest.load import Progress, Summary
from knowwhy.ingest.syncing.commits import Commits
from knowwhy.ingest.syncing.layout import Choice
from knowwhy.ingest.syncing.sync_plan import Plan
from knowwhy.ingest.syncing.unread import Group, grouped
from knowwhy.ingest.syncing.worktree import changed_by_hand, open_tree, submodules
from knowwhy.tables import write
from knowwhy.text.characters import is_unicode, one_line
from knowwhy.text.secrets.redact import redact
from knowwhy.types import NAMED, Repository

GONE, LEFT_OUT = "its file is gone", "its repository leaves its file out"
KNOWN_ELSEWHERE = "another command has taken it as something else"
AGAIN_LIMIT = 5_000  # names kept in a row, about 300 KB; with more the next sync looks at all


@dataclass(frozen=True, slots=True)
class Synced:
    """What a sync did."""

    root: str
    commit: str | None
    since: str | None  # the commit from which it went on; None when it looked at every file
    files: int
    looked_at: int
    kinds: Mapping[str, Summary]
    others: Summary = field(default_factory=Summary)  # folders and links have no kind
    unread: tuple[Group, ...] = ()  # what was not read, by reason and form

    @property
    def refused(self) -> int:
        """Counts what was refused."""
        return sum(len(summary.refused) for summary in (*self.kinds.values(), self.others))

    def as_json(self) -> dict[str, Any]:
        """Gives what `--json` prints."""
        return {
            "root": self.root,
            "commit": self.commit,
            "since": self.since,
            "files": self.files,
            "looked_at": self.looked_at,
            "kinds": {kind: summary.as_json() for kind, summary in self.kinds.items()},
            **{name: said for name, said in self.others.as_json().items() if said},
            "refused": self.others.as_json()["refused"],
            "not_read": [group.as_json() for group in self.unread],
        }


@dataclass(frozen=True, slots=True)
class Decided:
    """What a sync would take a file as, or why it would not take it."""

    path: str
    kind: str | None
    why: str | None = None

    def as_json(self) -> dict[str, str]:
        """Gives what `--json` prints."""
        told = {"path": self.path, "kind": self.kind, "why": self.why}
        return {name: said for name, said in told.items() if said is not None}


@dataclass(frozen=True, slots=True)
class DryRun:
    """What a sync would do with each file, without doing it."""

    root: str
    files: tuple[Decided, ...]
    unread: tuple[Group, ...]
    others: Summary

    def as_json(self) -> dict[str, Any]:
        """Gives what `--json` prints."""
        return {
            "root": self.root,
            "files": [file.as_json() for file in self.files],
            "kinds": dict(Counter(file.kind for file in self.files if file.kind)),
            "not_read": [group.as_json() for group in self.unread],
            "notes": self.others.as_json().get("notes", []),
        }


def dry_run(plan: Plan) -> DryRun:
    """Decides about every file as a sync would, and writes nothing."""
    shown = plan.sources.around
    taken = {
        name: why_left(c.kind, plan.sources.files[name][1], plan.how.max_file_mb)
        for name, c in plan.kinds.items()
    }
    left = {name: why for name, why in taken.items() if why}
    unread = {**plan.sources.unread, **plan.sources.refused, **left}
    others = {n: KNOWN_ELSEWHERE for n in plan.sources.files if n not in plan.kinds}
    files = [Decided(_line(shown + n), c.kind) for n, c in plan.kinds.items() if n not in left]
    files += [Decided(_line(shown + n), None, _line(w)) for n, w in {**unread, **others}.items()]
    told = {**plan.sources.unread, **left}
    return DryRun(
        root=redact(str(plan.root)),
        files=tuple(sorted(files, key=lambda file: file.path)),
        unread=tuple(grouped(told.items())),
        others=_others(plan),
    )


def _line(words: str) -> str:
    return one_line(redact(words))


def run_sync(plan: Plan, progress: Progress) -> Synced:
    """Takes what changed, retires what vanished, and notes the commit once all is done."""
    kinds: dict[str, Summary] = defaultdict(Summary)
    how = replace(plan.how, progress=progress, commit_of=Commits().at)
    for kind in KINDS:
        for choice in (Choice(kind, True), Choice(kind, False), Choice(kind, False, NAMED)):
            names = [n for n, c in plan.kinds.items() if c == choice]
            items = [plan.sources.files[name][1] for name in names if name in plan.look]
            kinds[kind].unchanged += len(names) - len(items)
            take(kind, items, plan.stored, how, kinds[kind], choice.firm, choice.by)
    _retire(plan, kinds)
    _note(plan, kinds)
    return Synced(
        root=redact(str(plan.root)),
        commit=plan.tree.commit if plan.tree else None,
        since=plan.since,
        files=len(plan.kinds),
        looked_at=len(plan.look),
        kinds={kind: summary for kind, summary in kinds.items() if summary != Summary()},
        others=_others(plan),
        unread=tuple(grouped(_unread(plan, kinds))),
    )


def _unread(plan: Plan, kinds: Mapping[str, Summary]) -> Iterator[tuple[str, str]]:
    """Names what was not read: by its name, or after a look at what it holds."""
    yield from plan.sources.unread.items()
    for summary in kinds.values():
        yield from summary.unread


def _others(plan: Plan) -> Summary:
    """Tells what could not be taken, or was not there, before it had a kind."""
    others = Summary(left_out=plan.sources.left_out)
    for name, why in plan.sources.refused.items():
        others.refuse(plan.sources.around + name, why)
    for where, why in plan.sources.notes:
        others.note(plan.sources.around + where, why)
    for name, why in plan.sources.skipped.items():
        others.skip(plan.sources.around + name, why)
    for name in submodules(plan.tree) if plan.tree and plan.how.only is None else ():
        if not (plan.root / name / ".git").exists():
            others.note(plan.sources.around + name, "is a submodule that is not checked out")
    return others


def _retire(plan: Plan, kinds: Mapping[str, Summary]) -> None:
    """Takes out the records whose files are gone, ignored or excluded."""
    lost: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    kept = {plan.origins[name] for name in plan.kinds if name not in plan.look}
    inner = {plan.root / name for name in submodules(plan.tree)} if plan.tree else set()
    for source, record in plan.stored.unclaimed(plan.root):
        if source in kept or record.kind not in KINDS:
            continue
        if is_gone(source):
            lost[record.kind, GONE][record.key] = source
        elif _may_be_looked_at(plan, source) and _is_left_out(plan, source, inner):
            lost[record.kind, LEFT_OUT][record.key] = source
    for (kind, why), files in lost.items():
        kinds[kind].retired += write.retire_records(files, why)


def _may_be_looked_at(plan: Plan, source: str) -> bool:
    """Tells whether it was not left out only because of who asks."""
    return plan.how.only is None or plan.how.only.holds(Path(source))


def _is_left_out(plan: Plan, source: str, inner: set[Path]) -> bool:
    """Tells whether the repository has a file that it does not count as a source."""
    name = Path(source).relative_to(plan.root).as_posix()
    folders = [plan.root / folder for folder in Path(name).parents if folder.name]
    is_elsewhere = any(f not in inner and (f / ".git").exists() for f in folders)
    return not (plan.sources.refuses(name) or is_elsewhere) and os.path.lexists(source)


def _note(plan: Plan, kinds: Mapping[str, Summary]) -> None:
    """Keeps what the next sync goes on from; it looks at everything when that is not sure."""
    again = _again(plan, kinds)
    same = Repository(
        key=plan.key,
        path=redact(str(plan.root)),
        project=plan.how.project and redact(plan.how.project),
        commit=plan.tree.commit if plan.tree and again is not None else None,
        settings=plan.settings,
        again=tuple(sorted(again or ())),
        at=plan.before.at if plan.before else datetime.now(UTC),
    )
    if any(s.added or s.updated or s.moved or s.retired for s in kinds.values()) or (
        same != plan.before
    ):
        write.put_repository(replace(same, at=datetime.now(UTC)))


def _again(plan: Plan, kinds: Mapping[str, Summary]) -> set[str] | None:
    """Names the files that no commit tells about; None when they cannot be told or kept."""
    now = open_tree(plan.root) if plan.tree else None
    by_hand = changed_by_hand(now) if now else None
    if now is None or now != plan.tree or by_hand is None or plan.by_hand is None:
        return None  # somebody checked something out meanwhile
    refused = {refusal.where for summary in kinds.values() for refusal in summary.refused}
    names = {name for name in plan.look if refused and _where(plan, name) in refused}
    names |= (plan.by_hand | by_hand) & plan.kinds.keys()
    is_safe = all(is_unicode(name) and redact(name) == name for name in names)
    return names if is_safe and len(names) <= AGAIN_LIMIT else None


def _where(plan: Plan, name: str) -> str:
    """Gives a file's name as a refusal shows it."""
    return one_line(redact(plan.sources.files[name][1].name))
