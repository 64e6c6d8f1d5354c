"""The values that travel between rooms."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

Json = Any  # what json.loads gives

SOURCES = ("records", "memories", "turns")  # tables that a search can find in
READ, WRITE, REVIEW, METRICS = "read", "write", "review", "metrics"
RIGHTS = (READ, WRITE, REVIEW, METRICS)  # that a token for HTTP can have
COLLEAGUE = (READ, WRITE, REVIEW)  # those of a token where none are named
LEVELS = ("severity", "severity_raw", "priority")  # metadata that tell how grave a record is


@dataclass(frozen=True, slots=True)
class Draft:
    """One source document as a reader understood it, not yet stored."""

    id: str
    kind: str
    title: str
    content: str
    label: str | None = None  # the id its author gave it: ADR-5, PEP-484, INC-2024-03
    service: str | None = None
    project: str | None = None
    path: str | None = None  # for people: relative to what was ingested
    source: str | None = None  # for re-ingest: the absolute file it came from
    status: str | None = None
    authors: tuple[str, ...] = ()
    occurred_at: datetime | None = None
    commit: str | None = None
    metadata: Mapping[str, Json] = field(default_factory=dict)
    context: str | None = None  # what a turn answers: the end of the one before it
    content_hash: str = ""
    retired_at: datetime | None = None
    retired_why: str | None = None


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a document under its headings; `text == document[start:end]` up to whitespace."""

    position: int
    heading: str  # the heading path, "Decision > Storage"; empty before the first heading
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Entity:
    """A thing that a text names."""

    name: str  # canonical: "postgresql", "payments-api"
    type: str  # service, dependency, api, pattern, framework, config, team or person
    text: str  # as written


@dataclass(frozen=True, slots=True)
class Citation:
    """A pointer that a text makes to something outside itself."""

    kind: str  # record, commit, issue, url or path
    target: str  # canonical: ADR-5, 3f2c1ab, #123, https://…, docs/x.md
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Edge:
    """A typed, directed relation from the text's own record to a target."""

    relation: str  # one of knowwhy.text.relating.relations.RELATIONS
    target: str  # a label, key, path, url or name; resolved when the graph is built
    target_type: str  # record, person, team, service, path, url or issue
    origin: str  # where it was read: "header:Requires", "section:References", "inline"


KIND_BY = "kind_by"  # in the metadata of a record: how its kind was decided, as one of these
SYNC, NAMED = "sync", "named"
DATE_ORDER = "date_order"  # in the metadata of a record that needs it: what stands first in dates


@dataclass(frozen=True, slots=True)
class Known:
    """What re-ingest needs to know of a stored record."""

    key: str
    kind: str
    project: str | None
    source: str | None
    content_hash: str
    retired_at: datetime | None
    kind_by: str | None = None  # who decided its kind: SYNC or NAMED; None when nobody noted it
    date_order: str | None = None  # in which its dates were read; None when they need none

    def says(self, source: str | None, content_hash: str) -> bool:
        """Tells whether the record is live and already says what a source says now."""
        same = self.source == source and self.content_hash == content_hash
        return same and self.retired_at is None


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository as it was last synced, to the end."""

    key: str
    path: str
    project: str | None
    commit: str | None  # None when the next sync must look at everything
    settings: str  # hash of what decides how its files are read
    again: tuple[str, ...]  # files that no commit tells about: changed by hand, or refused
    at: datetime


@dataclass(frozen=True, slots=True)
class Record:
    """One stored record with what was derived from it."""

    draft: Draft
    links: tuple[Edge, ...]
    created_at: datetime
    touched_at: datetime


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of a conversation as it is stored, without secrets."""

    key: str
    user_id: str | None  # whose it is; None for everybody's
    project: str | None
    session_id: str | None
    role: str  # user or assistant
    speaker: str | None  # the name, where several people or programs have one role
    content: str
    context: str | None  # the end of the turn before it in its session
    at: datetime
    expires_at: datetime | None = None
    via: str | None = None  # person, command or assistant: who told it here; None of an import


