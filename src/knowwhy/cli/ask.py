"""Commands that read: search, show, list."""

from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

import click

from knowwhy.cli.looks import say
from knowwhy.cli.opening import open_home, open_memories, print_json
from knowwhy.cli.whose import asker, typed, words
from knowwhy.config import Settings
from knowwhy.errors import BadInput
from knowwhy.text.question.question_times import dated, left_out
from knowwhy.types import SOURCES, Asker, Filters

if TYPE_CHECKING:
    from knowwhy.retrieval.search import Answer

USERS = (
    click.option("--user", help="Whose memories too; the user of the operating system by default."),
    click.option("--everybody", is_flag=True, help="Only what is everybody's, nobody's memories."),
)
FILTERS = (
    click.option("--project", help="Only this project, and what belongs to none."),
    click.option("--service", help="Only this service."),
    click.option("--kind", "kinds", multiple=True, help="Only this kind; can be given again."),
)
TIMES = (
    click.option("--since", help="Only from this time on: 2024-03, 2023-Q3, '2 weeks', …"),
    click.option("--until", help="Only up to the end of this time: 2023, 'last month', …"),
)
JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON; see `knowwhy docs json`.")


def filtered(command: Any) -> Any:
    """Adds the options that limit a search."""
    for option in (*reversed(TIMES), *FILTERS):
        command = option(command)
    return command


def timed(command: Any) -> Any:
    """Adds the options that limit a list to a time."""
    for option in reversed(TIMES):
        command = option(command)
    return command


def users(command: Any) -> Any:
    """Adds the options that say whose memories are searched."""
    for option in reversed(USERS):
        command = option(command)
    return command


def asked(command: Any) -> Any:
    """Adds the options of a question."""
    options = (
        click.option("--deep", "rerank", flag_value="deep", help="Read more candidates again."),
        click.option("--fast", "rerank", flag_value="none", help="Do not read them again."),
        click.option("--pool", help="Only what this pool lends to an agent of yours."),
        click.option("--explain", is_flag=True, help="Show what each leg says, and the times."),
        JSON,
        *reversed(TIMES),
        *FILTERS,
        *reversed(USERS),
        click.option("--k", default=5, show_default=True, help="How many hits to give."),
        words("question"),
    )
    for option in options:
        command = option(command)
    return command


@click.command("search")
@asked
def search_command(**given: Any) -> None:
    """Ask a question; answers name their sources.

    Records answer, and what the one who asks has told or said.
    """
    _answer(SOURCES, **given)


@click.command("recall")
@asked
def recall_command(**given: Any) -> None:
    """Ask only what was told or said.

    Memories and turns answer, and no records.
    """
    _answer(("memories", "turns"), **given)


def _answer(
    sources: tuple[str, ...],
    *,
    question: str,
    k: int,
    user: str | None,
    everybody: bool,
    kinds: tuple[str, ...],
    service: str | None,
    project: str | None,
    pool: str | None,
    as_json: bool,
    explain: bool,
    rerank: str | None,
    since: str | None,
    until: str | None,
) -> None:
    within = dated(since, until)
    who = asker(user, project, everybody=everybody)
    settings = Settings.from_environ()
    embedder = open_memories(settings)
    pool = typed({"pool": pool, "user": user, "project": project, "everybody": everybody})["pool"]
    from knowwhy.retrieval.pooled import in_pool
    from knowwhy.retrieval.search import search

    filters = Filters(kinds or None, service, project, who, sources, dated=within)
    filters = in_pool(filters, pool)
    check_filters(filters)
    answer = search(
        question,
        embedder=embedder,
        reranker=settings.reranker,
        k=k,
        filters=filters,
        rerank=rerank or "default",
    )
    hand_out(answer, filters, who, as_json=as_json, explain=explain)


