"""Drafts become rows: cleaned, embedded and written, with embedding and writing side by side."""

import hashlib
import json
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Protocol

from knowwhy.errors import DiskFull, StoreFailed
from knowwhy.ingest.files import Refusal, Tracked
from knowwhy.models import extractor_version
from knowwhy.tables import write
from knowwhy.text.characters import one_line
from knowwhy.text.pages import chunks
from knowwhy.text.secrets.left_out import in_words, left_out
from knowwhy.text.secrets.redact import redact, redact_json
from knowwhy.types import Draft

BATCH_CHARS = 200_000  # about 250 passages: long enough to sort by length, short enough to queue
BATCH_DRAFTS = 100  # short ones, two seconds of embedding: how far it is is told after each batch
BATCHES_AHEAD = 2  # one being embedded and one being written, while a third is read
ID_LIMIT = 200  # characters; Pixeltable tells keys apart by their first 256

SHOWN_SECRETS = 20  # sources whose secrets are told one by one
SHOWN_SKIPPED = 5  # names of skipped files that a note tells


class Progress(Protocol):
    """Is told how much has been done, and of which sources; nothing done: they are at hand."""

    def __call__(self, done: int, at: Sequence[str] = ()) -> None:
        """Takes note of it."""


def untold(done: int, at: Sequence[str] = ()) -> None:
    """Tells nobody how far something is."""


class LeftOut(Exception):  # no error: nothing is wrong
    """A source is none worth taking: generated, say, or empty; nobody needs to be told."""


@dataclass(frozen=True, slots=True)
class Taking:
    """How sources are taken in."""

    embedder: str
    max_file_mb: int
    service: str | None = None
    project: str | None = None
    is_bound: bool = False  # to the project: a record that names another one is refused
    progress: Progress = untold
    commit_of: Callable[[Path], str | None] = lambda file: None  # where a file is as committed
    only: Tracked | None = None  # no other file is read, and records of others stay as they are


@dataclass(slots=True)
class Summary:
    """What an ingest did."""

    added: int = 0
    updated: int = 0
    moved: int = 0
    unchanged: int = 0
    retired: int = 0
    refused: list[Refusal] = field(default_factory=list)
    left_out: int = 0  # generated, vendored, empty or data
    notes: list[Refusal] = field(default_factory=list)  # what is worth knowing and no mistake
    skipped: dict[str, list[str]] = field(default_factory=dict)  # among records, by why it is none
    unread: list[tuple[str, str]] = field(default_factory=list)  # of what is left out, and why
    secrets: dict[str, str] = field(default_factory=dict)  # what is not kept of them, by source

    def refuse(self, where: str, why: str) -> None:
        """Notes something that was not taken."""
        self.refused.append(Refusal(one_line(redact(where)), one_line(redact(why))))

    def note(self, where: str, why: str) -> None:
        """Notes something that people should know and that is no mistake."""
        self.notes.append(Refusal(one_line(redact(where)), one_line(redact(why))))

    def skip(self, where: str, why: str) -> None:
        """Notes a file among records that is none of them."""
        self.skipped.setdefault(one_line(redact(why)), []).append(one_line(redact(where)))

    def remarks(self) -> list[Refusal]:
        """Gives the notes, with one for each reason why files were skipped."""
        skipped = (Refusal(_some(names), why) for why, names in self.skipped.items())
        return [*self.notes, *skipped, *self._secrets()]

    def _secrets(self) -> Iterator[Refusal]:
        for where in list(self.secrets)[:SHOWN_SECRETS]:
            yield Refusal(where, self.secrets[where])
        if len(self.secrets) > SHOWN_SECRETS:
            more = f"{len(self.secrets) - SHOWN_SECRETS} more"
            yield Refusal(more, "sources had secrets too, which are not kept")

    def left_out_of(self, where: str, said: str) -> None:
        """Notes which secrets of a source are not kept."""
        if said:
            self.secrets[one_line(redact(where))] = said

    def as_json(self) -> dict[str, Any]:
        """Gives the summary as `--json` prints it."""
        counts = {
            n: getattr(self, n) for n in ("added", "updated", "moved", "unchanged", "retired")
        }
        counts |= {"left_out": self.left_out} if self.left_out else {}
        counts |= {"skipped": sum(map(len, self.skipped.values()))} if self.skipped else {}
        remarks = self.remarks()
        told = {"notes": [_told(note) for note in remarks]} if remarks else {}
        return {**counts, **told, "refused": [_told(refusal) for refusal in self.refused]}