@dataclass(frozen=True, slots=True)
class Fact:
    """A claim that an extractor read in a turn; nobody has judged it yet."""

    number: int  # its place among the facts of its turn, from 0
    kind: str  # preference, decision, fact, correction or procedure
    content: str  # a sentence that stands alone
    quote: str  # the words it was read from, as they stand in the turn
    confidence: float  # of the extractor, 0 to 1


@dataclass(frozen=True, slots=True)
class Memory:
    """One claim as it is stored, in any state."""

    key: str
    kind: str  # preference, fact, decision, correction, procedure, memorule or note
    content: str
    user_id: str | None  # whose it is; None for everybody's
    project: str | None
    status: str  # active, pending, refused, superseded, expired or retracted
    created_at: datetime
    touched_at: datetime
    service: str | None = None
    session_id: str | None = None
    agent_id: str | None = None
    source: str | None = None  # where it comes from: a conversation, a document, manual
    raw_source: str | None = None  # the text it was read from
    turn_key: str | None = None
    fact_number: int | None = None
    said_by: str | None = None  # user, assistant or import
    confidence: float | None = None  # 0 to 1
    topic: str | None = None  # what it is about, in a form that two claims can share
    why: str | None = None  # of its status
    nearest_key: str | None = None  # the kept memory that is most like it, and how much
    nearest_score: float | None = None
    copy_of: str | None = None  # a kept memory that says the same
    conflicts_with: str | None = None  # a kept memory that says otherwise
    resolved: tuple[str, ...] = ()  # of what it cites, what was found to exist
    check_failed: str | None = None  # a check that could not run, and why
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    expires_at: datetime | None = None
    supersedes: str | None = None
    verified_at: datetime | None = None
    verified_by: str | None = None
    verified_via: str | None = None  # on whose word: that of a person, a command or an assistant
    extractor_version: str | None = None
    memorule_kind: str | None = None
    subject: str | None = None  # of a memorule: the rule in a few words
    applies_to: Mapping[str, str] = field(default_factory=dict)
    certainty: str | None = None  # of a memorule: observed, inferred or asserted
    evidence_signal: str | None = None
    metadata: Mapping[str, Json] = field(default_factory=dict)


PERSON, COMMAND, ASSISTANT = "person", "command", "assistant"  # through whom a word has come
SPEAKER = "speaker"  # in a memory's metadata: who said it, where several people spoke


@dataclass(frozen=True, slots=True)
class Change:
    """What somebody did to a memory; what the writer knows itself is filled in by it."""

    memory_key: str
    what: str  # added, approved, corrected, rejected, superseded, retracted, expired, restored, …
    why: str | None = None
    by: str | None = None  # the user, or the mechanism
    session_id: str | None = None
    persona: str | None = None  # in which role the writer spoke, of a memorule
    evidence_signal: str | None = None
    user_id: str | None = None  # whose the memory is
    project: str | None = None
    before: Mapping[str, Json] = field(default_factory=dict)  # the columns that changed
    after: Mapping[str, Json] = field(default_factory=dict)
    follows: datetime | None = None  # the change before it; None for the first
    at: datetime | None = None  # the memory's touched_at; None before it is written
    key: str = field(default_factory=lambda: f"c-{uuid4().hex}")


# Memories that somebody has been shown: each by its key and when it was last written.
Seen = frozenset[tuple[str, datetime]]


@dataclass(frozen=True, slots=True)
class Hand:
    """By what hand a memory is changed, as far as that is known; noted with the change."""

    session: str | None = None
    persona: str | None = None  # in which role its writer speaks
    via: str | None = None  # person, command or assistant: through whom it came
    seen: Seen | None = None  # what a person was shown before they agreed; None where none was


@dataclass(frozen=True, slots=True)
class Asker:
    """Who asks, and in which project: what decides which rows exist for them."""

    user_id: str | None = None
    project: str | None = None
    lent: frozenset[str] = frozenset()  # memories of others that pools lend; only a search has any


@dataclass(frozen=True, slots=True)
class Between:
    """A span of time, from its first moment to the first one after it."""

    after: datetime | None = None
    before: datetime | None = None

    def __bool__(self) -> bool:
        """Tells whether it leaves anything out."""
        return self.after is not None or self.before is not None

    def holds(self, at: datetime | None) -> bool:
        """Tells whether a moment is in it; what has no date is in none that leaves anything out."""
        if at is None:
            return not self
        return (self.after is None or at >= self.after) and (
            self.before is None or at < self.before
        )


