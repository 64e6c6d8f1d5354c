"""Forms of written files: by their suffixes, and as Markdown where they have a way of their own.

All but a notebook keep their lines, so that a place in the Markdown is the place in the file.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import PurePath, PurePosixPath

from knowwhy.errors import BadInput
from knowwhy.text.patterns import regex

MARKDOWN = (".md", ".markdown", ".mdown", ".mkd", ".mdx", ".qmd", ".rmd")
ASCIIDOC, ORG, NOTEBOOK = (".adoc", ".asciidoc", ".ad"), (".org",), (".ipynb",)
PLAIN = (".txt", ".text")
WRITTEN = (*MARKDOWN, ".rst", *ASCIIDOC, *ORG, *PLAIN, *NOTEBOOK)
OWN_WAY = frozenset((*ASCIIDOC, *ORG, *NOTEBOOK))  # of which the Markdown is stored
TEMPLATED = frozenset(  # after the suffix of what is written: 0007-use-redis.md.erb
    (
        *(".erb", ".j2", ".jinja", ".jinja2", ".tmpl", ".tpl", ".gotmpl", ".mustache", ".hbs"),
        *(".liquid", ".ejs", ".njk", ".in"),
    )
)
_RENDERS_TO = frozenset((".html", ".htm"))  # before it: index.html.md
_DEEPEST = 6  # levels of headings in Markdown
_LONGEST_LINE = 10_000  # characters; a longer one holds data and keeps its form

_NEWLINE = regex(r"\r\n?")
_STATEMENT = regex(  # of a template engine, alone on its line
    r"[ \t]*(?:<%(?:(?!%>).){0,500}%>|\{%(?:(?!%\}).){0,500}%\}|\{#(?:(?!#\}).){0,500}#\}"
    r"|\{\{-? ?(?:if|else|end|range|with|define|template|block)\b(?:(?!\}\}).){0,500}\}\})[ \t]*$"
)
# Statements of MDX, as mdxjs.com describes them: what a program reads, never prose about one.
_NAMED = r"(?:\{[^{}]{0,2000}\}|\*\s{1,9}as\s{1,9}[\w$]{1,60}|[\w$]{1,60})"
_FROM = r"\s{0,9}from\s{0,9}(?:'[^'\n]{1,300}'|\"[^\"\n]{1,300}\")"
_IMPORT = regex(
    rf"import\s{{1,9}}(?:type\s{{1,9}})?(?:{_NAMED}(?:\s{{0,9}},\s{{0,9}}{_NAMED})?{_FROM}"
    r"|'[^'\n]{1,300}'|\"[^\"\n]{1,300}\")[ \t]*+;?[ \t]*+(?://[^\n]{0,300})?(?=\n|\Z)"
)
_REEXPORT = regex(
    rf"export\s{{1,9}}(?:\*|{_NAMED})(?:{_FROM})?[ \t]*+;?[ \t]*+(?=\n|\Z)"
)  # export {a} from 'b'
_EXPORT = regex(
    r"export\s{1,9}(?:(?:const|let|var)\s{1,9}(?:[\w$]{1,60}\s{0,9}(?::[^=\n]{1,200})?|[{\[][^=]{1,300}[}\]]\s{0,9})="
    r"|(?:default\s{1,9})?(?:async\s{1,9})?function\b\s{0,9}\*?\s{0,9}[\w$]{0,60}\s{0,9}\("
    r"|(?:default\s{1,9})?class\b[^{}\n]{0,200}\{"
    r"|default\s{1,9}(?=[({\[]|(?:async\s{0,9})?[\w$]{1,60}\s{0,9}=>"
    r"|[\w$.]{1,100}(?:\([^\n]{0,300}\))?;?[ \t]*(?:\n|\Z)))"
)
_BEGINS = regex(r"import\s|export\s|\{/\*")
_OPEN_COMMENT = regex(r"\{/\*(?:(?!\*/)[\s\S]){0,5000}\*/\}[ \t]*(?=\n|\Z)")
_TOKEN = regex(  # of a program, as far as its brackets must be told from what is in texts
    r"\\.|//[^\n]*|/\*(?:(?!\*/)[\s\S])*+(?:\*/|\Z)|'(?:[^'\\\n]|\\.)*'|\"(?:[^\"\\\n]|\\.)*\""
    r"|`(?:[^`\\]|\\[\s\S])*`|[()\[\]{}\n]"
)
_GOES_ON = regex(r"(?:=|=>|[,(+*?:|&.])[ \t]*\Z")  # a line that ends so is not yet a statement
_LONGEST_STATEMENT = 20_000  # characters; a longer one holds data
_MOST_OPEN = 20  # statements of a page that end nowhere before nobody looks for more
_COMMENT_OF_MDX = regex(r"[ \t]*\{/\*(?:(?!\*/).){0,500}\*/\}[ \t]*$")
_FENCE = regex(r"[ \t]{0,3}(`{3,}+|~{3,}+)(.*)$")

# AsciiDoc, as docs.asciidoctor.org describes it.
_SECTION = regex(r"(={1,6}|#{1,6})[ \t]+(\S.*)$")
_UNDERLINES = {"=": 1, "-": 2, "~": 3, "^": 4, "+": 5}  # marks under a title, with its level
_ATTRIBUTE = regex(r":(!?[A-Za-z][\w -]{0,60}!?):(?:[ \t]+(.*))?$")
_FACTS = {  # attributes that say what a line of the header says
    "author": "Author",
    "authors": "Authors",
    "revdate": "Date",
    "docdate": "Date",
    "doctitle": "Title",
}
_OWN = regex(  # a fact under a project's own prefix: :sdd_status:, :page-date:
    r"([A-Za-z][\w-]{0,40})[_-](status|state|date|authors?|owners?|reviewers?|deciders?)$"
)
_SITES = frozenset(("page", "jbake"))  # prefixes that generators of sites have for any fact
FEWEST_OWN = 2  # facts under one prefix that make it a project's own
_SETTINGS = regex(  # attributes that say how a page looks
    r"(?:toc|toc-.*|toclevels|.*dir|icons?|iconfont.*|sect(?:nums|anchors|links|numlevels)|.*caption"
    r"|source-.*|highlight.*|rouge.*|pygments.*|coderay.*|experimental|id(?:prefix|separator)"
    r"|doctype|backend|stylesheet|linkcss|linkattrs|hardbreaks.*|encoding|lang|nofooter|noheader"
    r"|figure.*|table-.*|xrefstyle|docinfo.*|data-uri|reproducible|compat-mode|relfile.*"
    r"|outfilesuffix|numbered|email|revnumber|revremark|ur[li]-.*|allow-uri-read|stem|math|media"
    r"|front-matter|page-.*|jbake-(?!date|author|status).*|imagesoutdir|partnums|noteicons)$"
)
_REVISION = regex(
    r"(?:v?\d[\w.]{0,20},[ \t]*)?(\d{4}-\d\d-\d\d|\d{1,2}[./]\d{1,2}[./]\d{4}"
    r"|[A-Z][a-z]{2,9} \d{1,2},? \d{4}|\d{1,2} [A-Z][a-z]{2,9} \d{4}).{0,200}$"
)
_WRITER = regex(
    r"[^\W\d_][\w'’.-]{0,40}(?: [\w'’.-]{1,40}){0,3}(?: <[^<>\s]{1,100}>)?"
    r"(?:; ?[^\W\d_][\w'’.-]{0,40}(?: [\w'’.-]{1,40}){0,3}(?: <[^<>\s]{1,100}>)?){0,20}$"
)
_VERBATIM = regex(r"(-{4,}|\.{4,}|\+{4,}|`{3,})([\w,-]{0,30})[ \t]*$")
_HIDDEN = regex(r"/{4,}[ \t]*$")
_STRUCTURE = regex(r"(?:={4,}|\*{4,}|_{4,}|--|'{3,}|<{3,}|\+)[ \t]*$")
_TABLE = regex(r"[|,:!]={3,}[ \t]*$")
_BLOCK_ATTRIBUTES = regex(r"\[(?:\[[^\[\]]{0,200}\]|[^\[\]]{0,300})\][ \t]*$")
_LANGUAGE = regex(r"\[(?:source|listing)?[%\w]{0,30},[ \t]*([\w+#-]{1,30})[^\[\]]{0,200}\][ \t]*$")
_CONDITION = regex(r"(?:ifdef|ifndef|ifeval|endif)::[^\[\]]{0,200}\[.{0,300}\][ \t]*$")
_REMARK = regex(r"//(?!/)")
_BLOCK_TITLE = regex(r"\.([^\s.].{0,200})$")
_BULLET = regex(r"([ \t]{0,10})(\*{1,5}|-)[ \t]+(\S.*)$")
_NUMBER = regex(r"[ \t]{0,10}(\.{1,5})[ \t]+(\S.*)$")
_TERM = regex(r"([^\s:|][^:|]{0,80}):{2,4}(?:[ \t]+(.*))?$")
_IMAGE = regex(r"image::?([^\s\[\]]{1,300})\[([^\[\]]{0,300})\]")
_MACRO = regex(
    r"(?:(?:link|xref):(?![\s\[])|(?=https?://))([^\s\[\]<>]{1,1000}+)\[([^\[\]]{0,300})\]"
)
_CROSS = regex(r"<<([^<>,\n]{1,300})(?:,([^<>\n]{0,300}))?>>")
_ANCHOR = regex(r"\[\[[^\[\]]{0,200}\]\]")
_TABLE_CELLS = 50  # of a row; a wider one is a drawing

# Org, as orgmode.org/manual describes it.
_HEADLINE = regex(r"(\*{1,10})[ \t]+(\S.*)$")
_KEYWORD = regex(r"#\+([A-Za-z_]{1,30}):[ \t]*(.*)$")
_BLOCK = regex(r"[ \t]*#\+(begin|end)_(\w{1,30})(?:[ \t]+([\w+-]{1,30}))?", 2)
_TODO = regex(r"(?:TODO|NEXT|WAITING|DONE)[ \t]+|\[#[A-Z]\][ \t]*")
_TAGS = regex(r"(?<![ \t])[ \t]+:[\w@#%:]{1,200}:$")
_DRAWER = regex(r"[ \t]*:([\w+-]{1,60}):(?:[ \t]+(.*))?$")
_LINK = regex(r"\[\[([^\[\]\n]{1,1000})\](?:\[([^\[\]\n]{1,500})\])?\]")
_STAMP = regex(
    r"[<\[](\d{4}-\d\d-\d\d)(?: [^\W\d_]{2,10}\.?)?(?: \d\d?:\d\d)?[^<>\[\]\n]{0,20}[>\]]"
)
_CODE = regex(r"(?<![\w=~])([=~])([^\s=~](?:[^=~\n]{0,200}[^\s=~])?)\1(?![\w=~])")
_RULE = regex(r"[ \t]*\|(?:-{1,200}\+){0,50}-{1,200}\|?[ \t]*$")
_ORG_FACTS = frozenset(
    ("author", "authors", "date", "status", "deciders", "tags", "filetags", "label", "id", "number")
)


def bare(path: str | PurePath) -> PurePosixPath:
    """Gives a path by the form that is written: 7.md for 7.md.erb, index.md for index.html.md."""
    pure = PurePosixPath(path)
    if pure.suffix.lower() in TEMPLATED:
        inner = pure.with_suffix("")
        if inner.suffix.lower() not in WRITTEN or inner.suffix.lower() in PLAIN:
            return pure  # welcome.txt.erb, nginx.conf.j2: a program fills it in
        pure = inner
    stem = PurePosixPath(pure.stem)
    if pure.suffix.lower() in MARKDOWN and stem.suffix.lower() in _RENDERS_TO and stem.stem:
        return pure.with_name(stem.stem + pure.suffix)
    return pure


def form_of(path: str | PurePath) -> str:
    """Gives the suffix that says how a file is written: .md for 0007-use-redis.md.erb."""
    return bare(path).suffix.lower()


def as_markdown(text: str, path: str | PurePath) -> str:
    """Writes a text as Markdown where its form is not one that the readers know themselves."""
    form, pure = form_of(path), PurePosixPath(path)
    write = _WAYS.get(form)
    if write is not None:
        return write(text)
    if pure.suffix.lower() in TEMPLATED and bare(path) != pure:
        text = _without_lines(text, lambda line: _STATEMENT.match(line) is not None)
    if form == ".mdx":
        text = _without_lines(
            _without_module(text), lambda line: _COMMENT_OF_MDX.match(line) is not None
        )
    return text


def _without_module(text: str) -> str:
    """Empties the statements of MDX: at the top, below a blank line or below each other."""
    lines = _NEWLINE.sub("\n", text).split("\n")
    at = _front_end(lines)
    offset = sum(len(line) + 1 for line in lines[:at])
    text, found, fence = "\n".join(lines), lines[:at], ""
    may_begin, still_open = True, 0
    while at < len(lines):
        line, end = lines[at], 0
        mark = _FENCE.match(line)
        if mark and (not fence or (mark[1].startswith(fence) and not mark[2].strip())):
            fence = "" if fence else mark[1]
        elif not fence and may_begin and still_open < _MOST_OPEN:
            end = _statement_end(text, offset)
            still_open += end < 0
        count = text.count("\n", offset, end) + 1 if end > 0 else 1
        may_begin = not fence and (end > 0 or not line.strip())
        found += [""] * count if end > 0 else [line]
        offset += sum(len(one) + 1 for one in lines[at : at + count])
        at += count
    return "\n".join(found)


def _statement_end(text: str, start: int) -> int:
    """Finds the end of a statement's last line; 0 for none, -1 for one that ends nowhere."""
    if not _BEGINS.match(text, start):
        return 0
    whole = (
        _IMPORT.match(text, start)
        or _REEXPORT.match(text, start)
        or _OPEN_COMMENT.match(text, start)
    )
    if whole:
        return whole.end()
    begins = _EXPORT.match(text, start)
    if not begins:
        return -1 if text.startswith("{", start) else 0
    depth, line = 0, start
    last = min(len(text), start + _LONGEST_STATEMENT)
    for token in _TOKEN.finditer(text, start, last):
        mark = token[0]
        if mark in "([{":
            depth += 1
        elif mark in ")]}":
            depth -= 1
        elif mark == "\n":
            is_done = depth <= 0 and token.start() >= begins.end()
            if is_done and not _GOES_ON.search(text[line : token.start()]):
                return token.start()
            line = token.end()
    return last if depth <= 0 and last == len(text) else -1


