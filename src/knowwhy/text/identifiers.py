"""What a question writes exactly: identifiers by their form, and what stands between quotes."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from knowwhy.text.known_names import KNOWN
from knowwhy.text.patterns import regex
from knowwhy.text.source.languages import is_source
from knowwhy.text.tokens import canonical_id

MOST = 8  # identifiers of one question that are looked for
LONGEST = 200  # characters; what is longer is no name

_RUN = regex(r"(?<![\w$@#/.~-])(?:--?|[$@#]|~?/|\.{1,2}/)?\w[\w@:/\\.#$-]{0,200}(?:\(\))?")
_QUOTED = regex(r"(?<!\w)(?:\"([^\"\n]{2,200})\"|“([^”\n]{2,200})”|«([^»\n]{2,200})»)(?!\w)")
_MARKED = regex(r"(`{1,2})([^`\n]{2,200})\1")
_FLAG = regex(r"--[A-Za-z][\w-]*(?:\.[\w-]+)*")
_NUMBER = regex(r"#\d{2,10}")
_VERSION = regex(r"(?:v\d+(?:\.\d+)+|\d+(?:\.\d+){2,})(?:[-+][\w.-]{1,40})?")
_DATE = regex(r"\d{1,2}\.\d{1,2}\.\d{4}")
_ADVISORY = regex(  # CVE-2026-33186, GHSA-w4wj-p8xv-rq6g: no family of our own records
    r"[A-Za-z]{2,10}-\d{4}-\d{3,10}|[A-Z]{2,10}(?:-[a-z\d]{4}){3}"
)
_LABEL = regex(r"[A-Z][A-Z\d]{1,9}(?:-[A-Z\d]{1,12}){0,3}-\d{1,10}")
_SNAKE = regex(r"_*[A-Za-z]\w*_\w+|_+[A-Za-z]\w*_+")
_HEADER = regex(r"X(?:-[A-Z][A-Za-z\d]+)+")
_HASH = regex(r"(?=[a-f]*\d)(?=\d*[a-f])[\da-f]{7,40}")
_WORDS_JOINED = regex(r"\w*[A-Za-z]\w*(?:(?:::|\\)\w+)+")
_FILE = regex(r"\.?[\w-]+(?:\.[\w-]+)*\.[a-z][a-z\d]{0,9}")
_LIBRARY = regex(r"[A-Z]\w*\.js|[A-Z]\w*\.NET")  # Node.js
_DOTTED = regex(r"[A-Za-z_]\w+(?:\.[A-Za-z_]\w+){2,20}")
_MEMBER = regex(r"[A-Za-z_]\w+\.[A-Za-z_]\w+")
_HUMP = regex(r"[a-z\d][A-Z]")
_LOWER_CAMEL = regex(r"[a-z]{2,}\d*[A-Z][a-z]\w*")
_CAMEL = regex(r"[A-Z]+[a-z]\w*|[a-z]{2,}\w*")
_KEBAB = regex(r"[A-Za-z][A-Za-z\d]*(?:-[A-Za-z\d]+)+")  # us-east-1, and read-only
_SPACE = regex(r"\s+")
_DOCUMENTS = frozenset(
    [
        "md",
        "markdown",
        "rst",
        "adoc",
        "org",
        "txt",
        "html",
        "htm",
        "pdf",
        "csv",
        "mod",
        "sum",
        "lock",
        "env",
        "log",
    ]
)
_TRACKED = "pull|pulls|issues|merge_requests|pull-requests"


@dataclass(frozen=True, slots=True)
class Written:
    """What a question writes exactly, where it stands, and whether its form alone says so."""

    text: str
    start: int
    end: int
    is_sure: bool  # else it may be a word: only where code defines it or nothing else is asked
    is_phrase: bool = False
    must_exist: bool = False  # what holds it nowhere knows nothing of it


def written(question: str) -> tuple[Written, ...]:
    """Finds what a question writes exactly, in its order, each once.

    An identifier is told by its form: digits with letters, joints, humps, leading dashes. A plain
    word, an abbreviation (HTTP, k8s) and a product's name (PostgreSQL) are none.
    """
    found = [*_between_quotes(question), *_runs(question)]
    taken: list[Written] = []
    for each in found:
        overlaps = any(each.start < other.end and other.start < each.end for other in taken)
        if not overlaps and each.text not in {other.text for other in taken}:
            taken.append(each)
    return tuple(sorted(taken, key=lambda each: each.start)[:MOST])


def _between_quotes(question: str) -> Iterator[Written]:
    for match in _MARKED.finditer(question):
        inner = match[2].strip()
        sure = _sure(inner) is not None or not inner.isalpha()
        if len(inner) > 1:
            yield _of(inner, match.start(2), match.end(2), is_sure=sure)
    for match in _QUOTED.finditer(question):
        group = next(number for number in (1, 2, 3) if match[number] is not None)
        inner = match[group].strip()
        if " " in inner or _sure(inner):
            yield _of(inner, match.start(group), match.end(group), is_sure=True)


def _of(text: str, start: int, end: int, *, is_sure: bool) -> Written:
    bare = text.removesuffix("()")
    return Written(bare, start, end, is_sure, is_phrase=" " in bare, must_exist=_must_exist(bare))


def _runs(question: str) -> Iterator[Written]:
    for match in _RUN.finditer(question):
        run = match[0].rstrip(".:/-#@\\")
        sure = _sure(run)
        if sure is not None:
            yield _of(run, match.start(), match.start() + len(run), is_sure=sure)


def _must_exist(text: str) -> bool:
    return bool(_FLAG.fullmatch(text) or _ADVISORY.fullmatch(text))


@lru_cache(maxsize=1 << 12)
def _sure(run: str) -> bool | None:
    """Tells an identifier by its form; False where it may be a word or a name, None for none."""
    bare = run.removesuffix("()")
    if len(bare) > LONGEST or len(bare) < 2 or bare.casefold() in KNOWN:
        return None
    if _FLAG.fullmatch(bare) or _NUMBER.fullmatch(bare) or _ADVISORY.fullmatch(bare):
        return True
    if bare[0] == "$":
        return True if bare[1:].isidentifier() else None
    if bare[0] in "-#":
        return None
    if bare[0] == "@":
        return True if "/" in bare else None
    if "/" in bare:
        return True if _is_path(bare) else None
    return _sure_word(bare, is_called=bare != run)


def _sure_word(word: str, *, is_called: bool) -> bool | None:
    if _VERSION.fullmatch(word):
        return None if _DATE.fullmatch(word) else True
    if _LABEL.fullmatch(word):
        return True if canonical_id(word) or word.count("-") > 1 else None
    if is_called and not word[0].isdigit():
        return True
    for form in (_SNAKE, _HEADER, _HASH, _WORDS_JOINED, _DOTTED):
        if form.fullmatch(word):
            return True
    if "." in word:
        return True if _is_file(word) or _is_member(word) else None
    if _KEBAB.fullmatch(word):
        return False
    return _sure_camel(word)


def _is_path(run: str) -> bool:
    """Tells a path from "and/or", "TCP/IP", "24/7" and a date."""
    last = run.rpartition("/")[2]
    parts = [part for part in run.split("/") if part]
    if not any(c.isalpha() for c in run):
        return False
    is_marked = run.startswith(("/", "~/", "./", "../")) and len(parts) > 1
    has_site = any("." in part and _MEMBER.match(part) for part in parts)
    return is_marked or "_" in run or bool(_FILE.fullmatch(last)) or has_site


def _is_file(word: str) -> bool:
    suffix = word.rpartition(".")[2]
    is_named = bool(_FILE.fullmatch(word)) and not _LIBRARY.fullmatch(word)
    return is_named and (suffix in _DOCUMENTS or is_source(word))


def _is_member(word: str) -> bool:
    """Tells "compact.NewBucket" and "self.max_tries" from "example.com"."""
    first, _, last = word.partition(".")
    is_code = _SNAKE.fullmatch(last) or _sure_camel(last) is not None or _sure_camel(first)
    return bool(is_code and _MEMBER.fullmatch(word))


def is_label(word: str) -> bool:
    """Tells an id by its form: ADR-12, MSC-ADR-4, CVE-2026-33186."""
    return bool(_LABEL.fullmatch(word) or _ADVISORY.fullmatch(word))


def is_release(word: str) -> bool:
    """Tells a version of three numbers or more, which is one release: v0.38.1."""
    is_date = _DATE.fullmatch(word) is not None
    return word.count(".") > 1 and not is_date and _VERSION.fullmatch(word) is not None


def is_tracked(word: str) -> bool:
    """Tells what a tracker has by a number: #4711."""
    return _NUMBER.fullmatch(word) is not None


