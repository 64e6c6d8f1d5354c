"""The views that hold vectors: which model made those that are searched, and which are beside them.

A vector can be compared only with vectors of the same model. The name of an index carries the tag
of its model, so a search for vectors of a model that is gone fails, and is told so here.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import lru_cache, wraps
from typing import Any, ParamSpec, TypeVar

import pixeltable as pxt

from knowwhy import models
from knowwhy.errors import Error, ModelChanged
from knowwhy.tables.catalogue import Note, noted
from knowwhy.tables.failures import OF_ITS_SERVER, OF_THE_STORE, translated
from knowwhy.tables.schema import DIRECTORY
from knowwhy.tables.vectors import staged

NEXT, GONE = "_next", "_gone"  # end the names of views that are not searched yet, or any more
MOST_VIEWS = 64  # whose models are kept in mind
FIRST = "passages"  # of the views beside the searched ones this is built first and dropped last

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Model:
    """A model as the views that it filled name it."""

    embedder: str
    tag: str


def model_of(view: str = FIRST) -> Model | None:
    """Names the model of a view's vectors; None where there is no such view."""
    return model_in(noted([view]), view)


def model_in(found: Mapping[str, Note], view: str = FIRST) -> Model | None:
    """Names the model of a view's vectors as the store's notes have it."""
    note = found.get(view)
    return None if note is None else _model_of(view, note.id, note.shape)


@lru_cache(MOST_VIEWS)
def _model_of(view: str, table: str, shape: int) -> Model | None:
    """Reads it once for each shape that a view has had: what fills its index is of its shape."""
    with translated(f"looking at {view}"):
        found: Any = pxt.get_table(f"{DIRECTORY}/{view}", if_not_exists="ignore")
        if found is None:
            return None
        about = found.get_metadata()
    tags = [index["name"] for index in about["indexes"].values() if is_of_vectors(index)]
    return Model(str((about["custom_metadata"] or {}).get("embedder", "")), tags[0])


def is_of_vectors(index: Any) -> bool:
    """Tells whether an index that the store describes is one of vectors."""
    return bool(index["index_type"] == "embedding")


def embedder() -> str:
    """Names the model of the vectors that are searched now."""
    found = model_of()
    assert found is not None, "the home is open"
    return found.embedder


def check(name: str) -> None:
    """Refuses to go on with a model when the home has changed to another one."""
    found = model_of()
    if found is not None and found.tag != models.tag(name):
        raise ModelChanged(found.embedder)


@contextmanager
def of_model(name: str) -> Iterator[None]:
    """Tells what fails in here because the home has changed its model from what fails otherwise."""
    try:
        yield
    except ModelChanged:
        raise
    except (Error, *OF_THE_STORE, *OF_ITS_SERVER):
        check(name)
        raise


def with_the_model_of_now(work: Callable[P, R]) -> Callable[P, R]:
    """Makes what takes an `embedder` begin again when the home changes its model meanwhile."""

    @wraps(work)
    def again(*args: P.args, **given: P.kwargs) -> R:
        while True:
            try:
                return work(*args, **given)
            except ModelChanged as changed:
                given["embedder"] = changed.embedder

    return again


def others(name: str) -> tuple[str, ...]:
    """Names the other models whose views follow the tables now; there seldom are any."""
    found = [model_of(f"{FIRST}{end}") for end in ("", NEXT, GONE)]
    return tuple(dict.fromkeys(m.embedder for m in found if m and m.embedder != name))


@contextmanager
def ready_for_others(texts: Sequence[str], name: str) -> Iterator[None]:
    """Keeps the vectors ready that views of other models will ask for when texts are written."""
    with ExitStack() as stack:
        for other in others(name) if texts else ():
            prime(texts, other)
            stack.callback(models.release, texts, other)
        yield


def prime(texts: Sequence[str], name: str) -> None:
    """Keeps vectors of texts ready; what has been staged is not embedded again."""
    models.prime(texts, name, staged.vectors(texts, models.tag(name)))
