"""Finds where symbols begin in a syntax tree."""

from collections.abc import Iterator
from dataclasses import dataclass

from tree_sitter import Node

from knowwhy.text.patterns import regex
from knowwhy.text.source.grammars import Tree
from knowwhy.text.source.symbol_marks import WHOLE_CHARS, Mark

WRAPPERS_AT_MOST = 4  # within each other: export, declare, const, the declarator
NAME_CHARS = 80  # characters of a name that is written as an expression, like exports.a.b

_LEADS = frozenset(  # what stands before a symbol and belongs to it
    (
        "comment",
        "line_comment",
        "block_comment",
        "attribute_item",
        "decorator",
    )
)
_FUNCTIONS = frozenset(
    (
        "function_definition",
        "function_declaration",
        "generator_function_declaration",
        "method_definition",
        "function_signature",
        "method_signature",
        "abstract_method_signature",
        "method_declaration",
        "constructor_declaration",
        "compact_constructor_declaration",
        "function_item",
        "function_signature_item",
        "macro_definition",
        "type_alias_declaration",
        "type_spec",
        "type_alias",
        "struct_item",
        "union_item",
    )
)
_TYPES = frozenset(  # they hold other symbols
    (
        "class_definition",
        "class_declaration",
        "abstract_class_declaration",
        "interface_declaration",
        "enum_declaration",
        "record_declaration",
        "annotation_type_declaration",
        "internal_module",
        "module",
        "trait_item",
        "mod_item",
        "impl_item",
        "enum_item",
    )
)
_WRAPPERS = frozenset(  # the symbol is inside them
    (
        "decorated_definition",
        "export_statement",
        "ambient_declaration",
        "expression_statement",
        "type_declaration",
        "lexical_declaration",
        "variable_declaration",
    )
)
_VALUES = frozenset(
    (
        "arrow_function",
        "function_expression",
        "generator_function",
        "class",
    )
)
_ASSIGNED = frozenset(
    (
        "variable_declarator",
        "assignment_expression",
        "assignment",
        "pair",
        "public_field_definition",
        "field_definition",
        "const_item",
        "static_item",
    )
)
_OPEN = frozenset(  # when they are long, what they hold stands for itself
    (
        "if_statement",
        "try_statement",
        "finally_clause",
        "with_statement",
        "call_expression",
        "arguments",
        "arrow_function",
        "unary_expression",
        "function_expression",
        "parenthesized_expression",
        "expression_statement",
        "object",
        "ERROR",
        "foreign_mod_item",
        "enum_body_declarations",
        "export_statement",
        "type_declaration",
    )
)
_PARTS = frozenset(  # of what was opened: they are opened too, however short
    ("block", "statement_block", "else_clause", "elif_clause", "except_clause", "declaration_list")
)
_RECEIVER = regex(r"(?<!\w)(\w+)\s*+(?:\[[^\]]*\]\s*+)?\)$")
_EXPORTS = regex(r"^(?:module\.)?exports\.")


@dataclass(slots=True)
class _Level:
    """The nodes of one body that are still to be seen."""

    nodes: Iterator[Node]
    home: tuple[str, ...]
    last_row: int
    lead: int | None = None


def marks(tree: Tree) -> list[Mark]:
    """Returns the beginnings of symbols, and of what is between them, in order."""
    found: list[Mark] = []
    levels = [_Level(iter(tree.root.named_children), (), -1)]
    while levels:
        level = levels[-1]
        node = next(level.nodes, None)
        if node is None:
            levels.pop()
        elif node.type in _LEADS:
            row = tree.row(node.start_byte)
            if level.lead is None and row > level.last_row:
                level.lead = row
            level.last_row = _last_row(tree, node)
        else:
            levels += _seen(tree, node, level, found)
    return found


