"""The fast engine: a tokenizer and ONNX Runtime, without torch."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from knowwhy.errors import ModelUnavailable
from knowwhy.models.weights import read_json

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Encoding, Tokenizer

THREADS = 2  # batches at once; a laptop's two fast cores
# Each batch runs on one thread: two inside a batch wait for each other at every layer. Alone that
# is 42 against 45 passages/s, beside a busy writer 46 against 57.
THREADS_IN_A_BATCH = 1
CHARACTERS_PER_TOKEN = 100  # BERT makes one [UNK] of any longer word, so no text loses tokens
PAD = "[PAD]"  # the padding token where a tokenizer names none

Item = TypeVar("Item")
Result = TypeVar("Result")

_threads = THREADS


@dataclass(frozen=True, slots=True)
class Engine:
    """A loaded model: text in, the network's first output out."""

    session: "InferenceSession"
    tokenizer: "Tokenizer"
    inputs: tuple[str, ...]
    max_tokens: int


def set_threads(count: int) -> None:
    """Let this many batches run at once."""
    global _threads
    _threads = max(1, count)


def spread(work: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
    """Work on several items at once, giving the results in their order."""
    if _threads == 1 or len(items) < 2:
        return map(work, items)
    return _pool(_threads).map(work, items)


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, thread_name_prefix="model")


def load(onnx: Path, tokenizer: Path, max_tokens: int) -> Engine:
    """Load an ONNX file and the tokenizer that belongs to it."""
    session = _session(onnx)
    inputs = tuple(given.name for given in session.get_inputs())
    return Engine(session, _tokenizer(tokenizer, max_tokens), inputs, max_tokens)


def encode(engine: Engine, texts: Sequence[str]) -> list["Encoding"]:
    """Tokenize one batch of texts, padded to the longest of them."""
    return engine.tokenizer.encode_batch_fast([_clean(text, engine) for text in texts])


def encode_pair(engine: Engine, first: str, second: str) -> list["Encoding"]:
    """Tokenize a batch of one pair; the longer of the two is cut first."""
    return engine.tokenizer.encode_batch_fast([(_clean(first, engine), _clean(second, engine))])


def run(engine: Engine, encodings: Sequence["Encoding"]) -> NDArray[np.float32]:
    """Give the network's first output for one tokenized batch."""
    columns = {
        "input_ids": [encoding.ids for encoding in encodings],
        "attention_mask": [encoding.attention_mask for encoding in encodings],
        "token_type_ids": [encoding.type_ids for encoding in encodings],
    }
    feed = {name: np.array(columns[name], dtype=np.int64) for name in engine.inputs}
    output: NDArray[np.float32] = engine.session.run(None, feed)[0]
    return output


def mask(encodings: Sequence["Encoding"]) -> NDArray[np.float32]:
    """Give 1 for each token of a text and 0 for padding."""
    return np.array([encoding.attention_mask for encoding in encodings], dtype=np.float32)


def own_tokens(encoding: "Encoding") -> NDArray[np.bool_]:
    """Say which tokens are the text's own; where there are none, the ones that frame it."""
    real = np.array(encoding.attention_mask, dtype=bool)
    own = real & ~np.array(encoding.special_tokens_mask, dtype=bool)
    return own if own.any() else real


def _session(onnx: Path) -> "InferenceSession":
    from onnxruntime import GraphOptimizationLevel, InferenceSession, SessionOptions
    from onnxruntime.capi import onnxruntime_pybind11_state as refusals

    options = SessionOptions()
    options.intra_op_num_threads = THREADS_IN_A_BATCH
    options.inter_op_num_threads = 1  # the graph is one chain
    options.graph_optimization_level = GraphOptimizationLevel.ORT_ENABLE_ALL
    options.log_severity_level = 3  # errors; its warnings are about the graph, not about us
    try:
        return InferenceSession(str(onnx), options, providers=["CPUExecutionProvider"])
    except (refusals.Fail, refusals.InvalidGraph, refusals.InvalidProtobuf) as error:
        raise ModelUnavailable(f"{onnx} cannot be loaded: {error}") from error


def _tokenizer(file: Path, max_tokens: int) -> "Tokenizer":
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(file))
    pad = _pad_token(file)
    tokenizer.enable_truncation(max_length=max_tokens)
    tokenizer.no_padding()  # a file may carry a fixed width
    tokenizer.enable_padding(pad_id=tokenizer.token_to_id(pad) or 0, pad_token=pad)
    return tokenizer


def _pad_token(tokenizer: Path) -> str:
    config: dict[str, Any] = read_json(tokenizer.parent / "tokenizer_config.json") or {}
    pad = config.get("pad_token") or PAD
    return str(pad["content"] if isinstance(pad, dict) else pad)


def _clean(text: str, engine: Engine) -> str:
    """Cut what cannot be read anyway, and replace what is no valid Unicode."""
    cut = text[: engine.max_tokens * CHARACTERS_PER_TOKEN]
    return cut.encode("utf-8", "replace").decode("utf-8")
