"""Changes the model that makes the vectors of a home, while it is searched and written to.

Vectors are staged first, by the new model and the hash of the text, so that a kill at any moment
loses little and the same call goes on. Then another view is built from them beside each one that
holds vectors, all are switched in one step, and the old ones are dropped.
"""

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field

from knowwhy import models
from knowwhy.errors import BadInput, ModelUnavailable
from knowwhy.tables import write
from knowwhy.tables.homes import storage
from knowwhy.tables.only_one import is_taken, only_one
from knowwhy.tables.schema import HOLDERS
from knowwhy.tables.vectors import holders, reembeddings, staged, switch
from knowwhy.tables.vectors.holders import GONE, NEXT, Model
from knowwhy.tables.vectors.reembeddings import Reembedding
from knowwhy.types import Json

PART = "one that changes the model"  # what only one process of a home is
PAGE = 2_048  # texts that one look for missing ones gives: a look at 100,000 rows costs 0.5 s
STAGED_AT_ONCE = 128  # texts, embedded and kept: what a kill loses, about 3 s of work
LEFT_FOR_LAST = 64  # texts that may be embedded while the writers wait: about 1 s
CATCH_UPS = 20  # times that what was written meanwhile is staged before the writers have to wait
GRACE = 3.0  # seconds in which searches that have begun on the old vectors come to their end

Tell = Callable[[str, int, int], None]  # what is done, how much of it, of how much


@dataclass(frozen=True, slots=True)
class Plan:
    """What a change of the model has to do."""

    before: str
    before_tag: str
    embedder: str
    tag: str
    texts: int  # distinct ones that are embedded
    staged: int  # of those, how many have been staged
    unfinished: bool  # it was begun before


@dataclass(slots=True)
class Report:
    """What a change of the model did."""

    before: str
    embedder: str
    tag: str
    changed: bool
    embedded: int = 0
    staged_before: int = 0
    paused: dict[str, float] = field(default_factory=dict)  # seconds, by table
    seconds: dict[str, float] = field(default_factory=dict)  # by what was done
    freed_mb: float = 0.0

    @property
    def longest_pause(self) -> float:
        """The seconds that a writer had to wait at most."""
        return max(self.paused.values(), default=0.0)

    def as_json(self) -> dict[str, Json]:
        """Gives the report as programs are shown it."""
        rounded = {k: round(v, 3) for k, v in self.paused.items()}
        seconds = {k: round(v, 2) for k, v in self.seconds.items()}
        whole = {**asdict(self), "paused": rounded, "seconds": seconds}
        return {**whole, "longest_pause": round(self.longest_pause, 3)}


def plan(wanted: str | None) -> Plan:
    """Says what a change to a model has to do; writes nothing."""
    made, begun = _made(), reembeddings.unfinished()
    embedder = _target(wanted, made, begun)
    tag = _usable(embedder)
    texts = sum(switch.texts_of(view) for view in HOLDERS)
    is_begun = begun is not None and begun.tag == tag
    return Plan(made.embedder, made.tag, embedder, tag, texts, staged.count(tag), is_begun)


def reembed(wanted: str | None, tell: Tell = lambda what, done, total: None) -> Report:
    """Changes the model of the home's vectors; goes on with what was begun."""
    with only_one(PART) as keep:
        made, begun = _made(), reembeddings.unfinished()
        embedder = _target(wanted, made, begun)
        tag = _usable(embedder)
        report = Report(made.embedder, embedder, tag, changed=made.tag != tag)
        if begun is not None and begun.tag != tag:
            _give_up(begun, report)
            begun = None
        if made.tag == tag and begun is None:
            return report
        one = begun or reembeddings.begin(embedder, tag, made.embedder)
        disk = storage.size()
        try:
            if made.tag != tag:
                _stage(one, report, tell, keep)
                one = _build(one, report, tell, keep)
                disk = storage.size()
                one = _switch(one, report, tell)
            _finish(one, report, tell, disk)
        finally:
            staged.let_go()
    return report


def standing() -> dict[str, Json] | None:
    """Tells of a change of the model that was begun and not finished."""
    begun = reembeddings.unfinished()
    if begun is None:
        return None
    return {
        "to": begun.embedder,
        "state": begun.state,
        "staged": staged.count(begun.tag),
        "since": begun.at.isoformat(timespec="seconds"),
        "running": is_taken(PART),
    }


def _made() -> Model:
    made = holders.model_of()
    assert made is not None, "the home is open"
    return made