def _seen(tree: Tree, node: Node, level: _Level, found: list[Mark]) -> Iterator[_Level]:
    """Marks a node, and yields the level below it when that is to be seen too."""
    row = tree.row(node.start_byte) if level.lead is None else level.lead
    level.lead, level.last_row = None, _last_row(tree, node)
    home, name, body = _symbol(tree, node, level.home)
    inner = (*home, name) if name and body else home
    _add(found, Mark(row, inner, None if body else name))
    if body:
        yield _Level(iter(body.named_children), inner, tree.row(body.start_byte))


def _add(found: list[Mark], mark: Mark) -> None:
    """Adds a mark; of several on one line a name counts, as in "if x: def f" and "{ f() {"."""
    if not found or mark.row > found[-1].row:
        found.append(mark)
    elif mark.name and not found[-1].name and mark.row == found[-1].row:
        found[-1] = mark


def _last_row(tree: Tree, node: Node) -> int:
    """Returns the row of a node's last byte; some comments end with their newline."""
    return tree.row(max(node.start_byte, node.end_byte - 1))


def _symbol(
    tree: Tree, node: Node, home: tuple[str, ...]
) -> tuple[tuple[str, ...], str | None, Node | None]:
    """Reads what a node declares: its home, its name, and what is worth opening in it."""
    inner = _unwrapped(node)
    is_long = node.end_byte - node.start_byte > WHOLE_CHARS
    if inner.type == "mod_item" and _body(inner) is None:  # its own file has it
        return home, None, None
    if inner.type in _TYPES:
        return home, _type_name(tree, inner), _body(inner) if is_long else None
    if inner.type in _FUNCTIONS:
        name = inner.child_by_field_name("name")
        return (*home, *_receiver(tree, inner)), _name(tree, name), None
    if inner.type in _ASSIGNED:
        return home, *_assigned(tree, inner, is_long)
    value = node.child_by_field_name("value") if node.type == "export_statement" else None
    if value and (value.type in _VALUES or is_long):
        return home, "default", _body(value) if is_long else None
    is_open = inner.type in _PARTS or (is_long and inner.type in _OPEN)
    return home, None, inner if is_open else None


def _unwrapped(node: Node) -> Node:
    for _ in range(WRAPPERS_AT_MOST):
        if node.type not in _WRAPPERS:
            break
        inner = node.child_by_field_name("definition") or node.child_by_field_name("declaration")
        parts = [child for child in node.named_children if child.type not in _LEADS]
        if inner is None and (len(parts) != 1 or node.type == "export_statement"):
            break
        node = inner or parts[0]
    return node


def _assigned(tree: Tree, node: Node, is_long: bool) -> tuple[str | None, Node | None]:
    """Names an assignment when a function or a class is assigned, or when it is long."""
    target = _field(node, "name", "left", "property", "key")
    value = _field(node, "value", "right")
    is_named = is_long or (value is not None and value.type in _VALUES)
    opened = _body(value) if is_long and value else None
    return _name(tree, target) if is_named else None, opened


def _field(node: Node, *names: str) -> Node | None:
    return next(filter(None, map(node.child_by_field_name, names)), None)


def _body(node: Node) -> Node | None:
    """Returns what holds the members of a type or an object."""
    if node.type in _TYPES or node.type == "class":
        return node.child_by_field_name("body")
    return node if node.type == "object" else None


def _type_name(tree: Tree, node: Node) -> str | None:
    if node.type != "impl_item":
        return _name(tree, node.child_by_field_name("name"))
    name = _name(tree, node.child_by_field_name("type"))
    trait = _name(tree, node.child_by_field_name("trait"))
    return f"{trait} for {name}" if trait and name else name


def _receiver(tree: Tree, node: Node) -> tuple[str, ...]:
    """Returns the type that a Go method belongs to."""
    receiver = node.child_by_field_name("receiver")
    match = _RECEIVER.search(tree.text(receiver)[-NAME_CHARS:]) if receiver else None
    return (match[1],) if match else ()


def _name(tree: Tree, node: Node | None) -> str | None:
    if node is None or node.end_byte - node.start_byte > NAME_CHARS:
        return None
    words = " ".join(tree.text(node).split()).strip("\"'`")
    return _EXPORTS.sub("", words) or None
