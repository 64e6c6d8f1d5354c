"""How answers, records and lists look, for people and for programs."""

import textwrap
from collections.abc import Iterable
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from knowwhy.grounding.memory_fields import iso, memory_as_json, vouched
from knowwhy.retrieval.hits import Hit
from knowwhy.retrieval.search import Answer
from knowwhy.retrieval.silence import silence
from knowwhy.text.characters import one_line, printable
from knowwhy.text.pages.passages import RENDERED
from knowwhy.types import Edge, Memory, Passage, Record

INDENT = "   "
QUOTE_CHARS = 400  # about five lines of a terminal: enough to judge a hit


def print_answer(answer: Answer, *, explain: bool) -> None:
    """Prints hits as a person reads them: title, source, and the words that answer."""
    console = Console(highlight=False)
    if not answer.knows:
        console.print(Text(silence(answer) + (" The nearest:" if answer.hits else "")))
    for number, hit in enumerate(answer.hits, 1):
        _print_hit(console, number, hit)
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


def _print_hit(console: Console, number: int, hit: Hit) -> None:
    passage = hit.passage
    label = None if (passage.label or "") in passage.title else passage.label
    about = [label, passage.kind, passage.status, _day(passage.occurred_at), passage.service]
    console.print(
        f"[bold]{number}. {escape(one_line(passage.title))}[/bold]  "
        f"[dim]{escape(one_line(' · '.join(part for part in about if part)))}[/dim]",
        soft_wrap=True,
    )
    console.print(f"   [cyan]{escape(one_line(source_of(passage)))}[/cyan]", soft_wrap=True)
    for line in told_of(hit):
        console.print(f"   [yellow]{escape(one_line(line))}[/yellow]", soft_wrap=True)
    for line in textwrap.wrap(printable(shorten(passage.text)), console.width - len(INDENT)):
        console.print(Text(INDENT + line), soft_wrap=True)
    console.print()


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


def shorten(text: str, most: int = QUOTE_CHARS) -> str:
    """Gives a passage's words without its headings, on one line, cut at a word."""
    words = " ".join(line.strip() for line in text.splitlines() if not line.startswith("#"))
    words = " ".join(words.split()) or text.strip("# \n")
    return words if len(words) <= most else words[:most].rsplit(None, 1)[0] + " …"


def answer_as_json(answer: Answer, *, explain: bool) -> dict[str, Any]:
    """Gives an answer in the stable form of docs/json.md."""
    shown: dict[str, Any] = {
        "question": answer.question,
        "knows": answer.knows,
        "unknown": list(answer.unknown),
        "class": answer.question_class,
        "hits": [_hit_as_json(hit, explain) for hit in answer.hits],
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


def _hit_as_json(hit: Hit, explain: bool) -> dict[str, Any]:
    passage = asdict(hit.passage)
    del passage["search_text"]
    passage["occurred_at"] = iso(hit.passage.occurred_at)
    shown = {**passage, "score": round(hit.score, 4), "suspicious": hit.suspicious}
    shown |= {"outdated": list(hit.outdated), "lent_by": list(hit.lent_by)}
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
    console = Console(highlight=False)
    console.print(f"[bold]{escape(one_line(record.draft.title))}[/bold]")
    shown = listed_as_json(record)
    for name, value in shown.items():
        if name != "title" and value:
            text = ", ".join(value) if isinstance(value, list) else str(value)
            console.print(f"[dim]{name:<12}[/dim]{escape(one_line(text))}", soft_wrap=True)
    console.print()
    console.print(Text(printable(record.draft.content)), soft_wrap=True)
    for title, lines in (
        ("Links", [f"{e.relation} {e.target}  ({e.origin})" for e in record.links]),
        ("Linked from", [f"{key}  {edge.relation}  ({edge.origin})" for key, edge in incoming]),
    ):
        if lines:
            console.print(f"\n[bold]{title}[/bold]")
            for line in lines:
                console.print(f"  {escape(one_line(line))}", soft_wrap=True)


def print_list(records: Iterable[Record]) -> None:
    """Prints records as a table; in a pipe as one line each, its cells between tabs."""
    rows = (
        [one_line(cell or "") for cell in (d.id, d.kind, d.status, _day(d.occurred_at), d.title)]
        for d in (record.draft for record in records)
    )
    console = Console(highlight=False)
    if not console.is_terminal:
        for row in rows:
            click.echo("\t".join(row))
        return
    table = Table(box=None, pad_edge=False)
    for column in ("key", "kind", "status", "date", "title"):
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*map(escape, row))
    console.print(table)


def _day(time: datetime | None) -> str | None:
    return time.astimezone(UTC).date().isoformat() if time else None