def _without_lines(text: str, is_none: Callable[[str], bool]) -> str:
    """Empties the lines outside of code that say nothing to a reader."""
    found, fence = [], ""
    for line in text.split("\n"):
        mark = _FENCE.match(line)
        if mark and (not fence or (mark[1].startswith(fence) and not mark[2].strip())):
            fence = "" if fence else mark[1]
        found.append("" if not fence and is_none(line) else line)
    return "\n".join(found)


def from_asciidoc(text: str) -> str:
    """Writes AsciiDoc as Markdown, line for line."""
    lines = _NEWLINE.sub("\n", text).split("\n")
    start = _front_end(lines)
    return "\n".join([*lines[:start], *_asciidoc_lines(lines, start)])


def _front_end(lines: Sequence[str]) -> int:
    """Counts the lines of the front matter that a site's generator reads before AsciiDoc does."""
    if lines[0].rstrip() != "---" or len(lines) < 2 or ":" not in lines[1]:
        return 0
    return next((at + 1 for at in range(1, len(lines)) if lines[at].rstrip() == "---"), 0)


def _own_prefixes(lines: Sequence[str]) -> frozenset[str]:
    """Finds the prefixes under which a project states several facts of a document."""
    named = (_ATTRIBUTE.match(line) for line in lines if line.startswith(":"))
    own = {name[1]: _OWN.match(name[1]) for name in named if name}
    counts = Counter(fact[1] for fact in own.values() if fact)
    return _SITES | {prefix for prefix, count in counts.items() if count >= FEWEST_OWN}


