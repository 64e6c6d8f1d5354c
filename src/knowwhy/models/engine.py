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
ENCODED_AT_ONCE = 512  # texts; the tokenizer's own form of one takes about 20 kB
# On one thread the fused operator is slower than its two parts: a pair takes 15.8 ms with it, 13.6
# without, and 8 texts are embedded in 97 ms or 86.
SLOW_FUSIONS = ["SkipLayerNormFusion"]
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
    pad_id: int


@dataclass(frozen=True, slots=True)
class Tokens:
    """One text or pair as a network reads it."""

    ids: NDArray[np.int64]
    types: NDArray[np.int64]
    own: NDArray[np.bool_]  # false for the tokens that only frame it


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
    reader = _tokenizer(tokenizer, max_tokens)
    pad_id = reader.token_to_id(_pad_token(tokenizer)) or 0
    return Engine(session, reader, inputs, max_tokens, pad_id)


def encode(engine: Engine, texts: Sequence[str]) -> list[Tokens]:
    """Tokenize texts, each at its own length."""
    found: list[Tokens] = []
    for start in range(0, len(texts), ENCODED_AT_ONCE):
        cleaned = [_clean(text, engine) for text in texts[start : start + ENCODED_AT_ONCE]]
        found += map(_tokens, engine.tokenizer.encode_batch_fast(cleaned))
    return found


def encode_pair(engine: Engine, first: str, second: str) -> Tokens:
    """Tokenize one pair; the longer of the two is cut first."""
    pair = (_clean(first, engine), _clean(second, engine))
    return _tokens(engine.tokenizer.encode_batch_fast([pair])[0])


def run(engine: Engine, rows: Sequence[Tokens]) -> NDArray[np.float32]:
    """Give the network's first output for one batch, padded to the longest of its texts."""
    real = mask(rows)
    columns = {name: np.zeros(real.shape, dtype=np.int64) for name in engine.inputs}
    for row, tokens in enumerate(rows):
        size = len(tokens.ids)
        for name, values in (("input_ids", tokens.ids), ("token_type_ids", tokens.types)):
            if name in columns:
                columns[name][row, :size] = values
                columns[name][row, size:] = engine.pad_id if name == "input_ids" else 0
    if "attention_mask" in columns:
        columns["attention_mask"][:] = real
    output: NDArray[np.float32] = engine.session.run(None, columns)[0]
    return output


def mask(rows: Sequence[Tokens]) -> NDArray[np.float32]:
    """Give 1 for each token of a text and 0 for padding."""
    sizes = np.array([len(tokens.ids) for tokens in rows])
    return (np.arange(sizes.max()) < sizes[:, np.newaxis]).astype(np.float32)


def own_tokens(tokens: Tokens) -> NDArray[np.bool_]:
    """Say which tokens are the text's own; where there are none, the ones that frame it."""
    return tokens.own if tokens.own.any() else np.ones_like(tokens.own)


def _tokens(encoding: "Encoding") -> Tokens:
    own = ~np.array(encoding.special_tokens_mask, dtype=bool)
    return Tokens(np.array(encoding.ids), np.array(encoding.type_ids), own)


def _session(onnx: Path) -> "InferenceSession":
    from onnxruntime import GraphOptimizationLevel, InferenceSession, SessionOptions
    from onnxruntime.capi import onnxruntime_pybind11_state as refusals

    options = SessionOptions()
    options.intra_op_num_threads = THREADS_IN_A_BATCH
    options.inter_op_num_threads = 1  # the graph is one chain
    options.graph_optimization_level = GraphOptimizationLevel.ORT_ENABLE_ALL
    options.log_severity_level = 3  # errors; its warnings are about the graph, not about us
    try:
        return InferenceSession(
            str(onnx), options, ["CPUExecutionProvider"], disabled_optimizers=SLOW_FUSIONS
        )
    except (refusals.Fail, refusals.InvalidGraph, refusals.InvalidProtobuf) as error:
        raise ModelUnavailable(f"{onnx} cannot be loaded: {error}") from error


def _tokenizer(file: Path, max_tokens: int) -> "Tokenizer":
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(file))
    tokenizer.enable_truncation(max_length=max_tokens)
    tokenizer.no_padding()  # a file may carry a fixed width
    return tokenizer


def _pad_token(tokenizer: Path) -> str:
    config: dict[str, Any] = read_json(tokenizer.parent / "tokenizer_config.json") or {}
    pad = config.get("pad_token") or PAD
    return str(pad["content"] if isinstance(pad, dict) else pad)


def _clean(text: str, engine: Engine) -> str:
    """Cut what cannot be read anyway, and replace what is no valid Unicode."""
    cut = text[: engine.max_tokens * CHARACTERS_PER_TOKEN]
    return cut.encode("utf-8", "replace").decode("utf-8")