def check_filters(filters: Filters) -> None:
    """Refuses a kind that there is none of."""
    from knowwhy.grounding.claims import KINDS as SAID
    from knowwhy.ingest.syncing.layout import KINDS
    from knowwhy.retrieval.narrowed import check_kinds
    from knowwhy.tables.values import values

    if filters.kinds is not None:
        stored = values(filters.project, filters.asker).kinds
        check_kinds(filters.kinds, (*KINDS, *SAID, "turn"), stored)


def tell_unknown(filters: Filters, answer: "Answer") -> None:
    """Names a service or project that nothing is of, and that nothing found is of either."""
    from knowwhy.retrieval.narrowed import unknown_names

    found = [hit.passage for hit in answer.hits]
    services, projects = {one.service for one in found}, {one.project for one in found}
    unseen = replace(
        filters,
        service=None if filters.service in services else filters.service,
        project=None if filters.project in projects else filters.project,
    )
    for said in unknown_names(unseen):
        say(f"note: {said}", err=True)


def hand_out(
    answer: "Answer",
    filters: Filters,
    who: Asker,
    *,
    as_json: bool,
    explain: bool = False,
    agent: str | None = None,
) -> None:
    """Prints an answer, and notes that it was given."""
    from knowwhy.cli.pages import answer_as_json, print_answer
    from knowwhy.retrieval.noted import note

    if as_json:
        print_json(answer_as_json(answer, explain=explain))
    else:
        print_answer(answer, explain=explain)
        tell_unknown(filters, answer)
    note(answer, filters, user_id=who.user_id, agent_id=agent)


@click.command("show")
@words("key")
@JSON
def show_command(key: str, as_json: bool) -> None:
    """Show one record with its links.

    KEY is a key, or what only one record is called: a label or number (ADR-5, decision 5), a path
    or the end of one, a title.
    """
    open_home(Settings.from_environ())
    from knowwhy.cli.pages import print_record, record_as_json
    from knowwhy.graph.live import current
    from knowwhy.graph.near import linked_from, records_called
    from knowwhy.tables import queries

    record = queries.record(key, named=lambda name: records_called(current(), name))
    incoming = linked_from(current(), record)
    if as_json:
        shown = record_as_json(record)
        shown["linked_from"] = [{"key": k, **asdict(edge)} for k, edge in incoming]
        print_json(shown)
    else:
        print_record(record, incoming)


@click.command("list")
@click.option("--kind", help="Only this kind.")
@click.option("--limit", type=int, help="How many at most; all when left out.")
@click.option("--retired", is_flag=True, help="Also those whose source is gone.")
@timed
@JSON
def list_command(
    kind: str | None,
    limit: int | None,
    retired: bool,
    since: str | None,
    until: str | None,
    as_json: bool,
) -> None:
    """List the records.

    They come in the order of their keys.
    """
    within = dated(since, until)
    if limit is not None and limit < 1:
        raise BadInput("--limit must be at least 1.")
    open_home(Settings.from_environ())
    from knowwhy.cli.pages import listed_as_json, print_list
    from knowwhy.ingest.syncing.layout import KINDS
    from knowwhy.retrieval.narrowed import check_kinds
    from knowwhy.tables import queries
    from knowwhy.tables.values import values

    records = list(queries.records(kind, retired=retired, limit=limit, within=within))
    if kind is not None and not records:
        check_kinds([kind], KINDS, values(None, None).kinds)
    undated = queries.count_undated(kind, retired=retired) if within else 0
    if as_json:
        print_json([listed_as_json(record) for record in records])
    else:
        if not records:
            say(
                _none(kind, is_limited=bool(within), is_empty=values(None, None).are_none),
                err=True,
            )
        print_list(records)
    if undated:
        say(f"note: {left_out(undated)}", err=True)


def _none(kind: str | None, *, is_limited: bool, is_empty: bool) -> str:
    """Says why a list is empty."""
    from knowwhy.retrieval.narrowed import NO_RECORDS

    if is_empty:
        return NO_RECORDS
    of_kind = f"of the kind {kind!r}" if kind else "there"
    return f"No record {'of that time ' if is_limited else ''}is {of_kind}."
