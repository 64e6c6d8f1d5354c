"""How answers, records and lists look, for people and for programs."""

import textwrap
from collections.abc import Iterable
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

import click
from rich.console import Console
from rich.markup import escape
from rich.text import Text

from knowwhy.cli.looks import cells, columns, fitted, padded_to, say, say_led, say_parts
from knowwhy.grounding.memory_fields import iso, memory_as_json, vouched
from knowwhy.retrieval.context.excerpts import excerpts
from knowwhy.retrieval.hits import Hit
from knowwhy.retrieval.search import Answer
from knowwhy.retrieval.silence import silence
from knowwhy.text.characters import one_line, printable
from knowwhy.text.pages.passages import RENDERED
from knowwhy.text.patterns import regex
from knowwhy.text.question.answer_forms import words_asked
from knowwhy.text.tokens import tokens
from knowwhy.types import Edge, Memory, Passage, Record

INDENT = "   "
GAP = "  "  # between the columns of a table
TITLE_ROOM = 24  # columns that a title has in a table: fewer, and nobody knows it again
_ITEM = regex(r"[ \t]{0,40}(?:[-*+]|\d{1,3}[.)])[ \t]{1,4}")
_WORD = regex(r"[\w'’./-]{1,60}")


def print_answer(answer: Answer, *, explain: bool) -> None:
    """Prints hits as a person reads them: title, source, and the words that answer."""
    console = Console(highlight=False)
    if not answer.knows:
        console.print(Text(silence(answer) + (" The nearest:" if answer.hits else "")))
    asked = words_asked(answer.question)
    every = zip(answer.hits, excerpts(answer), strict=True)
    for number, (hit, excerpt) in enumerate(every, 1):
        _print_hit(console, number, hit, excerpt, asked)
        if explain:
            _print_reasons(console, hit)
    for note in answer.notes:
        console.print(f"[yellow]note: {escape(one_line(note))}[/yellow]")
    if explain:
        _print_course(console, answer)


def _print_reasons(console: Console, hit: Hit) -> None:
    legs = [f"{leg} rank {n} (+{hit.parts.get(leg, 0):.4f})" for leg, n in hit.ranks.items()]
    read = [] if hit.read is None else [f"cross-encoder {hit.read:+.2f}"]
    kept = [] if hit.relevance == 1 else [f"relevance {hit.relevance:.0%}, long not asked for"]
    console.print(f"   [dim]score {hit.score:.4f}: {', '.join([*legs, *read, *kept])}[/dim]")
    if hit.path:
        steps = (f"{relation} → {node}" if relation else node for node, relation in hit.path)
        console.print(f"   [dim]walk: {escape(one_line(' '.join(steps)))}[/dim]")


def _print_course(console: Console, answer: Answer) -> None:
    """Prints how the search went: how it was understood, what each leg gave and what it took."""
    legs = [f"{leg} {n} (weight {answer.weights[leg]:g})" for leg, n in answer.legs.items()]
    times = [f"{step} {ms:.0f} ms" for step, ms in answer.milliseconds.items()]
    asked = f" as {escape(one_line(answer.reading))}" if answer.reading else ""
    console.print(f"[dim]understood: {answer.question_class}{asked}[/dim]")
    console.print(f"[dim]{escape(one_line(_weighed(answer)))}[/dim]")
    for variant in answer.variants:
        console.print(f"[dim]also searched: {escape(one_line(variant))}[/dim]")
    console.print(f"[dim]candidates: {', '.join(legs)}; {', '.join(times)}[/dim]")


def _weighed(answer: Answer) -> str:
    """Says by what it was decided whether anything answers."""
    read = [hit.read for hit in answer.hits if hit.read is not None]
    said = [f"the best hit reads {max(read):+.2f}, needed is {answer.floor:+.2f}"] if read else []
    said += [f"nothing speaks of {name}" for name in answer.unknown]
    said += [f"no text has the word {word}" for word in answer.strange]
    found = "by the graph" if answer.reading else "by the order of the legs"
    by = "; ".join(said) or (found if answer.hits else "nothing was found")
    return f"{'answered' if answer.knows else 'not answered'}: {by}"


