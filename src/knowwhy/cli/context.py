"""The command that packs an answer for a model: context."""

from dataclasses import asdict

import click

from knowwhy.cli.ask import JSON, check_filters, filtered, tell_unknown, users
from knowwhy.cli.opening import open_memories, print_json
from knowwhy.cli.whose import asker, words
from knowwhy.config import Settings
from knowwhy.errors import BadInput
from knowwhy.retrieval.context.portions import LEAST_BUDGET
from knowwhy.text.characters import one_line
from knowwhy.text.question.question_times import dated

K = 10  # hits that are asked for; the budget decides how many of them go in


@click.command("context")
@words("question")
@click.option("--tokens", type=int, help="Tokens at most; by default two thirds of five hits'.")
@users
@filtered
@JSON
def context_command(
    question: str,
    tokens: int | None,
    user: str | None,
    everybody: bool,
    kinds: tuple[str, ...],
    service: str | None,
    project: str | None,
    since: str | None,
    until: str | None,
    as_json: bool,
) -> None:
    """Pack what answers a question for a model.

    What is found is shortened to a number of tokens, fenced as data, each item with its source.
    """
    if tokens is not None and tokens < LEAST_BUDGET:
        raise BadInput(f"--tokens must be at least {LEAST_BUDGET}.")
    within = dated(since, until)
    who = asker(user, project, everybody=everybody)
    settings = Settings.from_environ()
    embedder = open_memories(settings)
    from knowwhy.retrieval.context.blocks import brief, pack
    from knowwhy.retrieval.noted import note
    from knowwhy.retrieval.search import search
    from knowwhy.types import Filters

    filters = Filters(kinds or None, service, project, who, dated=within)
    check_filters(filters)
    answer = search(question, embedder=embedder, reranker=settings.reranker, k=K, filters=filters)
    packed = pack(answer, brief(answer) if tokens is None else tokens)
    if as_json:
        knows = {"knows": answer.knows, "unknown": list(answer.unknown)}
        notes = {"notes": list(answer.notes)}
        print_json({"question": answer.question, **knows, **asdict(packed), **notes})
    else:
        click.echo(packed.text)
        for said in answer.notes:
            click.echo(f"note: {one_line(said)}", err=True)
        tell_unknown(filters, answer)
    size = len(packed.text.encode())
    note(answer, filters, user_id=who.user_id, payload_bytes=size, packed=packed.traced())
