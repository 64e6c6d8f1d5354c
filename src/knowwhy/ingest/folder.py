"""Ingests files and folders of one kind, taking only what changed since the last time."""

import hashlib
import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from knowwhy.errors import BadInput
from knowwhy.ingest.adr import beside_of, read_adr
from knowwhy.ingest.document import read_document
from knowwhy.ingest.files import Found, Skip, Tracked, decode, find, is_gone, read
from knowwhy.ingest.incidents.incident import read_incident
from knowwhy.ingest.load import ID_LIMIT, LeftOut, Summary, Taking, fingerprint, load
from knowwhy.ingest.meetings.meeting import read_meeting
from knowwhy.ingest.orders import (
    DAY_FIRST,
    MAX_HEAD,
    MONTH_FIRST,
    OPEN,
    Orders,
    both_readings,
    is_unclear,
    order_of,
)
from knowwhy.ingest.paper import read_pdf, read_webpage
from knowwhy.ingest.program import check_program, read_program
from knowwhy.tables import queries, write
from knowwhy.text.formats.headers import front_matter, head_fault
from knowwhy.text.pages.forms import as_markdown, form_of
from knowwhy.text.pages.webpages import decode_page
from knowwhy.text.secrets.redact import redact
from knowwhy.text.times import dates_read, slashed_dates
from knowwhy.types import DATE_ORDER, KIND_BY, NAMED, SYNC, Draft, Json, Known

HASH_DIGITS = 12  # in the key of a long path; as many as tell any two apart
LEAST_OF_PATH = 60  # characters of a key that a path must have left for it beside its project
HEAD_FAULT, OPEN_DATE = "head_fault", "open_date"  # in the metadata of a record
GENERAL = "document"  # a file that is known as an adr or incident is not also a document
READERS = {
    "adr": read_adr,
    "incident": read_incident,
    "meeting": read_meeting,
    "document": read_document,
}
KINDS = (*READERS, "code")
PAGES = (".html", ".htm", ".pdf")
YIELDING = (GENERAL, "code")  # a file that is known as another kind stays of that kind


def ingest_files(kind: str, paths: Sequence[Path], how: Taking) -> Summary:
    """Brings the records of a kind in line with the files under the paths."""
    summary = Summary()
    stored = Stored(queries.known_records(), how.project)
    found, empty = _found(kind, paths, summary, how.only)
    take(kind, found, stored, how, summary)
    summary.retired = write.retire_records(stored.vanished(paths), "its file is gone")
    for path in empty:
        if not stored.knows_under(path):
            here = os.path.lexists(path)
            why = f"holds no files to read as {kind}" if here else "does not exist"
            summary.refuse(str(path), why)
    return summary


def take(
    kind: str,
    found: Iterable[Found],
    stored: "Stored",
    how: Taking,
    summary: Summary,
    firm: bool = False,
    by: str = NAMED,
) -> None:
    """Writes the files that their records do not say yet; a firm kind is never another's."""

    orders = Orders()

    def changed() -> Iterator[tuple[str, Draft]]:
        for item in found:
            how.progress(0, [item.name])
            try:
                draft = _changed(kind, item, stored, how, orders, firm=firm, by=by)
            except LeftOut as left:
                summary.left_out += 1
                summary.unread.append((item.name, str(left).removeprefix("is ")))
                draft = None
            except BadInput as error:
                stored.keep(redact(str(item.file)))
                summary.refuse(item.name, str(error))
                draft = None
            else:
                summary.unchanged += draft is None
            if draft is None:
                how.progress(1, [item.name])
            else:
                for why in _remarks(draft):
                    summary.note(item.name, why)
                yield item.name, draft

    load(changed(), how.embedder, summary, how.progress)


def count_files(kind: str, paths: Sequence[Path], only: Tracked | None = None) -> int:
    """Counts the files that an ingest will look at."""
    return len(files_at(kind, paths, only))


def files_at(kind: str, paths: Sequence[Path], only: Tracked | None = None) -> dict[Path, str]:
    """Lists the files that an ingest will look at, each with what people call it."""
    found = (item for path in paths for item in find(path, kind, only))
    return {item.file: item.name for item in found if isinstance(item, Found)}


def _found(
    kind: str, paths: Sequence[Path], summary: Summary, only: Tracked | None
) -> tuple[list[Found], list[Path]]:
    """Lists the files under the paths, and the paths that have none or are gone."""
    items: dict[Path, Found] = {}
    empty: list[Path] = []
    for path in paths:
        seen = list(find(path, kind, only)) if os.path.lexists(path) else []
        empty += [] if any(not isinstance(item, Skip) for item in seen) else [path]
        for item in seen:
            if isinstance(item, Found):
                items.setdefault(item.file, item)
            elif isinstance(item, Skip):
                summary.skip(item.where, item.why)
            else:
                summary.refuse(item.where, item.why)
    return list(items.values()), empty


