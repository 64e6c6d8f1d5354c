"""A cache folder of the test run's own, and small real networks to try folders with."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from knowwhy.models import weights


@pytest.fixture(scope="session")
def exports(tmp_path_factory):
    """The folder in which this run keeps what it exports: made once, used by all."""
    return tmp_path_factory.mktemp("exports")


@pytest.fixture(autouse=True)
def cache(exports, monkeypatch):
    monkeypatch.setattr(weights, "_cache_dir", exports)
    return exports


@pytest.fixture
def python():
    """Run a program in a Python of its own, as a user's process would."""

    def run(program: str, *arguments: object) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", program, *map(str, arguments)],
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=300,  # seconds; an export takes eight on a laptop
            env={**os.environ, "HF_HUB_OFFLINE": "1"},
        )

    return run


@pytest.fixture(scope="session")
def tiny_network(tmp_path_factory):
    """Save a BERT of 2 layers and 16 numbers, with the tokenizer that bge-small carries."""

    def save(kind: str, seed: int) -> Path:
        transformers = pytest.importorskip("transformers", reason="needs knowwhy[reference]")
        torch = pytest.importorskip("torch", reason="needs knowwhy[reference]")
        torch.manual_seed(seed)
        folder = tmp_path_factory.mktemp(f"tiny_{kind.lower()}")
        config = transformers.BertConfig(
            hidden_size=16,
            num_hidden_layers=2,
            num_attention_heads=2,
            intermediate_size=32,
            num_labels=1,
        )
        getattr(transformers, kind)(config).eval().save_pretrained(folder)
        carried = weights.find("bge-small").folder
        for name in ("tokenizer.json", "tokenizer_config.json", "vocab.txt"):
            (folder / name).write_bytes((carried / name).read_bytes())
        return folder

    return save