def _print_hit(
    console: Console, number: int, hit: Hit, excerpt: str, asked: frozenset[str]
) -> None:
    passage = hit.passage
    label = None if (passage.label or "") in passage.title else passage.label
    about = [label, passage.kind, passage.status, _day(passage.occurred_at), passage.service]
    known = "  " + " · ".join(part for part in about if part)
    title = f"{number}. {one_line(passage.title)}"
    say_led(title, known, {"bold": True}, below=INDENT, dim=True)
    say(source_of(passage), INDENT, INDENT * 2, fg="cyan")
    if hit.facts:
        say(" · ".join(hit.facts), INDENT, INDENT, dim=True)
    for line in told_of(hit):
        say(line, INDENT, INDENT, fg="yellow")
    for line in excerpt.splitlines():
        for part in _wrapped(printable(line), console.width - len(INDENT)):
            console.print(_marked(INDENT + part, asked), soft_wrap=True)
    console.print()


def _wrapped(line: str, width: int) -> list[str]:
    """Wraps a line of an excerpt, an item's under its own words; rows and code keep their form."""
    margin = len(line) - len(line.lstrip())
    mark = _ITEM.match(line)
    below = " " * (mark.end() if mark else margin)
    return textwrap.wrap(
        line.replace("\t", "    "), max(width, 2 * len(below) + 1), subsequent_indent=below,
        drop_whitespace=True, replace_whitespace=False, break_on_hyphens=False,
    ) or [""]  # fmt: skip


def _marked(line: str, asked: frozenset[str]) -> Text:
    """Sets the words in bold that the question has too, whatever their endings."""
    text = Text(line)
    for word in _WORD.finditer(line):
        if asked.intersection(tokens(word[0])):
            text.stylize("bold", *word.span())
    return text


def told_of(hit: Hit) -> list[str]:
    """Says what a reader must know of a hit before believing it."""
    lines = [f"suspicious: {hit.suspicious}"] if hit.suspicious else []
    lines += [f"lent by {', '.join(hit.lent_by)}"] if hit.lent_by else []
    if isinstance(hit.said, Memory):
        is_told = hit.said.verified_by or hit.said.verified_via
        checked = vouched(hit.said) if is_told else None
        lines += [" · ".join(filter(None, (checked, hit.said.source)))]
        lines += [f"replaces: {hit.replaces}"] if hit.replaces else []
    lines += [f"outdated: {words}" for words in hit.outdated]
    return [line for line in lines if line]


def source_of(passage: Passage) -> str:
    """Names where a passage stands: key, lines and heading."""
    if passage.pos < 0:  # a memory or a turn, which has no lines
        return f"[{passage.key}]"
    rendered = (passage.path or "").endswith(RENDERED)  # its lines are not those of the file
    lines = "" if rendered else f":{passage.first_line}-{passage.last_line}"
    heading = f" › {passage.heading}" if passage.heading else ""
    return f"[{passage.key}{lines}]{heading}"


def answer_as_json(answer: Answer, *, explain: bool) -> dict[str, Any]:
    """Gives an answer in the stable form of docs/json.md."""
    shown: dict[str, Any] = {
        "question": answer.question,
        "knows": answer.knows,
        "unknown": list(answer.unknown),
        "class": answer.question_class,
        "hits": [
            _hit_as_json(hit, excerpt, explain)
            for hit, excerpt in zip(answer.hits, excerpts(answer), strict=True)
        ],
        "notes": list(answer.notes),
    }
    if explain:
        shown |= {
            "reading": answer.reading,
            "variants": list(answer.variants),
            "strange": list(answer.strange),
            "floor": answer.floor,
            "legs": answer.legs,
            "weights": answer.weights,
            "milliseconds": answer.milliseconds,
        }
    return shown