def _changed(
    kind: str,
    item: Found,
    stored: "Stored",
    how: Taking,
    orders: Orders,
    *,
    firm: bool,
    by: str | None,
) -> Draft | None:
    """Reads a file into a draft; None when the record that it is already says the same."""
    raw, source, name = read(item.file, how.max_file_mb), redact(str(item.file)), redact(item.name)
    page = beside_of(item.file) if kind == "adr" else None
    beside = read(page, how.max_file_mb) if page else b""
    digest = hashlib.sha256(raw + (b"\0" + beside if page else b"")).hexdigest()
    order = order_of(item.file, raw, item.name, orders)
    hashes = {
        (k, who, first): fingerprint(
            k,
            how.service,
            how.project,
            digest,
            *([who] if who == NAMED else []),
            *filter(None, [first]),
        )
        for k in KINDS
        for who in (None, SYNC, NAMED)
        for first in ((DAY_FIRST, MONTH_FIRST, OPEN) if order else (None,))
    }
    before = stored.match(source, set(hashes.values()))
    if before is not None and not firm:
        kind, by = _settled(kind, by, before, has_moved=before.source != source)
    elif kind in YIELDING and by == NAMED:
        by = None
    if before is not None and before.says(source, hashes[kind, by, order]):
        return None
    try:
        draft = _read(kind, raw, name, item.file, order)
    except LeftOut:
        stored.give_up(before)
        raise
    if page and kind == "adr":
        draft = _with_beside(draft, page.name, decode(beside), name)
    whole = "/".join(part for part in (how.service, item.name) if part)
    key = record_key(whole, how.project, may_be_cut=True)
    return replace(
        draft,
        id=key if before is None else before.key,
        service=how.service or draft.service,
        project=how.project,
        path=name,
        source=source,
        commit=draft.commit or how.commit_of(item.file),
        content_hash=hashes[kind, by, order],
        metadata={**draft.metadata, **({KIND_BY: by} if by else {})},
    )


def is_named(known: Known, kind: str) -> bool:
    """Tells whether `knowwhy ingest` said what a record is, which sync would take as some kind.

    Before it was noted who said it, whatever its place does not tell was said by somebody.
    """
    if known.kind_by is None:
        return kind in YIELDING and known.kind not in YIELDING
    return known.kind_by == NAMED


def _settled(
    kind: str, by: str | None, before: Known, *, has_moved: bool
) -> tuple[str, str | None]:
    """Gives the kind of a file that is known already, and who said it."""
    if by == NAMED and kind in YIELDING:  # a general kind names nothing, and unsays nothing
        return (before.kind, before.kind_by) if before.kind in KINDS else (kind, None)
    if by == SYNC and has_moved and before.kind in KINDS and is_named(before, kind):
        return before.kind, NAMED
    return kind, by


def _with_beside(draft: Draft, called: str, facts: str, name: str) -> Draft:
    """Adds what a file beside a README says of it: its facts as the head, its words at the end."""
    head = f"---\n{facts.removeprefix('---').strip()}\n---\n"
    fields, _ = front_matter(head)
    read = read_adr(draft.content, path=name, beside=fields)
    shown = f"{draft.content.rstrip()}\n\n## {called}\n\n```yaml\n{facts.strip()}\n```\n"
    fault = head_fault(head)
    told = {HEAD_FAULT: f"{called}: {fault}"} if fault else {}
    return replace(read, content=shown, metadata={**read.metadata, **told})


def _remarks(draft: Draft) -> Iterator[str]:
    """Says what of a file could not be read as it was meant."""
    if fault := draft.metadata.get(HEAD_FAULT):
        yield f"{fault}; its text was taken, and of its head what single lines say"
    if written := draft.metadata.get(OPEN_DATE):
        first, second, year = map(int, str(written).split("/"))
        one, other = both_readings((first, second, year))
        yield (
            f"its date {written} can be read in two ways, as {one} or as {other}, and neither its"
            " folder nor git tells which is meant; write the one that is"
        )


def _read(kind: str, raw: bytes, name: str, file: Path, order: str | None) -> Draft:
    """Reads a source by its kind, a web page or PDF by its form."""
    suffix = form_of(name)
    if kind == "code":
        return read_program(raw, path=name, file=file)
    if kind == GENERAL and suffix == ".pdf":
        return read_pdf(raw, path=name)
    if kind == GENERAL and suffix in PAGES:
        return read_webpage(decode_page(raw), path=name)
    text = as_markdown(decode(raw), name)
    with dates_read(day_first=None if order in (None, OPEN) else order == DAY_FIRST):
        draft = READERS[kind](text, path=name)
    told: dict[str, Json] = {}
    if fault := head_fault(text):
        told[HEAD_FAULT] = fault
    if order is not None:
        told[DATE_ORDER] = order
    if order == OPEN and draft.occurred_at is None:
        unclear = next(filter(is_unclear, slashed_dates(text[:MAX_HEAD])), None)
        told |= {OPEN_DATE: "/".join(map(str, unclear))} if unclear else {}
    return replace(draft, metadata={**draft.metadata, **told}) if told else draft


