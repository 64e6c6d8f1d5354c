"""Which documents tell how to work here: conventions, style guides, rules for contributors."""

import re
from pathlib import PurePosixPath

from knowwhy.types import Draft

KINDS = ("document", "convention")  # the second is what files of records may bring along
LONGEST = 300  # characters of a title or a path that are looked at
# Files that are called so by custom, in any case, with or without an ending.
BY_CUSTOM = frozenset(
    ("contributing", "agents", "claude", "gemini", "copilot instructions", "hacking", "conventions",
     "cursorrules", "windsurfrules", "style", "styleguide", "coding", "code conventions")
)  # fmt: skip
_TOLD = re.compile(
    r"\b(?:conventions?|conventional commits|guidelines?|style ?guides?|house (?:rules|style)"
    r"|(?:cod(?:e|ing)|naming|writing|commit(?: message)?|documentation|docs|api|test(?:ing)?|team"
    r"|engineering|development|review|git|branch(?:ing)?|logging|design) (?:styles?|standards?"
    r"|rules|practices|polic(?:y|ies))"
    r"|rules for (?:cod|contribut|commit|nam|writ|test)\w{1,10}"
    r"|how to contribute|contribut(?:ing|ion) (?:to|guide\w{0,6})|ways? of working"
    r"|working agreements?"
    r"|programmierrichtlinien?|konventionen|richtlinien|convenciones|conventions de \w{1,20})\b"
)
_WHOLE = ("standards", "our standards", "team standards", "best practices")
_OVER = re.compile(
    r"\W{0,5}(?:superseded|superceded|deprecated|obsolete|withdrawn|rejected|retired|replaced"
    r"|archived|abandoned)\b"
)


def is_of_conventions(draft: Draft) -> bool:
    """Tells by its title, its path and what it says it is whether a document is one of them."""
    if draft.kind not in KINDS or _OVER.match((draft.status or "").casefold()):
        return False
    path = PurePosixPath((draft.path or "").replace("\\", "/")[-LONGEST:])
    folders = [_words(part) for part in path.parts[:-1]]
    names = (_words(draft.title), _words(path.stem))
    return (
        draft.kind == "convention"
        or _words(path.stem) in BY_CUSTOM
        or any(_TOLD.search(name) or name in _WHOLE for name in names)
        or any(_TOLD.fullmatch(folder) or folder == _WHOLE[0] for folder in folders)
    )


def _words(name: str) -> str:
    """Writes a name in lower-case words: `CodingStyle`, `coding_style` and `coding-style` alike."""
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name[:LONGEST])
    return " ".join(re.sub(r"[\W_]+", " ", apart).casefold().split())
