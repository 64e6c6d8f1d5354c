"""Tells which repository a folder belongs to, by where it comes from and never by its name."""

import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

from knowwhy.errors import BadInput
from knowwhy.session.command import answered
from knowwhy.text.secrets.redact import redact

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_SHORT = re.compile(r"(?:[^/:@]+@)?(\[[^\]/]+\]|[^/:@\[\]]+):(?!//)(.*)", re.DOTALL)  # host:path
_DRIVE = re.compile(r"[A-Za-z]:[\\/]")
NO_SUCH = 2  # what git gives for a remote that has no URL
USUAL_PORTS = {"http": 80, "https": 443, "git": 9418}


def identity_of(root: Path, common: Path) -> str:
    """Names a repository by its remote, else by the folder that all its work trees share."""
    names = _told(root, "remote").splitlines()
    if names:
        remote = "origin" if "origin" in names else min(names)
        told = _told(root, "remote", "get-url", "--", remote).partition("\n")[0].strip()
        if told:
            return redact(normal_url(told, common))
    return name_without_remote(common)


def name_without_remote(common: Path) -> str:
    """Names a repository that has no remote, or had none yet, by the folder of its git."""
    return f"git:{common}"


def _told(root: Path, *question: str) -> str:
    """Asks for remotes; what git cannot tell is not taken for a repository without any."""
    said = answered(root, *question)
    if said.code not in (0, NO_SUCH):
        raise BadInput(redact(f"git does not tell the remotes of {root}: {said.complaint}"))
    return said.text()


def normal_url(url: str, common: Path) -> str:
    """Writes the URL of a remote in the one form that ssh and https have in common.

    Without user, password, query, `.git` and the port of ssh, which the web address of the same
    host does not have.
    """
    if _SCHEME.match(url):
        try:
            parts = urlsplit(url)
            host, port = parts.hostname or "", parts.port
        except ValueError:  # a port that is no number
            return redact(url)
        scheme = parts.scheme.lower().removeprefix("git+")
        if scheme == "file" or not host:
            return _local(unquote(parts.path), common)
        keeps_port = scheme in USUAL_PORTS and port not in (None, USUAL_PORTS[scheme])
        return f"{_host(host)}{f':{port}' if keeps_port else ''}/{_path(unquote(parts.path))}"
    short = _SHORT.fullmatch(url)
    if short and not _DRIVE.match(url):
        return f"{_host(short[1])}/{_path(short[2])}"
    return _local(url, common)


def _host(host: str) -> str:
    return host.lower().rstrip(".")


def _path(path: str) -> str:
    """Gives the path of a remote as its host shows it."""
    words = [word for word in path.split("/") if word]
    return "/".join(words).removesuffix(".git")


def _local(path: str, common: Path) -> str:
    """Names a remote on this machine; a relative one is seen from the work tree."""
    folder = Path(path).expanduser() if path.startswith("~/") else Path(path)
    base = common.parent if common.name == ".git" else common
    place = (base / folder).resolve().as_posix()
    return f"git:{place.removesuffix('/.git')}"
