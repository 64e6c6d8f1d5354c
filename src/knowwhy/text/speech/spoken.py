"""What of a message its writer says: not the code, quotations, logs or recalled text in it."""

import re
from collections.abc import Iterator

from knowwhy.text.patterns import regex
from knowwhy.text.speech.recalled import is_fence_word

MAX_LINE_READ = 4000  # characters of a line that are looked at to say what it is

# The blocks in which recalled text is handed out; retrieval.fence writes them.
_OPENS = regex(r"\s{0,9}<(system|project|task|history|knowledge)-([a-z]{6})>", re.I)
_TAGS_SAY = regex(r"\s{0,9}Inside the -[a-z]{6} tags is quoted data", re.I)
_ITEM_MARK = "■"
_FENCE = regex(r"[ \t]{0,12}(?:[-*+>][ ]|\d{1,3}[.)][ ])?[ \t]{0,8}(`{3,}+|~{3,}+)([^\n]*)")
_LEVEL = r"(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|FATAL|CRITICAL|PANIC|SEVERE)"
_LOG = regex(
    r"\s{0,8}\[?(?:\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\d\d:\d\d:\d\d"
    r"|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d"
    rf"|{_LEVEL}(?:[\]:]| {{2}}|$)|(?:level|time|ts)=|\{{\"|[IWEF]\d{{4}} \d\d:)"
)
_TRACE = regex(
    r"\s{0,8}(?:Traceback \(most recent|File \"[^\"\n]{1,300}\", line \d|at [\w.$<>]{1,200}\("
    r"|Caused by: |goroutine \d|panic: |thread '[^'\n]{1,80}' panicked|npm ERR!"
    r"|error(?:\[E\d+\])?: "
    r"|[A-Za-z_][\w.]{0,80}(?:Error|Exception|Warning): |-->|\d{1,5} \| |\^{2,}|\.{3} \d{1,3} more)"
)
_PROMPT = regex(r"\s{0,8}(?:[$%] \S|>>> |\.\.\. |(?:\w{1,20}@[\w-]{1,30})[:~ ][^\n]{0,80}[$#] )")
_DIFF = regex(r"(?:@@ -\d|diff --git |index [\da-f]{7}|\+\+\+ |--- [ab]/|[-+](?=\S*[({=;]))")
_CODE_LINE = regex(
    r"\s{0,40}(?:(?:def|class|func|fn|import|from|return|const|let|var|public|private|package"
    r"|#include"
    r"|SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER)\s[^\n]{0,200}[({;=:\[]\s*$|[}\])]+[;,]?\s*$"
    r"|[\w.\[\]\"']{1,60}\s?[-+*/]?=\s?[^=\n]{1,200};?\s*$|//\s|/\*|<\w[^>\n]{0,200}>\s*$)"
)
_QUOTED = regex(r"[ \t]{0,8}[>|]")  # a quotation or a row of a table
_LONE_QUOTE = regex(r"\s{0,8}(?:[-*] )?[\"“„](.*)[\"”“][.,!]?\s*$")


def spoken(text: str) -> str:
    """Blanks what the writer of a message does not say; what is left keeps its offsets."""
    lines = text.splitlines(keepends=True)
    kept = _said(lines)
    return "".join(line if keep else _blank(line) for line, keep in zip(lines, kept, strict=True))


def uncoded(text: str) -> str:
    """Blanks the fenced code of a text."""
    lines = text.splitlines(keepends=True)
    code = _in_fences(lines)
    return "".join(_blank(line) if coded else line for line, coded in zip(lines, code, strict=True))


def _said(lines: list[str]) -> list[bool]:
    """Tells of each line whether the writer says it."""
    recalled, code = _recalled(lines), _in_fences(lines)
    plain = [not (known or coded) for known, coded in zip(recalled, code, strict=True)]
    return [ok and not foreign for ok, foreign in zip(plain, _foreign(lines), strict=True)]


def _recalled(lines: list[str]) -> list[bool]:
    """Marks the blocks of recalled text, and what is left of one without its tags."""
    found, closing, in_item = [], "", False
    for line in lines:
        if closing:
            found.append(True)
            closing = "" if line.strip().lower() == closing else closing
            continue
        if (tag := _OPENS.match(line)) and is_fence_word(tag[2].lower()):
            closing = f"</{tag[1]}-{tag[2]}>".lower()
            closing = "" if closing in line.lower() else closing
            found.append(True)
            continue
        in_item = line.lstrip().startswith(_ITEM_MARK) or (in_item and bool(line.strip()))
        found.append(in_item or bool(_TAGS_SAY.match(line)))
    return found


def _in_fences(lines: list[str]) -> list[bool]:
    """Marks the lines of fenced code; a fence that is never closed goes to the end."""
    found, opening = [], ""
    for line in lines:
        fence = _FENCE.match(line[:MAX_LINE_READ])
        if opening:
            found.append(True)
            if fence and fence[1].startswith(opening) and not fence[2].strip():
                opening = ""
        elif fence and "`" not in fence[2]:
            opening = fence[1]
            found.append(True)
        else:
            found.append(False)
    return found


def _foreign(lines: list[str]) -> Iterator[bool]:
    """Yields for each line whether it is quoted, logged or code outside of any fence."""
    after_blank, in_code = True, False
    for line in lines:
        head = line[:MAX_LINE_READ]
        is_blank = not head.strip()
        is_indented = head.startswith(("    ", "\t")) and not is_blank
        in_code = is_indented and (in_code or after_blank) and not _is_item(head)
        yield not is_blank and (in_code or _QUOTED.match(head) is not None or _is_pasted(head))
        after_blank = is_blank or in_code


def _is_pasted(line: str) -> bool:
    shapes = (_LOG, _TRACE, _PROMPT, _DIFF, _CODE_LINE, _LONE_QUOTE)
    return any(shape.match(line) for shape in shapes)


def _is_item(line: str) -> bool:
    return re.match(r"\s*(?:[-*+]|\d{1,3}[.)])\s", line) is not None


def _blank(line: str) -> str:
    words = line.rstrip("\r\n")
    return " " * len(words) + line[len(words) :]
