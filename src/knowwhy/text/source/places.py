"""Tells where in its tree a piece of code belongs, when only the code and an id are given."""

import re
from pathlib import PurePosixPath

from knowwhy.text.importing.python_imports import is_python
from knowwhy.text.patterns import regex
from knowwhy.text.source.languages import language_of

_HEAD = regex(  # a comment that is nothing but a path, as many tools put above a file
    r"(?:#!?|//|--|;+|%|/\*+|<!--)[ \t]{0,8}(?:(?:file|path)(?:name)?:[ \t]{0,8})?"
    r"([\w@.+-][\w@.+/-]{0,300}\.\w{1,10})[ \t]{0,8}(?:\*/|-->)?[ \t\r]{0,8}(?:\n|$)",
    re.IGNORECASE,
)
_MODULE = regex(r"[^\W\d]\w{0,99}(?:\.[^\W\d]\w{0,99}){1,30}")


def place_of(text: str, name: str) -> str | None:
    """Returns the path that code gives itself in its first line, or else its id, a path or module.

    A dotted id is a Python module when the code is Python's.
    """
    head = _HEAD.match(text)
    for path in (head[1] if head else None, name):
        if path and language_of(path) and ".." not in PurePosixPath(path).parts:
            return path.removeprefix("./")
    if _MODULE.fullmatch(name) and is_python(text):
        return f"{name.replace('.', '/')}.py"
    return None