def _asciidoc_lines(lines: Sequence[str], at: int) -> Iterator[str]:
    prefixes = _own_prefixes(lines)
    language, below_title, in_head, has_title = "", 0, True, False
    while at < len(lines):
        line = lines[at].rstrip()
        if verbatim := _VERBATIM.match(line):
            end = _closing(lines, at, line)
            yield from _fenced(
                lines[at + 1 : end], language or verbatim[2].strip(","), end < len(lines)
            )
            at, language, in_head = end + 1, "", False
            continue
        if _HIDDEN.match(line):
            end = _closing(lines, at, line)
            yield from [""] * (min(end, len(lines) - 1) - at + 1)
            at = end + 1
            continue
        if _TABLE.match(line):
            end = _closing(lines, at, line)
            yield from ("", *_table(lines[at + 1 : end]), *([""] if end < len(lines) else []))
            at, language, in_head = end + 1, "", False
            continue
        if title := _two_line_title(lines, at):
            yield from (title, "")
            in_head = not has_title and title.startswith("# ")
            at, has_title, below_title = at + 2, True, 0
            continue
        if named := _LANGUAGE.match(line):
            language = named[1]
        section = _SECTION.match(line) if len(line) <= _LONGEST_LINE else None
        if section:
            in_head = not has_title and len(section[1]) == 1
            has_title, below_title = True, 0
            yield f"{'#' * len(section[1])} {_inline(_ANCHOR.sub('', section[2]))}"
        elif in_head and not line:
            in_head = not has_title
            yield ""
        elif in_head and has_title and below_title < 2 and (said := _of_header(line, below_title)):
            below_title += 1
            yield said
        else:
            is_of_head = at > 0 and line.startswith("include::") and lines[at - 1].startswith(":")
            yield "" if is_of_head else _asciidoc_line(line, prefixes)
        at += 1


