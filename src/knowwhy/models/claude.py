"""Facts of a turn, read by one of Anthropic's small models.

The key is taken from ANTHROPIC_API_KEY by their library and appears nowhere else.
"""

import hashlib
import json
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from knowwhy.errors import BadInput, Error, ModelBusy, ModelUnavailable, UnusableAnswer
from knowwhy.models.claude_prompt import (
    API_VERSION,
    KINDS,
    LONGEST_FACT,
    MOST_FACTS,
    TOOL,
    TOOL_NAME,
    asked,
    instructions,
)
from knowwhy.text.redact import redact
from knowwhy.types import Fact, Json

if TYPE_CHECKING:
    from anthropic import Anthropic

MODEL = "claude-haiku-4-5-20251001"  # the newest small model that still takes a temperature
TIMEOUT_SECONDS = 60.0  # of one call; an answer of the longest length takes about 20
MOST_TOKENS = 2_000  # of an answer: some twenty facts
BYTES_PER_TOKEN = 2.5  # fewer than texts have: what a call may cost is not guessed too low
LONGEST_REASON = 200  # characters of the service's own words in an error

# Dollars for a million tokens, in and out; platform.claude.com, prices of November 2026.
PRICES = {
    "claude-haiku-4-5": (1.0, 5.0),
    "claude-haiku-4-5-20251001": (1.0, 5.0),
    "claude-haiku-5-5": (0.1, 0.5),
}
DEAREST = (10.0, 50.0)  # the dearest model's, for one whose price is not known here
CHOICE: dict[str, Json] = {
    "type": "tool",
    "name": TOOL_NAME,
    "disable_parallel_tool_use": True,
}
WITH_TEMPERATURE = ("claude-haiku-4-5",)  # later models refuse the parameter


@dataclass(frozen=True, slots=True)
class Usage:
    """What one call used, and what that costs."""

    tokens_in: int
    tokens_out: int
    micro_dollars: int


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
    return _price(model, round(len(told.encode()) / BYTES_PER_TOKEN), MOST_TOKENS)


def read(content: str, context: str | None, role: str | None, model: str) -> Answer:
    """Asks a model for the facts of a turn, once; errors of the service are raised."""
    anthropic = _library()
    try:
        response = _client().messages.with_raw_response.create(
            model=model,
            max_tokens=MOST_TOKENS,
            system=instructions(),
            messages=[{"role": "user", "content": asked(content, context, role)}],
            extra_body={"tools": [TOOL], "tool_choice": CHOICE, **_sampling(model)},
        )
    except anthropic.APIStatusError as error:
        raise _refused(error) from None  # its own text holds the request
    except anthropic.APITimeoutError:
        late = f"{model} did not answer within {TIMEOUT_SECONDS:.0f} s."
        raise ModelBusy(late, cost=True) from None
    except anthropic.APIConnectionError as error:
        raise ModelBusy(f"{model} cannot be reached: {type(error).__name__}.") from None
    message = _message(response.http_response.content)
    usage = _usage(message, model)
    try:
        return Answer(_facts(message, content), usage)
    except UnusableAnswer as error:
        return Answer((), usage, str(error))


def _message(sent: bytes) -> dict[str, Json]:
    """Reads an answer, which may come from something that only stands in the way."""
    try:
        told = json.loads(sent)
    except (ValueError, RecursionError):
        told = None
    used = told.get("usage") if isinstance(told, dict) else None
    counts = [used.get(name) for name in ("input_tokens", "output_tokens")] if used else [None]
    if all(isinstance(count, int) for count in counts) and isinstance(told["content"], list):
        return dict(told)
    raise ModelBusy("The Anthropic API answered something that is no message.", cost=True)


def _library() -> Any:
    """Imports Anthropic's library, which only those need who use it."""
    try:
        import anthropic
    except ImportError:
        raise ModelUnavailable(
            "KNOWWHY_EXTRACTOR is anthropic; run `pip install 'knowwhy[anthropic]'`, or set it to "
            "rules."
        ) from None
    return anthropic


@cache
def _client() -> "Anthropic":
    client: Anthropic = _library().Anthropic(
        timeout=TIMEOUT_SECONDS,
        max_retries=0,  # who asks knows what else waits, and what may still be spent
        default_headers={"anthropic-version": API_VERSION},
    )
    if not client.api_key:
        raise ModelUnavailable(
            "KNOWWHY_EXTRACTOR is anthropic and ANTHROPIC_API_KEY is not set; set it, or set "
            "KNOWWHY_EXTRACTOR to rules."
        )
    return client


def forget_client() -> None:
    """Lets the next call read the key and the address anew."""
    _client.cache_clear()


def _sampling(model: str) -> dict[str, Json]:
    """Gives what makes answers repeatable, as far as a model lets itself be told."""
    if model.startswith(WITH_TEMPERATURE):
        return {"temperature": 0}
    return {"thinking": {"type": "disabled"}}


def _usage(message: dict[str, Json], model: str) -> Usage:
    used = message["usage"]
    cached = ("cache_creation_input_tokens", "cache_read_input_tokens")
    tokens_in = used["input_tokens"] + sum(used.get(name) or 0 for name in cached)
    tokens_out = used["output_tokens"]
    return Usage(tokens_in, tokens_out, _price(model, tokens_in, tokens_out))


def _price(model: str, tokens_in: int, tokens_out: int) -> int:
    dollars_in, dollars_out = PRICES.get(model, DEAREST)
    return round(tokens_in * dollars_in + tokens_out * dollars_out)  # a dollar a million: micro


def _refused(error: Any) -> Error:
    """Tells what the service said, without the request and its headers."""
    status = int(error.status_code)
    words = redact(str(error.api_message or error.type or ""))[:LONGEST_REASON]
    said = f"{status}{': ' if words else ''}{words}"
    if status in (401, 403):
        return ModelUnavailable(f"ANTHROPIC_API_KEY is not accepted ({status}); set a valid one.")
    if status in (408, 409, 429) or status >= 500:
        return ModelBusy(f"The Anthropic API asks to wait ({said}).", _wait(error))
    return ModelUnavailable(f"The Anthropic API refuses the call ({said}).")


def _wait(error: Any) -> float | None:
    try:
        return max(0.0, float(error.response.headers.get("retry-after", "")))
    except ValueError:
        return None


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
