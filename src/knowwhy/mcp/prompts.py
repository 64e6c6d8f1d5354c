"""Prompts that a user picks: each puts what the memory knows before the work that is asked for."""

from collections.abc import Mapping
from dataclasses import dataclass

import mcp_types as types

from knowwhy.errors import BadInput, NotFound
from knowwhy.mcp.arguments import check_size
from knowwhy.mcp.caller import Caller

MOST_GIVEN = 20_000  # characters of an argument; a longer discussion is a file
CONTEXT_TOKENS = 2_500  # of what the memory puts in front
ASKED_CHARS = 1_500  # of what is given, as the question to the memory


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt: what it is for, its one argument, and what it asks to be done."""

    description: str
    argument: str
    about: str
    kinds: tuple[str, ...] | None
    task: str


PROMPTS = {
    "plan_change": Prompt(
        "Plan a change, the invariants upstream of it first.",
        "change",
        "What is to be changed.",
        None,
        "Plan this change. First list the invariants upstream of it: decisions, specifications and "
        "lessons of incidents that bind it, each with its key and whether it still holds; look "
        "further with semantic_search, graph and why. Say which of them the change touches and "
        "what must happen to them. Only then give the steps, the tests, and what could go wrong.",
    ),
    "write_adr": Prompt(
        "Write an ADR from this discussion.",
        "discussion",
        "What was discussed and decided.",
        ("adr", "meeting"),
        "Write an architecture decision record from this discussion: title, status, date, context, "
        "the decision in one sentence, the options with why they were not taken, consequences, and "
        "links (Supersedes, Requires, References) to the records above that it touches. State only "
        "what the discussion or a cited record says; list what is still open. Afterwards save it "
        "where the decisions stand and take it in with ingest_adr.",
    ),
    "write_postmortem": Prompt(
        "Write a post-mortem.",
        "incident",
        "What happened, as far as it is known.",
        ("incident",),
        "Write a blameless post-mortem: summary, severity, impact, timeline with times, causes, "
        "what helped, what did not, lessons, and actions with owners. Compare with the incidents "
        "above: say plainly if a lesson was known. State only what is given or cited; mark what is "
        "unknown. Afterwards keep it with ingest_incident or as a file with ingest.",
    ),
}


def listed() -> list[types.Prompt]:
    """Lists the prompts."""
    return [
        types.Prompt(
            name=name,
            description=prompt.description,
            arguments=[
                types.PromptArgument(name=prompt.argument, description=prompt.about, required=True)
            ],
        )
        for name, prompt in PROMPTS.items()
    ]


def written(caller: Caller, name: str, given: Mapping[str, str]) -> str:
    """Writes a prompt: what the memory knows about what is given, then the task."""
    if name not in PROMPTS:
        raise NotFound(f"There is no such prompt; there are {', '.join(PROMPTS)}.")
    prompt = PROMPTS[name]
    check_size(given)
    text = given.get(prompt.argument, "").strip()
    if not text or set(given) != {prompt.argument}:
        raise BadInput(f"{name} takes one argument, {prompt.argument}: {prompt.about}")
    if len(text) > MOST_GIVEN:
        raise BadInput(f"{prompt.argument} has more than {MOST_GIVEN:,} characters.")
    known = _known(caller, text, prompt.kinds)
    return f"{prompt.task}\n\n{prompt.argument}:\n{text}\n\nWhat is known already:\n{known}"


def _known(caller: Caller, text: str, kinds: tuple[str, ...] | None) -> str:
    from knowwhy.mcp.asked import asked, noted
    from knowwhy.retrieval.context.blocks import pack

    filters = caller.filters(kinds)
    answer = asked(caller, " ".join(text[:ASKED_CHARS].split()), 10, filters)
    packed = pack(answer, CONTEXT_TOKENS)
    noted(caller, answer, filters, packed)
    return packed.text
