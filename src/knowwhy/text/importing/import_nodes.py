"""Reads the imports of a syntax tree: JavaScript, TypeScript, Go, Rust and Java."""

from collections.abc import Callable, Iterator

from tree_sitter import Node

from knowwhy.text.importing.imported import Import
from knowwhy.text.patterns import regex
from knowwhy.text.source.grammars import Tree

USE_CHARS = 10_000  # characters of one Rust use; a longer one is no import
USES_AT_MOST = 1_000  # of one use declaration

_QUOTES = "\"'`"
_WORD = regex(r"\w+|\*")
_SCOPED = regex(r"[{},]|[^{},]+")
_ALIAS = regex(r"(?<!\s)\s+as\s+\w+\s*$")
_SCRIPT_IMPORTS = ("import_statement", "export_statement", "call_expression")

Reader = Callable[[Tree, Node], Iterator[Import]]


def node_imports(tree: Tree, language: str) -> list[Import]:
    """Returns the imports in a tree, in order."""
    types, read = _READERS[language]
    return [item for node in _nodes(tree.root, types) for item in read(tree, node)]


def _nodes(root: Node, types: tuple[str, ...]) -> Iterator[Node]:
    """Yields the nodes of some types in document order, without recursion."""
    cursor = root.walk()
    while True:
        if (node := cursor.node) is not None and node.type in types:
            yield node
        if cursor.goto_first_child():
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return


def _line(tree: Tree, node: Node) -> int:
    return tree.row(node.start_byte) + 1


def _script(tree: Tree, node: Node) -> Iterator[Import]:
    if node.type == "call_expression":
        yield from _called(tree, node)
        return
    clause = next((c for c in node.named_children if c.type == "import_require_clause"), None)
    source = (clause or node).child_by_field_name("source")
    if source is None:
        return
    kind = "require" if clause else "import" if node.type == "import_statement" else "export"
    if any(child.type == "type" for child in node.children):
        kind = "type"
    target = tree.text(source).strip(_QUOTES)
    yield Import(target, tuple(_taken(tree, node)), _line(tree, node), 0, kind)


def _taken(tree: Tree, node: Node) -> Iterator[str]:
    """Yields the names as the other module has them."""
    for child in node.children:
        if child.type in ("import_clause", "named_imports", "export_clause"):
            yield from _taken(tree, child)
        elif child.type in ("import_specifier", "export_specifier"):
            name = child.child_by_field_name("name")
            yield tree.text(name) if name else ""
        elif child.type == "identifier" and node.type == "import_clause":
            yield "default"
        elif child.type in ("namespace_import", "namespace_export", "*"):
            yield "*"


def _called(tree: Tree, node: Node) -> Iterator[Import]:
    function, arguments = (node.child_by_field_name(f) for f in ("function", "arguments"))
    first = arguments.named_children[:1] if arguments else []
    if function is None or not first or first[0].type not in ("string", "template_string"):
        return
    called = (
        tree.text(function) if function.end_byte - function.start_byte < len("require.x") else ""
    )
    target = tree.text(first[0]).strip(_QUOTES)
    if called in ("require", "import") and "${" not in target:
        yield Import(target, (), _line(tree, node), 0, "dynamic" if called == "import" else called)


def _go(tree: Tree, node: Node) -> Iterator[Import]:
    path, name = node.child_by_field_name("path"), node.child_by_field_name("name")
    if path:
        names = ("*",) if name and tree.text(name) == "." else ()
        yield Import(tree.text(path).strip(_QUOTES), names, _line(tree, node), 0, "import")


def _java(tree: Tree, node: Node) -> Iterator[Import]:
    words = tree.text(node).removeprefix("import").rstrip("; \t\r\n").split()
    is_static = words[:1] == ["static"]
    parts = "".join(words[is_static:]).split(".")
    takes_name = is_static or parts[-1] == "*"
    target, names = (parts[:-1], tuple(parts[-1:])) if takes_name else (parts, ())
    yield Import(".".join(target), names, _line(tree, node), 0, "import")


def _rust(tree: Tree, node: Node) -> Iterator[Import]:
    line = _line(tree, node)
    if node.type == "use_declaration":
        argument = node.child_by_field_name("argument")
        if argument and argument.end_byte - argument.start_byte <= USE_CHARS:
            yield from (Import(path, (), line, 0, "use") for path in _uses(tree.text(argument)))
        return
    name = node.child_by_field_name("name")
    is_declared = node.type == "mod_item" and node.child_by_field_name("body") is None
    if name and (is_declared or node.type == "extern_crate_declaration"):
        yield Import(tree.text(name), (), line, 0, "mod" if is_declared else "import")


def _uses(written: str) -> list[str]:
    """Spreads a use tree: `a::{b, c::{self, d}}` is a::b, a::c and a::c::d."""
    found: list[str] = []
    prefixes = [""]
    before = ""
    for part in _SCOPED.findall(written):
        if part == "{":
            prefixes.append(prefixes[-1] + "".join(before.split()))
            before = ""
            continue
        if part in ",}":
            found += _use(prefixes[-1], before)
            before = ""
            if part == "}" and len(prefixes) > 1:
                prefixes.pop()
        else:
            before = part
    return [*found, *_use(prefixes[-1], before)][:USES_AT_MOST]


def _use(prefix: str, written: str) -> list[str]:
    path = "".join(_ALIAS.sub("", written).split())
    return [prefix.removesuffix("::") if path == "self" else prefix + path] if path else []


_READERS: dict[str, tuple[tuple[str, ...], Reader]] = {
    **dict.fromkeys(("javascript", "typescript", "tsx"), (_SCRIPT_IMPORTS, _script)),
    "go": (("import_spec",), _go),
    "java": (("import_declaration",), _java),
    "rust": (("use_declaration", "mod_item", "extern_crate_declaration"), _rust),
}
