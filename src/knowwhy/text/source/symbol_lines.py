"""Finds where symbols begin by the look of lines, for languages without a parser."""

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate, zip_longest

from knowwhy.text.patterns import regex
from knowwhy.text.source.symbol_marks import WHOLE_CHARS, Mark

SEEN_CHARS = 300  # characters of a line that are looked at; a declaration's name is at its start

_MODIFIERS = (
    r"(?:(?:export|default|public|private|protected|internal|static|final|abstract|sealed|open|"
    r"override|virtual|async|inline|extern|unsafe|partial|data|case|suspend|local|readonly|pub|"
    r"mutating|fileprivate|implicit|lazy|tailrec|operator|const|constexpr|new|def|"
    r"pub\([\w:]{1,40}\)|@\w{1,40})[ \t]+){0,8}"
)
_KEYWORD = regex(
    rf"[ \t]*{_MODIFIERS}"
    r"(?:func|def|defp|class|function|fn|fun|sub|procedure|proc|interface|trait|struct|enum|union|"
    r"module|defmodule|defmacro|namespace|object|record|protocol|extension|actor|impl|mod|"
    r"message|service|rpc|contract|type|macro|typeclass|instance)\b"
    r"(?:[ \t]*\([^()\n]{0,100}\))?"  # a receiver
    r"(?:[ \t]*<[^<>\n]{0,100}>)?"  # type parameters
    r"[ \t]+[&*]{0,2}([A-Za-z_$][\w$.:!?]{0,79})",
    re.IGNORECASE,
)
_METHOD = regex(  # a type and a name with parentheses, and no end of a statement after them
    r"[ \t]*(?:[A-Za-z_][\w.]{0,60}(?:<[^()=;\n]{0,80}>)?(?:\[\])?[&*?]{0,2}[ \t]+[&*]{0,2}){1,6}"
    r"(~?[A-Za-z_][\w:~]{0,79})[ \t]?\((?=[^;=\n]{0,200}$)"
)
_SQL = regex(
    r"[ \t]*CREATE[ \t]+(?:(?:OR[ \t]+REPLACE|TEMP|TEMPORARY|UNIQUE|MATERIALIZED|RECURSIVE)[ \t]+)"
    r"{0,3}(?:TABLE|VIEW|FUNCTION|PROCEDURE|TRIGGER|INDEX|TYPE|SCHEMA|SEQUENCE|ROLE|POLICY)[ \t]+"
    r"(?:IF[ \t]+NOT[ \t]+EXISTS[ \t]+)?([\w.\"`\[\]]{1,80})",
    re.IGNORECASE,
)
_SHELL = regex(r"[ \t]*(?:function[ \t]+([\w:-]{1,80})|([A-Za-z_][\w:-]{0,79})[ \t]*\(\))")
_BLOCK = regex(r"([a-z_]{1,30}(?:[ \t]+\"[^\"\n]{1,80}\"){0,3})[ \t]*\{")
_TARGET = regex(r"([A-Za-z0-9_/%$(){}-][\w./%$(){}-]{0,79})[ \t]*:(?!=)")
_KEY = regex(r"([\w.$/-]{1,80})[ \t]*:(?:[ \t]|$)")
_TABLE = regex(r"\[{1,2}([^\]\n]{1,80})\]{1,2}")
_STAGE = regex(r"FROM[ \t]++[^\n]{1,120}?(?<![ \t])[ \t]++AS[ \t]+([\w.-]{1,80})", re.IGNORECASE)
_RULE = regex(r"([^{}\n;]{1,80}?)[ \t]*\{")

