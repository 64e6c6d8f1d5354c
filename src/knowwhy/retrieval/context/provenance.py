"""Says where a packed item comes from and whether it still holds, in few words."""

from collections.abc import Sequence

from knowwhy.grounding.memory_fields import vouched
from knowwhy.retrieval.context.fence import MARK, quoted
from knowwhy.retrieval.hits import Hit
from knowwhy.text.characters import one_line
from knowwhy.text.pages.passages import RENDERED
from knowwhy.types import Memory, Passage

# What a status means for who relies on the record, by the word that it begins with.
_STANDING = {
    "superseded": "no longer holds",
    "replaced": "no longer holds",
    "obsolete": "no longer holds",
    "deprecated": "no longer holds",
    "retired": "no longer holds",
    "withdrawn": "no longer holds",
    "rejected": "was never adopted",
    "declined": "was never adopted",
    "abandoned": "was never adopted",
    "proposed": "not decided yet",
    "draft": "not decided yet",
}


def origin(passage: Passage, number: int, facts: Sequence[str] = ()) -> str:
    """Returns the two lines that stand above an item; nothing in them is said twice."""
    title = passage.title if passage.title not in (passage.key, passage.path) else None
    label = passage.label if passage.label and passage.label not in (title or "") else None
    day = passage.occurred_at.date().isoformat() if passage.occurred_at else None
    what = " · ".join(filter(None, (label, title, standing(passage.status), day, *facts)))
    lines = (
        [f"{MARK}{number} {what}", _place(passage)]
        if what
        else [f"{MARK}{number} {_place(passage)}"]
    )
    first, *rest = (one_line(line) for line in lines)
    return "\n".join([first[:1] + quoted(first[1:]), *map(quoted, rest)])


def walk(path: Sequence[tuple[str, str]]) -> list[str]:
    """Returns the line that says how the graph leads to an item, or none.

    A step may go against its edge, so the line does not say which end points to which.
    """
    if len(path) < 2:
        return []
    names = [*(node for node, _ in path[:-1]), "this"]
    steps = [
        f"{relation} – {name}" for (_, relation), name in zip(path[1:], names[1:], strict=True)
    ]
    return [quoted(one_line(f"linked: {' – '.join([names[0], *steps])}"))]


def doubted(why: str | None) -> list[str]:
    """Returns the line that says why a text is suspicious, or none."""
    return [f"suspicious: {why}"] if why else []


def told(hit: Hit) -> list[str]:
    """Returns the lines that a reader needs before believing an item."""
    lines = doubted(hit.suspicious)
    if hit.lent_by:
        lines.append(f"lent by {', '.join(hit.lent_by)}")
    elif isinstance(hit.said, Memory):
        lines.append(" · ".join(filter(None, (vouched(hit.said), hit.said.source))))
        lines += [f"replaces what no longer holds: {hit.replaces}"] if hit.replaces else []
    lines += [f"outdated: {words}" for words in hit.outdated]
    return [quoted(one_line(line)) for line in lines]


def also(twins: Sequence[Passage]) -> list[str]:
    """Returns the line that says where the same is written once more, or none."""
    return [quoted(one_line(f"the same in {', '.join(t.key for t in twins)}"))] if twins else []


def standing(status: str | None) -> str | None:
    """Says a status, and plainly what it means where the record does not hold."""
    first = status.split()[0].strip(".,;:").lower() if status and status.split() else ""
    return f"{status}: {_STANDING[first]}" if first in _STANDING else status


def _place(passage: Passage) -> str:
    if passage.pos < 0:  # a memory or a turn, which has no lines
        return passage.key
    path = passage.path or passage.key
    named = passage.key if path == passage.key else f"{passage.key} ({path})"
    # the lines of what was rendered are not those of the file
    lines = "" if path.endswith(RENDERED) else f":{passage.first_line}-{passage.last_line}"
    heading = below_title(passage.heading, passage.title)
    return f"{named}{lines}" + (f" › {heading}" if heading else "")


def below_title(heading: str, title: str) -> str:
    """Returns a heading path without the title that it may begin with, numbered or not."""
    first, _, rest = heading.partition(" > ")
    return rest if title and first.endswith(title) else heading
