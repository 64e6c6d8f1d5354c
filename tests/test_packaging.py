"""What a stranger installs: the wheel with its pages, and pins that their Python can take."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PYTHONS = ("3.11.0", "3.12.0", "3.13.0")  # the oldest of each that the classifiers name
SYSTEMS = ("x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu", "aarch64-apple-darwin")
OLDEST_MACOS = "14.0"  # that ONNX Runtime has wheels for
UNREACHED = re.compile(r"fetch|connect|dns|timed out|network|certificate", re.IGNORECASE)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel of this checkout, built as whoever publishes it does."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """Runs a command with the wheel's own files only: nothing of the checkout is in reach."""
    folder = tmp_path_factory.mktemp("site")
    zipfile.ZipFile(wheel).extractall(folder)
    start = (
        "import sys; sys.path.insert(0, sys.argv.pop(1)); import knowwhy;"
        "assert knowwhy.__file__.startswith(sys.path[0]); from knowwhy.cli import main; main()"
    )

    def run(*arguments):
        return subprocess.run(
            [sys.executable, "-c", start, str(folder), *arguments],
            cwd=folder, capture_output=True, text=True, env={**os.environ, "PAGER": "cat"},
        )  # fmt: skip

    return run


def test_the_pages_that_messages_point_to_come_with_the_wheel(installed):
    listed = installed("docs")
    assert 0 == listed.returncode, listed.stderr
    wanted = {page.stem for folder in ("docs", "runbooks") for page in (ROOT / folder).glob("*.md")}
    assert wanted == set(re.findall(r"^  (\S+)", listed.stdout, re.MULTILINE))

    for named in ("recall-drift", "runbooks/recall-drift.md", "Recall-Drift"):
        shown = installed("docs", named)
        assert (ROOT / "runbooks" / "recall-drift.md").read_text() == shown.stdout
    assert (ROOT / "docs" / "json.md").read_text() == installed("docs", "json").stdout


def test_a_page_that_is_not_there_is_refused_in_a_sentence(installed):
    refused = installed("docs", "../../etc/passwd")
    assert 0 != refused.returncode
    assert "There is no page '../../etc/passwd'; `knowwhy docs` lists them." in refused.stderr


def test_messages_name_pages_that_there_are():
    named = set()
    for file in (ROOT / "src").rglob("*.py"):
        text = file.read_text(encoding="utf-8")
        named |= set(re.findall(r"`knowwhy docs ([a-z][a-z-]*)`", text))
        assert not re.search(r"see docs/|says? runbooks/|;\s+runbooks/CODE", text), file
    assert {"json", "jsonl", "backup"} <= named
    pages = {p.stem for folder in ("docs", "runbooks") for p in (ROOT / folder).glob("*.md")}
    assert set() == named - pages


def test_the_wheel_says_what_it_is(wheel):
    with zipfile.ZipFile(wheel) as packed:
        name = next(n for n in packed.namelist() if n.endswith(".dist-info/METADATA"))
        told = Parser().parsestr(packed.read(name).decode())
        assert any(n.endswith("knowwhy/py.typed") for n in packed.namelist())
    said = told.get_all("Classifier")
    for python in PYTHONS:
        assert f"Programming Language :: Python :: {python.rpartition('.')[0]}" in said
    assert "Typing :: Typed" in said
    assert told["Keywords"]


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("python", PYTHONS)
def test_every_pin_can_be_had_for_the_oldest_and_newest_python(python, system, tmp_path):
    uv = shutil.which("uv", path=str(Path(sys.executable).parent)) or shutil.which("uv")
    assert uv, "uv is not installed; it comes with the dev extra"
    told = tmp_path / "resolved.txt"
    extras = [word for extra in PROJECT["optional-dependencies"] for word in ("--extra", extra)]
    resolve = [
        uv, "pip", "compile", "pyproject.toml", *extras, "-c", "constraints.txt", "-q",
        "--python-version", python, "--python-platform", system, "--only-binary", ":all:",
        "--no-header", "--no-annotate", "-o", str(told),
    ]  # fmt: skip
    environ = {**os.environ, "MACOSX_DEPLOYMENT_TARGET": OLDEST_MACOS}
    done = subprocess.run(resolve, cwd=ROOT, env=environ, capture_output=True, text=True)
    if done.returncode and "No solution" not in done.stderr and UNREACHED.search(done.stderr):
        pytest.skip("the package index cannot be reached")

    assert 0 == done.returncode, done.stderr
    pins = (ROOT / "constraints.txt").read_text(encoding="utf-8").casefold().replace("_", "-")
    got = re.findall(r"^([\w.-]+==\S+)", told.read_text().casefold(), re.MULTILINE)
    assert len(got) > len(PROJECT["dependencies"])
    assert [] == [pin for pin in got if pin not in pins.split() and not _is_of_gpu(pin)]


def _is_of_gpu(pin: str) -> bool:
    """Tells what torch of the public index brings along, which nobody pins."""
    return pin.startswith(("nvidia-", "cuda-", "triton"))
