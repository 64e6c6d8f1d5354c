"""Reads source files."""

import codecs
import re
from pathlib import Path

from knowwhy.errors import BadInput
from knowwhy.ingest.files import BOMS, decode
from knowwhy.ingest.load import LeftOut
from knowwhy.text.characters import check_characters
from knowwhy.text.importing.imported import GO_MOD, PYTHON
from knowwhy.text.source.languages import is_data, is_generated, language_of
from knowwhy.types import Draft

DATA_BYTES = 100_000  # of a file of data; longer ones are fixtures, dumps and catalogues
COOKIE_BYTES = 400  # the two lines in which a file may name its encoding

_COOKIE = re.compile(rb"coding[:=][ \t]{0,8}([-\w.]{1,40})")  # PEP 263, as Emacs and Vim write it
_GO_MODULE = re.compile(r"^module[ \t]{1,8}\"?([\w./~-]{1,300})", re.MULTILINE)
_ENCODINGS = re.compile(  # that are of text; Python knows others, which are programs
    r"(?:iso[-_]?8859|latin|cp\d|windows[-_]?\d|koi8|mac[-_]?|gb|big5|euc|shift|utf[-_]?(?:8|16|32))"
)


def read_program(raw: bytes, path: str, file: Path) -> Draft:
    """Reads a source file; one that was generated, or holds nothing but data, is left out."""
    text, language = check_program(raw, path)
    metadata = {"language": language}
    if module := module_of(file) or go_module(path, text):
        metadata["module"] = module
    return Draft("", "code", path, text, path=path, metadata=metadata)


def check_program(raw: bytes, path: str) -> tuple[str, str]:
    """Gives the text and the language of a source file that is worth a record."""
    text = _decoded(raw)
    if not text.strip():
        raise LeftOut("is empty")
    if why := is_generated("", text):
        raise LeftOut(f"is {why}")
    language = language_of(path, text)
    if language is None or (is_data(language) and len(raw) > DATA_BYTES):
        raise LeftOut("is data")
    return text, language


def _decoded(raw: bytes) -> str:
    """Turns bytes into text by the encoding that the file names, else as any other text."""
    if not raw.strip():
        raise LeftOut("is empty")
    named = _COOKIE.search(b"\n".join(raw[:COOKIE_BYTES].splitlines()[:2]))
    if named is None or raw[:2] in BOMS:
        return decode(raw)
    name = named[1].decode("ascii", "replace").lower()
    try:
        if not _ENCODINGS.match(name) or codecs.lookup(name).name in ("utf-8", "ascii"):
            return decode(raw)
        return check_characters(raw.decode(name).replace("\r\n", "\n"))
    except (LookupError, UnicodeDecodeError):
        raise BadInput(f"is not in the encoding that it names ({name})") from None


def module_of(file: Path) -> str | None:
    """Returns the dotted name of a Python file in packages, by the folders that are packages."""
    if file.suffix not in PYTHON:
        return None
    parts = [] if file.stem == "__init__" else [file.stem]
    folder = file.parent
    while (folder / "__init__.py").is_file() and folder.name.isidentifier():
        parts.append(folder.name)
        folder = folder.parent
    return ".".join(reversed(parts)) if len(parts) > 1 or file.stem == "__init__" else None


def go_module(path: str, text: str) -> str | None:
    """Returns what a `go.mod` calls its module; the packages below it are imported by that name."""
    found = _GO_MODULE.search(text) if path.rpartition("/")[2] == GO_MOD else None
    return found[1] if found else None