def is_camel(word: str) -> bool:
    """Tells whether a word is written as types are in code: CacheService, and GitHub too."""
    is_short = len(word) <= LONGEST
    return is_short and _sure_camel(word) is not None and _HUMP.search(word) is not None


def _sure_camel(word: str) -> bool | None:
    if not word.isalnum() or not _CAMEL.fullmatch(word) or not any(c.islower() for c in word):
        return None
    humps = len(_HUMP.findall(word))
    if humps > 1 or _LOWER_CAMEL.fullmatch(word):
        return True
    is_plural = word[-1] == "s" and word[:-1].isupper()  # APIs
    is_capital = sum(c.isupper() for c in word) > 1 and not is_plural
    return False if humps or is_capital else None


def exactness(text: str, name: Written) -> int:
    """Tells how exactly a text holds a name, as no part of a longer one; 0 is not at all.

    Best as it is written (3), then in another case (2): x-request-id for X-Request-Id. A flag is
    also where code declares it, as a string without its dashes (1).
    """
    for value, pattern in ((3, _pattern(name.text, 0)), (2, _pattern(name.text, re.IGNORECASE))):
        if pattern.search(text):
            return value
    is_flag = _FLAG.fullmatch(name.text) is not None
    return int(is_flag and _declared(name.text).search(text) is not None)