_SPECIAL = {
    **dict.fromkeys(
        ("c", "c++", "c#", "objective-c", "dart", "groovy", "java"), (_KEYWORD, _METHOD)
    ),
    "sql": (_SQL,),
    "shell": (_SHELL,),
    "terraform": (_BLOCK,),
    "make": (_TARGET,),
    "yaml": (_KEY,),
    **dict.fromkeys(("toml", "ini"), (_TABLE,)),
    "docker": (_STAGE,),
    **dict.fromkeys(("css", "scss", "less"), (_RULE,)),
    **dict.fromkeys(("html", "xml", "json", "markdown", "restructuredtext", "text"), ()),
}
_LEAD = regex(r"[ \t]*(?:#(?!include|if|endif|else|define)|//|/\*|\*|--|@|\[\w|\"\"\"|;)")
_CLOSER = regex(  # a line that begins nothing and ends no block by being less indented
    r"[ \t]*(?:[)\]}>{]|(?:end|else|begin)\b|(?:public|private|protected)[ \t]*:|#[a-z]{2,8}\b|$)",
    re.IGNORECASE,
)
_FILE_WIDE = frozenset(("namespace", "mod", "module"))  # "namespace App;" holds no block
_NO_NAMES = frozenset(
    (
        "if",
        "for",
        "while",
        "switch",
        "return",
        "catch",
        "new",
        "else",
        "throw",
        "do",
        "in",
        "of",
        "is",
        "and",
        "or",
    )
)


def line_marks(lines: Sequence[str], language: str | None) -> list[Mark]:
    """Returns the beginnings of symbols and of blocks that follow a blank line, in order."""
    patterns = _SPECIAL.get(language or "", (_KEYWORD,))
    found: list[Mark] = []
    around: list[tuple[int, str]] = []  # indentation and name of the symbols that are open
    for row, line in enumerate(lines):
        seen = line[:SEEN_CHARS]
        if not seen.strip() or _CLOSER.match(seen):
            continue
        while around and around[-1][0] >= _indent(seen):
            around.pop()
        name = _name(seen, patterns)
        if name is not None or _begins_block(lines, row, seen):
            found.append(Mark(_led(lines, row, found), tuple(n for _, n in around), name))
        if name is not None:
            around.append((_indent(seen), name))
    return list(_opened(list(_settled(found)), lines))


def _opened(found: Sequence[Mark], lines: Sequence[str]) -> Iterator[Mark]:
    """Leaves out what is in a symbol that is short enough to stay whole."""
    ends = _ends(found)
    offsets = [0, *accumulate(len(line) + 1 for line in lines)]
    place = 0
    while place < len(found):
        mark, end = found[place], ends[place]
        last = found[end].row if end < len(found) else len(lines)
        is_short = offsets[last] - offsets[mark.row] <= WHOLE_CHARS
        is_header = end > place + 1 and not is_short
        yield Mark(mark.row, mark.path, None) if is_header else mark
        place = end if is_short else place + 1


def _ends(found: Sequence[Mark]) -> list[int]:
    """Says for each mark which is the first after it that is not inside its symbol."""
    ends = [len(found)] * len(found)
    around: list[int] = []
    for place, mark in enumerate(found):
        while around and len(found[around[-1]].path) > len(mark.home):
            ends[around.pop()] = place
        if mark.name:
            around.append(place)
        else:
            ends[place] = place + 1
    return ends


def is_lead(text: str, start: int = 0) -> bool:
    """Tells whether a line is a comment or a decorator, which belongs to what follows."""
    return _LEAD.match(text, start, start + SEEN_CHARS) is not None


def _begins_block(lines: Sequence[str], row: int, line: str) -> bool:
    follows_blank = row == 0 or not lines[row - 1].strip()
    return follows_blank and not line[:1].isspace()


def _settled(found: Sequence[Mark]) -> Iterator[Mark]:
    """Leaves out a stretch that turned out to be the comment before the next symbol."""
    for mark, after in zip_longest(found, found[1:]):
        if after is None or after.row > mark.row:
            yield mark


def _name(line: str, patterns: Sequence[re.Pattern[str]]) -> str | None:
    first = line.split(None, 1)[0].lower()
    if first in _NO_NAMES or (first in _FILE_WIDE and line.rstrip().endswith(";")):
        return None
    for pattern in patterns:
        match = pattern.match(line)
        if match and match[match.lastindex or 0].lower() not in _NO_NAMES:
            return match[match.lastindex or 0].replace('"', "").strip("`[]:")
    return None


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _led(lines: Sequence[str], row: int, found: Sequence[Mark]) -> int:
    """Moves a beginning up over the comments and decorators right above it."""
    least = found[-1].row + 1 if found and found[-1].name else found[-1].row if found else 0
    while row > least and is_lead(lines[row - 1]):
        row -= 1
    return row
