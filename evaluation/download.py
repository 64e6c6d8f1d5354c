"""What an install downloads: `python -m evaluation.download [--extra NAME]… [--json]`.

Resolves the install as a stranger's pip would, against the public index alone and under
constraints.txt, and adds up the files by the index's own sizes. Nothing is installed.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from email.message import Message
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

from evaluation.homes import ROOT

INDEX = "https://pypi.org/simple"
SHOWN = 12  # packages, the largest
SECONDS = 60  # for one answer of the index
AT_ONCE = 8
MB = 1_000_000


class Unreachable(Exception):
    """The index does not answer."""


class Unresolved(Exception):
    """The index answers, and pip finds no versions that go together."""


@dataclass(frozen=True, slots=True)
class Download:
    """One file that an install downloads."""

    name: str
    version: str
    size: int  # bytes


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints what is downloaded, the largest first, and the sum."""
    parser = argparse.ArgumentParser(prog="python -m evaluation.download", description=__doc__)
    parser.add_argument("--extra", action="append", default=[], help="an extra of the project")
    parser.add_argument("--json", action="store_true", dest="as_json", help="for programs")
    given = parser.parse_args(arguments)
    try:
        found = downloads(given.extra)
    except (Unreachable, Unresolved) as error:
        raise SystemExit(str(error)) from None
    total = sum(one.size for one in found)
    if given.as_json:
        sizes = {one.name: one.size for one in found}
        print(json.dumps({"bytes": total, "packages": sizes}))
        return
    for one in found[:SHOWN]:
        print(f"{one.size / MB:8.1f} MB  {one.name} {one.version}")
    rest = found[SHOWN:]
    print(f"{sum(one.size for one in rest) / MB:8.1f} MB  {len(rest)} others")
    print(f"{total / MB:8.1f} MB  in all, {len(found)} packages ({total:,} bytes)")


def downloads(extras: Sequence[str] = ()) -> list[Download]:
    """Gives the files that an install with these extras downloads, the largest first."""
    _asked(f"{INDEX}/pip/")
    with ThreadPoolExecutor(AT_ONCE) as pool:
        found = list(pool.map(_measured, _resolved(extras)))
    return sorted(found, key=lambda one: (-one.size, one.name))


def _resolved(extras: Sequence[str]) -> list[dict[str, Any]]:
    """Lets pip say what it would install, whatever this machine has set for it."""
    wanted = f"{ROOT}[{','.join(extras)}]" if extras else str(ROOT)
    clean = {k: v for k, v in os.environ.items() if not k.startswith("PIP_") or k == "PIP_CERT"}
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        asked = ["--dry-run", "--ignore-installed", "--quiet", "--report", str(report)]
        where = ["--index-url", INDEX, "--constraint", str(ROOT / "constraints.txt")]
        done = subprocess.run(
            [sys.executable, "-m", "pip", "install", *asked, *where, wanted],
            env={**clean, "PIP_CONFIG_FILE": os.devnull},
            capture_output=True,
            text=True,
        )
        if done.returncode != 0:
            last = (done.stderr.strip().splitlines() or ["pip says nothing"])[-1]
            raise Unresolved(f"The install cannot be resolved against {INDEX}: {last}")
        found: list[dict[str, Any]] = json.loads(report.read_text("utf-8"))["install"]
    return [one for one in found if not one["download_info"]["url"].startswith("file:")]


def _measured(one: dict[str, Any]) -> Download:
    about = one["metadata"]
    size = int(_asked(one["download_info"]["url"])["Content-Length"])
    return Download(about["name"], about["version"], size)


def _asked(url: str) -> Message:
    """Gives what the index says of a file without sending it."""
    try:
        with urlopen(Request(url, method="HEAD"), timeout=SECONDS) as answer:
            told: Message = answer.headers
            return told
    except OSError as error:
        raise Unreachable(f"The package index does not answer at {url}: {error}") from error


if __name__ == "__main__":
    main()