@lru_cache(maxsize=256)
def _declared(flag: str) -> re.Pattern[str]:
    return re.compile(rf"([\"'`]){re.escape(flag[2:])}\1")


@lru_cache(maxsize=256)
def _pattern(name: str, flags: int) -> re.Pattern[str]:
    """Makes the pattern of a name that is no part of a longer one."""
    words = [re.escape(word) for word in _SPACE.split(name.strip())]
    body = r"\s{1,20}".join(words)
    if _NUMBER.fullmatch(name):  # a tracker's number is also the end of its page
        return re.compile(rf"(?:(?<![\w-])#|/(?:{_TRACKED})/){name[1:]}(?!\w)")
    if _VERSION.fullmatch(name):  # written with and without the letter before it
        body = f"v?{re.escape(name.removeprefix('v'))}"
    before = r"(?<!\w)(?<!\d\.)" if name[0].isalnum() or name[0] == "_" else r"(?<![\w-])"
    is_joined = any(c.isdigit() or c == "-" for c in name)  # v0.38.2 is not v0.38.2-rc.1
    after = r"(?!\w|\.\d|-\w)" if is_joined and name[-1].isalnum() else r"(?!\w)"
    return re.compile(f"{before}{body}{after}", flags)


_DEFINING = (
    r"func|function|fn|fun|def|class|struct|interface|trait|enum|type|typedef|record|object"
    r"|protocol|module|namespace|macro|const|var|let|val|static|resource|message|service|rpc"
)


def defines(text: str, heading: str, name: Written) -> bool:
    """Tells whether a passage of code defines a name: by its heading, or by a line's form."""
    own = re.split(r"[.:\\#]{1,2}", name.text)[-1]
    symbols = {symbol.strip() for part in heading.split(" > ") for symbol in part.split(",")}
    last = heading.rpartition(" > ")[2]
    if own in {symbol.strip() for symbol in last.split(",")}:
        return True
    return bool(own) and own not in symbols and _definition(own).search(text) is not None


@lru_cache(maxsize=256)
def _definition(name: str) -> re.Pattern[str]:
    return re.compile(
        rf"^[ \t]*(?:[\w@]{{1,40}}[ \t]{{1,8}}){{0,6}}?(?:{_DEFINING})\b"
        rf"(?:[ \t]{{0,8}}\([^()\n]{{0,100}}\))?[ \t]{{1,8}}[*&]?{re.escape(name)}(?!\w)"
        rf"|^[ \t]*{re.escape(name)}(?:[ \t]{{1,8}}[\w.\[\]*]{{1,60}})?[ \t]{{0,8}}(?::=|=(?!=))",
        re.MULTILINE,
    )
