import pytest

from knowwhy import models
from knowwhy.models import embedder, reranker


@pytest.fixture
def unloaded(monkeypatch):
    monkeypatch.setattr(reranker, "_loaded", {})
    monkeypatch.setattr(embedder, "_loaded", {})


@pytest.mark.usefixtures("unloaded")
def test_what_has_its_file_is_loaded_early_and_nothing_is_exported(tmp_path):
    (tmp_path / "model.safetensors").write_bytes(b"to be exported")
    before = models.weights.cache_dir()
    models.set_cache_dir(tmp_path)
    try:
        models.load_early(str(tmp_path), "ms-marco-minilm")
    finally:
        models.set_cache_dir(before)

    assert ["ms-marco-minilm"] == list(reranker._loaded)
    assert [] == list(embedder._loaded)
    assert not list(tmp_path.rglob("*.onnx"))


@pytest.mark.usefixtures("unloaded")
@pytest.mark.parametrize(
    "name", ["wordhash", "none", "late-interaction", "org/of-a-hub", "/no/such"]
)
def test_what_needs_more_than_a_file_is_left_for_later(name):
    models.load_early(name, name)

    assert [] == [*reranker._loaded, *embedder._loaded]