def _hit_as_json(hit: Hit, excerpt: str, explain: bool) -> dict[str, Any]:
    passage = asdict(hit.passage)
    del passage["search_text"]
    passage["occurred_at"] = iso(hit.passage.occurred_at)
    shown = {**passage, "score": round(hit.score, 4), "suspicious": hit.suspicious}
    shown |= {"outdated": list(hit.outdated), "lent_by": list(hit.lent_by)}
    shown |= {"excerpt": excerpt, "facts": list(hit.facts)}
    if isinstance(hit.said, Memory):
        shown["memory"] = memory_as_json(hit.said) | {"replaces": hit.replaces}
    if not explain:
        return shown
    path = [{"node": node, "relation": relation} for node, relation in hit.path]
    return {
        **shown,
        "ranks": hit.ranks,
        "parts": hit.parts,
        "read": hit.read,
        "path": path,
        "relevance": round(hit.relevance, 3),
    }


def listed_as_json(record: Record) -> dict[str, Any]:
    """Gives a record's line in a list: everything but its text and metadata."""
    draft = record.draft
    return {
        "key": draft.id,
        "label": draft.label,
        "kind": draft.kind,
        "title": draft.title,
        "service": draft.service,
        "project": draft.project,
        "path": draft.path,
        "status": draft.status,
        "authors": list(draft.authors),
        "occurred_at": iso(draft.occurred_at),
        "touched_at": iso(record.touched_at),
        "retired": draft.retired_why,
    }


def record_as_json(record: Record) -> dict[str, Any]:
    """Gives a whole record, with the links that its text states."""
    return {
        **listed_as_json(record),
        "source": record.draft.source,
        "metadata": dict(record.draft.metadata),
        "text": record.draft.content,
        "links": [asdict(edge) for edge in record.links],
    }


def print_record(record: Record, incoming: list[tuple[str, Edge]]) -> None:
    """Prints a record: its head, its text and its links in both directions."""
    say(record.draft.title, after="", bold=True)
    shown = listed_as_json(record)
    for name, value in shown.items():
        if name != "title" and value:
            text = ", ".join(value) if isinstance(value, list) else str(value)
            say(f"{name:<12}{text}", after=" " * 12)
    click.echo()
    click.echo(printable(record.draft.content))
    for title, lines in (
        ("Links", [(f"{e.relation} {e.target}", f"({e.origin})") for e in record.links]),
        ("Linked from", [(key, f"{edge.relation}  ({edge.origin})") for key, edge in incoming]),
    ):
        if lines:
            click.secho(f"\n{title}", bold=True)
        for line in lines:
            say_parts([*line], "  ")


def print_list(records: Iterable[Record]) -> None:
    """Prints records as a table; in a pipe as one line each, its cells between tabs.

    Where a table does not fit, each key has a line of its own: it is never broken.
    """
    rows = [
        [one_line(cell or "") for cell in (d.id, d.kind, d.status, _day(d.occurred_at), d.title)]
        for d in (record.draft for record in records)
    ]
    room = columns()
    if room is None:
        for row in rows:
            click.echo("\t".join(row))
        return
    widths = [max(map(cells, column), default=0) for column in zip(*rows, strict=True)][:-1]
    left = room - sum(widths) - len(GAP) * len(widths)
    for key, *cells_of, title in rows:
        if left >= TITLE_ROOM:
            cut = map(padded_to, (key, *cells_of), widths)
            click.echo(f"{GAP.join(cut)}{GAP}{fitted(title, left)}".rstrip())
        else:
            click.secho(key, bold=True)
            about = " · ".join(cell for cell in (*cells_of, title) if cell)
            say(about, INDENT, INDENT)


def _day(time: datetime | None) -> str | None:
    return time.astimezone(UTC).date().isoformat() if time else None
