"""What is said where nothing is there, or nothing of what a search was narrowed to."""

from collections.abc import Collection, Iterator, Mapping

from knowwhy.errors import BadInput
from knowwhy.tables.values import Values, values
from knowwhy.text.nearest import did_you_mean, known
from knowwhy.text.secrets.redact import redact
from knowwhy.types import Asker, Filters

EMPTY = (
    "The memory is empty. `knowwhy sync` in a repository takes in what it holds; `knowwhy "
    "remember` tells it something."
)
NO_RECORDS = "There are no records yet. `knowwhy sync` in a repository takes in what it holds."
SHOWN = 60  # characters of a name that nothing has
SHOWN_KINDS = 10  # of those that files of records brought along


def note_if_empty(filters: Filters, found: int) -> Iterator[str]:
    """Says of a search that found nothing that there is nothing, as far as the asker may see."""
    if not found and values(filters.project, filters.asker).are_none:
        yield EMPTY


def check_kinds(kinds: Collection[str], ours: Collection[str], stored: Mapping[str, int]) -> None:
    """Refuses a kind that is none of ours and that no record is of."""
    wrong = next((kind for kind in kinds if kind not in ours and kind not in stored), None)
    if wrong is not None:
        brought = sorted((kind for kind in stored if kind not in ours), key=lambda k: -stored[k])
        there = [*ours, *brought[:SHOWN_KINDS]]
        said_so = did_you_mean(wrong, there) or "."
        named = ", ".join(map(repr, there))
        raise BadInput(f"There is no kind {_shown(wrong)}; there are {named}{said_so}")


def unknown_names(filters: Filters) -> Iterator[str]:
    """Names a service and a project that nothing is of which the asker may see, and those there.

    A project of which nothing is yet is no mistake: what belongs to none is found in it too.
    """
    there: Values | None = None
    for what, name, column in (
        ("service", filters.service, "services"),
        ("project", filters.project, "projects"),
    ):
        if name is None:
            continue
        asker = filters.asker and Asker(filters.asker.user_id)
        there = there or values(None, asker)
        counted = getattr(there, column)
        if name not in counted:
            yield f"Nothing is of the {what} {_shown(name)}{known(name, counted)}"


def _shown(name: str) -> str:
    return repr(redact(name)[:SHOWN])
