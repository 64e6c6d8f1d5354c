"""Decides what each file of a repository is, and which may have changed since the last sync."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

from knowwhy import __version__
from knowwhy.errors import BadInput
from knowwhy.ingest.adr import BESIDE
from knowwhy.ingest.folder import KINDS, YIELDING, Stored, is_named
from knowwhy.ingest.load import ID_LIMIT, Taking, fingerprint
from knowwhy.ingest.syncing.layout import Choice, read_layout
from knowwhy.ingest.syncing.sources import Sources, find_sources
from knowwhy.ingest.syncing.worktree import (
    WorkTree,
    changed_by_hand,
    changed_since,
    open_tree,
    submodules,
)
from knowwhy.tables import queries
from knowwhy.text.secrets.redact import redact
from knowwhy.types import NAMED, Repository

HASH_DIGITS = 12  # of a path too long for a key; as many as tell any two apart


@dataclass(frozen=True, slots=True)
class Plan:
    """What a sync will do, decided before any file is read."""

    key: str
    root: Path
    tree: WorkTree | None
    how: Taking
    settings: str  # hash of what decides how files are read
    sources: Sources
    kinds: Mapping[str, Choice]  # of every file that sync decides about
    origins: Mapping[str, str]  # what records call those files
    look: frozenset[str]  # those that may have changed
    by_hand: frozenset[str] | None  # those that differ from the commit; None when git cannot tell
    before: Repository | None
    since: str | None  # the commit from which it goes on
    stored: Stored


def plan_sync(given: Path, how: Taking, *, whole: bool = False) -> Plan:
    """Goes through a repository without reading its files."""
    root = Path(os.path.realpath(given))
    if not root.is_dir():
        raise BadInput(f"{redact(str(given))} is not a folder.")
    layout = read_layout(root)
    service, project = how.service or layout.service, how.project or layout.project
    how = replace(how, service=service, project=project)
    tree = open_tree(root)
    by_hand = None if tree is None else changed_by_hand(tree)
    stored = Stored(queries.known_records(), project)
    key, settings = repository_key(root, project), fingerprint(layout.text, service, __version__)
    before = queries.repository(key)
    since = before.commit if before and before.settings == settings and not whole else None
    news = None if tree is None or since is None or before is None else _news(tree, since, before)
    as_before = _NoNews(root, news, stored) if news else None
    sources = find_sources(root, tree, layout, how.only, as_before)
    origins = {name: redact(str(item.file)) for name, (_, item) in sources.files.items()}
    kinds = dict(_settled(sources, origins, stored))
    look = kinds if news is None else _worth_a_look(kinds, origins, news, stored)
    return Plan(
        key=key,
        root=root,
        tree=tree,
        how=how,
        settings=settings,
        sources=sources,
        kinds=kinds,
        origins=origins,
        look=frozenset(look),
        by_hand=None if by_hand is None else frozenset(by_hand),
        before=before,
        since=None if news is None else since,
        stored=stored,
    )


def _settled(
    sources: Sources, origins: Mapping[str, str], stored: Stored
) -> Iterator[tuple[str, Choice]]:
    """Leaves a file what somebody said that it is; what sync itself once said is said anew."""
    for name, (choice, _) in sources.files.items():
        known = stored.at(origins[name])
        if known is None or choice.firm:
            yield name, choice
        elif known.kind in KINDS and is_named(known, choice.kind):
            yield name, replace(choice, kind=known.kind, by=NAMED)
        elif known.kind in KINDS or choice.kind not in YIELDING:
            yield name, choice  # else it is of a kind that other commands look after


@dataclass(frozen=True, slots=True)
class _News:
    """What may have changed since a sync."""

    names: frozenset[str]
    places: frozenset[str]  # the folders of those
    beside: frozenset[str]  # folders in which a file changed that states the facts of a README
    folders: tuple[str, ...]  # repositories inside, of which git tells nothing here
    origins: frozenset[str]  # of records that were written by somebody else


@dataclass(frozen=True, slots=True)
class _NoNews:
    """What files were taken as, where nothing in their folder has changed since."""

    root: Path
    news: _News
    stored: Stored

    def __call__(self, name: str) -> str | None:
        """Gives the kind of a file's record; None when its text must be looked at again."""
        if os.path.dirname(name) in self.news.places or name.startswith(self.news.folders):
            return None
        known = self.stored.at(redact(str(self.root / name)))
        is_same = known is not None and known.retired_at is None
        return known.kind if known and is_same and known.source not in self.news.origins else None


def _news(tree: WorkTree, since: str, before: Repository) -> _News | None:
    """Asks what may have changed since a sync; None when nobody can tell."""
    changed = changed_since(tree, since)
    if changed is None:
        return None
    folders = tuple(f"{name}/" for name in submodules(tree))
    written = queries.sources_touched_since(before.at)
    names = frozenset(changed | set(before.again))
    beside = frozenset(os.path.dirname(name) for name in names if os.path.basename(name) in BESIDE)
    places = frozenset(map(os.path.dirname, names))
    return _News(names, places, beside, folders, frozenset(written))


def _worth_a_look(
    kinds: Mapping[str, Choice], origins: Mapping[str, str], news: _News, stored: Stored
) -> Iterator[str]:
    """Names the files that changed, or whose records do not stand as they should."""
    for name, choice in kinds.items():
        known = stored.at(origins[name])
        if (
            known is None
            or known.retired_at is not None
            or known.kind != choice.kind
            or name in news.names
            or os.path.dirname(name) in news.beside
            or (known.date_order is not None and os.path.dirname(name) in news.places)
            or known.source in news.origins
            or name.startswith(news.folders)
        ):
            yield name


def repository_key(root: Path, project: str | None) -> str:
    """Makes the key of a repository: its folder and its project, without secrets."""
    place = redact(str(root))
    if len(place) > ID_LIMIT or place != str(root):
        place = f"{place[:ID_LIMIT]}~{sha256(os.fsencode(root)).hexdigest()[:HASH_DIGITS]}"
    return f"{redact(project)}::{place}" if project else place
