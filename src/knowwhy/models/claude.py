"""Facts of a turn, read by one of Anthropic's small models."""

import hashlib
import json
from dataclasses import dataclass

from knowwhy.errors import BadInput, UnusableAnswer
from knowwhy.models import claude_call
from knowwhy.models.claude_call import Usage, forget_client
from knowwhy.models.claude_prompt import (
    KINDS,
    LONGEST_FACT,
    MOST_FACTS,
    TOOL,
    TOOL_NAME,
    asked,
    instructions,
)
from knowwhy.text.secrets.redact import redact
from knowwhy.types import Fact, Json

__all__ = ["MODEL", "Answer", "Usage", "forget_client", "most_micro_dollars", "read", "version"]

SETTING = "KNOWWHY_EXTRACTOR"
MODEL = "claude-haiku-4-5-20251001"  # the newest small model that still takes a temperature
MOST_TOKENS = 2_000  # of an answer: some twenty facts
CHOICE: dict[str, Json] = {
    "type": "tool",
    "name": TOOL_NAME,
    "disable_parallel_tool_use": True,
}
WITH_TEMPERATURE = ("claude-haiku-4-5",)  # later models refuse the parameter


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model answered to one turn: facts, or why they cannot be used; paid either way."""

    facts: tuple[Fact, ...]
    usage: Usage
    unusable: str | None = None


def version(model: str) -> str:
    """Names a model and everything that it is told."""
    if not model or ":" in model or model != model.strip():
        raise BadInput(f"KNOWWHY_EXTRACTOR_MODEL is {model!r}; it must be the id of a model.")
    told = json.dumps([instructions(), TOOL, _sampling(model), MOST_TOKENS], sort_keys=True)
    return f"anthropic:{model}:{hashlib.sha256(told.encode()).hexdigest()[:8]}"


def most_micro_dollars(content: str, context: str | None, model: str) -> int:
    """Gives what reading a turn can cost at most."""
    told = instructions() + json.dumps(TOOL) + asked(content, context, None)
    return claude_call.most_micro_dollars(told, model, MOST_TOKENS)


def read(content: str, context: str | None, role: str | None, model: str) -> Answer:
    """Asks a model for the facts of a turn, once; errors of the service are raised."""
    body = {
        "model": model,
        "max_tokens": MOST_TOKENS,
        "system": instructions(),
        "messages": [{"role": "user", "content": asked(content, context, role)}],
        "tools": [TOOL],
        "tool_choice": CHOICE,
        **_sampling(model),
    }
    message = claude_call.ask(body, SETTING)
    usage = claude_call.usage(message, model)
    try:
        return Answer(_facts(message, content), usage)
    except UnusableAnswer as error:
        return Answer((), usage, str(error))


def _sampling(model: str) -> dict[str, Json]:
    """Gives what makes answers repeatable, as far as a model lets itself be told."""
    if model.startswith(WITH_TEMPERATURE):
        return {"temperature": 0}
    return {"thinking": {"type": "disabled"}}


def _facts(message: dict[str, Json], content: str) -> tuple[Fact, ...]:
    """Reads the facts of an answer; one whose quote is not in the turn is left out."""
    if message.get("stop_reason") == "refusal":
        raise UnusableAnswer("The model declined to read the turn.")
    if message.get("stop_reason") == "max_tokens":
        raise UnusableAnswer(f"The answer was cut off after {MOST_TOKENS} tokens.")
    blocks = [block for block in message["content"] if isinstance(block, dict)]
    given = [block.get("input") for block in blocks if block.get("name") == TOOL_NAME]
    if len(given) != 1 or not isinstance(given[0], dict):
        raise UnusableAnswer("The answer holds no list of facts.")
    listed = given[0].get("facts")
    if not isinstance(listed, list) or len(listed) > MOST_FACTS:
        raise UnusableAnswer(f"The answer is no list of at most {MOST_FACTS} facts.")
    said = _flat(content)
    read = [_checked(item, number) for number, item in enumerate(listed)]
    kept = [fact for fact in read if _flat(fact[2]) in said]
    return tuple(Fact(number, *fact) for number, fact in enumerate(kept))


def _checked(item: Json, number: int) -> tuple[str, str, str, float]:
    """Gives kind, content, quote and confidence of one fact as they must be."""
    if not isinstance(item, dict):
        raise UnusableAnswer(f"Fact {number} is no object.")
    kind, content, quote = item.get("kind"), item.get("content"), item.get("quote")
    sure = item.get("confidence")
    if kind not in KINDS:
        raise UnusableAnswer(f"Fact {number} is of no known kind.")
    for name, text in (("content", content), ("quote", quote)):
        if not isinstance(text, str) or not text.strip() or len(text) > LONGEST_FACT:
            raise UnusableAnswer(f"The {name} of fact {number} is no text of a fitting length.")
    if isinstance(sure, bool) or not isinstance(sure, int | float) or not 0 <= sure <= 1:
        raise UnusableAnswer(f"The confidence of fact {number} is no number from 0 to 1.")
    return str(kind), redact(str(content).strip()), redact(str(quote).strip()), float(sure)


def _flat(text: str) -> str:
    return " ".join(text.split()).casefold()