def _some(names: list[str]) -> str:
    """Names the first of many, and how many there are."""
    more = len(names) - SHOWN_SKIPPED
    return ", ".join(names[:SHOWN_SKIPPED]) + (f" and {more} more" if more > 0 else "")


def _told(refusal: Refusal) -> dict[str, str]:
    return {"where": refusal.where, "why": refusal.why}


def fingerprint(*parts: Any) -> str:
    """Hashes what a record is made from, with the versions of the rules that read and cut it."""
    text = json.dumps(
        [extractor_version("rules"), chunks.CUTTING, *parts], sort_keys=True, default=str
    )
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()


def clean(draft: Draft) -> Draft:
    """Redacts secrets in everything of a draft that is stored; its key was made without them.

    What one part of it tells as a secret goes from the others too.
    """
    texts = {
        name: text
        for name in (f.name for f in fields(Draft) if f.name not in ("id", "content_hash"))
        if isinstance(text := getattr(draft, name), str)
    }
    authors, metadata = list(draft.authors), dict(draft.metadata)
    safe, authors, metadata = redact_json([texts, authors, metadata])
    return replace(draft, **safe, authors=tuple(authors), metadata=metadata)


def load(
    drafts: Iterable[tuple[str, Draft]], embedder: str, summary: Summary, progress: Progress
) -> None:
    """Writes drafts in batches; while one is written the next is embedded and another read."""
    with _stage("embedding") as embedding, _stage("writing") as writing:
        ahead: deque[Future[None]] = deque()
        for group in _batches(drafts):
            places = [where for where, _ in group]
            cleaned = [_cleaned(where, draft, summary) for where, draft in group]
            ready = embedding.submit(write.prepare, cleaned, embedder)
            ahead.append(writing.submit(_put, places, ready, summary, progress))
            if len(ahead) > BATCHES_AHEAD:
                ahead.popleft().result()
        for written in ahead:
            written.result()
    write.analyze(summary.added + summary.updated)


def _cleaned(where: str, draft: Draft, summary: Summary) -> Draft:
    """Gives a draft without secrets, and notes which it had."""
    safe = clean(draft)
    summary.left_out_of(where, in_words(left_out(draft.content, safe.content)))
    return safe


@contextmanager
def _stage(name: str) -> Iterator[ThreadPoolExecutor]:
    """Runs one batch at a time beside the others' stages; a failure drops what has not begun."""
    stage = ThreadPoolExecutor(1, thread_name_prefix=name)
    try:
        yield stage
    finally:
        stage.shutdown(cancel_futures=True)


def _batches(drafts: Iterable[tuple[str, Draft]]) -> Iterator[list[tuple[str, Draft]]]:
    group: list[tuple[str, Draft]] = []
    size = 0
    for where, draft in drafts:
        group.append((where, draft))
        size += len(draft.content)
        if size >= BATCH_CHARS or len(group) >= BATCH_DRAFTS:
            yield group
            group, size = [], 0
    if group:
        yield group


def _put(
    places: list[str], ready: Future[write.Batch], summary: Summary, progress: Progress
) -> None:
    batch = ready.result()
    try:
        _put_whole_or_each(places, batch, summary)
    finally:
        write.release(batch)
    progress(len(places), places)


def _put_whole_or_each(places: list[str], batch: write.Batch, summary: Summary) -> None:
    """Writes a batch; when the store refuses it, one by one, so that only bad ones are left out."""
    try:
        fates = write.put_records(batch)
    except DiskFull:  # the next one would not be written either
        raise
    except StoreFailed as error:
        if len(places) == 1:
            summary.refuse(places[0], str(error))
            return
        for place, draft in zip(places, batch.drafts, strict=True):
            _put_whole_or_each([place], replace(batch, drafts=(draft,)), summary)
        return
    for fate in fates:
        setattr(summary, fate, getattr(summary, fate) + 1)