def _closing(lines: Sequence[str], at: int, mark: str) -> int:
    """Finds the line that ends a block, or the end of the text."""
    wanted = mark if mark[0] != "`" else mark.rstrip("abcdefghijklmnopqrstuvwxyz,-")
    return next((n for n in range(at + 1, len(lines)) if lines[n].rstrip() == wanted), len(lines))


def _fenced(inside: Sequence[str], language: str, is_closed: bool) -> Iterator[str]:
    fence = "~~~~" if any(line.lstrip().startswith("```") for line in inside) else "```"
    yield fence + language
    yield from inside
    if is_closed:
        yield fence


def _two_line_title(lines: Sequence[str], at: int) -> str | None:
    """Reads a title with a line of marks below it, which must be as long but for a character."""
    if at + 1 >= len(lines) or (at and lines[at - 1].strip()):
        return None
    title, under = lines[at].rstrip(), lines[at + 1].rstrip()
    is_line = len(under) > 1 and under[0] in _UNDERLINES and under == under[0] * len(under)
    is_title = title[:1].isalnum() and abs(len(title) - len(under)) <= 1
    return f"{'#' * _UNDERLINES[under[0]]} {_inline(title)}" if is_line and is_title else None


def _of_header(line: str, below: int) -> str | None:
    """Reads the line of authors or that of the revision below a document's title."""
    if revision := _REVISION.match(line):
        return f"Date: {revision[1]}"
    if not below and len(line) <= _LONGEST_LINE and _WRITER.match(line):
        return f"Authors: {line.replace('; ', ', ').replace(';', ', ')}"
    return None


