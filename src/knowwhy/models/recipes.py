"""How a network's token vectors become one vector: read from the small files beside it."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from knowwhy.errors import ModelUnavailable
from knowwhy.models.weights import Weights, read_json

MAX_TOKENS = 512  # where nothing says less; BERT's own limit
POOLED_HERE = ("mean", "cls")  # the two poolings the fast engine does
PLAIN = ("Transformer", "Pooling", "Normalize")  # modules the fast engine stands in for
QUERY_PROMPTS = ("query",)  # names sentence-transformers gives a question's prefix
TEXT_PROMPTS = ("document", "passage", "corpus")  # and a text's
SCORES_PAIRS = "SequenceClassification"  # in the name of a cross-encoder's network
BGE_QUERY = "Represent this sentence for searching relevant passages: "  # from its model card
NO_PROMPTS = {"bge-small": (BGE_QUERY, "")}  # models whose folder does not say its prompts
NO_POOLING = {"bge-small": "cls"}  # models whose folder does not say its pooling


@dataclass(frozen=True, slots=True)
class Recipe:
    """What turns texts into vectors besides the weights themselves."""

    dimensions: int
    max_tokens: int
    pooling: str
    query_prefix: str
    text_prefix: str
    fast: bool  # whether pooling here gives what sentence-transformers gives


@lru_cache(maxsize=16)  # models in use by one process; a handful
def read(weights: Weights) -> Recipe:
    """Read the recipe of an embedder from its folder."""
    modules: list[dict[str, Any]] = read_json(weights.folder / "modules.json") or []
    kinds = [str(module["type"]).rpartition(".")[2] for module in modules]
    pooling = _pooling(weights, modules)
    query, text = _prefixes(weights)
    return Recipe(
        dimensions=_dimensions(weights, modules, pooling),
        max_tokens=max_tokens(weights),
        pooling=pooling[0],
        query_prefix=query,
        text_prefix=text,
        fast=len(pooling) == 1 and pooling[0] in POOLED_HERE and set(kinds) <= set(PLAIN),
    )


def _pooling(weights: Weights, modules: list[dict[str, Any]]) -> list[str]:
    config = _module_config(weights, modules, "Pooling")
    if config.get("include_prompt") is False:
        return ["without prompt"]
    if "pooling_mode" in config:
        modes = config["pooling_mode"]
        return [modes] if isinstance(modes, str) else list(modes)
    flags = [key for key, on in config.items() if key.startswith("pooling_mode_") and on is True]
    short = [flag.removeprefix("pooling_mode_").removesuffix("_tokens") for flag in flags]
    return [mode.removesuffix("_token") for mode in short] or [NO_POOLING.get(weights.name, "mean")]


def _dimensions(weights: Weights, modules: list[dict[str, Any]], pooling: list[str]) -> int:
    dense = _module_config(weights, modules, "Dense").get("out_features")
    if dense:
        return int(dense)
    config = read_json(weights.folder / "config.json") or {}
    width = config.get("hidden_size") or config.get("dim")
    if not width:
        raise ModelUnavailable(f"model {weights.name}: {weights.folder} does not say its width")
    return int(width) * len(pooling)


def is_cross_encoder(weights: Weights) -> bool:
    """Say whether the weights score pairs; a folder that says nothing is taken at its name."""
    config = read_json(weights.folder / "config.json") or {}
    kinds: list[str] = config.get("architectures") or [SCORES_PAIRS]
    return any(SCORES_PAIRS in kind for kind in kinds)


def max_tokens(weights: Weights) -> int:
    """Give how many tokens the model reads: the least that its files say."""
    said = [
        (read_json(weights.folder / file) or {}).get(key)
        for file, key in (
            ("sentence_bert_config.json", "max_seq_length"),
            ("tokenizer_config.json", "model_max_length"),
            ("config.json", "max_position_embeddings"),
        )
    ]
    return min([int(limit) for limit in said if limit] or [MAX_TOKENS])


def _prefixes(weights: Weights) -> tuple[str, str]:
    if weights.name in NO_PROMPTS:
        return NO_PROMPTS[weights.name]
    config = read_json(weights.folder / "config_sentence_transformers.json") or {}
    prompts: dict[str, str] = config.get("prompts") or {}
    return _first(prompts, QUERY_PROMPTS), _first(prompts, TEXT_PROMPTS)


def _first(prompts: dict[str, str], names: tuple[str, ...]) -> str:
    return next((prompts[name] for name in names if prompts.get(name)), "")


def _module_config(weights: Weights, modules: list[dict[str, Any]], kind: str) -> dict[str, Any]:
    """Give the config of the last module of a kind."""
    for module in reversed(modules):
        if str(module["type"]).rpartition(".")[2] == kind:
            config: dict[str, Any] = read_json(weights.folder / module["path"] / "config.json")
            return config or {}
    return {}
