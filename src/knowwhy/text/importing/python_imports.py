"""Reads the imports of Python source, exactly where it parses and by its lines elsewhere."""

import ast
import re
import warnings
from collections.abc import Iterator

from knowwhy.text.importing.imported import Import
from knowwhy.text.patterns import regex
from knowwhy.text.source.grammars import is_written

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_ENDLESS = regex(  # Python's parser takes memory that is quadratic in the dots of a name
    r"(?:\.[ \t\\\r\n]*\w{1,5000}[ \t\\\r\n]*){64}"
)
_STRAY_RETURN = regex(r"\r(?!\n)")  # Python alone counts it as the end of a line
_LINE = regex(  # for what no longer parses, or not yet; a bracketed list may span lines
    r"^(?P<margin>[ \t]*)(?:from[ \t]{1,8}(?P<dots>\.{0,20})[ \t]{0,8}(?P<module>[\w.]{0,200})"
    r"[ \t]{1,8}import[ \t]{1,8}(?:\((?P<many>[^()]{0,4000})\)?|(?P<names>[^\n#;(]{1,1000}))"
    r"|import[ \t]{1,8}(?P<modules>[\w., \t]{1,1000}))",
    re.MULTILINE,
)
_NAME = regex(r"^\s*(\*|[\w.]+)")
_COMMENT = regex(r"#[^\n]*")


def python_imports(text: str) -> list[Import]:
    """Returns every import of a Python source, at its top or inside functions, in order."""
    tree = _parsed(text)
    return list(_walked(tree) if tree else _matched(text))


def is_python(text: str) -> bool:
    """Tells whether a text parses as Python."""
    return _parsed(text) is not None


def _parsed(text: str) -> ast.Module | None:
    """Returns what Python makes of a text; None when it refuses it, or would not survive it."""
    if not is_written(text) or _ENDLESS.search(text):
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of invalid escapes in what is read
            return ast.parse(_STRAY_RETURN.sub("\f", text.removeprefix("\ufeff")))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _walked(tree: ast.Module) -> Iterator[Import]:
    waiting: list[tuple[ast.AST, str]] = [(tree, "import")]
    while waiting:
        node, kind = waiting.pop()
        if isinstance(node, ast.Import):
            yield from (Import(alias.name, (), node.lineno, 0, kind) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            names = tuple(alias.name for alias in node.names)
            yield Import(node.module or "", names, node.lineno, node.level, kind)
        elif not isinstance(node, ast.expr):  # no expression holds an import
            waiting += reversed(list(_below(node, kind)))


def _below(node: ast.AST, kind: str) -> Iterator[tuple[ast.AST, str]]:
    if isinstance(node, _FUNCTIONS):
        kind = "lazy"
    is_for_types = isinstance(node, ast.If) and _names_type_checking(node.test)
    for field, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield child, "type" if is_for_types and field == "body" else kind


def _names_type_checking(test: ast.expr) -> bool:
    name = test.id if isinstance(test, ast.Name) else getattr(test, "attr", "")
    return name == "TYPE_CHECKING"


def _matched(text: str) -> Iterator[Import]:
    line, seen = 1, 0
    for match in _LINE.finditer(text):
        line, seen = line + text.count("\n", seen, match.start()), match.start()
        kind = "lazy" if match["margin"] else "import"
        if match["modules"]:
            yield from (Import(name, (), line, 0, kind) for name in _names(match["modules"]))
        else:
            names = _names(_COMMENT.sub("", match["many"] or match["names"] or ""))
            yield Import(match["module"], names, line, len(match["dots"]), kind)


def _names(listed: str) -> tuple[str, ...]:
    return tuple(match[1] for part in listed.split(",") if (match := _NAME.match(part)))