def _asciidoc_line(line: str, prefixes: frozenset[str]) -> str:
    if len(line) > _LONGEST_LINE:
        return line
    if attribute := _ATTRIBUTE.match(line):
        return _attribute(attribute[1], attribute[2] or "", prefixes)
    is_mark = _STRUCTURE.match(line) or _CONDITION.match(line) or _REMARK.match(line)
    if is_mark or _BLOCK_ATTRIBUTES.match(line):
        return ""
    if bullet := _BULLET.match(line):
        return f"{'  ' * (len(bullet[2]) - 1)}- {_inline(bullet[3])}"
    if number := _NUMBER.match(line):
        return f"{'   ' * (len(number[1]) - 1)}1. {_inline(number[2])}"
    if title := _BLOCK_TITLE.match(line):
        return f"**{_inline(title[1])}**"
    if term := _TERM.match(line):
        return f"{_inline(term[1])}: {_inline(term[2] or '')}".rstrip()
    return _inline(line)


def _attribute(name: str, value: str, prefixes: frozenset[str]) -> str:
    """Writes an attribute that states a fact; one that sets how a page looks is none."""
    own = _OWN.match(name)
    if own and own[1] in prefixes:
        name = own[2].capitalize()
    if not value or "!" in name or _SETTINGS.match(name.lower()):
        return ""
    return f"{_FACTS.get(name.lower(), name)}: {_inline(value)}"