def _target(wanted: str | None, made: Model, begun: Reembedding | None) -> str:
    """Gives the model to change to: the one asked for, else the one begun with."""
    if wanted is not None:
        return wanted
    if begun is not None:
        return begun.embedder
    raise BadInput(
        f"Say which model: --to, or KNOWWHY_EMBEDDER. This home's vectors are made by "
        f"{made.embedder!r}."
    )


def _usable(embedder: str) -> str:
    """Gives the tag of a model that can make vectors here."""
    models.verify(embedder)
    if models.embed(["ready"], embedder).shape[1] != models.dimensions(embedder):
        raise ModelUnavailable(f"{embedder} makes vectors of another width than its files say.")
    return models.tag(embedder)


def _give_up(begun: Reembedding, report: Report) -> None:
    """Removes what was begun for another model."""
    for name in switch.standing(NEXT):
        with switch.paused([switch.base_of(name)], report.paused):
            switch.drop(name)
    _drop_old(report)
    staged.drop()
    is_switched = _made().tag == begun.tag
    reembeddings.move(begun, reembeddings.DONE if is_switched else reembeddings.GIVEN_UP)


def _stage(one: Reembedding, report: Report, tell: Tell, keep: Callable[[], None]) -> None:
    """Embeds every text that has no staged vector, until few are left."""
    began = time.monotonic()
    _drop_old(report)
    staged.make()
    if switch.standing(NEXT):
        staged.hold(one.tag)
    with switch.paused(list(HOLDERS.values()), report.paused):
        switch.settle(one.tag)
    report.staged_before = staged.count(one.tag)
    total = sum(switch.texts_of(view) for view in HOLDERS)
    tell(reembeddings.STAGING, report.staged_before, total)
    while texts := switch.unstaged(one.tag, PAGE):
        for start in range(0, len(texts), STAGED_AT_ONCE):
            keep()
            some = texts[start : start + STAGED_AT_ONCE]
            staged.keep(one.tag, dict(zip(some, models.embed(some, one.embedder), strict=True)))
            report.embedded += len(some)
            tell(reembeddings.STAGING, report.staged_before + report.embedded, total)
    report.seconds["staging"] = time.monotonic() - began


def _build(one: Reembedding, report: Report, tell: Tell, keep: Callable[[], None]) -> Reembedding:
    """Builds the views of the new model; what was written meanwhile is embedded before."""
    one = reembeddings.move(one, reembeddings.BUILDING)
    began = time.monotonic()
    staged.hold(one.tag)
    for number, (view, base) in enumerate(HOLDERS.items()):
        keep()
        tell(reembeddings.BUILDING, number, len(HOLDERS))
        _catch_up(one, view, report, LEFT_FOR_LAST)
        with switch.paused([base], report.paused):
            _catch_up(one, view, report, 0)
            if not switch.is_built(view, one.tag):
                switch.build(view, one.embedder)
        switch.check(view)
        switch.densify(view)
    write.analyze(write.ANALYZE_AFTER)
    report.seconds["building"] = time.monotonic() - began
    return one


def _catch_up(one: Reembedding, view: str, report: Report, most_left: int) -> None:
    """Stages what was written since; while writers go on there may always be something."""
    for _ in range(CATCH_UPS):
        texts = switch.unstaged(one.tag, PAGE, [view])
        if len(texts) <= most_left:
            return
        staged.keep(one.tag, dict(zip(texts, models.embed(texts, one.embedder), strict=True)))
        report.embedded += len(texts)


def _switch(one: Reembedding, report: Report, tell: Tell) -> Reembedding:
    """Lets the new views be the searched ones, from one moment to the next."""
    tell("switching", 0, 1)
    began = time.monotonic()
    with switch.paused(list(HOLDERS.values()), report.paused):
        switch.switch()
    report.seconds["switching"] = time.monotonic() - began
    paused = {base: round(seconds, 3) for base, seconds in report.paused.items()}
    return reembeddings.move(one, reembeddings.DROPPING, paused=paused)


def _finish(one: Reembedding, report: Report, tell: Tell, disk: int) -> None:
    """Removes the old views and what was staged, once the searches on them have ended."""
    tell(reembeddings.DROPPING, 0, 1)
    began = time.monotonic()
    if switch.standing(GONE):
        time.sleep(GRACE)
    _drop_old(report)
    staged.drop()
    report.seconds["dropping"] = time.monotonic() - began
    report.freed_mb = round((disk - storage.size()) / 1_000_000, 1)
    figures = report.as_json()
    reembeddings.move(one, reembeddings.DONE, **figures)


def _drop_old(report: Report) -> None:
    for name in switch.standing(GONE):
        with switch.paused([switch.base_of(name)], report.paused):
            switch.drop(name)
    switch.finish_drops()