ALWAYS = Between()


@dataclass(frozen=True, slots=True)
class Filters:
    """What a search is limited to; None is no limit."""

    kinds: tuple[str, ...] | None = None
    service: str | None = None
    project: str | None = None
    asker: Asker | None = None  # whose memories and turns are searched; None for nobody's
    sources: tuple[str, ...] = SOURCES
    lent_only: bool = False  # only those memories that the asker is lent
    lent_to: str | None = None  # an agent of the asker: then only what pools lend to that one
    dated: Between = ALWAYS  # when a record is dated, or a memory or turn was said

    def within(self, project: str | None) -> bool:
        """Tells whether records of a project are looked at; those of none are everybody's."""
        return self.project is None or project in (None, self.project)

    def as_wide_as_seen(self) -> "Filters":
        """Gives the same view without what only limits a search: kinds, service and time."""
        sources = tuple(name for name in SOURCES if name in self.sources or name != "records")
        return replace(self, kinds=None, service=None, sources=sources, dated=ALWAYS)


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of a live record, with what a hit shows of its record."""

    key: str
    pos: int
    heading: str
    text: str
    search_text: str
    first_line: int
    last_line: int
    title: str
    label: str | None
    kind: str
    service: str | None
    project: str | None
    path: str | None
    status: str | None
    occurred_at: datetime | None
    context: str | None


@dataclass(frozen=True, slots=True)
class Recall:
    """One search as it is remembered: what was asked, what it gave, and why in this order."""

    question: str
    result_keys: tuple[str, ...]
    payload_bytes: int  # of the texts that were handed out: what they cost their reader
    question_class: str | None = None
    top_n_selected: int | None = None  # how many of the results were used, when that is known
    weights: Mapping[str, float] | None = None  # of each leg
    ranks: Mapping[str, Mapping[str, int]] | None = None  # of each result, by leg
    packed: Json = None  # which blocks were handed out, and why
    user_id: str | None = None
    project: str | None = None
    agent_id: str | None = None
    session_id: str | None = None
    key: str = field(default_factory=lambda: uuid4().hex)
    at: datetime = field(default_factory=lambda: datetime.now(UTC))


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a walk over the graph: along edges of these relations, with or against them."""

    relations: tuple[str, ...]
    forward: bool
    hops: int | None = 1  # at most so many; None for as many as it takes


@dataclass(frozen=True, slots=True)
class Chain:
    """A relational question as a walk: where it starts, its steps, and what it keeps of the end."""

    anchors: tuple[str, ...]  # nodes of the graph
    steps: tuple[Step, ...]
    kinds: tuple[str, ...] = ()
    statuses: tuple[str, ...] = ()
    people: tuple[str, ...] = ()  # nodes that the found ones must be written, owned or approved by
    after: datetime | None = None
    before: datetime | None = None
    order: str | None = None  # "first" or "last" by date
    other_than: tuple[str, ...] = ()  # nodes that are no answer
    month: int | None = None  # 1 to 12; in that month of any year


@dataclass(frozen=True, slots=True)
class Alarm:
    """Something that somebody must look at; runbooks/<code>.md says what to do."""

    code: str  # of its runbook: recall-below-floor, nightly-overdue, …
    text: str  # one sentence: what is wrong, with its number
    run: str | None = None  # the command that helps


@dataclass(frozen=True, slots=True)
class StepReport:
    """What one step of the night shift did, or in a dry run would do."""

    name: str
    done: int = 0  # rows changed, or measurements made
    changes: tuple[Json, ...] = ()  # the first of them: what and why; no texts of memories
    notes: tuple[str, ...] = ()  # for the reader, a sentence each
    alarms: tuple[Alarm, ...] = ()
    seconds: float = 0.0
    finished: bool = True  # False where time ran out, it failed or was skipped
    failed: bool = False  # its last note says by what; the other steps ran
    skipped: bool = False  # another process was in its way, as its last note says; no failure