def _inline(words: str) -> str:
    """Writes AsciiDoc's links as Markdown has them."""
    if "[" in words:
        words = _IMAGE.sub(lambda m: f"![{m[2].partition(',')[0]}]({m[1]})", words)
        words = _MACRO.sub(lambda m: _link(m[2].partition(",")[0].rstrip("^") or m[1], m[1]), words)
        words = _ANCHOR.sub("", words)
    return (
        _CROSS.sub(lambda m: _link((m[2] or m[1]).strip(), m[1]), words) if "<<" in words else words
    )


def _link(words: str, target: str) -> str:
    return f"[{words}]({target.rstrip('#')})" if target.strip("#") else words


def _table(inside: Sequence[str]) -> Iterator[str]:
    """Writes the rows of a table: a blank line below the first one makes that the header."""
    rows = [line.strip() for line in inside]
    has_header = len(rows) > 2 and rows[0].startswith("|") and not rows[1]
    width = rows[0].count("|") if has_header else 0
    for at, row in enumerate(rows):
        if at == 1 and has_header and width <= _TABLE_CELLS:
            yield f"|{' --- |' * width}"
        elif row.startswith("|") and len(row) <= _LONGEST_LINE:
            cells = (_inline(cell.strip()) for cell in row[1:].split("|"))
            yield f"| {' | '.join(cells)} |"
        else:
            yield row


def from_org(text: str) -> str:
    """Writes Org as Markdown, line for line."""
    lines = _NEWLINE.sub("\n", text).split("\n")
    return "\n".join(_org_lines(lines))


def _org_lines(lines: Sequence[str]) -> Iterator[str]:
    is_titled = any((key := _KEYWORD.match(line)) and key[1].lower() == "title" for line in lines)
    code, in_drawer, header_due = "", False, False
    for line in lines:
        block = _BLOCK.match(line)
        if block and (not code or (block[1].lower() == "end" and block[2].lower() == code)):
            is_code = block[2].lower() in ("src", "example", "export", "comment")
            begins = block[1].lower() == "begin"
            code = block[2].lower() if begins and is_code else ""
            yield (f"```{block[3] or ''}" if begins else "```") if is_code else ""
            continue
        if code or len(line) > _LONGEST_LINE:
            yield line
            continue
        drawer = _DRAWER.match(line)
        if drawer and (in_drawer or not drawer[2]):
            in_drawer = drawer[1].upper() != "END"
            yield f"{_named(drawer[1])}: {_org_words(drawer[2])}" if drawer[2] else ""
            continue
        yield _org_line(line, is_titled, header_due)
        header_due = line.lstrip().startswith("|")


