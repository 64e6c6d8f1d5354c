import os
import subprocess
import sys
import time

import numpy as np
import pytest

from carried import NEEDS_REFERENCE
from knowwhy import models
from knowwhy.errors import ModelUnavailable
from knowwhy.models import reference, weights

EMBED = """
import sys
from pathlib import Path
from knowwhy import models
models.set_cache_dir(Path(sys.argv[1]))
models.embed(["a text"], "minilm").tofile(sys.argv[2])
"""
WITHOUT_TORCH = "import sys\nsys.modules['torch'] = None\n"

pytestmark = pytest.mark.model


@NEEDS_REFERENCE
def test_an_export_is_kept_under_the_hash_of_the_weights_and_its_own(exports):
    file = models.export("minilm")
    assert exports / "onnx" / weights.sha256(weights.find("minilm").file) == file.parent
    assert f"model-{weights.sha256(file)}.onnx" == file.name
    assert [file] == list(file.parent.iterdir())
    assert file == models.export("minilm")


def test_weights_that_are_onnx_already_are_used_as_they_are():
    assert weights.find("bge-small").file == models.export("bge-small")


@NEEDS_REFERENCE
@pytest.mark.slow
def test_two_processes_that_export_at_once_both_embed_and_print_nothing(tmp_path):
    folder = tmp_path / "onnx" / weights.weights_digest(weights.find("minilm"))
    killed_long_ago(folder)
    vectors = [tmp_path / "one", tmp_path / "two"]
    running = [
        subprocess.Popen(
            [sys.executable, "-c", EMBED, tmp_path, out],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for out in vectors
    ]
    printed = [process.communicate(timeout=300) for process in running]  # seconds
    assert [(b"", b"")] * 2 == printed
    expected = models.embed(["a text"], "minilm")[0]
    for out in vectors:
        assert np.allclose(expected, np.fromfile(out, dtype=np.float32), atol=1e-5)
    for file in folder.iterdir():
        assert f"model-{weights.sha256(file)}.onnx" == file.name


@NEEDS_REFERENCE
@pytest.mark.slow
def test_a_damaged_export_is_made_again_with_a_warning(tmp_path, python):
    intact = models.export("minilm")
    damaged = tmp_path / "onnx" / intact.parent.name / intact.name
    damaged.parent.mkdir(parents=True)
    damaged.write_bytes(intact.read_bytes()[:-1] + b"!")
    done = python(EMBED, tmp_path, tmp_path / "out")
    assert "" == done.stdout
    assert f"{damaged} is damaged; it is exported again\n" == done.stderr
    expected = models.embed(["a text"], "minilm")[0]
    assert np.allclose(expected, np.fromfile(tmp_path / "out", dtype=np.float32), atol=1e-5)
    assert reference.exported(weights.find("minilm")) is not None


@NEEDS_REFERENCE
def test_without_torch_an_export_made_before_is_enough(python, exports, tmp_path):
    models.export("minilm")
    done = python(WITHOUT_TORCH + EMBED, exports, tmp_path / "out")
    assert "" == done.stderr
    expected = models.embed(["a text"], "minilm")[0]
    assert np.allclose(expected, np.fromfile(tmp_path / "out", dtype=np.float32), atol=1e-6)


@NEEDS_REFERENCE
@NEEDS_REFERENCE
def test_without_torch_and_without_an_export_one_line_says_what_to_install(python, tmp_path):
    done = python(WITHOUT_TORCH + EMBED, tmp_path, tmp_path / "out")
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith("knowwhy.errors.ModelUnavailable: ")
    assert last.endswith("needs torch: install knowwhy[reference]")


@NEEDS_REFERENCE
def test_where_nothing_can_be_written_the_reference_embeds(python, tmp_path):
    blocked = tmp_path / "a-file-and-no-folder"
    blocked.write_text("", "utf-8")
    done = python(EMBED, blocked, tmp_path / "out")
    assert "" == done.stdout
    assert "minilm runs on torch" in done.stderr
    assert "set KNOWWHY_CACHE to a folder" in done.stderr
    expected = models.embed(["a text"], "minilm")[0]
    assert np.allclose(expected, np.fromfile(tmp_path / "out", dtype=np.float32), atol=1e-5)


def test_an_export_that_computes_something_else_is_refused(tiny_network, tmp_path):
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    one = weights.find(str(tiny_network("BertModel", seed=6)))
    other = transformers.AutoModel.from_pretrained(tiny_network("BertModel", seed=7)).eval()
    other.config.return_dict = False
    file = tmp_path / "model.onnx"
    reference._write(one, file)
    ids = torch.ones((2, 5), dtype=torch.long)
    given = {"input_ids": ids, "attention_mask": ids, "token_type_ids": 0 * ids}
    with pytest.raises(ModelUnavailable, match="differs from torch by"):
        reference._compare(other, given, file)


def killed_long_ago(folder):
    """Leave what an export that was killed two hours ago has left."""
    half = folder / ".partial-killed"
    half.mkdir(parents=True)
    (half / "model.onnx").write_bytes(b"half a")
    then = time.time() - 7200  # seconds
    os.utime(half, (then, then))
