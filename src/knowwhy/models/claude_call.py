"""One call of Anthropic's API: what is asked, what came, what it cost, and what went wrong.

The key is taken from ANTHROPIC_API_KEY by their library and appears nowhere else.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from knowwhy.errors import Error, ModelBusy, ModelUnavailable
from knowwhy.text.secrets.redact import redact
from knowwhy.types import Json

if TYPE_CHECKING:
    from anthropic import Anthropic

API_VERSION = "2023-06-01"  # the last that takes a temperature at all
TIMEOUT_SECONDS = 60.0  # of one call; an answer of the longest length takes about 20
BYTES_PER_TOKEN = 2.5  # fewer than texts have: what a call may cost is not guessed too low
LONGEST_REASON = 200  # characters of the service's own words in an error
OWN = ("model", "max_tokens", "system", "messages")  # that their library takes by name

# Dollars for a million tokens, in and out; platform.claude.com, prices of November 2026.
PRICES = {
    "claude-haiku-4-5": (1.0, 5.0),
    "claude-haiku-4-5-20251001": (1.0, 5.0),
    "claude-haiku-5-5": (0.1, 0.5),
    "claude-sonnet-4-6": (3.0, 15.0),
    "claude-sonnet-5": (3.0, 15.0),
    "claude-opus-4-8": (5.0, 25.0),
}
DEAREST = (10.0, 50.0)  # the dearest model's, for one whose price is not known here


@dataclass(frozen=True, slots=True)
class Usage:
    """What one call used, and what that costs."""

    tokens_in: int
    tokens_out: int
    micro_dollars: int


def ask(body: Mapping[str, Json], setting: str) -> dict[str, Json]:
    """Asks a model once and gives its message; errors of the service are raised.

    `setting` is the variable that asks for it: what is missing is said in its name.
    """
    anthropic, model = _library(setting), body["model"]
    own: dict[str, Any] = {name: body[name] for name in OWN}
    more = {name: value for name, value in body.items() if name not in OWN}
    try:
        response = _client(setting).messages.with_raw_response.create(**own, extra_body=more)
    except anthropic.APIStatusError as error:
        raise _refused(error) from None  # its own text holds the request
    except anthropic.APITimeoutError:
        late = f"{model} did not answer within {TIMEOUT_SECONDS:.0f} s."
        raise ModelBusy(late, cost=True) from None
    except anthropic.APIConnectionError as error:
        raise ModelBusy(f"{model} cannot be reached: {type(error).__name__}.") from None
    return _message(response.http_response.content)


def usage(message: Mapping[str, Json], model: str) -> Usage:
    """Gives what a call has used."""
    used = message["usage"]
    cached = ("cache_creation_input_tokens", "cache_read_input_tokens")
    tokens_in = used["input_tokens"] + sum(used.get(name) or 0 for name in cached)
    tokens_out = used["output_tokens"]
    return Usage(tokens_in, tokens_out, _price(model, tokens_in, tokens_out))


def most_micro_dollars(told: str, model: str, most_tokens: int) -> int:
    """Gives what a call can cost at most that tells so much, in millionths of a dollar."""
    return _price(model, round(len(told.encode()) / BYTES_PER_TOKEN), most_tokens)


def forget_client() -> None:
    """Lets the next call read the key and the address anew."""
    _client.cache_clear()


def _price(model: str, tokens_in: int, tokens_out: int) -> int:
    dollars_in, dollars_out = PRICES.get(model, DEAREST)
    return round(tokens_in * dollars_in + tokens_out * dollars_out)  # a dollar a million: micro


def _library(setting: str) -> Any:
    """Imports Anthropic's library, which only those need who use it."""
    try:
        import anthropic
    except ImportError:
        raise ModelUnavailable(
            f"{setting} is anthropic; run `pip install 'knowwhy[anthropic]'`, or set it to rules."
        ) from None
    return anthropic


@cache
def _client(setting: str) -> "Anthropic":
    client: Anthropic = _library(setting).Anthropic(
        timeout=TIMEOUT_SECONDS,
        max_retries=0,  # who asks knows what else waits, and what may still be spent
        default_headers={"anthropic-version": API_VERSION},
    )
    if not client.api_key:
        raise ModelUnavailable(
            f"{setting} is anthropic and ANTHROPIC_API_KEY is not set; set it, or set {setting} to "
            "rules."
        )
    return client


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
