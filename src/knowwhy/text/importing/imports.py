"""Reads what a source file imports."""

from knowwhy.text.importing.import_lines import line_imports
from knowwhy.text.importing.import_nodes import node_imports
from knowwhy.text.importing.imported import Import
from knowwhy.text.importing.python_imports import python_imports
from knowwhy.text.source.grammars import parse
from knowwhy.text.source.languages import language_of

__all__ = ("Import", "imports")


def imports(text: str, path: str, language: str | None = None) -> list[Import]:
    """Returns the imports of a source file in order; a missing language is told by the path."""
    language = language or language_of(path, text)
    if language is None:
        return []
    if language == "python":
        return python_imports(text)
    tree = parse(text, language)
    return node_imports(tree, language) if tree else line_imports(text, language)
