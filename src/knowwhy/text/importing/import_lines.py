"""Reads the imports of source code by the look of its lines."""

import re
from collections.abc import Iterator

from knowwhy.text.importing.imported import Import
from knowwhy.text.patterns import regex

_M = re.MULTILINE
_STRING = r"[\"']([^\"'\n]{1,300})[\"']"
_C = ((regex(r"^[ \t]*#[ \t]*(?:include|import)[ \t]*\"([^\"\n]{1,300})\"", _M), "include"),)
_C_SYSTEM = ((regex(r"^[ \t]*#[ \t]*(?:include|import)[ \t]*<([^>\n]{1,300})>", _M), "import"),)
_SCRIPT = (
    (
        regex(
            rf"^[ \t]*import[ \t]{{1,8}}(?:[\w*{{}}, \t$]{{1,1000}}[ \t]from[ \t]*)?{_STRING}", _M
        ),
        "import",
    ),
    (regex(rf"^[ \t]*\}}[ \t]*from[ \t]*{_STRING}", _M), "import"),
    (regex(rf"^[ \t]*export[ \t][^\n\"';]{{1,1000}}?[ \t]from[ \t]*{_STRING}", _M), "export"),
    (regex(rf"\brequire\([ \t]*{_STRING}[ \t]*\)"), "require"),
    (regex(rf"\bimport\([ \t]*{_STRING}[ \t]*\)"), "dynamic"),
)
_DOTTED = r"[A-Za-z_]\w{0,99}(?:\.[\w*]{1,100}){0,30}"
_JAVA = ((regex(rf"^[ \t]*import[ \t]+(?:static[ \t]+)?({_DOTTED})", _M), "import"),)
_RUBY = (
    (regex(rf"^[ \t]*require[ \t]{{0,8}}\(?[ \t]{{0,8}}{_STRING}", _M), "require"),
    (
        regex(rf"^[ \t]*(?:require_relative|load)[ \t]{{0,8}}\(?[ \t]{{0,8}}{_STRING}", _M),
        "require_relative",
    ),
)
_PHP = (
    (regex(r"^[ \t]*use[ \t]+(?:function[ \t]+|const[ \t]+)?([\w\\]{2,300})", _M), "use"),
    (
        regex(
            rf"\b(?:require|include)(?:_once)?[ \t]{{0,8}}\(?[ \t]{{0,8}}"
            rf"(?:__DIR__[ \t]{{0,8}}\.[ \t]{{0,8}})?{_STRING}"
        ),
        "include",
    ),
)
_CSHARP = (
    (
        regex(
            rf"^[ \t]*(?:global[ \t]+)?using[ \t]+(?:static[ \t]+)?(?:\w{{1,100}}[ \t]*=[ \t]*)?"
            rf"({_DOTTED})[ \t]*;",
            _M,
        ),
        "using",
    ),
)
_LINES = {
    **dict.fromkeys(("c", "c++", "objective-c", "cuda"), _C + _C_SYSTEM),
    **dict.fromkeys(("javascript", "typescript", "tsx", "vue", "svelte"), _SCRIPT),
    **dict.fromkeys(("java", "kotlin", "scala", "groovy", "swift"), _JAVA),
    "ruby": _RUBY,
    "php": _PHP,
    "c#": _CSHARP,
    "go": (
        (
            regex(r"^[ \t]*(?:import[ \t]+)?(?:[\w.]{1,50}[ \t]+)?\"([\w./-]{1,300})\"[ \t]*$", _M),
            "import",
        ),
    ),
    "rust": (
        (regex(r"^[ \t]*(?:pub[ \t]+)?use[ \t]+([\w:]{1,300})", _M), "use"),
        (regex(r"^[ \t]*(?:pub[ \t]+)?mod[ \t]+(\w{1,100})[ \t]*;", _M), "mod"),
    ),
    "protobuf": (
        (regex(rf"^[ \t]*import[ \t]+(?:public[ \t]+|weak[ \t]+)?{_STRING}", _M), "import"),
    ),
    "dart": ((regex(rf"^[ \t]*(?:import|export|part)[ \t]+{_STRING}", _M), "import"),),
    "elixir": ((regex(rf"^[ \t]*(?:alias|import|use|require)[ \t]+({_DOTTED})", _M), "import"),),
    "lua": ((regex(rf"\brequire[ \t]{{0,8}}\(?[ \t]{{0,8}}{_STRING}"), "require"),),
    "shell": ((regex(r"^[ \t]*(?:source|\.)[ \t]+[\"']?([\w./-]{1,300})", _M), "include"),),
}


def line_imports(text: str, language: str) -> list[Import]:
    """Returns the imports that lines of a text state, in order."""
    return list(_numbered(text, sorted(_matched(text, language))))


def _matched(text: str, language: str) -> Iterator[tuple[int, str, str]]:
    for pattern, kind in _LINES.get(language, ()):
        for match in pattern.finditer(text):
            yield match.start(1), match[1], kind


def _numbered(text: str, found: list[tuple[int, str, str]]) -> Iterator[Import]:
    line, seen = 1, 0
    for start, target, kind in found:
        line, seen = line + text.count("\n", seen, start), start
        parts = target.rpartition(".")
        takes_all = parts[2] == "*"
        yield Import(parts[0] if takes_all else target, ("*",) if takes_all else (), line, 0, kind)
