"""The reference engine: sentence-transformers on torch, and the export from it to ONNX."""

import contextlib
import importlib.util
import logging
import shutil
import tempfile
import time
import warnings
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from knowwhy.errors import ModelUnavailable
from knowwhy.models import recipes
from knowwhy.models.weights import (
    ONNX,
    REFERENCE,
    Weights,
    cache_dir,
    find,
    remembered_sha256,
    sha256,
    verify_pin,
)
from knowwhy.models.weights import weights_digest as digest_of

if TYPE_CHECKING:
    from sentence_transformers import CrossEncoder, SentenceTransformer

LOG = logging.getLogger(__name__)

BATCH = 8  # texts; as the fast engine
AGREES_AT = 1e-3  # greatest difference of one number between torch and the export; seen: 1e-6
LEFTOVER_AFTER = 3600.0  # seconds; an unfinished export older than this belongs to nobody
TEMPORARY = ".partial-"
CHATTY = ("torch.onnx", "torch.onnx._internal.exporter._registration", "onnxscript", "onnx_ir")


def reference_embed(texts: Sequence[str], name: str, *, query: bool = False) -> NDArray[np.float32]:
    """Embed with sentence-transformers on torch: slower, and what the fast engine must equal."""
    weights = find(name)
    recipe = recipes.read(weights)
    vectors = _transformer(weights).encode(
        list(texts),
        prompt=(recipe.query_prefix if query else recipe.text_prefix) or None,
        batch_size=BATCH,
        normalize_embeddings=True,
        show_progress_bar=False,
    )
    return np.asarray(vectors, dtype=np.float32).reshape(len(texts), recipe.dimensions)


def installed() -> bool:
    """Say whether sentence-transformers can be imported."""
    return importlib.util.find_spec("sentence_transformers") is not None


def reference_scores(question: str, texts: Sequence[str], name: str) -> list[float]:
    """Score texts by a cross-encoder on torch, higher better."""
    import torch

    scores = _cross_encoder(find(name)).predict(
        [(question, text) for text in texts],
        batch_size=BATCH,
        activation_fn=torch.nn.Identity(),
        show_progress_bar=False,
    )
    return [float(score) for score in scores]


def token_vectors(text: str, name: str) -> NDArray[np.float32]:
    """Give the network's vector for each token of one text."""
    model = _transformer(find(name))
    vectors: Any = model.encode(text, output_value="token_embeddings", show_progress_bar=False)
    return np.asarray(vectors, dtype=np.float32)


def export(name: str) -> Path:
    """Give the model's ONNX file: its own, the one exported before, or a new export."""
    weights = find(name)
    if weights.file.name == ONNX:
        return weights.file
    return exported(weights) or _export(weights)


def exported(weights: Weights) -> Path | None:
    """Give the export made before, if its content is still what it was."""
    for file in sorted(_folder(weights).glob("model-*.onnx")):
        with contextlib.suppress(FileNotFoundError):  # another process may have removed it
            if file.stem.removeprefix("model-") == remembered_sha256(file):
                return file
            LOG.warning("%s is damaged; it is exported again", file)
            file.unlink()
    return None


def _folder(weights: Weights) -> Path:
    return cache_dir() / "onnx" / digest_of(weights)


def _export(weights: Weights) -> Path:
    """Write an export beside its final name and move it there: nobody sees half of it."""
    verify_pin(weights, weights.file)
    folder = _folder(weights)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _sweep(folder)
        with tempfile.TemporaryDirectory(dir=folder, prefix=TEMPORARY) as temporary:
            partial = Path(temporary) / ONNX
            _write(weights, partial)
            return partial.replace(folder / f"model-{sha256(partial)}.onnx")
    except OSError as error:
        raise ModelUnavailable(
            f"the export cannot be kept in {folder} ({error}): set KNOWWHY_CACHE to a folder"
        ) from error


def _sweep(folder: Path) -> None:
    """Remove what killed exports have left."""
    for leftover in folder.glob(f"{TEMPORARY}*"):
        if time.time() - leftover.stat().st_mtime > LEFTOVER_AFTER:
            shutil.rmtree(leftover, ignore_errors=True)


def _write(weights: Weights, file: Path) -> None:
    with _quiet(f"the export of {weights.name}"):
        import torch
        from transformers import AutoModel, AutoTokenizer

        folder = str(weights.folder)
        model = AutoModel.from_pretrained(folder, local_files_only=True, dtype=torch.float32)
        model.eval()
        model.config.return_dict = False  # a plain tuple, the last hidden state first
        tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
        given = dict(tokenizer(["one text", "a longer text"], padding=True, return_tensors="pt"))
        any_size = {0: torch.export.Dim.DYNAMIC, 1: torch.export.Dim.DYNAMIC}
        torch.onnx.export(
            model,
            args=(),
            kwargs=given,
            f=str(file),
            input_names=list(given),
            output_names=["last_hidden_state"],
            dynamic_shapes=dict.fromkeys(given, any_size),
            dynamo=True,
            external_data=False,
            verbose=False,
        )
        _compare(model, given, file)


def _compare(model: Any, given: dict[str, Any], file: Path) -> None:
    """Refuse an export that does not compute what torch computes."""
    import torch
    from onnxruntime import InferenceSession

    with torch.no_grad():
        expected = model(**given)[0].numpy()
    session = InferenceSession(str(file), providers=["CPUExecutionProvider"])
    actual = session.run(None, {name: value.numpy() for name, value in given.items()})[0]
    difference = float(np.abs(expected - actual).max())
    if not difference < AGREES_AT:
        raise ModelUnavailable(f"the export {file} differs from torch by {difference:.2g}")


@lru_cache(maxsize=2)  # embedders in use by one process
def _transformer(weights: Weights) -> "SentenceTransformer":
    verify_pin(weights, weights.file)
    with _quiet(f"the embedder {weights.name}"):
        from sentence_transformers import SentenceTransformer

        return SentenceTransformer(str(weights.folder), device="cpu", local_files_only=True)


@lru_cache(maxsize=2)  # rerankers in use by one process
def _cross_encoder(weights: Weights) -> "CrossEncoder":
    with _quiet(f"the reranker {weights.name}"):
        from sentence_transformers import CrossEncoder

        model: CrossEncoder = CrossEncoder(str(weights.folder), device="cpu", local_files_only=True)
        return model


@contextlib.contextmanager
def _quiet(what: str) -> Iterator[None]:
    """Keep the libraries' progress and advice off the terminal, and name what is missing."""
    levels = {name: logging.getLogger(name).level for name in CHATTY}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in CHATTY:
            logging.getLogger(name).setLevel(logging.ERROR)
        try:
            _hide_progress()
            yield
        except ImportError as error:
            raise ModelUnavailable(
                f"{what} needs {error.name or error}: install {REFERENCE}"
            ) from error
        except _refusals() as error:
            first = str(error).partition("\n")[0]
            raise ModelUnavailable(f"{what} failed: {first}") from error
        finally:
            for name, level in levels.items():
                logging.getLogger(name).setLevel(level)


def _refusals() -> tuple[type[Exception], ...]:
    """Give the errors by which the libraries refuse weights."""
    from safetensors import SafetensorError

    return OSError, RuntimeError, ValueError, SafetensorError


def _hide_progress() -> None:
    from transformers.utils import logging as theirs

    theirs.disable_progress_bar()
