import json
import re
import shutil

import pytest

from carried import EMBEDDERS
from knowwhy import models
from knowwhy.errors import ModelUnavailable
from knowwhy.models import weights

TAG = re.compile(r"[a-z0-9_]{1,40}")


def folder_with(path, content: bytes, config: dict | None = None):
    path.mkdir(parents=True, exist_ok=True)
    (path / "model.safetensors").write_bytes(content)
    (path / "config.json").write_text(json.dumps(config or {"hidden_size": 12}), "utf-8")
    return path


@pytest.mark.parametrize(
    ("name", "tag"),
    [
        ("minilm", "minilm_53aa5117"),
        ("bge-small", "bge_small_68807e3f"),
        ("ms-marco-minilm", "ms_marco_minilm_1225ccd6"),
        ("late-interaction", "late_interaction_v1"),
        ("none", "none"),
    ],
)
def test_the_tag_of_a_bundled_setting_never_changes(name, tag):
    assert tag == models.tag(name)


@pytest.mark.parametrize("folder", ["plain", "With Spaces & Größe", "x" * 90, "...", "Ünïcödé"])
def test_the_tag_of_a_folder_is_a_part_of_an_identifier(tmp_path, folder):
    path = folder_with(tmp_path / folder, b"weights") if folder != "..." else tmp_path
    folder_with(path, b"weights")
    assert TAG.fullmatch(models.tag(str(path)))


def test_the_tag_of_a_folder_follows_its_weights(tmp_path):
    before = models.tag(str(folder_with(tmp_path / "mine", b"one")))
    assert before == models.tag(str(tmp_path / "mine"))
    assert before != models.tag(str(folder_with(tmp_path / "mine", b"another")))


def test_the_tag_of_a_folder_follows_its_pooling(tmp_path):
    folder = folder_with(tmp_path / "mine", b"one")
    before = models.tag(str(folder))
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text('{"pooling_mode": "cls"}', "utf-8")
    assert before != models.tag(str(folder))


def test_a_hash_is_remembered_on_disk_and_read_again_when_the_file_changes(tmp_path, cache):
    file = tmp_path / "weights"
    file.write_bytes(b"one")
    first = weights.remembered_sha256(file)
    assert first in {note.read_text() for note in (cache / "hashes").iterdir()}
    file.write_bytes(b"three")
    assert weights.sha256(file) == weights.remembered_sha256(file)
    assert first != weights.remembered_sha256(file)


def test_the_width_of_a_folder_is_read_from_its_config(tmp_path):
    assert 12 == models.dimensions(str(folder_with(tmp_path / "mine", b"not even weights")))


def test_a_folder_that_does_not_say_its_width_is_refused(tmp_path):
    folder = folder_with(tmp_path / "mine", b"weights", config={"model_type": "bert"})
    with pytest.raises(ModelUnavailable, match="does not say its width"):
        models.dimensions(str(folder))


def test_a_folder_whose_config_is_broken_is_refused_by_name(tmp_path):
    folder = folder_with(tmp_path / "mine", b"weights")
    (folder / "config.json").write_text("{", "utf-8")
    with pytest.raises(ModelUnavailable, match=r"config\.json is not valid JSON"):
        models.dimensions(str(folder))


def test_an_empty_folder_is_refused(tmp_path):
    with pytest.raises(ModelUnavailable, match=r"neither model\.onnx nor model\.safetensors"):
        models.embed(["text"], str(tmp_path))


def test_a_word_that_names_nothing_is_refused_with_the_choices():
    with pytest.raises(ModelUnavailable, match="none of bge-small"):
        models.embed(["text"], "nonsense")


def test_a_hub_model_that_cannot_be_had_says_what_to_do(monkeypatch, tmp_path):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    name = "knowwhy-tests/there-is-no-such-model"
    with pytest.raises(ModelUnavailable) as refusal:
        models.embed(["text"], name)
    assert name in str(refusal.value)
    assert "use one of bge-small, ms-marco-minilm, minilm, wordhash" in str(refusal.value)
    assert "set KNOWWHY_EMBEDDER" in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_a_bundled_model_whose_files_are_gone_says_what_to_do(tmp_path):
    with pytest.raises(ModelUnavailable, match=r"reinstall knowwhy\[reference\]$"):
        weights.find("minilm", site=tmp_path)
    with pytest.raises(ModelUnavailable, match=r"reinstall knowwhy$"):
        weights.find("bge-small", site=tmp_path)


def test_a_package_that_is_not_installed_is_named(monkeypatch):
    monkeypatch.setitem(
        weights.BUNDLED, "minilm", weights.Bundled("no-such-package", "x", "y", {"y": "0"})
    )
    with pytest.raises(ModelUnavailable, match="no-such-package, which is not installed: install"):
        weights.find("minilm")


@pytest.mark.model
def test_weights_with_one_byte_flipped_are_refused(tmp_path):
    carried = weights.find("ms-marco-minilm")
    copy = tmp_path / weights.BUNDLED["ms-marco-minilm"].folder
    shutil.copytree(carried.folder, copy)
    found = weights.find("ms-marco-minilm", site=tmp_path)
    weights.verify_pin(found, found.file)
    flip(found.file)
    with pytest.raises(ModelUnavailable, match=r"model\.onnx is not the pinned file"):
        weights.verify_pin(found, found.file)


@pytest.mark.model
@pytest.mark.parametrize("name", [*EMBEDDERS, "ms-marco-minilm"])
def test_bundled_weights_are_the_pinned_ones(name):
    assert f"{name}: {models.tag(name)} in " in models.verify(name)
    assert "hashes right" in models.verify(name)


@pytest.mark.parametrize("name", ["wordhash", "none", "late-interaction"])
def test_settings_without_weights_are_always_well(name):
    assert f"{name}: needs no weights" == models.verify(name)


def flip(file):
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