def _org_line(line: str, is_titled: bool, below_row: bool) -> str:
    if heading := _HEADLINE.match(line):
        level = min(len(heading[1]) + is_titled, _DEEPEST)
        return f"{'#' * level} {_org_words(_TAGS.sub('', _TODO.sub('', heading[2], count=2)))}"
    if keyword := _KEYWORD.match(line):
        name, value = keyword[1].lower(), _org_words(keyword[2])
        if name == "title":
            return f"# {value}"
        if name == "property":
            key, _, told = value.partition(" ")
            return f"{_named(key)}: {told.strip()}"
        return f"{_named(name)}: {value}" if name in _ORG_FACTS else ""
    if line.lstrip()[:2] in ("# ", "#"):
        return ""
    if _RULE.match(line):
        return line.replace("+", "|") if below_row else ""
    return _org_words(line)


def _named(name: str) -> str:
    return name.replace("_", " ").capitalize()


def _org_words(words: str) -> str:
    """Writes Org's links, code and time stamps as Markdown has them."""
    if "[" in words or "<" in words:
        words = _LINK.sub(lambda m: _link(m[2] or m[1], m[1].removeprefix("file:")), words)
        words = _STAMP.sub(lambda m: m[1], words)
    return _CODE.sub(r"`\2`", words) if "=" in words or "~" in words else words


def from_notebook(text: str) -> str:
    """Writes the cells of a notebook, without what running them put out."""
    try:
        book = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadInput(f"is no notebook that can be read: {str(error)[:200]}") from None
    sheets = book.get("worksheets") if isinstance(book, dict) else None
    pages = [book, *(sheets if isinstance(sheets, list) else ())]
    cells = [
        cell
        for page in pages
        if isinstance(page, dict) and isinstance(page.get("cells"), list)
        for cell in page["cells"]
        if isinstance(cell, dict)
    ]
    if not isinstance(book, dict) or not (cells or "cells" in book or sheets):
        raise BadInput("is no notebook: it has no cells")
    language = _language_of(book)
    written = (_cell(cell, language) for cell in cells)
    return "\n\n".join(part for part in written if part) + "\n"


def _language_of(book: dict[str, object]) -> str:
    about = book.get("metadata")
    for place, name in (("language_info", "name"), ("kernelspec", "language")):
        told = about.get(place) if isinstance(about, dict) else None
        if isinstance(told, dict) and isinstance(told.get(name), str):
            return "".join(c for c in told[name][:30] if c.isalnum() or c in "+#-")
    return "python"


def _cell(cell: dict[str, object], language: str) -> str:
    lines = cell.get("source", cell.get("input"))
    said = "".join(map(str, lines)) if isinstance(lines, list) else str(lines or "")
    if not said.strip():
        return ""
    if cell.get("cell_type") == "code":
        fence = "~~~~" if "```" in said else "```"
        return f"{fence}{language}\n{said.strip(chr(10))}\n{fence}"
    if cell.get("cell_type") == "heading":
        level = cell.get("level")
        return f"{'#' * (level if isinstance(level, int) and 0 < level < 7 else 1)} {said.strip()}"
    return said.strip("\n")


_WAYS: dict[str, Callable[[str], str]] = {
    **dict.fromkeys(ASCIIDOC, from_asciidoc),
    **dict.fromkeys(ORG, from_org),
    **dict.fromkeys(NOTEBOOK, from_notebook),
}