def why_left(kind: str, item: Found, max_mb: int) -> str | None:
    """Says why a file would be refused or left out as soon as it is opened; None when it is not."""
    try:
        raw = read(item.file, max_mb)
        if kind == "code":
            check_program(raw, item.name)
        elif form_of(item.name) not in PAGES:
            as_markdown(decode(raw), item.name)
    except (LeftOut, BadInput) as error:
        return str(error).removeprefix("is ")
    return None


def record_key(name: str, project: str | None, *, may_be_cut: bool = False) -> str:
    """Makes a record's key of its id and its project: `id`, or `project::id`, without secrets.

    Of a path that is too long for a key, its beginning and its end stay around a hash of the whole.
    """
    if project is not None and ("::" in project or project.endswith(":")):
        raise BadInput(f"the project {project!r} may not contain '::' or end with ':'")
    project, safe = project and redact(project), redact(name)
    if safe != name:  # two ids may differ in their secrets only
        safe = f"{safe}~{hashlib.sha256(name.encode()).hexdigest()[:6]}"
    key = f"{project or ''}::{safe}" if project or "::" in safe else safe
    room = ID_LIMIT - len(key) + len(safe)
    if len(key) > ID_LIMIT and may_be_cut and room >= LEAST_OF_PATH:
        end = room * 2 // 3
        middle = f"~{hashlib.sha256(name.encode()).hexdigest()[:HASH_DIGITS]}~"
        key = key.removesuffix(safe) + safe[: room - end - len(middle)] + middle + safe[-end:]
    if len(key) > ID_LIMIT:
        raise BadInput(f"its id is longer than {ID_LIMIT} characters")
    return key


class Stored:
    """A project's records as an ingest of files sees them: by origin, and by content once moved."""

    def __init__(self, known: Iterable[Known], project: str | None) -> None:
        self._matched: set[str] = set()
        self._by_source: dict[str, Known] = {}
        self._by_content: dict[str, list[Known]] = defaultdict(list)
        for record in known:
            if record.source is not None and record.project == project:
                self._by_source[record.source] = record
                self._by_content[record.content_hash].append(record)

    def match(self, source: str, hashes: set[str]) -> Known | None:
        """Finds the record that a file is: by its path, else by its content once that is gone."""
        record = self._by_source.get(source) or self._moved(source, hashes)
        if record is not None:
            self._matched.add(record.key)
        return record

    def _moved(self, source: str, hashes: set[str]) -> Known | None:
        same = [record for each in hashes for record in self._by_content.get(each, ())]
        gone = [
            record
            for record in same
            if record.key not in self._matched and is_gone(record.source or "")
        ]
        name = Path(source).name
        return min(gone, key=lambda r: (Path(r.source or "").name != name, r.key), default=None)

    def knows_under(self, path: Path) -> bool:
        """Tells whether any record came from a path or from under it."""
        return any(_is_under(source, [path]) for source in self._by_source)

    def keep(self, source: str) -> None:
        """Notes that a file is still there, though it cannot be read now."""
        if record := self._by_source.get(source):
            self._matched.add(record.key)

    def give_up(self, record: Known | None) -> None:
        """Takes back that a file is a record: the file is no longer worth one."""
        if record is not None:
            self._matched.discard(record.key)

    def at(self, source: str) -> Known | None:
        """Gives the record that came from a file."""
        return self._by_source.get(source)

    def unclaimed(self, folder: Path) -> Iterator[tuple[str, Known]]:
        """Gives file and record of the live records under a path that no file turned out to be."""
        above = os.path.join(os.path.realpath(folder), "")
        for source, record in self._by_source.items():
            live = record.retired_at is None and record.key not in self._matched
            if live and f"{source}/".startswith(above):
                yield source, record

    def vanished(self, paths: Sequence[Path]) -> dict[str, str]:
        """Gives key and file of the live records whose files are gone and did not turn up."""
        return {
            record.key: source
            for source, record in self._by_source.items()
            if record.retired_at is None
            and record.key not in self._matched
            and _is_under(source, paths)
            and is_gone(source)
        }


def _is_under(source: str, paths: Sequence[Path]) -> bool:
    return any(Path(source).is_relative_to(os.path.realpath(path)) for path in paths)
